/* also_openmp.c - a program of MPI and OpenMP with two threads, whose regions, barriers, tasks and so on are known
 * (test_also_openmp.sh). An argument names a part that runs alone. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *only = "";
static int wants(const char *part) { return !*only || !strcmp(only, part); }

static long sum;

/* 4 regions; in each thread 2 explicit barriers and that at the end. */
static void barriers(void)
{
    for (int i = 0; i < 4; i++)
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp atomic
        sum += omp_get_thread_num();
#pragma omp barrier
    }
}

/* 2 regions, with 3 loops and 3 barriers in each thread: a loop with a barrier, one without, one that is the region. */
static void loops(void)
{
    long part = 0;

#pragma omp parallel num_threads(2) reduction(+ : part)
    {
#pragma omp for schedule(dynamic, 10)
        for (int i = 0; i < 100; i++)
            part += i;
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 100; i++)
            part += i;
    }
#pragma omp parallel for num_threads(2) schedule(dynamic, 7) reduction(+ : part)
    for (int i = 0; i < 100; i++)
        part += i;
    sum += part;
}

/* 1 region with sections. */
static void sections(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp sections nowait
        {
#pragma omp section
#pragma omp atomic
            sum += 1;
#pragma omp section
#pragma omp atomic
            sum += 2;
        }
    }
}

/* 1 region with 20 tasks, of which 10 are in others, and 11 waits for tasks. 1 single. */
static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
        for (int i = 0; i < 10; i++) {
            long given = i;
#pragma omp task firstprivate(given)
            {
                long inner = 0;
#pragma omp task shared(inner) firstprivate(given)
                inner = 2 * given;
#pragma omp taskwait
#pragma omp atomic
                sum += inner;
            }
        }
#pragma omp taskwait
    }
}

static void nap(int ms) { nanosleep(&(struct timespec){0, ms * 1000000L}, NULL); }

/* 5 regions, in each of which thread 1 waits for the critical section that thread 0 is in for 60 ms. */
static void criticals(void)
{
    for (int i = 0; i < 5; i++) {
        int inside = 0, waits = 0;
#pragma omp parallel num_threads(2) shared(inside, waits)
        {
            int other = omp_get_thread_num();
            while (other && !__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
                nap(1);
            if (other)
                __atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
#pragma omp critical(door)
            {
                __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
                while (!other && !__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
                    nap(1);
                if (!other)
                    nap(60);
                sum++;
            }
        }
    }
}

/* 1 region; each thread takes a lock 30 times. */
static void locks(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;

    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 10; i++) {
        omp_set_lock(&lock);
#pragma omp atomic
        sum++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
#pragma omp atomic
        sum++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

/* 1 region with a loop of 4 ordered sections. */
static void ordered(void)
{
    int last = -1;

#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        {
            sum += i - last;
            last = i;
        }
    }
}

/* 1 region, in which thread 1 waits 200 ms for thread 0; then 200 ms in which thread 0 is alone, and 1 more region. */
static void idle(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        nap(200);
    nap(200);
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        sum += 1;
    }
}

/* 1 region, after which thread 0 is alone for 300 ms, until the end. */
static void last(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        sum += 1;
    }
    nap(300);
}

/* 1 region with 2 regions of 2 threads in it. */
static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        sum += 1;
    }
    omp_set_max_active_levels(1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"barriers", barriers},   {"loops", loops}, {"sections", sections}, {"tasks", tasks},
                 {"criticals", criticals}, {"locks", locks}, {"ordered", ordered},   {"idle", idle},
                 {"nested", nested},       {"last", last}};
    int provided, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        only = argv[1];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (wants(parts[i].name))
            parts[i].run();
    printf("also_openmp: rank %d, %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
