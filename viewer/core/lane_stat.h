/* lane_stat.h - one number for each lane, exact over a stretch of time: what rows are sorted by. */
#ifndef PITHI_LANE_STAT_H
#define PITHI_LANE_STAT_H

#include <pithlog.h>

#include "core/query.h"

enum pithi_stat {
    PITHI_STAT_INCLUSIVE, /* time open of the states chosen, ns */
    PITHI_STAT_EXCLUSIVE, /* their time as the innermost, ns */
    PITHI_STAT_COUNT,     /* how many of them, or of events */
    PITHI_STAT_MESSAGES,  /* sent and received */
    PITHI_STAT_BYTES
};

struct pithi_lane_question {
    int64_t t0_ns, t1_ns; /* t0 < t1 */
    enum pithi_stat stat;
    const unsigned char *chosen;     /* [defs], non-zero: counts; of the first three */
    struct pithlog_summary *summary; /* NULL: all records are read; one thread's at a time */
};

/* Into *value; 0 or an enum pith_err. Of a damaged lane what could be read is counted. */
int pithi_lane_stat(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value);

#endif
