/* layer.c - a libmpi_abi.so.1 for machines without one: the standard ABI of MPI 5 over MPICH 4, for tests. MPICH is
 * opened so that it sees neither this library's functions of the same names nor wrappers. Memory for arguments is not
 * given back: nonblocking calls need it for longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

struct mpich_status {
    int count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR;
};
typedef int handle_t;
typedef void *file_t;

static void *mpich;
static void open_mpich(void)
{
    mpich = dlopen(MPICH_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!mpich)
        fprintf(stderr, "layer: %s\n", dlerror());
}
static void *find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_mpich);
    void *symbol = mpich ? dlsym(mpich, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "layer: MPICH has no %s\n", name);
        _Exit(3);
    }
    return symbol;
}

/* What MPICH calls again and again while it waits: layer() in test_abi_counts.sh makes it call this, for it would not
 * see the function of give_way.c. */
unsigned mpich_asks_progress(void *worker);
unsigned mpich_asks_progress(void *worker)
{
    static unsigned (*real)(void *);
    void *found = real ? NULL : dlsym(RTLD_DEFAULT, "ucp_worker_progress");
    if (!real && !found)
        found = dlsym(mpich, "ucp_worker_progress");
    if (found)
        memcpy(&real, &found, sizeof real);
    return real(worker);
}

/* A number that is none of the constants stays what it is, also a handle of an object that the program has made. */
static long mpich_of(enum group group, long abi)
{
    for (const struct value *v = values; v->group; v++)
        if (v->group == group && v->abi == abi)
            return v->mpich;
    return abi;
}
static long abi_value(enum group group, long value)
{
    for (const struct value *v = values; v->group; v++)
        if (v->group == group && v->mpich == value)
            return v->abi;
    return value;
}
static long abi_of(enum group group, long handle)
{
    long abi = abi_value(group, handle);
    return abi == handle ? (long)(unsigned)handle : abi;
}
static int bits_in(enum group group, int abi)
{
    int bits = 0;
    for (const struct value *v = values; v->group; v++)
        if (v->group == group && (abi & v->abi) == v->abi)
            bits |= (int)v->mpich;
    return bits;
}
static const void *buffer(const void *abi) { return abi == MPI_IN_PLACE ? (const void *)-1 : abi; }
static const int *weights_in(const int *abi)
{
    return abi == MPI_UNWEIGHTED      ? *(int **)find("MPI_UNWEIGHTED")
           : abi == MPI_WEIGHTS_EMPTY ? *(int **)find("MPI_WEIGHTS_EMPTY")
                                      : abi;
}
static int class_of(int code)
{
    int (*real)(int, int *) = find("PMPI_Error_class"), class = code;
    if (code)
        real(code, &class);
    return (int)abi_value(IS_ERROR, class);
}
static int size_of(MPI_Comm comm)
{
    int size = 0, is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    is_inter ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
    return size;
}
/* The neighbours, in the direction that has more; the types of the other end early, and what follows is not used. */
static int degree_of(MPI_Comm comm)
{
    int kind, in = 0, out = 0, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        PMPI_Cartdim_get(comm, &in), in *= 2;
    else if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    else
        PMPI_Comm_rank(comm, &weighted), PMPI_Graph_neighbors_count(comm, weighted, &in);
    return in > out ? in : out;
}
static handle_t *handles_in(enum group group, const void *abi, long count)
{
    handle_t *made = calloc((size_t)count + 1, sizeof *made);
    for (long i = 0; i < count && abi; i++)
        made[i] = (handle_t)mpich_of(group, ((const long *)abi)[i]);
    return made;
}
static void handles_out(enum group group, const handle_t *from, void *abi, long count)
{
    for (long i = 0; i < count && abi; i++)
        ((long *)abi)[i] = abi_of(group, from[i]);
}
static struct mpich_status *statuses_in(const MPI_Status *abi, long count)
{
    struct mpich_status *made = calloc((size_t)count + 1, sizeof *made);
    if (!abi)
        return (void *)1;
    for (long i = 0; i < count; i++)
        made[i] = (struct mpich_status){abi[i].MPI_internal[0], abi[i].MPI_internal[1],
                                        (int)mpich_of(IS_RANK, abi[i].MPI_SOURCE),
                                        (int)mpich_of(IS_TAG, abi[i].MPI_TAG), abi[i].MPI_ERROR};
    return made;
}
static void statuses_out(const struct mpich_status *from, MPI_Status *abi, long count)
{
    for (long i = 0; i < count && abi; i++) {
        int error = from[i].MPI_ERROR; /* the same: MPICH has not touched it */
        if (error != abi[i].MPI_ERROR)
            error = class_of(error);
        abi[i] = (MPI_Status){(int)abi_value(IS_RANK, from[i].MPI_SOURCE),
                              (int)abi_value(IS_TAG, from[i].MPI_TAG),
                              error,
                              {from[i].count_lo, from[i].count_hi_and_cancelled}};
    }
}
#define TWIN(type, name, arguments) type name arguments __attribute__((weak, alias("P" #name)));

#include "layer_functions.h"

/* ---- callbacks: MPICH gives them its handles -------------------------------------------------------------------- */
enum { OPERATIONS = 4 };
static MPI_User_function *operation[OPERATIONS];
#define OPERATION(i)                                                                                                   \
    static void operation_##i(void *in, void *inout, int *len, int *type)                                              \
    {                                                                                                                  \
        MPI_Datatype abi = (MPI_Datatype)abi_of(IS_DATATYPE, *type);                                                   \
        operation[i](in, inout, len, &abi);                                                                            \
    }
OPERATION(0)
OPERATION(1) OPERATION(2) OPERATION(3) int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    static void (*const ours[OPERATIONS])(void *, void *, int *, int *) = {operation_0, operation_1, operation_2,
                                                                           operation_3};
    static int count;
    handle_t made;
    int (*real)(void *, int, handle_t *) = find("PMPI_Op_create");
    operation[count % OPERATIONS] = user_fn;
    int result = real((void *)ours[count++ % OPERATIONS], commute, &made);
    *op = (MPI_Op)abi_of(IS_OP, made);
    return class_of(result);
}
TWIN(int, MPI_Op_create, (MPI_User_function * user_fn, int commute, MPI_Op *op))

struct attribute {
    void *copy, *delete, *extra_state;
};
#define KEYVAL_OF(kind, group)                                                                                         \
    static int copy_##kind(int old, int keyval, void *state, void *in, void *out, int *flag)                           \
    {                                                                                                                  \
        struct attribute *made = state;                                                                                \
        MPI_##kind##_copy_attr_function *copy = (MPI_##kind##_copy_attr_function *)made->copy;                         \
        *flag = 0;                                                                                                     \
        if (made->copy == (void *)MPI_COMM_DUP_FN)                                                                     \
            return *flag = 1, *(void **)out = in, 0;                                                                   \
        return copy ? copy((void *)abi_of(group, old), keyval, made->extra_state, in, out, flag) : 0;                  \
    }                                                                                                                  \
    static int delete_##kind(int of, int keyval, void *value, void *state)                                             \
    {                                                                                                                  \
        struct attribute *made = state;                                                                                \
        MPI_##kind##_delete_attr_function *end = (MPI_##kind##_delete_attr_function *)made->delete;                    \
        return end ? end((void *)abi_of(group, of), keyval, value, made->extra_state) : 0;                             \
    }                                                                                                                  \
    int PMPI_##kind##_create_keyval(MPI_##kind##_copy_attr_function *copy, MPI_##kind##_delete_attr_function *delete,  \
                                    int *keyval, void *extra_state)                                                    \
    {                                                                                                                  \
        struct attribute *made = malloc(sizeof *made);                                                                 \
        int (*real)(void *, void *, int *, void *) = find("PMPI_" #kind "_create_keyval");                             \
        *made = (struct attribute){(void *)copy, (void *)delete, extra_state};                                         \
        return class_of(real((void *)copy_##kind, (void *)delete_##kind, keyval, made));                               \
    }                                                                                                                  \
    TWIN(int, MPI_##kind##_create_keyval,                                                                              \
         (MPI_##kind##_copy_attr_function * copy, MPI_##kind##_delete_attr_function * delete, int *keyval,             \
          void *extra_state))
KEYVAL_OF(Comm, IS_COMM)
KEYVAL_OF(Type, IS_DATATYPE)
KEYVAL_OF(Win, IS_WIN)
int PMPI_Pcontrol(const int level, ...) { return (void)level, MPI_SUCCESS; }
int MPI_Pcontrol(const int level, ...) __attribute__((weak, alias("PMPI_Pcontrol")));
