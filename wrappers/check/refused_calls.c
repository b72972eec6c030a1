/* refused_calls.c - collective calls that MPI itself refuses in one process, without the others, because an argument is
 * wrong. MPI returns an error, and the other processes need not make the call. Such a call is not checked. If it were,
 * it would count in one process only, and all later calls on its communicator would be compared with wrong calls.
 *
 * MPI implementations differ in which arguments they refuse. So each kind of wrong argument is tried once, on a
 * communicator that has only this process. If MPI does not refuse a kind, calls with it are checked as usual. */
#include "check.h"

#include "facts.h"
#include "team.h"

#include <stddef.h>

/* Kinds of wrong arguments. SAME: a send and a receive buffer are the same memory. */
enum kind {
    COUNT,
    TYPE,
    ROOT,
    SAME_REDUCTION,
    SAME_REDUCE,
    SAME_ALLTOALL,
    SAME_GATHER,
    SAME_ALLGATHER,
    SAME_SCATTER,
    KINDS
};

/* Makes a call with a wrong argument of this kind, on a communicator of one process, and returns what MPI returns. */
static int try_kind(enum kind kind, MPI_Comm comm)
{
    int x[2] = {0};

    switch (kind) {
    case COUNT:
        return REAL(MPI_Bcast)(x, -1, MPI_INT, 0, comm);
    case TYPE:
        return REAL(MPI_Bcast)(x, 1, MPI_DATATYPE_NULL, 0, comm);
    case ROOT:
        return REAL(MPI_Bcast)(x, 1, MPI_INT, 1, comm);
    case SAME_REDUCTION:
        return REAL(MPI_Allreduce)(x, x, 1, MPI_INT, MPI_SUM, comm);
    case SAME_REDUCE:
        return REAL(MPI_Reduce)(x, x, 1, MPI_INT, MPI_SUM, 0, comm);
    case SAME_ALLTOALL:
        return REAL(MPI_Alltoall)(x, 1, MPI_INT, x, 1, MPI_INT, comm);
    case SAME_GATHER:
        return REAL(MPI_Gather)(x, 1, MPI_INT, x, 1, MPI_INT, 0, comm);
    case SAME_ALLGATHER:
        return REAL(MPI_Allgather)(x, 1, MPI_INT, x, 1, MPI_INT, comm);
    default:
        return REAL(MPI_Scatter)(x, 1, MPI_INT, x, 1, MPI_INT, 0, comm);
    }
}

/* Returns 1 if this MPI library refuses calls with a wrong argument of this kind. Tries each kind once. */
static int is_refused_here(enum kind kind)
{
    enum { NO = 1, YES };     /* 0: not tried yet */
    static char known[KINDS]; /* several threads may set it at once, to the same value */
    int answer = __atomic_load_n(&known[kind], __ATOMIC_RELAXED);
    MPI_Group self;
    MPI_Comm own;

    if (!answer) {
        if (REAL(MPI_Comm_group)(MPI_COMM_SELF, &self) != MPI_SUCCESS)
            return 0;
        if (REAL(MPI_Comm_create)(MPI_COMM_SELF, self, &own) == MPI_SUCCESS) {
            REAL(MPI_Comm_set_errhandler)(own, MPI_ERRORS_RETURN);
            answer = try_kind(kind, own) == MPI_SUCCESS ? NO : YES;
            __atomic_store_n(&known[kind], (char)answer, __ATOMIC_RELAXED);
            REAL(MPI_Comm_free)(&own);
        }
        REAL(MPI_Group_free)(&self);
    }
    return answer == YES;
}

/* Returns the number of elements that a call's buffer has for all members together. */
static MPI_Count sum(const struct pithi_data *data, int members)
{
    MPI_Count all = 0;

    for (int i = 0; i < members; i++)
        all += pithi_data_count(data, i);
    return all;
}

/* Returns the kind of wrong argument that the call has; KINDS if no argument is known to be wrong. */
static enum kind wrong_argument(const struct pithi_collective *call, const struct pithi_team *team)
{
    const struct pithi_data *sent = &call->sent, *received = &call->received;
    const char *from = sent->buf == MPI_IN_PLACE ? NULL : sent->buf;
    const char *to = received->buf == MPI_IN_PLACE ? NULL : received->buf;
    int at_root = pithi_shape_has_root(call->shape) && call->root == team->rank;
    int is_reduction = call->shape >= PITHI_SHAPE_allreduce && call->shape <= PITHI_SHAPE_reduce_scatter;

    if (team->kind != PITHI_TEAM_COMM || team->entry->remote_size || call->shape == PITHI_SHAPE_barrier)
        return KINDS;
    if (pithi_shape_has_root(call->shape) && (call->root < 0 || call->root >= team->entry->size))
        return ROOT;
    if (call->shape == PITHI_SHAPE_bcast || (from && (call->shape != PITHI_SHAPE_scatter || at_root))) {
        if (!sent->counts && sent->count < 0)
            return COUNT;
        if (!sent->types && sent->type == MPI_DATATYPE_NULL)
            return TYPE;
    }
    if (to && call->shape == PITHI_SHAPE_scatter && !received->counts && received->count < 0)
        return COUNT;
    if (is_reduction && from && from == to)
        return sum(sent, team->entry->size) > 0 ? SAME_REDUCTION : KINDS;
    if (is_reduction || !from || !to || sent->counts || received->counts || sent->count == 0)
        return KINDS;
    if (call->shape == PITHI_SHAPE_reduce)
        return at_root && from == to ? SAME_REDUCE : KINDS;
    if (sent->type != received->type || sent->count != received->count || sent->types)
        return KINDS;
    /* In a buffer that has the parts of all processes, this process's part begins `part` bytes after the start. */
    ptrdiff_t part = 0;
    MPI_Aint lower, extent;
    if (REAL(MPI_Type_get_extent)(sent->type, &lower, &extent) == MPI_SUCCESS)
        part = (ptrdiff_t)team->rank * (ptrdiff_t)sent->count * extent;
    switch (call->shape) {
    case PITHI_SHAPE_alltoall:
        return from == to ? SAME_ALLTOALL : KINDS;
    case PITHI_SHAPE_gather:
        return at_root && from == to + part ? SAME_GATHER : KINDS;
    case PITHI_SHAPE_allgather:
        return from == to + part ? SAME_ALLGATHER : KINDS;
    case PITHI_SHAPE_scatter:
        return at_root && from + part == to ? SAME_SCATTER : KINDS;
    default:
        return KINDS;
    }
}

int pithi_check_refused(const struct pithi_collective *call)
{
    const struct pithi_check *check = pithi_check_now();
    enum kind kind = check->team ? wrong_argument(call, check->team) : KINDS;

    return kind != KINDS && is_refused_here(kind);
}
