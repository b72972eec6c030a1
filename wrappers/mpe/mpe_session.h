/* mpe_session.h - whether a log is under way. */
#ifndef PITHI_MPE_SESSION_H
#define PITHI_MPE_SESSION_H

enum { PITHI_MPE_NONE, PITHI_MPE_RUNNING, PITHI_MPE_FINISHED }; /* as MPE_Initialized_logging tells it */

extern int pithi_mpe_state; /* read atomically */

static inline int pithi_mpe_running(void)
{
    return __atomic_load_n(&pithi_mpe_state, __ATOMIC_RELAXED) == PITHI_MPE_RUNNING;
}

/* Logs begun so far: what was defined for an older one is not in the newer. */
extern unsigned pithi_mpe_number;

/* The ranks of the job. */
extern int pithi_mpe_ranks;

#endif
