/* join.c - the processes of a job agree on the name of the log and the number of the job.
 *
 * Until MPI_Init each process has recorded alone, with a job number and a start of its own. Rank 0 broadcasts its job
 * number and start (struct agreement), and all others take them over. Joining needs only this one broadcast, so it
 * hardly gets slower with more processes.
 *
 *     rank 0    job 71, start 100.0 s, log run.pith                         broadcast ->
 *     rank 1    job 72, start 100.2 s, log run.pith      becomes job 71; time 0 of the log is the earliest record
 *
 * A process that does not record takes part as well, since all must make the same calls. If rank 0 does not record, its
 * job number is 0, and each process keeps its own. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_at.h"
#include "base/say.h"
#include "buffer.h"
#include "clock.h"
#include "core_wait.h"
#include "definitions.h"
#include "host_clocks.h"
#include "listener.h"
#include "merge.h"
#include "output.h"
#include "pith_tool.h"
#include "place.h"
#include "process.h"
#include "selection.h"
#include "session.h"

int pithi_job_sync_clocks(const struct pith_transport *transport, int keep)
{
    struct pithi_guard guard;
    const struct pithi_sync *point;
    if (pithi_host_clocks_sync(transport) != 0)
        return -1;
    point = pithi_host_clocks_point();
    if (!keep || point == NULL || !pithi_guard_enter(&guard))
        return 0;
    pithi_defs_sync(pithi_host_clocks_own(), point);
    pithi_guard_leave(&guard);
    return 0;
}

/* The broadcast of rank 0. */
struct agreement {
    uint64_t job;              /* 0: rank 0 does not record */
    int64_t start_real_ns;     /* start of recording in rank 0, by CLOCK_REALTIME */
    int64_t start_mono_ns;     /* start of recording in rank 0, by CLOCK_MONOTONIC of the machine `boot_id` */
    char boot_id[64];          /* of rank 0's machine */
    char log[PITHI_PATH_MAX];  /* the name of the log */
    char host[256], file[256]; /* host: rank 0's host; file: the name of its spill file, without its folder */
};

/* Takes over rank 0's agreement, in the session and in the spill file's page. Under the guard. */
static void take_agreement(const struct agreement *agreed, const struct pith_transport *transport)
{
    struct pithi_session *s = &pithi_session;
    s->rank = transport->rank;
    s->size = transport->size;
    if (agreed->log[0] != '\0') {
        memcpy(s->log, agreed->log, sizeof s->log);
        s->log[sizeof s->log - 1] = '\0';
    }
    if (agreed->job != 0) {
        s->job = agreed->job;
        s->start_real_ns = agreed->start_real_ns;
        memcpy(s->root_host, agreed->host, sizeof s->root_host);
        memcpy(s->root_file, agreed->file, sizeof s->root_file);
    }
    if (s->file.page != NULL) {
        s->file.page->rank = s->rank;
        s->file.page->size = s->size;
        s->file.page->job = s->job;
        memcpy(s->file.page->log, s->log, sizeof s->log);
        /* PITH_FROM and PITH_TO count from the start of rank 0. Processes on rank 0's machine share its clock, so their
         * window is exactly the same. */
        const struct pithi_spill_page *page = pithi_session.file.page;
        if (agreed->job != 0) {
            if (strcmp(agreed->boot_id, page->boot_id) == 0)
                pithi_session_window(agreed->start_mono_ns);
            else /* an estimate, which compare_clocks corrects */
                pithi_session_window(agreed->start_real_ns - page->first.real_ns + page->first.mono_ns);
        }
    }
}

/* The transport of the job that this process has joined. */
static const struct pith_transport *joined;

static int recording(void) { return pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER; }

/* Compares the clocks of the job. Not under the guard, because it waits for other processes. */
static void compare_clocks(const struct pith_transport *transport, const struct agreement *agreed)
{
    struct pithi_guard guard;
    char boot_id[64];
    pithi_boot_id(boot_id, sizeof boot_id);
    if (pithi_host_clocks_join(transport, strcmp(boot_id, agreed->boot_id) == 0) == 0 &&
        pithi_job_sync_clocks(transport, recording()) == 0 && pithi_guard_enter(&guard)) {
        /* On machines other than rank 0's, the window of PITH_FROM and PITH_TO was only an estimate (take_agreement).
         * The clocks are compared now, so the window is set again: it counts from rank 0's start, converted to this
         * machine's clock. */
        const struct pithi_spill_page *page = pithi_session.file.page;
        int64_t reference_ns;
        if (agreed->job != 0 && page != NULL && strcmp(agreed->boot_id, page->boot_id) != 0 &&
            pithi_host_clocks_ns(page->first.mono_ns, &reference_ns) == 0)
            pithi_session_window(agreed->start_mono_ns - reference_ns + page->first.mono_ns);
        pithi_guard_leave(&guard);
    }
}

static void sync_now(void)
{
    struct pithi_own_time own = pithi_own_time_begin();
    pithi_job_sync_clocks(joined, recording());
    pithi_own_time_end(own);
}

void pith_sync(void)
{
    if (joined != NULL && pithi_host_clocks_several())
        sync_now();
}

void pith_job_turn(void)
{
    if (joined != NULL && pithi_turns_take(joined))
        sync_now();
}

void pith_job_expect(void) { pithi_listener_expect(1); }
void pith_job_alone(void) { pithi_listener_expect(0); }

int pith_job_join(const struct pith_transport *transport)
{
    struct agreement agreed;
    struct pithi_guard guard;
    int on;

    memset(&agreed, 0, sizeof agreed);
    if (!pithi_guard_enter(&guard))
        return -1;
    /* Sets up recording now, even if the program has paused it, because every process of the job needs a spill file. */
    int paused = pithi_session.state == PITHI_PAUSED;
    if (paused && pithi_session.file.page == NULL)
        pithi_session.state = PITHI_NEW;
    pithi_session_start();
    if (paused && pithi_session.state == PITHI_RECORDING) {
        __atomic_store_n(&pithi_session.state, PITHI_PAUSED, __ATOMIC_SEQ_CST);
        pithi_buffer_stop_all();
    }
    pithi_boot_id(agreed.boot_id, sizeof agreed.boot_id);
    if (recording()) {
        agreed.job = pithi_session.job;
        agreed.start_real_ns = pithi_session.start_real_ns;
        agreed.start_mono_ns = pithi_session.file.page->first.mono_ns;
        const char *path = pithi_session.file.path, *slash = strrchr(path, '/');
        snprintf(agreed.host, sizeof agreed.host, "%s", pithi_session.file.page->host);
        snprintf(agreed.file, sizeof agreed.file, "%.255s", slash != NULL ? slash + 1 : path);
    }
    memcpy(agreed.log, pithi_session.log, sizeof agreed.log);
    pithi_guard_leave(&guard);
    if (transport->bcast(transport->context, 0, &agreed, sizeof agreed) != 0 || !pithi_guard_enter(&guard)) {
        pithi_listener_expect(0);
        return -1;
    }
    take_agreement(&agreed, transport);
    /* Applies PITH_RANKS, now that the rank is known. */
    struct pithi_session *s = &pithi_session;
    s->left_out = !pithi_ranks_has(s->settings.ranks, s->rank);
    s->listed = pithi_ranks_count(s->settings.ranks, s->size);
    if (s->listed == 0 && s->rank == 0)
        pithi_say("PITH_RANKS=%s: the job has ranks 0 to %d; nothing is recorded", s->settings.ranks, s->size - 1);
    if (s->file.page != NULL)
        s->file.page->listed = (uint64_t)s->listed;
    if (s->left_out)
        pithi_session_drop();
    if (s->listed > 0)
        pithi_output_watched();
    pithi_guard_leave(&guard);
    /* Each process has stored the job's number in its file by now. compare_clocks begins with a reduction, so when it
     * returns, all processes have done so. */
    compare_clocks(transport, &agreed);
    pithi_listener_expect(0);
    joined = transport;
    pithi_turns_begin(pithi_session.settings.sync_ns);
    pithi_core_wait_begin();
    on = recording();
    return on ? 0 : -1;
}

const struct pith_transport *pith_job_joined(void) { return joined; }

int pith_job_log(const char *name)
{
    struct pithi_session *s = &pithi_session;
    struct pithi_settings settings = {.log = name};
    struct pithi_guard guard;
    char log[PITHI_PATH_MAX];
    int taken = -1;
    if (name == NULL || *name == '\0' || !pithi_guard_enter(&guard))
        return -1;
    if (joined != NULL && (s->settings.log == NULL || s->rank != 0) &&
        pithi_place_log(log, sizeof log, &settings, s->program, 0) == NULL) {
        memcpy(s->log, log, sizeof s->log);
        if (s->file.page != NULL)
            memcpy(s->file.page->log, log, sizeof log);
        pithi_output_watched();
        taken = 0;
    }
    pithi_guard_leave(&guard);
    return taken;
}

int pith_job_again(void)
{
    struct pithi_guard guard;
    if (!pithi_guard_enter(&guard))
        return -1;
    pithi_session_again();
    int state = pithi_session.state;
    pithi_guard_leave(&guard);
    return state == PITHI_NEW ? 0 : -1;
}

const char *pith_job_written(void) { return pithi_session.written; }

void pith_job_finish(const struct pith_transport *transport)
{
    joined = NULL;
    if (pithi_merge(transport)) {
        char done = 1;
        if (transport->rank == 0)
            /* the other ranks sleep in pithi_spread and leave the cores to the analysis */
            pithi_output_analyze(transport->affinity);
        pithi_spread(transport, &done, sizeof done);
    }
    pithi_session.size = transport->size; /* not 0, so that at_exit writes no other log */
}

void pith_job_abandon(void)
{
    if (pithi_session.file.page != NULL && pithi_session.size > 0)
        pithi_output_missed();
}

static void (*call_watch)(void);

void pith_watch_calls(void (*watch)(void)) { call_watch = watch; }

int pith_watched_call(void)
{
    if (call_watch == NULL)
        return 0;
    call_watch();
    return 1;
}

int pith_recorded(void) { return pithi_session.start_real_ns != 0 || pithi_session.failed; }

int pith_where(const char **log, const char **spill)
{
    struct pithi_guard guard;
    int there;
    if (!pithi_guard_enter(&guard))
        return -1;
    there = pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER;
    *log = pithi_session.log;
    *spill = pithi_session.file.path;
    pithi_guard_leave(&guard);
    return there ? 0 : -1;
}

/* ---- A job of one process ---------------------------------------------------------------------------------------- */

static int no_peer(void *context, int to, const void *data, size_t size)
{
    (void)context, (void)to, (void)data, (void)size;
    return -1;
}

static int no_peer_recv(void *context, int from, void *data, size_t size)
{
    (void)context, (void)from, (void)data, (void)size;
    return -1;
}

static int bcast(void *context, int root, void *data, size_t size)
{
    (void)context, (void)root, (void)data, (void)size;
    return 0;
}

static int sum_before(void *context, uint64_t *value)
{
    (void)context;
    *value = 0;
    return 0;
}

static int reduce(void *context, uint64_t *values, int count, int op)
{
    (void)context, (void)values, (void)count, (void)op;
    return 0;
}

static int barrier(void *context)
{
    (void)context;
    return 0;
}

static int file_open(void *context, const char *path, int maker, void **file)
{
    int fd = pithi_descriptor_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    (void)context, (void)maker;
    *file = (void *)(intptr_t)fd;
    return fd < 0 ? -1 : 0;
}

static int file_write_at(void *context, void *file, uint64_t offset, const void *data, size_t size)
{
    (void)context;
    return pithi_write_at((int)(intptr_t)file, data, size, offset) == size ? 0 : -1;
}

static int file_close(void *context, void *file)
{
    (void)context;
    return close((int)(intptr_t)file);
}

const struct pith_transport *pith_transport_alone(void)
{
    static const struct pith_transport alone = {.size = 1,
                                                .sharing = 1,
                                                .send = no_peer,
                                                .recv = no_peer_recv,
                                                .bcast = bcast,
                                                .sum_before = sum_before,
                                                .reduce = reduce,
                                                .barrier = barrier,
                                                .file_open = file_open,
                                                .file_write_at = file_write_at,
                                                .file_close = file_close};
    return &alone;
}
