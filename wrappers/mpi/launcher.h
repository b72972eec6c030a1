/* launcher.h - what mpirun tells a process before MPI is up. */
#ifndef PITHI_LAUNCHER_H
#define PITHI_LAUNCHER_H

#include <stdlib.h>

/* This process's rank by the launcher's word; `otherwise` without one. */
static inline int pithi_launcher_rank(int otherwise)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return atoi(value);
    }
    return otherwise;
}

#endif
