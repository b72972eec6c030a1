/* sheets.h - the summary that a log has of a lane: where its sheets stand, and its paths. */
#ifndef PITHI_SHEETS_H
#define PITHI_SHEETS_H

#include "native/lane_summary.h"
#include "native/log.h"

struct pithi_lane_sheets {
    struct pithi_sheet_place *places;
    uint32_t count;
    struct pithi_paths paths; /* to be read only */
};

/* Those of a lane that has some, to be freed. Not PITH_OK: nothing, with pithlog_error(). */
int pithi_log_sheets(struct pithlog *log, const struct pithi_log_lane *lane, struct pithi_lane_sheets *sheets);
void pithi_lane_sheets_free(struct pithi_lane_sheets *sheets);

/* The same, loaded when they are first asked for; they are the log's. Any thread. NULL: the lane has no good ones. */
const struct pithi_lane_sheets *pithi_log_kept_sheets(struct pithlog *log, uint32_t lane);
/* When the log is closed: all of them. */
void pithi_log_drop_sheets(struct pithlog *log);

#endif
