/* sizes.c - an example of a profiling library: how long are the messages of a program? At the end, rank 0 prints how
 * many messages of each size were sent, in powers of two.
 */
#include "sizes.h"

#include <stdio.h>

enum { CLASSES = 65 }; /* class c: 2^(c-1) to 2^c - 1 bytes; class 0: empty messages */

static unsigned long long counts[CLASSES];
static int rank;

/* Called after MPI_Init. */
void sizes_begin(void) { REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank); }

/* Called before each message. Several threads may send at the same time, so the addition is atomic. */
void sizes_add(MPI_Count count, MPI_Datatype type)
{
    int size = 0, power = 0;

    REAL(MPI_Type_size)(type, &size);
    for (unsigned long long bytes = (unsigned long long)count * (unsigned long long)size; bytes; bytes >>= 1)
        power++;
    __atomic_add_fetch(&counts[power], 1, __ATOMIC_RELAXED);
}

/* Called before MPI_Finalize, by all ranks. */
void sizes_end(void)
{
    unsigned long long all[CLASSES];

    REAL(MPI_Reduce)(counts, all, CLASSES, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int c = 0; rank == 0 && c < CLASSES; c++)
        if (all[c])
            fprintf(stderr, "%llu messages of %llu bytes or more\n", all[c], c ? 1ull << (c - 1) : 0ull);
}
