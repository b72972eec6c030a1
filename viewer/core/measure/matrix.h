/* matrix.h - messages added up by pair of ranks, and pictures of the sums.
 *
 * A message counts if it is matched and was in transit at some time in the window. Messages of any thread of a rank
 * count for the rank. A place is the index of a rank in the order of ranks. Only pairs with messages need memory
 * (120 bytes each), so that 10,000 ranks are cheap. */
#ifndef PITHI_MATRIX_H
#define PITHI_MATRIX_H

#include <pithlog.h>

#include "core/raster/painter.h"
#include "core/cells/query.h"

struct pithi_pair {
    uint32_t from, to;                        /* places */
    uint64_t count, bytes;                    /* number of messages; sum of their bytes */
    int64_t time_ns;                          /* total latency */
    int64_t late_sender_ns, late_receiver_ns; /* pithlog_waits(); 0 unless the query has `late` */
    /* sum of all wait states of `to` that `from` caused (pithi_matrix_add_waits) */
    int64_t waiting_ns;
    struct pithlog_message longest; /* the message with the largest latency */
};

/* How long the calls of a state waited. */
struct pithi_late_state {
    uint64_t sender_count, receiver_count; /* number of calls that waited for a sender, for a receiver */
    int64_t sender_ns, receiver_ns;        /* total waiting time of these calls */
};

struct pithi_matrix {
    int32_t *ranks; /* [rank_count] */
    uint32_t rank_count;
    uint32_t *place; /* [lanes] place of the lane's rank */
    struct pithi_pair *pairs;
    uint32_t pair_count, pair_capacity; /* of `pairs`, which are in the order of their first message */
    uint32_t *slots;                    /* [slot_count] hash of pairs; 0: free, else index of a pair + 1 */
    uint32_t slot_count;
    struct pithi_late_state *states; /* [defs] */
    uint32_t defs;
};

struct pithi_matrix_query {
    int64_t t0_ns, t1_ns;
    uint32_t comm;                       /* UINT32_MAX: all */
    int late;                            /* 1: also adds up waiting, for which all calls must be read */
    const struct pithlog_digest *digest; /* NULL: messages are matched again */
    struct pithi_watch watch;            /* called from time to time */
};

/* Returns 0 or an enum pith_err. After PITH_ERR_DAMAGED, the sums are those of the readable part. Free the matrix in
 * any case. */
int pithi_matrix_run(struct pithlog *log, const struct pithi_matrix_query *query, struct pithi_matrix *matrix);
void pithi_matrix_free(struct pithi_matrix *matrix);
/* Adds the wait states of an analysis in messages and in collectives, as far as they lie in [t0, t1). A wait state is
 * added to the pair whose `from` is the rank that was waited for, and whose `to` is the rank that waited. */
void pithi_matrix_add_waits(struct pithi_matrix *matrix, const struct pithlog *log,
                            const struct pithlog_analysis *analysis, int64_t t0_ns, int64_t t1_ns);

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

enum pithi_matrix_value {
    PITHI_MATRIX_COUNT,
    PITHI_MATRIX_BYTES,
    PITHI_MATRIX_TIME,      /* ns */
    PITHI_MATRIX_BANDWIDTH, /* bytes a second of latency */
    PITHI_MATRIX_LATE_SENDER,
    PITHI_MATRIX_LATE_RECEIVER,
    PITHI_MATRIX_WAITING /* ns */
};
/* Adds the messages of `pair` to `sum`. `sum->longest` becomes the message with the larger latency of the two. */
void pithi_pair_add(struct pithi_pair *sum, const struct pithi_pair *pair);
double pithi_pair_value(const struct pithi_pair *pair, enum pithi_matrix_value value);

/* A view has senders [from0, from1) as lines and receivers [to0, to1) as columns, on height x width pixels. Each tile
 * is a pair. If there are fewer than two pixels for each rank, a tile has several senders and several receivers. A
 * tile's value is computed from all its messages. */
struct pithi_matrix_view {
    uint32_t from0, from1, to0, to1; /* places: from0 < from1, to0 < to1 */
    uint32_t width, height;          /* pixels */
    enum pithi_matrix_value value;
    int logarithmic; /* the scale of colours */
};

struct pithi_tiles {
    uint32_t columns, lines;
    struct pithi_pair *tiles;               /* [line * columns + column]: sums; from, to: places of its first ranks */
    struct pithi_pair *by_line, *by_column; /* totals */
    /* ends of the scale; low: at most the smallest positive value; high: the largest value; both 0: no values */
    double low, high;
};
/* Makes the tiles of a view. `tiles` must be zeroed or come from an earlier call. */
void pithi_matrix_tiles(const struct pithi_matrix *matrix, const struct pithi_matrix_view *view,
                        struct pithi_tiles *tiles);
void pithi_tiles_free(struct pithi_tiles *tiles);
/* Divides `size` pixels among `count` tiles. pithi_tile_begin returns the first pixel of tile i, pithi_tile_at the tile
 * at a pixel. */
uint32_t pithi_tile_begin(uint32_t i, uint32_t count, uint32_t size);
uint32_t pithi_tile_at(uint32_t pixel, uint32_t count, uint32_t size);

void pithi_matrix_draw(const struct pithi_tiles *tiles, const struct pithi_matrix_view *view,
                       const struct pithi_painter *painter);
/* Returns the colour of a value in a heat map; part: 0 (least) to 1. */
uint32_t pithi_heat_colour(double part);
/* Draws the scale of colours from low (left) to high. */
void pithi_matrix_draw_scale(double width, double height, const struct pithi_painter *painter);

#endif
