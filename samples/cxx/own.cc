// own.cc - two member functions that replace MPI's: they count messages and print the count at the end. Link them
// before libpith-cxx (or libpith-pcxx); all other members stay MPI's. README.md shows how.
#include <cstdio>

#include <mpi.h>

static long messages, bytes;

// pmpi() is the corresponding object in namespace PMPI, whose members do what MPI's do.
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
