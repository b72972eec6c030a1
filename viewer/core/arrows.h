/* arrows.h - which messages a picture shows: those that take longest, and of a crowd what it comes to.
 *
 * More messages than can be told apart are drawn as *bundles*: messages between the same two rows that are sent in the
 * same few columns, and received so, are one, with their number. The longest are arrows of their own all the same. Of
 * very many messages bundles are made of an even choice (pithlog_digest_sample), so that a picture costs the same
 * whatever is in it.
 */
#ifndef PITHI_ARROWS_H
#define PITHI_ARROWS_H

#include <pithlog.h>

#include "core/row.h"

struct pithi_arrow {
    const struct pithlog_message *message;
    uint32_t from_row, to_row;
};

struct pithi_bundle {
    uint32_t from_row, to_row;
    double x0, x1; /* columns where they are sent and received, on average; may be out of the window */
    double count;  /* about so many messages */
};

struct pithi_arrows {
    struct pithlog_message *messages; /* the arrows' own */
    struct pithi_arrow *items;        /* by the earlier of their times */
    uint32_t count;
    uint64_t total;               /* messages that reach into the window between the rows shown, exactly */
    struct pithi_bundle *bundles; /* the largest first; none if all messages are arrows */
    uint32_t bundle_count;
};

struct pithi_arrows_query {
    int64_t t0_ns, t1_ns;        /* t0 < t1 */
    uint32_t width;              /* columns */
    const uint32_t *row_of_lane; /* [lanes], PITHI_NONE: not shown */
    uint32_t lane_count;
    uint32_t most; /* arrows; 0: only `total` is found */
};

/* `arrows` was zeroed. 0 or an enum pith_err; then there are none. `digest` NULL: none. */
int pithi_arrows_load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      struct pithi_arrows *arrows);
void pithi_arrows_free(struct pithi_arrows *arrows);

#endif
