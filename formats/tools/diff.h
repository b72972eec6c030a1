/* diff.h - two logs, "a" and "b", side by side; what `pith diff` consists of. */
#ifndef PITHI_DIFF_H
#define PITHI_DIFF_H

#include "tools/table.h"

struct pithi_defs;

/* Their definitions as one set: what has the same kind and name is the same. */
struct pithi_pair {
    struct pithlog *log[2];
    struct pithi_defs *defs;
    uint32_t *ids[2]; /* by a log's definition: the set's */
};

int pithi_pair_open(struct pithi_pair *pair, const char *a, const char *b);
void pithi_pair_close(struct pithi_pair *pair);

/* -1, 0, 1: lane `i` of a stands before, beside or behind lane `k` of b, by rank and, if `threads`, thread. An index
 * past the end is behind all. */
int pithi_pair_order(const struct pithi_pair *pair, uint32_t i, uint32_t k, int threads);

/* Where time went, from the logs' summaries; diff_sums.c. *table is the caller's to free. */
int pithi_diff_states(struct pithi_pair *pair, struct pithi_table **table);
int pithi_diff_ranks(struct pithi_pair *pair, struct pithi_table **table);
int pithi_diff_lanes(struct pithi_pair *pair, struct pithi_table **table);

/* Record by record, lane by lane: the first differences go to standard output; times may differ by `within_ns`.
 * *different: 0 or 1; diff_records.c. */
int pithi_diff_records(struct pithi_pair *pair, int64_t within_ns, int *different);

#endif
