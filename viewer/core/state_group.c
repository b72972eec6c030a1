/* state_group.c - groups of states by their names, for logs that tell none; see state_group.h. */
#include "core/state_group.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

/* The first row that fits the name without its MPI_, in small letters, decides. The groups are those that the MPI
 * wrappers write into logs. */
static const struct {
    const char *pattern, *group;
} rows[] = {
    {"file_*", "MPI file"},
    {"register_datarep*", "MPI file"},
    {"win_*", "MPI one-sided"},
    {"*put", "MPI one-sided"},
    {"get", "MPI one-sided"},
    {"rget", "MPI one-sided"},
    {"*accumulate", "MPI one-sided"},
    {"fetch_and_op", "MPI one-sided"},
    {"compare_and_swap", "MPI one-sided"},
    {"comm_*", "MPI communicator"},
    {"intercomm_*", "MPI communicator"},
    {"cart*", "MPI communicator"},
    {"*graph*", "MPI communicator"},
    {"dims_create", "MPI communicator"},
    {"topo_test", "MPI communicator"},
    {"group_*", "MPI group"},
    {"type_*", "MPI datatype"},
    {"*pack*", "MPI datatype"},
    {"t_*", "MPI tools"},
    {"wait*", "MPI wait"},
    {"test*", "MPI wait"},
    {"*send*", "MPI point-to-point"},
    {"*recv*", "MPI point-to-point"},
    {"*probe", "MPI point-to-point"},
    {"start*", "MPI point-to-point"},
    {"request_*", "MPI point-to-point"},
    {"cancel", "MPI point-to-point"},
    {"op_*", "MPI environment"},
    {"reduce_local", "MPI environment"},
    {"*barrier*", "MPI collective"},
    {"*bcast*", "MPI collective"},
    {"*reduce*", "MPI collective"},
    {"*gather*", "MPI collective"},
    {"*scatter*", "MPI collective"},
    {"*alltoall*", "MPI collective"},
    {"*scan*", "MPI collective"},
    {"*", "MPI environment"},
};

/* The name without "MPI_" or "PMPI_", in small letters; "" if it is no function of MPI. */
static const char *mpi_name(const char *name, char *small, size_t size)
{
    size_t i = 0, skip = strncasecmp(name, "PMPI_", 5) == 0 ? 5 : strncasecmp(name, "MPI_", 4) == 0 ? 4 : strlen(name);

    for (name += skip; *name && i + 1 < size; name++)
        small[i++] = (char)tolower((unsigned char)*name);
    small[i] = 0;
    return small;
}

/* Readers of formats that give names only say as little as this. */
static int says_nothing(const char *group)
{
    return !*group || strcmp(group, "MPI") == 0 || strcmp(group, "user") == 0;
}

const char *pithi_state_group(const struct pithlog_def *def)
{
    char small[64];
    int i = 0;

    if (!says_nothing(def->group))
        return def->group;
    if (!*mpi_name(def->name, small, sizeof small))
        return *def->group ? def->group : "user";
    while (fnmatch(rows[i].pattern, small, 0) != 0)
        i++;
    return rows[i].group;
}
