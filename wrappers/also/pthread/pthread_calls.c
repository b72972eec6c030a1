/* pthread_calls.c - libpith-pthread: records the waiting of threads for each other as states, and the names of threads.
 *
 * The wrapper of a call that takes a lock first tries to take the lock without waiting. If the lock is free, as usual,
 * nothing is measured or recorded. Otherwise, and in calls that always wait, a state begins; if the wait turns out to
 * be short, the state's record is removed again. Some timed calls of the C library check the time before the lock.
 * Their wrappers do not try to take the lock first, because that could change the result of the call.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "also/also.h"
#include "pith_tool.h"

static uint64_t least_ticks; /* shorter waits are not recorded */

/* ---- Names of threads -------------------------------------------------------------------------------------------- */

enum { NAME = 16 }; /* bytes of a thread's name in the kernel, with the final 0 */
static char process_name[NAME];
static unsigned renamed; /* how often a thread gave a name to another thread; accessed atomically */

PITHI_ALSO_API int pthread_setname_np(pthread_t thread, const char *name)
{
    int result = NEXT(pthread_setname_np)(thread, name), saved = errno;

    if (result == 0 && pthread_equal(thread, pthread_self()) && pithi_also_wanted(PITHI_CALLER))
        pith_thread_name_default(name);
    else if (result == 0)
        __atomic_add_fetch(&renamed, 1, __ATOMIC_RELAXED);
    errno = saved;
    return result;
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

struct wait_state {
    const char *name; /* "pthread:mutex_lock" ... */
    uint32_t id;      /* 0: not yet defined; accessed atomically */
};

struct wait {
    uint32_t id;                 /* the id of the wait's state; 0: the wait is not recorded */
    struct pith_tentative begun; /* the state's enter record */
    uint64_t ticks;              /* when the state began */
};

static struct wait begin_wait(struct wait_state *state, const void *caller)
{
    struct wait wait = {0, {NULL, 0}, 0};
    int saved = errno;

    if (!pithi_also_wanted(caller))
        return wait;
    wait.id = pithi_also_state(&state->id, state->name, "tomato", "pthread");
    if (wait.id) {
        wait.begun = pith_begin_tentative(wait.id);
        wait.ticks = pith_buffer_.last_ticks;
    }
    errno = saved;
    return wait;
}

static void end_wait(const struct wait *wait)
{
    int saved = errno;

    if (!wait->id)
        return;
    if (!wait->begun.record || pith_clock_ticks() - wait->ticks >= least_ticks || !pith_begin_undo(&wait->begun))
        pith_end(wait->id);
    /* If a thread was named by another thread since this thread's last wait, this thread may have got a new name. */
    static __thread unsigned seen __attribute__((tls_model("initial-exec")));
    unsigned now = __atomic_load_n(&renamed, __ATOMIC_RELAXED);
    char name[NAME];

    if (seen != now) {
        seen = now;
        if (prctl(PR_GET_NAME, name) == 0 && strcmp(name, process_name) != 0)
            pith_thread_name_default(name);
    }
    errno = saved;
}

/* Begins the state of a wait in `call`. The state ends when the thread leaves the block in which this macro stands,
 * even because the thread is cancelled. */
#define WAIT(call)                                                                                                     \
    static struct wait_state state = {#call, 0};                                                                       \
    __attribute__((cleanup(end_wait), unused)) struct wait wait = begin_wait(&state, PITHI_CALLER)

/* ---- Locks ------------------------------------------------------------------------------------------------------- */

#define TRIES_FIRST(call, try_call, lock, parameters, arguments)                                                       \
    PITHI_ALSO_API int call parameters                                                                                 \
    {                                                                                                                  \
        int result = NEXT(try_call)(lock);                                                                             \
        if (result != EBUSY)                                                                                           \
            return result;                                                                                             \
        WAIT(call);                                                                                                    \
        return NEXT(call) arguments;                                                                                   \
    }
TRIES_FIRST(pthread_mutex_lock, pthread_mutex_trylock, lock, (pthread_mutex_t * lock), (lock))
TRIES_FIRST(pthread_mutex_timedlock, pthread_mutex_trylock, lock,
            (pthread_mutex_t *restrict lock, const struct timespec *restrict until), (lock, until))
TRIES_FIRST(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, lock, (pthread_rwlock_t * lock), (lock))
TRIES_FIRST(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, lock, (pthread_rwlock_t * lock), (lock))

/* Calls pthread_testcancel, because sem_wait is a cancellation point even if the semaphore is free, but sem_trywait is
 * not. */
PITHI_ALSO_API int sem_wait(sem_t *semaphore)
{
    int saved = errno;

    pthread_testcancel();
    if (NEXT(sem_trywait)(semaphore) == 0)
        return 0;
    errno = saved;
    WAIT(sem_wait);
    return NEXT(sem_wait)(semaphore);
}

/* ---- Calls that always wait -------------------------------------------------------------------------------------- */

#define WAITS(call, next, parameters, arguments)                                                                       \
    PITHI_ALSO_API int call parameters                                                                                 \
    {                                                                                                                  \
        WAIT(call);                                                                                                    \
        return next arguments;                                                                                         \
    }
WAITS(pthread_mutex_clocklock, NEXT(pthread_mutex_clocklock),
      (pthread_mutex_t * lock, clockid_t clock, const struct timespec *until), (lock, clock, until))
WAITS(pthread_rwlock_timedrdlock, NEXT(pthread_rwlock_timedrdlock),
      (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until))
WAITS(pthread_rwlock_timedwrlock, NEXT(pthread_rwlock_timedwrlock),
      (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until))
WAITS(pthread_rwlock_clockrdlock, NEXT(pthread_rwlock_clockrdlock),
      (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until), (lock, clock, until))
WAITS(pthread_rwlock_clockwrlock, NEXT(pthread_rwlock_clockwrlock),
      (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until), (lock, clock, until))
WAITS(sem_timedwait, NEXT(sem_timedwait), (sem_t *restrict semaphore, const struct timespec *restrict until),
      (semaphore, until))
WAITS(sem_clockwait, NEXT(sem_clockwait),
      (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until), (semaphore, clock, until))

/* The symbol version of the functions that use the present layout of pthread_cond_t. Before glibc 2.36, dlsym without a
 * version finds the older functions, which expect an older layout. */
#define CONDITION "GLIBC_2.3.2"
WAITS(pthread_cond_wait, NEXT_VERSION(pthread_cond_wait, CONDITION),
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock), (condition, lock))
WAITS(pthread_cond_timedwait, NEXT_VERSION(pthread_cond_timedwait, CONDITION),
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, const struct timespec *restrict until),
      (condition, lock, until))
WAITS(pthread_cond_clockwait, NEXT(pthread_cond_clockwait),
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock, clockid_t clock,
       const struct timespec *restrict until),
      (condition, lock, clock, until))

WAITS(pthread_barrier_wait, NEXT(pthread_barrier_wait), (pthread_barrier_t * barrier), (barrier))
WAITS(pthread_join, NEXT(pthread_join), (pthread_t thread, void **result), (thread, result))
WAITS(pthread_timedjoin_np, NEXT(pthread_timedjoin_np), (pthread_t thread, void **result, const struct timespec *until),
      (thread, result, until))
WAITS(pthread_clockjoin_np, NEXT(pthread_clockjoin_np),
      (pthread_t thread, void **result, clockid_t clock, const struct timespec *until), (thread, result, clock, until))

/* ---- The start --------------------------------------------------------------------------------------------------- */

__attribute__((constructor)) static void begin(void)
{
    const char *least = secure_getenv("PITH_PTHREAD_MIN_US");
    double least_us = least && *least ? strtod(least, NULL) : 10;

    if (least_us > 0)
        least_ticks = pithi_also_ticks_of(least_us * 1000);
    prctl(PR_GET_NAME, process_name);
}
