/* sampled_odd.c - programs that make sampling hard. Arguments: CPU seconds of each part, then:
 * jit: code made at run time, with a perf map; threads: a thousand threads; ends: a thousand threads that compute, if
 * at all, when their functions have returned; modules: loads and unloads the library ./part.so; jumps: leaves its
 * functions by longjmp; storm: timers of the program's own that interrupt it all the time. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
enum { THREADS = 1000 };

static double seconds;
static volatile double sink;

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

APART double work(double x)
{
    for (int i = 0; i < 20000; i++)
        x = x * 0.999999 + 1.0;
    sink = x;
    return x;
}

/* ---- Code made at run time --------------------------------------------------------------------------------------- */

/* jitted_call(f, x): f(x), with a frame pointer; jitted_loop(n): counts down. */
static const unsigned char call_bytes[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
static const unsigned char loop_bytes[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xcf, 0x75, 0xfc, 0x5d, 0xc3};

APART static void run_jitted(unsigned char *page)
{
    double (*call)(double (*)(double), double);
    void (*loop)(unsigned);
    double until = cpu() + seconds;
    unsigned char *at = page + 256;
    memcpy(&call, &page, sizeof call);
    memcpy(&loop, &at, sizeof loop);
    while (cpu() < until) {
        sink = call(work, sink);
        loop(60000);
    }
}

static char map_name[40];

static int jit(void)
{
#if defined(__x86_64__)
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *map;
    snprintf(map_name, sizeof map_name, "/tmp/perf-%ld.map", (long)getpid());
    if (page == MAP_FAILED || !(map = fopen(map_name, "w")))
        return 0;
    memcpy(page, call_bytes, sizeof call_bytes);
    memcpy(page + 256, loop_bytes, sizeof loop_bytes);
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0)
        return 0;
    fprintf(map, "1000 10 elsewhere\nno line of a map\n%lx 8 an old name\n", (unsigned long)page);
    fprintf(map, "%lx 8 py::caller:/home/user/model.py\n%lx a jitted_loop\n", (unsigned long)page,
            (unsigned long)page + 256);
    fclose(map);
    run_jitted(page);
#endif
    return 1;
}

/* ---- Others ------------------------------------------------------------------------------------------------------ */

static void *one_of_many(void *unused)
{
    double until = cpu() + seconds;
    while (cpu() < until)
        sink = work(1);
    return unused;
}

static int run_threads(void *(*body)(void *))
{
    static pthread_t all[THREADS];
    pthread_attr_t small;
    int count = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    while (count < THREADS && pthread_create(&all[count], &small, body, NULL) == 0)
        count++;
    for (int i = 0; i < count; i++)
        pthread_join(all[i], NULL);
    return count == THREADS;
}

static int threads(void) { return run_threads(one_of_many); }

/* UCX, in MPICH, makes madvise call functions, and a thread's end calls madvise: here the first sample of every tenth
 * thread comes. All threads are there at the same time, so that the C library does not keep the memory of all. */
static pthread_barrier_t all_begun;
static int ended; /* atomic */

static void on_madvise(int event, void *what, void *unused)
{
    (void)event, (void)what, (void)unused;
    if (__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED) % 10 == 0)
        one_of_many(NULL);
}

static void *return_at_once(void *unused)
{
    pthread_barrier_wait(&all_begun);
    return unused;
}

static int ends(void)
{
    int (*call_at)(int, int, void (*)(int, void *, void *), void *);
    enum { MADVISE = 1 << 6, AFTER = 1000 };
    *(void **)&call_at = dlsym(RTLD_DEFAULT, "ucm_set_event_handler");
    pthread_barrier_init(&all_begun, NULL, THREADS);
    return (!call_at || call_at(MADVISE, AFTER, on_madvise, NULL) == 0) && run_threads(return_at_once) &&
           (!call_at || ended >= THREADS);
}

static int modules(void)
{
    double until = cpu() + seconds;
    while (cpu() < until) {
        void *part = dlopen("./part.so", RTLD_NOW);
        double (*work_in_part)(double);
        if (!part)
            return 0;
        *(void **)&work_in_part = dlsym(part, "work_in_part");
        sink = work_in_part(1);
        dlclose(part);
    }
    return 1;
}

static jmp_buf back;

APART static void jump_from(int depth)
{
    sink = work(sink);
    if (depth == 0)
        longjmp(back, 1);
    jump_from(depth - 1);
    sink = 0;
}

static int jumps(void)
{
    static volatile int count;
    double until = cpu() + seconds;
    while (cpu() < until)
        if (setjmp(back) == 0)
            jump_from(10);
        else
            count++;
    return count > 0;
}

static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
    (void)number;
    ticks++;
}

static int storm(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_tick);
    signal(SIGPROF, on_tick);
    signal(SIGVTALRM, on_tick);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
    one_of_many(NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    return ticks > 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = {{"jit", jit},         {"threads", threads}, {"ends", ends},
                 {"modules", modules}, {"jumps", jumps},     {"storm", storm}};
    int rank, provided, good = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    seconds = argc > 1 ? atof(argv[1]) : 0;
    for (size_t i = 0; argc > 2 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argv[2], parts[i].name) == 0)
            good = parts[i].run();
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", good ? "well" : "not well");
    MPI_Finalize();
    if (*map_name)
        unlink(map_name);
    return 0;
}
