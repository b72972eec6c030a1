// cxx_cost.cc - what the C++ bindings add to a call: each call by C and by C++ in turns within one process, one rank, messages
// to itself. A line "NAME C CXX" each, ns of the thread's processor time: the least of the rounds.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

static const int rounds = 200, calls = 5000;
static int rank_here, out[4] = {1, 2, 3, 4}, in[4];

static double now_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}
template <class Call> static double round_of(Call call)
{
    const double begun = now_ns();
    for (int i = 0; i < calls; i++)
        call();
    return (now_ns() - begun) / calls;
}
template <class C, class Cxx> static void compare(const char *name, C by_c, Cxx by_cxx)
{
    double least_c = 1e9, least_cxx = 1e9;
    for (int i = 0; i < rounds; i++) {
        least_c = std::min(least_c, round_of(by_c));
        least_cxx = std::min(least_cxx, round_of(by_cxx));
    }
    std::printf("%s %.3f %.3f\n", name, least_c, least_cxx);
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    const MPI::Intracomm &world = MPI::COMM_WORLD;
    compare(
        "Get_rank", [] { MPI_Comm_rank(MPI_COMM_WORLD, &rank_here); }, [&] { rank_here = world.Get_rank(); });
    compare(
        "Type_size", [] { MPI_Type_size(MPI_INT, &rank_here); }, [] { rank_here = MPI::INT.Get_size(); });
    compare(
        "Iprobe", [] { MPI_Iprobe(0, 9, MPI_COMM_WORLD, &rank_here, MPI_STATUS_IGNORE); },
        [&] { rank_here = world.Iprobe(0, 9); });
    compare(
        "Sendrecv",
        [] { MPI_Sendrecv(out, 1, MPI_INT, 0, 1, in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
        [&] { world.Sendrecv(out, 1, MPI::INT, 0, 1, in, 1, MPI::INT, 0, 1); });
    compare(
        "Irecv+Isend+Waitall",
        [] {
            MPI_Request r[2];
            MPI_Irecv(in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[0]);
            MPI_Isend(out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[1]);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        },
        [&] {
            MPI::Request r[2];
            r[0] = world.Irecv(in, 1, MPI::INT, 0, 1);
            r[1] = world.Isend(out, 1, MPI::INT, 0, 1);
            MPI::Request::Waitall(2, r);
        });
    MPI::Finalize();
}
