/* shapes.c - what the arguments of the collectives say. What the standard wants of them: all processes name the same
 * root and operation; a broadcast's, a reduction's data have one signature everywhere; where data go from one process
 * to another, what is given has the signature of what is got there. (In an intercommunicator, those of the other
 * group.)
 */
#include "facts.h"

#include <string.h>

static const struct pithi_team *team(void) { return pithi_check_now()->team; }

static struct pithi_signature data_of(MPI_Count count, MPI_Datatype type) { return pithi_signature_of(count, type); }

static MPI_Count count_at(struct pithi_check_counts counts, int i, MPI_Count otherwise)
{
    if (!counts.at)
        return otherwise;
    return counts.is_wide ? ((const MPI_Count *)counts.at)[i] : ((const int *)counts.at)[i];
}

/* Processes that this one exchanges data with, and their place in the shadow. */
static int others(void) { return team()->is_inter ? team()->remote_size : team()->local_size; }
static int peer(int rank) { return rank + (team()->is_inter ? team()->remote_from : team()->local_from); }
static int own(void) { return team()->local_rank; }

/* ---- root and operation ------------------------------------------------------------------------------------------ */

/* In an intercommunicator only one group names a root; that both mean the same one shows in the data. */
void pithi_check_root(int root)
{
    if (team() && !team()->is_inter)
        pithi_check_number("root", root);
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

/* ---- one and all ------------------------------------------------------------------------------------------------- */

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
    if (!team() || is_idle(root))
        return;
    pithi_check_root(root);
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
    if (!team() || is_idle(root))
        return;
    pithi_check_root(root);
    only_root(root, to, "recvbuf is MPI_IN_PLACE, which only the root may give");
    if (am_root(root))
        for (int i = 0; i < others(); i++)
            if (to != MPI_IN_PLACE || i != own())
                pithi_part_give(peer(i), data_of(count_at(counts, i, count), type));
    if (is_rank(root) && to != MPI_IN_PLACE)
        pithi_part_get(peer(root), data_of(recv_count, recv_type));
}

/* ---- all and all ------------------------------------------------------------------------------------------------- */

/* Where all must give it or none. */
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
    if (!team() || is_idle(root))
        return;
    pithi_check_root(root);
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

void pithi_check_reduce_scatter(struct pithi_check_counts counts, MPI_Count count, MPI_Datatype type, MPI_Op op)
{
    if (!team())
        return;
    pithi_check_op(op);
    if (!counts.at) {
        pithi_fact_data("the data of each", data_of(count, type));
        return;
    }
    struct pithi_signature all = {.power = 1};
    for (int i = 0; i < team()->local_size; i++)
        if (team()->is_inter) /* what counts there is the sum, which is the same in both groups */
            all = pithi_signature_join(all, data_of(count_at(counts, i, 0), type));
        else
            pithi_check_numbers_at("recvcounts", i, count_at(counts, i, 0));
    pithi_fact_data("the data", team()->is_inter ? all : data_of(1, type));
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* In a Cartesian topology the order of neighbours: for each dimension the one below, then the one above. */
static int cart_neighbours(MPI_Comm comm, int *ranks, int room)
{
    int dimensions = 0;

    REAL(MPI_Cartdim_get)(comm, &dimensions);
    for (int i = 0; i < dimensions && 2 * i + 1 < room; i++)
        REAL(MPI_Cart_shift)(comm, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
    return 2 * dimensions < room ? 2 * dimensions : room;
}

enum { NEIGHBOURS = 1024 }; /* of more, nothing is checked but the call */

struct neighbours {
    int in, out, from[NEIGHBOURS], to[NEIGHBOURS];
};

static int find_neighbours(MPI_Comm comm, struct neighbours *found)
{
    int kind = MPI_UNDEFINED, weighted = 0, weights[2 * NEIGHBOURS], rank = 0;

    REAL(MPI_Comm_rank)(comm, &rank);
    REAL(MPI_Topo_test)(comm, &kind);
    found->in = found->out = 0;
    if (kind == MPI_CART) {
        found->in = found->out = cart_neighbours(comm, found->from, NEIGHBOURS);
        for (int i = 0; i < found->in; i++)
            found->to[i] = found->from[i];
    } else if (kind == MPI_GRAPH) {
        REAL(MPI_Graph_neighbors_count)(comm, rank, &found->in);
        if (found->in <= NEIGHBOURS && found->in > 0)
            REAL(MPI_Graph_neighbors)(comm, rank, found->in, found->from);
        found->out = found->in;
        for (int i = 0; i < found->in && i < NEIGHBOURS; i++)
            found->to[i] = found->from[i];
    } else if (kind == MPI_DIST_GRAPH) {
        REAL(MPI_Dist_graph_neighbors_count)(comm, &found->in, &found->out, &weighted);
        if (found->in <= NEIGHBOURS && found->out <= NEIGHBOURS)
            REAL(MPI_Dist_graph_neighbors)
        (comm, found->in, found->from, weights, found->out, found->to, weights + NEIGHBOURS);
    }
    return found->in <= NEIGHBOURS && found->out <= NEIGHBOURS;
}

void pithi_check_neighbours(MPI_Comm comm, int all, struct pithi_check_parts given, struct pithi_check_parts got)
{
    struct neighbours found;

    if (!team() || !find_neighbours(comm, &found))
        return;
    for (int i = 0; i < found.out; i++)
        if (found.to[i] != MPI_PROC_NULL)
            pithi_part_give(found.to[i], part_at(&given, all ? 0 : i));
    for (int i = 0; i < found.in; i++)
        if (found.from[i] != MPI_PROC_NULL)
            pithi_part_get(found.from[i], part_at(&got, i));
}
