/* summary_read.h - pithi_sums: pithlog_sums with a report of damage. */
#ifndef PITHI_SUMMARY_READ_H
#define PITHI_SUMMARY_READ_H

#include "pithlog.h"

/* Like pithlog_sums; sets *is_damaged to 1 if some records could not be read (pithlog_error() has the reason), else to
 * 0. */
int pithi_sums(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
               struct pithlog_sum *sums, struct pithlog_rest *rest, int *is_damaged);

#endif
