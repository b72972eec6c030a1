/* host_clocks.h - the clocks of a job's machines: who has which, and how far they are from each other.
 *
 * Processes with the same boot id share a clock. Clocks are numbered by their lowest rank, its leader; number 0 is rank
 * 0's, the reference (formats/spill/clock_sync.h says what is made of it all). With one machine nothing is sent.
 *
 * Must know nothing of sessions and logs: libraries without a log have it, too (pith_clocks_compare). clock_facts.h is
 * what a log has of it. */
#ifndef PITHI_HOST_CLOCKS_H
#define PITHI_HOST_CLOCKS_H

#include "pith_tool.h"
#include "spill/spill.h"

/* Collective, once. `same`: this process has rank 0's boot id. 0; -1: the transport failed. */
int pithi_host_clocks_join(const struct pith_transport *transport, int same);

/* Collective, and not under the guard: a sync point for each clock. 0; -1: the transport failed. */
int pithi_host_clocks_sync(const struct pith_transport *transport);

/* What the reference's clock shows when this process's shows local_ns, as far as is known; -1: it is not. */
int pithi_host_clocks_ns(int64_t local_ns, int64_t *reference_ns);

/* 1: the job has more than one clock; the same answer in all its processes. */
int pithi_host_clocks_several(void);

/* The number of this process's clock; UINT32_MAX: not known. */
uint32_t pithi_host_clocks_own(void);

/* Its newest point; NULL: it has none. */
const struct pithi_sync *pithi_host_clocks_point(void);

/* In rank 0: how many there are (0: one that all share), and what is remembered of each from 1 on. */
uint32_t pithi_host_clocks_count(void);
struct pithi_clock_history {
    int32_t leader;
    const struct pithi_sync *points; /* `rounds` of them, each `step` places behind the one before */
    uint32_t rounds;
    size_t step;
    int64_t worst_ns; /* longest round trip used; -1: none was had */
};
struct pithi_clock_history pithi_host_clocks_history(uint32_t number);

#endif
