/* sketch.h - a log in few bytes. A web page that reads a log from another machine draws its first picture from it.
 *
 * For each lane it has columns of equal length, and for each column the stack of open states that a picture shows: the
 * state with most of the column's time, the state inside it with most of that time, and so on, with their shares in
 * 15ths. So its size depends on lanes and columns, not on the log: 64 lanes and 2000 columns take 0.1 to 45 kB when
 * they are packed. The pieces of a summary (native/summary.h) grow with the log: 1.4 MB for 8e6 records.
 *
 * The file, numbers little-endian: 8 bytes "PithSket"; 8 from_ns; 8 length_ns of a column; 4 number of columns; 4
 * number of lanes, the first ones of the log; 4 size of the paths; the paths as in an index (native/paths.h); then for
 * each lane runs of equal columns, until all columns are covered. A run has four varints: inner path; outer path; inner
 * share * 16 + outer share; number of columns. The inner path is the whole stack; the outer path is the outer part of
 * it, and its share comes on top of the inner share. Path 65535: nothing is known. */
#ifndef PITHI_SKETCH_H
#define PITHI_SKETCH_H

#include "native/paths.h"
#include "pithlog.h"

struct pithi_sketch {
    int64_t from_ns, length_ns;
    uint32_t columns, lanes;
    struct pithi_paths paths;
    struct pithi_buffer bytes; /* the file */
    size_t *lane_at;           /* [lanes] where the runs of each lane begin in `bytes` */
};

/* Makes the sketch of the first `lanes` lanes in [from_ns, to_ns) from their summaries; appends the file to `out`. */
int pithi_sketch_make(struct pithlog *log, int64_t from_ns, int64_t to_ns, uint32_t columns, uint32_t lanes,
                      struct pithi_buffer *out);

/* Opens the log's sketch from the cache (reader/read/cache.h). In a web page, the sketch is the file LOG.sketch, which
 * the page got from the machine that has the log. Returns NULL if there is no sketch of this log. */
struct pithi_sketch *pithi_sketch_open(struct pithlog *log);
void pithi_sketch_close(struct pithi_sketch *sketch);
/* Calls `tell` with pieces of a lane in [from_ns, to_ns), as pithlog_summary_pieces does. A run of equal columns is one
 * piece. */
void pithi_sketch_pieces(const struct pithi_sketch *sketch, uint32_t lane, int64_t from_ns, int64_t to_ns,
                         void (*tell)(void *context, const struct pithlog_piece *piece), void *context);

#endif
