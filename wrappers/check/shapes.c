/* shapes.c - describes the arguments of the collectives. The standard requires: all processes name the same root and
 * operation; the data of a broadcast or a reduction have the same signature everywhere; where data go from one process
 * to another, the sent and the received data have the same signature. (In an intercommunicator, the peers are in the
 * other group.)
 */
#include "facts.h"

#include <stdlib.h>
#include <string.h>

static const struct pithi_team *team(void) { return pithi_check_now()->team; }

static struct pithi_signature data_of(MPI_Count count, MPI_Datatype type) { return pithi_signature_of(count, type); }

static MPI_Count count_at(struct pithi_check_counts counts, int i, MPI_Count otherwise)
{
    if (!counts.at)
        return otherwise;
    return counts.is_wide ? ((const MPI_Count *)counts.at)[i] : ((const int *)counts.at)[i];
}

/* The processes that this one exchanges data with, and their places in the shadow. */
static int others(void) { return team()->is_inter ? team()->remote_size : team()->local_size; }
static int peer(int rank) { return pithi_team_peer(team(), rank); }
static int own(void) { return team()->local_rank; }

/* ---- root and operation ------------------------------------------------------------------------------------------ */

/* In an intercommunicator only one group names a root; the data show whether both groups mean the same root. If the
 * other group is in another job, either all of the own group name the same root, or the root is among them. */
void pithi_check_root(int root)
{
    if (!team())
        return;
    if (!team()->is_inter)
        pithi_check_number("root", root);
    else if (team()->places && root >= 0)
        pithi_check_number("root", root);
    else if (team()->places)
        pithi_check_text("root", "MPI_ROOT or MPI_PROC_NULL");
}

static int am_root(int root) { return team()->is_inter ? root == MPI_ROOT : root == own(); }
static int is_idle(int root) { return team()->is_inter && root == MPI_PROC_NULL; }
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

void pithi_check_op(MPI_Op op)
{
    if (team())
        pithi_check_text("op", op_name(op));
}

/* ---- from or to a root ------------------------------------------------------------------------------------------- */

void pithi_check_bcast(int root, MPI_Count count, MPI_Datatype type)
{
    if (!team())
        return;
    pithi_check_root(root);
    if (!team()->is_inter)
        pithi_fact_data("the data", data_of(count, type));
    else if (am_root(root))
        for (int i = 0; i < others(); i++)
            pithi_part_give(peer(i), data_of(count, type));
    else if (is_rank(root))
        pithi_part_get(peer(root), data_of(count, type));
}

static void only_root(int root, const void *buffer, const char *what)
{
    if (buffer == MPI_IN_PLACE && !team()->is_inter && !am_root(root))
        pithi_fact_problem(what);
}

void pithi_check_gather(int root, const void *from, MPI_Count count, MPI_Datatype type,
                        struct pithi_check_counts counts, MPI_Count recv_count, MPI_Datatype recv_type)
{
    pithi_check_root(root);
    if (!team() || is_idle(root))
        return;
    only_root(root, from, "sendbuf is MPI_IN_PLACE, which only the root may give");
    if (am_root(root))
        for (int i = 0; i < others(); i++)
            if (from != MPI_IN_PLACE || i != own())
                pithi_part_get(peer(i), data_of(count_at(counts, i, recv_count), recv_type));
    if (is_rank(root) && from != MPI_IN_PLACE)
        pithi_part_give(peer(root), data_of(count, type));
}

void pithi_check_scatter(int root, struct pithi_check_counts counts, MPI_Count count, MPI_Datatype type, const void *to,
                         MPI_Count recv_count, MPI_Datatype recv_type)
{
    pithi_check_root(root);
    if (!team() || is_idle(root))
        return;
    only_root(root, to, "recvbuf is MPI_IN_PLACE, which only the root may give");
    if (am_root(root))
        for (int i = 0; i < others(); i++)
            if (to != MPI_IN_PLACE || i != own())
                pithi_part_give(peer(i), data_of(count_at(counts, i, count), type));
    if (is_rank(root) && to != MPI_IN_PLACE)
        pithi_part_get(peer(root), data_of(recv_count, recv_type));
}

/* ---- all to all -------------------------------------------------------------------------------------------------- */

/* For functions where either all processes give MPI_IN_PLACE or none does. */
static void in_place(const void *from)
{
    if (!team()->is_inter)
        pithi_check_text("sendbuf", from == MPI_IN_PLACE ? "MPI_IN_PLACE" : "a buffer");
}

void pithi_check_allgather(const void *from, MPI_Count count, MPI_Datatype type, struct pithi_check_counts counts,
                           MPI_Count recv_count, MPI_Datatype recv_type)
{
    if (!team())
        return;
    in_place(from);
    struct pithi_signature given =
        from == MPI_IN_PLACE ? data_of(count_at(counts, own(), recv_count), recv_type) : data_of(count, type);
    for (int i = 0; i < others(); i++) {
        pithi_part_give(peer(i), given);
        pithi_part_get(peer(i), data_of(count_at(counts, i, recv_count), recv_type));
    }
}

static struct pithi_signature part_at(const struct pithi_check_parts *parts, int i)
{
    return data_of(count_at(parts->counts, i, parts->count), parts->types ? parts->types[i] : parts->type);
}

void pithi_check_alltoall(const void *from, struct pithi_check_parts given, struct pithi_check_parts got)
{
    if (!team())
        return;
    in_place(from);
    if (from == MPI_IN_PLACE)
        given = got;
    for (int i = 0; i < others(); i++) {
        pithi_part_give(peer(i), part_at(&given, i));
        pithi_part_get(peer(i), part_at(&got, i));
    }
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

void pithi_check_reduce(int root, const void *from, MPI_Count count, MPI_Datatype type, MPI_Op op)
{
    pithi_check_root(root);
    if (!team() || is_idle(root))
        return;
    only_root(root, from, "sendbuf is MPI_IN_PLACE, which only the root may give");
    if (!team()->is_inter) {
        pithi_check_op(op);
        pithi_fact_data("the data", data_of(count, type));
    } else if (am_root(root)) {
        for (int i = 0; i < others(); i++)
            pithi_part_get(peer(i), data_of(count, type));
    } else if (is_rank(root)) {
        pithi_part_give(peer(root), data_of(count, type));
    }
}

void pithi_check_allreduce(const char *name, const void *from, MPI_Count count, MPI_Datatype type, MPI_Op op)
{
    if (!team())
        return;
    if (strstr(name, "llreduce"))
        in_place(from);
    pithi_check_op(op);
    pithi_fact_data("the data", data_of(count, type));
}

/* In an intercommunicator each group divides the result of the other group, so the counts of the groups may differ. The
 * length of the data must be equal: the sum of recvcounts (MPI-4.0, 6.10.2), or recvcount times the size of the own
 * group (6.10.1). */
static MPI_Count sum_of_shares(struct pithi_check_counts counts, MPI_Count count)
{
    MPI_Count sum = 0;

    for (int i = 0; i < team()->local_size; i++)
        sum += count_at(counts, i, count);
    return sum;
}

void pithi_check_reduce_scatter(struct pithi_check_counts counts, MPI_Count count, MPI_Datatype type, MPI_Op op)
{
    if (!team())
        return;
    pithi_check_op(op);
    if (team()->is_inter) {
        pithi_fact_data("the data", data_of(sum_of_shares(counts, count), type));
        return;
    }
    if (!counts.at) {
        pithi_fact_data("the data of each", data_of(count, type));
        return;
    }
    for (int i = 0; i < team()->local_size; i++)
        pithi_check_numbers_at("recvcounts", i, count_at(counts, i, 0));
    pithi_fact_data("the data", data_of(1, type));
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

struct neighbours {
    int in, out, *from, *to; /* NULL: no memory */
};

static void make_room(struct neighbours *found, int in, int out)
{
    found->in = in;
    found->out = out;
    found->from = malloc(((size_t)in + 1) * sizeof *found->from);
    found->to = malloc(((size_t)out + 1) * sizeof *found->to);
}

/* The order of neighbours in a Cartesian topology: for each dimension the lower one, then the upper one. */
static void cart_neighbours(MPI_Comm comm, struct neighbours *found)
{
    int dimensions = 0;

    REAL(MPI_Cartdim_get)(comm, &dimensions);
    make_room(found, 2 * dimensions, 2 * dimensions);
    for (int i = 0; found->from && i < dimensions; i++)
        REAL(MPI_Cart_shift)(comm, i, 1, &found->from[2 * i], &found->from[2 * i + 1]);
}

static void graph_neighbours(MPI_Comm comm, struct neighbours *found)
{
    int count = 0;

    REAL(MPI_Graph_neighbors_count)(comm, own(), &count);
    make_room(found, count, count);
    if (found->from && count)
        REAL(MPI_Graph_neighbors)(comm, own(), count, found->from);
}

static void dist_graph_neighbours(MPI_Comm comm, struct neighbours *found)
{
    int in = 0, out = 0, weighted = 0;

    REAL(MPI_Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
    make_room(found, in, out);
    int *weights = malloc(((size_t)in + (size_t)out + 1) * sizeof *weights);
    if (weights && found->from && found->to)
        REAL(MPI_Dist_graph_neighbors)(comm, in, found->from, weights, out, found->to, weights + in);
    free(weights);
}

static void find_neighbours(MPI_Comm comm, struct neighbours *found)
{
    int kind = MPI_UNDEFINED;

    REAL(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_DIST_GRAPH) {
        dist_graph_neighbours(comm, found);
        return;
    }
    if (kind == MPI_CART)
        cart_neighbours(comm, found);
    else if (kind == MPI_GRAPH)
        graph_neighbours(comm, found);
    if (found->from && found->to)
        memcpy(found->to, found->from, (size_t)found->in * sizeof *found->to);
}

void pithi_check_neighbours(MPI_Comm comm, int all, struct pithi_check_parts given, struct pithi_check_parts got)
{
    struct neighbours found = {0};

    if (!team())
        return;
    find_neighbours(comm, &found);
    for (int i = 0; found.to && i < found.out; i++)
        if (found.to[i] != MPI_PROC_NULL)
            pithi_part_give(peer(found.to[i]), part_at(&given, all ? 0 : i));
    for (int i = 0; found.from && i < found.in; i++)
        if (found.from[i] != MPI_PROC_NULL)
            pithi_part_get(peer(found.from[i]), part_at(&got, i));
    free(found.from);
    free(found.to);
}
