/* cost_probes.h - what the wrappers spend on a call and on the records of messages, measured at the end of the job. */
#ifndef PITHI_COST_PROBES_H
#define PITHI_COST_PROBES_H

/* Before pith_job_finish, while MPI is up. Nothing of it is recorded. */
void pithi_cost_probes(void);

#endif
