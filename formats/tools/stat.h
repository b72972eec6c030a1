/* stat.h - what `pith stat` counts: a function an answer, each fills a table from one pass over the log. */
#ifndef PITHI_STAT_H
#define PITHI_STAT_H

#include "pithlog.h"
#include "tools/table.h"

/* What is counted: what reaches into a window of time, of some lanes. */
struct pithi_stat_window {
    int64_t from_ns, to_ns; /* inclusive, within the log's own times */
    int cut;                /* 1: that is not all of the log */
    const uint32_t *lanes;  /* ascending; NULL: all */
    uint32_t lane_count;
    const unsigned char *wanted; /* by lane: not 0: among them; NULL: all */
};

/* Each makes *table (the caller frees it); PITH_OK or an error. stat_states.c, stat_messages.c. */
int pithi_stat_states(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table);
int pithi_stat_lanes(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table);
int pithi_stat_pairs(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table);
int pithi_stat_sizes(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table);

#endif
