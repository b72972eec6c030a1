/* search.c - walks along lanes and looks for states, events and sends.
 *
 * A lane is divided in halves, and each half in halves, down to leaves of about 100,000 records. The summary shows
 * whether a wanted definition occurs in an interval at all; if not, the interval is not read. In a lane of 1e8 records,
 * a leaf is 1/1024. A state that occurs once is found with about 20 queries of the summary, and one or two leaves are
 * read.
 *
 * The nearest hit is sought first in a window that begins at the start and is as long as a leaf, then in a window of
 * twice the length, and so on. So a near hit is found without looking at the rest. With many lanes, a hit on one lane
 * makes the window of the next lanes shorter (walk.low, walk.high), as only an earlier hit counts.
 *
 * A state is found at its begin, but its duration is known at its end. So a leaf is read beyond its end, until it is
 * decided for all states that began in it whether they are hits: with `at least 1 ms` a state is a hit as soon as it
 * has been open for 1 ms. */
#include "core/measure/search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"

enum { LEAF_RECORDS = 100000, MOST_RECORDS = 2000000 /* read for the end of one state */ };
enum { STOPPED = 2, AT_ONCE = 256 /* records */, DENSE = 16 /* hits a column: all columns are marked */ };

/* A state that began in the leaf and may still turn out too short or too long. */
struct pending {
    struct pithi_scan_position at; /* its begin */
    uint32_t id, depth;            /* definition; states around it */
};

struct walk {
    struct pithlog *log; /* not owned */
    const struct pithi_search *search;
    struct pithlog_sum *sums;             /* [defs] */
    struct pithi_scan_position low, high; /* a hit must lie between them */
    int backward;                         /* 1: finds the last hit before `high` */
    uint32_t lane;                        /* index into search->lanes */
    struct pithi_found *best;             /* NULL: all hits are counted */
    int have;                             /* 1: `best` is set */
    uint64_t *counts;                     /* [columns] hits by column; NULL: find one hit */
    uint32_t columns;
    int64_t t0_ns, t1_ns;    /* the interval of `counts` */
    double done, all;        /* progress: lanes done, and all lanes */
    struct pending *pending; /* [count] in the order of their begins */
    uint32_t count, capacity;
    struct pithi_scan_position last; /* of the last wanted record; numbers records of the same time */
    struct pithlog_record *records;  /* [AT_ONCE] */
};

static int before(const struct pithi_scan_position *a, const struct pithi_scan_position *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    return a->lane != b->lane ? a->lane < b->lane : a->tie < b->tie;
}

static int wanted(const struct pithi_search *search, uint32_t id) { return !search->wanted || search->wanted[id]; }

/* ---- A single record --------------------------------------------------------------------------------------------- */

static int holds(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (!part[i])
            return 1;
    }
    return 0;
}

/* Returns 1 if the payload of an event has the text of the search. Makes the payload's text only for a search by
 * payload, or to show it with a hit. */
static int event_fits(struct walk *walk, const struct pithlog_record *record, struct pithi_found *found)
{
    const char *sought = walk->search->payload;
    int seeks = sought && *sought;

    found->payload[0] = 0;
    if (record->payload_bytes && (seeks || walk->best))
        pithlog_payload_text(walk->log, record, found->payload, sizeof found->payload);
    return !seeks || holds(found->payload, sought);
}

static struct pithi_scan_position place_of(struct walk *walk, int64_t time_ns)
{
    int again = time_ns == walk->last.time_ns && walk->lane == walk->last.lane;

    walk->last = (struct pithi_scan_position){time_ns, walk->lane, again ? walk->last.tie + 1 : 0};
    return walk->last;
}

/* ---- Hits -------------------------------------------------------------------------------------------------------- */

static void count_hit(struct walk *walk, const struct pithi_scan_position *at)
{
    double part = (double)(at->time_ns - walk->t0_ns) / (double)(walk->t1_ns - walk->t0_ns);
    uint32_t column = (uint32_t)(part * walk->columns);

    walk->counts[column < walk->columns ? column : walk->columns - 1]++;
}

static void hit(struct walk *walk, const struct pithi_found *found)
{
    if (!before(&walk->low, &found->at) || !before(&found->at, &walk->high))
        return;
    *walk->best = *found;
    walk->best->lane = walk->search->lanes[walk->lane];
    walk->have = 1;
    *(walk->backward ? &walk->low : &walk->high) = found->at; /* from now on, only better hits count */
}

static void hit_state(struct walk *walk, const struct pending *state, int64_t end_ns, int ended)
{
    struct pithi_found found;

    if (!walk->best) {
        count_hit(walk, &state->at);
        return;
    }
    found.at = state->at;
    found.kind = PITHLOG_ENTER;
    found.id = state->id;
    found.depth = state->depth;
    found.end_ns = end_ns;
    found.ended = ended;
    found.payload[0] = 0;
    hit(walk, &found);
}

static void hit_record(struct walk *walk, const struct pithlog_record *record, struct pithi_found *found)
{
    found->at = place_of(walk, record->time_ns);
    found->kind = record->kind;
    found->id = record->id;
    found->end_ns = record->time_ns;
    found->ended = 1;
    found->peer = record->peer;
    found->tag = record->tag;
    found->bytes = record->bytes;
    if (walk->best)
        hit(walk, found);
    else
        count_hit(walk, &found->at);
}

static int lasts_right(const struct pithi_search *search, int64_t lasted)
{
    return lasted >= search->min_ns && lasted <= search->max_ns;
}

/* Decides the pending states that are still open at this time. If there is no maximum, a state that has lasted long
 * enough is a hit. A state that has lasted too long is dropped. */
static void settle(struct walk *walk, int64_t now_ns)
{
    const struct pithi_search *search = walk->search;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < walk->count; i++) {
        const struct pending *state = &walk->pending[i];
        int64_t lasted = now_ns - state->at.time_ns;
        if (search->max_ns == INT64_MAX && lasted >= search->min_ns)
            hit_state(walk, state, now_ns, 0);
        else if (lasted <= search->max_ns)
            walk->pending[kept++] = walk->pending[i];
    }
    walk->count = kept;
}

/* Decides the pending state that a LEAVE ends: the innermost one with its id and begin. */
static void leave(struct walk *walk, const struct pithlog_record *record)
{
    for (uint32_t i = walk->count; i-- > 0;) {
        struct pending *state = &walk->pending[i];
        if (state->id != record->id || state->at.time_ns != record->start_ns)
            continue;
        if (lasts_right(walk->search, record->time_ns - record->start_ns))
            hit_state(walk, state, record->time_ns, 1);
        memmove(state, state + 1, (--walk->count - i) * sizeof *state);
        return;
    }
}

/* Returns 1 if the record is wanted. For states only the name is checked, not the duration. */
static int is_sought(struct walk *walk, const struct pithlog_record *record, struct pithi_found *found)
{
    const struct pithi_search *search = walk->search;

    found->payload[0] = 0;
    if (!(search->kinds >> record->kind & 1))
        return 0;
    if (record->kind == PITHLOG_SEND) {
        return record->peer >= 0 && (search->peer < 0 || record->peer == search->peer) &&
               record->bytes >= search->min_bytes && record->bytes <= search->max_bytes &&
               (search->tag == PITHI_ANY_TAG || record->tag == search->tag);
    }
    return wanted(search, record->id) && (record->kind == PITHLOG_ENTER || event_fits(walk, record, found));
}

static void begin(struct walk *walk, const struct pithlog_record *record)
{
    struct pithi_found found;

    if (!is_sought(walk, record, &found))
        return;
    if (record->kind != PITHLOG_ENTER) {
        hit_record(walk, record, &found);
        return;
    }
    struct pending state = {place_of(walk, record->time_ns), record->id, record->depth};
    walk->pending = pithi_view_grow(walk->pending, &walk->capacity, walk->count + 1, sizeof *walk->pending);
    walk->pending[walk->count++] = state;
    if (!walk->search->min_ns)
        settle(walk, record->time_ns);
}

/* ---- Leaves ------------------------------------------------------------------------------------------------------ */

/* Reads the records of [from, to), and continues until all states that began there are decided. */
static void read_leaf(struct walk *walk, struct pithlog_iter *iter, int64_t from_ns, int64_t to_ns)
{
    int more;

    while ((more = pithlog_iter_next_many(iter, walk->records, AT_ONCE)) != 0) /* damaged parts have no hits */
        for (int i = 0; i < more; i++) {
            const struct pithlog_record *record = &walk->records[i];
            if (walk->count)
                settle(walk, record->time_ns - (record->kind == PITHLOG_LEAVE));
            if (record->kind == PITHLOG_LEAVE)
                leave(walk, record);
            else if (record->time_ns >= from_ns && record->time_ns < to_ns)
                begin(walk, record);
            if (record->time_ns >= to_ns && !walk->count)
                return;
        }
    /* States that are open at the end of the lane count as ended there. */
    int64_t last_ns = pithlog_get_lane(walk->log, walk->search->lanes[walk->lane])->last_ns;
    for (uint32_t i = 0; i < walk->count; i++)
        if (lasts_right(walk->search, last_ns - walk->pending[i].at.time_ns))
            hit_state(walk, &walk->pending[i], last_ns, 0);
    walk->count = 0;
}

/* Reads the records that the search's query (walk->search->filter) selects. If the query uses the ends of states, the
 * iterator finds the ends. */
static void read_selected(struct walk *walk, struct pithlog_iter *iter)
{
    int more;

    while ((more = pithlog_iter_next_many(iter, walk->records, AT_ONCE)) != 0) /* damaged parts have no hits */
        for (int i = 0; i < more; i++) {
            const struct pithlog_record *record = &walk->records[i];
            struct pithi_found found = {.payload = ""};
            /* a hit without a peer or of an unwanted definition is not shown */
            if (record->kind == PITHLOG_SEND ? record->peer < 0 : !wanted(walk->search, record->id))
                continue;
            if (record->kind == PITHLOG_ENTER) {
                struct pending state = {place_of(walk, record->time_ns), record->id, record->depth};
                hit_state(walk, &state, record->time_ns, 0);
                continue;
            }
            if (record->kind == PITHLOG_EVENT)
                event_fits(walk, record, &found);
            hit_record(walk, record, &found);
        }
}

/* Returns 1 if a wanted definition may occur in [from, to). Always returns 1 without a summary, and for sends. */
static int occurs(struct walk *walk, int64_t from_ns, int64_t to_ns)
{
    const struct pithi_search *search = walk->search;
    uint32_t defs = pithlog_get_info(walk->log)->defs;

    if (!search->summary || search->kinds >> PITHLOG_SEND & 1)
        return 1;
    memset(walk->sums, 0, defs * sizeof *walk->sums);
    if (pithlog_summary_sums(search->summary, search->lanes[walk->lane], from_ns, to_ns, walk->sums))
        return 1;
    for (uint32_t id = 0; id < defs; id++)
        if (walk->sums[id].count && wanted(search, id))
            return 1;
    return 0;
}

static int tell_stopped(struct walk *walk)
{
    const struct pithi_search *search = walk->search;
    return search->stopped && search->stopped(search->context, walk->all > 0 ? walk->done / walk->all : 0);
}

static int walk_lane(struct walk *walk, int64_t from_ns, int64_t to_ns, int64_t leaf)
{
    int64_t middle = from_ns + (to_ns - from_ns) / 2;
    int err;

    if (from_ns >= to_ns)
        return 0;
    if (tell_stopped(walk))
        return STOPPED;
    if (to_ns - from_ns <= leaf) {
        walk->done += (double)(to_ns - from_ns);
        const struct pithi_search *search = walk->search;
        struct pithlog_query query = {.from_ns = from_ns,
                                      .to_ns = to_ns - 1,
                                      .lanes = &search->lanes[walk->lane],
                                      .lane_count = 1,
                                      .kinds = search->kinds,
                                      .filter = search->filter};
        struct pithlog_iter *iter;

        /* Counting states of any duration needs no ends. */
        if (!search->filter && search->kinds >> PITHLOG_ENTER & 1 &&
            (walk->best || search->min_ns || search->max_ns < INT64_MAX)) {
            query.to_ns = INT64_MAX;
            query.kinds |= 1u << PITHLOG_LEAVE;
            query.flags = PITHLOG_NEST;
        }
        walk->last = (struct pithi_scan_position){INT64_MIN, 0, 0};
        if (pithlog_iter_open(walk->log, &query, &iter))
            return -1;
        if (search->filter)
            read_selected(walk, iter);
        else
            read_leaf(walk, iter, from_ns, to_ns);
        pithlog_iter_close(iter);
        return 0;
    }
    if (!occurs(walk, from_ns, to_ns)) {
        walk->done += (double)(to_ns - from_ns);
        return 0;
    }
    err = walk->backward ? walk_lane(walk, middle, to_ns, leaf) : walk_lane(walk, from_ns, middle, leaf);
    if (err || (walk->best && walk->have && walk->best->at.lane == walk->lane &&
                (walk->backward ? walk->best->at.time_ns >= middle : walk->best->at.time_ns < middle)))
        return err;
    return walk->backward ? walk_lane(walk, from_ns, middle, leaf) : walk_lane(walk, middle, to_ns, leaf);
}

/* Searches all lanes in [from, to), each lane only where it can still have a better hit. */
static int walk_lanes(struct walk *walk, int64_t from_ns, int64_t to_ns)
{
    const struct pithi_search *search = walk->search;
    int err = 0;

    for (walk->lane = 0; walk->lane < search->lane_count && !err; walk->lane++) {
        const struct pithlog_lane *lane = pithlog_get_lane(walk->log, search->lanes[walk->lane]);
        int64_t from = from_ns > lane->first_ns ? from_ns : lane->first_ns;
        int64_t to = to_ns <= lane->last_ns ? to_ns : lane->last_ns + 1;
        if (walk->best && walk->low.time_ns > from)
            from = walk->low.time_ns;
        if (walk->best && walk->high.time_ns < to)
            to = walk->high.time_ns + 1;
        /* About how much time LEAF_RECORDS of the lane take. */
        double leaf_ns = (double)(lane->last_ns - lane->first_ns) + 1;
        if (lane->records > LEAF_RECORDS)
            leaf_ns = leaf_ns * LEAF_RECORDS / (double)lane->records;
        if (lane->records)
            err = walk_lane(walk, from, to, leaf_ns < 1000 ? 1000 : (int64_t)leaf_ns);
    }
    return err;
}

static void walk_init(struct walk *walk, struct pithlog *log, const struct pithi_search *search)
{
    *walk = (struct walk){.log = log, .search = search};
    walk->low = (struct pithi_scan_position){INT64_MIN, 0, 0};
    walk->high = (struct pithi_scan_position){INT64_MAX, UINT32_MAX, UINT32_MAX};
    walk->records = pithi_alloc(AT_ONCE, sizeof *walk->records);
    walk->sums = pithi_alloc(pithlog_get_info(log)->defs + (size_t)1, sizeof *walk->sums);
}

static void walk_free(struct walk *walk)
{
    free(walk->records);
    free(walk->sums);
    free(walk->pending);
}

/* ---- End of a found state ---------------------------------------------------------------------------------------- */

/* Returns 1 if the step begins the state that was found. The index `tie` of the state among the wanted records at the
 * same time identifies it. */
static int is_begin(struct walk *walk, const struct pithlog_step *step, uint32_t *ties)
{
    struct pithi_found *found = walk->best, other;
    const struct pithlog_record *record = step->record;

    if (!record || step->why || record->kind == PITHLOG_LEAVE || record->time_ns != found->at.time_ns)
        return 0;
    /* `tie` counts only records that the query selects. Which records these are is not known here, so the id and the
     * depth are compared instead. */
    if (walk->search->filter)
        return record->kind == PITHLOG_ENTER && record->id == found->id && step->depth == found->depth;
    return is_sought(walk, record, &other) && (*ties)++ == found->at.tie;
}

static int find_end(struct walk *walk)
{
    struct pithi_found *found = walk->best;
    struct pithlog_query query = {.from_ns = found->at.time_ns,
                                  .to_ns = INT64_MAX,
                                  .lanes = &found->lane,
                                  .lane_count = 1,
                                  .kinds = walk->search->kinds};
    struct pithlog_walk *on;
    struct pithlog_step step;
    uint32_t ties = 0, place = 0; /* place: index of the found state among the open states, once the state has begun */
    int more = 0, has_begun = 0;

    if (found->ended)
        return 0;
    if (pithlog_walk_open(walk->log, &query, &on))
        return -1;
    for (uint32_t i = 0; i < MOST_RECORDS && !found->ended && (more = pithlog_walk_next(on, &step)) == 1; i++) {
        /* at the end of the log the state is still open, so it has no end */
        if (step.why == PITHLOG_AT_EDGE && step.change == PITHLOG_ENDS)
            break;
        found->end_ns = step.to_ns;
        if (has_begun && step.change == PITHLOG_ENDS && step.at <= place)
            found->ended = step.at == place--;
        if (!has_begun && is_begin(walk, &step, &ties)) {
            has_begun = 1;
            place = step.depth;
        }
    }
    pithlog_walk_close(on);
    return more < 0 ? -1 : 0;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

/* Searches in windows that begin at the start and grow, so that near hits are found without reading the rest. */
static int search_from(struct pithlog *log, const struct pithi_search *search, struct pithi_scan_position at,
                       int backward, struct pithi_found *found)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t first = info->start_ns, end = info->end_ns + 1;
    double per_ns = (double)info->records / ((double)(end - first) + 1);
    int64_t step = (int64_t)(LEAF_RECORDS / (per_ns > 0 ? per_ns : 1)) + 1000;
    int64_t start = at.time_ns < first ? first : at.time_ns >= end ? end - 1 : at.time_ns;
    struct walk walk;
    int err = 0;

    walk_init(&walk, log, search);
    walk.best = found;
    walk.backward = backward;
    *(backward ? &walk.high : &walk.low) = at;
    walk.all = ((double)(backward ? start - first : end - start) + 1) * search->lane_count;
    if (backward)
        for (int64_t to = start + 1; to > first && !walk.have && !err; to -= step, step = step < end ? 2 * step : step)
            err = walk_lanes(&walk, to - first > step ? to - step : first, to);
    else
        for (int64_t from = start; from < end && !walk.have && !err; from += step, step = step < end ? 2 * step : step)
            err = walk_lanes(&walk, from, end - from > step ? from + step : end);
    if (!err && walk.have)
        err = find_end(&walk);
    walk_free(&walk);
    return err == STOPPED ? 0 : err ? -1 : walk.have;
}

int pithi_search_next(struct pithlog *log, const struct pithi_search *search, struct pithi_scan_position at,
                      struct pithi_found *found)
{
    return search_from(log, search, at, 0, found);
}

int pithi_search_previous(struct pithlog *log, const struct pithi_search *search, struct pithi_scan_position at,
                          struct pithi_found *found)
{
    return search_from(log, search, at, 1, found);
}

int pithi_search_count(struct pithlog *log, const struct pithi_search *search, int64_t t0_ns, int64_t t1_ns,
                       uint64_t *counts, uint32_t columns)
{
    struct walk walk;
    int err;

    memset(counts, 0, columns * sizeof *counts);
    walk_init(&walk, log, search);
    walk.counts = counts;
    walk.columns = columns;
    walk.t0_ns = t0_ns;
    walk.t1_ns = t1_ns;
    walk.all = (double)(t1_ns - t0_ns) * search->lane_count;
    err = walk_lanes(&walk, t0_ns, t1_ns);
    walk_free(&walk);
    return err < 0 ? -1 : 0;
}

/* ---- Counts from the summary alone ------------------------------------------------------------------------------- */

struct survey {
    struct walk *walk;    /* the search */
    int64_t t0_ns, t1_ns; /* the window */
    unsigned char *marks; /* [columns] 1: may have a hit */
    uint32_t columns;
};

static int64_t column_ns(const struct survey *survey, uint32_t column)
{
    return survey->t0_ns + (int64_t)((double)(survey->t1_ns - survey->t0_ns) * column / survey->columns);
}

static uint64_t wanted_sum(const struct walk *walk)
{
    uint64_t total = 0;

    for (uint32_t id = 0; id < pithlog_get_info(walk->log)->defs; id++)
        if (wanted(walk->search, id) &&
            walk->search->kinds >>
                    (pithlog_get_def(walk->log, id)->kind == PITHLOG_STATE ? PITHLOG_ENTER : PITHLOG_EVENT) &
                1)
            total += walk->sums[id].count;
    return total;
}

/* Marks the columns of [from, to) in which this lane has hits. Columns that another lane has marked already are not
 * examined again. */
static int mark_columns(struct survey *survey, uint32_t from, uint32_t to)
{
    uint32_t middle = from + (to - from) / 2, unmarked = from;

    while (unmarked < to && survey->marks[unmarked])
        unmarked++;
    if (unmarked == to)
        return 0;
    if (tell_stopped(survey->walk))
        return STOPPED;
    if (!occurs(survey->walk, column_ns(survey, from), column_ns(survey, to)))
        return 0;
    if (to - from == 1 || wanted_sum(survey->walk) >= (uint64_t)DENSE * (to - from)) {
        memset(survey->marks + from, 1, to - from);
        return 0;
    }
    return mark_columns(survey, from, middle) || mark_columns(survey, middle, to) ? STOPPED : 0;
}

int pithi_search_survey(struct pithlog *log, const struct pithi_search *search, int64_t t0_ns, int64_t t1_ns,
                        uint64_t *total, unsigned char *marks, uint32_t columns)
{
    struct walk walk;
    struct survey survey = {&walk, t0_ns, t1_ns, marks, columns};
    int err = 0;

    walk_init(&walk, log, search);
    walk.all = search->lane_count;
    *total = 0;
    for (walk.lane = 0; walk.lane < search->lane_count && !err; walk.lane++, walk.done++)
        if (occurs(&walk, t0_ns, t1_ns)) {
            *total += wanted_sum(&walk);
            err = mark_columns(&survey, 0, columns);
        }
    walk_free(&walk);
    return 0;
}

int pithi_search_is_simple(const struct pithi_search *search)
{
    return search->summary && !search->filter && !(search->kinds >> PITHLOG_SEND & 1) && !search->min_ns &&
           search->max_ns == INT64_MAX && (!search->payload || !*search->payload);
}
