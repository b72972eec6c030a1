/* spill_emit.h - passes the records of one process's spill file to whoever writes the log: the merge at the end of a
 * run (liblog/encode.c), or the reader of spill files that dead processes left (spill_read.c). */
#ifndef PITHI_SPILL_EMIT_H
#define PITHI_SPILL_EMIT_H

#include "native/segment.h"
#include "spill/spill_walk.h"

/* Where the records go. lane(), comm() and add() return PITH_OK or an error. */
struct pithi_spill_target {
    void *context; /* for the functions */
    struct pithi_defs *defs;
    int (*lane)(void *context, uint32_t thread, const char *name, uint32_t *lane);
    int (*comm)(void *context, const struct pithlog_comm *comm, uint32_t *index);
    int (*add)(void *context, const struct pithlog_record *record);
    /* Optional: calls pithi_segment_fill for the lane, which is faster where many records only enter or leave states.
     */
    void (*fill)(void *context, uint32_t lane, pithi_states_filler *filler, void *filler_context);
    int64_t shift_ns;     /* from CLOCK_MONOTONIC to time in the log */
    uint32_t thread_base; /* added to thread numbers */
    int is_live;          /* 1: the process may still be running */
};

/* Passes all records, lane by lane; translates ids and adds definitions that the target lacks. Losses that belong to no
 * lane become a LOST record at the end of the first lane. Adds the number of records passed to *records, and the number
 * of damaged parts of the file to *damaged; both pointers may be NULL. */
int pithi_spill_emit(const struct pithi_spill *spill, const struct pithi_spill_target *target, uint64_t *records,
                     uint64_t *damaged);

/* ---- Passing lanes in several threads ---------------------------------------------------------------------------- */

/* Common to all lanes of a process: the log's ids of its definitions, and the interval that is kept. */
struct pithi_spill_ids {
    uint32_t *defs, *comms, *states;    /* states: see pithi_spill_next_states */
    struct pithi_spill_number *numbers; /* spill_numbers.h */
    int64_t from_ns, to_ns;             /* log time */
    int alive_at_end;                   /* 1: the process still ran at to_ns */
    uint64_t first_posted;              /* order number of the first receive that is kept; 0 if nothing is cut off */
};
int pithi_spill_ids_make(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                         struct pithi_spill_ids *ids);
void pithi_spill_ids_free(struct pithi_spill_ids *ids);

/* Counts, summed over all lanes that were passed so far. */
struct pithi_spill_counts {
    uint64_t records, damaged; /* records passed to the target; damaged parts of the file, which were left out */
    /* `told`: lost records that the LOST records of the lanes report. `dropped`: records that were in the file but were
     * left out (spill_walk.h, spill_trim.h). */
    uint64_t told, dropped;
};

/* Passes one lane to the target's lane `lane`. Several threads may do so at once, each with its own target. `last_ns`
 * (may be NULL) gets the time of the lane's last record; without records it is unchanged. */
int pithi_spill_emit_lane(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                          const struct pithi_spill_ids *ids, uint32_t spill_lane, uint32_t lane,
                          struct pithi_spill_counts *counts, int64_t *last_ns);

/* Adds a LOST record to the target's `lane` for losses that belong to no lane. `counts`: the sums over all lanes. */
int pithi_spill_emit_lost(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                          const struct pithi_spill_counts *counts, uint32_t lane, int64_t time_ns);

#endif
