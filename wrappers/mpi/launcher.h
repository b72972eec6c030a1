/* launcher.h - facts from the environment that a process needs before MPI is initialized. */
#ifndef PITHI_LAUNCHER_H
#define PITHI_LAUNCHER_H

#include <stdlib.h>
#include <string.h>

/* The variables in which launchers give a process its rank; the first that is set counts. */
enum { PITHI_RANK_VARIABLES = 4 };
static const char *const pithi_rank_variables[PITHI_RANK_VARIABLES] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                                                       "SLURM_PROCID"};

/* This process's rank according to the launcher; `otherwise` if the launcher gives none. */
static inline int pithi_launcher_rank(int otherwise)
{
    for (int i = 0; i < PITHI_RANK_VARIABLES; i++) {
        const char *value = secure_getenv(pithi_rank_variables[i]);
        if (value && *value)
            return atoi(value);
    }
    return otherwise;
}

/* 1: PITH_QUIET suppresses lines that only inform. */
static inline int pithi_is_quiet(void)
{
    const char *value = secure_getenv("PITH_QUIET");
    return value && *value && strcmp(value, "0") != 0;
}

#endif
