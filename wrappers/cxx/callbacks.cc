// callbacks.cc - operations, attributes, generalized requests and data representations with C++ functions.
//
// The extra state that C gets has the user's functions and the user's extra state. If a callback throws an
// MPI::Exception, the error code is returned to C. Any other exception ends the program (noexcept), because it cannot
// pass through C.
#include "callbacks.h"

#include <forward_list>

namespace pith_cxx
{

static Slots<MPI::User_function> operations;
template <int N> struct Operation {
    static void call(void *in, void *inout, int *len, MPI_Datatype *type) noexcept
    {
        operations.at(N)(in, inout, *len, MPI::Datatype(*type));
    }
};

template <class Call> static int guarded(Call call) noexcept
{
    try {
        return call();
    } catch (const MPI::Exception &e) {
        return e.Get_error_code();
    }
}

// Keeps the state of a keyval or a representation until the process ends: MPI may still use it after it was freed.
template <class T> static T *keep(const T &state)
{
    static std::mutex lock;
    static auto *kept = new std::forward_list<T>;
    const std::lock_guard<std::mutex> guard(lock);
    kept->push_front(state);
    return &kept->front();
}

// ---- Attributes
template <class Copy, class Delete> struct Keyval {
    Copy *copy;
    Delete *del;
    void *extra_state;
};
typedef Keyval<Comm_copy_attr, Comm_delete_attr> Comm_keyval;
typedef Keyval<Datatype_copy_attr, Datatype_delete_attr> Datatype_keyval;
typedef Keyval<Win_copy_attr, Win_delete_attr> Win_keyval;

// Calls the user's copy function and converts its bool to C's int.
template <class K, class Object>
static int copy_attr(const Object &object, int keyval, void *extra, void *in, void *out, int *flag)
{
    const K *made = static_cast<K *>(extra);
    bool copied = false;
    const int error_code = made->copy
                               ? guarded([&] { return made->copy(object, keyval, made->extra_state, in, out, copied); })
                               : MPI_SUCCESS;
    *flag = copied;
    return error_code;
}
template <class K, class Object> static int delete_attr(Object &object, int keyval, void *value, void *extra)
{
    const K *made = static_cast<K *>(extra);
    return made->del ? guarded([&] { return made->del(object, keyval, value, made->extra_state); }) : MPI_SUCCESS;
}

static int copy_of_comm(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    return with_comm(comm,
                     [&](MPI::Comm &object) { return copy_attr<Comm_keyval>(object, keyval, extra, in, out, flag); });
}
static int delete_of_comm(MPI_Comm comm, int keyval, void *value, void *extra)
{
    return with_comm(comm, [&](MPI::Comm &object) { return delete_attr<Comm_keyval>(object, keyval, value, extra); });
}
static int copy_of_type(MPI_Datatype type, int keyval, void *extra, void *in, void *out, int *flag)
{
    return copy_attr<Datatype_keyval>(MPI::Datatype(type), keyval, extra, in, out, flag);
}
static int delete_of_type(MPI_Datatype type, int keyval, void *value, void *extra)
{
    MPI::Datatype object(type);
    return delete_attr<Datatype_keyval>(object, keyval, value, extra);
}
static int copy_of_win(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
    return copy_attr<Win_keyval>(MPI::Win(win), keyval, extra, in, out, flag);
}
static int delete_of_win(MPI_Win win, int keyval, void *value, void *extra)
{
    MPI::Win object(win);
    return delete_attr<Win_keyval>(object, keyval, value, extra);
}

static int do_not_copy(bool &flag)
{
    flag = false;
    return MPI_SUCCESS;
}
static int copy_value(const void *in, void *out, bool &flag)
{
    *static_cast<const void **>(out) = in;
    flag = true;
    return MPI_SUCCESS;
}

// ---- Generalized requests
struct Grequest_state {
    Grequest_query *query;
    Grequest_free *free;
    Grequest_cancel *cancel;
    void *extra_state;
};
static int query_grequest(void *extra, MPI_Status *status)
{
    const auto *made = static_cast<Grequest_state *>(extra);
    MPI::Status object(*status);
    const int error_code = guarded([&] { return made->query(made->extra_state, object); });
    *status = object;
    return error_code;
}
static int free_grequest(void *extra)
{
    const std::unique_ptr<Grequest_state> made(static_cast<Grequest_state *>(extra));
    return guarded([&] { return made->free(made->extra_state); });
}
static int cancel_grequest(void *extra, int complete)
{
    const auto *made = static_cast<Grequest_state *>(extra);
    return guarded([&] { return made->cancel(made->extra_state, complete != 0); });
}

// ---- Data representations
struct Datarep_state {
    MPI::Datarep_conversion_function *read, *write;
    MPI::Datarep_extent_function *extent;
    void *extra_state;
};
static int convert(MPI::Datarep_conversion_function *function, void *user, MPI_Datatype type, int count, void *file,
                   MPI_Offset position, const Datarep_state *made)
{
    return guarded([&] {
        MPI::Datatype object(type);
        function(user, object, count, file, position, made->extra_state);
        return MPI_SUCCESS;
    });
}
static int read_datarep(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra)
{
    const auto *made = static_cast<Datarep_state *>(extra);
    return convert(made->read, user, type, count, file, position, made);
}
static int write_datarep(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *extra)
{
    const auto *made = static_cast<Datarep_state *>(extra);
    return convert(made->write, user, type, count, file, position, made);
}
static int extent_datarep(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    const auto *made = static_cast<Datarep_state *>(extra);
    return guarded([&] {
        made->extent(MPI::Datatype(type), *extent, made->extra_state);
        return MPI_SUCCESS;
    });
}
} // namespace pith_cxx

using namespace pith_cxx;

namespace PMPI
{
inline namespace pith
{

void Op::Init(User_function *function, bool commute)
{
    need_mpi();
    check(MPI_Op_create(operations.function<MPI_User_function, Operation>(operations.number_of(function)), commute,
                        &mpi_op));
}

int Comm::Create_keyval(Copy_attr_function *copy, Delete_attr_function *del, void *extra_state)
{
    int keyval = MPI_KEYVAL_INVALID;
    need_mpi();
    check(MPI_Comm_create_keyval(copy_of_comm, delete_of_comm, &keyval, keep(Comm_keyval{copy, del, extra_state})));
    return keyval;
}
int Datatype::Create_keyval(Copy_attr_function *copy, Delete_attr_function *del, void *extra_state)
{
    int keyval = MPI_KEYVAL_INVALID;
    need_mpi();
    check(MPI_Type_create_keyval(copy_of_type, delete_of_type, &keyval, keep(Datatype_keyval{copy, del, extra_state})));
    return keyval;
}
int Win::Create_keyval(Copy_attr_function *copy, Delete_attr_function *del, void *extra_state)
{
    int keyval = MPI_KEYVAL_INVALID;
    need_mpi();
    check(MPI_Win_create_keyval(copy_of_win, delete_of_win, &keyval, keep(Win_keyval{copy, del, extra_state})));
    return keyval;
}

Grequest Grequest::Start(Query_function *query, Free_function *free, Cancel_function *cancel, void *extra_state)
{
    MPI_Request request = MPI_REQUEST_NULL;
    need_mpi();
    std::unique_ptr<Grequest_state> made(new Grequest_state{query, free, cancel, extra_state});
    const int error_code = MPI_Grequest_start(query_grequest, free_grequest, cancel_grequest, made.get(), &request);
    if (error_code == MPI_SUCCESS)
        made.release(); // free_grequest deletes it
    check(error_code);
    return Grequest(request);
}

void Register_datarep(const char *datarep, Datarep_conversion_function *read, Datarep_conversion_function *write,
                      Datarep_extent_function *extent, void *extra_state)
{
    need_mpi();
    check(MPI_Register_datarep(unconst(datarep), read ? read_datarep : MPI_CONVERSION_FN_NULL,
                               write ? write_datarep : MPI_CONVERSION_FN_NULL, extent_datarep,
                               keep(Datarep_state{read, write, extent, extra_state})));
}
} // namespace pith
} // namespace PMPI

namespace MPI
{
inline namespace pith
{

int Comm::NULL_COPY_FN(const Comm &, int, void *, void *, void *, bool &flag) { return do_not_copy(flag); }
int Comm::DUP_FN(const Comm &, int, void *, void *in, void *out, bool &flag) { return copy_value(in, out, flag); }
int Comm::NULL_DELETE_FN(Comm &, int, void *, void *) { return MPI_SUCCESS; }

int Datatype::NULL_COPY_FN(const Datatype &, int, void *, const void *, void *, bool &flag)
{
    return do_not_copy(flag);
}
int Datatype::DUP_FN(const Datatype &, int, void *, const void *in, void *out, bool &flag)
{
    return copy_value(in, out, flag);
}
int Datatype::NULL_DELETE_FN(Datatype &, int, void *, void *) { return MPI_SUCCESS; }

int Win::NULL_COPY_FN(const Win &, int, void *, void *, void *, bool &flag) { return do_not_copy(flag); }
int Win::DUP_FN(const Win &, int, void *, void *in, void *out, bool &flag) { return copy_value(in, out, flag); }
int Win::NULL_DELETE_FN(Win &, int, void *, void *) { return MPI_SUCCESS; }
} // namespace pith
} // namespace MPI
