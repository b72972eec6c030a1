/* test_record_ring.c - a flight recorder: of its newest records those that it keeps are whole, every LEAVE has its
 * ENTER, and states that are open for longer than the ring is long are there: at the end, after kill -9, in a snapshot
 * of the running program, and in the formats that it is converted to. */
#include "record_help.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "common/random.h"
#include "pith_tool.h"
#include "spill/spill_chunk.h"
#include "spill/spill_numbers.h"

enum { ROUNDS = 100000, KILLS = 40, DEPTH_MAX = 64 };

static volatile uint32_t *stored; /* shared with the parent: steps that are stored for certain */

static void ring(const char *megabytes)
{
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", megabytes, 1);
}

/* main > solver > step, each with a number; the last one is told to the parent. */
static void run_steps(uint32_t rounds)
{
    uint32_t outer = pith_state_define("main", NULL), solver = pith_state_define("solver", NULL),
             step = pith_state_define("step", NULL), number = pith_event_define("number", NULL, NULL), i;
    pith_begin(outer);
    pith_begin(solver);
    for (i = 0; i < rounds; i++) {
        pith_begin(step);
        pith_event_data(number, &i, sizeof i);
        pith_end(step);
        *stored = i + 1;
        if (i % 100000 == 99999) {
            pith_end(solver);
            pith_begin(solver);
        }
    }
    pith_end(solver);
    pith_end(outer);
}

/* ---- What a log holds -------------------------------------------------------------------------------------------- */

struct kept {
    int balanced;         /* every LEAVE ends the innermost state */
    uint32_t first, last; /* numbers */
    uint64_t numbers, gaps;
    uint32_t open;     /* states at the end */
    uint32_t least;    /* states open at any event */
    char under[2][16]; /* the states around the first step */
};

static void look(const struct help_log *log, struct kept *kept)
{
    uint32_t open[DEPTH_MAX], depth = 0, number;
    size_t i;
    memset(kept, 0, sizeof *kept);
    kept->balanced = 1;
    kept->least = DEPTH_MAX;
    for (i = 0; i < log->count; i++) {
        const struct pithlog_record *r = &log->records[i];
        if (r->kind == PITHLOG_ENTER && depth < DEPTH_MAX)
            open[depth++] = r->id;
        if (r->kind == PITHLOG_LEAVE && (depth == 0 || open[--depth] != r->id))
            kept->balanced = 0;
        if (r->kind != PITHLOG_EVENT || r->payload_bytes != 4)
            continue;
        memcpy(&number, r->payload, 4);
        if (kept->numbers == 0 && depth >= 2) {
            snprintf(kept->under[0], sizeof kept->under[0], "%s", pithlog_get_def(log->log, open[0])->name);
            snprintf(kept->under[1], sizeof kept->under[1], "%s", pithlog_get_def(log->log, open[1])->name);
        }
        if (kept->numbers++ == 0)
            kept->first = number;
        else
            kept->gaps += number != kept->last + 1;
        kept->last = number;
        kept->least = depth < kept->least ? depth : kept->least;
    }
    kept->open = depth;
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

static void record_steps(void)
{
    ring("1");
    run_steps(ROUNDS);
}

static int converted_balanced(const char *path)
{
    struct help_log log;
    struct kept kept;
    struct pithi_convert all = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct pithlog *from;
    int good = pithlog_open("run.pith", &from) == PITH_OK &&
               pithi_format_write(from, pithi_format_by_suffix(path), path, &all) == PITH_OK;
    pithlog_close(from);
    if (!good || !help_read(&log, path))
        return 0;
    look(&log, &kept);
    good = kept.balanced && kept.open == 0 && help_count(&log, PITHLOG_ENTER, "main") == 1 &&
           help_count(&log, PITHLOG_LEAVE, "main") == 1;
    help_close(&log);
    return good;
}

static void test_end(void)
{
    struct help_log log;
    struct kept kept;
    help_fresh();
    OK(help_child(record_steps) == 0 && help_read(&log, "run.pith"), "a flight recorder of 1 MiB");
    look(&log, &kept);
    OK(kept.balanced && kept.open == 0, "every LEAVE has its ENTER, and the other way round");
    OK(strcmp(kept.under[0], "main") == 0 && strcmp(kept.under[1], "solver") == 0 && kept.least == 3,
       "the states open all the time are there: %s, %s", kept.under[0], kept.under[1]);
    OK(kept.last == ROUNDS - 1 && kept.gaps == 0 && kept.numbers > 15000, "the newest %d are there without a gap",
       (int)kept.numbers);
    OK(help_count(&log, PITHLOG_LOST, NULL) == 1 && log.info->lost + kept.numbers * 3 >= ROUNDS * UINT64_C(3) - 6 &&
           log.info->lost + kept.numbers * 3 <= ROUNDS * UINT64_C(3) + 6,
       "what was overwritten is told: %llu", (unsigned long long)log.info->lost);
    help_close(&log);
    OK(converted_balanced("run.alog"), "converted to ALOG states are whole");
    OK(converted_balanced("run.clog2"), "to CLOG-2 too");
}

/* ---- By numbers, as MPE's API records what another rank describes ------------------------------------------------ */

static void record_by_numbers(void)
{
    const char *group = PITHI_NUMBERS_GROUP;
    uint32_t begins = pith_event_define_group("event 600", NULL, NULL, group),
             ends = pith_event_define_group("event 601", NULL, NULL, group), i;
    ring("1");
    pith_state_define("main", NULL);
    pith_state_define("solver", NULL);
    pith_property("mpe_state_600_601", "main");
    pith_property("mpe_state_602_603", "solver");
    pith_event(begins);
    pith_event(pith_event_define_group("event 602", NULL, NULL, group));
    run_steps(ROUNDS);
    pith_event(pith_event_define_group("event 603", NULL, NULL, group));
    pith_event(ends);
    for (i = 0; i < 3; i++) { /* within what is kept */
        pith_event(begins);
        pith_event(ends);
    }
}

static void test_numbers(void)
{
    struct help_log log;
    struct kept kept;
    help_fresh();
    OK(help_child(record_by_numbers) == 0 && help_read(&log, "run.pith"), "states by number in a flight recorder");
    look(&log, &kept);
    OK(kept.balanced && kept.open == 0 && kept.least == 5, "those begun before the oldest record are there (%u deep)",
       kept.least);
    OK(help_count(&log, PITHLOG_ENTER, "main") == 5 && help_count(&log, PITHLOG_LEAVE, "main") == 5 &&
           help_count(&log, PITHLOG_ENTER, "solver") == 3,
       "each once");
    help_close(&log);
}

/* ---- Killed ------------------------------------------------------------------------------------------------------ */

static uint32_t run_and_kill(uint32_t count)
{
    int status;
    pid_t pid;
    *stored = 0;
    pid = fork();
    if (pid == 0) {
        ring("1");
        run_steps(UINT32_MAX);
        _exit(1);
    }
    while (*stored < count)
        usleep(10);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return *stored;
}

static void test_kills(void)
{
    unsigned i, good = 0, wrapped = 0;
    for (i = 0; i < KILLS; i++) {
        struct help_log log;
        struct kept kept;
        uint32_t told;
        help_fresh();
        told = run_and_kill(1 + random_below(262144));
        if (!help_recover(&log, "run.pith.spill"))
            continue;
        look(&log, &kept);
        if (kept.balanced && kept.gaps == 0 && kept.last + 1 >= told && strcmp(kept.under[0], "main") == 0 &&
            strcmp(kept.under[1], "solver") == 0 && kept.least == 3)
            good++;
        else
            printf("# run %u: balanced %d, %d gaps, %u to %u of %u, least %u\n", i, kept.balanced, (int)kept.gaps,
                   kept.first, kept.last, told, kept.least);
        wrapped += kept.first > 0;
        help_close(&log);
    }
    OK(good == KILLS, "%d kills: the newest are there, and every state around them", KILLS);
    OK(wrapped > KILLS / 4, "of %u the oldest were overwritten", wrapped);
}

/* ---- Looked at while it runs ------------------------------------------------------------------------------------- */

static void test_running(void)
{
    unsigned good = 0, i;
    int status;
    pid_t pid;
    help_fresh();
    *stored = 0;
    pid = fork();
    if (pid == 0) {
        ring("2");
        run_steps(UINT32_MAX);
        _exit(1);
    }
    while (*stored < 100000)
        usleep(10);
    for (i = 0; i < 10; i++) {
        struct help_log log;
        struct kept kept;
        uint32_t told = *stored;
        if (!help_recover(&log, "run.pith.spill"))
            continue;
        look(&log, &kept);
        if (kept.balanced && kept.last + 1 >= told && kept.numbers > 0 && strcmp(kept.under[0], "main") == 0 &&
            strcmp(kept.under[1], "solver") == 0)
            good++;
        else
            printf("# look %u: balanced %d, %u to %u of %u, %d numbers, under %s\n", i, kept.balanced, kept.first,
                   kept.last, told, (int)kept.numbers, kept.under[0]);
        help_close(&log);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    OK(good == 10, "ten looks at one that runs, faster than it can be read");
}

/* ---- The list of open states ------------------------------------------------------------------------------------- */

static void test_open(void)
{
    struct pithi_spill_open open;
    uint32_t i, good = 1;
    memset(&open, 0, sizeof open);
    pithi_open_enter(&open, 1);
    for (i = 0; i < 5000; i++)
        pithi_open_enter(&open, 2);
    OK(open.count == 3 && pithi_open_times(open.entries[1]) == 4096 && pithi_open_times(open.entries[2]) == 904,
       "a state entered 5000 times in itself takes two entries");
    for (i = 0; i < 5000; i++)
        good &= pithi_open_leave(&open, 2) == 1;
    OK(good && open.count == 1 && pithi_open_leave(&open, 2) == 0, "and is left as often");
    pithi_open_enter(&open, 5);
    OK(pithi_open_leave(&open, 1) == 1 && open.count == 1 && pithi_open_id(open.entries[0]) == 5,
       "a state that is not the innermost can be left");
    for (i = 0; i < PITHI_OPEN_ROOM + 9; i++)
        pithi_open_enter(&open, 10 + i);
    OK(open.count == PITHI_OPEN_ROOM && open.above == 10 && pithi_open_id(open.entries[0]) == 5,
       "of too many the outer ones are kept");
    for (i = PITHI_OPEN_ROOM + 9; i-- > 0;)
        pithi_open_leave(&open, 10 + i);
    OK(open.count == 1 && open.above == 0, "and the inner ones counted");
}

/* A ring in which more than can be kept is open. */
static void record_deep(void)
{
    uint32_t ids[400], i, turn;
    ring("1");
    for (i = 0; i < 400; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        ids[i] = pith_state_define(name, NULL);
        pith_begin(ids[i]);
    }
    for (turn = 0; turn < 1000; turn++) {
        for (i = 400; i-- > 200;)
            pith_end(ids[i]);
        for (i = 200; i < 400; i++)
            pith_begin(ids[i]);
    }
    for (i = 400; i-- > 0;)
        pith_end(ids[i]);
}

static void test_deep(void)
{
    struct help_log log;
    size_t i;
    int64_t depth = 0, least = 1000;
    help_fresh();
    OK(help_child(record_deep) == 0 && help_read(&log, "run.pith"), "400 states deep");
    for (i = 0; i < log.count; i++) {
        depth += log.records[i].kind == PITHLOG_ENTER;
        depth -= log.records[i].kind == PITHLOG_LEAVE;
        least = depth < least ? depth : least;
    }
    OK(depth == 0 && least == 0, "balanced");
    OK(help_count(&log, PITHLOG_ENTER, "f0") == 1 && help_count(&log, PITHLOG_ENTER, "f199") == 1,
       "the outer ones are there");
    help_close(&log);
}

/* ---- Threads that come late -------------------------------------------------------------------------------------- */

enum { LATE = 3, LATE_PAIRS = 100000 };

static void *record_late(void *unused)
{
    uint32_t state = pith_state_define("late", NULL), i;
    for (i = 0; i < LATE_PAIRS; i++) {
        pith_begin(state);
        pith_end(state);
    }
    return unused;
}

static void record_lates(void)
{
    pthread_t threads[LATE];
    uint32_t i;
    ring("2");
    run_steps(ROUNDS);
    for (i = 0; i < LATE; i++)
        pthread_create(&threads[i], NULL, record_late, NULL);
    for (i = 0; i < LATE; i++)
        pthread_join(threads[i], NULL);
}

static void test_late(void)
{
    struct help_log log;
    uint64_t least = UINT64_MAX, told = 0, whole = 1;
    uint32_t lane;
    size_t i;
    help_fresh();
    OK(help_child(record_lates) == 0 && help_read(&log, "run.pith"), "%d threads that begin when the ring is full",
       LATE);
    for (lane = 0; lane < log.info->lanes; lane++) {
        uint64_t records = 0;
        int64_t depth = 0;
        for (i = 0; i < log.count; i++) {
            const struct pithlog_record *r = &log.records[i];
            if (r->lane != lane)
                continue;
            records++;
            depth += r->kind == PITHLOG_ENTER ? 1 : r->kind == PITHLOG_LEAVE ? -1 : 0;
            whole &= depth >= 0;
            told += r->kind == PITHLOG_LOST ? r->bytes : 0;
        }
        least = records < least ? records : least;
    }
    OK(whole && told == log.info->lost, "each lane's states are whole, and all losses are told");
    OK(least > 10000, "each has its part of the ring (%u lanes, %d records at least)", log.info->lanes, (int)least);
    help_close(&log);
}

/* ---- More threads than chunks ------------------------------------------------------------------------------------ */

enum { MANY = 60, MANY_STEPS = 20000, LONG = 40000 };

static pthread_barrier_t together;

static void *record_many(void *unused)
{
    static const char longer[LONG];
    uint32_t step = pith_state_define("step", NULL), number = pith_event_define("number", NULL, NULL), i;
    pthread_barrier_wait(&together);
    for (i = 0; i < MANY_STEPS; i++) {
        pith_begin(step);
        pith_event_data(number, &i, sizeof i);
        if (i == MANY_STEPS / 2) /* does not fit into the chunks of most threads */
            pith_event_data(number, longer, sizeof longer);
        pith_end(step);
        if (i % 64 == 0) /* all run at the same time */
            sched_yield();
    }
    return unused;
}

static void record_manies(void)
{
    pthread_t threads[MANY];
    uint32_t i;
    ring("1");
    pthread_barrier_init(&together, NULL, MANY);
    for (i = 0; i < MANY; i++)
        pthread_create(&threads[i], NULL, record_many, NULL);
    for (i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
}

/* The file may not grow beyond PITH_MAX_MB, so some threads get no chunk. */
static void record_limited(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20});
    record_manies();
}

/* Counts the lanes whose newest numbers are all there, and the records that are there or counted as lost. */
static uint32_t newest(const struct help_log *log, uint64_t *told)
{
    uint32_t good = 0, lane;
    *told = log->info->lost;
    for (lane = 0; lane < log->info->lanes; lane++) {
        uint32_t next = UINT32_MAX, gaps = 0, number;
        size_t i;
        for (i = 0; i < log->count; i++) {
            const struct pithlog_record *r = &log->records[i];
            *told += r->lane == lane && r->kind != PITHLOG_LOST;
            if (r->lane != lane || r->kind != PITHLOG_EVENT || r->payload_bytes != sizeof number)
                continue;
            memcpy(&number, r->payload, sizeof number);
            gaps += next != UINT32_MAX && number != next;
            next = number + 1;
        }
        good += next == MANY_STEPS && gaps == 0;
    }
    return good;
}

static void test_many(void)
{
    const uint64_t all = (uint64_t)MANY * (MANY_STEPS * 3 + 1);
    struct help_log log;
    uint64_t told;
    uint32_t good;
    help_fresh();
    OK(help_child(record_manies) == 0 && help_read(&log, "run.pith"), "%d threads in 1 MiB", MANY);
    good = newest(&log, &told);
    OK(good == MANY, "the newest records of %u threads are there", good);
    OK(told + MANY > all && told < all + MANY * 3, "what is not there is counted: %llu of %llu",
       (unsigned long long)log.info->lost, (unsigned long long)all);
    help_close(&log);
    help_fresh();
    OK(help_child(record_limited) == 0 && help_read(&log, "run.pith"), "the same if the file cannot grow");
    good = newest(&log, &told);
    OK(good >= 3, "the newest records of %u threads are there: others do not take their room", good);
    OK(log.info->lost + log.count > all / 2, "the others' losses are counted: %llu of %llu",
       (unsigned long long)log.info->lost, (unsigned long long)all);
    help_close(&log);
}

int main(void)
{
    help_begin();
    stored = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    test_end();
    test_numbers();
    test_kills();
    test_running();
    test_open();
    test_deep();
    test_late();
    test_many();
    help_clean();
    return tap_done();
}
