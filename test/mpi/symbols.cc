// symbols.cc - computes in a function that the compiler inlines, in each rank. Argument: CPU seconds.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mpi.h>

namespace mesh {
volatile double sink;

class Refine {
  public:
    __attribute__((always_inline)) inline double split(double x) const
    {
        for (int i = 0; i < 30000; i++)
            x = x * 0.999999 + 1.0;
        return x;
    }
};

template <class Kind> __attribute__((always_inline)) inline double sweep(const Kind &kind, double x)
{
    return kind.split(x) + 1;
}

__attribute__((noinline)) double step(double x)
{
    x = sweep(Refine(), x);
    sink = x;
    return x;
}
} // namespace mesh

int main(int argc, char **argv)
{
    std::clock_t length = (std::clock_t)(std::atof(argv[argc - 1]) * CLOCKS_PER_SEC);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::clock_t end = std::clock() + length;
    for (double x = 1; std::clock() < end;)
        x = mesh::step(x);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("well\n");
    MPI_Finalize();
    return 0;
}
