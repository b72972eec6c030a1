/* clocks.h - the clocks of a log's machines, from the properties `clock_sync_N` (SPEC.md, "Clocks"). */
#ifndef PITHI_CLOCKS_H
#define PITHI_CLOCKS_H

#include "pithlog.h"

struct pithi_clock_point {
    int64_t time_ns;   /* log time */
    int64_t offset_ns; /* log's clock - this clock; its error is half the round trip */
    int64_t round_ns;  /* length of the round trip */
};

struct pithi_clock {
    uint32_t number;                  /* N of the property clock_sync_N */
    int32_t rank;                     /* the lowest rank on this clock */
    struct pithi_clock_point *points; /* [count] by time */
    uint32_t count;
    int64_t error_ns; /* half of the longest round trip; -1: never compared */
    double drift_ppm; /* by how much it runs faster than the log's clock, from the first point to the last */
    int steps;        /* 1: its offset changed by more than clocks drift, 1000 ppm, between two points */
    int uneven;       /* 1: no line goes through all points within their errors */
};

/* Reads the clocks other than the log's own, in order of number. Free them with pithi_clocks_free. Skips invalid parts
 * of a property. Returns PITH_OK or PITH_ERR_MEMORY. */
int pithi_clocks_read(const struct pithlog *log, struct pithi_clock **clocks, uint32_t *count);
void pithi_clocks_free(struct pithi_clock *clocks, uint32_t count);

/* Returns a short description of a fault of the clock; "" if it has no known fault. */
const char *pithi_clock_fault(const struct pithi_clock *clock);

#endif
