/* interval.h - adds up the states, events and messages of each row in an interval. All numbers are exact. */
#ifndef PITHI_INTERVAL_H
#define PITHI_INTERVAL_H

#include "core/cells/query.h"

struct pithi_interval_query {
    int64_t t0_ns, t1_ns;         /* t0 < t1 */
    const struct pithi_row *rows; /* only whole rows count (pithi_row_is_whole) */
    uint32_t row_count;
    struct pithlog_summary *summary;     /* no other thread may use it meanwhile; NULL: all records are read instead */
    const struct pithlog_digest *digest; /* has the messages; NULL: records are read instead */
    struct pithi_watch watch;            /* called from time to time */
};

/* The sum of one definition in one row. */
struct pithi_interval_entry {
    uint32_t row, id;     /* index into the query's rows; definition */
    struct pithi_sum sum; /* exact */
};

struct pithi_interval {
    struct pithi_interval_entry *entries; /* by row, then definition; only definitions that occur */
    uint32_t count, capacity;
    struct pithi_sum *sums; /* [defs] over all rows */
    uint32_t defs;
    uint32_t lanes;       /* number of lanes of all rows: the total time is `lanes` times t1 - t0 */
    int64_t computing_ns; /* time of all rows outside all states, as in struct pithi_cells */
};

/* Returns 0 or an enum pith_err. After PITH_ERR_DAMAGED, the sums are those of the readable part. Free `interval` in
 * any case. With a summary, at most two pieces of 32768 records are read for each lane. */
int pithi_interval_run(struct pithlog *log, const struct pithi_interval_query *query, struct pithi_interval *interval);
void pithi_interval_free(struct pithi_interval *interval);

/* The messages that the lanes of the rows sent in [t0, t1), and the messages that they received in [t0, t1). A message
 * that was sent before t0 and received in the interval counts as received. So does a message whose send is not in the
 * log. */
struct pithi_traffic {
    uint64_t sent, sent_bytes, received, received_bytes; /* messages; bytes */
};
/* Returns 0 or an enum pith_err. With a digest that matches all sends and receives, the cost depends on the number of
 * messages found; otherwise all sends and receives in [t0, t1) are read. */
int pithi_traffic_run(struct pithlog *log, const struct pithi_interval_query *query, struct pithi_traffic *traffic);

#endif
