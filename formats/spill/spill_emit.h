/* spill_emit.h - all of one process's spill file, given to whoever makes a log: the merge at the end of a run
 * (liblog/encode.c) or the reader of what a dead one left (spill_read.c). */
#ifndef PITHI_SPILL_EMIT_H
#define PITHI_SPILL_EMIT_H

#include "native/segment.h"
#include "spill/spill_walk.h"

/* Functions give PITH_OK or an error. */
struct pithi_spill_target {
    void *context;
    struct pithi_defs *defs;
    int (*lane)(void *context, uint32_t thread, const char *name, uint32_t *lane);
    int (*comm)(void *context, const struct pithlog_comm *comm, uint32_t *index);
    int (*add)(void *context, const struct pithlog_record *record);
    int64_t shift_ns;     /* from CLOCK_MONOTONIC to time in the log */
    uint32_t thread_base; /* added to thread numbers */
};

/* The records, lane by lane; ids are translated, definitions that the target lacks are added. What the process lost
 * without a lane to say so in is said at the end of its first lane. `records` and `damaged` (pieces that were no
 * records) are added to if not NULL. */
int pithi_spill_emit(const struct pithi_spill *spill, const struct pithi_spill_target *target, uint64_t *records,
                     uint64_t *damaged);

/* ---- The same in steps, for several threads ---------------------------------------------------------------------- */

/* What all lanes of a process have in common: the log's ids of what it defined, and the time window. */
struct pithi_spill_ids {
    uint32_t *defs, *comms;
    struct pithi_spill_number *numbers; /* spill_numbers.h */
    int64_t from_ns, to_ns; /* log time */
    int alive_at_end;       /* the process was seen after the window's end */
    uint64_t first_posted;  /* order number of the first receive that is left; 0 where nothing is cut */
};
int pithi_spill_ids_make(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                         struct pithi_spill_ids *ids);
void pithi_spill_ids_free(struct pithi_spill_ids *ids);

/* What came of lanes; added to. */
struct pithi_spill_counts {
    uint64_t records, damaged;
    uint64_t told, dropped; /* losses that have their record; records under ids that were never defined */
};

/* One lane, to the target's lane `lane`. Lanes may be given by several threads at once, each to a target of its own.
 * `last_ns` gets the time of the lane's last record, or stays; NULL. */
int pithi_spill_emit_lane(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                          const struct pithi_spill_ids *ids, uint32_t spill_lane, uint32_t lane,
                          struct pithi_spill_counts *counts, int64_t *last_ns);

/* What the process lost without a lane to say so in, by the counts of all lanes: a record in the target's `lane`. */
int pithi_spill_emit_lost(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                          const struct pithi_spill_counts *counts, uint32_t lane, int64_t time_ns);

#endif
