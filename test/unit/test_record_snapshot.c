/* test_record_snapshot.c - logs of a running program: by the call, by a signal, of a job; each is what the final log
 * begins with; and nothing is disturbed or left behind. */
#include "fork_job.h"
#include "record_help.h"

#include <glob.h>
#include <time.h>

enum { THREADS = 3, STEPS = 40000, RANKS = 3 };

static void nap(long us)
{
    struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

/* Waits for a file, at most 20 seconds. */
static int wait_for(const char *path)
{
    int tries;
    for (tries = 0; tries < 2000 && access(path, F_OK) != 0; tries++)
        nap(10000);
    return access(path, F_OK) == 0;
}

static void step(uint32_t state, uint32_t number, uint32_t i)
{
    pith_begin(state);
    pith_event_data(number, &i, sizeof i);
    pith_end(state);
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

static int is_same(const struct help_log *a, const struct pithlog_record *x, const struct help_log *b,
                   const struct pithlog_record *y)
{
    return x->kind == y->kind && strcmp(help_name(a, x), help_name(b, y)) == 0 &&
           x->payload_bytes == y->payload_bytes &&
           (x->payload_bytes == 0 || memcmp(x->payload, y->payload, x->payload_bytes) == 0);
}

static uint32_t rank_of(const struct help_log *log, const struct pithlog_record *record)
{
    const struct pithlog_lane *lane = pithlog_get_lane(log->log, record->lane);
    return (uint32_t)lane->rank << 8 | lane->thread;
}

/* Is every lane of the snapshot the beginning of the same lane of the final log? */
static int is_prefix(const struct help_log *part, const struct help_log *whole)
{
    uint32_t lane;
    for (lane = 0; lane < part->info->lanes; lane++) {
        const struct pithlog_lane *own = pithlog_get_lane(part->log, lane);
        uint32_t key = (uint32_t)own->rank << 8 | own->thread;
        size_t i, at = 0;
        for (i = 0; i < part->count; i++) {
            if (part->records[i].lane != lane)
                continue;
            while (at < whole->count && rank_of(whole, &whole->records[at]) != key)
                at++;
            if (at == whole->count || !is_same(part, &part->records[i], whole, &whole->records[at]))
                return 0;
            at++;
        }
    }
    return part->count > 0 && part->count <= whole->count;
}

/* The two logs: 1 when both can be read and one begins with the other. */
static int compare(const char *part_path, const char *whole_path, uint64_t least)
{
    struct help_log part, whole;
    int good = help_read(&part, part_path) && help_read(&whole, whole_path);
    if (good && part.count < least)
        printf("# %s: only %zu records\n", part_path, part.count);
    good = good && part.count >= least && is_prefix(&part, &whole);
    help_close(&part);
    help_close(&whole);
    return good;
}

/* ---- By the call ------------------------------------------------------------------------------------------------- */

static void *record_thread(void *number)
{
    uint32_t state = pith_state_define("work", NULL), event = pith_event_define("number", NULL, NULL), i;
    (void)number;
    for (i = 0; i < STEPS; i++) {
        step(state, event, i);
        if (i % 1000 == 0)
            nap(1000);
    }
    return NULL;
}

static void record_calls(void)
{
    pthread_t threads[THREADS];
    uint32_t state = pith_state_define("main", NULL), event = pith_event_define("number", NULL, NULL), i;
    pith_begin(state);
    for (i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record_thread, NULL);
    for (i = 0; i < 100; i++)
        step(state, event, i);
    errno = 77;
    if (pith_snapshot(NULL) != 0 || errno != 77)
        exit(3);
    for (i = 0; i < 100; i++)
        step(state, event, i);
    if (pith_snapshot(NULL) != 0 || pith_snapshot("mine.pith") != 0 ||
        (help_can_convert() && pith_snapshot("mine.alog") != 0))
        exit(4);
    if (pith_snapshot("no/such/folder.pith") != -1)
        exit(5);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pith_end(state);
}

static void test_calls(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_calls) == 0, "snapshots while three threads record");
    OK(compare("run.snapshot-1.pith", "run.pith", 301), "the first is what the log begins with");
    OK(compare("run.snapshot-2.pith", "run.pith", 601) && compare("mine.pith", "run.pith", 601),
       "so are the second and the one with a name");
    if (help_can_convert()) {
        OK(help_read(&log, "mine.alog") && strcmp(log.info->format, "alog") == 0, "the suffix says the format");
        help_close(&log);
    } else {
        OK(1, "the suffix says the format " HELP_NO_CONVERT);
    }
    OK(help_files(".", "") == 5 + help_can_convert() && access("run.pith.spill", F_OK) != 0, "nothing else is left");
    OK(help_lines(help_said()) == 1 && strstr(help_said(), "no/such/folder.pith") != NULL,
       "what cannot be written is said in a line");
}

static void record_none(void)
{
    if (pith_snapshot(NULL) != -1)
        exit(3);
}

static void record_over(void)
{
    pith_begin(pith_state_define("s", NULL));
    pith_finish();
    if (pith_snapshot(NULL) != -1)
        exit(3);
}

static void test_nothing(void)
{
    help_fresh();
    OK(help_child(record_none) == 0 && help_lines(help_said()) == 1, "nothing recorded: no snapshot");
    help_fresh();
    OK(help_child(record_over) == 0 && help_files(".", ".pith") == 1, "recording over: none either");
}

/* ---- By a signal ------------------------------------------------------------------------------------------------- */

static void record_signalled(void)
{
    uint32_t state, event, i;
    setenv("PITH_SNAPSHOT", "USR1", 1);
    state = pith_state_define("work", NULL);
    event = pith_event_define("number", NULL, NULL);
    for (i = 0; i < 100; i++)
        step(state, event, i);
    kill(getpid(), SIGUSR1);
    if (!wait_for("run.snapshot-1.pith"))
        exit(3);
    for (; i < 200; i++)
        step(state, event, i);
    kill(getpid(), SIGUSR1);
    if (!wait_for("run.snapshot-2.pith"))
        exit(4);
}

static volatile int handled;
static void on_signal(int number) { handled += number == SIGUSR1; }

static void record_own_handler(void)
{
    setenv("PITH_SNAPSHOT", "SIGUSR1", 1);
    pith_event(pith_event_define("e", NULL, NULL));
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    if (handled != 1)
        exit(3);
}

static void record_had_handler(void)
{
    signal(SIGUSR1, on_signal);
    setenv("PITH_SNAPSHOT", "USR1", 1);
    pith_event(pith_event_define("e", NULL, NULL));
    raise(SIGUSR1);
    if (handled != 1)
        exit(3);
}

/* One sanitizer knows no threads in the child of a process with threads, the other's malloc may be locked for ever
 * there by a thread that only the parent has (glibc's own is not). */
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
static void record_fork(void)
{
    uint32_t event;
    char path[64];
    int status = -1;
    pid_t pid;
    setenv("PITH_SNAPSHOT", "10", 1); /* USR1 by its number */
    event = pith_event_define("e", NULL, NULL);
    pith_event(event);
    pid = fork();
    if (pid == 0) {
        pith_event(event);
        kill(getpid(), SIGUSR1);
        snprintf(path, sizeof path, "run-%d.snapshot-1.pith", (int)getpid());
        exit(wait_for(path) ? 0 : 3);
    }
    waitpid(pid, &status, 0);
    if (status != 0)
        exit(3);
    kill(getpid(), SIGUSR1);
    if (!wait_for("run.snapshot-1.pith"))
        exit(4);
}
#endif

static void test_signals(void)
{
    help_fresh();
    OK(help_child(record_signalled) == 0, "PITH_SNAPSHOT=USR1: two signals, two snapshots");
    OK(compare("run.snapshot-1.pith", "run.pith", 300) && compare("run.snapshot-2.pith", "run.pith", 600),
       "each is what the log begins with");
    OK(help_files(".", "") == 4 && access("run.pith.spill", F_OK) != 0, "nothing else is left");
    help_fresh();
    OK(help_child(record_own_handler) == 0 && help_files(".", ".pith") == 1, "a handler that comes later wins");
    help_fresh();
    OK(help_child(record_had_handler) == 0 && help_files(".", ".pith") == 1 && help_lines(help_said()) == 1,
       "so does one that was there, and that is said");
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    help_fresh();
    OK(help_child(record_fork) == 0, "a forked child answers for itself, and its parent after it");
#endif
}

/* ---- A job ------------------------------------------------------------------------------------------------------- */

static void job_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    uint32_t state, event, i, round;
    setenv("PITH_SNAPSHOT", "USR1", 1);
    state = pith_state_define("work", NULL);
    event = pith_event_define("number", NULL, NULL);
    pith_job_join(&transport);
    for (round = 1; round <= 3; round++) {
        char path[64];
        for (i = 0; i < 100; i++)
            step(state, event, i);
        job_barrier(job);
        kill(getpid(), SIGUSR1); /* all of them, as mpirun does */
        snprintf(path, sizeof path, "run.snapshot-%u.pith", round);
        if (!wait_for(path))
            exit(3);
        nap(50000);
        job_barrier(job);
    }
    pith_job_finish(&transport);
}

static void run_job(void) { exit(job_run(RANKS, job_body)); }

/* Rank 1 is held up: it gets two signals one after the other when rank 0 has answered both. */
static void late_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    setenv("PITH_SNAPSHOT", "USR1", 1);
    pith_event(pith_event_define("e", NULL, NULL));
    pith_job_join(&transport);
    for (int rank = 0; rank < 2; rank++) {
        for (int round = 1; round <= 2 && job->rank == rank; round++) {
            char path[64];
            kill(getpid(), SIGUSR1);
            snprintf(path, sizeof path, "run.snapshot-%d.pith", round);
            if (!wait_for(path))
                exit(3);
            nap(200000);
        }
        job_barrier(job);
    }
    kill(getpid(), SIGUSR1); /* all of them */
    if (!wait_for("run.snapshot-3.pith"))
        exit(4);
    nap(200000);
    job_barrier(job);
    pith_job_finish(&transport);
}

static void run_late(void) { exit(job_run(RANKS, late_body)); }

/* The last answer was long ago. */
static void forget_answer(void)
{
    int64_t last_ns = INT64_MIN / 2;
    glob_t found;
    int fd = glob("run.pith.spill/.snapshots-*", 0, NULL, &found) == 0 ? open(found.gl_pathv[0], O_WRONLY) : -1;
    if (fd < 0 || pwrite(fd, &last_ns, sizeof last_ns, sizeof(uint64_t)) != sizeof last_ns)
        exit(5);
    close(fd);
    globfree(&found);
}

/* Rank 0 gets two signals. Then only rank 1 gets any. */
static void alone_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    setenv("PITH_SNAPSHOT", "USR1", 1);
    pith_event(pith_event_define("e", NULL, NULL));
    pith_job_join(&transport);
    for (int round = 1; round <= 4; round++) {
        char path[64];
        snprintf(path, sizeof path, "run.snapshot-%d.pith", round);
        if (round == 3 && job->rank == 1)
            forget_answer();
        if (job->rank == (round > 2)) {
            kill(getpid(), SIGUSR1);
            if (!wait_for(path))
                exit(3);
            nap(200000);
        }
        job_barrier(job);
    }
    pith_job_finish(&transport);
}

static void run_alone(void) { exit(job_run(RANKS, alone_body)); }

static void test_job(void)
{
    help_fresh();
    OK(help_child(run_job) == 0, "three signals to each of %d ranks", RANKS);
    OK(compare("run.snapshot-1.pith", "run.pith", RANKS * 300) &&
           compare("run.snapshot-3.pith", "run.pith", RANKS * 900),
       "snapshots of all ranks");
    OK(access("run.snapshot-4.pith", F_OK) != 0, "three of them, not one of each rank");
    OK(access("run.pith.spill", F_OK) != 0, "no spill folder is left");
    help_fresh();
    OK(help_child(run_late) == 0, "a rank that gets its signals late");
    OK(access("run.snapshot-3.pith", F_OK) == 0 && access("run.snapshot-4.pith", F_OK) != 0,
       "makes no more snapshots for them");
    help_fresh();
    OK(help_child(run_alone) == 0, "signals that only the rank with fewer signals gets are answered");
}

int main(void)
{
    help_begin();
    unsetenv("PITH_SNAPSHOT");
    test_calls();
    test_nothing();
    test_signals();
    test_job();
    help_clean();
    return tap_done();
}
