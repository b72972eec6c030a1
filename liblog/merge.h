/* merge.h - the end of a job: all processes make one log together; each makes its own part.
 *
 * merge.c has the steps; merge_file.c has the layout of the file, writes it, and handles far processes.
 */
#ifndef PITHI_MERGE_H
#define PITHI_MERGE_H

#include "core_wait.h"
#include "encode.h"
#include "native/segment.h"
#include "pith_tool.h"
#include "place.h"

/* Merges the records of all processes (collective). Does nothing if no process ever recorded, or if recording is over.
 * Returns 1 in all processes if the log is written and rank 0 will analyse it (PITH_ANALYZE). */
int pithi_merge(const struct pith_transport *transport);

/* Like pithi_merge, for a process without a job. */
void pithi_merge_alone(void);

/* Call it when a process ends before its job was finished. Prints how to recover the records. */
void pithi_merge_missed(void);

/* Compares the clocks of the job (collective, not under the guard). `keep`: stores the sync point of this machine's
 * clock in the spill file. Returns 0, or -1 if the transport failed. */
int pithi_job_sync_clocks(const struct pith_transport *transport, int keep);

/* ---- Far processes ----------------------------------------------------------------------------------------------- */

/* A process is far if it does not see the folder of the log, for example on another host without a shared file system.
 * It sends its bytes to rank 0, which writes them. */

struct pithi_far {
    int own, any;    /* own: 1 if this process is far; any: 1 if any process is far (the same value in all processes) */
    uint64_t *ranks; /* in rank 0, if any is far: bit r % 64 of word r / 64 is for rank r */
};

/* Collective: rank 0 makes the empty file `path`, the others try to open it for writing, and rank 0 removes it. If rank
 * 0 cannot make it, no process counts as far, because writing the log will then fail, too, and say why. Returns 1; or
 * 0, in all processes, if the transport failed or there is no memory. */
int pithi_far_find(const struct pith_transport *t, const char *path, struct pithi_far *far);
void pithi_far_close(struct pithi_far *far);

/* A far process calls pithi_far_begin, pithi_far_put any number of times (`offset` in the log's main file), and
 * pithi_far_end. pithi_far_begin waits for rank 0, so that only one process sends at a time. All three return 0, or -1
 * if the transport failed. */
int pithi_far_begin(const struct pith_transport *t);
int pithi_far_put(const struct pith_transport *t, uint64_t offset, const void *data, size_t size);
int pithi_far_end(const struct pith_transport *t);

/* In rank 0: receives the bytes of the far ranks whose numbers are multiples of `step`, and writes them into `file`.
 * Each of these ranks calls begin and end once. Returns 1; or 0 if a write failed (errno), but then all bytes were
 * received, too. */
int pithi_far_take(const struct pith_transport *t, const struct pithi_far *far, int step, void *file);

/* ---- The file ---------------------------------------------------------------------------------------------------- */

/* The state of the merge in one process. */
struct merge {
    const struct pith_transport *t; /* the caller's */
    int have;                       /* 1: this process recorded */
    struct pithi_spill spill;       /* spill file of this process, mapped */
    struct pithi_defs *defs;
    struct pithi_encode encode;       /* this process's part */
    struct pithi_totals totals;       /* totals of this process; after pithi_merge_sum: those of all processes */
    struct pithi_coarse_rules coarse; /* rank 0's, used by all processes */
    /* shift_ns: CLOCK_REALTIME - CLOCK_MONOTONIC; zero_ns: CLOCK_REALTIME at time 0 */
    int64_t shift_ns, zero_ns;
    int64_t reference_shift_ns;       /* shift_ns of rank 0's machine */
    uint64_t fit_error_ns, parted_ns; /* errors of the clock, the largest of all processes (spill_time.h) */
    /* recorded: number of processes that recorded; one_clock: 1 if all processes are on one machine */
    uint64_t recorded, one_clock;
    uint64_t lanes;                 /* of all processes */
    struct pithi_no_core core_wait; /* sum of all processes */
    struct pithi_no_core own_wait;
    /* core_ranks: number of ranks in the sum core_wait; sharing: number of those ranks that have too few cores, because
     * more ranks run on the same cores than there are cores */
    uint64_t core_ranks, sharing;
    uint64_t states_left_out; /* of all processes */
    uint64_t bytes, before;   /* bytes: encoded by all ranks; before: encoded by the ranks before this one */
    void *defs_chunk;
    size_t defs_size;               /* bytes of it */
    char part[PITHI_PATH_MAX + 32]; /* the unfinished log; its volumes are PART.1, PART.2 ... */
    uint32_t files;                 /* number of files wanted */
    uint32_t volumes;               /* 0: all is in one file */
    uint32_t volume;                /* the volume of this process's segment; 0: the main file */
    uint64_t base, table;           /* offsets of the segment in its volume, and of the rank table in the main file */
    struct pithi_far far;           /* processes that do not see the log's folder */
    void *main_file, *own_file;     /* NULL: nothing to write to it; the same file if there are no volumes */
};

/* Prints the reason why this process failed, once. Returns 0. */
int pithi_merge_fail(const char *what);

/* Collective: adds up the totals of all processes. Returns 1 if all are `good`. */
int pithi_merge_sum(struct merge *merge, int good);
/* Collective: computes the places of all segments, and finds the far processes. */
int pithi_merge_lay_out(struct merge *merge);
/* Collective: writes the log under its unfinished name; a process that is not `good` writes nothing. Returns 1 if this
 * process wrote all its bytes. */
int pithi_merge_write(struct merge *merge, int good);
/* In one process: removes the files written. */
void pithi_merge_unlink(const struct merge *merge);

/* Times as unsigned numbers in the same order, because the transport's reductions take unsigned ones. */
static inline uint64_t biased(int64_t value) { return (uint64_t)value ^ UINT64_C(1) << 63; }
static inline int64_t unbiased(uint64_t value) { return (int64_t)(value ^ UINT64_C(1) << 63); }

#endif
