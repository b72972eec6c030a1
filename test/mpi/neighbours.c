/* neighbours.c - neighbourhood collectives in a grid, a graph and a distributed graph, blocking, nonblocking and, where
 * MPI has them, persistent. Each rank writes into sources.RANK, for each communicator, the ranks that send to it: KIND
 * RANK SOURCE ... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int world;

static void told(const char *kind, MPI_Comm comm, const int *sources, int count)
{
    int rank, here[64] = {0}, there[64];
    MPI_Request request;

    MPI_Comm_rank(comm, &rank);
    printf("%s %d", kind, rank);
    for (int i = 0; i < count; i++)
        if (sources[i] != MPI_PROC_NULL)
            printf(" %d", sources[i]);
    printf("\n");
    MPI_Ineighbor_alltoall(here, 1, MPI_INT, there, 1, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_allgather(here, 1, MPI_INT, there, 1, MPI_INT, comm);
#if MPI_VERSION >= 4
    MPI_Neighbor_alltoall_init(here, 1, MPI_INT, there, 1, MPI_INT, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
#endif
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int size, dims[2] = {0}, periods[2] = {1, 0}, sources[4], degree;
    MPI_Comm comm;

    char account[32]; /* a file for each rank: launchers mix the lines of several */

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    snprintf(account, sizeof account, "sources.%d", world);
    if (!freopen(account, "w", stdout))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    for (int i = 0; i < 2; i++)
        MPI_Cart_shift(comm, i, 1, &sources[2 * i], &sources[2 * i + 1]);
    told("grid", comm, sources, 4);

    /* A ring in one direction: from the rank before. */
    int before = (world + size - 1) % size, after = (world + 1) % size, one = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, 1, &after, &one, MPI_INFO_NULL, 0, &comm);
    told("ring", comm, &before, 1);

    /* A star: rank 0 with each other one. */
    int *index = malloc((size_t)size * sizeof *index), *edges = malloc(2 * (size_t)size * sizeof *edges);
    for (int i = 0; i < size; i++) {
        index[i] = size - 1 + i;
        edges[i ? size - 2 + i : 0] = 0;
    }
    for (int i = 1; i < size; i++)
        edges[i - 1] = i;
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
    MPI_Graph_neighbors_count(comm, world, &degree);
    int *others = malloc((size_t)size * sizeof *others);
    MPI_Graph_neighbors(comm, world, degree, others);
    told("star", comm, others, degree);
    free(index);
    free(edges);
    free(others);
    MPI_Finalize();
    return 0;
}
