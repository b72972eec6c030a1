// cxx_user.cc - a program as users write it, for every compiler and standard: a bit of all of the C++ bindings.
#define VERSION "1.0" // as a config.h of Autoconf does
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <stdio.h>
#include <string>
#include <unistd.h>

#ifdef OWN_SEND
// The program's own member: in place of that of the library, and on top of what it did.
static int sends;
void MPI::Comm::Send(const void *buf, int count, const MPI::Datatype &datatype, int dest, int tag) const
{
    sends++;
    pmpi().Send(buf, count, datatype.pmpi(), dest, tag);
}
#endif

// A class of the user: members are virtual.
class Team : public MPI::Intracomm
{
  public:
    explicit Team(const MPI::Intracomm &comm) : MPI::Intracomm(comm) {}
    int Get_size() const override { return 1000; }
};

static int kind_of(const MPI::Exception &e)
{
    switch (e.Get_error_class()) {
    case MPI::ERR_RANK:
        return 1;
    case MPI::ERR_COMM:
        return 2;
    }
    return 0;
}

static_assert(sizeof(VERSION) == 4, "the header leaves the macro of the program as it was");

static const MPI::Intracomm &world_early = MPI::COMM_WORLD;
static MPI::Group nobody = MPI::GROUP_EMPTY;

int main(int argc, char *argv[])
{
    MPI::Init(argc, argv);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = world_early.Get_size();
    char name[MPI::MAX_PROCESSOR_NAME];
    int length, number = rank, kind = 0;
    MPI::Get_processor_name(name, length);
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI::COMM_WORLD.Send(&i, 1, MPI::INT, i, 0);
    else
        MPI::COMM_WORLD.Recv(&number, 1, MPI::INT, 0, MPI::ANY_TAG);
    try {
        MPI::COMM_WORLD.Send(&number, 1, MPI::INT, size + 5, 0);
    } catch (const MPI::Exception &e) {
        kind = kind_of(e);
    }
    Team team(MPI::COMM_WORLD);
    const MPI::Comm &base = team;
    const bool fine = number == rank && kind == 1 && base.Get_size() == 1000 && nobody == MPI::GROUP_EMPTY &&
                      std::max(MPI::ANY_SOURCE, size) == size && MPI_Comm(team) == MPI_COMM_WORLD &&
                      lseek(-1, 0, SEEK_SET) == -1 && team != MPI::COMM_NULL && std::string(name) != "";
#ifdef OWN_SEND
    std::printf("%s %d\n", fine && length > 0 ? "fine" : "wrong", sends);
#else
    std::fputs(fine && length > 0 ? "fine\n" : "wrong\n", stdout); // one write: others write too
#endif
    MPI::Finalize();
    return !fine;
}
