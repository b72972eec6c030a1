/* sizes.c - how long are the messages of a program? At the end rank 0 prints how many were sent of each size, in powers
 * of two. An example of a profiling library: two small functions for its begin and end, one for the wrappers.
 */
#include "sizes.h"

#include <stdio.h>

enum { CLASSES = 65 }; /* c: 2^(c-1) to 2^c - 1 bytes; 0: empty messages */

static unsigned long long counts[CLASSES];
static int rank;

/* After MPI_Init. */
void sizes_begin(void) { REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank); }

/* Several threads may send at once. */
void sizes_add(MPI_Count count, MPI_Datatype type)
{
    int size = 0, power = 0;

    REAL(MPI_Type_size)(type, &size);
    for (unsigned long long bytes = (unsigned long long)count * (unsigned long long)size; bytes; bytes >>= 1)
        power++;
    __atomic_add_fetch(&counts[power], 1, __ATOMIC_RELAXED);
}

/* Before MPI_Finalize: all ranks come here. */
void sizes_end(void)
{
    unsigned long long all[CLASSES];

    REAL(MPI_Reduce)(counts, all, CLASSES, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int c = 0; rank == 0 && c < CLASSES; c++)
        if (all[c])
            fprintf(stderr, "%llu messages of %llu bytes or more\n", all[c], c ? 1ull << (c - 1) : 0ull);
}
