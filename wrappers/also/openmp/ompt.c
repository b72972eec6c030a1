/* ompt.c - the tool whose functions LLVM's runtime of OpenMP calls (OMPT, OpenMP 5.0, chapter 4).
 *
 * At the end of a region, the threads of the team wait in a barrier. In the master, the runtime calls this tool when
 * the barrier ends, but in the other threads only when they get work again. So the master notes when the region ended,
 * and the other threads count as idle from this time on. */
#include "openmp.h"

#include <omp-tools.h>

#include "pith_tool.h"

/* A parallel region and its team. The struct exists until the last thread of the team has seen the region's end. */
struct team {
    const void *site;   /* where in the program the region is */
    uint64_t end_ticks; /* when the region ended; 0: not yet; accessed atomically */
    int users;          /* how many references to this struct exist; accessed atomically */
};

static void leave_team(struct team *team)
{
    if (team && __atomic_sub_fetch(&team->users, 1, __ATOMIC_ACQ_REL) == 0)
        pithi_omp_give(team);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned threads,
                              int flags, const void *site)
{
    struct team *team = pithi_omp_take();

    (void)task, (void)frame, (void)threads, (void)flags;
    if (team) {
        team->site = site;
        team->users = 1;
    }
    parallel->ptr = team;
    pithi_omp_begin(PITHI_OMP_PARALLEL, site);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *site)
{
    struct team *team = parallel->ptr;

    (void)task, (void)flags, (void)site;
    if (team)
        __atomic_store_n(&team->end_ticks, pith_clock_ticks(), __ATOMIC_RELEASE);
    leave_team(team);
    pithi_omp_end(PITHI_OMP_PARALLEL);
}

/* An implicit task, a thread's part of a region, begins or ends. The runtime stores 8 bytes of this tool's data with
 * each task (task->value, task->ptr); for an implicit task, they are a pointer to the task's team. */
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned threads,
                             unsigned index, int flags)
{
    (void)threads;
    if (flags & ompt_task_initial)
        return;
    if (endpoint == ompt_scope_begin) {
        struct team *team = parallel ? parallel->ptr : NULL;
        if (team)
            __atomic_add_fetch(&team->users, 1, __ATOMIC_RELAXED);
        task->ptr = team;
        pithi_omp_idle_end();
        pithi_omp_begin(PITHI_OMP_IMPLICIT_TASK, team ? team->site : NULL);
    } else {
        struct team *team = task->ptr;
        pithi_omp_idle_after(NULL);
        if (index > 0)
            pithi_omp_idle_begin(team ? __atomic_load_n(&team->end_ticks, __ATOMIC_ACQUIRE) : 0);
        else
            pithi_omp_end(PITHI_OMP_IMPLICIT_TASK);
        task->ptr = NULL;
        leave_team(team);
    }
}

/* ---- Work and explicit tasks ------------------------------------------------------------------------------------- */

static void on_work(ompt_work_t work, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *site)
{
    static const enum pithi_omp_kind kinds[] = {[ompt_work_loop] = PITHI_OMP_LOOP,
                                                [ompt_work_sections] = PITHI_OMP_SECTIONS,
                                                [ompt_work_single_executor] = PITHI_OMP_SINGLE,
                                                [ompt_work_taskloop] = PITHI_OMP_TASKLOOP};
    enum { LOOP_STATIC = 10, LOOP_OTHER = 13 }; /* the values for kinds of loops in OpenMP 5.2 */
    enum pithi_omp_kind kind = PITHI_OMP_PARALLEL;

    (void)parallel, (void)task, (void)count;
    if ((unsigned)work < sizeof kinds / sizeof kinds[0])
        kind = kinds[work];
    else if ((int)work >= LOOP_STATIC && (int)work <= LOOP_OTHER)
        kind = PITHI_OMP_LOOP;
    if (kind == PITHI_OMP_PARALLEL) /* this kind of work has no state */
        return;
    if (endpoint == ompt_scope_begin)
        pithi_omp_begin(kind, site);
    else
        pithi_omp_end(kind);
}

/* The two lowest bits of the data that the runtime stores with an explicit task; BEGUN: the task's state has begun. The
 * other bits are the address in the program where the task was made. In the data of an implicit task, a pointer, these
 * two bits are 0. */
enum { EXPLICIT = 1, BEGUN = 2 };

static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags,
                           int has_dependences, const void *site)
{
    (void)task, (void)frame, (void)has_dependences;
    if ((flags & ompt_task_explicit) && new_task)
        new_task->value = (uint64_t)(uintptr_t)site << 2 | EXPLICIT;
}

/* A thread switches from the task `prior` to `next`. The state of a task begins when the task first runs and ends with
 * the task. While a task waits, the thread may run other tasks, whose states then lie inside its state. */
static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    int has_ended = status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;

    if (has_ended && prior && (prior->value & (EXPLICIT | BEGUN)) == (EXPLICIT | BEGUN)) {
        pithi_omp_end(PITHI_OMP_TASK);
        prior->value = 0;
    }
    if (next && (next->value & (EXPLICIT | BEGUN)) == EXPLICIT) {
        pithi_omp_begin(PITHI_OMP_TASK, (const void *)(uintptr_t)(next->value >> 2));
        next->value |= BEGUN;
    }
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

static void on_wait(ompt_sync_region_t region, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *site)
{
    struct team *team = task && !(task->value & EXPLICIT) ? task->ptr : NULL;
    enum pithi_omp_kind kind = region == ompt_sync_region_taskwait    ? PITHI_OMP_TASKWAIT
                               : region == ompt_sync_region_taskgroup ? PITHI_OMP_TASKGROUP
                                                                      : PITHI_OMP_BARRIER;

    (void)parallel;
    if (region == ompt_sync_region_reduction)
        return;
    if (endpoint == ompt_scope_begin) {
        pithi_omp_begin(kind, site ? site : team ? team->site : NULL);
        if (team && kind == PITHI_OMP_BARRIER && region != ompt_sync_region_barrier_explicit)
            pithi_omp_idle_after(&team->end_ticks);
    } else if (kind != PITHI_OMP_BARRIER || !team || !__atomic_load_n(&team->end_ticks, __ATOMIC_ACQUIRE))
        pithi_omp_end(kind); /* else the barrier ends with the implicit task, at the time that the master noted */
}

/* For each kind of mutual exclusion, the state of a thread that waits for it and of a thread that has it;
 * PITHI_OMP_KINDS: no state. A thread that has a lock has no state for it, because states must be nested, but locks may
 * be released in any order. */
static const struct exclusion {
    enum pithi_omp_kind wait, have;
} exclusions[] = {
    [ompt_mutex_lock] = {PITHI_OMP_LOCK_WAIT, PITHI_OMP_KINDS},
    [ompt_mutex_test_lock] = {PITHI_OMP_KINDS, PITHI_OMP_KINDS},
    [ompt_mutex_nest_lock] = {PITHI_OMP_LOCK_WAIT, PITHI_OMP_KINDS},
    [ompt_mutex_test_nest_lock] = {PITHI_OMP_KINDS, PITHI_OMP_KINDS},
    [ompt_mutex_critical] = {PITHI_OMP_CRITICAL_WAIT, PITHI_OMP_CRITICAL},
    [ompt_mutex_atomic] = {PITHI_OMP_KINDS, PITHI_OMP_KINDS},
    [ompt_mutex_ordered] = {PITHI_OMP_ORDERED_WAIT, PITHI_OMP_ORDERED},
};

static struct exclusion exclusion_of(ompt_mutex_t mutex)
{
    return (unsigned)mutex < sizeof exclusions / sizeof exclusions[0] ? exclusions[mutex]
                                                                      : exclusions[ompt_mutex_atomic];
}

static void on_mutex_acquire(ompt_mutex_t mutex, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *site)
{
    (void)hint, (void)impl, (void)id;
    if (exclusion_of(mutex).wait != PITHI_OMP_KINDS)
        pithi_omp_begin(exclusion_of(mutex).wait, site);
}

static void on_mutex_acquired(ompt_mutex_t mutex, ompt_wait_id_t id, const void *site)
{
    (void)id;
    if (exclusion_of(mutex).wait != PITHI_OMP_KINDS)
        pithi_omp_end(exclusion_of(mutex).wait);
    if (exclusion_of(mutex).have != PITHI_OMP_KINDS)
        pithi_omp_begin(exclusion_of(mutex).have, site);
}

static void on_mutex_released(ompt_mutex_t mutex, ompt_wait_id_t id, const void *site)
{
    (void)id, (void)site;
    if (exclusion_of(mutex).have != PITHI_OMP_KINDS)
        pithi_omp_end(exclusion_of(mutex).have);
}

/* Called when a thread takes or releases a nestable lock that it already has. If the thread takes the lock, ends its
 * state of waiting for the lock. */
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void *site)
{
    (void)id, (void)site;
    if (endpoint == ompt_scope_begin)
        pithi_omp_end(PITHI_OMP_LOCK_WAIT);
}

/* ---- The tool ---------------------------------------------------------------------------------------------------- */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

    (void)device, (void)data;
    if (!set)
        return 0;
#define SET(name) set(ompt_callback_##name, (ompt_callback_t)on_##name)
    SET(parallel_begin);
    SET(parallel_end);
    SET(implicit_task);
    SET(work);
    SET(task_create);
    SET(task_schedule);
    SET(mutex_acquire);
    SET(mutex_acquired);
    SET(mutex_released);
    SET(nest_lock);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
    return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);
PITHI_ALSO_API ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t tool = {initialize, finalize, {0}};

    (void)version, (void)runtime;
    return &tool;
}
