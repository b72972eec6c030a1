/* arguments.c - states the arguments of calls that make communicators, topologies, windows and files (check.h). */
#include "facts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pithi_team *team(void) { return pithi_check_now()->team; }

/* Returns a number as the signature of a part (facts.h). So a number that two processes must state alike can be
 * compared like data that one of them gives to the other. `text`: "=" and the name of the number, or a text with %lld
 * (see pithi_signature_print). */
static struct pithi_signature as_data(int64_t value, const char *text)
{
    /* Bit 62 distinguishes the number from hashes of data, which are below 2^61. */
    return (struct pithi_signature){(uint64_t)value | UINT64_C(1) << 62, 1, value, text};
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

/* Checks the argument `group` of a call. The processes may name different groups, but all members of a group must name
 * this group. So the first member gives a hash of its group to the other members. */
void pithi_check_group(MPI_Comm comm, MPI_Group group)
{
    int count = 0, self = 0;
    uint64_t hash = 0;

    if (!team() || team()->entry->remote_size)
        return;
    /* The hash is of the members' ranks in the communicator. */
    int *ranks = group == MPI_GROUP_NULL ? NULL : pithi_team_places(group, comm, &count);
    for (int i = 0; ranks && i < count; i++) {
        hash = hash * 31 + (uint64_t)(uint32_t)ranks[i] + 1;
        self |= ranks[i] == team()->entry->rank;
    }
    hash &= (UINT64_C(1) << 62) - 1;
    /* Only members compare the hash, because a process outside the group may name another group or no group. */
    if (ranks && self && ranks[0] == team()->entry->rank)
        for (int i = 1; i < count; i++)
            pithi_part_give(pithi_team_local(team(), ranks[i]), as_data((int64_t)hash, "=group"));
    else if (ranks && self)
        pithi_part_get(pithi_team_local(team(), ranks[0]), as_data((int64_t)hash, "=group"));
    free(ranks);
}

/* Checks the argument `high` of MPI_Intercomm_merge: all processes of one group must state the same value. */
void pithi_check_merge(int high)
{
    const struct pithi_team *of = team();

    if (!of || !of->entry->remote_size)
        return;
    /* The value is compared only within this process's group, because the other group may state another value. */
    struct pithi_signature said = as_data(high != 0, "=high");
    if (of->entry->rank == 0)
        for (int i = 1; i < of->entry->size; i++)
            pithi_part_give(pithi_team_local(of, i), said);
    else
        pithi_part_get(pithi_team_local(of, 0), said);
}

void pithi_check_cart_sub(MPI_Comm comm, const int *remain)
{
    int kind = MPI_UNDEFINED, dimensions = 0;

    if (!team() || REAL(MPI_Topo_test)(comm, &kind) != MPI_SUCCESS || kind != MPI_CART)
        return;
    REAL(MPI_Cartdim_get)(comm, &dimensions);
    pithi_check_truths("remain_dims", dimensions, remain);
}

void pithi_check_graph(int nodes, const int *index, const int *edges, int reorder)
{
    pithi_check_number("nnodes", nodes);
    pithi_check_numbers("index", nodes, index);
    if (nodes > 0)
        pithi_check_numbers("edges", index[nodes - 1], edges);
    pithi_check_truth("reorder", reorder);
}

#ifdef MPI_UNWEIGHTED
static const int *unweighted(void) { return MPI_UNWEIGHTED; }
#else /* in MPICH, MPI_UNWEIGHTED is a variable, which is looked up as real.h looks up functions */
static const int *unweighted(void)
{
    static void *slot;
    int *const *found = pithi_real_data(&slot, "MPI_UNWEIGHTED");

    return found ? *found : NULL;
}
#endif

static struct pithi_signature edge(const int *weights, int i)
{
    if (weights == unweighted())
        /* This number does not fit into an int, so an edge without a weight differs from all edges with weights. */
        return as_data(INT64_C(1) << 40, "an edge without a weight");
    return as_data(weights[i], "an edge of weight %lld");
}

void pithi_check_adjacent(int in, const int *sources, const int *in_weights, int out, const int *destinations,
                          const int *out_weights, int reorder)
{
    if (!team())
        return;
    pithi_check_truth("reorder", reorder);
    /* Each edge is stated twice: by the process where it begins and by the process where it ends. */
    for (int i = 0; i < out; i++)
        if (destinations[i] >= 0)
            pithi_part_give(pithi_team_local(team(), destinations[i]), edge(out_weights, i));
    for (int i = 0; i < in; i++)
        if (sources[i] >= 0)
            pithi_part_get(pithi_team_local(team(), sources[i]), edge(in_weights, i));
}

/* ---- files and windows ------------------------------------------------------------------------------------------- */

static const char *mode_text(int mode)
{
    static const struct {
        int flag;
        const char *name;
    } flags[] = {{MPI_MODE_CREATE, "CREATE"},
                 {MPI_MODE_RDONLY, "RDONLY"},
                 {MPI_MODE_WRONLY, "WRONLY"},
                 {MPI_MODE_RDWR, "RDWR"},
                 {MPI_MODE_EXCL, "EXCL"},
                 {MPI_MODE_DELETE_ON_CLOSE, "DELETE_ON_CLOSE"},
                 {MPI_MODE_APPEND, "APPEND"},
                 {MPI_MODE_SEQUENTIAL, "SEQUENTIAL"},
                 {MPI_MODE_UNIQUE_OPEN, "UNIQUE_OPEN"}};
    static __thread char text[128];

    *text = 0;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (mode & flags[i].flag) {
            strcat(text, *text ? "|" : "");
            strcat(text, flags[i].name);
        }
    return text;
}

/* Returns the real path of a file, because two names may denote one file. If the file does not exist yet, the real path
 * consists of the folder's real path and the file's name. */
static const char *real_name(const char *name)
{
    static __thread char text[PATH_MAX + 256];
    char folder[PATH_MAX], found[PATH_MAX];
    /* the name may begin with the kind of file system, as in "ufs:name" */
    const char *colon = strchr(name, ':'), *plain = colon && colon - name > 1 ? colon + 1 : name;
    const char *slash = strrchr(plain, '/');

    if (realpath(plain, text))
        return text;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - plain) + 1 : 1, slash ? plain : ".");
    if (!realpath(folder, found))
        return name;
    snprintf(text, sizeof text, "%s/%.255s", strcmp(found, "/") ? found : "", slash ? slash + 1 : plain);
    return text;
}

void pithi_check_open(const char *name, int mode)
{
    if (!team())
        return;
    pithi_check_text("amode", mode_text(mode));
    pithi_check_text("filename", real_name(name));
}

void pithi_check_view(MPI_Datatype element, const char *representation)
{
    MPI_Aint low = 0, extent = 0;

    if (!team())
        return;
    if (element != MPI_DATATYPE_NULL)
        REAL(MPI_Type_get_extent)(element, &low, &extent);
    /* The processes may pass different etypes, but these must have the same extent. */
    pithi_check_number("the extent of etype", extent);
    pithi_check_text("datarep", representation);
}

/* Checks two assertions of MPI_Win_fence. If a process gives one of them, all processes must give it. */
void pithi_check_fence(int hints)
{
    pithi_check_text("MPI_MODE_NOPRECEDE in assert", hints & MPI_MODE_NOPRECEDE ? "given" : "not given");
    pithi_check_text("MPI_MODE_NOSUCCEED in assert", hints & MPI_MODE_NOSUCCEED ? "given" : "not given");
}
