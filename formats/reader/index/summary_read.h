/* summary_read.h - pithlog_sums, which also reports damage. */
#ifndef PITHI_SUMMARY_READ_H
#define PITHI_SUMMARY_READ_H

#include "pithlog.h"

/* Like pithlog_sums; *is_damaged is set to 1 if records could not be read: pithlog_error(). */
int pithi_sums(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
               struct pithlog_sum *sums, struct pithlog_rest *rest, int *is_damaged);

#endif
