/* test_record_crash.c - processes that are killed, abort, fault, leave by _exit or exec: what was recorded before is
 * there. */
#include "record_help.h"

#include <sys/mman.h>

#include "common/random.h"
#include "spill/spill_walk.h"

enum { KILLS = 100, BATCH = 50 };

static int announce; /* pipe to the parent */
static uint32_t state, event;

static void record_batch(uint32_t *number)
{
    int i;
    for (i = 0; i < BATCH; i++, ++*number) {
        pith_begin(state);
        pith_event_data(event, number, sizeof *number);
        pith_end(state);
    }
}

static void define(void)
{
    state = pith_state_define("s", NULL);
    event = pith_event_define("number", NULL, NULL);
}

static void record_for_ever(void)
{
    uint32_t number = 0;
    define();
    for (;;) {
        record_batch(&number);
        if (write(announce, &number, sizeof number) != sizeof number)
            _exit(3);
    }
}

/* Of `log`: are the numbers 0 .. n-1 there, each in its state? Gives n, or -1. */
static long numbers_in(const struct help_log *log)
{
    uint32_t expected = 0, number;
    size_t i;
    for (i = 0; i < log->count; i++) {
        uint32_t kind = log->records[i].kind;
        if (kind != (i % 3 == 0 ? PITHLOG_ENTER : i % 3 == 1 ? PITHLOG_EVENT : PITHLOG_LEAVE))
            return -1;
        if (kind != PITHLOG_EVENT)
            continue;
        if (log->records[i].payload_bytes != 4)
            return -1;
        memcpy(&number, log->records[i].payload, 4);
        if (number != expected++)
            return -1;
    }
    return (long)expected;
}

/* Kills after a while that is different each time; gives the last number announced. */
static uint32_t run_and_kill(unsigned microseconds)
{
    uint32_t announced = 0, number;
    int ends[2], status;
    pid_t pid;
    if (pipe(ends) != 0)
        exit(97);
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        announce = ends[1];
        record_for_ever();
    }
    close(ends[1]);
    if (read(ends[0], &announced, sizeof announced) != sizeof announced)
        announced = 0;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    usleep(microseconds);
    while (read(ends[0], &number, sizeof number) == sizeof number)
        announced = number; /* so that the pipe does not stop it */
    usleep(microseconds / 4);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    while (read(ends[0], &number, sizeof number) == sizeof number)
        announced = number;
    close(ends[0]);
    return announced;
}

static void test_kills(void)
{
    unsigned i, good = 0, most = 0;
    for (i = 0; i < KILLS; i++) {
        struct help_log log;
        uint32_t announced;
        long found;
        help_fresh();
        announced = run_and_kill(random_below(1024));
        if (!help_recover(&log, "run.pith.spill"))
            continue;
        found = numbers_in(&log);
        if (found >= (long)announced && announced > 0)
            good++;
        else
            printf("# run %u: %u announced, %ld found\n", i, announced, found);
        most = announced > most ? announced : most;
        help_close(&log);
    }
    OK(good == KILLS, "%d kills: all that was announced is recovered", KILLS);
    OK(most > 1000, "of up to %u", most);
}

/* ---- Other ends -------------------------------------------------------------------------------------------------- */

/* Killed at full speed, when chunks are being put away: what was stored before is told by a page both see. */
static volatile uint32_t *stored;

/* Killed when at least `count` are stored. */
static uint32_t run_fast_and_kill(uint32_t count)
{
    pid_t pid;
    int status;
    *stored = 0;
    pid = fork();
    if (pid == 0) {
        uint32_t number = 0;
        define();
        for (;;) {
            record_batch(&number);
            *stored = number;
        }
    }
    while (*stored < count)
        usleep(10);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return *stored;
}

/* As if death had come when a chunk was copied, but not yet emptied: the newest but one is there twice. */
static int double_chunk(void)
{
    struct pithi_spill_folder folder;
    struct pithi_spill spill;
    const struct pithi_spill_chunk *chunk = NULL;
    uint32_t i;
    int fd, good;
    if (pithi_spill_folder_open(&folder, "run.pith.spill") != PITH_OK ||
        pithi_spill_open(&spill, folder.members[0].path) != PITH_OK)
        return 0;
    for (i = 0; i + 1 < spill.chunk_count; i++)
        if (spill.chunks[i].lane == 0 && spill.chunks[i + 1].lane == 0)
            chunk = &spill.chunks[i];
    fd = open(folder.members[0].path, O_WRONLY | O_APPEND);
    good = chunk != NULL && write(fd, spill.data + chunk->offset, chunk->size) == (ssize_t)chunk->size;
    close(fd);
    pithi_spill_close(&spill);
    pithi_spill_folder_close(&folder);
    return good;
}

static void test_fast_kills(void)
{
    unsigned i, good = 0, most = 0;
    enum { FAST_KILLS = 30 };
    stored = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (i = 0; i < FAST_KILLS; i++) {
        struct help_log log;
        uint32_t told;
        long found;
        help_fresh();
        told = run_fast_and_kill(1 + random_below(65536));
        if (!help_recover(&log, "run.pith.spill"))
            continue;
        found = numbers_in(&log);
        good += found >= (long)told;
        if (found < (long)told)
            printf("# run %u: %u stored, %ld found\n", i, told, found);
        most = told > most ? told : most;
        help_close(&log);
        if (i > 0)
            continue;
        OK(double_chunk() && help_recover(&log, "run.pith.spill") && numbers_in(&log) == found,
           "a chunk that is there twice counts once");
        help_close(&log);
    }
    OK(good == FAST_KILLS, "%d kills at full speed: all that was stored is recovered", FAST_KILLS);
    OK(most > 5 * 256 * 1024 / 40, "of up to %u, in many chunks", most);
}

static void by_exit(void)
{
    uint32_t number = 0;
    define();
    record_batch(&number);
    _exit(5);
}

static void by_abort(void)
{
    uint32_t number = 0;
    define();
    record_batch(&number);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void on_fault(int signal_number)
{
    uint32_t number = BATCH;
    (void)signal_number;
    record_batch(&number);
    _exit(6);
}

static void by_fault(void)
{
    uint32_t number = 0;
    define();
    record_batch(&number);
    signal(SIGSEGV, on_fault);
    raise(SIGSEGV);
}

static void by_exec(void)
{
    uint32_t number = 0;
    define();
    record_batch(&number);
    execl("/bin/true", "true", (char *)NULL);
}

static void test_end(void (*scenario)(void), long wanted, const char *what)
{
    struct help_log log;
    help_fresh();
    help_child(scenario);
    OK(access("run.pith", F_OK) != 0 && help_recover(&log, "run.pith.spill"), "%s: no log, but a spill file", what);
    OK(numbers_in(&log) == wanted, "with all that was recorded");
    help_close(&log);
}

/* A running process can be looked at. */
static void test_running(void)
{
    struct pithi_spill_folder folder;
    struct help_log log;
    uint32_t announced = 0;
    int ends[2], status;
    pid_t pid;
    help_fresh();
    if (pipe(ends) != 0)
        exit(97);
    pid = fork();
    if (pid == 0) {
        announce = ends[1];
        record_for_ever();
    }
    OK(read(ends[0], &announced, sizeof announced) == 4 && help_recover(&log, "run.pith.spill") &&
           numbers_in(&log) >= (long)announced,
       "a log of a running process");
    help_close(&log);
    OK(pithi_spill_folder_open(&folder, "run.pith.spill") == PITH_OK && folder.jobs[0].running == 1,
       "which is seen to run");
    pithi_spill_folder_close(&folder);
    kill(pid, SIGKILL);
    waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
    OK(pithi_spill_folder_open(&folder, "run.pith.spill") == PITH_OK && folder.jobs[0].running == 0,
       "killed, it does not, before its parent has waited for it");
    pithi_spill_folder_close(&folder);
    waitpid(pid, &status, 0);
}

static void *record_alone(void *nothing)
{
    record_for_ever();
    return nothing;
}

/* Only the process's first thread ends. */
static void test_first_thread_ends(void)
{
    struct pithi_spill_folder folder;
    uint32_t announced = 0;
    int ends[2], status;
    pid_t pid;
    help_fresh();
    if (pipe(ends) != 0)
        exit(97);
    pid = fork();
    if (pid == 0) {
        pthread_t thread;
        announce = ends[1];
        pthread_create(&thread, NULL, record_alone, NULL);
        pthread_exit(NULL);
    }
    usleep(50000);
    OK(read(ends[0], &announced, sizeof announced) == 4 &&
           pithi_spill_folder_open(&folder, "run.pith.spill") == PITH_OK && folder.jobs[0].running == 1,
       "a process whose first thread ended runs while others do");
    pithi_spill_folder_close(&folder);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

int main(void)
{
    help_begin();
    test_kills();
    test_fast_kills();
    test_end(by_exit, BATCH, "_exit");
    test_end(by_abort, BATCH, "abort");
    test_end(by_fault, 2 * BATCH, "a fault whose handler records");
    test_end(by_exec, BATCH, "exec");
    test_running();
    test_first_thread_ends();
    help_clean();
    return tap_done();
}
