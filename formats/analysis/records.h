/* records.h - reads the records of a log for an analysis. */
#ifndef PITHI_RECORDS_H
#define PITHI_RECORDS_H

#include "pithlog.h"

/* Reads all records of a query in time order and passes them to `take`, which returns PITH_OK or an error. Damaged
 * parts are left out: PITH_ERR_DAMAGED; `hole` (may be NULL) learns of them, see pithi_iter_tell_holes. `progress` (may
 * be NULL) as in pithlog_waits_query. */
int pithi_read_records(struct pithlog *log, const struct pithlog_query *query,
                       int (*take)(void *context, const struct pithlog_record *record),
                       void (*hole)(void *context, uint32_t lane), void *context,
                       int (*progress)(void *context, double part), void *progress_context);

#endif
