/* gomp.c - parallel regions, tasks and synchronization of GNU's runtime (libgomp), recorded in wrappers of the
 * functions that code compiled by gcc calls. The wrappers have the parameters of the runtimes for OpenMP 4.5 to 5.1.
 *
 * gcc makes a function of a region's body and calls GOMP_parallel(body, data). The wrapper of GOMP_parallel passes
 * another function to the runtime, take_part, which then runs in each thread of the team and calls the body:
 *
 *     the program    GOMP_parallel(body, data)
 *     the runtime    GOMP_parallel(take_part, &region)
 *     each thread    take_part: begin the part; body(data); begin and end a barrier; end the part
 *
 * The barrier at the end of a region is inside the runtime, where no wrapper sees when the last thread arrives. So
 * take_part ends with a barrier of its own, which comes before the runtime's barrier. */
#include "openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

static int is_other; /* 1: these functions belong to another runtime (LLVM's), which ompt.c records */

int pithi_gomp_is_other(void) { return is_other; }

/* Returns 1 if calls of these functions are to be recorded. Only the program calls them, so pithi_also_wanted need not
 * test the caller. The return address would even be wrong: gcc compiles the last call of a region's body as a jump, so
 * this call returns to take_part in this library. */
int pithi_gomp_wanted(void) { return !is_other && pithi_also_wanted(NULL); }

/* An address in the module (program or library) that last called a function here from outside this library, in this
 * thread or in the thread that began the region; NULL: none yet. If the program loaded this module by dlopen, only this
 * module may see the runtime. pithi_next_find then finds no function, and pithi_gomp_find searches from this module. */
static __thread const void *inside __attribute__((tls_model("initial-exec")));

void *pithi_gomp_find(struct pithi_next *next, const void *caller)
{
    void *function = pithi_next_find(next);
    struct link_map *module = NULL;
    Dl_info own, info;

    if (function)
        return function;
    if (dladdr(&is_other, &own) && dladdr(caller, &info) && info.dli_fbase != own.dli_fbase)
        inside = caller;
    if (inside && dladdr1(inside, &info, (void **)&module, RTLD_DL_LINKMAP) && module)
        function = dlsym(module, next->name);
    return function;
}

__attribute__((constructor)) static void find_runtime(void)
{
    void *function = dlsym(RTLD_NEXT, "GOMP_parallel");
    Dl_info info;
    const char *slash;

    if (!function || !dladdr(function, &info))
        return;
    slash = strrchr(info.dli_fname, '/');
    is_other = strncmp(slash ? slash + 1 : info.dli_fname, "libgomp", 7) != 0;
}

/* ---- Parallel regions -------------------------------------------------------------------------------------------- */

void GOMP_barrier(void);
int omp_get_cancellation(void);

struct region {
    void (*function)(void *data); /* the body; NULL: the region is not recorded */
    void *data;                   /* the program's argument for `function` */
    const void *site, *inside;    /* site: where the program began the region; inside: copy of the master's `inside` */
    enum pithi_omp_kind sharing;  /* the loop or sections that the region consists of; PITHI_OMP_KINDS: none */
    pthread_t master;             /* the thread that began the region */
    void (*barrier)(void);        /* GOMP_barrier; NULL: the region may be cancelled, so it gets no barrier */
    struct region *outside;       /* the next outer region that GOMP_parallel_start... began; NULL: none */
};

static void begin_part(const struct region *region)
{
    pithi_omp_begin(PITHI_OMP_IMPLICIT_TASK, region->site);
    if (region->sharing != PITHI_OMP_KINDS)
        pithi_omp_begin(region->sharing, region->site);
}

static void end_part(const struct region *region)
{
    if (!region->barrier)
        return;
    pithi_omp_begin(PITHI_OMP_BARRIER, region->site);
    region->barrier();
    pithi_omp_end(PITHI_OMP_BARRIER);
}

/* Each thread of the team runs this instead of the body. */
static void take_part(void *argument)
{
    struct region region = *(struct region *)argument; /* a copy, because *argument may be gone after the barrier */

    inside = region.inside;
    pithi_omp_idle_end();
    begin_part(&region);
    region.function(region.data);
    end_part(&region);
    if (pthread_equal(region.master, pthread_self()))
        pithi_omp_end(PITHI_OMP_IMPLICIT_TASK);
    else
        pithi_omp_idle_begin(0);
}

static void end_region(const struct region *region)
{
    if (region->function)
        pithi_omp_end(PITHI_OMP_PARALLEL);
}

/* Begins a region, in a wrapper that has the parameters `function` and `data`. Saves these two in *to, and sets them to
 * take_part and `to`. */
#define BEGIN_REGION(to, kind)                                                                                         \
    if (pithi_gomp_wanted()) {                                                                                         \
        void (*barrier)(void) = GOMP(omp_get_cancellation)() ? NULL : GOMP(GOMP_barrier);                              \
        *(to) = (struct region){function, data, PITHI_CALLER, inside, kind, pthread_self(), barrier, NULL};            \
        pithi_omp_begin(PITHI_OMP_PARALLEL, PITHI_CALLER);                                                             \
        function = take_part;                                                                                          \
        data = (to);                                                                                                   \
    }

/* Wraps a function of the runtime that runs a whole region. */
#define RUNS(result, name, kind, parameters, arguments)                                                                \
    result name parameters;                                                                                            \
    PITHI_ALSO_API result name parameters                                                                              \
    {                                                                                                                  \
        __attribute__((cleanup(end_region))) struct region region = {.function = NULL};                                \
        BEGIN_REGION(&region, kind)                                                                                    \
        return GOMP(name) arguments;                                                                                   \
    }
#define REGION void (*function)(void *), void *data, unsigned threads
#define LONGS long start, long end, long step
#define NONE PITHI_OMP_KINDS
#define LOOP PITHI_OMP_LOOP

RUNS(void, GOMP_parallel, NONE, (REGION, unsigned flags), (function, data, threads, flags))
RUNS(unsigned, GOMP_parallel_reductions, NONE, (REGION, unsigned flags), (function, data, threads, flags))
RUNS(void, GOMP_parallel_sections, PITHI_OMP_SECTIONS, (REGION, unsigned count, unsigned flags),
     (function, data, threads, count, flags))
#define RUNS_LOOP(name)                                                                                                \
    RUNS(void, GOMP_parallel_loop_##name, LOOP, (REGION, LONGS, long chunk, unsigned flags),                           \
         (function, data, threads, start, end, step, chunk, flags))
#define RUNS_RUNTIME_LOOP(name)                                                                                        \
    RUNS(void, GOMP_parallel_loop_##name, LOOP, (REGION, LONGS, unsigned flags),                                       \
         (function, data, threads, start, end, step, flags))
RUNS_LOOP(static)
RUNS_LOOP(dynamic)
RUNS_LOOP(guided)
RUNS_LOOP(nonmonotonic_dynamic)
RUNS_LOOP(nonmonotonic_guided)
RUNS_RUNTIME_LOOP(runtime)
RUNS_RUNTIME_LOOP(nonmonotonic_runtime)
RUNS_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

/* ---- Regions in code of gcc before 4.9 --------------------------------------------------------------------------- */

/* Such code calls a function GOMP_parallel..._start at the begin of a region, and GOMP_parallel_end at its end. This is
 * the innermost region of this thread that began in this way. */
static __thread struct region *started __attribute__((tls_model("initial-exec")));

#define STARTS(name, kind, parameters, arguments)                                                                      \
    void name parameters;                                                                                              \
    PITHI_ALSO_API void name parameters                                                                                \
    {                                                                                                                  \
        struct region *region = pithi_omp_take();                                                                      \
        if (region) {                                                                                                  \
            BEGIN_REGION(region, kind)                                                                                 \
        }                                                                                                              \
        GOMP(name) arguments;                                                                                          \
        begin_started(region);                                                                                         \
    }

_Static_assert(sizeof(struct region) <= PITHI_OMP_BLOCK, "pithi_omp_take");

static void begin_started(struct region *region)
{
    if (!region)
        return;
    region->outside = started;
    started = region;
    if (region->function)
        begin_part(region);
}

STARTS(GOMP_parallel_start, NONE, (REGION), (function, data, threads))
STARTS(GOMP_parallel_sections_start, PITHI_OMP_SECTIONS, (REGION, unsigned count), (function, data, threads, count))
#define STARTS_LOOP(name)                                                                                              \
    STARTS(GOMP_parallel_loop_##name##_start, LOOP, (REGION, LONGS, long chunk),                                       \
           (function, data, threads, start, end, step, chunk))
STARTS_LOOP(static)
STARTS_LOOP(dynamic)
STARTS_LOOP(guided)
STARTS(GOMP_parallel_loop_runtime_start, LOOP, (REGION, LONGS), (function, data, threads, start, end, step))

void GOMP_parallel_end(void);
PITHI_ALSO_API void GOMP_parallel_end(void)
{
    struct region *region = started;

    if (region && region->function)
        end_part(region);
    GOMP(GOMP_parallel_end)();
    if (!region)
        return;
    started = region->outside;
    end_region(region);
    pithi_omp_give(region);
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

/* A task that is recorded gets this header before its data, in the block that the runtime makes for the task. */
struct task {
    void (*function)(void *data);       /* the program's function for the task */
    void (*copy)(void *to, void *from); /* the program's function that copies the data; NULL: memcpy */
    void *data;                         /* the program's data, which copy_task copies behind this header */
    size_t size;                        /* the size of the data */
    size_t offset;                      /* where the copy of the data begins in the block */
    const void *site;                   /* where the program made the task */
};

static void copy_task(void *to, void *from)
{
    struct task *task = to;
    char *data = (char *)to + ((struct task *)from)->offset;

    *task = *(struct task *)from;
    if (task->copy)
        task->copy(data, task->data);
    else
        memcpy(data, task->data, task->size);
}

static void run_task(void *block)
{
    const struct task *task = block;

    pithi_omp_begin(PITHI_OMP_TASK, task->site);
    task->function((char *)block + task->offset);
    pithi_omp_end(PITHI_OMP_TASK);
}

/* The flag of a detachable task. Such a task is not recorded, because it cannot get a header before its data. For
 * before the runtime copies the data, it stores the task's event in them, and the header would be where the runtime
 * stores the event. */
enum { DETACH = 1 << 13 };

void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long align,
               _Bool is_deferred, unsigned flags, void **depend, int priority, void *detach);
PITHI_ALSO_API void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long align,
                              _Bool is_deferred, unsigned flags, void **depend, int priority, void *detach)
{
    struct task task = {function, copy, data, (size_t)size, 0, PITHI_CALLER};
    size_t room = (size_t)align > _Alignof(struct task) ? (size_t)align : _Alignof(struct task);

    if ((flags & DETACH) || !pithi_gomp_wanted()) {
        GOMP(GOMP_task)(function, data, copy, size, align, is_deferred, flags, depend, priority, detach);
        return;
    }
    task.offset = (sizeof task + room - 1) / room * room;
    GOMP(GOMP_task)
    (run_task, &task, copy_task, (long)task.offset + size, (long)room, is_deferred, flags, depend, priority, detach);
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

/* Ends the state of a wrapped call. Runs when the thread leaves the wrapper, even because the thread is cancelled. */
static void end_call(const enum pithi_omp_kind *kind)
{
    if (*kind != PITHI_OMP_KINDS)
        pithi_omp_end(*kind);
}
#define CALL(result, name, kind, parameters, arguments)                                                                \
    result name parameters;                                                                                            \
    PITHI_ALSO_API result name parameters                                                                              \
    {                                                                                                                  \
        __attribute__((cleanup(end_call))) enum pithi_omp_kind call = pithi_gomp_wanted() ? kind : NONE;               \
        if (call != NONE)                                                                                              \
            pithi_omp_begin(call, PITHI_CALLER);                                                                       \
        return GOMP(name) arguments;                                                                                   \
    }

CALL(void, GOMP_barrier, PITHI_OMP_BARRIER, (void), ())
CALL(_Bool, GOMP_barrier_cancel, PITHI_OMP_BARRIER, (void), ())
CALL(void, GOMP_taskwait, PITHI_OMP_TASKWAIT, (void), ())
CALL(void, GOMP_taskwait_depend, PITHI_OMP_TASKWAIT, (void **depend), (depend))
CALL(void, GOMP_taskgroup_end, PITHI_OMP_TASKGROUP, (void), ())
CALL(void, omp_set_lock, PITHI_OMP_LOCK_WAIT, (void *lock), (lock))
CALL(void, omp_set_lock_, PITHI_OMP_LOCK_WAIT, (void *lock), (lock))
CALL(void, omp_set_nest_lock, PITHI_OMP_LOCK_WAIT, (void *lock), (lock))
CALL(void, omp_set_nest_lock_, PITHI_OMP_LOCK_WAIT, (void *lock), (lock))
CALL(void, GOMP_taskloop, PITHI_OMP_TASKLOOP,
     (void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
      unsigned long tasks, int priority, long start, long end, long step),
     (function, data, copy, size, align, flags, tasks, priority, start, end, step))
CALL(void, GOMP_taskloop_ull, PITHI_OMP_TASKLOOP,
     (void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
      unsigned long tasks, int priority, unsigned long long start, unsigned long long end, unsigned long long step),
     (function, data, copy, size, align, flags, tasks, priority, start, end, step))

/* Wraps the functions that begin and end a mutual exclusion. Records two states in turn: the thread waits for the
 * exclusion, and the thread has it. */
#define EXCLUDES(start, end, kind, parameters, arguments)                                                              \
    void start parameters;                                                                                             \
    PITHI_ALSO_API void start parameters                                                                               \
    {                                                                                                                  \
        int is_wanted = pithi_gomp_wanted();                                                                           \
        if (is_wanted)                                                                                                 \
            pithi_omp_begin(kind##_WAIT, PITHI_CALLER);                                                                \
        GOMP(start) arguments;                                                                                         \
        if (is_wanted) {                                                                                               \
            pithi_omp_end(kind##_WAIT);                                                                                \
            pithi_omp_begin(kind, PITHI_CALLER);                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    void end parameters;                                                                                               \
    PITHI_ALSO_API void end parameters                                                                                 \
    {                                                                                                                  \
        GOMP(end) arguments;                                                                                           \
        if (!pithi_gomp_is_other())                                                                                    \
            pithi_omp_end(kind);                                                                                       \
    }

EXCLUDES(GOMP_critical_start, GOMP_critical_end, PITHI_OMP_CRITICAL, (void), ())
EXCLUDES(GOMP_critical_name_start, GOMP_critical_name_end, PITHI_OMP_CRITICAL, (void **name), (name))
EXCLUDES(GOMP_ordered_start, GOMP_ordered_end, PITHI_OMP_ORDERED, (void), ())
