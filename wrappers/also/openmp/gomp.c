/* gomp.c - parallel regions, tasks and synchronization of GNU's runtime (libgomp), by the functions that gcc's code
 * calls. Their types are those of the runtime's version 4.5 to 5.1.
 *
 * gcc makes a function of a region's body, and calls GOMP_parallel(body, data). The wrapper gives the runtime another
 * function in its place, which then runs in each thread of the team:
 *
 *     the program    GOMP_parallel(body, data)
 *     the runtime    GOMP_parallel(take_part, &region)
 *     each thread    take_part: begin the part; body(data); begin and end a barrier; end the part
 *
 * A thread of a team ends its part of a region in the runtime, where nothing tells it when the last thread arrived. So
 * the part of each thread ends here with a barrier of its own, before that of the runtime. */
#include "openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

static int is_other; /* another runtime has these functions, too (LLVM's): ompt.c records it */

int pithi_gomp_is_other(void) { return is_other; }

/* Any caller counts: gcc makes the last call of a region a jump, which then returns to take_part. */
int pithi_gomp_wanted(void) { return !is_other && pithi_also_wanted(NULL); }

/* A module that the program loaded by dlopen may have a runtime that only it sees. `inside`: the last caller of this
 * thread, or of the thread that began the region, that is not here; NULL: none. */
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
    void (*function)(void *data); /* NULL: it is not recorded */
    void *data;                   /* of the caller, for `function` */
    const void *site, *inside;    /* the call in the program; a place in its module, to find the runtime */
    enum pithi_omp_kind sharing;  /* a loop or sections that the region begins with; PITHI_OMP_KINDS: none */
    pthread_t master;             /* the thread that began it */
    void (*barrier)(void);        /* NULL: a cancelled region has none */
    struct region *outside;       /* that GOMP_parallel_start began around this one; NULL: none */
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

/* The part of one thread. */
static void take_part(void *argument)
{
    struct region region = *(struct region *)argument; /* it may be gone after the barrier */

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

/* Fills *to, and puts it in the place of the region's function and data. */
#define BEGIN_REGION(to, kind)                                                                                         \
    if (pithi_gomp_wanted()) {                                                                                         \
        void (*barrier)(void) = GOMP(omp_get_cancellation)() ? NULL : GOMP(GOMP_barrier);                              \
        *(to) = (struct region){function, data, PITHI_CALLER, inside, kind, pthread_self(), barrier, NULL};            \
        pithi_omp_begin(PITHI_OMP_PARALLEL, PITHI_CALLER);                                                             \
        function = take_part;                                                                                          \
        data = (to);                                                                                                   \
    }

/* A function that runs a whole region. */
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

/* ---- Regions in the code of gcc before 4.9, which calls a function at the begin and the end ---------------------- */

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

/* A task's own data follow this header in the block that the runtime copies. */
struct task {
    void (*function)(void *data);
    void (*copy)(void *to, void *from); /* NULL: memcpy */
    void *data;                         /* of the program */
    size_t size;
    size_t offset; /* of its data in the block */
    const void *site;
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

/* The runtime stores the event of such a task in its data, before it copies them. */
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

/* A call that is a state. It ends when the thread leaves the call, also by cancellation. */
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

/* Mutual exclusion: the waiting, then the section until its end. */
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
