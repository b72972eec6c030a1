/* summary_read.h - what pithlog_summary_sums found besides its sums. */
#ifndef PITHI_SUMMARY_READ_H
#define PITHI_SUMMARY_READ_H

#include "pithlog.h"

/* The time of the last sums whose records are missing, as they are damaged: it is in no sum, and the lane was not
 * outside all states either. */
int64_t pithi_summary_missing_ns(const struct pithlog_summary *summary);

#endif
