/* sheets.h - the summary that a log has of a lane: where its sheets stand, and its paths. */
#ifndef PITHI_SHEETS_H
#define PITHI_SHEETS_H

#include "native/lane_summary.h"
#include "native/log.h"

/* The list of a lane that has one, lane->sheet_count places, malloc'ed; and its paths. Not PITH_OK: none of both, with
 * pithlog_error(). */
int pithi_log_sheets(struct pithlog *log, const struct pithi_log_lane *lane, struct pithi_sheet_place **places,
                     struct pithi_paths *paths);

#endif
