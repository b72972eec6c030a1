/* launcher.h - reads the environment variables in which launchers of MPI jobs give a process its rank, for code that
 * needs the rank before MPI is initialized. Test: test/mpi/test_launchers.sh. Manual page: pith-launchers(7). */
#ifndef PITHI_LAUNCHER_H
#define PITHI_LAUNCHER_H

#include <stdlib.h>
#include <string.h>

/* The variables in which launchers give a process its rank; the first that is set counts. Flux and Cray's PALS set
 * PMI_RANK, too. SLURM_PROCID is last, because Slurm sets it for a batch script, and all processes that an mpiexec in
 * the script starts inherit it. */
#define PITHI_RANK_VARIABLES "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"
/* The variables in which launchers give a process its number among the processes on its machine. */
#define PITHI_LOCAL_RANK_VARIABLES                                                                                     \
    "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID"

/* Returns the first of `variables` that is set, and sets *value to its value. Returns NULL if none is set. `variables`
 * ends with NULL. */
static inline const char *pithi_launcher_variable(const char *const *variables, const char **value)
{
    for (; *variables; variables++)
        if ((*value = secure_getenv(*variables)) && **value)
            return *variables;
    return NULL;
}

/* Returns this process's rank according to the launcher, or `otherwise` if the launcher gives none. */
static inline int pithi_launcher_rank(int otherwise)
{
    static const char *const variables[] = {PITHI_RANK_VARIABLES, NULL};
    const char *value;
    return pithi_launcher_variable(variables, &value) ? atoi(value) : otherwise;
}

/* Returns 1 if PITH_QUIET is set and not "0", which suppresses lines that only inform. */
static inline int pithi_is_quiet(void)
{
    const char *value = secure_getenv("PITH_QUIET");
    return value && *value && strcmp(value, "0") != 0;
}

#endif
