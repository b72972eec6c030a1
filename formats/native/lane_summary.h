/* lane_summary.h - the summary of a lane while its segment is written: fed with blocks, gives sheets (chunks of their
 * own) and, for the index, a list of these and the lane's paths. Spec: SPEC.md, SUMMARY.
 */
#ifndef PITHI_LANE_SUMMARY_H
#define PITHI_LANE_SUMMARY_H

#include "native/block.h"
#include "native/segment.h"
#include "native/summary.h"

/* A lane with fewer records has none: reading them is as quick. */
enum { PITHI_SUMMARY_LEAST = 4096 };

struct pithi_sheet_place {
    uint64_t offset; /* of the chunk */
    int64_t start_ns, end_ns;
    uint32_t size, records; /* size: of the payload */
};

/* All zero is one to which nothing was added. */
struct pithi_lane_summary {
    struct pithi_summary *builder; /* NULL: not begun, or ended */
    struct pithi_paths *paths;
    struct pithi_sheet_place *places;
    uint32_t count, room;
    uint64_t records;
    int given_up;             /* no memory, or more kinds of changes than it can tell apart: the lane has no summary */
    struct pithi_buffer list; /* as it stands in the index: the paths; places are put with their base */
};

/* A lane without summary is better than a log that is not written: only the sink makes these fail. */

/* The records of a block, between pithi_encoder_code and pithi_encoder_end. Sheets get `sheet_records` records each at
 * most. */
int pithi_lane_summary_block(struct pithi_lane_summary *summary, const struct pithi_encoder *encoder, int32_t rank,
                             uint32_t sheet_records, const struct pithi_sink *sink);
/* No more records. */
int pithi_lane_summary_end(struct pithi_lane_summary *summary, int32_t rank, const struct pithi_sink *sink);
void pithi_lane_summary_free(struct pithi_lane_summary *summary);

/* After the end: bytes in the index (of paths: summary->list.size), and these bytes. */
uint64_t pithi_lane_summary_size(const struct pithi_lane_summary *summary);
int pithi_lane_summary_put(const struct pithi_lane_summary *summary, uint64_t base, struct pithi_buffer *out);

/* A place as it stands there: 1, or 0: damaged. */
int pithi_sheet_place_get(const unsigned char *p, struct pithi_sheet_place *place);

#endif
