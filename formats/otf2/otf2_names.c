/* otf2_names.c - see otf2_names.h. */
#include "otf2/otf2_names.h"

#include <string.h>
#include <strings.h>

#include "foreign/names.h"

#define OP(name) OTF2_COLLECTIVE_OP_##name
#define ROLE(name) OTF2_REGION_ROLE_##name

/* After "MPI_", or "MPI_I", in letters of any case. */
static const struct {
    const char *name;
    int operation;
    OTF2_RegionRole role;
} collectives[] = {{"Barrier", OP(BARRIER), ROLE(BARRIER)},
                   {"Bcast", OP(BCAST), ROLE(COLL_ONE2ALL)},
                   {"Gather", OP(GATHER), ROLE(COLL_ALL2ONE)},
                   {"Gatherv", OP(GATHERV), ROLE(COLL_ALL2ONE)},
                   {"Scatter", OP(SCATTER), ROLE(COLL_ONE2ALL)},
                   {"Scatterv", OP(SCATTERV), ROLE(COLL_ONE2ALL)},
                   {"Allgather", OP(ALLGATHER), ROLE(COLL_ALL2ALL)},
                   {"Allgatherv", OP(ALLGATHERV), ROLE(COLL_ALL2ALL)},
                   {"Alltoall", OP(ALLTOALL), ROLE(COLL_ALL2ALL)},
                   {"Alltoallv", OP(ALLTOALLV), ROLE(COLL_ALL2ALL)},
                   {"Alltoallw", OP(ALLTOALLW), ROLE(COLL_ALL2ALL)},
                   {"Allreduce", OP(ALLREDUCE), ROLE(COLL_ALL2ALL)},
                   {"Reduce", OP(REDUCE), ROLE(COLL_ALL2ONE)},
                   {"Reduce_scatter", OP(REDUCE_SCATTER), ROLE(COLL_OTHER)},
                   {"Reduce_scatter_block", OP(REDUCE_SCATTER_BLOCK), ROLE(COLL_OTHER)},
                   {"Scan", OP(SCAN), ROLE(COLL_OTHER)},
                   {"Exscan", OP(EXSCAN), ROLE(COLL_OTHER)},
                   {"Comm_create", OP(CREATE_HANDLE), ROLE(COLL_OTHER)},
                   {"Comm_dup", OP(CREATE_HANDLE), ROLE(COLL_OTHER)},
                   {"Comm_split", OP(CREATE_HANDLE), ROLE(COLL_OTHER)},
                   {"Comm_free", OP(DESTROY_HANDLE), ROLE(COLL_OTHER)}};

/* The row of a name; -1: none. */
static int collective(const char *name)
{
    if (strncasecmp(name, "MPI_", 4) != 0)
        return -1;
    name += 4;
    for (int turn = 0; turn < 2; turn++, name++) {
        for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
            if (strcasecmp(name, collectives[i].name) == 0)
                return (int)i;
        if (*name != 'I' && *name != 'i')
            break;
    }
    return -1;
}

int pithi_otf2_operation(const char *name)
{
    int row = collective(name);
    return row < 0 ? -1 : collectives[row].operation;
}

OTF2_RegionRole pithi_otf2_role(const char *name, const char *group)
{
    int row = collective(name);
    if (row >= 0)
        return collectives[row].role;
    if (strcmp(group, "MPI point-to-point") == 0 || strcmp(pithi_name_group(name), "MPI point-to-point") == 0)
        return ROLE(POINT2POINT);
    return strcmp(group, "MPI collective") == 0 ? ROLE(COLL_OTHER) : ROLE(FUNCTION);
}

OTF2_Paradigm pithi_otf2_paradigm(const char *name, const char *group)
{
    return strncmp(group, "MPI", 3) == 0 || strncmp(name, "MPI_", 4) == 0 ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER;
}

static const char *mpi_group(const char *name, OTF2_RegionRole role)
{
    const char *by_name = pithi_name_group(name);

    if (strcmp(by_name, "MPI collective") == 0 || strcmp(by_name, "MPI point-to-point") == 0)
        return by_name;
    switch (role) {
    case ROLE(BARRIER):
    case ROLE(COLL_ONE2ALL):
    case ROLE(COLL_ALL2ONE):
    case ROLE(COLL_ALL2ALL):
    case ROLE(COLL_OTHER):
        return "MPI collective";
    case ROLE(POINT2POINT):
        return "MPI point-to-point";
    default:
        return "MPI";
    }
}

const char *pithi_otf2_group(const char *name, OTF2_Paradigm paradigm, OTF2_RegionRole role)
{
    static const struct {
        OTF2_Paradigm paradigm;
        const char *group;
    } known[] = {{OTF2_PARADIGM_OPENMP, "OpenMP"},   {OTF2_PARADIGM_CUDA, "CUDA"},
                 {OTF2_PARADIGM_HIP, "HIP"},         {OTF2_PARADIGM_OPENACC, "OpenACC"},
                 {OTF2_PARADIGM_OPENCL, "OpenCL"},   {OTF2_PARADIGM_KOKKOS, "Kokkos"},
                 {OTF2_PARADIGM_PTHREAD, "threads"}, {OTF2_PARADIGM_SHMEM, "SHMEM"},
                 {OTF2_PARADIGM_GASPI, "GASPI"},     {OTF2_PARADIGM_MEASUREMENT_SYSTEM, "measurement"}};

    if (paradigm == OTF2_PARADIGM_MPI || strncmp(name, "MPI_", 4) == 0)
        return mpi_group(name, role);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].paradigm == paradigm)
            return known[i].group;
    return role == ROLE(FILE_IO) || role == ROLE(FILE_IO_METADATA) ? "I/O" : "user";
}
