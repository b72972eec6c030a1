/* stat_pass.c - adds up the intervals of pithlog_walk, once for all tables.
 *
 * A lane's time is divided into phases: in MPI, waiting in OpenMP, or computing (stat_pass.h). A step of the walk is an
 * interval in which no state begins or ends, with the change at its end. So a step first adds its length to the present
 * phase, and then may end the phase. These are the steps for the example in stat_pass.h:
 *
 *     step       adds                     then
 *     0..20      20 outside states        solve begins: still computing, the phase goes on
 *     20..30     10 in states             MPI_Send begins: ends the phase 0..30, of which 20 were outside states
 *     30..50     20 in states             MPI_Send ends: ends the phase in MPI, 20 long
 *     50..80     30 in states             solve ends: still computing
 *     80..100    20 outside states        the lane ends: ends the phase 50..100, of which 20 were outside states
 *
 * All tables are made by this pass, so their numbers agree. A table only has a callback for what it does with an
 * instance.
 */
#include "tools/stat_pass.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hybrid_model.h"
#include "analysis/mpi_calls.h"
#include "analysis/with_lanes.h"
#include "base/error.h"
#include "native/log.h"
#include "reader/query/filter.h"
#include "reader/read/iter.h"
#include "tools/progress.h"

int pithi_stat_shows(const struct pithi_stat_query *query, const struct pithlog_def *def)
{
    return !query->state_glob || fnmatch(query->state_glob, def ? def->name : PITHI_COMPUTING_NAME, 0) == 0;
}

/* A pass gives up after this number of damaged parts. */
enum { MOST_DAMAGES = 10000 };

/* The number of parts of the log that could not be read. */
static int damages;
static char damage[512]; /* the text of the first error */

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

    if (query->from_ns > query->to_ns) /* the window is outside the log, where no state is open */
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
    uint32_t mpi_calls; /* number of open MPI calls */
    enum doing doing;   /* kind of the present phase */
    int is_added;       /* 1: a lane that an analysis added; it is no thread of the program, so it does not compute */
    int has_begun;      /* 1: the walk has delivered a step of this lane */
    int64_t since_ns;   /* the time at which the present phase began */
    int64_t outside_ns; /* how much of the present phase was outside all states */
    struct pithi_lane_time time;
};

struct run {
    const struct pithi_stat_pass *pass;
    struct lane *lanes;
    unsigned char *is_mpi;   /* [id]: 1 if the state is an MPI call */
    unsigned char *is_wait;  /* [id]: 1 if a thread in the state waits for other threads */
    unsigned char *is_shown; /* [id]: 1 if the query shows the state; [defs]: computing */
    uint32_t defs, lane_count;
    struct pithi_judge *judge; /* NULL: no filter */
};

static int report(const struct run *run, const struct pithi_stat_instance *instance)
{
    uint32_t index = instance->id == PITHLOG_COMPUTING ? run->defs : instance->id;

    return run->pass->instance && run->is_shown[index] ? run->pass->instance(run->pass->context, instance) : PITH_OK;
}

/* Ends the present phase of a lane, reports it if it was computing, and begins the next. */
static int next_interval(const struct run *run, uint32_t index, int64_t time_ns, enum doing next)
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
    if (computing.length_ns <= 0 || lane->is_added)
        return PITH_OK;
    *(was == IN_MPI        ? &lane->time.mpi_ns
      : was == OMP_WAITING ? &lane->time.omp_wait_ns
                           : &lane->time.computing_ns) += computing.length_ns;
    return was == COMPUTING ? report(run, &computing) : PITH_OK;
}

/* The callback for a step of the walk. States that the filter does not match still take part in the computing of depth
 * and self time, but are not reported. */
static int take(const struct run *run, const struct pithlog_step *step)
{
    struct lane *lane = &run->lanes[step->lane];
    const struct pithlog_record *r = step->change == PITHLOG_GOES_ON ? NULL : step->record;
    int is_wanted = run->judge && r ? pithi_judge_record(run->judge, r) : 1;

    if (is_wanted < 0)
        return pithi_no_memory();
    if (step->is == PITHLOG_IS_HOLE || !lane->has_begun)
        /* A hole belongs to no phase, so a new phase begins at the end of the hole. */
        lane->since_ns = step->is == PITHLOG_IS_HOLE ? step->to_ns : step->from_ns;
    lane->has_begun = 1;
    if (step->is != PITHLOG_IS_HOLE)
        *(step->depth > 0 ? &lane->time.states_ns : &lane->outside_ns) += step->to_ns - step->from_ns;
    if (step->change == PITHLOG_BEGINS)
        lane->mpi_calls += run->is_mpi[r->id];
    if (step->change == PITHLOG_ENDS) {
        const struct pithlog_open *state = &step->open[step->at];
        struct pithi_stat_instance instance = {step->lane,     state->id,     state->from_ns,
                                               step->total_ns, step->self_ns, pithlog_step_is_outermost(step)};
        lane->mpi_calls -= run->is_mpi[state->id];
        if (is_wanted && r)
            CHECK(report(run, &instance));
    }
    /* Ends the phase if the change at the step's end brings the lane into another kind of phase. */
    uint32_t depth = step->depth, innermost = depth > 0 ? step->open[depth - 1].id : UINT32_MAX;
    if (step->change == PITHLOG_BEGINS)
        innermost = r->id;
    else if (step->change == PITHLOG_ENDS && step->at + 1 == depth)
        innermost = depth > 1 ? step->open[depth - 2].id : UINT32_MAX;
    enum doing next = lane->mpi_calls                                      ? IN_MPI
                      : innermost != UINT32_MAX && run->is_wait[innermost] ? OMP_WAITING
                                                                           : COMPUTING;
    if (next != lane->doing || step->change >= PITHLOG_HOLE_BEGINS)
        CHECK(next_interval(run, step->lane, step->to_ns, next));
    return r && is_wanted && run->pass->kinds >> r->kind & 1 ? run->pass->record(run->pass->context, r) : PITH_OK;
}

/* Opens the judge, which decides whether the filter matches a state. The pass still reads all states of its lanes,
 * because states that do not match also count for the depth and self time of states that match. */
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

static int walk_lanes(const struct run *run, struct pithlog_query query)
{
    uint64_t done = 0;
    struct pithi_progress progress = {.command = "stat",
                                      .done = pithi_progress_count,
                                      .context = &done,
                                      .total = pithlog_get_info(run->pass->log)->records,
                                      .unit = "records"};
    struct pithlog *log = run->pass->log;
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, err = PITH_OK;

    query.kinds = run->pass->kinds;
    CHECK(pithlog_walk_open(log, &query, &walk));
    log->records_read = &done;
    pithi_progress_begin(&progress);
    while (!err && (status = pithlog_walk_next(walk, &step)) != 0) {
        if (status < 0 && !pithi_stat_goes_on())
            break;
        if (status > 0 && run->pass->step)
            err = run->pass->step(run->pass->context, &step);
        if (status > 0 && !err)
            err = take(run, &step);
    }
    pithi_progress_end();
    log->records_read = NULL;
    pithlog_walk_close(walk);
    return err;
}

int pithi_stat_run(const struct pithi_stat_pass *pass)
{
    const struct pithi_stat_query *part = pass->query;
    const struct pithlog_info *info = pithlog_get_info(pass->log);
    struct pithlog_query query = {
        .from_ns = part->from_ns, .to_ns = part->to_ns, .lanes = part->lanes, .lane_count = part->lane_count};
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
    for (uint32_t i = 0; i < run.lane_count; i++)
        run.lanes[i].is_added = pithi_lane_is_added(pithlog_get_lane(pass->log, i));
    for (uint32_t i = 0; i <= run.defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(pass->log, i);
        run.is_mpi[i] = def && pithi_mpi_call_traits(def) != 0;
        run.is_wait[i] = (unsigned char)(def && pithi_is_thread_wait(def));
        run.is_shown[i] = (def || !part->filter) && pithi_stat_shows(part, def);
    }
    if (part->filter)
        TRY(open_judge(&run, &query));
    TRY(walk_lanes(&run, query));
    for (uint32_t i = 0; i < run.lane_count && pass->times; i++)
        if (!part->wanted || part->wanted[i])
            pass->times[i] = run.lanes[i].time;
out:
    pithi_judge_free(run.judge);
    free(run.lanes);
    free(run.is_mpi);
    free(run.is_wait);
    free(run.is_shown);
    return err;
}
