// environment.cc - whether MPI is running; Init and Finalize; Status, which needs no call of C; names of datatypes.
#include "layers.h"

#include <cstring>

namespace pith_cxx
{

std::atomic<int> mpi_runs(0);
static std::atomic<int> finalizing(0);

// MPI may be initialized and finalized from C or Fortran. So the first call finds out whether MPI is running. Its end
// is noticed by the delete function of an attribute of MPI_COMM_SELF, which MPI_Finalize deletes.
static int end_of_mpi(MPI_Comm, int, void *, void *)
{
    finalizing = 1;
    mpi_runs = 0;
    return MPI_SUCCESS;
}
static void watch_end()
{
    const Hidden hidden;
    int keyval;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_mpi, &keyval, nullptr) != MPI_SUCCESS)
        return;
    if (PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr) == MPI_SUCCESS)
        mpi_runs = 1;
    PMPI_Comm_free_keyval(&keyval);
}
void find_mpi()
{
    int begun = 0, ended = 0;
    {
        const Hidden hidden;
        PMPI_Initialized(&begun);
        PMPI_Finalized(&ended);
    }
    if (!begun || ended)
        throw MPI::Exception(MPI_ERR_OTHER);
    if (!finalizing) // else it is a call in a callback that MPI_Finalize runs
        watch_end();
}

void begin_call() { need_mpi(); }
void end_call(int error_code) { check(error_code); }
void end_call(int error_code, MPI_File file) { check_file(error_code, file); }

int peers(MPI_Comm comm)
{
    const Hidden hidden;
    int inter = 0, size = 0;
    PMPI_Comm_test_inter(comm, &inter);
    (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size);
    return size;
}
int dims(MPI_Comm comm)
{
    const Hidden hidden;
    int count = 0;
    return PMPI_Cartdim_get(comm, &count) == MPI_SUCCESS ? count : 0;
}
} // namespace pith_cxx

using namespace pith_cxx;

namespace PMPI
{
inline namespace pith
{

void Init(int &argc, char **&argv) { check(MPI_Init(&argc, &argv)); }
void Init() { check(MPI_Init(nullptr, nullptr)); }
int Init_thread(int &argc, char **&argv, int required)
{
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(&argc, &argv, required, &provided));
    return provided;
}
int Init_thread(int required)
{
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, required, &provided));
    return provided;
}
void Finalize()
{
    need_mpi();
    int error_code = MPI_Finalize();
    finalizing = 1;
    mpi_runs = 0;
    check(error_code);
}

int Status::Get_source() const { return mpi_status.MPI_SOURCE; }
void Status::Set_source(int source) { mpi_status.MPI_SOURCE = source; }
int Status::Get_tag() const { return mpi_status.MPI_TAG; }
void Status::Set_tag(int tag) { mpi_status.MPI_TAG = tag; }
int Status::Get_error() const { return mpi_status.MPI_ERROR; }
void Status::Set_error(int error) { mpi_status.MPI_ERROR = error; }

// The C library gives the datatypes of C++ the names of their handles in C. A name that the program has set stays.
void Datatype::Get_name(char *type_name, int &resultlen) const
{
    static const char *const names[][2] = {{"MPI_CXX_BOOL", "MPI::BOOL"},
                                           {"MPI_CXX_FLOAT_COMPLEX", "MPI::COMPLEX"},
                                           {"MPI_CXX_DOUBLE_COMPLEX", "MPI::DOUBLE_COMPLEX"},
                                           {"MPI_CXX_LONG_DOUBLE_COMPLEX", "MPI::LONG_DOUBLE_COMPLEX"}};
    need_mpi();
    const int error_code = MPI_Type_get_name(mpi_datatype, type_name, &resultlen);
    check(error_code);
    for (const auto &name : names)
        if (error_code == MPI_SUCCESS && std::strcmp(type_name, name[0]) == 0) {
            std::strcpy(type_name, name[1]);
            resultlen = static_cast<int>(std::strlen(type_name));
        }
}
} // namespace pith
} // namespace PMPI
