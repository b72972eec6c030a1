/* listener.c - the recorder's listener thread, its signals, and which process of a job answers a signal (listener.h).
 *
 * A handler only wakes the thread, which works with all signals blocked. mpirun passes a signal on to all ranks, but
 * only one of them should answer it. So each process counts its signals, a file in the spill folder holds the number of
 * signals answered so far (rounds), and the first process whose count is higher answers:
 *
 *     rank 0: signal 1, file says 0: makes the snapshot, file says 1
 *     rank 1: signal 1, file says 1: done already
 *
 * If only some processes get a signal, their counts differ. A process whose count is not higher therefore ignores its
 * signal only within 10 s after the last answer (ANSWER_HOLDS_NS); later it answers. A process that ignores a signal
 * keeps its count, because signals that were answered already may still arrive. A process that answers sets its count
 * to the new number of rounds, so that its next signal is answered, too. Before MPI_Init ends the processes do not form
 * a job, so a process that gets a signal there waits until it has joined. The file is locked while a process answers;
 * the kernel unlocks it if the process dies.
 */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "chunks.h"
#include "clock.h"
#include "hang.h"
#include "process.h"
#include "sample.h"
#include "session.h"
#include "snapshot.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 30)
#define HAVE_CLOCKWAIT 1
#endif
#endif

#define ANSWER_HOLDS_NS INT64_C(10000000000)

static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER; /* held during work on the job's records */
static int closed, expected; /* under `working`; `expected` is 1 if the process is about to join its job */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int pithi_listener_look(struct pithi_job_place *place)
{
    struct pithi_guard guard;
    int there;
    if (!pithi_guard_enter(&guard))
        return 0;
    there = pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER;
    if (there) {
        pithi_lane_anchor();
        memcpy(place->folder, pithi_session.folder, sizeof place->folder);
        memcpy(place->log, pithi_session.log, sizeof place->log);
        place->job = pithi_session.job;
    }
    pithi_guard_leave(&guard);
    return there;
}

int pithi_listener_enter(void)
{
    int may;
    pthread_mutex_lock(&working);
    may = !closed;
    if (!may)
        pthread_mutex_unlock(&working);
    return may;
}

void pithi_listener_leave(void) { pthread_mutex_unlock(&working); }

void pithi_listener_close(void)
{
    pthread_mutex_lock(&working);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&working);
}

void pithi_listener_expect(int so)
{
    pthread_mutex_lock(&working);
    expected = so;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&working);
}

/* ---- Signals ----------------------------------------------------------------------------------------------------- */

static void make_snapshot(void) { pithi_snapshot_make(NULL); }

/* The tasks that a signal can request. */
enum { SNAPSHOT, REPORT, TASKS };
static struct task {
    const char *variable, *refusal, *file;
    void (*answer)(void); /* called in the listener's thread */
    int signal;           /* the signal's number; 0: none */
    unsigned asked;       /* signals received so far; atomic */
    unsigned taken;       /* signals that the thread has handled */
    uint64_t rounds;      /* this process's count, which is compared with the file's */
} tasks[TASKS] = {
    [SNAPSHOT] = {.variable = "PITH_SNAPSHOT",
                  .refusal = "the program handles that signal itself, so it takes no snapshots",
                  .file = "snapshots",
                  .answer = make_snapshot},
    [REPORT] = {.variable = "PITH_HANG",
                .refusal = "the program handles SIGUSR2 itself, so that signal makes no report",
                .file = "reports",
                .answer = pithi_hang_report},
};
static sem_t woken;   /* posted to wake the listener before it is time for pithi_hang_look */
static int listening; /* 1: the thread exists; under the guard */

struct answers {
    uint64_t rounds; /* rounds of signals handled so far */
    int64_t last_ns; /* time of the last answer, by CLOCK_MONOTONIC */
};

static void answers_path(char *path, size_t size, const struct task *task, const char *folder, uint64_t job)
{
    snprintf(path, size, "%s/.%s-%llx", folder, task->file, (unsigned long long)job);
}

/* Handles one signal: does the task, unless another process of the job has answered this round. Under `working`. */
static void answer(struct task *task)
{
    struct pithi_job_place place;
    struct answers answers = {0, 0};
    int64_t now_ns = pithi_clock_ns(CLOCK_MONOTONIC);
    int fd;
    if (!pithi_listener_look(&place))
        return;
    task->rounds++;
    char path[PITHI_PATH_MAX + 64];
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    answers_path(path, sizeof path, task, place.folder, place.job);
    fd = pithi_descriptor_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    while (fd >= 0 && fcntl(fd, F_SETLKW, &all) != 0 && errno == EINTR)
        ;

    if (fd >= 0 && pread(fd, &answers, sizeof answers, 0) != (ssize_t)sizeof answers)
        answers = (struct answers){0, 0};
    if (task->rounds > answers.rounds || now_ns - answers.last_ns > ANSWER_HOLDS_NS) {
        task->answer();
        task->rounds = answers.rounds = task->rounds > answers.rounds ? task->rounds : answers.rounds + 1;
        answers.last_ns = pithi_clock_ns(CLOCK_MONOTONIC);
        if (fd >= 0 && pwrite(fd, &answers, sizeof answers, 0) != (ssize_t)sizeof answers)
            pithi_say("%s: %s", task->variable, strerror(errno));
    }
    if (fd >= 0)
        close(fd);
}

/* Waits for a signal, or until `ns` of CLOCK_MONOTONIC (0: no limit). A C library without sem_clockwait (musl, glibc
 * before 2.30) waits by the clock of the day; if that clock is set back meanwhile, the wait of glibc is longer by the
 * same time. */
static void wait_until(int64_t ns)
{
    int status;
    do {
#ifdef HAVE_CLOCKWAIT
        struct timespec time = {ns / 1000000000, ns % 1000000000};
        status = ns ? sem_clockwait(&woken, CLOCK_MONOTONIC, &time) : sem_wait(&woken);
#else
        int64_t day_ns = ns - pithi_clock_ns(CLOCK_MONOTONIC) + pithi_clock_ns(CLOCK_REALTIME);
        struct timespec time = {day_ns / 1000000000, day_ns % 1000000000};
        status = ns ? sem_timedwait(&woken, &time) : sem_wait(&woken);
#endif
    } while (status != 0 && errno == EINTR);
}

static void *listen_for_ever(void *unused)
{
    int64_t look_ns = 0;
    pithi_sample_not_here();
    for (int i = 0; i < TASKS; i++)
        tasks[i].rounds = 0;
    for (;;) {
        if (pithi_session.settings.hang_ns > 0 && pithi_clock_ns(CLOCK_MONOTONIC) >= look_ns)
            look_ns = pithi_clock_ns(CLOCK_MONOTONIC) + pithi_hang_pause();
        wait_until(look_ns); /* a signal, or the time to look whether the job hangs */
        pthread_mutex_lock(&working);
        for (int i = 0; i < TASKS; i++)
            for (; tasks[i].taken != __atomic_load_n(&tasks[i].asked, __ATOMIC_SEQ_CST); tasks[i].taken++) {
                while (expected && !closed)
                    pthread_cond_wait(&changed, &working);
                if (!closed)
                    answer(&tasks[i]);
            }
        if (look_ns && !closed && !expected && pithi_clock_ns(CLOCK_MONOTONIC) >= look_ns)
            pithi_hang_look();
        pthread_mutex_unlock(&working);
    }
    return unused;
}

static void on_signal(int number)
{
    int saved = errno;
    for (int i = 0; i < TASKS; i++)
        if (tasks[i].signal == number)
            __atomic_add_fetch(&tasks[i].asked, 1, __ATOMIC_SEQ_CST);
    sem_post(&woken);
    errno = saved;
}

/* Installs the handler, unless the program has one. The program may also install its own later, which then stays. */
static void take_signal(struct task *task, int number)
{
    struct sigaction before, own = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigfillset(&own.sa_mask);
    task->signal = number;
    if (number == 0 || sigaction(number, NULL, &before) != 0)
        return;
    if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == on_signal)
        return;
    if ((before.sa_flags & SA_SIGINFO) != 0 || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)) {
        pithi_say("%s: %s", task->variable, task->refusal);
        return;
    }
    sigaction(number, &own, NULL);
}

void pithi_listener_start(void)
{
    const struct pithi_settings *settings = &pithi_session.settings;
    pthread_attr_t attributes;
    pthread_t thread;
    closed = 0; /* no lock: no other thread uses it before recording begins */
    if ((settings->snapshot_signal == 0 && settings->hang_ns == 0) || listening || sem_init(&woken, 0, 0) != 0 ||
        pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* The guard has blocked all signals, and the new thread inherits that. */
    listening = pthread_create(&thread, &attributes, listen_for_ever, NULL) == 0;
    pthread_attr_destroy(&attributes);
    if (!listening)
        return;
    take_signal(&tasks[SNAPSHOT], settings->snapshot_signal);
    if (settings->hang_ns > 0 && settings->snapshot_signal != SIGUSR2)
        take_signal(&tasks[REPORT], SIGUSR2);
}

void pithi_listener_forked(void)
{
    pthread_mutex_init(&working, NULL);
    pthread_cond_init(&changed, NULL);
    closed = expected = listening = 0;
}

void pithi_listener_clear(void)
{
    char path[PITHI_PATH_MAX + 64];
    for (int i = 0; i < TASKS; i++) {
        answers_path(path, sizeof path, &tasks[i], pithi_session.folder, pithi_session.job);
        unlink(path);
    }
}
