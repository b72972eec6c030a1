/* merge_file.h - the merge's last step: one log of what all processes encoded, in one file or some. */
#ifndef PITHI_MERGE_FILE_H
#define PITHI_MERGE_FILE_H

#include "encode.h"
#include "far.h"
#include "place.h"
#include "pith_tool.h"

/* The merge as one process sees it. */
struct merge {
    const struct pith_transport *t;
    int have; /* this process recorded */
    struct pithi_spill spill;
    struct pithi_defs *defs;
    struct pithi_encode encode;
    struct pithi_totals totals; /* this process's, then all's */
    struct pithi_coarse_rules coarse;
    int64_t shift_ns, zero_ns;    /* CLOCK_MONOTONIC to REALTIME; REALTIME of the log's time 0 */
    int64_t reference_shift_ns;   /* the same as shift_ns, of rank 0's machine */
    uint64_t recorded, one_clock; /* processes that recorded; 1: all on one machine */
    uint64_t lanes;               /* of all */
    uint64_t states_left_out;     /* of all */
    uint64_t bytes, before;       /* encoded by all, and by the ranks before this one */
    void *defs_chunk;
    size_t defs_size;
    char part[PITHI_PATH_MAX + 32]; /* the unfinished log; its volumes are PART.1, PART.2 ... */
    uint32_t files;                 /* wanted */
    uint32_t volumes;               /* 0: all is in one file */
    uint32_t volume;                /* of this process's segment; 0: the main file */
    uint64_t base, table;           /* where the segment stands in its volume, the rank table in the main file */
    struct pithi_far far;           /* who does not see the log's folder */
    void *main_file, *own_file;     /* NULL: nothing to write there; the same without volumes */
};

/* This process failed; tells so if nobody here did before. Returns 0. */
int pithi_merge_fail(const char *what);
/* All good? Returns 1 in every process, or 0 in every process. */
int pithi_merge_agree(const struct merge *merge, int good);

/* What all have encoded together, and whether all are `good`; collective. Afterwards the totals are those of all. */
int pithi_merge_sum(struct merge *merge, int good);
/* Where all stand, and who can write there himself; collective. */
int pithi_merge_lay_out(struct merge *merge);
/* Writes the log under its unfinished name, unless this process is not `good`; collective, but the answer is each
 * process's own. */
int pithi_merge_write(struct merge *merge, int good);
/* Takes away what was written; one process. */
void pithi_merge_unlink(const struct merge *merge);

#endif
