/* stretch.h - what happened in a stretch of time: states and events by row, messages. All numbers are exact. */
#ifndef PITHI_STRETCH_H
#define PITHI_STRETCH_H

#include "core/query.h"
#include "core/row.h"
#include "core/watch.h"

struct pithi_stretch_query {
    int64_t t0_ns, t1_ns;         /* t0 < t1 */
    const struct pithi_row *rows; /* those of counters are left out */
    uint32_t row_count;
    struct pithlog_summary *summary; /* as pithi_query's: of this thread alone; NULL: all records are read */
    const struct pithlog_digest *digest; /* for messages; NULL: records are read */
    struct pithi_watch watch;
};

/* What one row has of one definition. */
struct pithi_stretch_entry {
    uint32_t row, id;
    struct pithi_sum sum;
};

struct pithi_stretch {
    struct pithi_stretch_entry *entries; /* by row, then definition; only what is there */
    uint32_t count, capacity;
    struct pithi_sum *sums; /* [defs] over all rows */
    uint32_t defs;
    uint32_t lanes; /* in all rows: `lanes` times t1 - t0 is the time that there is */
};

/* 0 or an enum pith_err: with PITH_ERR_DAMAGED, what could be read. To be freed in any case. Cost: with a summary, two
 * pieces of 32768 records a lane at most. */
int pithi_stretch_run(struct pithlog *log, const struct pithi_stretch_query *query, struct pithi_stretch *stretch);
void pithi_stretch_free(struct pithi_stretch *stretch);

/* Messages of the rows' lanes: what they sent in [t0, t1), and what they received, each by itself: a message that was
 * sent before and received inside counts as received, and so does one whose send is not in the log. */
struct pithi_traffic {
    uint64_t sent, sent_bytes, received, received_bytes;
};
/* Costs what it tells of, with a digest in which all found their partners; else the stretch's sends and receives are
 * read. */
int pithi_traffic_run(struct pithlog *log, const struct pithi_stretch_query *query, struct pithi_traffic *traffic);

#endif
