/* test_follow.c - following running programs: every record once and in order while chunks are filled, copied and used
 * again; a flight recorder that is faster than its reader; ends of all kinds. */
#include "fork_job.h"
#include "record_help.h"
#include "reader/read/follow.h"

#include <time.h>

enum { ROUNDS = 60000, RANKS = 3 };

static void nap(long us)
{
    struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

/* ---- What runs --------------------------------------------------------------------------------------------------- */

static int is_held; /* in the middle it waits for the file "go" */

static void record_rounds(int rank, int size, int rounds)
{
    uint32_t work = pith_state_define("work", "red"), step = pith_event_define("step", NULL, "i=%d");
    int i;
    for (i = 0; i < rounds; i++) {
        unsigned char payload[4] = {(unsigned char)(i >> 24), (unsigned char)(i >> 16), (unsigned char)(i >> 8),
                                    (unsigned char)i};
        pith_begin(work);
        pith_event_data(step, payload, sizeof payload);
        if (size > 1) {
            pith_comm_send(0, (rank + 1) % size, 5, (uint64_t)i);
            pith_comm_recv(0, (rank + size - 1) % size, 5, (uint64_t)i, pith_recv_post());
        }
        pith_end(work);
        if (i == rounds / 2) { /* a definition in the middle */
            char name[32];
            snprintf(name, sizeof name, "late on %d", rank);
            pith_event(pith_event_define(name, NULL, NULL));
        }
        while (i == rounds / 2 && is_held && access("go", F_OK) != 0)
            nap(1000);
        if (i % 1000 == 0)
            nap(1000);
    }
}

static void job_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    char name[16];
    snprintf(name, sizeof name, "main of %d", job->rank);
    pith_thread_name(name);
    pith_job_join(&transport);
    is_held = 1;
    record_rounds(job->rank, job->size, ROUNDS);
    pith_job_finish(&transport);
}

static void run_job(void) { exit(job_run(RANKS, job_body)); }
static void run_short(void) { record_rounds(0, 1, 100); }
static void run_ring(void)
{
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", "1", 1);
    record_rounds(0, 1, 4 * ROUNDS);
}
static void run_killed(void)
{
    record_rounds(0, 1, 5000);
    raise(SIGKILL);
}
static void run_forever(void)
{
    record_rounds(0, 1, 10);
    pause();
}

static pid_t begin(void (*body)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        body();
        exit(0);
    }
    return pid;
}

static void let_go(void) { close(open("go", O_WRONLY | O_CREAT, 0600)); }

/* Waits until there is something to follow. */
static struct pithlog_follow *follow(const char *path)
{
    struct pithlog_follow *follow = NULL;
    int tries;
    for (tries = 0; tries < 20000 && pithlog_follow_open(path, &follow) != PITH_OK; tries++)
        nap(1000);
    return follow;
}

/* ---- What was seen ----------------------------------------------------------------------------------------------- */

enum { LANES = 8 };
struct seen {
    int next[LANES];     /* the step expected of a lane */
    int64_t last[LANES]; /* its last time */
    int64_t last_ns;     /* of all */
    uint64_t records, steps, gaps, backward, backward_lane, messages, wrong_messages, lost, depth_errors, looks;
    uint64_t late; /* records told after the moment that they belong to was over */
    int depth[LANES];
};

static void see(struct seen *seen, const struct pithlog_record *r)
{
    const unsigned char *p = r->payload;
    if (r->lane >= LANES)
        return;
    seen->records++;
    seen->backward += r->time_ns < seen->last_ns;
    seen->backward_lane += r->time_ns < seen->last[r->lane];
    seen->last_ns = seen->last[r->lane] = r->time_ns;
    seen->depth[r->lane] += r->kind == PITHLOG_ENTER ? 1 : r->kind == PITHLOG_LEAVE ? -1 : 0;
    seen->depth_errors += seen->depth[r->lane] < 0 || seen->depth[r->lane] > 1;
    if (r->kind == PITHLOG_LOST)
        seen->lost += r->bytes;
    if (r->kind == PITHLOG_EVENT && r->payload_bytes == 4) {
        int i = p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
        seen->gaps += i != seen->next[r->lane];
        seen->next[r->lane] = i + 1;
        seen->steps++;
    }
}

static void look(struct pithlog_follow *f, struct seen *seen)
{
    struct pithlog_record record;
    struct pithlog_message message;
    int64_t before = pithlog_follow_get_info(f)->now_ns;
    uint32_t lanes = pithlog_follow_get_info(f)->lanes; /* a process may be found after it began */
    int status = pithlog_follow_look(f);
    if (status != PITH_OK)
        printf("# %s\n", pithlog_error());
    seen->looks++;
    while (status == PITH_OK && pithlog_follow_next(f, &record) == 1) {
        if (record.lane < LANES && pithlog_follow_get_lane(f, record.lane)->records == 1)
            seen->last[record.lane] = INT64_MIN;
        seen->late += record.lane < lanes && record.time_ns < before - 1000000;
        see(seen, &record);
        while (pithlog_follow_message(f, &message)) {
            const struct pithlog_lane *from = pithlog_follow_get_lane(f, message.send_lane);
            const struct pithlog_lane *to = pithlog_follow_get_lane(f, message.recv_lane);
            seen->messages++;
            seen->wrong_messages += message.tag != 5 || to->rank != (from->rank + 1) % RANKS;
        }
    }
}

static void look_to_the_end(struct pithlog_follow *f, struct seen *seen, long nap_us)
{
    int tries;
    for (tries = 0; f != NULL && tries < 20000 && !pithlog_follow_get_info(f)->ended; tries++) {
        look(f, seen);
        nap(nap_us);
    }
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void test_job(void)
{
    struct seen seen = {.last_ns = INT64_MIN};
    const struct pithlog_follow_info *info;
    struct pithlog_follow *f;
    struct help_log log;
    pid_t pid;
    int status, names = 0;
    uint32_t i;
    help_fresh();
    pid = begin(run_job);
    f = follow("run.pith.spill");
    OK(f != NULL, "a running job is found");
    if (f != NULL)
        look(f, &seen);
    let_go();
    if (f == NULL)
        return;
    look_to_the_end(f, &seen, 2000);
    waitpid(pid, &status, 0);
    info = pithlog_follow_get_info(f);
    OK(seen.looks > 1, "it is followed while it runs (%d looks)", (int)seen.looks);
    OK(info->ended && info->finished && info->running == 0, "its end is seen, and that its log was written");
    OK(info->ranks == RANKS && info->processes == RANKS && info->lanes == RANKS, "%d ranks, each a lane", RANKS);
    OK(seen.steps == (uint64_t)RANKS * ROUNDS && seen.gaps == 0, "every event once and in order (%d, %d gaps)",
       (int)seen.steps, (int)seen.gaps);
    OK(seen.backward_lane == 0, "time does not fall on a lane");
    OK(seen.backward < seen.records / 1000, "nor, but for threads that were held up, over all lanes (%d of %d)",
       (int)seen.backward, (int)seen.records);
    OK(seen.late < seen.records / 100, "and is told when it is over (%d late)", (int)seen.late);
    OK(seen.depth_errors == 0 && seen.lost == 0, "states nest; nothing is lost");
    OK(seen.messages == (uint64_t)RANKS * ROUNDS && seen.wrong_messages == 0, "every message is matched (%d)",
       (int)seen.messages);
    OK(help_read(&log, "run.pith"), "the log is there");
    OK(log.count == seen.records, "and holds as many records (%d, %d)", (int)log.count, (int)seen.records);
    OK(strstr(info->log, "/run.pith") != NULL && strcmp(info->program, "test_follow") == 0, "its name was told: %s",
       info->log);
    for (i = 0; i < info->lanes; i++) {
        char name[16];
        snprintf(name, sizeof name, "main of %d", pithlog_follow_get_lane(f, i)->rank);
        names += strcmp(pithlog_follow_get_lane(f, i)->name, name) == 0;
    }
    OK(names == RANKS, "lanes have their names");
    OK(strcmp(pithlog_follow_get_def(f, 0)->name, "work") == 0 && pithlog_follow_get_def(f, info->defs) == NULL,
       "definitions have theirs");
    OK(strcmp(pithlog_follow_get_comm(f, 0)->name, "MPI_COMM_WORLD") == 0, "so has the world");
    help_close(&log);
    pithlog_follow_close(f);
}

/* Begun late: what is in copies and windows comes all the same, and from one file the whole job is found. */
static void test_late(void)
{
    struct seen seen = {.last_ns = INT64_MIN};
    struct pithlog_follow *f;
    struct dirent *entry;
    char path[600] = "";
    pid_t pid;
    int status;
    DIR *dir;
    help_fresh();
    pid = begin(run_job);
    pithlog_follow_close(follow("run.pith.spill"));
    nap(40000);
    dir = opendir("run.pith.spill");
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "run.pith.spill/%s", entry->d_name);
    if (dir != NULL)
        closedir(dir);
    f = follow(path);
    let_go();
    look_to_the_end(f, &seen, 3000);
    waitpid(pid, &status, 0);
    OK(seen.steps == (uint64_t)RANKS * ROUNDS && seen.gaps == 0, "begun late, from one file: everything (%d, %d gaps)",
       (int)seen.steps, (int)seen.gaps);
    OK(seen.messages == (uint64_t)RANKS * ROUNDS, "and every message");
    pithlog_follow_close(f);
}

static void test_ring(void)
{
    struct seen seen = {.last_ns = INT64_MIN};
    struct pithlog_follow *f;
    pid_t pid;
    int status;
    help_fresh();
    pid = begin(run_ring);
    f = follow("run.pith.spill");
    look_to_the_end(f, &seen, 500000); /* the writer is faster on a busy machine, too */
    waitpid(pid, &status, 0);
    OK(status == 0 && seen.steps > 1000 && seen.gaps > 0 && seen.steps < 4 * ROUNDS,
       "a flight recorder faster than its reader: gaps (%d steps, %d gaps)", (int)seen.steps, (int)seen.gaps);
    OK(seen.backward_lane == 0, "but in order");
    seen.lost += seen.records;
    OK(seen.lost > 11 * ROUNDS && seen.lost < 13 * ROUNDS, "and what is missing is said (%d in all)", (int)seen.lost);
    pithlog_follow_close(f);
}

static void test_ends(void)
{
    struct seen seen = {.last_ns = INT64_MIN};
    struct pithlog_follow *f = NULL;
    pid_t pid;
    int status, tries;
    help_fresh();
    OK(pithlog_follow_open("run.pith.spill", &f) == PITH_ERR_OPEN && f == NULL, "no such folder: %s", pithlog_error());
    mkdir("run.pith.spill", 0700);
    OK(pithlog_follow_open("run.pith.spill", &f) == PITH_ERR_FORMAT && f == NULL, "nothing in it: %s", pithlog_error());
    rmdir("run.pith.spill");
    pid = begin(run_killed);
    f = follow("run.pith.spill");
    look(f, &seen);
    waitpid(pid, &status, 0);
    look_to_the_end(f, &seen, 1000);
    OK(f != NULL && pithlog_follow_get_info(f)->ended && !pithlog_follow_get_info(f)->finished,
       "a process that is killed: ended, not finished");
    OK(seen.steps == 5000, "with all that it recorded (%d)", (int)seen.steps);
    pithlog_follow_close(f);

    help_fresh();
    memset(&seen, 0, sizeof seen);
    pid = begin(run_forever);
    f = follow("run.pith.spill");
    for (tries = 0; tries < 20000 && (seen.steps < 10 || pithlog_follow_get_info(f)->now_ns <= 50000000); tries++) {
        nap(1000);
        look(f, &seen);
    }
    OK(seen.steps == 10 && !pithlog_follow_get_info(f)->ended,
       "one that waits: its records are there, and it is alive");
    OK(pithlog_follow_get_info(f)->now_ns > 50000000, "its clock goes on");
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    look(f, &seen);
    OK(pithlog_follow_get_info(f)->ended, "until it does not");
    pithlog_follow_close(f);

    help_fresh();
    pid = begin(run_short);
    waitpid(pid, &status, 0);
    OK(pithlog_follow_open("run.pith.spill", &f) == PITH_ERR_OPEN, "one that is over: %s", pithlog_error());
}

/* ---- Chunks that come late --------------------------------------------------------------------------------------- */

enum { CHUNK = 16384 };

static void put_chunk(int fd, uint32_t number, uint32_t lane)
{
    struct pithi_chunk chunk = {.magic = PITHI_CHUNK_MAGIC, .size_bytes = CHUNK, .lane = lane};
    if (pwrite(fd, &chunk, sizeof chunk, PITHI_SPILL_PAGE + (off_t)number * CHUNK) != (ssize_t)sizeof chunk)
        exit(9);
}

/* How many are found, after a look. */
static uint32_t found(struct pithi_follow_process *process)
{
    return pithi_follow_process_look(process) == PITH_OK ? process->chunk_count : UINT32_MAX;
}

static void test_gaps(void)
{
    struct pithi_spill_page page = {.magic = PITHI_SPILL_MAGIC, .rank = -1};
    struct pithi_follow_process *process;
    int fd = open("gaps.spill", O_RDWR | O_CREAT, 0600);
    int good = fd >= 0 && pwrite(fd, &page, sizeof page, 0) == (ssize_t)sizeof page &&
               ftruncate(fd, PITHI_SPILL_PAGE + 5 * CHUNK) == 0 &&
               pithi_follow_process_open(&process, "gaps.spill") == PITH_OK;
    OK(good && found(process) == 0, "a spill file without chunks");
    if (!good)
        return;
    put_chunk(fd, 3, 3);
    OK(found(process) == 1, "a chunk behind three that are still coming");
    put_chunk(fd, 0, 0);
    OK(found(process) == 2, "the first of them");
    put_chunk(fd, 1, 1);
    put_chunk(fd, 2, 2);
    put_chunk(fd, 4, 4);
    OK(found(process) == 5 && found(process) == 5, "all, each once");
    pithi_follow_process_close(process);
    close(fd);
}

int main(void)
{
    help_begin();
    test_gaps();
    test_job();
    test_late();
    test_ring();
    test_ends();
    help_clean();
    return tap_done();
}
