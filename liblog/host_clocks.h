/* host_clocks.h - the clocks of a job's machines: which process has which clock, how far the clocks are apart, and when
 * they are compared.
 *
 * Processes with the same boot id share a clock. The lowest rank with a clock is its leader; clocks are numbered in the
 * order of their leaders. Number 0 is the clock of rank 0, the reference (formats/spill/clock_sync.h says how readers
 * use the result). With one machine nothing is sent.
 *
 * It uses no session and no log: libraries that keep no log use it, too (pith_clocks_compare). */
#ifndef PITHI_HOST_CLOCKS_H
#define PITHI_HOST_CLOCKS_H

#include "pith_tool.h"
#include "spill/spill.h"

/* Finds the clocks of the job and their leaders. Collective, once a job. `same` is 1 if this process has the boot id of
 * rank 0. Returns 0, or -1 if the transport failed. */
int pithi_host_clocks_join(const struct pith_transport *transport, int same);

/* Collective: sends `data` of rank 0 to all ranks, down a tree; waiting ranks sleep. Returns 0, or -1 if the transport
 * failed. */
int pithi_spread(const struct pith_transport *transport, void *data, size_t size);

/* Compares the clocks: makes a new sync point for each. Collective, not under the guard. Returns 0, or -1 if the
 * transport failed. */
int pithi_host_clocks_sync(const struct pith_transport *transport);

/* Sets *reference_ns to the reference clock's time when this process's clock shows local_ns. Returns 0, or -1 if that
 * time is unknown. */
int pithi_host_clocks_ns(int64_t local_ns, int64_t *reference_ns);

/* Returns 1 if the job has several clocks; the answer is the same in all processes. */
int pithi_host_clocks_several(void);

/* Returns the number of this process's clock; UINT32_MAX if it is unknown. */
uint32_t pithi_host_clocks_own(void);

/* Returns the newest sync point of this process's clock; NULL if there is none. */
const struct pithi_sync *pithi_host_clocks_point(void);

/* In rank 0: pithi_host_clocks_count returns the number of clocks (0: all processes share one), and
 * pithi_host_clocks_history the sync points of clock `number`, from 1 on. */
uint32_t pithi_host_clocks_count(void);
struct pithi_clock_history {
    int32_t leader;
    const struct pithi_sync *points; /* `rounds` points, `step` places apart */
    uint32_t rounds;
    size_t step;
    int64_t worst_ns; /* longest round trip used; -1: none */
};
struct pithi_clock_history pithi_host_clocks_history(uint32_t number);

/* ---- Times of comparison ----------------------------------------------------------------------------------------- */

/* How it is decided when clocks are compared while the program runs (PITH_SYNC): some collective calls of the program
 * are turns; all processes take them in the same order. At certain turns, whose numbers all processes have, rank 0
 * broadcasts whether to compare the clocks now, and the number of the next such turn. So all processes do the same,
 * whatever their clocks show. Rank 0 estimates, by the rate of turns so far, how many turns are left until a comparison
 * is due. The next such turn comes after half of them, but after no more turns than there were so far. That gives some
 * tens of broadcasts in an hour.
 *
 * If the drift of clocks is needed while the program runs (pith_clocks_follow), they are compared after FIRST_NS, and
 * again whenever the time since the start has doubled: 16 times in an hour. A drift measured over some time is valid
 * for about as long.
 *
 * pithi_turns_begin starts counting turns, after a comparison. The next comparison is due after `every_ns`; if that is
 * 0, none follows. Only the value of rank 0 counts. */
void pithi_turns_begin(int64_t every_ns);

/* Collective: takes a turn. Returns 1 if the clocks are to be compared now. */
int pithi_turns_take(const struct pith_transport *transport);

#endif
