/* replaced.c - computes in one library, unloads it, and computes in another of the same size, which is usually loaded
 * at the same address. Prints "same place" then. -DWORK=NAME: the library, with the function NAME. */
#ifdef WORK
#include <time.h>

double WORK(double seconds);
double run(double seconds);

__attribute__((noinline)) double WORK(double seconds)
{
    double sum = 0;
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

    do
        for (int i = 1; i < 100000; i++)
            sum += 1.0 / i;
    while (clock() < end);
    return sum;
}

double run(double seconds) { return WORK(seconds) + 1; }
#else
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void *use(const char *path)
{
    void *library = dlopen(path, RTLD_NOW), *found = library ? dlsym(library, "run") : NULL;
    double (*run)(double);

    if (!found)
        return NULL;
    memcpy(&run, &found, sizeof run);
    if (run(0.4) < 0)
        puts("negative");
    dlclose(library);
    return found;
}

int main(int argc, char **argv)
{
    void *first, *second;

    MPI_Init(&argc, &argv);
    first = use(argv[1]);
    second = use(argv[2]);
    puts(first && first == second ? "same place" : "other place");
    return MPI_Finalize();
}
#endif
