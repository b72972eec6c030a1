/* snapshot.c - reads the spill folder of this job like `pith recover`, while all processes continue to record.
 *
 * By signal: the handler only wakes a thread, which works with all signals blocked. mpirun passes a signal on to all
 * ranks, but only one of them should make a snapshot. So each process counts its signals, a file in the spill folder
 * has the number of rounds answered, and the first process in a new round answers it:
 *
 *     rank 0: signal 1, file says 0: makes the snapshot, file says 1
 *     rank 1: signal 1, file says 1: done already
 *
 * If only some processes get a signal, their counts differ. So an answer also applies to processes that come within a
 * few seconds with a lower count. These processes keep their count, as signals that are already answered may still come
 * to them. But a process that answers takes over the new number of rounds, so that its next signal is answered, too. In
 * MPI_Init the processes do not form a job yet, so a process that gets a signal there waits until it has joined. The
 * file is locked while a snapshot is made; the kernel unlocks it when a process dies.
 */
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chunks.h"
#include "clock.h"
#include "output.h"
#include "pith.h"
#include "process.h"
#include "sample.h"
#include "session.h"
#include "spill/spill_read.h"

#define ANSWER_HOLDS_NS INT64_C(10000000000)

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER; /* held while a snapshot is made */
static int closed, expected; /* under `making`; expected: the process is about to join its job */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* The part of the session that is needed: a copy, since pith_job_join may change it. */
struct source {
    char folder[PITHI_PATH_MAX], log[PITHI_PATH_MAX];
    uint64_t job;
};

static int look(struct source *source)
{
    struct pithi_guard guard;
    int there;
    if (!pithi_guard_enter(&guard))
        return 0;
    there = pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER;
    if (there) {
        pithi_lane_anchor();
        memcpy(source->folder, pithi_session.folder, sizeof source->folder);
        memcpy(source->log, pithi_session.log, sizeof source->log);
        source->job = pithi_session.job;
    }
    pithi_guard_leave(&guard);
    return there;
}

/* ---- Making a snapshot ------------------------------------------------------------------------------------------- */

/* Writes the records of the job as the native log `part`. PITH_OK or an error. */
static int write_part(const struct source *source, const char *part, struct pithi_snapshot *snapshot)
{
    struct pithi_spill_folder folder;
    struct pithi_spill_result result;
    struct pithi_writer *writer = NULL;
    uint32_t i;
    int err = pithi_spill_folder_open(&folder, source->folder);
    if (err != PITH_OK)
        return err;
    err = PITH_ERR_OPEN;
    for (i = 0; i < folder.job_count; i++) {
        const struct pithi_spill_job *job = &folder.jobs[i];
        if (folder.members[job->first].job != source->job)
            continue;
        snapshot->ranks = job->ranks;
        snapshot->ranks_missing = job->missing;
        err = pithi_writer_open(&writer, part, -1);
        if (err == PITH_OK)
            err = pithi_spill_read_job(&folder, job, writer, &result, NULL, NULL);
        if (err == PITH_OK)
            err = pithi_writer_finish(writer);
        snapshot->records = result.records;
        break;
    }
    if (writer != NULL)
        pithi_writer_close(writer);
    pithi_spill_folder_close(&folder);
    return err;
}

static int make(const char *path)
{
    struct source source;
    struct pithi_snapshot snapshot = {.path = path};
    char part[PITHI_PATH_MAX + 64], ending[48];
    if (!look(&source)) {
        pithi_say("no snapshot: nothing is being recorded");
        return -1;
    }
    snprintf(ending, sizeof ending, "-%ld.snapshot", (long)getpid());
    pithi_place_part(part, sizeof part, source.log, source.job, ending);
    snapshot.part = part;
    snapshot.log = source.log;
    if (write_part(&source, part, &snapshot) != PITH_OK) {
        pithi_say("no snapshot: %s", pithlog_error());
        return -1;
    }
    return pithi_output_snapshot(&snapshot);
}

int pith_snapshot(const char *path)
{
    struct pithi_signals signals;
    int cancel_state, status = -1, saved = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pithi_signals_begin(&signals);
    pthread_mutex_lock(&making);
    if (!closed)
        status = make(path);
    pthread_mutex_unlock(&making);
    pithi_signals_end(&signals);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved;
    return status;
}

void pithi_snapshot_close(void)
{
    pthread_mutex_lock(&making);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&making);
}

void pithi_snapshot_expect(int so)
{
    pthread_mutex_lock(&making);
    expected = so;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&making);
}

/* ---- Snapshots by signal ----------------------------------------------------------------------------------------- */

static sem_t asked;
static int listening; /* under the guard */

struct answers {
    uint64_t rounds;
    int64_t last_ns; /* CLOCK_MONOTONIC, perhaps of an earlier boot */
};

static void answers_path(char *path, size_t size, const char *folder, uint64_t job)
{
    snprintf(path, size, "%s/.snapshots-%llx", folder, (unsigned long long)job);
}

static int open_answers(const struct source *source)
{
    char path[PITHI_PATH_MAX + 64];
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd;
    answers_path(path, sizeof path, source->folder, source->job);
    fd = pithi_descriptor_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    while (fd >= 0 && fcntl(fd, F_SETLKW, &all) != 0 && errno == EINTR)
        ;
    return fd;
}

/* Under `making`. */
static void answer(uint64_t *seen)
{
    struct source source;
    struct answers answers = {0, 0};
    int64_t now_ns = pithi_clock_ns(CLOCK_MONOTONIC);
    int fd;
    if (!look(&source))
        return;
    ++*seen;
    fd = open_answers(&source);
    if (fd >= 0 && pread(fd, &answers, sizeof answers, 0) != (ssize_t)sizeof answers)
        answers = (struct answers){0, 0};
    if (*seen > answers.rounds || now_ns - answers.last_ns > ANSWER_HOLDS_NS) {
        make(NULL);
        *seen = answers.rounds = *seen > answers.rounds ? *seen : answers.rounds + 1;
        answers.last_ns = pithi_clock_ns(CLOCK_MONOTONIC);
        if (fd >= 0 && pwrite(fd, &answers, sizeof answers, 0) != (ssize_t)sizeof answers)
            pithi_say("snapshots: %s", strerror(errno));
    }
    if (fd >= 0)
        close(fd);
}

static void *listen_for_ever(void *unused)
{
    uint64_t seen = 0;
    pithi_sample_not_here();
    for (;;) {
        while (sem_wait(&asked) != 0 && errno == EINTR)
            ;
        pthread_mutex_lock(&making);
        while (expected && !closed)
            pthread_cond_wait(&changed, &making);
        if (!closed)
            answer(&seen);
        pthread_mutex_unlock(&making);
    }
    return unused;
}

static void on_signal(int number)
{
    int saved = errno;
    (void)number;
    sem_post(&asked);
    errno = saved;
}

/* Installs the handler, unless the program has its own; the program may also install one later. */
static int take_signal(int number)
{
    struct sigaction before, own = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigfillset(&own.sa_mask);
    if (sigaction(number, NULL, &before) != 0)
        return 0;
    if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == on_signal)
        return 1;
    if ((before.sa_flags & SA_SIGINFO) != 0 || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)) {
        pithi_say("PITH_SNAPSHOT: the program handles that signal itself, so it takes no snapshots");
        return 0;
    }
    return sigaction(number, &own, NULL) == 0;
}

void pithi_snapshot_start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    closed = 0; /* before recording begins nothing else uses it */
    if (pithi_session.settings.snapshot_signal == 0 || listening || sem_init(&asked, 0, 0) != 0 ||
        pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* the thread inherits the blocked signals */
    listening = pthread_create(&thread, &attributes, listen_for_ever, NULL) == 0;
    pthread_attr_destroy(&attributes);
    if (listening)
        take_signal(pithi_session.settings.snapshot_signal);
}

void pithi_snapshot_forked(void)
{
    pthread_mutex_init(&making, NULL);
    pthread_cond_init(&changed, NULL);
    closed = expected = listening = 0;
}

void pithi_snapshot_clear(void)
{
    char path[PITHI_PATH_MAX + 64];
    answers_path(path, sizeof path, pithi_session.folder, pithi_session.job);
    unlink(path);
}
