/* stat.h - what `pith stat` counts: a function an answer, each fills a table from one pass over the log. */
#ifndef PITHI_STAT_H
#define PITHI_STAT_H

#include "pithlog.h"
#include "tools/table.h"

/* Each makes *table (the caller frees it); PITH_OK or an error. stat_states.c, stat_messages.c. */
int pithi_stat_states(struct pithlog *log, struct pithi_table **table);
int pithi_stat_lanes(struct pithlog *log, struct pithi_table **table);
int pithi_stat_pairs(struct pithlog *log, struct pithi_table **table);
int pithi_stat_sizes(struct pithlog *log, struct pithi_table **table);

#endif
