/* summary_read.h - pithlog_sums, with more that it finds. */
#ifndef PITHI_SUMMARY_READ_H
#define PITHI_SUMMARY_READ_H

#include "pithlog.h"

/* The time that is in no sum, as records are missing: between the lane's first and last record, and after the last one,
 * if states are open there. */
struct pithi_missing {
    int64_t ns, after_ns;
    int is_damaged; /* records could not be read: pithlog_error() */
};
int pithi_sums(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
               struct pithlog_sum *sums, struct pithi_missing *missing);

#endif
