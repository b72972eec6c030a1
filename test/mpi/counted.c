/* counted.c - records states and says what the system counted in them. For each state it prints
 *
 *     RANK STATE COUNTER LEAST MOST
 *
 * LEAST is the counter's growth between readings inside the state, MOST between readings around it, so what Pith
 * records lies between. With the argument "alone" it needs no MPI: it closes and reuses all descriptors in the middle,
 * and forks. */
#include <mpi.h>
#include <fcntl.h>
#include <pith.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CPU, DELAY, SWITCHES, FAULTS, COUNTERS, PAGES = 1000 };
static const char *const names[] = {"cpu_s", "no_core_s", "context-switches", "page-faults"};
static int rank;

struct values {
    long long of[COUNTERS];
};

static struct values read_values(void)
{
    struct values v = {{0}};
    struct timespec cpu;
    struct rusage usage;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    getrusage(RUSAGE_THREAD, &usage);
    v.of[CPU] = cpu.tv_sec * 1000000000LL + cpu.tv_nsec;
    if (file == NULL || fscanf(file, "%*s %lld", &v.of[DELAY]) != 1)
        abort();
    fclose(file);
    v.of[SWITCHES] = usage.ru_nvcsw + usage.ru_nivcsw;
    v.of[FAULTS] = usage.ru_minflt + usage.ru_majflt;
    return v;
}

static void spin(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000LL + now.tv_nsec - from.tv_nsec < 60000000);
}

static void nap(void)
{
    struct timespec moment = {0, 1000000};
    for (int i = 0; i < 10; i++)
        nanosleep(&moment, NULL);
}

static void touch(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * page] = 1;
    munmap(memory, PAGES * page);
}

static void around(const char *state, void (*work)(void))
{
    uint32_t id = pith_state_define(state, NULL);
    struct values before = read_values(), inside, at_end, after;

    pith_begin(id);
    inside = read_values();
    work();
    at_end = read_values();
    pith_end(id);
    after = read_values();
    for (int i = 0; i < COUNTERS; i++)
        printf("%d %s %s %lld %lld\n", rank, state, names[i], at_end.of[i] - inside.of[i], after.of[i] - before.of[i]);
}

static void *second(void *unused)
{
    around("second", spin);
    return unused;
}

/* A file of the program gets the numbers of all descriptors that were open. Its place must not move. */
static int alone(void)
{
    uint32_t id = pith_state_define("pages", NULL);
    int file, good;

    pith_begin(id);
    touch();
    pith_end(id);
    closefrom(3);
    file = open("mine", O_RDWR | O_CREAT, 0600);
    good = write(file, "0123456789012345678901234567890123456789", 40) == 40 && lseek(file, 0, SEEK_SET) == 0;
    for (int fd = 1000; fd < 1020; fd++)
        dup2(file, fd);
    for (int i = 0; i < 10; i++) {
        pith_begin(id);
        pith_end(id);
    }
    good &= lseek(file, 0, SEEK_CUR) == 0;
    fflush(stdout);
    if (fork() == 0) {
        id = pith_state_define("child", NULL);
        pith_begin(id);
        touch();
        pith_end(id);
        exit(0);
    }
    wait(NULL);
    printf("counted: %s\n", good ? "well" : "the file's place has moved");
    return !good;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc > 1 && strcmp(argv[1], "alone") == 0)
        return alone();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    around("spin", spin);
    around("nap", nap);
    around("touch", touch);
    pthread_create(&thread, NULL, second, NULL);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
