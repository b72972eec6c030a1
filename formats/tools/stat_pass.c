/* stat_pass.c - follows the open states of each lane, once for all tables. Inclusive time is the time between enter and
 * leave; exclusive time is that in which the state is the innermost. */
#include "tools/stat_pass.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hybrid_model.h"
#include "analysis/mpi_calls.h"
#include "base/error.h"
#include "base/map.h"
#include "native/stack.h"
#include "reader/filter.h"
#include "reader/iter.h"
#include "reader/match.h"
#include "tools/progress.h"

int pithi_stat_shows(const struct pithi_stat_query *query, const struct pithlog_def *def)
{
    return !query->state_glob || fnmatch(query->state_glob, def ? def->name : PITHI_COMPUTING_NAME, 0) == 0;
}

/* A log is abandoned after this many damaged parts. */
enum { MOST_DAMAGES = 10000 };

/* The part of the query that the current record is in. */
static enum pithi_iter_part record_part;

/* Parts of the log that could not be read; the text of the first error. */
static int damages;
static char damage[512];

int pithi_stat_goes_on(void)
{
    if (!damages++)
        snprintf(damage, sizeof damage, "%s", pithlog_error());
    return damages < MOST_DAMAGES;
}

int pithi_stat_damaged(void)
{
    return damages ? pithi_fail(PITH_ERR_DAMAGED, "%s; all other records are counted", damage) : PITH_OK;
}

int pithi_stat_each_record(struct pithlog *log, const struct pithlog_query *query,
                           int (*record)(void *context, const struct pithlog_record *record),
                           void (*hole)(void *context, uint32_t lane), void *context)
{
    volatile uint64_t done = 0;
    struct pithi_progress progress = {.command = "stat",
                                      .done = pithi_progress_count,
                                      .context = (const void *)&done,
                                      .total = pithlog_get_info(log)->records,
                                      .unit = "records"};
    struct pithlog_record records[128];
    struct pithlog_iter *iter;
    int err = PITH_OK, more = 0;

    if (query->from_ns > query->to_ns) /* outside of the log, where no state is open */
        return PITH_OK;
    CHECK(pithlog_iter_open(log, query, &iter));
    pithi_iter_tell_holes(iter, (struct pithi_holes){hole, context});
    pithi_progress_begin(&progress);
    while (!err && (more = pithlog_iter_next_many(iter, records, sizeof records / sizeof *records)) != 0) {
        if (more < 0 && !pithi_stat_goes_on())
            break;
        if (more < 0)
            continue;
        done += (uint64_t)more;
        record_part = pithi_iter_part(iter);
        for (int i = 0; i < more && !err; i++)
            err = record(context, &records[i]);
    }
    pithi_progress_end();
    pithlog_iter_close(iter);
    return err;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

enum doing { COMPUTING, IN_MPI, OMP_WAITING };

struct lane {
    struct pithi_stack open; /* with times in the window; nested_ns: time as the innermost state */
    int64_t own_ns;          /* that time is added up to here */
    uint32_t mpi_calls;      /* open */
    enum doing doing;        /* in this stretch */
    int64_t since_ns;        /* when this stretch began */
    int64_t edge_ns;         /* when the lane last entered its outermost state, or left it */
    int64_t outside_ns;      /* time of this stretch outside all states, up to then */
    int64_t end_ns;          /* the end of the lane, or its last record */
    int64_t seen_ns;         /* the last record */
    int is_in_hole;          /* records are missing since then */
    struct hole {
        int64_t from_ns, to_ns;
    } * holes;
    uint32_t hole_count, hole_room;
    struct pithi_lane_time time;
};

struct run {
    const struct pithi_stat_pass *pass;
    struct lane *lanes;
    unsigned char *is_mpi;   /* by definition */
    unsigned char *is_wait;  /* by definition: OpenMP waits */
    unsigned char *is_shown; /* [defs + 1]; the last one: computing */
    uint32_t defs, lane_count;
    struct pithi_judge *judge; /* NULL: no filter */
    int matches;               /* the current record matches the filter */
};

static int report(const struct run *run, const struct pithi_stat_instance *instance)
{
    uint32_t index = instance->id == PITHLOG_COMPUTING ? run->defs : instance->id;

    return run->pass->instance && run->is_shown[index] ? run->pass->instance(run->pass->context, instance) : PITH_OK;
}

/* Ends a stretch and begins the next. */
static int next_stretch(const struct run *run, uint32_t index, int64_t time_ns, enum doing next)
{
    struct lane *lane = &run->lanes[index];
    struct pithi_stat_instance computing = {.lane = index,
                                            .id = PITHLOG_COMPUTING,
                                            .begin_ns = lane->since_ns,
                                            .length_ns = time_ns - lane->since_ns,
                                            .self_ns = lane->outside_ns,
                                            .is_outermost = 1};
    enum doing was = lane->doing;

    lane->since_ns = time_ns;
    lane->outside_ns = 0;
    lane->doing = next;
    if (computing.length_ns <= 0)
        return PITH_OK;
    *(was == IN_MPI        ? &lane->time.mpi_ns
      : was == OMP_WAITING ? &lane->time.omp_wait_ns
                           : &lane->time.computing_ns) += computing.length_ns;
    return was == COMPUTING ? report(run, &computing) : PITH_OK;
}

/* A state has begun or ended: begins a new stretch if the lane now does something else. */
static int follow(const struct run *run, uint32_t index, int64_t time_ns)
{
    const struct lane *lane = &run->lanes[index];
    const struct pithi_stack *open = &lane->open;
    enum doing next = lane->mpi_calls                                                 ? IN_MPI
                      : open->count && run->is_wait[open->states[open->count - 1].id] ? OMP_WAITING
                                                                                      : COMPUTING;

    return next == lane->doing ? PITH_OK : next_stretch(run, index, time_ns, next);
}

static int is_open(const struct pithi_stack *open, uint32_t id)
{
    for (uint32_t i = open->count; i > 0; i--)
        if (open->states[i - 1].id == id)
            return 1;
    return 0;
}

/* Adds the time up to now to the innermost state. */
static void add_own(struct lane *lane, int64_t time_ns)
{
    if (lane->open.count)
        lane->open.states[lane->open.count - 1].nested_ns += time_ns - lane->own_ns;
    lane->own_ns = time_ns;
}

static int push(const struct run *run, uint32_t index, uint32_t id, int64_t time_ns)
{
    add_own(&run->lanes[index], time_ns);
    if (!pithi_stack_enter(&run->lanes[index].open, id, time_ns))
        return pithi_no_memory();
    run->lanes[index].mpi_calls += run->is_mpi[id];
    return PITH_OK;
}

/* The lane enters its outermost state, or leaves it, or a hole begins. */
static void reach_edge(struct lane *lane, int64_t time_ns)
{
    *(lane->open.count ? &lane->time.states_ns : &lane->outside_ns) += time_ns - lane->edge_ns;
    lane->edge_ns = time_ns;
}

static void begin_hole(void *context, uint32_t index)
{
    const struct run *run = context;

    run->lanes[index].is_in_hole = 1;
}

/* The time of holes since then. */
static int64_t missing_since(const struct lane *lane, int64_t time_ns)
{
    int64_t ns = 0;

    for (uint32_t i = lane->hole_count; i > 0 && lane->holes[i - 1].from_ns >= time_ns; i--)
        ns += lane->holes[i - 1].to_ns - lane->holes[i - 1].from_ns;
    return ns;
}

/* A state ends. It is no instance if the filter drops it. */
static int end_state(const struct run *run, uint32_t index, uint32_t id, int64_t time_ns, int is_wanted)
{
    struct lane *lane = &run->lanes[index];
    struct pithi_stack *open = &lane->open;
    struct pithi_open_state ended;
    uint32_t depth;

    add_own(lane, time_ns);
    if (!pithi_stack_leave(open, id, time_ns, &ended, &depth))
        return PITH_OK;
    int64_t length = time_ns - ended.enter_ns - missing_since(lane, ended.enter_ns);
    struct pithi_stat_instance instance = {index, id, ended.enter_ns, length, ended.nested_ns, !is_open(open, id)};
    if (depth > 0) /* undo what pithi_stack_leave adds */
        open->states[depth - 1].nested_ns -= time_ns - ended.enter_ns;
    lane->mpi_calls -= run->is_mpi[id];
    return is_wanted ? report(run, &instance) : PITH_OK;
}

/* The time of the hole counts as nothing. States that are open before and after it go on. */
static int end_hole(const struct run *run, uint32_t index, int64_t time_ns)
{
    struct lane *lane = &run->lanes[index];

    lane->is_in_hole = 0;
    reach_edge(lane, lane->seen_ns);
    add_own(lane, lane->seen_ns);
    lane->own_ns = time_ns;
    CHECK(next_stretch(run, index, lane->seen_ns, lane->doing));
    if (!pithi_grow(&lane->holes, lane->hole_count, &lane->hole_room, sizeof *lane->holes))
        return pithi_no_memory();
    lane->holes[lane->hole_count++] = (struct hole){lane->seen_ns, time_ns};
    lane->since_ns = lane->edge_ns = time_ns;
    return PITH_OK;
}

static int enter(const struct run *run, const struct pithlog_record *r, int64_t time_ns)
{
    struct lane *lane = &run->lanes[r->lane];

    if (lane->open.count == 0)
        reach_edge(lane, time_ns);
    CHECK(push(run, r->lane, r->id, time_ns));
    return follow(run, r->lane, time_ns);
}

static int leave(const struct run *run, const struct pithlog_record *r, int64_t time_ns)
{
    struct lane *lane = &run->lanes[r->lane];
    int err;

    if (lane->open.count == 1)
        reach_edge(lane, time_ns);
    err = end_state(run, r->lane, r->id, time_ns, run->matches);
    return err ? err : follow(run, r->lane, time_ns);
}

static int take(void *context, const struct pithlog_record *r)
{
    struct run *run = context;
    int64_t from_ns = run->pass->query->from_ns, time_ns = r->time_ns > from_ns ? r->time_ns : from_ns;
    int err = PITH_OK;

    if (r->lane >= run->lane_count)
        return PITH_OK;
    if (time_ns > run->lanes[r->lane].end_ns)
        run->lanes[r->lane].end_ns = time_ns;
    int goes_on = record_part == PITHI_PART_HOLE; /* the state was open before the hole and is after it */
    run->matches = run->judge && !goes_on ? pithi_judge_record(run->judge, r) : 1;
    if (run->matches < 0)
        return pithi_no_memory();
    struct lane *lane = &run->lanes[r->lane];
    if (lane->is_in_hole && (record_part < PITHI_PART_HOLE || r->kind == PITHLOG_ENTER))
        err = end_hole(run, r->lane, time_ns);
    if (err || goes_on)
        return err;
    lane->seen_ns = time_ns;
    if (pithi_match_is_hole(run->pass->log, r))
        lane->is_in_hole = 1;
    if (r->kind == PITHLOG_ENTER && r->id < run->defs)
        err = enter(run, r, time_ns);
    else if (r->kind == PITHLOG_LEAVE && r->id < run->defs)
        err = leave(run, r, time_ns);
    if (err || !run->matches || !(run->pass->kinds >> r->kind & 1))
        return err;
    return run->pass->record(run->pass->context, r);
}

/* Limits the lanes to the window. */
static void begin_lanes(const struct run *run)
{
    const struct pithi_stat_query *query = run->pass->query;

    for (uint32_t i = 0; i < run->lane_count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(run->pass->log, i);
        struct lane *own = &run->lanes[i];
        int64_t from_ns = lane->records && lane->first_ns > query->from_ns ? lane->first_ns : query->from_ns;
        int64_t to_ns = lane->last_ns < query->to_ns ? lane->last_ns : query->to_ns;
        own->since_ns = own->edge_ns = own->seen_ns = from_ns;
        own->end_ns = lane->records && to_ns > from_ns ? to_ns : from_ns;
    }
}

/* All states have ended. */
static int end_lanes(const struct run *run)
{
    const struct pithi_stat_query *query = run->pass->query;
    int err = PITH_OK;

    for (uint32_t i = 0; i < run->lane_count && !err; i++) {
        struct lane *lane = &run->lanes[i];
        if (query->wanted && !query->wanted[i])
            continue;
        if (lane->is_in_hole)
            err = end_hole(run, i, lane->end_ns);
        if (err)
            break;
        reach_edge(lane, lane->end_ns);
        err = next_stretch(run, i, lane->end_ns, COMPUTING);
        if (run->pass->times)
            run->pass->times[i] = lane->time;
    }
    return err;
}

/* The pass reads all states of its lanes: those around a state that matches count for its depth and exclusive time. */
static int open_judge(struct run *run, const struct pithlog_query *query)
{
    struct pithi_scope scope;
    int err;

    TRY(pithi_scope_find(&scope, run->pass->log, run->pass->query->filter, query));
    scope.query.from_ns = query->from_ns;
    scope.query.lanes = query->lanes;
    scope.query.lane_count = query->lane_count;
    TRY(pithi_judge_open(&run->judge, run->pass->log, run->pass->query->filter, &scope));
out:
    pithi_scope_free(&scope);
    return err;
}

int pithi_stat_run(const struct pithi_stat_pass *pass)
{
    const struct pithi_stat_query *part = pass->query;
    const struct pithlog_info *info = pithlog_get_info(pass->log);
    struct pithlog_query query = {.from_ns = part->from_ns,
                                  .to_ns = part->to_ns,
                                  .lanes = part->lanes,
                                  .lane_count = part->lane_count,
                                  .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct run run = {.pass = pass, .defs = info->defs, .lane_count = info->lanes};
    int err;

    run.lanes = calloc(run.lane_count + (size_t)1, sizeof *run.lanes);
    run.is_mpi = calloc(run.defs + (size_t)1, 1);
    run.is_wait = calloc(run.defs + (size_t)1, 1);
    run.is_shown = calloc(run.defs + (size_t)1, 1);
    if (!run.lanes || !run.is_mpi || !run.is_wait || !run.is_shown) {
        err = pithi_no_memory();
        goto out;
    }
    for (uint32_t i = 0; i <= run.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(pass->log, i);
        run.is_mpi[i] = def && pithi_mpi_call_traits(def) != 0;
        run.is_wait[i] = (unsigned char)(def && pithi_is_omp_wait(def));
        run.is_shown[i] = (def || !part->filter) && pithi_stat_shows(part, def);
    }
    if (part->filter)
        TRY(open_judge(&run, &query));
    begin_lanes(&run);
    TRY(pithi_stat_each_record(pass->log, &query, take, begin_hole, &run));
    TRY(end_lanes(&run));
out:
    for (uint32_t i = 0; run.lanes && i < run.lane_count; i++) {
        free(run.lanes[i].open.states);
        free(run.lanes[i].holes);
    }
    pithi_judge_free(run.judge);
    free(run.lanes);
    free(run.is_mpi);
    free(run.is_wait);
    free(run.is_shown);
    return err;
}
