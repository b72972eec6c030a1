// bindings.cc - the C++ bindings of MPI-2 and C calls in one program, for test_cxx.sh: 3 messages and an Allreduce by MPI::,
// 2 messages by the C functions, between neighbours in a ring.
#include <cstdio>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    int to = (rank + 1) % size, from = (rank + size - 1) % size, out = rank, in = -1, sum = 0;

    for (int i = 0; i < 3; i++) {
        MPI::Request request = MPI::COMM_WORLD.Irecv(&in, 1, MPI::INT, from, i);
        MPI::COMM_WORLD.Send(&out, 1, MPI::INT, to, i);
        request.Wait();
    }
    for (int i = 3; i < 5; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, to, i, &in, 1, MPI_INT, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI::Intracomm copy = MPI::COMM_WORLD.Dup();
    copy.Allreduce(&in, &sum, 1, MPI::INT, MPI::SUM);
    copy.Free();
    if (rank == 0)
        std::printf("sum %d\n", sum);
    MPI::Finalize();
    return 0;
}
