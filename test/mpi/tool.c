/* tool.c - another profiling tool: counts calls and prints the numbers in MPI_Finalize. It makes calls of its own
 * inside its functions, by both names. With -DNAME="..." of another name. */
#include <mpi.h>
#include <stdio.h>

#ifndef NAME
#define NAME "tool"
#endif
static int barriers, ranks, messages, controls;

int MPI_Init(int *argc, char ***argv)
{
    int rank, result = PMPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* by the name that it defines itself: counts */
    PMPI_Barrier(MPI_COMM_WORLD);
    return result;
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) { return ranks++, PMPI_Comm_rank(comm, rank); }
int MPI_Barrier(MPI_Comm comm) { return barriers++, PMPI_Barrier(comm); }
int MPI_Pcontrol(const int level, ...) { return controls++, PMPI_Pcontrol(level); }
int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int to, int tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request requests[2];
    messages++;
    PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, &requests[0]);
    PMPI_Isend(out, count, type, to, tag, comm, &requests[1]);
    (void)status;
    return PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
int MPI_Finalize(void)
{
    int rank, own[4] = {barriers, ranks, messages, controls}, all[4];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(own, all, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        fprintf(stderr, NAME ": %d barriers, %d ranks, %d messages, %d controls\n", all[0], all[1], all[2], all[3]);
    return PMPI_Finalize();
}
