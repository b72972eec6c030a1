/* gym_collectives.c - a rank that is late for a collective. An expert names that rank and the state in which it spends
 * the time: a barrier that takes long is not the cause. */
#include "gym.h"

enum { MOST_RANKS = 16 };
static double one = 1, sum, many[MOST_RANKS], few[MOST_RANKS];

/* "Rank 0 reads three times as long as the others, which wait for its data." */
static void bcast_root(int i)
{
    (void)i;
    uneven("read_input");
    MPI_Bcast(&one, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
}

static void scatter_root(int i)
{
    (void)i;
    uneven("partition");
    MPI_Scatter(many, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
}

/* "The root of MPI_Reduce waits for rank 1, which integrates three times as long." */
static void early_reduce(int i)
{
    (void)i;
    uneven("integrate");
    MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void early_gather(int i)
{
    (void)i;
    uneven("integrate");
    MPI_Gather(&one, 1, MPI_DOUBLE, many, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    meet();
}

/* "Rank 2 sorts three times as long as the others, which wait in MPI_Barrier." */
static void barrier(int i)
{
    (void)i;
    uneven("sort");
    meet();
}

static void allreduce(int i)
{
    (void)i;
    uneven(NULL);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "Ranks 1 and 2 need three times as long as the others": 2 * 40 of 4 * 60 ms are lost. */
static void two(int i)
{
    (void)i;
    work("solve", sick && (rank == 1 || rank == 2) ? LONG_MS : SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "All wait while rank 3 alone writes a checkpoint": 3 * 40 of 4 * 60 ms are lost. */
static void state(int i)
{
    (void)i;
    work("solve", SHORT_MS);
    if (sick && rank == late)
        work("write_checkpoint", LONG_MS - SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "In each step another rank solves three times as long: the work is spread badly, though all have the same in sum." */
static void moving(int i)
{
    late = i % size;
    uneven("solve");
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* What all have when the work of `moving` is balanced: the mean of one LONG_MS and SHORT_MS of the others. */
static double mean_ms(void) { return SHORT_MS + (double)(LONG_MS - SHORT_MS) / size; }

/* The same, but only the late rank's data are waited for: it is the root. */
static void bcast_moving(int i)
{
    work("solve", !sick ? mean_ms() : rank == i % size ? LONG_MS : SHORT_MS);
    MPI_Bcast(&one, 1, MPI_DOUBLE, i % size, MPI_COMM_WORLD);
}

/* "Rank 0 is late in the first half of the iterations, rank 3 in the second": no rank computes more than these two. */
static void halves(int i)
{
    late = i < STEPS ? 0 : size - 1;
    work(NULL, !sick ? mean_ms() : rank == late ? LONG_MS : SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "Rank 0 assembles three times as long as the others, and rank 1 solves": of two ranks both have the same in sum, but
 * each part ends with a collective, at which n - 1 ranks wait 40 of 60 ms. */
static void parts(const char *assemble, const char *solve)
{
    work(assemble, sick && rank == 0 ? LONG_MS : SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    work(solve, sick && rank == 1 ? LONG_MS : SHORT_MS);
    meet();
}
static void phases(int i)
{
    (void)i;
    parts("assemble", "solve");
}
static void phases_plain(int i)
{
    (void)i;
    parts(NULL, NULL);
}

/* "The others wait once, before the first step, while rank 0 alone reads": 3 * 300 of 4 * (300 + 160) ms are lost. */
static void startup(int i)
{
    if (i == 0 && sick && rank == late)
        work("read_input", 300);
    if (i == 0)
        MPI_Bcast(&one, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
    work("solve", SHORT_MS);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "Rank 1 rebuilds in 5 of 100 iterations (12, 31, 47, 66 and 85, from 0), 60 ms each": 5 * 3 * 60 ms are lost, of
 * 4 * (100 * 5 + 5 * 60) ms: 0.281. */
static void rare(int i)
{
    work("solve", 5);
    if (sick && rank == late && (i == 12 || i == 31 || i == 47 || i == 66 || i == 85))
        work("rebuild", 60);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* "Rank N is late, inside the tree by which the data travels; the root was early." */
static void tree_bcast(int i)
{
    (void)i;
    uneven(NULL);
    MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    meet();
}

static void tree_reduce(int i)
{
    (void)i;
    uneven(NULL);
    MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    meet();
}

/* "Rank 0 counts three times as long as the ranks after it, which wait for its sum." */
static void scan(int i)
{
    (void)i;
    uneven("count");
    MPI_Scan(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoallv(int i)
{
    int counts[MOST_RANKS], places[MOST_RANKS];

    (void)i;
    for (int r = 0; r < size; r++) {
        counts[r] = 1;
        places[r] = r;
    }
    uneven("pack");
    MPI_Alltoallv(many, counts, places, MPI_DOUBLE, few, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* "Rank 2 smooths three times as long as its neighbours in the grid." In the end all go at its pace. */
static void neighbours(int i)
{
    static MPI_Comm ring;
    int periodic = 1;

    if (i == 0)
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    uneven("smooth");
    MPI_Neighbor_alltoall(many, 1, MPI_DOUBLE, few, 1, MPI_DOUBLE, ring);
    if (i == STEPS - 1)
        meet();
}

/* "Rank 1 computes three times as long", in a loop that makes and frees a communicator. */
static void communicators(int i)
{
    MPI_Comm copy;

    (void)i;
    uneven(NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, copy);
    MPI_Comm_free(&copy);
}

/* "Rank 3 sums up three times as long as the others." Rank 1 shares a communicator with it and waits in each step,
 * ranks 0 and 2 only in the end. */
static void subgroups(int i)
{
    static MPI_Comm half;

    if (i == 0)
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    uneven("sum_up");
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
    if (i == STEPS - 1)
        meet();
}

/* "Rank 1 cleans up for 240 ms after the last step, the others wait in MPI_Finalize": 3 * 240 of 4 * (160 + 240) ms. */
static void finalize(int i)
{
    work("solve", SHORT_MS);
    meet();
    if (i == STEPS - 1 && sick && rank == late)
        work("clean_up", 240);
}

static const struct mode modes[] = {
    {"bcast_root", bcast_root, STEPS, 0},
    {"scatter_root", scatter_root, STEPS, 2},
    {"early_reduce", early_reduce, STEPS, 1},
    {"early_gather", early_gather, STEPS, 3},
    {"barrier", barrier, STEPS, 2},
    {"allreduce", allreduce, STEPS, 1},
    {"two", two, STEPS, 1},
    {"state", state, STEPS, 3},
    {"moving", moving, STEPS, 0},
    {"bcast_moving", bcast_moving, 2 * STEPS, 0},
    {"halves", halves, 2 * STEPS, 0},
    {"phases", phases, STEPS, 0},
    {"phases_plain", phases_plain, STEPS, 0},
    {"startup", startup, STEPS, 0},
    {"rare", rare, 100, 1},
    {"tree_bcast", tree_bcast, STEPS, 2},
    {"tree_reduce", tree_reduce, STEPS, 2},
    {"scan", scan, STEPS, 0},
    {"alltoallv", alltoallv, STEPS, 3},
    {"neighbours", neighbours, STEPS, 2},
    {"communicators", communicators, STEPS, 1},
    {"subgroups", subgroups, STEPS, 3},
    {"finalize", finalize, STEPS, 1},
};

GYM_MAIN(modes)
