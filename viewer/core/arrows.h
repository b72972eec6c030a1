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
    double x0, x1;                  /* columns where they are sent and received, on average; may be out of the window */
    double count;                   /* about so many messages */
    double bytes;                   /* of all of them */
    double mean_ns;                 /* from send to receive; below 0 where clocks disagree */
    struct pithlog_message longest; /* of those that were looked at */
    int32_t places[2];              /* arrows.c's: its ends, in steps of some columns */
};

struct pithi_arrows {
    struct pithlog_message *messages; /* the arrows' own */
    struct pithi_arrow *items;        /* by the earlier of their times */
    uint32_t count;
    uint64_t total;               /* messages that reach into the window between the rows shown, exactly */
    struct pithi_bundle *bundles; /* the largest first; none if all messages are arrows */
    uint32_t bundle_count;
    uint32_t step; /* columns between the places of bundles */
    int sampled;   /* 1: what bundles tell is an estimate */
};

struct pithi_arrows_query {
    int64_t t0_ns, t1_ns;        /* t0 < t1 */
    uint32_t width;              /* columns */
    const uint32_t *row_of_lane; /* [lanes], PITHI_NONE: not shown */
    uint32_t lane_count;
    uint32_t most; /* arrows; 0: only `total` is found */
    int moving;    /* 1: bundles are made of fewer messages, in about a millisecond */
};

/* `arrows` was zeroed. 0 or an enum pith_err; then there are none. `digest` NULL: none. */
int pithi_arrows_load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      struct pithi_arrows *arrows);
/* Looks at all messages of a bundle of these arrows, or very many of them: *exact becomes it, with numbers that are no
 * estimate (0 is returned) or still are (1), or is left alone (-1, an error). Some milliseconds. */
int pithi_arrows_look(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      const struct pithi_arrows *arrows, const struct pithi_bundle *bundle, struct pithi_bundle *exact);
void pithi_arrows_free(struct pithi_arrows *arrows);

#endif
