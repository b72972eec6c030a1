/* colls.c - every collective once, blocking, nonblocking and persistent where the MPI has it. Prints what a log must
 * hold: "RANK root=R given=G got=B", one line a call, in order; given and got in bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static MPI_Comm comm;
static int a[4096], b[4096], counts[64], displs[64], ones[64];
static MPI_Datatype types[64];

static void expect(int root, long given, long got)
{
    char line[128];
    int n = snprintf(line, sizeof line, "%d root=%d given=%ld got=%ld\n", rank, root, given, got);
    if (write(1, line, n) != n)
        exit(1);
}
static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }
#if MPI_VERSION >= 4
static void twice(MPI_Request *request)
{
    for (int i = 0; i < 2; i++) {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(request);
}
/* A call in its three forms; what it must record comes once, once, and twice. */
#define ALL(name, iname, args, ...)                                                                                    \
    do {                                                                                                               \
        MPI_Request r_;                                                                                                \
        MPI_##name(args comm);                                                                                         \
        expect(__VA_ARGS__);                                                                                           \
        MPI_I##iname(args comm, &r_);                                                                                  \
        expect(__VA_ARGS__);                                                                                           \
        finish(&r_);                                                                                                   \
        MPI_##name##_init(args comm, MPI_INFO_NULL, &r_);                                                              \
        expect(__VA_ARGS__);                                                                                           \
        expect(__VA_ARGS__);                                                                                           \
        twice(&r_);                                                                                                    \
    } while (0)
#else
#define ALL SOME
#endif
/* Without the persistent form: that of scatter fails in MPICH 4.0.2 on 4 ranks. */
#define SOME(name, iname, args, ...)                                                                                   \
    do {                                                                                                               \
        MPI_Request r_;                                                                                                \
        MPI_##name(args comm);                                                                                         \
        expect(__VA_ARGS__);                                                                                           \
        MPI_I##iname(args comm, &r_);                                                                                  \
        expect(__VA_ARGS__);                                                                                           \
        finish(&r_);                                                                                                   \
    } while (0)
#define ARGS(...) __VA_ARGS__, /* the call adds comm */
#define NONE

static void rooted(int root)
{
    int me = rank == root;

    ALL(Bcast, bcast, ARGS(a, 10, MPI_INT, root), root, me ? 40 : 0, me ? 0 : 40);
    ALL(Gather, gather, ARGS(a, 3, MPI_INT, b, 3, MPI_INT, root), root, 12, me ? 12 * size : 0);
    ALL(Gather, gather, ARGS(me ? MPI_IN_PLACE : a, 3, MPI_INT, b, 3, MPI_INT, root), root, 12, me ? 12 * size : 0);
    ALL(Gatherv, gatherv, ARGS(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, root), root, 4 * (rank + 1),
        me ? 2 * size * (size + 1) : 0);
    SOME(Scatter, scatter, ARGS(a, 2, MPI_INT, b, 2, MPI_INT, root), root, me ? 8 * size : 0, 8);
    SOME(Scatter, scatter, ARGS(a, 2, MPI_INT, me ? MPI_IN_PLACE : b, 2, MPI_INT, root), root, me ? 8 * size : 0, 8);
    ALL(Scatterv, scatterv, ARGS(a, counts, displs, MPI_INT, b, counts[rank], MPI_INT, root), root,
        me ? 2 * size * (size + 1) : 0, 4 * (rank + 1));
    ALL(Reduce, reduce, ARGS(a, b, 5, MPI_DOUBLE, MPI_MAX, root), root, 40, me ? 40 : 0);
}

static void unrooted(void)
{
    long all = 2 * size * (size + 1);

    ALL(Barrier, barrier, NONE, -1, 0, 0);
    ALL(Allgather, allgather, ARGS(a, 3, MPI_INT, b, 3, MPI_INT), -1, 12, 12 * size);
    ALL(Allgather, allgather, ARGS(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT), -1, 12, 12 * size);
    ALL(Allgatherv, allgatherv, ARGS(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT), -1, 4 * (rank + 1), all);
    ALL(Alltoall, alltoall, ARGS(a, 1, MPI_INT, b, 1, MPI_INT), -1, 4 * size, 4 * size);
    ALL(Alltoallv, alltoallv, ARGS(a, ones, displs, MPI_INT, b, ones, displs, MPI_INT), -1, 4 * size, 4 * size);
    ALL(Alltoallw, alltoallw, ARGS(a, ones, displs, types, b, ones, displs, types), -1, 8 * size, 8 * size);
    ALL(Allreduce, allreduce, ARGS(a, b, 6, MPI_INT, MPI_SUM), -1, 24, 24);
    ALL(Scan, scan, ARGS(a, b, 6, MPI_INT, MPI_SUM), -1, 24, 24);
    ALL(Exscan, exscan, ARGS(a, b, 6, MPI_INT, MPI_SUM), -1, 24, rank ? 24 : 0);
    ALL(Reduce_scatter, reduce_scatter, ARGS(a, b, counts, MPI_INT, MPI_SUM), -1, all, 4 * (rank + 1));
    ALL(Reduce_scatter_block, reduce_scatter_block, ARGS(a, b, 2, MPI_INT, MPI_SUM), -1, 8 * size, 8);
}

/* A ring as a cartesian grid: two neighbours, both perhaps this process. */
static void neighbours(void)
{
    MPI_Comm world = comm;
    MPI_Aint offsets[2] = {0, 64};
    int periodic = 1, at[2] = {0, 8};

    MPI_Cart_create(world, 1, &size, &periodic, 0, &comm);
    ALL(Neighbor_allgather, neighbor_allgather, ARGS(a, 3, MPI_INT, b, 3, MPI_INT), -1, 12, 24);
    ALL(Neighbor_allgatherv, neighbor_allgatherv, ARGS(a, 1, MPI_INT, b, ones, at, MPI_INT), -1, 4, 8);
    ALL(Neighbor_alltoall, neighbor_alltoall, ARGS(a, 3, MPI_INT, b, 3, MPI_INT), -1, 24, 24);
    if (size != 1) /* to itself the two counts would have to be crossed */
        ALL(Neighbor_alltoallv, neighbor_alltoallv, ARGS(a, ones, at, MPI_INT, b, ones, at, MPI_INT), -1, 8, 8);
    ALL(Neighbor_alltoallw, neighbor_alltoallw, ARGS(a, ones, offsets, types, b, ones, offsets, types), -1, 16, 16);
    MPI_Comm_free(&comm);
    comm = world;
}

/* A grid without periods: at its ends a neighbour is MPI_PROC_NULL, and nothing goes there. */
static void ends_of_a_line(void)
{
    MPI_Comm world = comm;
    MPI_Aint offsets[2] = {0, 64};
    int periodic = 0, at[2] = {0, 8}, sent[2] = {1, 2}, received[2] = {2, 1};
    int lower = rank > 0, upper = rank < size - 1, near = lower + upper;

    MPI_Cart_create(world, 1, &size, &periodic, 0, &comm);
    ALL(Neighbor_allgather, neighbor_allgather, ARGS(a, 3, MPI_INT, b, 3, MPI_INT), -1, near ? 12 : 0, 12 * near);
    ALL(Neighbor_allgatherv, neighbor_allgatherv, ARGS(a, 1, MPI_INT, b, ones, at, MPI_INT), -1, near ? 4 : 0,
        4 * near);
    ALL(Neighbor_alltoall, neighbor_alltoall, ARGS(a, 3, MPI_INT, b, 3, MPI_INT), -1, 12 * near, 12 * near);
    ALL(Neighbor_alltoallv, neighbor_alltoallv, ARGS(a, sent, at, MPI_INT, b, received, at, MPI_INT), -1,
        4 * lower + 8 * upper, 8 * lower + 4 * upper);
    ALL(Neighbor_alltoallw, neighbor_alltoallw, ARGS(a, ones, offsets, types, b, ones, offsets, types), -1, 8 * near,
        8 * near);
    MPI_Comm_free(&comm);
    comm = world;
}

static void between_groups(void)
{
    MPI_Comm half, inter;
    int remote;

    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
    MPI_Comm_remote_size(inter, &remote);
    /* The root is world rank 0, rank 0 of the even group. */
    int root = rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
    MPI_Bcast(a, 10, MPI_INT, root, inter);
    expect(rank % 2 == 0 && rank ? -1 : 0, rank == 0 ? 40 : 0, rank % 2 ? 40 : 0);
    MPI_Gather(a, 3, MPI_INT, b, 3, MPI_INT, root, inter);
    expect(rank % 2 == 0 && rank ? -1 : 0, rank % 2 ? 12 : 0, rank == 0 ? 12 * remote : 0);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = 8 * i;
    }
    for (int i = 0; i < 64; i++) {
        ones[i] = 1;
        types[i] = MPI_DOUBLE;
    }
    rooted(0);
    rooted(size - 1);
    unrooted();
    neighbours();
    ends_of_a_line();
    between_groups();
#if MPI_VERSION >= 4
    MPI_Bcast_c(a, 10, MPI_INT, 0, comm);
    expect(0, rank ? 0 : 40, rank ? 40 : 0);
    MPI_Count large[64];
    MPI_Aint places[64];
    for (int i = 0; i < size; i++) {
        large[i] = i + 1;
        places[i] = 8 * i;
    }
    MPI_Allgatherv_c(a, rank + 1, MPI_INT, b, large, places, MPI_INT, comm);
    expect(-1, 4 * (rank + 1), 2 * size * (size + 1));
#endif
    MPI_Finalize();
    return 0;
}
