/* ranks.c - queries groups and topologies, and makes communicators for the recorder (ranks.h). pithi_own_comm is
 * collective; all other functions are local, so a process may call them at any time. */
#include "ranks.h"

#include "real.h"

#include <stdlib.h>

int *pithi_ranks_in(MPI_Group group, MPI_Group in, int *size)
{
    REAL(MPI_Group_size)(group, size);
    int *own = malloc(((size_t)*size + 1) * sizeof *own), *found = malloc(((size_t)*size + 1) * sizeof *found);
    int good = own && found;

    /* own: the ranks 0, 1 ... of `group`; found: the ranks of the same processes in `in` */
    for (int i = 0; good && i < *size; i++)
        own[i] = i;
    good = good && REAL(MPI_Group_translate_ranks)(group, *size, own, in, found) == MPI_SUCCESS;
    for (int i = 0; good && i < *size; i++)
        if (found[i] == MPI_UNDEFINED)
            found[i] = -1;
    free(own);
    if (good)
        return found;
    free(found);
    return NULL;
}

int pithi_ranks_are_in(MPI_Group group, MPI_Group in)
{
    enum { MANY = 128 }; /* how many ranks are translated at a time */
    int size = 0, good = 1, ranks[MANY], there[MANY];

    REAL(MPI_Group_size)(group, &size);
    /* The ranks are translated in pieces on the stack. With malloc, which may fail in one process only, the result
     * might not be the same in all processes. */
    for (int from = 0; good && from < size; from += MANY) {
        int many = size - from < MANY ? size - from : MANY;
        for (int i = 0; i < many; i++)
            ranks[i] = from + i;
        good = REAL(MPI_Group_translate_ranks)(group, many, ranks, in, there) == MPI_SUCCESS;
        for (int i = 0; good && i < many; i++)
            good = there[i] != MPI_UNDEFINED;
    }
    return good;
}

int pithi_comm_is_in(MPI_Comm comm, MPI_Group in)
{
    MPI_Group group;
    int inter = 0, good;

    /* Both groups of an intercommunicator must be in `in`. */
    REAL(MPI_Comm_test_inter)(comm, &inter);
    if (REAL(MPI_Comm_group)(comm, &group) != MPI_SUCCESS)
        return 0;
    good = pithi_ranks_are_in(group, in);
    REAL(MPI_Group_free)(&group);
    if (!good || !inter)
        return good;
    if (REAL(MPI_Comm_remote_group)(comm, &group) != MPI_SUCCESS)
        return 0;
    good = pithi_ranks_are_in(group, in);
    REAL(MPI_Group_free)(&group);
    return good;
}

int pithi_neighbours(MPI_Comm comm, int rank, struct pithi_neighbours *found)
{
    int kind = MPI_UNDEFINED, weighted, dimensions = 0;

    *found = (struct pithi_neighbours){0};
    REAL(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_CART) {
        REAL(MPI_Cartdim_get)(comm, &dimensions);
        found->in = found->out = 2 * dimensions;
        /* `absent` has two bits for each dimension, first that of the lower neighbour. For example, the corner 0, 0 of
         * a grid of 3 x 3 has no lower neighbour in either dimension, so `absent` is binary 0101. */
        uint64_t absent = 0;

        for (int i = 0; i < dimensions && i < 32; i++) {
            int lower, upper;
            if (REAL(MPI_Cart_shift)(comm, i, 1, &lower, &upper) != MPI_SUCCESS)
                continue;
            absent |= (uint64_t)(lower == MPI_PROC_NULL) << 2 * i;
            absent |= (uint64_t)(upper == MPI_PROC_NULL) << (2 * i + 1);
        }
        found->absent = absent;
    } else if (kind == MPI_GRAPH) {
        REAL(MPI_Graph_neighbors_count)(comm, rank, &found->in);
        found->out = found->in;
    } else if (kind == MPI_DIST_GRAPH) {
        REAL(MPI_Dist_graph_neighbors_count)(comm, &found->in, &found->out, &weighted);
    }
    return kind != MPI_UNDEFINED;
}

int *pithi_neighbour_sources(MPI_Comm comm, int rank, int *count)
{
    struct pithi_neighbours found;
    int kind = MPI_UNDEFINED, all = 0, *sources;

    *count = 0;
    if (!pithi_neighbours(comm, rank, &found))
        return NULL;
    REAL(MPI_Topo_test)(comm, &kind);
    if (!(sources = calloc(2 * ((size_t)found.in + (size_t)found.out + 1), sizeof *sources)))
        return NULL;
    int *rest = sources + found.in; /* room for the sources' weights, the destinations and their weights */
    if (kind == MPI_CART)
        for (int i = 0; i < found.in / 2; i++)
            REAL(MPI_Cart_shift)(comm, i, 1, &sources[2 * i], &sources[2 * i + 1]);
    else if (kind == MPI_GRAPH)
        REAL(MPI_Graph_neighbors)(comm, rank, found.in, sources);
    else
        REAL(MPI_Dist_graph_neighbors)
    (comm, found.in, sources, rest, found.out, rest + found.in, rest + found.in + found.out);
    /* Removes each MPI_PROC_NULL. The last neighbour of the list takes its place, since the order of the list does not
     * matter. */
    for (all = found.in; *count < all;)
        if (sources[*count] == MPI_PROC_NULL)
            sources[*count] = sources[--all];
        else
            ++*count;
    return sources;
}

MPI_Comm pithi_own_comm(MPI_Group members)
{
    enum { TAG = 29573 };
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group world;
    int bad;
    if (REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    /* MPI_Comm_create is collective over MPI_COMM_WORLD. If some processes do not have this library, they do not make
     * the call, so MPI_Comm_create_group is used, which is collective only over `members`. */
    if (members == MPI_GROUP_NULL)
        bad = REAL(MPI_Comm_create)(MPI_COMM_WORLD, world, &comm);
    else
        bad = REAL(MPI_Comm_create_group)(MPI_COMM_WORLD, members, TAG, &comm);
    REAL(MPI_Group_free)(&world);
    if (bad || comm == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    REAL(MPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
    return comm;
}
