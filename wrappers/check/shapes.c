/* shapes.c - describes the arguments of the collectives. The standard requires that all processes name the same root
 * and operation, and that the data of a broadcast or a reduction have the same signature in all processes. Where data
 * go from one process to another, the sent and the received data must have the same signature; in an intercommunicator,
 * the other process is in the remote group.
 */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

static const struct pithi_team *team(void) { return pithi_check_now()->team; }

static struct pithi_signature data_of(MPI_Count count, MPI_Datatype type) { return pithi_signature_of(count, type); }

/* whole returns the signature of a buffer that is not divided by members, part the signature of member i's part. */
static struct pithi_signature whole(const struct pithi_data *data) { return data_of(data->count, data->type); }

static struct pithi_signature part(const struct pithi_data *data, int i)
{
    return data_of(pithi_data_count(data, i), data->types ? data->types[i] : data->type);
}

/* others returns the number of processes with which this process exchanges data; peer, the rank in the shadow of one of
 * these processes; own, this process's rank in its group. */
static int others(void) { return team()->entry->remote_size ? team()->entry->remote_size : team()->entry->size; }
static int peer(int rank) { return pithi_team_peer(team(), rank); }
static int own(void) { return team()->entry->rank; }

/* ---- root and operation ------------------------------------------------------------------------------------------ */

/* In an intracommunicator, all processes must name the same root. In an intercommunicator, only one of the groups names
 * a root by its rank; the check of the data shows whether both groups mean the same root. If the remote group is in
 * another job, there is no check of the data. Then either all processes of this group must name the same rank of the
 * remote group, or the root is in this group and all its processes must pass MPI_ROOT or MPI_PROC_NULL. */
void pithi_check_root(int root)
{
    if (!team())
        return;
    if (!team()->entry->remote_size)
        pithi_check_number("root", root);
    else if (team()->places && root >= 0)
        pithi_check_number("root", root);
    else if (team()->places)
        pithi_check_text("root", "MPI_ROOT or MPI_PROC_NULL");
}

/* am_root returns 1 if this process is the root; is_idle, if this process takes no part in the call; is_rank, if `root`
 * is the rank of a process that this process exchanges data with. */
static int am_root(int root) { return team()->entry->remote_size ? root == MPI_ROOT : root == own(); }
static int is_idle(int root) { return team()->entry->remote_size && root == MPI_PROC_NULL; }
static int is_rank(int root) { return root >= 0 && root < others(); }

static const char *op_name(MPI_Op op)
{
    static const char *const names[] = {"MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD", "MPI_LAND",
                                        "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR",
                                        "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};
    const MPI_Op ops[] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                          MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
    int commutes = 1;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (op == ops[i])
            return names[i];
    if (op != MPI_OP_NULL)
        REAL(MPI_Op_commutative)(op, &commutes);
    return commutes ? "an operation of the program" : "an operation of the program that does not commute";
}

static void check_op(MPI_Op op) { pithi_check_text("op", op_name(op)); }

/* ---- from or to a root ------------------------------------------------------------------------------------------- */

static void check_bcast(int root, const struct pithi_data *data)
{
    pithi_check_root(root);
    if (!team()->entry->remote_size)
        pithi_fact_data("the data", whole(data));
    else if (am_root(root))
        for (int i = 0; i < others(); i++)
            pithi_part_give(peer(i), whole(data));
    else if (is_rank(root))
        pithi_part_get(peer(root), whole(data));
}

/* Notes an error if a process that is not the root passes MPI_IN_PLACE. The data that this process sends or receives
 * would then be unknown. */
static void only_root(int root, const void *buffer, const char *what)
{
    if (buffer == MPI_IN_PLACE && !team()->entry->remote_size && !am_root(root))
        pithi_fact_problem(what);
}

static void check_gather(int root, const struct pithi_data *sent, const struct pithi_data *received)
{
    int is_in_place = sent->buf == MPI_IN_PLACE;

    pithi_check_root(root);
    if (is_idle(root))
        return;
    only_root(root, sent->buf, "sendbuf is MPI_IN_PLACE, which only the root may give");
    if (am_root(root))
        /* The root states the part of each member, and each member states its data for the root. */
        for (int i = 0; i < others(); i++)
            if (!is_in_place || i != own())
                pithi_part_get(peer(i), part(received, i));
    if (is_rank(root) && !is_in_place)
        pithi_part_give(peer(root), whole(sent));
}

static void check_scatter(int root, const struct pithi_data *sent, const struct pithi_data *received)
{
    int is_in_place = received->buf == MPI_IN_PLACE;

    pithi_check_root(root);
    if (is_idle(root))
        return;
    only_root(root, received->buf, "recvbuf is MPI_IN_PLACE, which only the root may give");
    if (am_root(root))
        for (int i = 0; i < others(); i++)
            if (!is_in_place || i != own())
                pithi_part_give(peer(i), part(sent, i));
    if (is_rank(root) && !is_in_place)
        pithi_part_get(peer(root), whole(received));
}

/* ---- all to all -------------------------------------------------------------------------------------------------- */

/* Checks that all processes pass MPI_IN_PLACE or no process does. */
static void in_place(const void *from)
{
    if (!team()->entry->remote_size)
        pithi_check_text("sendbuf", from == MPI_IN_PLACE ? "MPI_IN_PLACE" : "a buffer");
}

static void check_allgather(const struct pithi_data *sent, const struct pithi_data *received)
{
    in_place(sent->buf);
    /* With MPI_IN_PLACE, this process sends its own part of the receive buffer. */
    struct pithi_signature given = sent->buf == MPI_IN_PLACE ? part(received, own()) : whole(sent);
    for (int i = 0; i < others(); i++) {
        pithi_part_give(peer(i), given);
        pithi_part_get(peer(i), part(received, i));
    }
}

static void check_alltoall(const struct pithi_data *sent, const struct pithi_data *received)
{
    in_place(sent->buf);
    if (sent->buf == MPI_IN_PLACE)
        sent = received;
    for (int i = 0; i < others(); i++) {
        pithi_part_give(peer(i), part(sent, i));
        pithi_part_get(peer(i), part(received, i));
    }
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static void check_reduce(int root, const struct pithi_data *data, MPI_Op op)
{
    pithi_check_root(root);
    if (is_idle(root))
        return;
    only_root(root, data->buf, "sendbuf is MPI_IN_PLACE, which only the root may give");
    if (!team()->entry->remote_size) {
        check_op(op);
        pithi_fact_data("the data", whole(data));
    } else if (am_root(root)) {
        for (int i = 0; i < others(); i++)
            pithi_part_get(peer(i), whole(data));
    } else if (is_rank(root)) {
        pithi_part_give(peer(root), whole(data));
    }
}

static void check_allreduce(const char *name, const struct pithi_data *data, MPI_Op op)
{
    /* In MPI_Allreduce, all processes must pass MPI_IN_PLACE or none may. In MPI_Scan and MPI_Exscan, a process may
     * pass MPI_IN_PLACE even if others do not. */
    if (strstr(name, "llreduce"))
        in_place(data->buf);
    check_op(op);
    pithi_fact_data("the data", whole(data));
}

/* In an intercommunicator, each group divides the result of the other group's reduction among its members, so the
 * groups may have different counts. But the whole length must be equal in both groups: the sum of recvcounts (MPI-4.0,
 * 6.10.2), or recvcount times the size of the group (6.10.1). */
static void check_reduce_scatter(const struct pithi_data *data, MPI_Op op)
{
    MPI_Count sum = 0;

    check_op(op);
    if (team()->entry->remote_size) {
        for (int i = 0; i < team()->entry->size; i++)
            sum += pithi_data_count(data, i);
        pithi_fact_data("the data", data_of(sum, data->type));
        return;
    }
    if (!data->counts) {
        pithi_fact_data("the data of each", whole(data));
        return;
    }
    for (int i = 0; i < team()->entry->size; i++)
        pithi_check_numbers_at("recvcounts", i, pithi_data_count(data, i));
    pithi_fact_data("the data", data_of(1, data->type));
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

struct neighbours {
    /* in, out: how many neighbours send to this process, and receive from it; from, to: their ranks, NULL: no memory */
    int in, out, *from, *to;
};

static void make_room(struct neighbours *found, int in, int out)
{
    found->in = in;
    found->out = out;
    found->from = malloc(((size_t)in + 1) * sizeof *found->from);
    found->to = malloc(((size_t)out + 1) * sizeof *found->to);
}

static void find_neighbours(MPI_Comm comm, struct neighbours *found)
{
    int kind = MPI_UNDEFINED;

    REAL(MPI_Topo_test)(comm, &kind);
    /* Only in this topology may the neighbours that send to this process differ from those that receive from it. */
    if (kind == MPI_DIST_GRAPH) {
        int in = 0, out = 0, weighted = 0;

        REAL(MPI_Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
        make_room(found, in, out);
        int *weights = malloc(((size_t)in + (size_t)out + 1) * sizeof *weights);
        if (weights && found->from && found->to)
            REAL(MPI_Dist_graph_neighbors)(comm, in, found->from, weights, out, found->to, weights + in);
        free(weights);
        return;
    }
    if (kind == MPI_CART) {
        /* A Cartesian topology orders the neighbours by dimension, and in each dimension has the lower neighbour before
         * the upper neighbour. */
        int dimensions = 0;

        REAL(MPI_Cartdim_get)(comm, &dimensions);
        make_room(found, 2 * dimensions, 2 * dimensions);
        for (int i = 0; found->from && i < dimensions; i++)
            /* A shift by 1 gives the lower and the upper neighbour. */
            REAL(MPI_Cart_shift)(comm, i, 1, &found->from[2 * i], &found->from[2 * i + 1]);
    } else if (kind == MPI_GRAPH) {
        int count = 0;

        REAL(MPI_Graph_neighbors_count)(comm, own(), &count);
        make_room(found, count, count);
        if (found->from && count)
            REAL(MPI_Graph_neighbors)(comm, own(), count, found->from);
    }
    if (found->from && found->to)
        memcpy(found->to, found->from, (size_t)found->in * sizeof *found->to);
}

/* States the data that this process gives to each neighbour and expects from each neighbour. `all` 1: every neighbour
 * gets the same data, as in MPI_Neighbor_allgather. */
static void check_neighbours(MPI_Comm comm, int all, const struct pithi_data *sent, const struct pithi_data *received)
{
    struct neighbours found = {0};

    find_neighbours(comm, &found);
    for (int i = 0; found.to && i < found.out; i++)
        if (found.to[i] != MPI_PROC_NULL)
            pithi_part_give(peer(found.to[i]), part(sent, all ? 0 : i));
    for (int i = 0; found.from && i < found.in; i++)
        if (found.from[i] != MPI_PROC_NULL)
            pithi_part_get(peer(found.from[i]), part(received, i));
    free(found.from);
    free(found.to);
}

void pithi_check_collective(const struct pithi_collective *call, const char *name, MPI_Op op)
{
    const struct pithi_data *sent = &call->sent, *received = &call->received;

    if (!team())
        return;
    /* If MPI refuses the call in this process, this call must not be compared with calls of other processes. */
    if (pithi_check_refused(call)) {
        pithi_check_now()->team = NULL;
        return;
    }
    switch (call->shape) {
    case PITHI_SHAPE_barrier:
        break;
    case PITHI_SHAPE_bcast:
        check_bcast(call->root, sent);
        break;
    case PITHI_SHAPE_gather:
        check_gather(call->root, sent, received);
        break;
    case PITHI_SHAPE_scatter:
        check_scatter(call->root, sent, received);
        break;
    case PITHI_SHAPE_reduce:
        check_reduce(call->root, sent, op);
        break;
    case PITHI_SHAPE_allgather:
        check_allgather(sent, received);
        break;
    case PITHI_SHAPE_alltoall:
        check_alltoall(sent, received);
        break;
    case PITHI_SHAPE_allreduce:
    case PITHI_SHAPE_exscan:
        check_allreduce(name, sent, op);
        break;
    case PITHI_SHAPE_reduce_scatter:
        check_reduce_scatter(sent, op);
        break;
    case PITHI_SHAPE_nallgather:
    case PITHI_SHAPE_nalltoall:
        check_neighbours(call->comm, call->shape == PITHI_SHAPE_nallgather, sent, received);
        break;
    }
}
