/* workloads.c - small parallel programs whose run is known well enough to see whether it comes back:
 *
 *     workloads NAME TURNS [WORK [sleep]]      montecarlo, ring, sort, wavefront, onesided, rooted
 *
 * Each computes WORK nanoseconds or so between any two MPI calls (default 20000), uneven but the same in every run, and
 * never looks at a clock; or it sleeps as long instead, which a played clock (test/mpi/played.c) knows exactly. Rank 0
 * says what came out, so that a wrapper that changed anything is seen. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, sleeps;
static long turns, work_ns = 20000;
static uint64_t result;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* About `ns` nanoseconds: a step hangs on the one before and takes four cycles or so. */
static uint64_t compute(uint64_t seed, long ns)
{
    if (sleeps) {
        nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
        return seed >> 40;
    }
    for (long step = ns * 3 / 5; step > 0; step--)
        next_random(&seed);
    return seed >> 40;
}

/* Of the work of a turn: between a half and one and a half times the usual, told by who and when. */
static long share(long turn, int who)
{
    uint64_t seed = (uint64_t)turn * 8191 + (uint64_t)who * 131 + 7;
    next_random(&seed);
    return work_ns / 2 + (long)(next_random(&seed) % (uint64_t)work_ns);
}

/* ---- A master hands out what to sum up --------------------------------------------------------------------------- */

enum { TAG_WORK, TAG_STOP };

/* Darts at a quarter of a circle. */
static long throw_darts(uint64_t seed, long ns)
{
    long hits = (long)(compute(seed, sleeps ? ns : 0) & 1);
    for (long dart = sleeps ? 0 : ns / 5; dart > 0; dart--) {
        double x = (double)next_random(&seed) / 2147483648.0, y = (double)next_random(&seed) / 2147483648.0;
        hits += x * x + y * y < 1;
    }
    return hits;
}

static void master(void)
{
    long task = 0, hits;
    MPI_Status status;
    for (int worker = 1; worker < size; worker++, task++)
        MPI_Send(&task, 1, MPI_LONG, worker, TAG_WORK, MPI_COMM_WORLD);
    for (long got = 0; got < task; got++) {
        MPI_Recv(&hits, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        result += (uint64_t)hits;
        if (task < turns) {
            MPI_Send(&task, 1, MPI_LONG, status.MPI_SOURCE, TAG_WORK, MPI_COMM_WORLD);
            task++;
        }
    }
    for (int worker = 1; worker < size; worker++)
        MPI_Send(&task, 1, MPI_LONG, worker, TAG_STOP, MPI_COMM_WORLD);
}

/* It looks four times a task whether to stop early: calls that the master does not make. */
static void worker(void)
{
    enum { BATCHES = 4 };
    long task, hits;
    int stop;
    MPI_Status status;
    for (;;) {
        MPI_Recv(&task, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        hits = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            MPI_Iprobe(0, TAG_STOP, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE);
            hits += throw_darts((uint64_t)(task * BATCHES + batch), share(task, batch));
        }
        MPI_Send(&hits, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    }
}

static void montecarlo(void)
{
    if (rank == 0)
        master();
    else
        worker();
}

/* ---- A token goes around: blocking, not blocking, by persistent requests ----------------------------------------- */

static void ring(void)
{
    uint64_t token = 1;
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Request give, take, request;
    MPI_Send_init(&token, 1, MPI_UINT64_T, next, 2, MPI_COMM_WORLD, &give);
    MPI_Recv_init(&token, 1, MPI_UINT64_T, last, 2, MPI_COMM_WORLD, &take);
    for (long turn = 0; turn < turns; turn++) {
        for (int step = 0; step < 2; step++) {
            if ((step == 0) == (rank == 0)) {
                token += compute(token, share(turn, rank));
                if (turn % 3 == 0) {
                    MPI_Send(&token, 1, MPI_UINT64_T, next, 0, MPI_COMM_WORLD);
                } else if (turn % 3 == 1) {
                    MPI_Isend(&token, 1, MPI_UINT64_T, next, 1, MPI_COMM_WORLD, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else {
                    MPI_Start(&give);
                    MPI_Wait(&give, MPI_STATUS_IGNORE);
                }
            } else if (turn % 3 == 0) {
                MPI_Recv(&token, 1, MPI_UINT64_T, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (turn % 3 == 1) {
                MPI_Irecv(&token, 1, MPI_UINT64_T, last, 1, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else {
                MPI_Start(&take);
                MPI_Wait(&take, MPI_STATUS_IGNORE);
            }
        }
    }
    MPI_Request_free(&give);
    MPI_Request_free(&take);
    result = token;
}

/* ---- Integers are sorted: all to all ----------------------------------------------------------------------------- */

enum { KEYS_MOST = 1 << 16 };

static void prefix(const int *counts, int *starts)
{
    starts[0] = 0;
    for (int i = 1; i < size; i++)
        starts[i] = starts[i - 1] + counts[i - 1];
}

/* Keys into the order of the ranks that they belong to. */
static void deal(const uint32_t *keys, int count, uint32_t *dealt, int *counts, int *starts)
{
    int at[64];
    memset(counts, 0, (size_t)size * sizeof *counts);
    for (int i = 0; i < count; i++)
        counts[(uint64_t)keys[i] * (uint64_t)size >> 31]++;
    prefix(counts, starts);
    memcpy(at, starts, (size_t)size * sizeof *at);
    for (int i = 0; i < count; i++)
        dealt[at[(uint64_t)keys[i] * (uint64_t)size >> 31]++] = keys[i];
}

/* The rank of each key among those of this process, by its upper bits. */
static uint64_t rank_keys(const uint32_t *keys, int count)
{
    static int histogram[4096];
    uint64_t sum = 0;
    memset(histogram, 0, sizeof histogram);
    for (int i = 0; i < count; i++)
        histogram[keys[i] >> 19]++;
    for (int i = 1; i < 4096; i++)
        histogram[i] += histogram[i - 1];
    for (int i = 0; i < count; i++)
        sum += (uint64_t)histogram[keys[i] >> 19];
    return sum;
}

static void sort(void)
{
    static uint32_t keys[KEYS_MOST], dealt[KEYS_MOST], mine[KEYS_MOST * 2];
    int send_counts[64], send_starts[64], recv_counts[64], recv_starts[64];
    for (long turn = 0; turn < turns; turn++) {
        uint64_t seed = (uint64_t)turn * 1000 + (uint64_t)rank, sum = compute(seed, share(turn, rank));
        int count = (int)(share(turn, rank + 1) / 8);
        count = count < KEYS_MOST ? count : KEYS_MOST;
        for (int i = 0; i < count; i++)
            keys[i] = (uint32_t)next_random(&seed);
        deal(keys, count, dealt, send_counts, send_starts);
        MPI_Alltoall(send_counts, 1, MPI_INT, recv_counts, 1, MPI_INT, MPI_COMM_WORLD);
        prefix(recv_counts, recv_starts);
        MPI_Alltoallv(dealt, send_counts, send_starts, MPI_UINT32_T, mine, recv_counts, recv_starts, MPI_UINT32_T,
                      MPI_COMM_WORLD);
        sum += rank_keys(mine, recv_starts[size - 1] + recv_counts[size - 1]);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        result += sum;
    }
}

/* ---- A front of waves, to and fro -------------------------------------------------------------------------------- */

static void wavefront(void)
{
    enum { BLOCKS = 16 };
    uint64_t edge = 0;
    for (long turn = 0; turn < turns; turn += BLOCKS) {
        int back = turn / BLOCKS % 2;
        int from = back ? rank + 1 : rank - 1, to = back ? rank - 1 : rank + 1;
        for (int block = 0; block < BLOCKS; block++) {
            if (from >= 0 && from < size)
                MPI_Recv(&edge, 1, MPI_UINT64_T, from, block, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            edge += compute(edge, share(turn + block, rank));
            if (to >= 0 && to < size)
                MPI_Send(&edge, 1, MPI_UINT64_T, to, block, MPI_COMM_WORLD);
        }
    }
    MPI_Allreduce(&edge, &result, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* ---- Large and small from a root, and to the neighbour in several ways; some look more often, and are late ------- */

static void give(long turn, int next, int last)
{
    static char from[4096], to[4096];
    int bytes = turn % 3 ? 8 : 4096;
    MPI_Request requests[2];
    MPI_Irecv(to, bytes, MPI_CHAR, last, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from, bytes, MPI_CHAR, next, 5, MPI_COMM_WORLD, &requests[1]);
    compute((uint64_t)turn, share(turn, rank + 2));
    if (turn % 2) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

static void rooted(void)
{
    static char all[64 * 4096], mine[4096];
    int found;
    for (long turn = 0; turn < turns; turn++) {
        int root = (int)(turn / 5 % size), bytes = turn % 2 ? 16 : 4096;
        for (long look = (turn + rank) % 4; look > 0; look--)
            MPI_Iprobe(rank, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        result += compute((uint64_t)turn, share(turn, rank));
        if (turn % 3)
            MPI_Bcast(all, bytes, MPI_CHAR, root, MPI_COMM_WORLD);
        else
            MPI_Scatter(all, bytes, MPI_CHAR, mine, bytes, MPI_CHAR, root, MPI_COMM_WORLD);
        give(turn, (rank + 1) % size, (rank + size - 1) % size);
    }
}

/* ---- Edges are put into the neighbours' memory ------------------------------------------------------------------- */

static void onesided(void)
{
    uint64_t *edges, mine;
    MPI_Win window;
    MPI_Win_allocate(2 * sizeof *edges, sizeof *edges, MPI_INFO_NULL, MPI_COMM_WORLD, &edges, &window);
    MPI_Win_fence(0, window);
    edges[0] = edges[1] = 0;
    MPI_Win_fence(0, window);
    for (long turn = 0; turn < turns; turn++) {
        mine = edges[0] + edges[1] + compute(edges[0], share(turn, rank));
        MPI_Win_fence(0, window);
        MPI_Put(&mine, 1, MPI_UINT64_T, (rank + 1) % size, 0, 1, MPI_UINT64_T, window);
        MPI_Put(&mine, 1, MPI_UINT64_T, (rank + size - 1) % size, 1, 1, MPI_UINT64_T, window);
        MPI_Win_fence(0, window);
    }
    result = edges[0];
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"montecarlo", montecarlo}, {"ring", ring},         {"sort", sort},
               {"wavefront", wavefront},   {"onesided", onesided}, {"rooted", rooted}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    turns = argc > 2 ? atol(argv[2]) : 1000;
    work_ns = argc > 3 ? atol(argv[3]) : work_ns;
    sleeps = argc > 4;
    compute(0, 0);
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, argv[1]) == 0 && size > 1 && size <= 64)
            all[i].run();
    if (rank == 0)
        printf("%s: %llu\n", argc > 1 ? argv[1] : "", (unsigned long long)result);
    MPI_Finalize();
    return 0;
}
