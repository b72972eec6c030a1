/* deathwatch.c - kills jobs of `deaths` at random instants and at the calls on files that MPI_Finalize makes, and looks
 * whether anything is lost.
 *
 *     deathwatch SEED RANDOM STEPS SIZE COMMAND...     SIZE ranks; COMMAND makes run.pith and gets the page's name
 *
 * RANDOM kills at random instants, half of them in MPI_Finalize; STEPS at calls spread evenly over it. Prints a line
 * "KILLS GOOD LOGS RECOVERED CALLS" at the end; what went wrong before it. */
#include "numbered_log.h"

#include <sys/mman.h>

static char **command;
static int size;
static uint32_t kills, good, logs, recovered, calls;

static pid_t start(uint64_t target)
{
    pid_t pid;
    if (system("rm -rf run.pith run.pith.* recovered*") != 0)
        exit(90);
    page->target = target;
    page->threads = THREADS;
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (freopen("said", "w", stderr) == NULL || freopen("out", "w", stdout) == NULL)
            _exit(98);
        execvp(command[0], command);
        _exit(97);
    }
    return pid;
}

/* All that is left of a job: its launcher may hang when it loses a rank at a bad moment. */
static void end(pid_t pid)
{
    int status, rank, tries;
    for (tries = 0; tries < 400 && waitpid(pid, &status, WNOHANG) == 0; tries++)
        usleep(10000);
    if (tries < 400)
        return;
    printf("# the launcher hangs; it is killed\n");
    for (rank = 0; rank < size; rank++)
        if (page->kill.pids[rank] != 0)
            kill(page->kill.pids[rank], SIGKILL);
    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
}

/* One rank, or all and their launcher. */
static void kill_job(pid_t pid, int victim)
{
    int rank;
    for (rank = 0; rank < size; rank++)
        if ((victim < 0 || rank == victim) && page->kill.pids[rank] != 0)
            kill(page->kill.pids[rank], SIGKILL);
    if (victim < 0)
        kill(-pid, SIGKILL);
}

/* Those who were killed with their launcher are gone when nobody has their numbers. */
static void wait_until_gone(void)
{
    int rank;
    for (rank = 0; rank < size; rank++)
        while (page->kill.pids[rank] != 0 && kill(page->kill.pids[rank], 0) == 0)
            usleep(2000);
}

static int from_spill(void)
{
    char name[40] = "recovered.pith";
    int number, whole;
    if (system("pith recover run.pith.spill -o recovered.pith >recovered.said 2>&1") != 0)
        return 0;
    whole = good_log(name, 0);
    for (number = 2; snprintf(name, sizeof name, "recovered-%d.pith", number) > 0 && access(name, F_OK) == 0; number++)
        whole = good_log(name, 0) && whole;
    return whole;
}

static int nothing_lost(void)
{
    struct help_log log;
    memset(found, 0, sizeof found);
    if (access("run.pith", F_OK) == 0) {
        int whole = system("pith check run.pith >recovered.said 2>&1") == 0 && help_read(&log, "run.pith") &&
                    log.info->complete && log.info->ranks == (uint32_t)size && log.info->lost == 0;
        help_close(&log);
        logs++;
        return whole && good_log("run.pith", 0) && all_found();
    }
    recovered++;
    return announced() == 0 || (access("run.pith.spill", F_OK) == 0 && from_spill() && all_found());
}

static void judge(const char *how, uint32_t number)
{
    int whole = nothing_lost();
    kills++;
    good += whole != 0;
    if (!whole) {
        printf("# lost: %s %u\n", how, number);
        if (system("sed 's/^/# /' said recovered.said; ls -R . | sed 's/^/# /'") != 0)
            printf("# no more to tell\n");
    }
    memset(page, 0, sizeof *page);
}

static int is_over(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* A job of which at least so much happened. Launchers may fail to start one on a busy machine; then there is another.
 */
static pid_t start_until(uint32_t target, uint64_t (*much)(void), uint64_t enough)
{
    int tries;
    for (tries = 0;; tries++) {
        pid_t pid = start(target);
        while (much() < enough && !is_over(pid))
            usleep(50);
        if (much() >= enough || tries == 3)
            return pid;
        end(pid);
        memset(page, 0, sizeof *page);
    }
}

static uint64_t finishing(void) { return __atomic_load_n(&page->finishing, __ATOMIC_SEQ_CST); }

static void kill_recording(uint32_t which)
{
    uint64_t count = random_below(20000);
    pid_t pid = start_until(UINT32_MAX, announced, count);
    kill_job(pid, which % 4 == 0 ? (int)random_below((uint32_t)size) : -1);
    end(pid);
    wait_until_gone();
    judge("while recording, of numbers", (uint32_t)count);
}

static void kill_finishing(uint32_t which)
{
    uint32_t delay_us = random_below(20000);
    pid_t pid = start_until(500, finishing, (uint64_t)size);
    usleep(delay_us);
    kill_job(pid, which % 4 == 1 ? (int)random_below((uint32_t)size) : -1);
    end(pid);
    wait_until_gone();
    judge("finishing, after us", delay_us);
}

static void kill_step(int victim, int all, uint32_t step)
{
    pid_t pid;
    page->kill.rank = victim;
    page->kill.all = all;
    page->kill.at = step;
    pid = start(500);
    end(pid);
    wait_until_gone();
    calls = page->kill.calls > calls ? page->kill.calls : calls;
    judge(all ? "all at call" : "one at call", step);
}

/* First without a death: how many calls there are. */
static void kill_steps(uint32_t count)
{
    uint32_t i;
    int victim;
    kill_step(0, 0, UINT32_MAX);
    for (i = 0; i < count; i++) {
        victim = i % 2 == 0 ? 0 : size - 1;
        kill_step(victim, i / 2 % 2 == 0, 1 + i * calls / count);
    }
}

int main(int argc, char **argv)
{
    uint32_t i, random, steps;
    int fd;
    if (argc < 6)
        return 2;
    random_seed((uint32_t)atoi(argv[1]));
    random = (uint32_t)atoi(argv[2]);
    steps = (uint32_t)atoi(argv[3]);
    size = atoi(argv[4]);
    command = argv + 5;
    fd = open("page", O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *page) != 0)
        return 9;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (i = 0; i < random; i++)
        i % 2 == 0 ? kill_recording(i) : kill_finishing(i);
    kill_steps(steps);
    printf("%u %u %u %u %u\n", kills, good, logs, recovered, calls);
    return 0;
}
