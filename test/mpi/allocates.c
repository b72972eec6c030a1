/* allocates.c - allocates and frees blocks of many sizes, in four threads; each begins with an allocation. With -DALONE
 * without MPI. The program has many keys of threads: the C library allocates room for values of later ones. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef ALONE
#include <mpi.h>
#endif

enum { THREADS = 4, ROUNDS = 100, KEYS = 40 };

extern void strict_new(void) __attribute__((weak)); /* of strict_malloc.c */

static void *allocate(void *unused)
{
    for (size_t i = 1; i <= ROUNDS; i++) {
        size_t size = i <= 20 || i % 25 == 0 ? i : 21 + i % 4; /* realloc copies it all */
        if (strict_new && i % 10 == 0)
            strict_new();
        char *block = malloc(40000 * size), *other = calloc(i, 100);
        if (!block || !other)
            return NULL;
        memset(block, 1, 100);
        if (!(block = realloc(block, 50000 * size)) || block[99] != 1)
            return NULL;
        if (i % 3)
            free(block);
        free(other);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    pthread_key_t key;
    int rank = 0;
    void *good = argv;
    for (int i = 0; i < KEYS; i++)
        pthread_key_create(&key, NULL);
#ifdef ALONE
    (void)argc;
#else
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, allocate, argv) != 0)
            good = NULL;
    for (int i = 0; good && i < THREADS; i++)
        if (pthread_join(threads[i], &good) != 0)
            good = NULL;
    if (!allocate(argv))
        good = NULL;
    printf("allocates: rank %d, %s\n", rank, good ? "well" : "not well");
#ifndef ALONE
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
#endif
    return 0;
}
