/* stretch.h - the states, events and messages of each row in a stretch of time. All numbers are exact. */
#ifndef PITHI_STRETCH_H
#define PITHI_STRETCH_H

#include "core/cells/query.h"

struct pithi_stretch_query {
    int64_t t0_ns, t1_ns;         /* t0 < t1 */
    const struct pithi_row *rows; /* rows of counters are skipped, and rows that show a part of the lane above them */
    uint32_t row_count;
    struct pithlog_summary *summary;     /* for this thread alone; NULL: all records are read */
    const struct pithlog_digest *digest; /* for messages; NULL: records are read */
    struct pithi_watch watch;            /* asked from time to time */
};

/* One definition in one row. */
struct pithi_stretch_entry {
    uint32_t row, id;     /* index of the row; definition */
    struct pithi_sum sum; /* exact */
};

struct pithi_stretch {
    struct pithi_stretch_entry *entries; /* by row, then definition; only those that occur */
    uint32_t count, capacity;
    struct pithi_sum *sums; /* [defs] over all rows */
    uint32_t defs;
    uint32_t lanes;       /* of all rows: the total time is `lanes` times t1 - t0 */
    int64_t computing_ns; /* of all rows, as in struct pithi_cells */
};

/* 0 or an enum pith_err; PITH_ERR_DAMAGED: the readable part is there. Free it in any case. With a summary at most two
 * pieces of 32768 records a lane are read. */
int pithi_stretch_run(struct pithlog *log, const struct pithi_stretch_query *query, struct pithi_stretch *stretch);
void pithi_stretch_free(struct pithi_stretch *stretch);

/* The messages that the lanes of the rows sent in [t0, t1), and those that they received. A message that was sent
 * before t0 and received inside counts as received, and so does one whose send is not in the log. */
struct pithi_traffic {
    uint64_t sent, sent_bytes, received, received_bytes; /* messages; bytes */
};
/* With a digest that matches all sends and receives, the cost depends on the number of messages found; otherwise the
 * sends and receives of the stretch are read. */
int pithi_traffic_run(struct pithlog *log, const struct pithi_stretch_query *query, struct pithi_traffic *traffic);

#endif
