/* walker.c - pithlog_walk: reports interval by interval which states are open on a lane, and where records are missing.
 * Readers of logs add up these steps, and so need no stack of open states.
 *
 * A step has an interval in which nothing changes on a lane, and the change that ends the interval. The walk adds each
 * interval to the self time of the innermost open state, so that an ENDS step has the self and total time of its state.
 * With the records
 *
 *     0 enter A    10 enter B    30 leave B    50 leave A          and the window from 20 to 40 ns
 *
 * the steps are
 *
 *     [20, 20)  BEGINS A, at the edge         A and B were entered before the window
 *     [20, 20)  BEGINS B, at the edge
 *     [20, 30)  ENDS B: self 10, total 10     10 of the 20 ns of B are in the window
 *     [30, 40)  ENDS A, at the edge: self 10, total 20
 *     [40, 40)  EDGE
 *
 * The iterator that is used here only delivers records in time order. The walk keeps a stack of open states for each
 * lane. Where the window begins and at each hole, it reads from the log which states are open (lane_blocks.h), because
 * this does not follow from the records before. So the walk knows already at the begin of a hole which states end in
 * it:
 *
 *     lane       A, B, C are open; LOST; then ... leave A
 *     steps      HOLE_BEGINS; ENDS C, ENDS B (their LEAVEs are lost);
 *                at the lane's next record: GOES_ON A
 *
 * If the lane has no more record in the window, A ends where the hole begins, too. (It would be too late to find at the
 * next record that B and C have ended, because readers would show them as open until then.)
 *
 * A hole begins at the time of the lane's last record before it. If this is a LOST record, the walk sees that a hole
 * begins. Else the iterator reports that records are missing when it reads on (meet_hole).
 *
 * Changes of this file must keep two rules: each interval of a lane begins where the one before ends, from the first
 * step to EDGE; and each BEGINS has one ENDS. Only then the self times of all states, the time outside states and the
 * holes add up to the lane's time in the window. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "native/layout.h"
#include "native/log.h"
#include "reader/read/clip.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"
#include "reader/read/match.h"

/* HOLE_AHEAD: HOLE_BEGINS is the lane's next step. RESUMING: at the end of a hole, steps for states that go on or begin
 * come before the step of the record that ends the hole. */
enum hole { NO_HOLE, HOLE_AHEAD, IN_HOLE, RESUMING };

/* Data of an open state that are not in struct pithlog_open. */
struct beside {
    int64_t missing_ns; /* the lane's missing_ns when the state began */
    int64_t nested_ns;  /* time so far of states directly inside it, even before the window */
    int64_t goes_on;    /* set where a hole begins; 1: the state is still open after the hole */
};

struct walked_lane {
    uint32_t number;           /* number of the lane in the log */
    struct pithlog_open *open; /* [depth] the open states, which steps point to */
    struct beside *beside;     /* [depth] further data of these states */
    uint32_t depth, room;
    uint32_t kept;                        /* see struct pithlog_step */
    uint32_t discarding;                  /* how many states must still be discarded before the current ENTER */
    enum hole hole;                       /* whether the lane is in a hole */
    int is_paused;                        /* 1: between PAUSE and RESUME */
    int is_before;                        /* 1: the lane has records before the window */
    int64_t from_ns;                      /* begin of the current interval */
    int64_t seen_ns;                      /* time of the last record, where a hole would begin */
    int64_t end_ns;                       /* end of the window or of the lane, whichever is earlier */
    int64_t missing_ns;                   /* time of all holes so far */
    const struct pithi_lost_states *lost; /* NULL: no holes of LOST records */
    uint32_t next_lost;                   /* index of the next hole in `lost` */
    uint32_t lacks_blocks;                /* 1: the present hole has a damaged or missing block */
    struct pithi_stack begun;             /* in a hole: states that begin in it */
    /* At the end of a hole: going_on: number of states that go on. resumed: how many of these states, and then of
     * `begun`, had their step. */
    uint32_t going_on, resumed;
};

enum { AT_ONCE = 128 }; /* records read at once */

struct pithlog_walk {
    struct pithlog *log;       /* not owned */
    struct pithlog_iter *iter; /* delivers the records of all lanes in order of time */
    int64_t from_ns, to_ns;    /* the window */
    uint32_t kinds;            /* mask of further kinds that the caller wants */
    struct walked_lane *lanes; /* [count] in the order of their numbers */
    uint32_t count;
    struct pithlog_record records[AT_ONCE];
    int next, ready;            /* records[next] to records[ready - 1] are not walked yet */
    int has_begun;              /* 1: the states that are open where the window begins were found */
    struct pithlog_record made; /* record of a step that has no record in the log */
    struct walked_lane *ended;  /* the lane of which open[ended_at] ended in the last step; NULL: none */
    uint32_t ended_at;
    uint32_t *holes, hole_count, hole_room; /* indices of lanes with a hole ahead */
    uint32_t opened;                        /* at the start: how many lanes have had BEGINS of all open states */
    uint32_t clipped;                       /* at the end: how many lanes have had ENDS of all open states */
    uint32_t closed;                        /* at the end: how many lanes have had EDGE */
    struct pithi_unpacking unpacking;       /* for reading which states are open */
    struct pithi_block block;
    struct pithi_open_at at;       /* the states open at a time, read from the log */
    struct pithi_holes holes_told; /* see clip.h */
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

/* Sums and differences of times, computed as unsigned, because a difference of two times may overflow int64_t. */
static inline int64_t sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t apart(int64_t from_ns, int64_t to_ns) { return (int64_t)((uint64_t)to_ns - (uint64_t)from_ns); }

/* Ends the lane's current interval at `time_ns`: fills the step, and adds the interval to the innermost open state, or
 * to missing_ns in a hole. The next interval begins at `time_ns`. */
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
        lane->missing_ns = sum(lane->missing_ns, apart(lane->from_ns, time_ns));
    else if (lane->depth > 0)
        lane->open[lane->depth - 1].self_ns = sum(lane->open[lane->depth - 1].self_ns, apart(lane->from_ns, time_ns));
    lane->from_ns = time_ns;
    lane->kept = lane->depth;
}

static UNCOMMON int reserve(struct walked_lane *lane)
{
    uint32_t room = lane->room ? 2 * lane->room : 8;
    struct pithlog_open *open = realloc(lane->open, room * sizeof *open);
    if (open)
        lane->open = open;
    struct beside *beside = realloc(lane->beside, room * sizeof *beside);
    if (beside)
        lane->beside = beside;
    if (!open || !beside)
        return pithi_no_memory();
    lane->room = room;
    return PITH_OK;
}

/* Adds an open state. The caller has made room for it. */
static inline void begin_state(struct walked_lane *lane, uint32_t id, int64_t start_ns, int64_t from_ns,
                               int64_t nested_ns)
{
    lane->beside[lane->depth] = (struct beside){lane->missing_ns, nested_ns, 0};
    lane->open[lane->depth++] = (struct pithlog_open){id, start_ns, from_ns, 0};
}

/* Completes a step that ends the lane's state open[at]. The next call of pithlog_walk_next removes the state. */
static inline void end_state(struct pithlog_walk *walk, struct walked_lane *lane, uint32_t at,
                             struct pithlog_step *step)
{
    const struct pithlog_open *state = &lane->open[at];
    step->at = at;
    step->self_ns = state->self_ns;
    step->total_ns = apart(apart(lane->beside[at].missing_ns, lane->missing_ns), apart(state->from_ns, step->to_ns));
    walk->ended = lane;
    walk->ended_at = at;
}

/* Sets depth, start_ns and nested_ns in the LEAVE of open[at], as PITHLOG_NEST does, and adds the time of this state to
 * nested_ns of the state around it. */
static inline void pair_leave(struct walked_lane *lane, uint32_t at, struct pithlog_record *r)
{
    int64_t start_ns = lane->open[at].start_ns;
    r->depth = at;
    r->start_ns = start_ns;
    r->nested_ns = lane->beside[at].nested_ns;
    if (at > 0)
        lane->beside[at - 1].nested_ns = sum(lane->beside[at - 1].nested_ns, apart(start_ns, r->time_ns));
}

/* Makes an ENTER or LEAVE that is not in the log, for a step at an edge or hole. */
static struct pithlog_record *make_record(struct pithlog_walk *walk, uint32_t kind, const struct walked_lane *lane,
                                          uint32_t id, int64_t time_ns, int64_t start_ns, uint32_t depth)
{
    walk->made = (struct pithlog_record){.time_ns = time_ns,
                                         .lane = lane->number,
                                         .kind = kind,
                                         .id = id,
                                         .peer = -1,
                                         .depth = depth,
                                         .start_ns = start_ns};
    return &walk->made;
}

/* Makes the step for the end of open[at] at an edge or in a hole, where the log has no LEAVE. */
static void end_unseen(struct pithlog_walk *walk, struct walked_lane *lane, uint32_t at, int64_t time_ns, uint32_t why,
                       struct pithlog_step *step)
{
    const struct pithlog_open *state = &lane->open[at];
    end_interval(lane, time_ns, PITHLOG_ENDS, step);
    end_state(walk, lane, at, step);
    step->why = why;
    step->record = make_record(walk, PITHLOG_LEAVE, lane, state->id, time_ns, state->start_ns, at);
    walk->made.nested_ns = lane->beside[at].nested_ns;
    if (at > 0 && !(why == PITHLOG_AT_HOLE && lane->beside[at - 1].goes_on))
        pair_leave(lane, at, &walk->made);
}

/* Makes the step for the begin of a state at an edge or in a hole, where the log has no ENTER. Returns 0 if there is no
 * memory. */
static int begin_unseen(struct pithlog_walk *walk, struct walked_lane *lane, const struct pithi_open_state *state,
                        int64_t time_ns, uint32_t why, struct pithlog_step *step)
{
    if (lane->depth == lane->room && reserve(lane) != PITH_OK)
        return 0;
    end_interval(lane, time_ns, PITHLOG_BEGINS, step);
    step->why = why;
    step->record = make_record(walk, PITHLOG_ENTER, lane, state->id, why == PITHLOG_AT_EDGE ? state->enter_ns : time_ns,
                               state->enter_ns, lane->depth);
    begin_state(lane, state->id, state->enter_ns, time_ns, state->nested_ns);
    return 1;
}

int pithlog_step_is_outermost(const struct pithlog_step *step)
{
    for (uint32_t i = 0; i < step->at; i++)
        if (step->open[i].id == step->open[step->at].id)
            return 0;
    return 1;
}

/* ---- Holes ------------------------------------------------------------------------------------------------------- */

/* Notes that a hole begins at the lane's last record. If there is no memory, the hole is left out. */
static void queue_hole(struct pithlog_walk *walk, struct walked_lane *lane, uint32_t lacks_blocks)
{
    if (!pithi_grow(&walk->holes, walk->hole_count, &walk->hole_room, sizeof *walk->holes))
        return;
    walk->holes[walk->hole_count++] = (uint32_t)(lane - walk->lanes);
    lane->hole = HOLE_AHEAD;
    lane->lacks_blocks = lacks_blocks;
}

/* Called by the iterator when records are missing after the lane's last record, perhaps twice for a hole. */
static void meet_hole(void *context, uint32_t number)
{
    struct pithlog_walk *walk = context;
    struct walked_lane *lane = lane_of(walk, number);
    if (lane->hole == NO_HOLE && (walk->has_begun || !lane->is_before)) /* else the hole may end before the window */
        queue_hole(walk, lane, 1);
    if (walk->holes_told.tell)
        walk->holes_told.tell(walk->holes_told.context, number);
}

/* Sets lane->begun to the states of `after` from index `first` on. Returns 0 if there is no memory. */
static int keep_begun(struct walked_lane *lane, const struct pithi_stack *after, uint32_t first)
{
    lane->begun.count = lane->resumed = 0;
    if (first == after->count)
        return 1;
    if (!pithi_stack_reserve(&lane->begun, after->count - first))
        return 0;
    lane->begun.count = after->count - first;
    memcpy(lane->begun.states, &after->states[first], lane->begun.count * sizeof *after->states);
    return 1;
}

/* Finds which states go on after a hole (beside.goes_on) and which begin in it (begun). Returns 0 if there is no
 * memory. */
static int foresee(struct pithlog_walk *walk, struct walked_lane *lane)
{
    const struct pithi_lost_hole *hole =
        lane->lost && lane->next_lost > 0 ? &lane->lost->holes[lane->next_lost - 1] : NULL;
    int64_t to_ns = hole ? hole->to_ns : INT64_MAX;
    if (lane->lacks_blocks) {
        if (pithi_open_after_hole(&walk->unpacking, &walk->block, lane->number, lane->seen_ns, &walk->at) != PITH_OK)
            return 0;
        /* walk->at.stack has the states that are open after the damaged or missing block. Those that were open before
         * it come first, in the same order. */
        uint32_t known = 0;
        for (uint32_t i = 0; i < lane->depth; i++) {
            const struct pithi_open_state *state = &walk->at.stack.states[known];
            int goes_on = known < walk->at.stack.count && lane->open[i].id == state->id &&
                          lane->open[i].start_ns == state->enter_ns;
            lane->beside[i].goes_on = goes_on;
            if (goes_on)
                lane->beside[i].nested_ns = state->nested_ns;
            known += (uint32_t)goes_on;
        }
        if (!keep_begun(lane, &walk->at.stack, known))
            return 0;
        to_ns = walk->at.to_ns;
    } else {
        uint32_t gone = hole ? hole->gone : 0;
        for (uint32_t i = 0; i < lane->depth; i++)
            lane->beside[i].goes_on = i + gone < lane->depth;
        lane->begun.count = lane->resumed = 0;
    }
    if (to_ns > walk->to_ns) { /* a hole that does not end in the window ends all states */
        lane->begun.count = 0;
        for (uint32_t i = 0; i < lane->depth; i++)
            lane->beside[i].goes_on = 0;
    }
    return 1;
}

/* Makes the next step at the begin of a hole: HOLE_BEGINS, or ENDS of a state. Returns 1; 0 if there are no more; -1 if
 * there is no memory. */
static UNCOMMON int next_at_hole(struct pithlog_walk *walk, struct pithlog_step *step)
{
    while (walk->hole_count > 0) {
        struct walked_lane *lane = &walk->lanes[walk->holes[walk->hole_count - 1]];
        if (lane->hole == HOLE_AHEAD) {
            int is_foreseen = foresee(walk, lane);
            end_interval(lane, lane->seen_ns, PITHLOG_HOLE_BEGINS, step);
            lane->hole = IN_HOLE;
            return is_foreseen ? 1 : (pithi_no_memory(), -1);
        }
        for (uint32_t i = lane->depth; i-- > 0;)
            if (!lane->beside[i].goes_on) {
                end_unseen(walk, lane, i, lane->seen_ns, PITHLOG_AT_HOLE, step);
                return 1;
            }
        walk->hole_count--;
    }
    return 0;
}

/* Makes the next step at the end of a hole, before the step of the record at `time_ns` that ends it: GOES_ON or BEGINS
 * of a state. Returns 1; 0 if there are no more; -1 if there is no memory. */
static int next_resumed(struct pithlog_walk *walk, struct walked_lane *lane, int64_t time_ns, struct pithlog_step *step)
{
    if (lane->hole == IN_HOLE)
        lane->going_on = lane->depth;
    uint32_t i = lane->resumed++;
    if (i >= lane->going_on + lane->begun.count)
        return 0;
    if (i < lane->going_on) {
        const struct pithlog_open *state = &lane->open[i];
        end_interval(lane, time_ns, PITHLOG_GOES_ON, step);
        step->record = make_record(walk, PITHLOG_ENTER, lane, state->id, time_ns, state->start_ns, i);
    } else if (!begin_unseen(walk, lane, &lane->begun.states[i - lane->going_on], time_ns, PITHLOG_AT_HOLE, step)) {
        return -1;
    }
    lane->hole = RESUMING;
    return 1;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* What taking a record gives. FAILED: no memory. NOTHING: no step. RECORD: the step of the record. MORE: a step that
 * comes before that of the record, which must be taken again afterwards. */
enum taken { FAILED = -1, NOTHING, RECORD, MORE };

/* Takes an ENTER. The stack of open states has the same limit as the writer's (native/stack.h). If it is full, some
 * states are discarded first, with one step for each, and then the ENTER is taken again. */
static enum taken take_enter(struct pithlog_walk *walk, struct walked_lane *lane, struct pithlog_record *r,
                             struct pithlog_step *step)
{
    if (lane->depth == lane->room && reserve(lane) != PITH_OK)
        return FAILED;
    if (lane->depth == PITHI_OPEN_MAX && lane->discarding == 0)
        lane->discarding = PITHI_OPEN_FORGOTTEN;
    if (lane->discarding > 0) {
        end_interval(lane, r->time_ns, PITHLOG_ENDS, step);
        end_state(walk, lane, PITHI_OPEN_OUTER + --lane->discarding, step);
        step->why = PITHLOG_DISCARDED;
        return MORE;
    }
    end_interval(lane, r->time_ns, PITHLOG_BEGINS, step);
    r->depth = lane->depth;
    r->start_ns = r->time_ns;
    begin_state(lane, r->id, r->time_ns, r->time_ns, 0);
    return RECORD;
}

/* Takes a LEAVE, which ends the innermost open state of its id; states inside that state stay open. A LEAVE whose state
 * is not open changes nothing, and gets the depth UINT32_MAX. */
static enum taken take_leave(struct pithlog_walk *walk, struct walked_lane *lane, struct pithlog_record *r,
                             struct pithlog_step *step)
{
    uint32_t at = lane->depth;
    while (at > 0 && lane->open[at - 1].id != r->id)
        at--;
    if (at == 0) {
        r->depth = UINT32_MAX;
        r->start_ns = r->time_ns;
        return NOTHING;
    }
    end_interval(lane, r->time_ns, PITHLOG_ENDS, step);
    end_state(walk, lane, at - 1, step);
    pair_leave(lane, at - 1, r);
    return RECORD;
}

static UNCOMMON enum taken take(struct pithlog_walk *walk, struct walked_lane *lane, struct pithlog_record *r,
                                struct pithlog_step *step)
{
    if (lane->hole != NO_HOLE) {
        int status = next_resumed(walk, lane, r->time_ns, step);
        if (status != 0)
            return status < 0 ? FAILED : MORE;
        lane->hole = lane->hole == IN_HOLE ? IN_HOLE : NO_HOLE;
    }
    int ends_hole = lane->hole == IN_HOLE;
    enum taken taken = r->kind == PITHLOG_ENTER   ? take_enter(walk, lane, r, step)
                       : r->kind == PITHLOG_LEAVE ? take_leave(walk, lane, r, step)
                                                  : NOTHING;
    int changes = ends_hole || r->kind == PITHLOG_PAUSE || r->kind == PITHLOG_RESUME;
    if (taken == NOTHING && (changes || walk->kinds >> r->kind & 1)) {
        end_interval(lane, r->time_ns, PITHLOG_HAPPENS, step);
        taken = RECORD;
    }
    lane->hole = NO_HOLE;
    if (taken == MORE || taken == FAILED)
        return taken;
    if (taken == RECORD)
        step->record = r;
    lane->seen_ns = r->time_ns;
    lane->is_paused = r->kind == PITHLOG_PAUSE || (lane->is_paused && r->kind != PITHLOG_RESUME);
    if (pithi_is_hole(walk->log, r)) {
        uint32_t is_known = lane->lost && lane->next_lost < lane->lost->hole_count;
        queue_hole(walk, lane, is_known && lane->lost->holes[lane->next_lost].is_wider);
        lane->next_lost += is_known;
    }
    return taken;
}

/* Takes a record in the common case, in which a state begins or the innermost state ends, and not at a hole. Returns 1
 * if it did; 0 if `take` is needed. */
static inline int take_quickly(struct pithlog_walk *walk, struct walked_lane *lane, struct pithlog_record *r,
                               struct pithlog_step *step)
{
    if (lane->hole != NO_HOLE)
        return 0;
    if (r->kind == PITHLOG_ENTER && lane->depth < lane->room && lane->depth < PITHI_OPEN_MAX && lane->discarding == 0) {
        end_interval(lane, r->time_ns, PITHLOG_BEGINS, step);
        r->depth = lane->depth;
        r->start_ns = r->time_ns;
        begin_state(lane, r->id, r->time_ns, r->time_ns, 0);
    } else if (r->kind == PITHLOG_LEAVE && lane->depth > 0 && lane->open[lane->depth - 1].id == r->id) {
        uint32_t at = lane->depth - 1;
        end_interval(lane, r->time_ns, PITHLOG_ENDS, step);
        end_state(walk, lane, at, step);
        pair_leave(lane, at, r);
    } else {
        return 0;
    }
    lane->seen_ns = r->time_ns;
    step->record = r;
    return 1;
}

/* ---- The edges of the window ------------------------------------------------------------------------------------- */

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
    /* Ignores damage here, because the walk reports damage in the window. */
    while ((status = pithlog_iter_next(iter, &r)) != 0)
        if (status > 0)
            lane->is_paused = r.kind == PITHLOG_PAUSE;
    pithlog_iter_close(iter);
    return PITH_OK;
}

/* Finds the states that are open on a lane where the window begins, and whether the window begins in a hole or a
 * pause. */
static int find_open(struct pithlog_walk *walk, struct walked_lane *lane)
{
    struct pithi_open_at *at = &walk->at;
    uint32_t i = (uint32_t)(lane - walk->lanes);
    const struct pithi_stack *known = lane->lost ? NULL : pithi_iter_open_states(walk->iter, i);
    if (!known) {
        CHECK(pithi_open_at(&walk->unpacking, &walk->block, lane->number, walk->from_ns, at));
        lane->hole = at->is_hole ? IN_HOLE : NO_HOLE;
        if (at->is_hole && at->to_ns > walk->to_ns)
            at->stack.count = 0;
        known = &at->stack;
    }
    return keep_begun(lane, known, 0) ? find_pause(walk, lane) : pithi_no_memory();
}

/* Goes to the first records of the window, and finds what is open there. Returns 1; -1 on an error: the next call
 * continues. */
static int begin(struct pithlog_walk *walk)
{
    if (walk->iter && pithi_iter_prime(walk->iter) < 0)
        return -1;
    walk->has_begun = 1;
    for (uint32_t i = 0; walk->iter && i < walk->count; i++)
        if (walk->lanes[i].is_before && find_open(walk, &walk->lanes[i]) != PITH_OK)
            return -1;
    return 1;
}

/* Makes the first steps of lanes: BEGINS of the states that are open where the window begins, or HOLE_BEGINS if it
 * begins in a hole. Returns 1; 0 if there are no more; -1 if there is no memory. */
static UNCOMMON int next_opened(struct pithlog_walk *walk, struct pithlog_step *step)
{
    for (; walk->opened < walk->count; walk->opened++) {
        struct walked_lane *lane = &walk->lanes[walk->opened];
        if (lane->hole == IN_HOLE) {
            lane->hole = NO_HOLE;
            end_interval(lane, lane->from_ns, PITHLOG_HOLE_BEGINS, step);
            lane->hole = IN_HOLE;
            walk->opened++;
            if (walk->holes_told.tell)
                walk->holes_told.tell(walk->holes_told.context, lane->number);
            return 1;
        }
        if (lane->resumed < lane->begun.count)
            return begin_unseen(walk, lane, &lane->begun.states[lane->resumed++], lane->from_ns, PITHLOG_AT_EDGE, step)
                       ? 1
                       : -1;
        lane->begun.count = 0;
    }
    return 0;
}

/* Makes the last steps: ENDS of the states that are open where the window ends, then EDGE of each lane. Returns 1; 0 if
 * there are no more. */
static UNCOMMON int next_closed(struct pithlog_walk *walk, struct pithlog_step *step)
{
    int64_t end_ns = walk->to_ns < walk->log->info.end_ns ? walk->to_ns : walk->log->info.end_ns;
    for (; walk->clipped < walk->count; walk->clipped++) {
        struct walked_lane *lane = &walk->lanes[walk->clipped];
        if (lane->depth == 0)
            continue;
        int is_hole = lane->hole != NO_HOLE; /* 1: without memory, the states were not ended at the begin of the hole */
        lane->end_ns = is_hole ? lane->end_ns : end_ns > lane->from_ns ? end_ns : lane->from_ns;
        end_unseen(walk, lane, lane->depth - 1, is_hole ? lane->from_ns : lane->end_ns,
                   is_hole ? PITHLOG_AT_HOLE : PITHLOG_AT_EDGE, step);
        return 1;
    }
    if (walk->closed == walk->count)
        return 0;
    struct walked_lane *lane = &walk->lanes[walk->closed++];
    end_interval(lane, lane->end_ns > lane->from_ns ? lane->end_ns : lane->from_ns, PITHLOG_EDGE, step);
    return 1;
}

int pithlog_walk_next(struct pithlog_walk *walk, struct pithlog_step *step)
{
    if (walk->ended) {
        /* removes the state that ended in the last step, which the caller could still look at until now */
        struct walked_lane *lane = walk->ended;
        uint32_t at = walk->ended_at, above = --lane->depth - at;
        if (above > 0) {
            memmove(&lane->open[at], &lane->open[at + 1], above * sizeof *lane->open);
            memmove(&lane->beside[at], &lane->beside[at + 1], above * sizeof *lane->beside);
        }
        lane->kept = at;
        walk->ended = NULL;
    }
    for (;;) {
        int status = 0;
        if (__builtin_expect(walk->opened < walk->count, 0))
            status = walk->has_begun || begin(walk) > 0 ? next_opened(walk, step) : -1;
        else if (__builtin_expect(walk->hole_count > 0, 0))
            status = next_at_hole(walk, step);
        if (status != 0)
            return status;
        if (walk->next == walk->ready) {
            int more = walk->iter ? pithlog_iter_next_many(walk->iter, walk->records, AT_ONCE) : 0;
            if (more < 0)
                return -1;
            walk->next = 0;
            walk->ready = more;
            if (walk->hole_count > 0)
                continue;
            if (more == 0)
                return next_closed(walk, step);
        }
        struct pithlog_record *r = &walk->records[walk->next];
        struct walked_lane *lane = lane_of(walk, r->lane);
        if (take_quickly(walk, lane, r, step)) {
            walk->next++;
            return 1;
        }
        enum taken taken = take(walk, lane, r, step);
        walk->next += taken != MORE;
        if (taken != NOTHING)
            return taken == FAILED ? -1 : 1;
    }
}

void pithi_walk_tell_holes(struct pithlog_walk *walk, struct pithi_holes holes) { walk->holes_told = holes; }

int pithi_walk_is_ready(const struct pithlog_walk *walk)
{
    return walk->opened == walk->count && walk->hole_count == 0 && walk->next < walk->ready &&
           (walk->kinds | 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE) >> walk->records[walk->next].kind & 1;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int make_lanes(struct pithlog_walk *walk, const uint32_t *list)
{
    int64_t to_ns = walk->to_ns < walk->log->info.end_ns ? walk->to_ns : walk->log->info.end_ns;
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct pithlog_lane *of = pithlog_get_lane(walk->log, list[i]);
        struct walked_lane *lane = &walk->lanes[i];
        int64_t last_ns = of->last_ns < to_ns ? of->last_ns : to_ns;
        lane->number = list[i];
        lane->from_ns = of->records && of->first_ns > walk->from_ns ? of->first_ns : walk->from_ns;
        lane->seen_ns = lane->from_ns;
        lane->end_ns = of->records && last_ns > lane->from_ns ? last_ns : lane->from_ns;
        lane->is_before = of->records && of->first_ns < walk->from_ns;
        if (walk->log->info.lost > 0)
            CHECK(pithi_lost_states_get(walk->log, lane->number, &lane->lost));
        while (lane->lost && lane->next_lost < lane->lost->hole_count &&
               lane->lost->holes[lane->next_lost].from_ns < walk->from_ns)
            lane->next_lost++;
    }
    return PITH_OK;
}

int pithlog_walk_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_walk **opened)
{
    struct pithlog_query plain = {.from_ns = query ? query->from_ns : INT64_MIN,
                                  .to_ns = query ? query->to_ns : INT64_MAX,
                                  .lanes = query ? query->lanes : NULL,
                                  .lane_count = query ? query->lane_count : 0};
    struct pithlog_walk *walk = *opened = calloc(1, sizeof *walk);
    uint32_t *list = NULL;
    int err;
    if (!walk)
        return pithi_no_memory();
    walk->log = walk->unpacking.log = log;
    walk->from_ns = plain.from_ns > log->info.start_ns ? plain.from_ns : log->info.start_ns;
    walk->to_ns = plain.to_ns;
    walk->kinds = query ? query->kinds : 0;
    TRY(pithi_query_lanes(log, &plain, &list, &walk->count));
    walk->lanes = calloc(walk->count + (size_t)1, sizeof *walk->lanes);
    TRY(walk->lanes ? PITH_OK : pithi_no_memory());
    TRY(make_lanes(walk, list));
    if (plain.from_ns <= plain.to_ns) {
        TRY(pithlog_iter_open(log, &plain, &walk->iter));
        pithi_iter_tell_all_holes(walk->iter, (struct pithi_holes){meet_hole, walk});
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
        free(walk->lanes[i].beside);
        free(walk->lanes[i].begun.states);
    }
    pithlog_iter_close(walk->iter);
    pithi_unpacking_free(&walk->unpacking);
    pithi_block_free(&walk->block);
    free(walk->at.stack.states);
    free(walk->holes);
    free(walk->lanes);
    free(walk);
}
