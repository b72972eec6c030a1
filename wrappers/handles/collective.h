/* collective.h - one struct for the arguments of every collective call, and the bytes that the call moves. With it, a
 * library needs only one section of its template for all collectives:
 *
 *     {{fn f @coll @coll_init}}
 *         pithi_coll(&(const struct pithi_collective){PITHI_SHAPE({{class}}), {{comm}}, {{root|0}} ...});
 *
 * In a wrapper the shape is a constant. So when the compiler inlines the functions below, it drops their code for all
 * other shapes.
 */
#ifndef PITHI_COLLECTIVE_H
#define PITHI_COLLECTIVE_H

#include "datatype.h"
#include "handle.h"

/* For functions that are always inlined. They are large, but the compiler drops most of their code in each wrapper,
 * because the shape of the collective is a constant there. */
#define PITHI_IN_WRAPPER static inline __attribute__((always_inline))

/* The shape of a collective is the second class of its function in roles.table. A variant that has a count or a type
 * for each member has the same shape. */
enum pithi_shape {
    PITHI_SHAPE_barrier,
    PITHI_SHAPE_bcast,
    PITHI_SHAPE_gather,
    PITHI_SHAPE_gatherv = PITHI_SHAPE_gather,
    PITHI_SHAPE_scatter,
    PITHI_SHAPE_scatterv = PITHI_SHAPE_scatter,
    PITHI_SHAPE_reduce,
    PITHI_SHAPE_allgather,
    PITHI_SHAPE_allgatherv = PITHI_SHAPE_allgather,
    PITHI_SHAPE_alltoall,
    PITHI_SHAPE_alltoallv = PITHI_SHAPE_alltoall,
    PITHI_SHAPE_alltoallw = PITHI_SHAPE_alltoall,
    PITHI_SHAPE_allreduce, /* and MPI_Scan */
    PITHI_SHAPE_exscan,
    PITHI_SHAPE_reduce_scatter,
    PITHI_SHAPE_reduce_scatter_block = PITHI_SHAPE_reduce_scatter,
    PITHI_SHAPE_nallgather, /* n: neighbourhood collectives, on a topology */
    PITHI_SHAPE_nallgatherv = PITHI_SHAPE_nallgather,
    PITHI_SHAPE_nalltoall,
    PITHI_SHAPE_nalltoallv = PITHI_SHAPE_nalltoall,
    PITHI_SHAPE_nalltoallw = PITHI_SHAPE_nalltoall
};
/* Gives a function's shape as a constant. Use it as PITHI_SHAPE({{class}}), so that its second argument is the second
 * class of the function. */
#define PITHI_SHAPE(kind, shape, ...) PITHI_SHAPE_##shape

static inline int pithi_shape_has_root(enum pithi_shape shape)
{
    return shape >= PITHI_SHAPE_bcast && shape <= PITHI_SHAPE_reduce;
}
static inline int pithi_shape_has_neighbours(enum pithi_shape shape) { return shape >= PITHI_SHAPE_nallgather; }

/* The sent or the received data. Either all members have the same count, or `counts` has a count for each member. The
 * same holds for the type and `types`. */
struct pithi_data {
    const void *buf;
    MPI_Count count;           /* the count for all members, if `counts` is NULL */
    MPI_Datatype type;         /* the elements' type for all members, if `types` is NULL */
    const void *counts;        /* [members] of int, or of MPI_Count in the large-count functions; NULL: none */
    int is_wide;               /* 1: `counts` are MPI_Count */
    const MPI_Datatype *types; /* [members]; NULL: none */
};
#define PITHI_NO_COUNTS ((const int *)NULL)
#define PITHI_DATA(buf, count, type, counts, types)                                                                    \
    ((struct pithi_data){buf, count, type, counts, sizeof *(counts) == 8, types})

struct pithi_collective {
    enum pithi_shape shape;
    MPI_Comm comm;                    /* for a window or file, the communicator on which it was made */
    int root;                         /* -1: the call has no root */
    struct pithi_data sent, received; /* reductions and broadcasts have only `sent` */
};

/* pithi_data_count returns how many elements the data of member i have, pithi_data_part how many bytes. */
PITHI_IN_WRAPPER MPI_Count pithi_data_count(const struct pithi_data *data, int i)
{
    if (!data->counts)
        return data->count;
    return data->is_wide ? ((const MPI_Count *)data->counts)[i] : ((const int *)data->counts)[i];
}
PITHI_IN_WRAPPER uint64_t pithi_data_part(const struct pithi_data *data, int i)
{
    return pithi_type_bytes(pithi_data_count(data, i), data->types ? data->types[i] : data->type);
}
/* pithi_counts_sum returns the sum of all members' counts. pithi_types_sum and pithi_data_total return how many bytes
 * the data of all members have; pithi_types_sum is for data that have a type for each member. */
MPI_Count pithi_counts_sum(const void *counts, int is_wide, int members);
uint64_t pithi_types_sum(const void *counts, int is_wide, const MPI_Datatype *types, int members);
PITHI_IN_WRAPPER uint64_t pithi_data_total(const struct pithi_data *data, int members)
{
    if (data->types)
        return pithi_types_sum(data->counts, data->is_wide, data->types, members);
    return data->counts ? pithi_type_bytes(pithi_counts_sum(data->counts, data->is_wide, members), data->type)
                        : pithi_type_bytes(data->count, data->type) * (uint64_t)members;
}

/* Returns how many bytes the data of `count` neighbours have. `absent`: if bit i is 1, neighbour i is MPI_PROC_NULL and
 * has no data. */
PITHI_IN_WRAPPER uint64_t pithi_data_neighbours(const struct pithi_data *data, int count, uint64_t absent)
{
    uint64_t bytes = pithi_data_total(data, count);

    for (; absent; absent &= absent - 1)
        bytes -= pithi_data_part(data, __builtin_ctzll(absent));
    return bytes;
}

/* The members of a communicator, as far as this process must know them to count bytes. */
struct pithi_members {
    int rank, size, remote_size;        /* remote_size: size of the remote group; 0: an intracommunicator */
    struct pithi_neighbours neighbours; /* set for shapes with pithi_shape_has_neighbours */
};
PITHI_IN_WRAPPER struct pithi_members pithi_members_of(struct pithi_handle *comm, enum pithi_shape shape)
{
    struct pithi_members members = {.rank = comm->rank, .size = comm->size, .remote_size = comm->remote_size};

    if (pithi_shape_has_neighbours(shape))
        members.neighbours = pithi_handle_neighbours(comm);
    return members;
}
struct pithi_moved {
    uint64_t given, got; /* bytes */
};
/* Returns how many bytes this process sends and receives by MPI's definition of the collective, whatever the library
 * really moves. The root of a broadcast sends its data once; in an all-to-all, each process sends data to each member.
 * In-place data count as if they came from a separate buffer. */
PITHI_IN_WRAPPER struct pithi_moved pithi_collective_bytes(const struct pithi_collective *call,
                                                           const struct pithi_members *members)
{
    const struct pithi_data *sent = &call->sent, *received = &call->received;
    int is_inter = members->remote_size != 0, others = is_inter ? members->remote_size : members->size;
    int is_root = call->root == (is_inter ? MPI_ROOT : members->rank), is_in_place = sent->buf == MPI_IN_PLACE;
    const struct pithi_neighbours *near = &members->neighbours;
    struct pithi_moved moved = {0, 0};

    /* In an intercommunicator, all processes of the root's group except the root pass MPI_PROC_NULL as the root, and
     * send and receive nothing. */
    if (pithi_shape_has_root(call->shape) && call->root == MPI_PROC_NULL)
        return moved;
    switch (call->shape) {
    case PITHI_SHAPE_barrier:
        break;
    case PITHI_SHAPE_bcast:
        *(is_root ? &moved.given : &moved.got) = pithi_data_total(sent, 1);
        break;
    case PITHI_SHAPE_gather:
        if (is_root)
            moved.got = pithi_data_total(received, others);
        if (!is_inter || !is_root)
            moved.given = !is_in_place ? pithi_data_total(sent, 1)
                          : is_root    ? pithi_data_part(received, members->rank)
                                       : 0;
        break;
    case PITHI_SHAPE_scatter:
        if (is_root)
            moved.given = pithi_data_total(sent, others);
        if (!is_inter || !is_root)
            moved.got = received->buf != MPI_IN_PLACE ? pithi_data_total(received, 1)
                        : is_root                     ? pithi_data_part(sent, members->rank)
                                                      : 0;
        break;
    case PITHI_SHAPE_reduce:
        if (is_root)
            moved.got = pithi_data_total(sent, 1);
        if (!is_inter || !is_root)
            moved.given = pithi_data_total(sent, 1);
        break;
    case PITHI_SHAPE_allgather:
        moved.given = is_in_place ? pithi_data_part(received, members->rank) : pithi_data_total(sent, 1);
        moved.got = pithi_data_total(received, others);
        break;
    case PITHI_SHAPE_alltoall:
        moved.got = pithi_data_total(received, others);
        moved.given = is_in_place ? moved.got : pithi_data_total(sent, others);
        break;
    case PITHI_SHAPE_allreduce:
    case PITHI_SHAPE_exscan:
        moved.given = pithi_data_total(sent, 1);
        moved.got = call->shape == PITHI_SHAPE_exscan && members->rank == 0 ? 0 : moved.given;
        break;
    case PITHI_SHAPE_reduce_scatter:
        moved.given = pithi_data_total(sent, members->size);
        moved.got = pithi_data_part(sent, members->rank);
        break;
    case PITHI_SHAPE_nallgather:
        moved.given = near->out > __builtin_popcountll(near->absent) ? pithi_data_total(sent, 1) : 0;
        moved.got = pithi_data_neighbours(received, near->in, near->absent);
        break;
    case PITHI_SHAPE_nalltoall:
        moved.given = pithi_data_neighbours(sent, near->out, near->absent);
        moved.got = pithi_data_neighbours(received, near->in, near->absent);
        break;
    }
    return moved;
}

#endif
