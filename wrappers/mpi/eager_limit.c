/* eager_limit.c - finds the eager limits of Open MPI (eager_limit.h). They matter only if Open MPI itself sends the
 * messages (its module pml ob1), because messages then make progress only inside MPI calls. For MPICH the limits stay
 * 0, because with MPICH 4.0 in shared memory the receiver fetches messages of any length without the sender (measured).
 *
 * The limits are control variables of MPI_T. MPI_T_init_thread would give access to them, but it first loads all
 * plug-ins, even unused ones, which took 20 ms of processor time and 200 ms of elapsed time in each process. So this
 * file calls Open MPI's internal functions on which MPI_T is built, which takes 30 us. Without these functions the
 * limits stay unknown.
 */
#include "eager_limit.h"

#include "real.h"

#include <mpi.h>
#include <string.h>

#ifdef OPEN_MPI
/* mca_base_var_find and mca_base_var_get_value; NULL: this Open MPI does not have them. */
struct variables {
    int (*find)(const char *project, const char *framework, const char *component, const char *variable);
    int (*get)(int index, const void *value, int *source, const char **file);
};

#ifdef PITHI_STATIC
#define MAYBE __attribute__((weak, visibility("default"))) extern
MAYBE int mca_base_var_find(const char *project, const char *framework, const char *component, const char *variable);
MAYBE int mca_base_var_get_value(int index, const void *value, int *source, const char **file);

MAYBE void *const mca_smsc;

static struct variables find_variables(void) { return (struct variables){mca_base_var_find, mca_base_var_get_value}; }
static void *const *find_reader(void) { return &mca_smsc; }
#else
static void *const *find_reader(void) { return pithi_real_symbol("mca_smsc"); }

static struct variables find_variables(void)
{
    void *find = pithi_real_symbol("mca_base_var_find"), *get = pithi_real_symbol("mca_base_var_get_value");
    struct variables variables;

    memcpy(&variables.find, &find, sizeof find);
    memcpy(&variables.get, &get, sizeof get);
    return variables;
}
#endif

/* Returns the address of a control variable; NULL if the variable's plug-in is not in use. */
static const void *variable(const char *project, const char *framework, const char *component, const char *name)
{
    const struct variables variables = find_variables();
    const void *value = NULL;
    int index = variables.find && variables.get ? variables.find(project, framework, component, name) : -1;

    return index >= 0 && variables.get(index, &value, NULL, NULL) == 0 ? value : NULL;
}

/* Returns the eager limit of a transport, as a number of the program's bytes; 0 if it is unknown. Open MPI's own limit
 * also counts Open MPI's header, which has 56 bytes in Open MPI 4.1 and 80 in 5.0 (measured). */
static size_t limit_of(const char *transport)
{
    enum { HEADER = OMPI_MAJOR_VERSION >= 5 ? 80 : 56 }; /* bytes */
    const size_t *limit = variable("opal", "btl", transport, "eager_limit");

    return limit && *limit > HEADER ? *limit - HEADER : 0;
}

/* Returns the limit on the same host; 0 if there is none or it is unknown. If a process may read the memory of another
 * one (CMA), the receiver fetches long messages without the sender, and there is no limit. In Open MPI 4 the transport
 * vader reads the memory itself. In Open MPI 5 the transport is called sm, and the module mca_smsc reads the memory;
 * the pointer to this module is NULL if none is in use. */
static size_t same_host_limit(void)
{
    enum { EMULATED = 4, NONE = 3 }; /* values of single_copy_mechanism */
    const int *copies = variable("opal", "btl", "vader", "single_copy_mechanism");
    void *const *reader = find_reader();

    if (copies)
        return *copies == NONE || *copies == EMULATED ? limit_of("vader") : 0;
    return reader && !*reader ? limit_of("sm") : 0;
}

/* Returns the limit of TCP; 0 if a faster network is in use. */
static size_t network_limit(void)
{
    static const char *const better[] = {"openib", "uct", "ofi", "usnic", "ugni", "portals4"};

    for (size_t i = 0; i < sizeof better / sizeof better[0]; i++)
        if (limit_of(better[i]))
            return 0;
    return limit_of("tcp");
}

void pithi_eager_find(struct pithi_eager_limits *limits)
{
    int is_its_own = variable("ompi", "pml", "ob1", "priority") != NULL;

    limits->same_host = is_its_own ? same_host_limit() : 0;
    limits->network = is_its_own ? network_limit() : 0;
}
#else
void pithi_eager_find(struct pithi_eager_limits *limits) { *limits = (struct pithi_eager_limits){0, 0}; }
#endif
