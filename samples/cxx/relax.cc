// relax.cc - a typical program for the C++ bindings of MPI-2. It computes the temperature of a rod whose ends stay at
// 1 and 0. Each process has a piece of the rod and exchanges border cells with its neighbours, and all add up how much
// changed. Profiling needs no change to the program; README.md shows how to link it with three libraries.
#include <cmath>
#include <cstdio>
#include <vector>

#include <mpi.h>

static const int cells = 240, steps = 100;

static void exchange(const MPI::Cartcomm &line, std::vector<double> &rod, int mine)
{
    int left, right;

    line.Shift(0, 1, left, right);
    line.Sendrecv(&rod[mine], 1, MPI::DOUBLE, right, 1, &rod[0], 1, MPI::DOUBLE, left, 1);
    MPI::Request request = line.Irecv(&rod[mine + 1], 1, MPI::DOUBLE, right, 2);
    line.Send(&rod[1], 1, MPI::DOUBLE, left, 2);
    request.Wait();
}

static double relax(std::vector<double> &rod, int mine)
{
    double change = 0, before = rod[0];

    for (int i = 1; i <= mine; i++) {
        double now = (before + rod[i + 1]) / 2;
        before = rod[i];
        change += std::fabs(now - before);
        rod[i] = now;
    }
    return change;
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    const int size = MPI::COMM_WORLD.Get_size();
    const bool periods[1] = {false};
    MPI::Cartcomm line = MPI::COMM_WORLD.Create_cart(1, &size, periods, true);
    const int rank = line.Get_rank(), mine = cells / size;
    std::vector<double> rod(mine + 2, 0.0);
    double change = 0, sum = 0, all = 0;

    for (int step = 0; step < steps; step++) {
        exchange(line, rod, mine);
        if (rank == 0)
            rod[0] = 1;
        double own = relax(rod, mine);
        line.Allreduce(&own, &change, 1, MPI::DOUBLE, MPI::SUM);
    }
    for (int i = 1; i <= mine; i++)
        sum += rod[i];
    line.Reduce(&sum, &all, 1, MPI::DOUBLE, MPI::SUM, 0);
    if (rank == 0)
        std::printf("relax: %d cells, %d steps, heat %.6f, last change %.6f\n", cells, steps, all, change);
    line.Free();
    MPI::Finalize();
    return 0;
}
