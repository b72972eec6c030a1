/* no_memory.c - preloaded: Pith's library gets no memory for what a request carries. As a program: more receives at
 * once than it keeps places for; MPI refuses the others, and those that it took get their messages. */
#define _GNU_SOURCE
#include "piggyback.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
    Dl_info whose;
    if (size == sizeof(struct pithi_piggyback_entry) && dladdr(__builtin_return_address(0), &whose) &&
        strstr(whose.dli_fname, "/libpith-"))
        return NULL;
    return __libc_malloc(size);
}

enum { MANY = 600 };

int main(int argc, char **argv)
{
    static int got[MANY], values[MANY];
    MPI_Request requests[MANY], none = MPI_REQUEST_NULL;
    int taken = 0, wrong = 0, refused = 0, class;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < MANY; i++) {
        values[i] = 7 * i + 1;
        int result = MPI_Irecv(&got[taken], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &none); /* needs nothing */
        MPI_Wait(&none, MPI_STATUS_IGNORE);
        wrong += result != MPI_SUCCESS;
        result = MPI_Irecv(&got[taken], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[taken]);
        MPI_Error_class(result, &class);
        taken += class == MPI_SUCCESS;
        refused += class == MPI_ERR_COUNT;
    }
    for (int i = 0; i < taken; i++)
        MPI_Send(&values[i], 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    for (int i = 0; i < taken; i++) {
        MPI_Status status;
        int count;
        MPI_Wait(&requests[i], &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != 1 || got[i] != values[i];
    }
    printf("%s taken, %s, %d wrong\n", taken >= 200 ? "many" : "few",
           taken + refused == MANY ? "others refused" : "lost", wrong);
    MPI_Finalize();
    return 0;
}
