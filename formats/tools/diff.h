/* diff.h - compares two logs, "a" and "b", for `pith diff`. */
#ifndef PITHI_DIFF_H
#define PITHI_DIFF_H

#include "tools/table.h"

struct pithi_defs;

/* The definitions of both logs as one set. Definitions with the same kind and name are equal. */
struct pithi_diff_pair {
    struct pithlog *log[2];
    struct pithi_defs *defs;
    uint32_t *ids[2]; /* from the definitions of a log to those of the set */
};

int pithi_pair_open(struct pithi_diff_pair *pair, const char *a, const char *b);
void pithi_pair_close(struct pithi_diff_pair *pair);

/* -1, 0, 1: lane `i` of a sorts before, with or after lane `k` of b, by rank and, if `threads`, by thread. An index
 * past the end sorts after all lanes. */
int pithi_pair_order(const struct pithi_diff_pair *pair, uint32_t i, uint32_t k, int threads);

/* Time by state, rank or lane, from the logs' summaries (diff_sums.c). The caller frees *table. */
int pithi_diff_states(struct pithi_diff_pair *pair, struct pithi_report **table);
int pithi_diff_ranks(struct pithi_diff_pair *pair, struct pithi_report **table);
int pithi_diff_lanes(struct pithi_diff_pair *pair, struct pithi_report **table);

/* Compares records lane by lane and prints the first differences; times may differ by `within_ns`.
 * *different: 0 or 1; diff_records.c. */
int pithi_diff_records(struct pithi_diff_pair *pair, int64_t within_ns, int *different);

#endif
