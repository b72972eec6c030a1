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

#endif
