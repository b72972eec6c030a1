/* coll_rules.c - the table of rules. C and C++ names of a function share a row. */
#include "analysis/coll_rules.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct row {
    const char *call;
    struct pithi_coll_rule rule;
} rows[] = {
    {"Barrier", {PITHI_COLL_ALL, PITHI_COLL_BARE}},
    {"Allreduce", {PITHI_COLL_ALL, 0}},
    {"Allgather", {PITHI_COLL_ALL, 0}},
    {"Allgatherv", {PITHI_COLL_ALL, 0}},
    {"Alltoall", {PITHI_COLL_ALL, 0}},
    {"Alltoallv", {PITHI_COLL_ALL, PITHI_COLL_LOOSE}},
    {"Alltoallw", {PITHI_COLL_ALL, PITHI_COLL_LOOSE}},
    {"Reduce_scatter", {PITHI_COLL_ALL, 0}},
    {"Reduce_scatter_block", {PITHI_COLL_ALL, 0}},
    {"Bcast", {PITHI_COLL_FROM, 0}},
    {"Scatter", {PITHI_COLL_FROM, 0}},
    {"Scatterv", {PITHI_COLL_FROM, 0}},
    {"Reduce", {PITHI_COLL_TO, 0}},
    {"Gather", {PITHI_COLL_TO, 0}},
    {"Gatherv", {PITHI_COLL_TO, 0}},
    {"Scan", {PITHI_COLL_LOWER, 0}},
    {"Exscan", {PITHI_COLL_LOWER, 0}},
    {"Neighbor_allgather", {PITHI_COLL_NEIGHBOURS, 0}},
    {"Neighbor_allgatherv", {PITHI_COLL_NEIGHBOURS, 0}},
    {"Neighbor_alltoall", {PITHI_COLL_NEIGHBOURS, 0}},
    {"Neighbor_alltoallv", {PITHI_COLL_NEIGHBOURS, PITHI_COLL_LOOSE}},
    {"Neighbor_alltoallw", {PITHI_COLL_NEIGHBOURS, PITHI_COLL_LOOSE}},
    /* Windows and communicators: in MPICH and Open MPI, all members wait for all in most calls. MPI demands this only
     * of fences that end an epoch. */
    {"Win_fence", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Win_create", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Win_create_dynamic", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Win_allocate", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Win_allocate_shared", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Win_free", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_dup", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_dup_with_info", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_split", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_split_type", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_create", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Cart_create", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Cart_sub", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Graph_create", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Dist_graph_create", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Dist_graph_create_adjacent", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_free", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_disconnect", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"Comm_idup", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_STARTS}},
    {"Comm_idup_with_info", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_STARTS}},
    {"Comm_create_group", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_AFTER}},
    {"Intercomm_create", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_AFTER}},
    {"Intercomm_create_from_groups", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_AFTER}},
    {"Intercomm_merge", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_AFTER}},
    /* Files: MPI does not demand that members wait. With collective buffering, all members wait for all. */
    {"File_open", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_close", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_set_size", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_preallocate", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_set_view", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_sync", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_set_atomicity", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_seek_shared", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_at_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_at_all_begin", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_at_all_end", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_all_begin", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_all_end", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_ordered", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_ordered_begin", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_read_ordered_end", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_at_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_at_all_begin", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_at_all_end", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_all_begin", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_all_end", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_ordered", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_ordered_begin", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_write_ordered_end", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT}},
    {"File_iread_at_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_STARTS}},
    {"File_iread_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_STARTS}},
    {"File_iwrite_at_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_STARTS}},
    {"File_iwrite_all", {PITHI_COLL_ALL, PITHI_COLL_MAY_WAIT | PITHI_COLL_STARTS}},
};

const char *pithi_mpi_call(const char *name, size_t *length)
{
    const char *call = NULL;
    if (strncmp(name, "MPI_", 4) == 0)
        call = name + 4;
    else if (strncmp(name, "MPI::", 5) == 0)
        call = strrchr(name, ':') + 1;
    *length = call ? strlen(call) : 0;
    if (*length > 2 && strcmp(call + *length - 2, "_c") == 0)
        *length -= 2;
    return call;
}

/* Returns the row of a call. `prefix`: the part of the C name that the C++ name lacks, "Win_" for MPI::Win::Fence; ""
 * for a C name. */
static const struct row *find(const char *prefix, const char *call, size_t length)
{
    size_t skip = strlen(prefix);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(rows[i].call, prefix, skip) == 0 && strlen(rows[i].call) == skip + length &&
            strncasecmp(rows[i].call + skip, call, length) == 0)
            return &rows[i];
    return NULL;
}

struct pithi_coll_rule pithi_coll_rule(const char *name)
{
    struct pithi_coll_rule rule = {PITHI_COLL_NONE, 0};
    size_t length;
    const char *call = pithi_mpi_call(name, &length), *prefix = strncmp(name, "MPI::Win::", 10) == 0    ? "Win_"
                                                                : strncmp(name, "MPI::File::", 11) == 0 ? "File_"
                                                                                                        : "";
    const struct row *row;
    if (length < 2)
        return rule;
    if ((row = find(prefix, call, length)) != NULL)
        return row->rule;
    if (length > 5 && strncmp(call + length - 5, "_init", 5) == 0 && (row = find(prefix, call, length - 5)) != NULL) {
        rule = row->rule;
        rule.flags |= PITHI_COLL_STARTS | PITHI_COLL_KEEPS;
        return rule;
    }
    if (call[0] == 'I' && (row = find(prefix, call + 1, length - 1)) != NULL) {
        rule = row->rule;
        rule.flags |= PITHI_COLL_STARTS;
    }
    return rule;
}
