/* host_clocks.h - the clocks of a job's machines: who has which, and how far they are from each other.
 *
 * Processes with the same boot id share a clock. Clocks are numbered by their lowest rank, its leader; number 0 is rank
 * 0's, the reference (formats/spill/clock_sync.h says what is made of it all). With one machine nothing is sent. */
#ifndef PITHI_HOST_CLOCKS_H
#define PITHI_HOST_CLOCKS_H

#include "native/segment.h"
#include "pith_tool.h"

/* Collective, once. `same`: this process has rank 0's boot id. 0; -1: the transport failed. */
int pithi_host_clocks_join(const struct pith_transport *transport, int same);

/* Collective, and not under the guard: a sync point for each clock, kept in the spill files of the processes that have
 * one (`keep`). 0; -1: the transport failed. */
int pithi_host_clocks_sync(const struct pith_transport *transport, int keep);

/* What the reference's clock shows when this process's shows local_ns, as far as is known; -1: it is not. */
int pithi_host_clocks_ns(int64_t local_ns, int64_t *reference_ns);

/* What to add to this process's clock for the reference's, at about local_ns; 0 where they are the same. Any thread,
 * any time (while clocks are compared: perhaps the old drift with the new offset). 0; -1: it is not known. */
int pithi_host_clocks_offset(int64_t local_ns, int64_t *offset_ns);

/* 1: the job has more than one clock; the same answer in all its processes. */
int pithi_host_clocks_several(void);

/* The number of this process's clock; UINT32_MAX: not known. */
uint32_t pithi_host_clocks_own(void);

/* In rank 0: the properties that tell of the clocks (SPEC.md). `shift_ns`: from the reference's clock to log time. */
int pithi_host_clocks_tell(struct pithi_defs *defs, int64_t shift_ns);

#endif
