// errors.cc - exceptions, and error handlers written in C++.
//
// An exception cannot pass through the C library. So a handler notes the exception for its thread and returns, the C
// call then returns the error code, and check() throws the exception. ERRORS_THROW_EXCEPTIONS works in this way, too.
// In C++ it is one constant, but in C it needs three handlers: for communicators, for windows and for files.
#include "callbacks.h"

#include <cstring>
#include <exception>
#include <mutex>

namespace pith_cxx
{

__thread bool is_pending;
struct Pending {
    int error_code;
    std::exception_ptr exception; // null: throw MPI::Exception with the code
};
static thread_local Pending pending = {MPI_SUCCESS, nullptr};

static void note(int error_code, std::exception_ptr exception)
{
    pending = {error_code, exception};
    is_pending = true;
}
static void throw_pending()
{
    if (!is_pending)
        return;
    const Pending what = pending;
    pending = {MPI_SUCCESS, nullptr};
    is_pending = false;
    if (what.exception)
        std::rethrow_exception(what.exception);
    throw MPI::Exception(what.error_code);
}
void failed(int error_code)
{
    // If the note is of another error code, it is left from a call made in C.
    if (error_code != MPI_SUCCESS && pending.error_code != error_code)
        is_pending = false;
    throw_pending();
}

// ---- Handlers. Comms, Wins and Files name C's functions for each kind of object.
struct Comms {
    typedef MPI_Comm Handle;
    typedef Comm_errhandler User;
    typedef MPI_Comm_errhandler_function Function;
    static int create(Function *f, MPI_Errhandler *h) { return MPI_Comm_create_errhandler(f, h); }
    static int set(MPI_Comm c, MPI_Errhandler h) { return MPI_Comm_set_errhandler(c, h); }
    static int get(MPI_Comm c, MPI_Errhandler *h) { return MPI_Comm_get_errhandler(c, h); }
    static int call(MPI_Comm c, int code) { return MPI_Comm_call_errhandler(c, code); }
    static void run(User *user, MPI_Comm *comm, int *code)
    {
        with_comm(*comm, [&](MPI::Comm &object) {
            user(object, code);
            return 0;
        });
    }
};
struct Wins {
    typedef MPI_Win Handle;
    typedef Win_errhandler User;
    typedef MPI_Win_errhandler_function Function;
    static int create(Function *f, MPI_Errhandler *h) { return MPI_Win_create_errhandler(f, h); }
    static int set(MPI_Win w, MPI_Errhandler h) { return MPI_Win_set_errhandler(w, h); }
    static int get(MPI_Win w, MPI_Errhandler *h) { return MPI_Win_get_errhandler(w, h); }
    static int call(MPI_Win w, int code) { return MPI_Win_call_errhandler(w, code); }
    static void run(User *user, MPI_Win *win, int *code)
    {
        MPI::Win object(*win);
        user(object, code);
    }
};
struct Files {
    typedef MPI_File Handle;
    typedef File_errhandler User;
    typedef MPI_File_errhandler_function Function;
    static int create(Function *f, MPI_Errhandler *h) { return MPI_File_create_errhandler(f, h); }
    static int set(MPI_File file, MPI_Errhandler h) { return MPI_File_set_errhandler(file, h); }
    static int get(MPI_File file, MPI_Errhandler *h) { return MPI_File_get_errhandler(file, h); }
    static int call(MPI_File file, int code) { return MPI_File_call_errhandler(file, code); }
    static void run(User *user, MPI_File *file, int *code)
    {
        MPI::File object(*file);
        user(object, code);
    }
};

template <class Kind> struct Handlers {
    static Slots<typename Kind::User> slots;
    static std::mutex lock;
    static MPI_Errhandler throwing; // ERRORS_THROW_EXCEPTIONS for this kind of object, made at its first use
    static bool has_throwing;

    static void note(typename Kind::Handle *, int *code, ...) { pith_cxx::note(*code, nullptr); }
    template <int N> struct Call {
        static void call(typename Kind::Handle *handle, int *code, ...)
        {
            const int error_code = *code;
            try {
                Kind::run(slots.at(N), handle, code);
            } catch (...) {
                pith_cxx::note(error_code, std::current_exception());
            }
        }
    };
    static MPI_Errhandler create(typename Kind::User *user)
    {
        MPI_Errhandler made = MPI_ERRHANDLER_NULL;
        need_mpi();
        check(Kind::create(slots.template function<typename Kind::Function, Call>(slots.number_of(user)), &made));
        return made;
    }
    static void set(typename Kind::Handle handle, MPI_Errhandler errhandler)
    {
        need_mpi();
        if (errhandler == errors_throw()) {
            const std::lock_guard<std::mutex> guard(lock);
            if (!has_throwing)
                check(Kind::create(note, &throwing));
            has_throwing = true;
            errhandler = throwing;
        }
        check(Kind::set(handle, errhandler));
    }
    static MPI_Errhandler get(typename Kind::Handle handle)
    {
        MPI_Errhandler got = MPI_ERRHANDLER_NULL;
        need_mpi();
        check(Kind::get(handle, &got));
        const std::lock_guard<std::mutex> guard(lock);
        // The handler is not freed after this, because MPICH does not count a reference for files.
        return has_throwing && got == throwing ? errors_throw() : got;
    }
    static void call(typename Kind::Handle handle, int error_code)
    {
        need_mpi();
        check(Kind::call(handle, error_code));
        throw_pending();
    }
};
template <class Kind> Slots<typename Kind::User> Handlers<Kind>::slots;
template <class Kind> std::mutex Handlers<Kind>::lock;
template <class Kind> MPI_Errhandler Handlers<Kind>::throwing = MPI_ERRHANDLER_NULL;
template <class Kind> bool Handlers<Kind>::has_throwing = false;

// A new file inherits the handler of MPI_FILE_NULL, but MPICH does not count this reference and frees the handler too
// early. So it is only noted here that MPI_FILE_NULL has ERRORS_THROW_EXCEPTIONS, and each file gets this handler when
// it is opened.
static std::atomic<bool> null_file_throws(false);

void check_file(int error_code, MPI_File file)
{
    check(error_code);
    if (error_code != MPI_SUCCESS && file == MPI_FILE_NULL && null_file_throws)
        throw MPI::Exception(error_code);
}

// The handle that stands for ERRORS_THROW_EXCEPTIONS in C++. It must differ from all handles of the MPI.
MPI_Errhandler errors_throw()
{
#ifdef OPEN_MPI
    static long mark;
    return reinterpret_cast<MPI_Errhandler>(&mark);
#else
    return 0x70697468;
#endif
}
} // namespace pith_cxx

using namespace pith_cxx;

namespace PMPI
{
inline namespace pith
{

Errhandler Comm::Create_errhandler(Errhandler_function *function) { return Handlers<Comms>::create(function); }
void Comm::Set_errhandler(const Errhandler &errhandler) { Handlers<Comms>::set(mpi_comm, errhandler); }
Errhandler Comm::Get_errhandler() const { return Handlers<Comms>::get(mpi_comm); }
void Comm::Call_errhandler(int errorcode) const { Handlers<Comms>::call(mpi_comm, errorcode); }

Errhandler Win::Create_errhandler(Errhandler_function *function) { return Handlers<Wins>::create(function); }
void Win::Set_errhandler(const Errhandler &errhandler) { Handlers<Wins>::set(mpi_win, errhandler); }
Errhandler Win::Get_errhandler() const { return Handlers<Wins>::get(mpi_win); }
void Win::Call_errhandler(int errorcode) const { Handlers<Wins>::call(mpi_win, errorcode); }

Errhandler File::Create_errhandler(Errhandler_function *function) { return Handlers<Files>::create(function); }
void File::Set_errhandler(const Errhandler &errhandler)
{
    const bool throws = errhandler == errors_throw();
    if (mpi_file == MPI_FILE_NULL)
        null_file_throws = throws;
    if (mpi_file != MPI_FILE_NULL || !throws)
        Handlers<Files>::set(mpi_file, errhandler);
}
Errhandler File::Get_errhandler() const
{
    return mpi_file == MPI_FILE_NULL && null_file_throws ? errors_throw() : Handlers<Files>::get(mpi_file);
}
void File::Call_errhandler(int errorcode) const
{
    if (mpi_file == MPI_FILE_NULL && null_file_throws)
        throw MPI::Exception(errorcode);
    Handlers<Files>::call(mpi_file, errorcode);
}
File File::Open(const Intracomm &comm, const char *filename, int amode, const Info &info)
{
    MPI_File result = MPI_FILE_NULL;
    need_mpi();
    check_file(MPI_File_open(comm, unconst(filename), amode, info, &result), MPI_FILE_NULL);
    if (result != MPI_FILE_NULL && null_file_throws)
        Handlers<Files>::set(result, errors_throw());
    return File(result);
}

void Errhandler::Free()
{
    need_mpi();
    if (mpi_errhandler == errors_throw())
        mpi_errhandler = MPI_ERRHANDLER_NULL;
    else
        check(MPI_Errhandler_free(&mpi_errhandler));
}
} // namespace pith
} // namespace PMPI

namespace MPI
{
inline namespace pith
{

// If MPI is not running, the class and the text of the error cannot come from MPI.
Exception::Exception(int error_code) : code(error_code), error_class(MPI_ERR_OTHER), text()
{
    const Hidden hidden;
    int begun = 0, ended = 0, length;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    if (begun && !ended) {
        PMPI_Error_class(code, &error_class);
        PMPI_Error_string(code, text, &length);
    } else
        std::strcpy(text, "MPI was called before Init or after Finalize");
}
Exception::~Exception() {}
} // namespace pith
} // namespace MPI
