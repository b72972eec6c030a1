/* opens_mpi.c - a program that is linked with MPI; with -DOPENED=FILE one that opens the library FILE privately and
 * looks its functions up. Both make the same calls. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#ifdef OPENED
#include <dlfcn.h>
#define CALL(function) ((__typeof__(&function))find(#function))
#ifdef OPEN_MPI /* its handles are addresses of its data */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)find(#global))
#endif
static void *find(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(OPENED, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    const char *error = dlerror();
    if (!found || error)
        fprintf(stderr, "%s: %s\n", name, error);
    return found;
}
#else
#define CALL(function) function
#endif

int main(int argc, char **argv)
{
    int rank, size, in;
    CALL(MPI_Init)(&argc, &argv);
    CALL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    CALL(MPI_Comm_size)(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++)
        CALL(MPI_Sendrecv)
    (&rank, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
     MPI_STATUS_IGNORE);
    CALL(PMPI_Barrier)(MPI_COMM_WORLD);
#ifdef OPENED
    if (dlsym(RTLD_DEFAULT, "no_such_symbol") || !dlerror() || dlsym(RTLD_NEXT, "main"))
        return 3;
#endif
    return CALL(MPI_Finalize)();
}
