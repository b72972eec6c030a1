/* digest.h - what is kept in memory of an open log for pictures: messages already matched, counters' values, the rows.
 *
 * NEEDSWORK: made by reading the whole log once, in memory that grows with messages (32 bytes each, up to
 * PITHI_DIGEST_MESSAGES, from then on the longest only) and counter values. A summary in the log itself will replace it
 * behind these functions.
 */
#ifndef PITHI_DIGEST_H
#define PITHI_DIGEST_H

#include <stdint.h>

#include <pithlog.h>

#include "core/row.h"

enum { PITHI_DIGEST_MESSAGES = 2000000 };

struct pithi_series {
    struct pithi_row row;
    int64_t *time_ns;
    double *value;
    uint32_t count, time_capacity, value_capacity;
    double low, high; /* low <= 0 <= high, so that the graph has a base line */
};

struct pithi_digest {
    struct pithlog_message *messages; /* by the earlier of their times */
    uint32_t message_count, message_capacity;
    uint64_t messages_left_out;
    struct pithi_series *series; /* by lane, then counter */
    uint32_t series_count, series_capacity;
};

int pithi_digest_open(struct pithlog *log, struct pithi_digest **digest); /* 0 or an enum pith_err */
void pithi_digest_close(struct pithi_digest *digest);
/* The values of a counter row; NULL: none. */
const struct pithi_series *pithi_digest_series(const struct pithi_digest *digest, struct pithi_row row);

/* All rows of a log in order: each lane, below it its counters. [*count], to be freed. `digest` NULL: no counters. */
struct pithi_row *pithi_rows_make(const struct pithlog *log, const struct pithi_digest *digest, uint32_t *count);

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

struct pithi_arrow {
    const struct pithlog_message *message;
    uint32_t from_row, to_row;
};

/* The messages that reach into [t0, t1) between the rows shown; when there are more than `most`, those that took
 * longest. row_of_lane[lane] is PITHI_NONE for lanes not shown. Returns how many were put into arrows[most]; *total:
 * before thinning. */
uint32_t pithi_digest_arrows(const struct pithi_digest *digest, int64_t t0_ns, int64_t t1_ns,
                             const uint32_t *row_of_lane, struct pithi_arrow *arrows, uint32_t most, uint32_t *total);

#endif
