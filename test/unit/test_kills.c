/* test_kills.c - kill -9 at hundreds of instants: of a process with several threads, of one rank of a job, of all at
 * once; while they record, and at every call on files that the end of the job makes. A page that outlives them tells
 * what each thread had stored. Afterwards there is a good log with all of it, or spill files that hold all of it.
 * The random ones are half as many as by make check-full;
 * TEST_KILLS_TIMES=N does them N times over. */
#include "fork_job.h"
#include "record_help.h"

#include <sys/mman.h>

#include "common/quick_or_full.h"
#include "numbered_log.h"

/* Each FEWER-th kill is done: a process takes long to begin and end under a sanitizer. */
#ifdef __SANITIZE_ADDRESS__
enum { WORKERS = 2, FEWER = 3 };
#else
enum { WORKERS = 2, FEWER = 1 };
#endif

/* What two workers found, in memory of both. */
struct score {
    uint32_t kills, good, logs, recovered, steps;
    uint64_t most;
};
static struct score *scores, *score;

/* ---- A rank ------------------------------------------------------------------------------------------------------ */

static void rank_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    signal(SIGPIPE, SIG_IGN);
    page->kill.pids[job->rank] = getpid();
    if (job->size > 1 && pith_job_join(&transport) != 0)
        _exit(3); /* not the end of a process of its own */
    record_all((uint32_t)job->rank);
    __atomic_add_fetch(&page->finishing, 1, __ATOMIC_SEQ_CST);
    while (page->kill.at != 0 && __atomic_load_n(&page->finishing, __ATOMIC_SEQ_CST) < (uint32_t)job->size)
        usleep(50); /* so that a step is the same one each time, and nobody dies who is still busy */
    if (job->rank == page->kill.rank)
        kill_at_page = &page->kill;
    if (job->size > 1)
        pith_job_finish(&transport);
    else
        pith_finish();
    kill_at_page = NULL;
    __atomic_add_fetch(&page->over, 1, __ATOMIC_SEQ_CST);
    _exit(0);
}

/* ---- Is everything there? ---------------------------------------------------------------------------------------- */

/* The log that the job wrote: whole. */
static int log_good(int size, int newest_only)
{
    struct help_log log;
    int good = help_read(&log, "run.pith") && log.info->complete && log.info->ranks == (uint32_t)size &&
               (newest_only || log.info->lost == 0);
    help_close(&log);
    return good && good_log("run.pith", newest_only);
}

static void say_loss(void *context, const char *text)
{
    (void)context;
    printf("# %s\n", text);
}

/* 1: some rank has announced nothing. It may have been killed before its files were there, which is said as a loss. */
static int some_silent(int size)
{
    for (int rank = 0; rank < size; rank++) {
        uint64_t stored = 0;
        for (uint32_t i = 0; i < THREADS; i++)
            stored += page->stored[rank][i];
        if (stored == 0)
            return 1;
    }
    return 0;
}

/* The spill files: those of a rank that died before the others knew of it are a job of their own. */
static int spill_good(int size, int newest_only)
{
    struct pithi_spill_folder folder;
    struct pithi_spill_result result;
    struct pithi_writer *writer;
    uint32_t i;
    int good = pithi_spill_folder_open(&folder, "run.pith.spill") == PITH_OK;
    for (i = 0; good && i < folder.job_count; i++) {
        good = pithi_writer_open(&writer, "recovered.pith", -1) == PITH_OK;
        if (good)
            good = pithi_spill_read_job(&folder, &folder.jobs[i], writer, &result, say_loss, NULL) == PITH_OK &&
                   pithi_writer_finish(writer) == PITH_OK && result.damaged == 0 && result.unreadable == 0 &&
                   (result.losses == 0 || some_silent(size));
        pithi_writer_close(writer);
        if (!good)
            printf("# %s\n", pithlog_error());
        good = good &&
               (some_silent(size) ? good_part("recovered.pith", newest_only) : good_log("recovered.pith", newest_only));
    }
    pithi_spill_folder_close(&folder);
    return good;
}

/* A log of that name is a good one with everything, or there is none and the spill files hold everything. */
static int nothing_lost(int size, int newest_only)
{
    memset(found, 0, sizeof found);
    if (access("run.pith", F_OK) == 0) {
        score->logs++;
        return log_good(size, newest_only) && all_found();
    }
    if (access("run.pith.spill", F_OK) != 0)
        return announced() == 0;
    score->recovered++;
    return spill_good(size, newest_only) && all_found();
}

static void judge(int good, const char *what, int size, uint32_t number)
{
    score->kills++;
    score->good += good != 0;
    score->most = announced() > score->most ? announced() : score->most;
    if (!good)
        printf("# bad: %s, %d ranks, %u\n", what, size, number);
    fflush(stdout);
}

/* ---- The runs ---------------------------------------------------------------------------------------------------- */

static uint32_t threads = THREADS;

static void fresh_page(uint64_t target)
{
    help_fresh();
    memset(page, 0, sizeof *page);
    page->target = target;
    page->threads = threads;
}

/* Until `count` numbers are stored, and a moment more. */
static void wait_for(uint64_t count)
{
    uint32_t spin = random_below(3000);
    while (announced() < count)
        usleep(20);
    while (spin-- > 0)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

enum how { KILL_ALL, KILL_ONE };

/* While they record. Of a job one rank is killed and the others end as if nothing were wrong, or all are. */
static void kill_recording(int size, enum how how, int newest_only)
{
    pid_t pids[JOB_MAX];
    int rank;
    uint64_t count = random_below(8) == 0 ? random_below(50) : random_below(newest_only ? 40000 : 12000);
    fresh_page(UINT32_MAX);
    job_start(size, rank_body, pids);
    wait_for(count);
    for (rank = 0; rank < size; rank++)
        if (how == KILL_ALL || rank == (int)(count % (unsigned)size))
            kill(pids[rank], SIGKILL);
    page->stop = 1;
    job_wait(size, pids);
    judge(nothing_lost(size, newest_only), how == KILL_ALL ? "all killed" : "one killed", size, (uint32_t)count);
}

/* At the n-th call that `rank` makes in the end of the job. Gives 0 when it makes fewer. */
static int kill_in_step(int size, int rank, enum how how, uint32_t step)
{
    pid_t pids[JOB_MAX];
    fresh_page(300);
    page->kill.rank = rank;
    page->kill.all = how == KILL_ALL;
    page->kill.at = step;
    job_start(size, rank_body, pids);
    job_wait(size, pids);
    judge(nothing_lost(size, 0), how == KILL_ALL ? "all killed in step" : "one killed in step", size, step);
    score->steps = page->kill.calls > score->steps ? page->kill.calls : score->steps;
    return page->kill.calls >= step;
}

/* At a random moment of the end of the job; `length_us` is about how long it takes. */
static void kill_in_finish(int size, enum how how, uint32_t length_us)
{
    pid_t pids[JOB_MAX];
    int rank, victim = (int)random_below((uint32_t)size);
    uint32_t delay_us = random_below(length_us);
    fresh_page(1500);
    job_start(size, rank_body, pids);
    while (__atomic_load_n(&page->finishing, __ATOMIC_SEQ_CST) < (uint32_t)size)
        usleep(20);
    usleep(delay_us);
    for (rank = 0; rank < size; rank++)
        if (how == KILL_ALL || rank == victim)
            kill(pids[rank], SIGKILL);
    job_wait(size, pids);
    judge(nothing_lost(size, 0), how == KILL_ALL ? "all killed in the end" : "one killed in the end", size, delay_us);
}

/* Microseconds from the first rank that finishes to the last one that has. */
static uint32_t finish_length(int size)
{
    struct timespec begin, end;
    pid_t pids[JOB_MAX];
    fresh_page(1500);
    page->kill.rank = -1;
    job_start(size, rank_body, pids);
    while (__atomic_load_n(&page->finishing, __ATOMIC_SEQ_CST) == 0)
        usleep(20);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (__atomic_load_n(&page->over, __ATOMIC_SEQ_CST) < (uint32_t)size)
        usleep(20);
    clock_gettime(CLOCK_MONOTONIC, &end);
    job_wait(size, pids);
    return (uint32_t)((end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000) + 100;
}

/* ---- The suites, two workers each -------------------------------------------------------------------------------- */

static uint32_t times = 1;

static uint32_t random_kills(uint32_t all) { return all / (FEWER == 1 ? quick_or_full(2, 1) : FEWER) * times; }

static void recording(uint32_t worker)
{
    static const int sizes[] = {1, 1, 1, 2, 2, 4};
    uint32_t i;
    for (i = worker; i < random_kills(120); i += WORKERS) {
        int size = sizes[random_below(6)];
        kill_recording(size, size > 1 && random_below(2) == 0 ? KILL_ONE : KILL_ALL, 0);
    }
}

static void ring(uint32_t worker)
{
    uint32_t i;
    setenv("PITH_MAX_MB", "1", 1);
    setenv("PITH_WHEN_FULL", "ring", 1);
    threads = 1;
    for (i = worker; i < random_kills(30); i += WORKERS)
        kill_recording(1, KILL_ALL, 1);
}

static void steps(uint32_t worker)
{
    uint32_t step;
    if (worker == 0) {
        for (step = 1; kill_in_step(1, 0, KILL_ALL, step); step += FEWER)
            ;
        for (step = 1; kill_in_step(2, 0, KILL_ONE, step); step += FEWER)
            ;
        for (step = 1; kill_in_step(2, 1, KILL_ALL, step); step += FEWER)
            ;
        for (step = 1; kill_in_step(4, 3, KILL_ONE, step); step += 2 * FEWER)
            ;
    } else {
        for (step = 1; kill_in_step(2, 0, KILL_ALL, step); step += FEWER)
            ;
        for (step = 1; kill_in_step(2, 1, KILL_ONE, step); step += FEWER)
            ;
        for (step = 2; kill_in_step(4, 0, KILL_ALL, step); step += 2 * FEWER)
            ;
    }
}

static void finishing(uint32_t worker)
{
    static const int sizes[] = {1, 2, 4};
    uint32_t i, kind;
    for (kind = 0; kind < 3; kind++) {
        uint32_t length_us = finish_length(sizes[kind]);
        for (i = worker; i < random_kills(24); i += WORKERS)
            kill_in_finish(sizes[kind], random_below(2) == 0 ? KILL_ONE : KILL_ALL, length_us);
    }
}

static void run_worker(void (*part)(uint32_t worker), uint32_t worker, uint32_t first_seed)
{
    int fd;
    char name[100];
    random_seed(first_seed + worker);
    score = &scores[worker];
    help_begin();
    snprintf(name, sizeof name, "%s.page", help_folder);
    fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *page) != 0)
        _exit(96);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    unlink(name);
    part(worker);
    help_clean();
    _exit(0);
}

static struct score run(void (*part)(uint32_t worker), uint32_t first_seed)
{
    struct score sum = {0};
    pid_t pids[WORKERS];
    uint32_t i;
    memset(scores, 0, WORKERS * sizeof *scores);
    for (i = 0; i < WORKERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            run_worker(part, i, first_seed);
    }
    OK(job_wait(WORKERS, pids) == 0, "the watchers came to their end (seed %u)", first_seed);
    for (i = 0; i < WORKERS; i++) {
        sum.kills += scores[i].kills;
        sum.good += scores[i].good;
        sum.logs += scores[i].logs;
        sum.recovered += scores[i].recovered;
        sum.steps = scores[i].steps > sum.steps ? scores[i].steps : sum.steps;
        sum.most = scores[i].most > sum.most ? scores[i].most : sum.most;
    }
    printf("# %u kills: %u logs, %u recovered, up to %llu numbers\n", sum.kills, sum.logs, sum.recovered,
           (unsigned long long)sum.most);
    return sum;
}

int main(void)
{
    const char *wanted = getenv("TEST_KILLS_TIMES"), *given = getenv("TEST_KILLS_SEED");
    uint32_t first_seed = given != NULL ? (uint32_t)atoi(given) : 20260101, kills;
    struct score sum;
    times = wanted != NULL && atoi(wanted) > 0 ? (uint32_t)atoi(wanted) : 1;
    scores = mmap(NULL, WORKERS * sizeof *scores, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    sum = run(recording, first_seed);
    kills = sum.kills;
    OK(sum.good == sum.kills && sum.most > 1000, "killed while recording: all that was announced is there");
    sum = run(ring, first_seed);
    kills += sum.kills;
    OK(sum.good == sum.kills && sum.most > 20000, "a flight recorder killed: the newest are there, without a gap");
    sum = run(steps, first_seed);
    kills += sum.kills;
    OK(sum.good == sum.kills && sum.steps > 15, "killed at each of up to %u calls of the end", sum.steps);
    OK(sum.logs > 0 && sum.recovered > 0, "some left a log, some spill files");
    sum = run(finishing, first_seed);
    kills += sum.kills;
    OK(sum.good == sum.kills, "killed at random moments of the end");
    OK(kills >= (FEWER == 1 ? quick_or_full(240, 300) : 300 / FEWER), "%u kills", kills);
    return tap_done();
}
