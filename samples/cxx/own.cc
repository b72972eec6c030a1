// own.cc - member functions of one's own in place of two of MPI's: what is sent is counted, and told at the end. Linked before
// libpith-cxx (or libpith-pcxx) they take the place of these two alone; README.md shows how.
#include <cstdio>

#include <mpi.h>

static long messages, bytes;

// pmpi() is the object's counterpart in namespace PMPI, which does what MPI's own does.
void MPI::Comm::Send(const void *buf, int count, const MPI::Datatype &datatype, int dest, int tag) const
{
    if (dest != MPI::PROC_NULL) {
        messages++;
        bytes += static_cast<long>(count) * datatype.pmpi().Get_size();
    }
    pmpi().Send(buf, count, datatype.pmpi(), dest, tag);
}

void MPI::Finalize()
{
    const PMPI::Intracomm world = MPI::COMM_WORLD.pmpi();
    const long mine[2] = {messages, bytes};
    long all[2] = {0, 0};

    world.Reduce(mine, all, 2, MPI::LONG.pmpi(), MPI::SUM.pmpi(), 0);
    if (world.Get_rank() == 0)
        std::printf("own: %ld messages of %ld bytes by MPI::Comm::Send\n", all[0], all[1]);
    PMPI::Finalize();
}
