/* arrows.h - the messages of a picture: the longest as arrows, crowds as bundles.
 *
 * If there are too many messages to draw each, or if their lines would cover more than PITHI_ARROWS_COVER of the
 * picture, messages form a *bundle* that shows their number. A bundle has the messages between the same two rows that
 * are sent in the same few columns and received in the same few columns. The messages with the longest latency stay
 * arrows. Bundles join more columns until they cover at most half of PITHI_ARROWS_COVER, or cannot become wider. If
 * there are very many messages, bundles are estimated from an even sample (pithlog_digest_sample), so that the cost of
 * a picture is bounded. */
#ifndef PITHI_ARROWS_H
#define PITHI_ARROWS_H

#include <pithlog.h>

#include "core/cells/query.h"

#define PITHI_ARROWS_COVER 0.1 /* fraction of the picture */

struct pithi_arrow {
    const struct pithlog_message *message;
    uint32_t from_row, to_row;
};

struct pithi_bundle {
    uint32_t from_row, to_row;
    double x0, x1;                  /* mean columns of the sends and receives; may be outside of the window */
    double count;                   /* number of messages, perhaps estimated */
    double bytes;                   /* of all messages, perhaps estimated */
    double mean_ns;                 /* from send to receive; below 0 where clocks disagree */
    struct pithlog_message longest; /* of the messages that were read */
    int32_t places[2]; /* internal: the columns of the sends and of the receives, in units of `step` columns */
};

struct pithi_arrows {
    struct pithlog_message *messages; /* the messages of `items` */
    struct pithi_arrow *items;        /* by the earlier of send and receive time */
    uint32_t count;
    uint64_t total;               /* exact number of messages in the window between rows that are shown */
    struct pithi_bundle *bundles; /* the largest first; none if all messages are arrows */
    uint32_t bundle_count;
    uint32_t step; /* columns between the places of bundles */
    int sampled;   /* 1: the numbers of bundles are estimates */
    double cover;  /* about the fraction of the picture that the lines cover; 0 if the query has no row_height */
};

struct pithi_arrows_query {
    int64_t t0_ns, t1_ns;        /* t0 < t1 */
    uint32_t width;              /* columns */
    const uint32_t *row_of_lane; /* [lanes], PITHI_NONE: not shown */
    uint32_t lane_count;
    uint32_t most;     /* arrows; 0: only `total` is found */
    int moving;        /* 1: bundles are made of fewer messages, in about a millisecond */
    double row_height; /* pixels; 0: the lines may cover all of the picture */
    uint32_t row_count;
};

/* Chooses the arrows and bundles of a picture. `arrows` must be zeroed. Returns 0 or an enum pith_err; on an error
 * there are no arrows. `digest` may be NULL; then there are no messages. */
int pithi_arrows_load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      struct pithi_arrows *arrows);
/* Reads all messages of a bundle, or a large sample of them, and sets *exact. Returns 0 if the numbers are exact; 1 if
 * they are still estimates; -1 on an error, with *exact unchanged. Takes some milliseconds. */
int pithi_arrows_look(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      const struct pithi_arrows *arrows, const struct pithi_bundle *bundle, struct pithi_bundle *exact);
void pithi_arrows_free(struct pithi_arrows *arrows);

#endif
