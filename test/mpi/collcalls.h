/* collcalls.h - what the programs of collective calls share. Each says only what went wrong. */
#include <mpi.h>
#include <stdio.h>

static int rank, size, odd; /* odd: this is rank 1, which errs */
static int a[64], b[64];
static const MPI_Comm *world;

static void ok(int good, const char *what)
{
    if (!good)
        printf("rank %d: %s\n", rank, what);
}

/* The call was wrong: it must give MPI_ERR_ARG. Which one it was. */
static int wrong_call(int result)
{
    int class = 0;
    static int n;

    n++;
    MPI_Error_class(result, &class);
    if (class != MPI_ERR_ARG)
        printf("rank %d: wrong call %d gave %d\n", rank, n, class);
    return n;
}
