/* comms.c - makes communicators in every way. Prints "rank R NAME: MEMBERS" for each that it is in, by its name; the
 * log must hold the same names with the same members, under one key in all members. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static MPI_Group world;

/* Names it, sends a message round it (in an intercommunicator: rank 0 to rank 0), and tells its members' world ranks.
 */
static void show(MPI_Comm comm, const char *name)
{
    MPI_Group groups[2];
    int inter, own, counts[2] = {0, 0}, numbers[64], world_ranks[64], got = -1, at = 0;
    char line[1024];

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_name(comm, name);
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_group(comm, &groups[0]);
    MPI_Comm_size(comm, &counts[0]);
    MPI_Comm_rank(comm, &own);
    if (inter) {
        MPI_Comm_remote_size(comm, &counts[1]);
        MPI_Comm_remote_group(comm, &groups[1]);
    }
    at = snprintf(line, sizeof line, "rank %d %s:", rank, name);
    for (int g = 0; g <= inter; g++) {
        for (int i = 0; i < counts[g]; i++)
            numbers[i] = i;
        MPI_Group_translate_ranks(groups[g], counts[g], numbers, world, world_ranks);
        at += snprintf(line + at, sizeof line - at, g ? " |" : "");
        for (int i = 0; i < counts[g]; i++)
            at += snprintf(line + at, sizeof line - at, " %d", world_ranks[i]);
        MPI_Group_free(&groups[g]);
    }
    int count = inter ? 1 : counts[0], from = (own + count - 1) % count;
    if (!inter || own == 0)
        MPI_Sendrecv(&own, 1, MPI_INT, (own + 1) % count, 5, &got, 1, MPI_INT, from, 5, comm, MPI_STATUS_IGNORE);
    if ((!inter || own == 0) && got != from)
        at += snprintf(line + at, sizeof line - at, " wrong");
    line[at] = '\n';
    if (write(1, line, at + 1) < 0) /* one piece: ranks write at once */
        exit(1);
}

static void plain_ones(MPI_Comm comm)
{
    MPI_Comm made[4];
    MPI_Request request;
    MPI_Group group;
    char name[32];
    int first = 0, leader;

    for (int i = 0; i < 2; i++) { /* twice alike: two keys */
        MPI_Comm_dup(comm, &made[i]);
        snprintf(name, sizeof name, "dup%d", i);
        show(made[i], name);
    }
    MPI_Comm_dup_with_info(made[0], MPI_INFO_NULL, &made[2]);
    show(made[2], "dup_with_info");
    MPI_Comm_idup(comm, &made[3], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show(made[3], "idup");
    for (int i = 0; i < 4; i++)
        MPI_Comm_free(&made[i]);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_split(comm, rank % 2, -rank, &made[i]); /* reverse order */
        snprintf(name, sizeof name, "split%d-%d", rank % 2, i);
        show(made[i], name);
    }
    MPI_Comm_free(&made[0]);
    MPI_Comm_disconnect(&made[1]);
    MPI_Comm_split(comm, rank == 0 ? MPI_UNDEFINED : 1, rank, &made[0]);
    show(made[0], "but0");
    if (made[0] != MPI_COMM_NULL)
        MPI_Comm_free(&made[0]);
    /* In some MPIs each rank is alone (MPICH 5.0.2 over UCX). */
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[0]);
    MPI_Comm_group(made[0], &group);
    MPI_Group_translate_ranks(group, 1, &first, world, &leader);
    MPI_Group_free(&group);
    snprintf(name, sizeof name, "split_type%d", leader);
    show(made[0], name);
    MPI_Comm_free(&made[0]);
}

static void from_groups(MPI_Comm comm)
{
    MPI_Group group;
    MPI_Comm made;
    int last = size - 1;

    MPI_Group_incl(world, 1, &last, &group);
    MPI_Comm_create(comm, group, &made);
    show(made, "create");
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    if (rank == last) {
        MPI_Comm_create_group(comm, group, 3, &made);
        show(made, "create_group");
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&group);
}

static void topologies(MPI_Comm comm)
{
    MPI_Comm cart, sub, graph, dist;
    int dims[2] = {0, 0}, periods[2] = {1, 1}, keep[2] = {1, 0}, index[64], edges[64], next = (rank + 1) % size,
        one = 1;
    char name[32];

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, 1, &cart);
    show(cart, "cart");
    MPI_Cart_sub(cart, keep, &sub);
    int coords[2], cart_rank;
    MPI_Comm_rank(cart, &cart_rank);
    MPI_Cart_coords(cart, cart_rank, 2, coords);
    snprintf(name, sizeof name, "cart_sub%d", coords[1]);
    show(sub, name);
    MPI_Comm_free(&sub);
    MPI_Comm_free(&cart);
    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    MPI_Graph_create(comm, size, index, edges, 0, &graph);
    show(graph, "graph");
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create(comm, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
    show(dist, "dist_graph");
    MPI_Comm_free(&dist);
    int prev = (rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(comm, 1, &prev, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
    show(dist, "dist_graph_adjacent");
    MPI_Comm_free(&dist);
}

static void intercommunicators(MPI_Comm comm)
{
    MPI_Comm half, inter, merged, dup;

    if (size < 2)
        return;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_split(comm, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 7, &inter);
        show(inter, i ? "inter1" : "inter0");
        MPI_Intercomm_merge(inter, rank % 2, &merged);
        show(merged, i ? "merged1" : "merged0");
        MPI_Comm_dup(inter, &dup);
        show(dup, i ? "interdup1" : "interdup0");
        MPI_Comm_free(&dup);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
}

/* Many, freed at once: handles come again. A receive that outlives its communicator's handle. */
static void many(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Request request;
    int got = -1, half[2] = {0, 0};

    for (int i = 0; i < 300; i++) {
        MPI_Comm_split(comm, 0, i % 2 ? rank : -rank, &made);
        MPI_Comm_rank(made, &half[0]);
        MPI_Comm_size(made, &half[1]);
        MPI_Sendrecv(&rank, 1, MPI_INT, (half[0] + 1) % half[1], 1, &got, 1, MPI_INT, (half[0] + half[1] - 1) % half[1],
                     1, made, MPI_STATUS_IGNORE);
        MPI_Comm_free(&made);
    }
    MPI_Comm_split(comm, 0, -rank, &made);
    show(made, "outlived");
    MPI_Comm_rank(made, &half[0]);
    MPI_Irecv(&got, 1, MPI_INT, (half[0] + 1) % size, 2, made, &request);
    MPI_Send(&rank, 1, MPI_INT, (half[0] + size - 1) % size, 2, made);
    MPI_Comm_free(&made);
    MPI_Comm_dup(comm, &made);
    show(made, "after");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    MPI_Comm base;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    show(base, "base");
    show(MPI_COMM_SELF, "self");
    plain_ones(base);
    from_groups(base);
    topologies(base);
    intercommunicators(base);
    many(base);
    plain_ones(base); /* the same once more: keys differ, members do not */
    MPI_Comm_free(&base);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
