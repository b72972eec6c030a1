/* filter_judge.c - what a filter (filter.h) can match at all in a log, and whether a record matches.
 *
 * The difficulty: records come in time order, but `duration > 25ns` is known only at the LEAVE, when the ENTER and all
 * that lies between them were delivered long ago. Holding back records until then would need memory for as long as the
 * longest state, `main`, lasts. So there are two passes over the log:
 *
 *     records       0 enter A   10 enter B   30 leave B   50 leave A
 *     first pass    A: maybe    B: maybe     B: 20, no    A: 50, yes     -> matches = {1, 0}, by number of the ENTER
 *     second pass   A: 1        B: 0         as B         as A           -> enter A, leave A
 *
 * The first pass reads states only, and keeps one byte for each; it is left out if no field of the query needs it. It
 * ends as soon as no state is in doubt and the time is past the last possible match.
 *
 * Both passes must see the same ENTERs in the same order, as they are counted. The first may begin before the window
 * (for the communicator of a state); `begin_window` then numbers the open states again, as the second pass will.
 *
 * Before that, pithi_scope_find narrows the query to lanes, kinds and times that can match: `rank == 3 and time < 1s`
 * reads the lanes of one rank up to 1 s. */
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
    long double first, last; /* in the unit of the field; first > last: nothing */
};

/* The times outside of which a part of the filter cannot hold: for `and` the later begin and the earlier end, for `or`
 * the earlier begin and the later end. NOT and != give no bounds; they would be two intervals. */
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

/* The lanes of `query` that the filter does not exclude. */
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
    struct pithi_stack open; /* enter_ns: the number of the ENTER; nested_ns: unused */
    uint64_t entered;        /* ENTERs so far */
    /* By number of the ENTER, from the pass over the states: */
    unsigned char *matches; /* 1: the state matches */
    uint32_t *comms;        /* if the filter asks for it: 1 + the communicator; 0: none */
    /* learned: number of ENTERs whose answer is known; states that begin later begin too late to match. */
    uint64_t room, learned;
    int is_in_window; /* 1: the pass has reached the window on this lane */
};

struct pithi_judge {
    struct pithlog *log; /* not owned */
    struct pithi_names names;
    const struct pithlog_filter *filter;
    unsigned char *excluded;           /* by definition: 1: nothing of it matches */
    struct lane *lanes;                /* what is known of the states of each lane */
    uint32_t lane_count, open_matches; /* of the log; states that match and are open now */
    int has_learned;                   /* 1: a pass over the states has set `matches` of the lanes */
    int64_t first_ns;                  /* states that begin before it need no answer */
};

/* Packs the number of an ENTER and a flag: its state matches (in the first pass: is in doubt). */
static int64_t numbered(uint64_t number, int matches) { return (int64_t)(number << 1 | (unsigned)matches); }

static uint32_t own_comm(const struct pithlog_record *r) { return r->comm ? r->comm + 1 : 0; }

static enum pithi_answer ask_state(const struct pithi_judge *j, const struct pithlog_record *r, uint32_t known,
                                   uint32_t comm)
{
    return pithi_filter_state(j->filter, &j->names, r, known, comm);
}

/* ---- The pass over the states ------------------------------------------------------------------------------------ */

/* Learns from a record of the pass. *doubts: number of open states whose end decides. */
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

/* The pass has reached the window: from now on, only states that are open here count, and later ones. */
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

/* After this number of errors, the pass ends: an iterator that has no memory or disk left fails at each call. */
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
        if (!scope->begins_only) /* a state that is open before the window may have its message there */
            query.from_ns = INT64_MIN;
        query.kinds |= 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COLL;
    }
    query.flags = PITHLOG_NEST | PITHLOG_CLIP;
    CHECK(pithlog_iter_open(j->log, &query, &iter));
    while (!is_over && damages < MOST_DAMAGES && (more = pithlog_iter_next_many(iter, records, 128)) != 0) {
        damages += more < 0; /* the caller reports it when it reads these records */
        for (int i = 0; i < more && !is_over; i++) {
            if (query.from_ns < scope->query.from_ns && records[i].time_ns >= scope->query.from_ns)
                begin_window(&j->lanes[records[i].lane]);
            if (pithi_iter_part(iter) != PITHI_PART_HOLE) {
                struct pithlog_record r = pithi_judge_begun(&records[i], pithi_iter_part(iter));
                TRY(learn(j, &r, &doubts));
            }
            is_over = !doubts && records[i].time_ns >= scope->query.from_ns && /* not an ENTER added before it */
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
    /* Only the end of a state decides these fields; without them, its ENTER does, and one pass is enough. */
    j->has_learned = !scope->is_empty && filter->fields & ends && scope->query.kinds >> PITHLOG_ENTER & 1;
    if (j->has_learned)
        err = learn_all(j, scope);
    /* The records are read again from the start, with the results of the first pass. */
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
        /* A LEAVE is decided as its ENTER was; a LEAVE without ENTER is decided by itself. */
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
