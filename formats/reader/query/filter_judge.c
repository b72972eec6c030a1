/* filter_judge.c - finds the lanes, kinds and times of a log that a filter (filter.h) can match, and decides whether a
 * record matches.
 *
 * The difficulty is that records come in time order, but `duration > 25ns` is known only at the LEAVE of a state, long
 * after its ENTER and the records inside it should be delivered. Holding back all records until then could need memory
 * for the whole log, because the longest state, `main`, lasts that long. So there are two passes over the log:
 *
 *     records       0 enter A   10 enter B   30 leave B   50 leave A
 *     first pass    A: maybe    B: maybe     B: 20, no    A: 50, yes     -> matches = {1, 0}, by number of the ENTER
 *     second pass   A: 1        B: 0         B: 0         A: 1           -> delivers enter A, leave A
 *
 * The first pass reads states only, and keeps one byte for each; there is no first pass if no field of the query needs
 * it. The first pass ends when the time is past the last possible match and all open states are decided.
 *
 * An ENTER is identified by its number on its lane, so both passes must see the same ENTERs in the same order. If the
 * query asks for communicators, the first pass begins before the window. At the window, `begin_window` then numbers the
 * open states anew, as the second pass will number them.
 *
 * Before both passes, pithi_scope_find narrows the query to lanes, kinds and times that can match. For `rank == 3 and
 * time < 1s`, only the lanes of one rank are read, up to 1 s. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "native/log.h"
#include "native/stack.h"
#include "reader/query/filter.h"
#include "reader/read/iter.h"

/* ---- The part that can match ------------------------------------------------------------------------------------- */

struct bounds {
    long double first, last; /* in ns; first > last: no time is possible */
};

/* Returns the bounds of the times at which a node of the filter can match. For `and`, these are the later begin and the
 * earlier end of both sides; for `or`, the earlier begin and the later end. NOT and != have no bounds, because they
 * would need two intervals. */
static struct bounds bounds_of(const struct pithlog_filter *f, uint32_t place)
{
    const struct pithi_filter_node *node = &f->nodes[place];
    struct bounds all = {INT64_MIN, INT64_MAX}, left, right;

    if (node->op == PITHI_OP_AND || node->op == PITHI_OP_OR) {
        int is_and = node->op == PITHI_OP_AND;
        left = bounds_of(f, node->left);
        right = bounds_of(f, node->right);
        return (struct bounds){(left.first > right.first) == is_and ? left.first : right.first,
                               (left.last < right.last) == is_and ? left.last : right.last};
    }
    if (node->op == PITHI_OP_NOT || node->field != PITHI_F_TIME || node->op == PITHI_OP_NE)
        return all;
    left = all;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct pithi_filter_value *v = &f->values[node->first + i];
        struct bounds one = {node->op == PITHI_OP_LT || node->op == PITHI_OP_LE ? all.first : v->number,
                             node->op == PITHI_OP_GT || node->op == PITHI_OP_GE ? all.last : v->last};
        left = i == 0 ? one
                      : (struct bounds){one.first < left.first ? one.first : left.first,
                                        one.last > left.last ? one.last : left.last};
    }
    return left;
}

/* Finds the lanes of the query that the filter does not exclude. */
static int find_lanes(struct pithi_scope *scope, const struct pithlog *log, const struct pithlog_filter *filter)
{
    const struct pithi_names names = {.log = log};
    struct pithi_subject subject = {.known = PITHI_KNOW_LANE};
    struct pithlog_query *query = &scope->query;
    uint32_t all = pithlog_get_info(log)->lanes, asked = query->lanes ? query->lane_count : all, kept = 0;

    if (!(scope->lanes = malloc((asked + (size_t)1) * sizeof *scope->lanes)))
        return pithi_no_memory();
    for (uint32_t i = 0; i < asked; i++) {
        subject.lane = query->lanes ? query->lanes[i] : i;
        if (subject.lane >= all || pithi_filter_ask(filter, &names, &subject) != PITHI_NO)
            scope->lanes[kept++] = subject.lane;
    }
    query->lanes = scope->lanes;
    query->lane_count = kept;
    return PITH_OK;
}

int pithi_scope_find(struct pithi_scope *scope, struct pithlog *log, const struct pithlog_filter *filter,
                     const struct pithlog_query *query)
{
    struct bounds bounds = bounds_of(filter, filter->root);
    const struct pithi_names names = {.log = log};
    struct pithi_subject subject = {.known = PITHI_KNOW_KIND};
    uint32_t kinds = query && query->kinds ? query->kinds : UINT32_MAX, possible = 0;

    *scope =
        (struct pithi_scope){.query = query ? *query : (struct pithlog_query){.from_ns = INT64_MIN, .to_ns = INT64_MAX},
                             .last_ns = INT64_MAX};
    scope->query.filter = NULL;
    CHECK(find_lanes(scope, log, filter));
    for (subject.kind = PITHLOG_ENTER; subject.kind <= PITHLOG_LOST; subject.kind++)
        if (subject.kind != PITHLOG_LEAVE && pithi_filter_ask(filter, &names, &subject) != PITHI_NO)
            possible |= 1u << subject.kind | (subject.kind == PITHLOG_ENTER ? 1u << PITHLOG_LEAVE : 0);
    scope->query.kinds = kinds & possible;
    if (bounds.first > scope->query.from_ns)
        scope->query.from_ns = (int64_t)bounds.first;
    if (bounds.last < scope->query.to_ns)
        scope->last_ns = (int64_t)bounds.last;
    scope->is_empty = !scope->query.kinds || !scope->query.lane_count || scope->query.from_ns > scope->query.to_ns ||
                      bounds.first > bounds.last;
    return PITH_OK;
}

void pithi_scope_free(struct pithi_scope *scope) { free(scope->lanes); }

/* ---- Records ----------------------------------------------------------------------------------------------------- */

struct lane {
    struct pithi_stack open; /* enter_ns is here the number of the ENTER, with a flag (numbered) */
    uint64_t entered;        /* number of ENTERs so far in this pass */
    /* Results of the first pass, by number of the ENTER: */
    unsigned char *matches; /* 1: the state matches */
    uint32_t *comms;        /* 1 + the communicator; 0: none; NULL: the query does not ask for it */
    /* learned: number of ENTERs that the first pass saw; later ones are too late to match. */
    uint64_t room, learned;
    int is_in_window; /* 1: the first pass has reached the window on this lane */
};

struct pithi_judge {
    struct pithlog *log; /* not owned */
    struct pithi_names names;
    const struct pithlog_filter *filter;
    unsigned char *excluded;           /* [definitions] 1: no record of this definition can match */
    struct lane *lanes;                /* [lane_count] states of each lane */
    uint32_t lane_count, open_matches; /* lanes of the log; matching states that are open now */
    int has_learned;                   /* 1: a first pass has set `matches` of the lanes */
    int64_t first_ns;                  /* the first pass needs no answer for states that begin before this time */
};

/* Packs the number of an ENTER and a flag into one integer. In the first pass, the flag says that the state is not
 * decided yet; in the second, that it matches. */
static int64_t numbered(uint64_t number, int matches) { return (int64_t)(number << 1 | (unsigned)matches); }

static uint32_t own_comm(const struct pithlog_record *r) { return r->comm ? r->comm + 1 : 0; }

static enum pithi_answer ask_state(const struct pithi_judge *j, const struct pithlog_record *r, uint32_t known,
                                   uint32_t comm)
{
    return pithi_filter_state(j->filter, &j->names, r, known, comm);
}

/* ---- The pass over the states ------------------------------------------------------------------------------------ */

/* Takes a record of the first pass. *doubts is the number of open states that are decided only at their ends. */
static int learn(struct pithi_judge *j, const struct pithlog_record *r, uint64_t *doubts)
{
    struct lane *lane = &j->lanes[r->lane];
    struct pithi_open_state ended;
    uint32_t depth;

    if (r->kind == PITHLOG_ENTER) {
        uint64_t room = lane->room ? 2 * lane->room : 256;
        unsigned char *matches;
        uint32_t *comms;

        if (lane->entered >= lane->room) {
            if (!(matches = realloc(lane->matches, room)))
                return pithi_no_memory();
            lane->matches = matches;
            if (j->filter->fields >> PITHI_F_COMM & 1) {
                if (!(comms = realloc(lane->comms, room * sizeof *comms)))
                    return pithi_no_memory();
                lane->comms = comms;
            }
            lane->room = room;
        }
        enum pithi_answer is = j->excluded[r->id] || r->time_ns < j->first_ns ? PITHI_NO : ask_state(j, r, 0, 0);
        lane->matches[lane->entered] = is == PITHI_YES;
        if (lane->comms)
            lane->comms[lane->entered] = own_comm(r);
        *doubts += is == PITHI_MAYBE;
        return pithi_stack_enter(&lane->open, r->id, numbered(lane->entered++, is == PITHI_MAYBE)) ? PITH_OK
                                                                                                   : pithi_no_memory();
    }
    /* The communicator of a call is the communicator of its first message or collective. */
    if (r->kind != PITHLOG_LEAVE) {
        if (lane->open.count) {
            uint32_t *comm = &lane->comms[lane->open.states[lane->open.count - 1].enter_ns >> 1];
            *comm = *comm ? *comm : r->comm + 1;
        }
        return PITH_OK;
    }
    if (pithi_stack_leave(&lane->open, r->id, 0, &ended, &depth) && ended.enter_ns & 1) {
        uint64_t number = (uint64_t)ended.enter_ns >> 1;
        lane->matches[number] = ask_state(j, r, PITHI_KNOW_END, lane->comms ? lane->comms[number] : 0) == PITHI_YES;
        --*doubts;
    }
    return PITH_OK;
}

/* Called when the first pass reaches the window on a lane. Forgets the states that ended before, and numbers the open
 * ones from 0. */
static void begin_window(struct lane *lane)
{
    for (uint32_t i = 0; i < lane->open.count && !lane->is_in_window; i++) {
        uint64_t number = (uint64_t)lane->open.states[i].enter_ns >> 1;
        lane->matches[i] = lane->matches[number];
        if (lane->comms)
            lane->comms[i] = lane->comms[number];
        lane->open.states[i].enter_ns = numbered(i, lane->open.states[i].enter_ns & 1);
    }
    lane->entered = lane->is_in_window ? lane->entered : lane->open.count;
    lane->is_in_window = 1;
}

struct pithlog_record pithi_judge_begun(const struct pithlog_record *r, enum pithi_iter_part part)
{
    struct pithlog_record begun = *r;
    if (part == PITHI_PART_BEGUN)
        begun.time_ns = r->start_ns;
    return begun;
}

/* The first pass stops after this many errors, because an iterator without memory or disk space fails at each call. */
enum { MOST_DAMAGES = 10000 };

static int learn_all(struct pithi_judge *j, const struct pithi_scope *scope)
{
    struct pithlog_query query = scope->query;
    struct pithlog_record records[128];
    struct pithlog_iter *iter;
    uint64_t doubts = 0;
    int err, more, damages = 0, is_over = 0;

    query.to_ns = INT64_MAX;
    query.kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE;
    if (j->filter->fields >> PITHI_F_COMM & 1) {
        if (!scope->begins_only) /* an open state may have its first message before the window */
            query.from_ns = INT64_MIN;
        query.kinds |= 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL;
    }
    query.flags = PITHLOG_NEST | PITHLOG_CLIP;
    CHECK(pithlog_iter_open(j->log, &query, &iter));
    while (!is_over && damages < MOST_DAMAGES && (more = pithlog_iter_next_many(iter, records, 128)) != 0) {
        damages += more < 0; /* the second pass reports the damage when it reads the same records */
        for (int i = 0; i < more && !is_over; i++) {
            if (query.from_ns < scope->query.from_ns && records[i].time_ns >= scope->query.from_ns)
                begin_window(&j->lanes[records[i].lane]);
            if (pithi_iter_part(iter) != PITHI_PART_HOLE) {
                struct pithlog_record r = pithi_judge_begun(&records[i], pithi_iter_part(iter));
                TRY(learn(j, &r, &doubts));
            }
            is_over = !doubts && records[i].time_ns >= scope->query.from_ns && /* not an ENTER from before the window */
                      records[i].time_ns > (scope->last_ns < scope->query.to_ns ? scope->last_ns : scope->query.to_ns);
        }
    }
    for (uint32_t i = 0; i < j->lane_count && query.from_ns < scope->query.from_ns; i++)
        begin_window(&j->lanes[i]);
    err = damages < MOST_DAMAGES ? PITH_OK : PITH_ERR_DAMAGED;
out:
    pithlog_iter_close(iter);
    return err;
}

/* ---- Judging ----------------------------------------------------------------------------------------------------- */

int pithi_judge_open(struct pithi_judge **judge, struct pithlog *log, const struct pithlog_filter *filter,
                     const struct pithi_scope *scope)
{
    const uint32_t ends = 1u << PITHI_F_END | 1u << PITHI_F_DURATION | 1u << PITHI_F_SELF | 1u << PITHI_F_COMM;
    struct pithi_judge *j = *judge = calloc(1, sizeof *j);
    int err = PITH_OK;

    if (!j)
        return pithi_no_memory();
    j->log = log;
    j->names.log = log;
    j->first_ns = scope->begins_only ? scope->query.from_ns : INT64_MIN;
    j->filter = filter;
    j->lane_count = pithlog_get_info(log)->lanes;
    j->lanes = calloc(j->lane_count + (size_t)1, sizeof *j->lanes);
    j->excluded = calloc(pithlog_get_info(log)->defs + (size_t)1, 1);
    if (!j->lanes || !j->excluded)
        return pithi_no_memory();
    /* Excludes definitions of which no record can match. */
    static const uint32_t kinds[] = {[PITHLOG_STATE] = PITHLOG_ENTER,
                                     [PITHLOG_EVENT_TYPE] = PITHLOG_EVENT,
                                     [PITHLOG_COUNTER_TYPE] = PITHLOG_COUNTER};
    struct pithi_subject subject = {.known = PITHI_KNOW_KIND | PITHI_KNOW_DEF};

    for (subject.id = 0; subject.id < pithlog_get_info(j->log)->defs; subject.id++) {
        subject.kind = kinds[pithlog_get_def(j->log, subject.id)->kind];
        j->excluded[subject.id] = pithi_filter_ask(j->filter, &j->names, &subject) == PITHI_NO;
    }
    /* The fields `ends` are known only at a state's end. If the query has none of them, the ENTER decides, and one pass
     * is enough. */
    j->has_learned = !scope->is_empty && filter->fields & ends && scope->query.kinds >> PITHLOG_ENTER & 1;
    if (j->has_learned)
        err = learn_all(j, scope);
    /* Prepares the second pass, which counts the ENTERs again from 0. */
    for (uint32_t i = 0; i < j->lane_count; i++) {
        j->lanes[i].open.count = 0;
        j->lanes[i].learned = j->lanes[i].entered;
        j->lanes[i].entered = 0;
    }
    return err;
}

void pithi_judge_free(struct pithi_judge *j)
{
    if (!j)
        return;
    for (uint32_t i = 0; j->lanes && i < j->lane_count; i++) {
        free(j->lanes[i].open.states);
        free(j->lanes[i].matches);
        free(j->lanes[i].comms);
    }
    free(j->lanes);
    free(j->excluded);
    free(j);
}

uint32_t pithi_judge_open_states(const struct pithi_judge *j) { return j->open_matches; }

int pithi_judge_goes_on(const struct pithi_judge *j, const struct pithlog_record *r)
{
    const struct pithi_stack *open = &j->lanes[r->lane].open;
    uint32_t depth = open->count;

    while (depth > 0 && open->states[depth - 1].id != r->id)
        depth--;
    return depth > 0 && open->states[depth - 1].enter_ns & 1;
}

int pithi_judge_record(struct pithi_judge *j, const struct pithlog_record *r)
{
    if (r->kind <= PITHLOG_LEAVE) {
        /* A LEAVE gets the answer of its ENTER; for a LEAVE without an ENTER, the filter is asked. */
        struct lane *lane = &j->lanes[r->lane];
        struct pithi_open_state ended;
        uint32_t depth;
        int matches;

        if (r->kind == PITHLOG_LEAVE) {
            if (!pithi_stack_leave(&lane->open, r->id, 0, &ended, &depth))
                return !j->excluded[r->id] && ask_state(j, r, PITHI_KNOW_END, 0) == PITHI_YES;
            j->open_matches -= ended.enter_ns & 1;
            return ended.enter_ns & 1;
        }
        if (j->excluded[r->id])
            matches = 0;
        else if (j->has_learned)
            matches = lane->entered < lane->learned && lane->matches[lane->entered];
        else
            matches = ask_state(j, r, 0, 0) == PITHI_YES;
        j->open_matches += (unsigned)matches;
        return pithi_stack_enter(&lane->open, r->id, numbered(lane->entered++, matches)) ? matches : -1;
    }
    if (r->kind <= PITHLOG_COUNTER && j->excluded[r->id])
        return 0;
    return pithi_filter_other(j->filter, &j->names, r);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

int pithi_filter_end(const struct pithlog_filter *filter, const struct pithlog *log, const struct pithlog_message *m,
                     uint32_t kind)
{
    const struct pithi_names names = {.log = log};
    int is_send = kind == PITHLOG_SEND;
    struct pithlog_record record = {.kind = kind,
                                    .time_ns = is_send ? m->send_ns : m->recv_ns,
                                    .lane = is_send ? m->send_lane : m->recv_lane,
                                    .comm = m->comm,
                                    .peer = pithlog_get_lane(log, is_send ? m->recv_lane : m->send_lane)->rank,
                                    .tag = m->tag,
                                    .bytes = m->bytes};
    struct pithi_subject subject = {.known = PITHI_KNOW_KIND | PITHI_KNOW_LANE | PITHI_KNOW_RECORD,
                                    .kind = kind,
                                    .lane = record.lane,
                                    .record = &record};

    return pithi_filter_ask(filter, &names, &subject) == PITHI_YES;
}

int pithlog_filter_message(const struct pithlog_filter *filter, const struct pithlog *log,
                           const struct pithlog_message *message)
{
    return pithi_filter_end(filter, log, message, PITHLOG_SEND) || pithi_filter_end(filter, log, message, PITHLOG_RECV);
}
