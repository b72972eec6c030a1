/* also_pthread.c - waits in all ways that libpith-pthread knows, and prints what it did:
 *
 *     RANK THREAD CALL LEAST_US MOST_US
 *
 * LEAST_US: from when the system showed that the thread sleeps, until another thread let it go on. MOST_US: around the
 * call. LEAST_US 0: the call may or may not wait. It also takes thousands of locks that are free, which are no waits.
 *
 * `also_pthread DIR [HOW]`; HOW: named (the threads have names by pith.h, too). */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pith.h>

#include "must.h"

static int rank;
static FILE *account;

static int64_t now_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
static int64_t now(void) { return now_ns(CLOCK_MONOTONIC); }

/* A call of the main thread that does not wait, although a lock is not free or the call is not tried first. */
static void no_wait(const char *call) { fprintf(account, "%d main %s 0 1e12\n", rank, call); }

static void nap(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

static const struct timespec *after(clockid_t clock, int64_t ns)
{
    static __thread struct timespec time;
    ns += now_ns(clock);
    time = (struct timespec){ns / 1000000000, ns % 1000000000};
    return &time;
}
static const struct timespec *late(clockid_t clock) { return after(clock, 1000000000000); }

/* ---- The waiting thread -------------------------------------------------------------------------------------------
 * It waits for its next call with its own means, without libpthread. */

static void (*task)(void); /* NULL: it has none; atomic */
static int inside;         /* it makes the call; atomic */
static pid_t waiter_id;
static int64_t from_ns, to_ns; /* of the call */

static void begin_call(void)
{
    from_ns = now();
    __atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
}
static void end_call(void) { to_ns = now(); }

static void *waiter(void *how)
{
    void (*mine)(void);
    int flag;

    if (how)
        pith_thread_name("by pith.h");
    waiter_id = gettid();
    MPI_Initialized(&flag); /* a record, so that later ones can be taken back */
    __atomic_store_n(&inside, -1, __ATOMIC_SEQ_CST);
    for (;;) {
        while (!(mine = __atomic_load_n(&task, __ATOMIC_SEQ_CST)))
            nap();
        mine();
        __atomic_store_n(&task, NULL, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

/* The thread sleeps (in the call, when it is in there). */
static int sleeps(pid_t id)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)id);
    FILE *file = fopen(path, "r");
    must(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return strrchr(text, ')') && strrchr(text, ')')[2] == 'S';
}

static void await_sleep(pid_t id)
{
    while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST) || !sleeps(id))
        nap();
}

/* Lets the thread make `call`, by `work`, and go on 3 ms later by `release`; `release` NULL: by itself. */
static void wait_in(const char *call, void (*work)(void), void (*release)(void))
{
    int64_t asleep, released;

    inside = 0;
    __atomic_store_n(&task, work, __ATOMIC_SEQ_CST);
    if (release)
        await_sleep(waiter_id);
    asleep = now();
    if (release) {
        for (int i = 0; i < 3; i++)
            nap();
        released = now();
        release();
    }
    while (__atomic_load_n(&task, __ATOMIC_SEQ_CST))
        nap();
    if (!release) /* its time may be over before it begins */
        released = asleep;
    fprintf(account, "%d waiter %s %.3f %.3f\n", rank, call, (double)(released - asleep) / 1e3,
            (double)(to_ns - from_ns) / 1e3);
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int go;

#define WORK(name, before, call, result, after_)                                                                       \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        before;                                                                                                        \
        errno = 77;                                                                                                    \
        begin_call();                                                                                                  \
        int got = call;                                                                                                \
        end_call();                                                                                                    \
        must(got == (result));                                                                                         \
        must(got == -1 || errno == 77);                                                                                \
        after_;                                                                                                        \
    }
#define FREE must(pthread_mutex_unlock(&lock) == 0)
#define RW_FREE must(pthread_rwlock_unlock(&rwlock) == 0)
WORK(mutex_lock, , pthread_mutex_lock(&lock), 0, FREE)
WORK(mutex_timedlock, , pthread_mutex_timedlock(&lock, late(CLOCK_REALTIME)), 0, FREE)
WORK(mutex_timeout, , pthread_mutex_timedlock(&lock, after(CLOCK_REALTIME, 2000000)), ETIMEDOUT, )
WORK(mutex_clocklock, , pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, late(CLOCK_MONOTONIC)), 0, FREE)
WORK(rdlock, , pthread_rwlock_rdlock(&rwlock), 0, RW_FREE)
WORK(wrlock, , pthread_rwlock_wrlock(&rwlock), 0, RW_FREE)
WORK(timedrdlock, , pthread_rwlock_timedrdlock(&rwlock, late(CLOCK_REALTIME)), 0, RW_FREE)
WORK(timedwrlock, , pthread_rwlock_timedwrlock(&rwlock, late(CLOCK_REALTIME)), 0, RW_FREE)
WORK(clockrdlock, , pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, late(CLOCK_MONOTONIC)), 0, RW_FREE)
WORK(clockwrlock, , pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, late(CLOCK_MONOTONIC)), 0, RW_FREE)
WORK(barrier_wait, , (pthread_barrier_wait(&barrier), 0), 0, )
WORK(semaphore_wait, , sem_wait(&semaphore), 0, )
WORK(semaphore_timedwait, , sem_timedwait(&semaphore, late(CLOCK_REALTIME)), 0, )
WORK(semaphore_timeout, , sem_timedwait(&semaphore, after(CLOCK_REALTIME, 2000000)), -1, must(errno == ETIMEDOUT))
WORK(semaphore_clockwait, , sem_clockwait(&semaphore, CLOCK_MONOTONIC, late(CLOCK_MONOTONIC)), 0, )

#define LOCKED must(pthread_mutex_trylock(&lock) == 0)
WORK(cond_wait, LOCKED, pthread_cond_wait(&condition, &lock), 0, FREE)
WORK(cond_timedwait, LOCKED, pthread_cond_timedwait(&condition, &lock, late(CLOCK_REALTIME)), 0, FREE)
WORK(cond_timeout, LOCKED, pthread_cond_timedwait(&condition, &lock, after(CLOCK_REALTIME, 2000000)), ETIMEDOUT, FREE)
WORK(cond_clockwait, LOCKED, pthread_cond_clockwait(&condition, &lock, CLOCK_MONOTONIC, late(CLOCK_MONOTONIC)), 0, FREE)

static void unlock(void) { must(pthread_mutex_unlock(&lock) == 0); }
static void rw_unlock(void) { must(pthread_rwlock_unlock(&rwlock) == 0); }
static void post(void) { must(sem_post(&semaphore) == 0); }
static void signal_it(void) { must(pthread_cond_signal(&condition) == 0); }
static void arrive(void)
{
    pthread_barrier_wait(&barrier);
    no_wait("pthread_barrier_wait");
}

static void locked_wait(const char *call, void (*work)(void), void (*release)(void))
{
    must(pthread_mutex_trylock(&lock) == 0);
    wait_in(call, work, release);
    if (!release)
        unlock();
}
static void rw_locked_wait(const char *call, void (*work)(void))
{
    must(pthread_rwlock_trywrlock(&rwlock) == 0);
    wait_in(call, work, rw_unlock);
}

static void all_waits(void)
{
    locked_wait("pthread_mutex_lock", mutex_lock, unlock);
    locked_wait("pthread_mutex_timedlock", mutex_timedlock, unlock);
    locked_wait("pthread_mutex_timedlock", mutex_timeout, NULL);
    locked_wait("pthread_mutex_clocklock", mutex_clocklock, unlock);
    rw_locked_wait("pthread_rwlock_rdlock", rdlock);
    rw_locked_wait("pthread_rwlock_wrlock", wrlock);
    rw_locked_wait("pthread_rwlock_timedrdlock", timedrdlock);
    rw_locked_wait("pthread_rwlock_timedwrlock", timedwrlock);
    rw_locked_wait("pthread_rwlock_clockrdlock", clockrdlock);
    rw_locked_wait("pthread_rwlock_clockwrlock", clockwrlock);
    wait_in("pthread_cond_wait", cond_wait, signal_it);
    wait_in("pthread_cond_timedwait", cond_timedwait, signal_it);
    wait_in("pthread_cond_timedwait", cond_timeout, NULL);
    wait_in("pthread_cond_clockwait", cond_clockwait, signal_it);
    wait_in("pthread_barrier_wait", barrier_wait, arrive);
    wait_in("sem_wait", semaphore_wait, post);
    wait_in("sem_timedwait", semaphore_timedwait, post);
    wait_in("sem_timedwait", semaphore_timeout, NULL);
    wait_in("sem_clockwait", semaphore_clockwait, post);
}

/* ---- Locks of all kinds that are free, and their results --------------------------------------------------------- */

static void *die_with(void *mutex)
{
    must(pthread_mutex_lock(mutex) == 0);
    __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void free_locks(void)
{
    pthread_mutexattr_t kind;
    pthread_mutex_t mutex;
    pthread_t thread;
    pthread_attr_t detached;
    struct timespec wrong = {0, -1};
    int result;

    errno = 77;
    for (int i = 0; i < 1000; i++) {
        must(pthread_mutex_lock(&lock) == 0 && pthread_mutex_unlock(&lock) == 0);
        must(pthread_mutex_timedlock(&lock, &wrong) == 0 && pthread_mutex_unlock(&lock) == 0);
        must(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
        must(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
        must(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
        must(sem_post(&semaphore) == 0 && sem_wait(&semaphore) == 0);
    }
    must(errno == 77);
    must(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_wrlock(&rwlock) == EDEADLK);
    must(pthread_rwlock_unlock(&rwlock) == 0);
    must(pthread_rwlock_timedrdlock(&rwlock, &wrong) == EINVAL);
    must(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &wrong) == EINVAL);
    must(sem_timedwait(&semaphore, &wrong) == -1 && errno == EINVAL);
    no_wait("pthread_rwlock_wrlock");
    no_wait("pthread_rwlock_timedrdlock");
    no_wait("pthread_mutex_clocklock");
    no_wait("sem_timedwait");

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &kind);
    must(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
    must(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    must(pthread_mutex_unlock(&mutex) == EPERM);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &kind);
    must(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK);
    no_wait("pthread_mutex_lock");
    must(pthread_mutex_unlock(&mutex) == 0);

    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &kind);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    must(pthread_create(&thread, &detached, die_with, &mutex) == 0);
    while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
        nap();
    while ((result = pthread_mutex_trylock(&mutex)) == EBUSY)
        nap();
    must(result == EOWNERDEAD && pthread_mutex_unlock(&mutex) == 0); /* not made consistent */
    must(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
}

/* ---- Joins, and a thread that is cancelled ----------------------------------------------------------------------- */

static pid_t main_id;
static int64_t least_ns;

static void *end_later(void *result)
{
    await_sleep(main_id);
    int64_t asleep = now();
    for (int i = 0; i < 3; i++)
        nap();
    least_ns = now() - asleep;
    return result;
}

static void clean_up(void *unused)
{
    (void)unused;
    end_call();
    unlock(); /* the condition's wait has taken it again */
}
static void *wait_for_ever(void *unused)
{
    waiter_id = gettid();
    pthread_setname_np(pthread_self(), "cancelled");
    must(pthread_mutex_trylock(&lock) == 0);
    pthread_cleanup_push(clean_up, NULL);
    begin_call();
    pthread_cond_wait(&condition, &lock);
    pthread_cleanup_pop(0);
    return unused;
}

static void joins(void)
{
    pthread_t thread;
    void *result;
    int64_t asleep, least;

    main_id = gettid();
    inside = 0;
    must(pthread_create(&thread, NULL, end_later, &thread) == 0);
    begin_call();
    must(pthread_join(thread, &result) == 0 && result == &thread);
    end_call();
    fprintf(account, "%d main pthread_join %.3f %.3f\n", rank, (double)least_ns / 1e3, (double)(to_ns - from_ns) / 1e3);

    inside = 0;
    must(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
    while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
        nap();
    await_sleep(waiter_id);
    asleep = now();
    for (int i = 0; i < 3; i++)
        nap();
    least = now() - asleep;
    must(pthread_cancel(thread) == 0);
    while (pthread_tryjoin_np(thread, &result) == EBUSY)
        nap();
    must(result == PTHREAD_CANCELED);
    fprintf(account, "%d cancelled pthread_cond_wait %.3f %.3f\n", rank, (double)least / 1e3,
            (double)(to_ns - from_ns) / 1e3);
}

/* A cancel that is pending ends sem_wait even if the semaphore is free. */
static void *pending(void *unused)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST))
        nap();
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    sem_wait(&semaphore);
    return unused;
}

static void cancel_pending(void)
{
    pthread_t thread;
    void *result;
    int value;

    go = 0;
    post();
    must(pthread_create(&thread, NULL, pending, NULL) == 0 && pthread_cancel(thread) == 0);
    __atomic_store_n(&go, 1, __ATOMIC_SEQ_CST);
    while (pthread_tryjoin_np(thread, &result) == EBUSY)
        nap();
    must(result == PTHREAD_CANCELED && sem_getvalue(&semaphore, &value) == 0 && value == 1);
    must(sem_trywait(&semaphore) == 0);
}

int main(int argc, char **argv)
{
    char name[4096];
    pthread_t thread;
    pthread_attr_t detached;
    int given;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s/did.%d", argv[1], rank);
    must((account = fopen(name, "w")));
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    must(pthread_create(&thread, &detached, waiter, argc > 2 ? argv : NULL) == 0);
    while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
        nap();
    must(pthread_setname_np(thread, "waiter") == 0);
    must(pthread_setname_np(thread, "sixteen letters.") == ERANGE);
    free_locks();
    all_waits();
    joins();
    cancel_pending();
    fclose(account);
    MPI_Finalize();
    printf("also_pthread: rank %d, well\n", rank);
    return 0;
}
