/* overlap.c - `overlap TURNS`: collectives that are started before they are needed, nonblocking and persistent ones
 * (where the MPI has these), those started in another order in each rank; scans; collectives between the even and the
 * odd ranks. What a rank does between them is uneven, and so are its calls, so that where recording costs, it keeps
 * others waiting. Never looks at a clock (played.c). Rank 0 says what came out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;
static MPI_Comm both;
static long mine, sum, results[8];

static void pause_us(long us) { nanosleep(&(struct timespec){.tv_nsec = 1000 * us}, NULL); }

/* Calls that take no time of their own. */
static void chat(int count)
{
    int bytes;
    while (count-- > 0)
        MPI_Type_size(MPI_INT, &bytes);
}

static void work(int number)
{
    pause_us(20 + (number * 7 + rank * 13) % 40);
    chat((number + rank) % size * 8);
}

/* Now and then the lower ranks are late for good, so that what scans take is seen in each run. */
static void work_for_scan(int number)
{
    work(number);
    if (number % 2)
        pause_us(200 * (size - 1 - rank));
}

static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    sum += results[0] + results[1] + results[2] + results[3];
}

static void nonblocking(int number)
{
    MPI_Request requests[4];
    int root = number % size;
    mine = number + rank;
    work(number);
    MPI_Iallreduce(&mine, &results[0], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    work(number + 1);
    finish(&requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    work(number + 3);
    results[1] = number;
    MPI_Ibcast(&results[1], 1, MPI_LONG, root, MPI_COMM_WORLD, &requests[2]);
    finish(&requests[1]);
    finish(&requests[2]);
    work(number + 2);
    MPI_Ireduce(&mine, &results[2], 1, MPI_LONG, MPI_MAX, root, MPI_COMM_WORLD, &requests[0]);
    work_for_scan(number);
    MPI_Iscan(&mine, &results[3], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    finish(&requests[1]);
    finish(&requests[0]);
}

static void blocking(int number)
{
    work_for_scan(number);
    MPI_Scan(&mine, &results[0], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    work(number + 2);
    MPI_Reduce(&mine, &results[1], 1, MPI_LONG, MPI_SUM, size - 1, MPI_COMM_WORLD);
}

static void between(int number)
{
    MPI_Request request;
    int root = rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
    work(number);
    MPI_Allreduce(&mine, &results[2], 1, MPI_LONG, MPI_SUM, both);
    work(number + 1);
    MPI_Iallreduce(&mine, &results[3], 1, MPI_LONG, MPI_SUM, both, &request);
    work(number + 3);
    finish(&request);
    MPI_Barrier(both);
    results[4] = number;
    MPI_Ibcast(&results[4], 1, MPI_LONG, root, both, &request);
    work(number);
    finish(&request);
}

#if MPI_VERSION >= 4
enum { KEPT = 4 };
static MPI_Request kept[KEPT];

static void make_kept(void)
{
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &kept[0]);
    MPI_Bcast_init(&results[5], 1, MPI_LONG, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &kept[1]);
    MPI_Reduce_init(&mine, &results[6], 1, MPI_LONG, MPI_MAX, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &kept[2]);
    MPI_Scan_init(&mine, &results[7], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &kept[3]);
}

static void persistent(int number)
{
    work_for_scan(number);
    if (number % 3 == 0)
        MPI_Startall(KEPT, kept);
    for (int i = 0; i < KEPT; i++) {
        if (number % 3)
            MPI_Start(&kept[(rank + i) % KEPT]);
        work(number + i);
    }
    for (int i = 0; i < KEPT; i++)
        finish(&kept[(rank * 3 + number + i) % KEPT]);
    MPI_Start(&kept[0]);
    work(number + 1);
    finish(&kept[0]);
    sum += results[7];
}

static void free_kept(void)
{
    for (int i = 0; i < KEPT; i++)
        MPI_Request_free(&kept[i]);
}
#else
static void make_kept(void) {}
static void persistent(int number) { (void)number; }
static void free_kept(void) {}
#endif

/* Not by MPI_Comm_split, which is the recorder's (played.c). */
static void make_groups(void)
{
    MPI_Group world, group;
    MPI_Comm half;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[1][3]){{rank % 2, size - 2 + rank % 2, 2}}, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 2, &both);
    MPI_Comm_free(&half);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* even */
    make_groups();
    make_kept();
    for (int i = 0; i < turns; i++) {
        nonblocking(i);
        blocking(i);
        between(i);
        persistent(i);
    }
    free_kept();
    if (rank == 0)
        printf("%ld\n", sum);
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
