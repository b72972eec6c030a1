/* refused.c - persistent collectives where not all goes well. As a library that the program is linked with, before
 * MPI's (-DLIBRARY): MPI_Start of the request `refused` fails once, and nothing is started; and while `hold` is set,
 * MPI_Test, which the program does not call, says that nothing is over.
 *
 *     refused start   a start that fails is made again: says how much was wrong
 *     refused hold    what is not over when the program's is, in one rank, now and then
 */
#include <mpi.h>

#ifdef LIBRARY
#define _GNU_SOURCE
#include <dlfcn.h>

MPI_Request refused = MPI_REQUEST_NULL;
int hold;

int PMPI_Start(MPI_Request *request)
{
    int (*real)(MPI_Request *) = (int (*)(MPI_Request *))dlsym(RTLD_NEXT, "PMPI_Start");
    if (refused == MPI_REQUEST_NULL || *request != refused)
        return real(request);
    refused = MPI_REQUEST_NULL;
    return MPI_ERR_OTHER;
}

int MPI_Start(MPI_Request *request) { return PMPI_Start(request); }

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int (*real)(MPI_Request *, int *, MPI_Status *) =
        (int (*)(MPI_Request *, int *, MPI_Status *))dlsym(RTLD_NEXT, "PMPI_Test");
    *flag = 0;
    return hold ? MPI_SUCCESS : real(request, flag, status);
}
#else
#include <stdio.h>
#include <string.h>

extern MPI_Request refused;
extern int hold;

enum { TURNS = 30 };

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, failed = 0, sum = 0, value, is_hold;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_hold = argc > 1 && strcmp(argv[1], "hold") == 0;
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < TURNS; turn++) {
        value = turn + rank;
        if (is_hold)
            hold = rank == 1 && turn / 4 == 1;
        else if (turn % 2 && rank == 1)
            refused = request;
        for (; MPI_Start(&request) != MPI_SUCCESS; failed++)
            ;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += sum != turn * size + size * (size - 1) / 2;
    }
    hold = 0;
    MPI_Request_free(&request);
    printf("rank %d: %d failed, %d wrong\n", rank, failed, wrong);
    MPI_Finalize();
    return 0;
}
#endif
