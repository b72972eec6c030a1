/* lane_summary.h - makes the summary of a lane while its segment is written. It takes blocks, writes sheets (as
 * chunks), and makes a list of the sheets and paths for the index (SPEC.md, SHEET). */
#ifndef PITHI_LANE_SUMMARY_H
#define PITHI_LANE_SUMMARY_H

#include "native/block.h"
#include "native/log.h"
#include "native/segment.h"
#include "native/summary.h"

/* A lane with fewer records gets no summary, because reading its records is as fast. */
enum { PITHI_SUMMARY_LEAST = 4096 };

struct pithi_sheet_place {
    uint64_t offset;          /* offset of the sheet's chunk */
    int64_t start_ns, end_ns; /* times of the sheet's records */
    uint32_t size, records;   /* size: of the payload */
};

/* All zero is an empty summary. */
struct pithi_lane_summary {
    struct pithi_summary *builder; /* NULL: not begun, or ended */
    struct pithi_paths *paths;
    struct pithi_sheet_place *places; /* [count] by time */
    uint32_t count, room;
    uint64_t records;         /* records of all blocks so far */
    int given_up;             /* 1: the lane gets no summary, because of no memory or too many different changes */
    struct pithi_buffer list; /* the paths in the form of the index */
};

/* If there is no memory for the summary of a lane, the lane gets none, but the log is still written. So the functions
 * below only fail if the sink fails. */

/* Adds the records of a block, between pithi_encoder_code and pithi_encoder_end. A sheet gets at most `sheet_records`
 * records. */
int pithi_lane_summary_block(struct pithi_lane_summary *summary, const struct pithi_encoder *encoder, int32_t rank,
                             uint32_t sheet_records, const struct pithi_sink *sink);
/* Ends the last sheet, after the last block. */
int pithi_lane_summary_end(struct pithi_lane_summary *summary, int32_t rank, const struct pithi_sink *sink);
void pithi_lane_summary_free(struct pithi_lane_summary *summary);

/* Call these two after pithi_lane_summary_end. pithi_lane_summary_size returns the size of the lane's list of sheets
 * and paths in the index; the paths take summary->list.size bytes of it. pithi_lane_summary_put appends the list to
 * `out`, with `base` added to the offsets in it. */
uint64_t pithi_lane_summary_size(const struct pithi_lane_summary *summary);
int pithi_lane_summary_put(const struct pithi_lane_summary *summary, uint64_t base, struct pithi_buffer *out);

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The summary of a lane as loaded from a log: the places of its sheets, and its paths. */

struct pithi_lane_sheets {
    struct pithi_sheet_place *places;
    uint32_t count;
    struct pithi_paths paths; /* read-only */
};

/* Loads the sheets of a lane that has a summary; the caller frees them. On an error, see pithlog_error(), `sheets` is
 * empty. */
int pithi_log_sheets(struct pithlog *log, const struct pithi_log_lane *lane, struct pithi_lane_sheets *sheets);
void pithi_lane_sheets_free(struct pithi_lane_sheets *sheets);

/* Returns the sheets of a lane, which the log loads at the first call and owns; NULL if the lane has no valid summary.
 * Any thread may call it. */
const struct pithi_lane_sheets *pithi_log_kept_sheets(struct pithlog *log, uint32_t lane);
/* Frees the sheets of all lanes, when the log is closed. */
void pithi_log_drop_sheets(struct pithlog *log);

#endif
