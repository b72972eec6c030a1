// cxx_io.cc - files through the C++ bindings, as programs use them: a matrix that all ranks write in columns, a log with a
// shared pointer, a checkpoint with explicit offsets. Any number of ranks; each value in each file is checked.
#include <cstdio>
#include <vector>

#include "mpi.h"

static int rank_here, size_here, wrong;
static const MPI::Intracomm &world = MPI::COMM_WORLD;
enum { ROWS = 64, ROUNDS = 20 };

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("rank %d, line %d: " #condition "\n", rank_here, __LINE__);                                    \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

static MPI::File open_new(const char *name)
{
    if (rank_here == 0)
        try {
            MPI::File::Delete(name, MPI::INFO_NULL);
        } catch (const MPI::Exception &) {
        }
    world.Barrier();
    MPI::Info info = MPI::Info::Create();
    info.Set("cb_buffer_size", "65536");
    MPI::File file = MPI::File::Open(world, name, MPI::MODE_CREATE | MPI::MODE_RDWR, info);
    info.Free();
    CHECK(file.Get_amode() == (MPI::MODE_CREATE | MPI::MODE_RDWR) && file.Get_size() == 0);
    return file;
}

// Each rank owns the columns rank, rank + size, ... of a matrix.
static void matrix()
{
    MPI::File file = open_new("cxx_io.matrix");
    MPI::Datatype columns = MPI::INT.Create_vector(ROWS, 1, size_here);
    columns.Commit();
    file.Set_view(static_cast<MPI::Offset>(sizeof(int)) * rank_here, MPI::INT, columns, "native", MPI::INFO_NULL);
    std::vector<int> own(ROWS), read(ROWS), all(static_cast<size_t>(ROWS * size_here));
    for (int round = 0; round < ROUNDS; round++) {
        MPI::Status status;
        for (int i = 0; i < ROWS; i++)
            own[i] = (round * ROWS + i) * size_here + rank_here;
        file.Seek(0, MPI::SEEK_SET);
        if (round % 2) {
            file.Write_all(own.data(), ROWS, MPI::INT, status);
        } else {
            file.Write_all_begin(own.data(), ROWS, MPI::INT);
            file.Write_all_end(own.data(), status);
        }
        CHECK(status.Get_count(MPI::INT) == ROWS && file.Get_position() == ROWS);
        world.Barrier(); // Open MPI reads before another rank has written for this one
        file.Seek(0, MPI::SEEK_SET);
        if (round % 2) {
            file.Read_all_begin(read.data(), ROWS, MPI::INT);
            file.Read_all_end(read.data());
        } else {
            file.Read_all(read.data(), ROWS, MPI::INT);
        }
        CHECK(read == own);
    }
    file.Sync();
    world.Barrier();
    file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    file.Read_at_all(0, all.data(), ROWS * size_here, MPI::INT);
    for (int i = 0; i < ROWS * size_here; i++)
        CHECK(all[i] == (ROUNDS - 1) * ROWS * size_here + i);
    CHECK(file.Get_size() == static_cast<MPI::Offset>(all.size() * sizeof(int)));
    columns.Free();
    file.Close();
}

// All ranks add lines in any order, then one line each in the order of ranks.
static void shared_log()
{
    MPI::File file = open_new("cxx_io.log");
    int line[2] = {rank_here, 0}, read[2];
    std::vector<int> last(static_cast<size_t>(size_here), -1);

    file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    for (line[1] = 0; line[1] < ROUNDS; line[1]++)
        line[1] % 2 ? file.Write_shared(line, 2, MPI::INT) : file.Iwrite_shared(line, 2, MPI::INT).Wait();
    world.Barrier();
    file.Write_ordered(line, 2, MPI::INT);
    file.Sync();
    world.Barrier();
    CHECK(file.Get_position_shared() == 2 * size_here * (ROUNDS + 1));
    for (int i = 0; i < size_here * ROUNDS; i++) {
        file.Read_at(2 * i, read, 2, MPI::INT);
        CHECK(read[0] >= 0 && read[0] < size_here && read[1] == ++last[static_cast<size_t>(read[0])]);
    }
    world.Barrier();
    file.Seek_shared(2 * size_here * ROUNDS, MPI::SEEK_SET);
    file.Read_ordered_begin(read, 2, MPI::INT);
    file.Read_ordered_end(read);
    CHECK(read[0] == rank_here && read[1] == ROUNDS);
    file.Close();
}

// Every rank writes at its place, with and without waiting; atomically, so that the next rank reads it at once.
static void checkpoint()
{
    MPI::File file = open_new("cxx_io.checkpoint");
    const int next = (rank_here + 1) % size_here;
    double value, read;

    file.Preallocate(static_cast<MPI::Offset>(sizeof value) * size_here);
    file.Set_atomicity(true);
    CHECK(file.Get_atomicity());
    for (int round = 0; round < ROUNDS; round++) {
        const MPI::Offset at = static_cast<MPI::Offset>(sizeof value);
        value = round + rank_here / 100.0;
        if (round % 2)
            file.Write_at(at * rank_here, &value, 1, MPI::DOUBLE);
        else
            file.Iwrite_at(at * rank_here, &value, 1, MPI::DOUBLE).Wait();
        world.Barrier();
        file.Iread_at(at * next, &read, 1, MPI::DOUBLE).Wait();
        CHECK(read == round + next / 100.0);
        world.Barrier();
    }
    file.Set_size(8);
    CHECK(file.Get_size() == 8 && file.Get_group().Get_size() == size_here);
    file.Close();
}

static void errors()
{
    int thrown = 0;

    try {
        MPI::File::Open(MPI::COMM_SELF, "cxx_io.none", MPI::MODE_RDONLY, MPI::INFO_NULL);
    } catch (MPI::Exception &e) {
        thrown = e.Get_error_class();
    }
    CHECK(thrown == MPI::ERR_NO_SUCH_FILE);
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    rank_here = world.Get_rank();
    size_here = world.Get_size();
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    matrix();
    shared_log();
    checkpoint();
    errors();
    std::printf("checked %d wrong\n", wrong);
    MPI::Finalize();
    return wrong != 0;
}
