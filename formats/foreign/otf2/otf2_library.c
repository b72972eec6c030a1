/* otf2_library.c - loads libotf2, keeps its errors, and maps the names of MPI's collectives to OTF2's.
 *
 * libotf2 is loaded when the first archive is read or written. If it is not installed, all other formats work, and the
 * error says what to install. If libotf2 were linked instead, no command of Pith would start without it.
 *
 * libotf2 reports errors by a callback, and most of its functions return only a code. The first message of a call is
 * kept, because it says the cause. A second message such as "reader is not open" only follows from the first one, "no
 * such file". */
#include "foreign/otf2/otf2_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "foreign/names.h"

static const struct pithi_otf2 *shared; /* never unloaded */
static OTF2_ErrorCallback callback_before;

/* The first error message of libotf2 on this thread since pithi_otf2_begin. */
static _Thread_local char said[200];
static _Thread_local int inside; /* 1: between pithi_otf2_begin and pithi_otf2_end */

/* For each function of libotf2: its name, and the offset of its address in struct pithi_otf2. Table and struct are made
 * from the same lists, so that they agree. */
static const struct {
    const char *name;
    size_t offset;
} list[] = {
#define ROW(name) {"OTF2_" #name, offsetof(struct pithi_otf2, name)},
    ROW(Error_RegisterCallback) ROW(Error_GetDescription) PITHI_OTF2_READING(ROW) PITHI_OTF2_WRITING(ROW)
#undef ROW
#define ROW(name)                                                                                                      \
    {"OTF2_GlobalDefReaderCallbacks_Set" #name "Callback",                                                             \
     offsetof(struct pithi_otf2, GlobalDefReaderCallbacks_Set##name##Callback)},
        PITHI_OTF2_GLOBAL_DEFS(ROW)
#undef ROW
#define ROW(name)                                                                                                      \
    {"OTF2_GlobalEvtReaderCallbacks_Set" #name "Callback",                                                             \
     offsetof(struct pithi_otf2, GlobalEvtReaderCallbacks_Set##name##Callback)},
            PITHI_OTF2_EVENTS(ROW)
#undef ROW
};

/* The program that uses Pith may use libotf2, too: errors outside Pith's calls go to the callback that was set
 * before. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list values)
{
    if (!inside && callback_before)
        return callback_before(data, file, line, function, code, format, values);
    if (!inside)
        fprintf(stderr, "OTF2: %s:%llu: %s: %s\n", file, (unsigned long long)line, function,
                shared->Error_GetDescription(code));
    else if (!*said) /* only the first message: later messages follow from it */
    {
        int size = snprintf(said, sizeof said, "%s", shared->Error_GetDescription(code));

        if (format && *format && size >= 0 && (size_t)size + 2 < sizeof said) {
            memcpy(said + size, ": ", 3);
            vsnprintf(said + size + 2, sizeof said - (size_t)size - 2, format, values);
        }
    }
    return code;
}

/* Loads the library. It stays loaded, because other code in this process may hold pointers into it. If several threads
 * load it at once, all use the table of the first thread. */
static int load(const char *path)
{
    void *handle = dlopen(PITHI_OTF2_SONAME, RTLD_NOW | RTLD_LOCAL);
    const struct pithi_otf2 *before = NULL;
    struct pithi_otf2 *functions;
    int err;

    if (!handle)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: OTF2 needs the library %s, which is not here; install libotf2",
                          path, PITHI_OTF2_SONAME);
    if (!(functions = malloc(sizeof *functions)))
        return pithi_no_memory();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        void *function = dlsym(handle, list[i].name);
        if (!function)
            TRY(pithi_fail(PITH_ERR_UNSUPPORTED, "%s: %s has no %s; install libotf2 3.0 or later", path,
                           PITHI_OTF2_SONAME, list[i].name));
        /* ISO C does not allow a cast between pointers to functions and to data, so the pointer is copied */
        memcpy((char *)functions + list[i].offset, &function, sizeof function);
    }
    /* If another thread was first, its table is used, and this table is freed. */
    if (__atomic_compare_exchange_n(&shared, &before, functions, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        callback_before = functions->Error_RegisterCallback(on_error, NULL);
        return PITH_OK;
    }
out:
    free(functions);
    return err;
}

int pithi_otf2_begin(const char *path, const struct pithi_otf2 **otf2)
{
    if (!__atomic_load_n(&shared, __ATOMIC_ACQUIRE))
        CHECK(load(path));
    *otf2 = shared;
    *said = 0;
    inside = 1;
    return PITH_OK;
}

void pithi_otf2_end(void) { inside = 0; }

int pithi_otf2_complained(void) { return *said != 0; }

int pithi_otf2_fail(int err, const char *path, const char *what, OTF2_ErrorCode code)
{
    /* prefers the message that libotf2 reported, because it says more than the text for an error code */
    const char *cause = *said ? said : code != OTF2_SUCCESS ? shared->Error_GetDescription(code) : "no reason given";

    return pithi_fail(err, "%s: %s; libotf2: %s", path, what, cause);
}

#define OP(name) OTF2_COLLECTIVE_OP_##name
#define ROLE(name) OTF2_REGION_ROLE_##name

/* The collectives of MPI, by the part of their names after "MPI_" or "MPI_I". Upper and lower case are the same. */
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

/* Returns the row of `name` in the table of collectives, or -1 if it has none. */
static int collective(const char *name)
{
    if (strncasecmp(name, "MPI_", 4) != 0)
        return -1;
    name += 4;
    for (int turn = 0; turn < 2; turn++, name++) { /* second turn: without the I of MPI_Ibcast */
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

    if (paradigm == OTF2_PARADIGM_MPI || strncmp(name, "MPI_", 4) == 0) {
        /* For functions of MPI, the group that follows from the name is better than the role that a tool wrote. */
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
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].paradigm == paradigm)
            return known[i].group;
    return role == ROLE(FILE_IO) || role == ROLE(FILE_IO_METADATA) ? "I/O" : "user";
}
