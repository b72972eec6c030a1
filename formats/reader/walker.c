/* walker.c - pithlog_walk: what is open on a lane, and what is missing. Readers of logs add up its steps
 * and so need no stack of their own.
 *
 * The iterator below has paired the records (PITHLOG_CLIP): at the edges of the window and at holes it adds the ENTERs
 * and LEAVEs of states that are open there (enum pithi_iter_part), and it reports each hole once the last record before
 * it was delivered. What is left to do here: the intervals between the records of a lane, and the times of states.
 *
 * A hole begins at the lane's last record. It is known when the next record of the lane comes: HOLE_BEGINS ends the
 * interval up to there. The LEAVEs of the states that ended in the hole come next, at the same time. The lane's first
 * record that is not one of these ends the hole. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "native/layout.h"
#include "native/log.h"
#include "reader/iter.h"
#include "reader/lane_cursor.h"
#include "reader/match.h"

enum hole { NO_HOLE, HOLE_AHEAD, IN_HOLE }; /* HOLE_AHEAD: HOLE_BEGINS comes next */

struct walked_lane {
    uint32_t number;
    struct pithlog_open *open;
    int64_t *missing; /* beside `open`: the lane's missing_ns when the state began */
    uint32_t depth, room;
    uint32_t kept;       /* see struct pithlog_step */
    uint32_t discarding; /* number of states to be discarded before the current record */
    enum hole hole;
    int is_paused;
    int64_t from_ns; /* begin of the current interval */
    int64_t seen_ns; /* the last record: a hole begins there */
    int64_t end_ns;
    int64_t missing_ns; /* time of all holes so far */
};

enum { AT_ONCE = 128 };

struct pithlog_walk {
    struct pithlog *log;
    struct pithlog_iter *iter;
    int64_t from_ns;
    uint32_t kinds;
    struct walked_lane *lanes; /* [count] in the order of their numbers */
    uint32_t count;
    struct pithlog_record records[AT_ONCE];
    int next, ready;           /* records[next .. ready - 1] are to come */
    enum pithi_iter_part part; /* of these records */
    struct walked_lane *ended; /* lane whose state open[ended_at] ended in the last step; NULL: none did */
    uint32_t ended_at;
    uint32_t closed; /* at the end: number of lanes that had their EDGE */
};

static UNCOMMON struct walked_lane *find_lane(const struct pithlog_walk *walk, uint32_t number)
{
    uint32_t low = 0, high = walk->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (walk->lanes[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return &walk->lanes[low];
}

static inline struct walked_lane *lane_of(const struct pithlog_walk *walk, uint32_t number)
{
    return number < walk->count && walk->lanes[number].number == number ? &walk->lanes[number]
                                                                        : find_lane(walk, number);
}

/* Records of the lane are missing after its last one. A hole may be reported twice. */
static void begin_hole(void *context, uint32_t number)
{
    const struct pithlog_walk *walk = context;
    struct walked_lane *lane = lane_of(walk, number);
    if (lane->hole == NO_HOLE)
        lane->hole = HOLE_AHEAD;
}

/* Describes the lane's interval up to `time_ns` and adds it to its innermost state. The next one begins there. */
static inline void end_interval(struct walked_lane *lane, int64_t time_ns, uint32_t change, struct pithlog_step *step)
{
    step->lane = lane->number;
    step->is = lane->hole == IN_HOLE ? PITHLOG_IS_HOLE : lane->is_paused ? PITHLOG_IS_PAUSED : PITHLOG_IS_RECORDED;
    step->from_ns = lane->from_ns;
    step->to_ns = time_ns;
    step->open = lane->open;
    step->depth = lane->depth;
    step->kept = lane->kept;
    step->change = change;
    step->why = 0;
    step->record = NULL;
    if (step->is == PITHLOG_IS_HOLE)
        lane->missing_ns += time_ns - lane->from_ns;
    else if (lane->depth > 0)
        lane->open[lane->depth - 1].self_ns += time_ns - lane->from_ns;
    lane->from_ns = time_ns;
    lane->kept = lane->depth;
}

static UNCOMMON int reserve(struct walked_lane *lane)
{
    uint32_t room = lane->room ? 2 * lane->room : 8;
    struct pithlog_open *open = realloc(lane->open, room * sizeof *open);
    if (open)
        lane->open = open;
    int64_t *missing = realloc(lane->missing, room * sizeof *missing);
    if (missing)
        lane->missing = missing;
    if (!open || !missing)
        return pithi_no_memory();
    lane->room = room;
    return PITH_OK;
}

/* Callers of pithlog_walk_next may still look at a state that ended: it is removed by the next call. */
static inline void remove_ended(struct pithlog_walk *walk)
{
    struct walked_lane *lane = walk->ended;
    uint32_t at = walk->ended_at, above = --lane->depth - at;
    if (above > 0) {
        memmove(&lane->open[at], &lane->open[at + 1], above * sizeof *lane->open);
        memmove(&lane->missing[at], &lane->missing[at + 1], above * sizeof *lane->missing);
    }
    lane->kept = at;
    walk->ended = NULL;
}

static inline void begin_state(struct walked_lane *lane, const struct pithlog_record *r, int64_t time_ns)
{
    lane->missing[lane->depth] = lane->missing_ns;
    lane->open[lane->depth++] = (struct pithlog_open){r->id, r->start_ns, time_ns, 0};
}

/* The lane's state open[at] ends at the end of its interval. */
static inline void end_state(struct pithlog_walk *walk, struct walked_lane *lane, uint32_t at,
                             struct pithlog_step *step)
{
    const struct pithlog_open *state = &lane->open[at];
    step->at = at;
    step->self_ns = state->self_ns;
    step->total_ns = step->to_ns - state->from_ns - (lane->missing_ns - lane->missing[at]);
    walk->ended = lane;
    walk->ended_at = at;
}

int pithlog_step_is_outermost(const struct pithlog_step *step)
{
    for (uint32_t i = 0; i < step->at; i++)
        if (step->open[i].id == step->open[step->at].id)
            return 0;
    return 1;
}

/* What a record changes. */
enum taken { NOTHING, RECORD, MORE }; /* MORE: a step before it; take the record again */

static enum taken take_enter(struct pithlog_walk *walk, struct walked_lane *lane, const struct pithlog_record *r,
                             int64_t time_ns, struct pithlog_step *step)
{
    if (walk->part == PITHI_PART_HOLE) {
        end_interval(lane, time_ns, PITHLOG_GOES_ON, step);
        return RECORD;
    }
    if (lane->depth == PITHI_OPEN_MAX && lane->discarding == 0)
        lane->discarding = PITHI_OPEN_FORGOTTEN;
    if (lane->discarding > 0) {
        end_interval(lane, time_ns, PITHLOG_ENDS, step);
        end_state(walk, lane, PITHI_OPEN_OUTER + --lane->discarding, step);
        step->why = PITHLOG_DISCARDED;
        return MORE;
    }
    end_interval(lane, time_ns, PITHLOG_BEGINS, step);
    begin_state(lane, r, time_ns);
    step->why = walk->part == PITHI_PART_BEFORE  ? PITHLOG_AT_EDGE
                : walk->part == PITHI_PART_BEGUN ? PITHLOG_AT_HOLE
                                                 : 0;
    return RECORD;
}

static enum taken take_leave(struct pithlog_walk *walk, struct walked_lane *lane, const struct pithlog_record *r,
                             int64_t time_ns, struct pithlog_step *step)
{
    uint32_t at = lane->depth;
    while (at > 0 && lane->open[at - 1].id != r->id)
        at--;
    if (at == 0)
        return NOTHING;
    end_interval(lane, time_ns, PITHLOG_ENDS, step);
    end_state(walk, lane, at - 1, step);
    step->why = walk->part == PITHI_PART_AFTER   ? PITHLOG_AT_EDGE
                : walk->part == PITHI_PART_ENDED ? PITHLOG_AT_HOLE
                                                 : 0;
    return RECORD;
}

static UNCOMMON enum taken take(struct pithlog_walk *walk, const struct pithlog_record *r, struct pithlog_step *step)
{
    struct walked_lane *lane = lane_of(walk, r->lane);
    int64_t time_ns = r->time_ns > walk->from_ns ? r->time_ns : walk->from_ns;
    if (lane->hole == HOLE_AHEAD) {
        end_interval(lane, lane->seen_ns, PITHLOG_HOLE_BEGINS, step);
        lane->hole = IN_HOLE;
        return MORE;
    }
    if (r->kind == PITHLOG_LEAVE && walk->part == PITHI_PART_HOLE) /* its state goes on */
        return NOTHING;
    if (lane->end_ns < time_ns) /* states are open up to the end of the log */
        lane->end_ns = time_ns;
    int ends_hole = lane->hole == IN_HOLE && (walk->part < PITHI_PART_HOLE || r->kind == PITHLOG_ENTER);
    enum taken taken = r->kind == PITHLOG_ENTER   ? take_enter(walk, lane, r, time_ns, step)
                       : r->kind == PITHLOG_LEAVE ? take_leave(walk, lane, r, time_ns, step)
                                                  : NOTHING;
    int changes = ends_hole || r->kind == PITHLOG_PAUSE || r->kind == PITHLOG_RESUME;
    if (taken == NOTHING && (changes || walk->kinds >> r->kind & 1)) {
        end_interval(lane, time_ns, PITHLOG_HAPPENS, step);
        taken = RECORD;
    }
    if (ends_hole)
        lane->hole = NO_HOLE;
    if (taken == MORE)
        return MORE;
    if (taken == RECORD)
        step->record = r;
    lane->seen_ns = time_ns;
    lane->is_paused = r->kind == PITHLOG_PAUSE || (lane->is_paused && r->kind != PITHLOG_RESUME);
    if (pithi_match_is_hole(walk->log, r))
        lane->hole = HOLE_AHEAD;
    return taken;
}

/* The last steps of all lanes. */
static UNCOMMON int close_lanes(struct pithlog_walk *walk, struct pithlog_step *step)
{
    if (walk->closed == walk->count)
        return 0;
    struct walked_lane *lane = &walk->lanes[walk->closed];
    if (lane->hole == HOLE_AHEAD) {
        end_interval(lane, lane->seen_ns, PITHLOG_HOLE_BEGINS, step);
        lane->hole = IN_HOLE;
        return 1;
    }
    end_interval(lane, lane->end_ns, PITHLOG_EDGE, step);
    walk->closed++;
    return 1;
}

/* The common case: a state begins or ends in the window, not at a hole, and states nest. 1: done. */
static inline int take_quickly(struct pithlog_walk *walk, const struct pithlog_record *r, struct pithlog_step *step)
{
    struct walked_lane *lane = lane_of(walk, r->lane);
    if (lane->hole != NO_HOLE)
        return 0;
    if (r->kind == PITHLOG_ENTER && lane->depth < lane->room && lane->depth < PITHI_OPEN_MAX) {
        end_interval(lane, r->time_ns, PITHLOG_BEGINS, step);
        begin_state(lane, r, r->time_ns);
    } else if (r->kind == PITHLOG_LEAVE && lane->depth > 0 && lane->open[lane->depth - 1].id == r->id) {
        end_interval(lane, r->time_ns, PITHLOG_ENDS, step);
        end_state(walk, lane, lane->depth - 1, step);
    } else {
        return 0;
    }
    lane->seen_ns = r->time_ns;
    step->record = r;
    return 1;
}

int pithlog_walk_next(struct pithlog_walk *walk, struct pithlog_step *step)
{
    if (walk->ended)
        remove_ended(walk);
    for (;;) {
        if (walk->next == walk->ready) {
            int more = walk->iter ? pithlog_iter_next_many(walk->iter, walk->records, AT_ONCE) : 0;
            if (more < 0)
                return -1;
            if (more == 0)
                return close_lanes(walk, step);
            walk->part = pithi_iter_part(walk->iter);
            walk->next = 0;
            walk->ready = more;
        }
        const struct pithlog_record *r = &walk->records[walk->next];
        if (walk->part == PITHI_PART_WITHIN && take_quickly(walk, r, step)) {
            walk->next++;
            return 1;
        }
        struct walked_lane *lane = lane_of(walk, r->lane);
        if (r->kind == PITHLOG_ENTER && lane->depth == lane->room && reserve(lane) != PITH_OK) {
            walk->next++; /* its state is not followed */
            return -1;
        }
        enum taken taken = take(walk, r, step);
        walk->next += taken != MORE;
        if (taken != NOTHING)
            return 1;
    }
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Finds whether a lane is paused where the window begins. Reads only blocks with pauses. */
static int find_pause(const struct pithlog_walk *walk, struct walked_lane *lane)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = lane->from_ns - 1,
                                  .lanes = &lane->number,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_PAUSE | 1u << PITHLOG_RESUME};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int status;
    CHECK(pithlog_iter_open(walk->log, &query, &iter));
    while ((status = pithlog_iter_next(iter, &r)) != 0) /* damage is reported where it is walked */
        if (status > 0)
            lane->is_paused = r.kind == PITHLOG_PAUSE;
    pithlog_iter_close(iter);
    return PITH_OK;
}

static int begin_lanes(struct pithlog_walk *walk, const uint32_t *list, int64_t to_ns)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct pithlog_lane *of = pithlog_get_lane(walk->log, list[i]);
        struct walked_lane *lane = &walk->lanes[i];
        int64_t last_ns = of->last_ns < to_ns ? of->last_ns : to_ns;
        lane->number = list[i];
        lane->from_ns = of->records && of->first_ns > walk->from_ns ? of->first_ns : walk->from_ns;
        lane->seen_ns = lane->from_ns;
        lane->end_ns = of->records && last_ns > lane->from_ns ? last_ns : lane->from_ns;
        if (of->records && of->first_ns < walk->from_ns)
            CHECK(find_pause(walk, lane));
    }
    return PITH_OK;
}

int pithlog_walk_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_walk **opened)
{
    struct pithlog_query clipped = {
        query ? query->from_ns : INT64_MIN, query ? query->to_ns : INT64_MAX, query ? query->lanes : NULL,
        query ? query->lane_count : 0,      0,                                PITHLOG_CLIP,
        NULL};
    struct pithlog_walk *walk = *opened = calloc(1, sizeof *walk);
    uint32_t *list = NULL;
    int err;
    if (!walk)
        return pithi_no_memory();
    walk->log = log;
    walk->from_ns = clipped.from_ns > log->info.start_ns ? clipped.from_ns : log->info.start_ns;
    walk->kinds = query ? query->kinds : 0;
    TRY(pithi_query_lanes(log, &clipped, &list, &walk->count));
    walk->lanes = calloc(walk->count + (size_t)1, sizeof *walk->lanes);
    TRY(walk->lanes ? PITH_OK : pithi_no_memory());
    TRY(begin_lanes(walk, list, clipped.to_ns < log->info.end_ns ? clipped.to_ns : log->info.end_ns));
    if (clipped.from_ns <= clipped.to_ns) {
        TRY(pithlog_iter_open(log, &clipped, &walk->iter));
        pithi_iter_tell_holes(walk->iter, (struct pithi_holes){begin_hole, walk});
    }
out:
    free(list);
    if (err != PITH_OK) {
        pithlog_walk_close(walk);
        *opened = NULL;
    }
    return err;
}

void pithlog_walk_close(struct pithlog_walk *walk)
{
    if (!walk)
        return;
    for (uint32_t i = 0; walk->lanes && i < walk->count; i++) {
        free(walk->lanes[i].open);
        free(walk->lanes[i].missing);
    }
    pithlog_iter_close(walk->iter);
    free(walk->lanes);
    free(walk);
}
