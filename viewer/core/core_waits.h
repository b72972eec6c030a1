/* core_waits.h - the time in which threads could run but had no core, as the system counts it
 * (PITH_COUNTERS=run-delay), and its hatching in a plot.
 *
 * A thread reads its counter when it enters or leaves a state, and at each sample. What the counter grows by between
 * two values was lost somewhere between them, and is taken as evenly spread:
 *
 *     value 0 at 100, value 40 at 200, value 40 at 300     40 % of [100, 200) without a core; of [150, 300) 20 ns
 *
 * A column is hatched if the thread had no core for at least half of its time. */
#ifndef PITHI_CORE_WAITS_H
#define PITHI_CORE_WAITS_H

#include "core/plot.h"

struct pithi_core_waits {
    struct pithi_core_waits_lane {
        struct pithi_core_wait {
            int64_t from_ns, to_ns; /* between two values of the counter */
            int64_t ns;             /* without a core; > 0 */
        } * items;                  /* by time */
        uint32_t count, capacity;
    } * lanes; /* [lane_count] */
    uint32_t lane_count;
};

/* 1: the log has this counter. */
int pithi_core_waits_possible(const struct pithlog *log);
/* Reads the counter's values in the whole log. PITH_OK, PITH_ERR_STOPPED by the watch, or PITH_ERR_DAMAGED: the others
 * were read. `waits` must be zeroed; free it afterwards. */
int pithi_core_waits_read(struct pithlog *log, const struct pithi_watch *watch, struct pithi_core_waits *waits);
void pithi_core_waits_free(struct pithi_core_waits *waits);

/* The time of [from_ns, to_ns) in which the lane had no core. */
int64_t pithi_core_waits_ns(const struct pithi_core_waits *waits, uint32_t lane, int64_t from_ns, int64_t to_ns);
/* part[c]: the part of the column's time, 0 to 1, in which a lane had no core. */
void pithi_core_waits_columns(const struct pithi_core_waits *waits, uint32_t lane, int64_t t0_ns, int64_t t1_ns,
                              uint32_t width, float *part);
/* Hatches the rows [from, to) of single lanes, if plot->core_waits is set, and notes where (pithi_names_draw). */
void pithi_core_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from,
                           uint32_t to, unsigned char *hatched);

#endif
