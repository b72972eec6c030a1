/* period.h - finds the period in a row of calls, that is, the calls that a program repeats. It works on symbols and
 * times, and knows nothing of MPI. */
#ifndef PITHI_PERIOD_H
#define PITHI_PERIOD_H

#include <stddef.h>
#include <stdint.h>

struct pithi_row_call {
    int64_t begin_ns, end_ns; /* begin and end of the call */
    uint32_t symbol;          /* equal calls have equal symbols */
    uint32_t state;           /* definition of the call's state; only the caller uses it */
};

/* Iteration i has the calls firsts[i] to ends[i] - 1. */
struct pithi_period {
    uint32_t *firsts, *ends; /* free() them */
    uint32_t count;          /* 0: the row has no period */
    uint32_t call;           /* index in the row of a call where the period's anchor begins */
};

enum { PITHI_ITERATIONS_LEAST = 5 }; /* with fewer iterations, there is no period */

/* Finds the smallest number of calls after which the row repeats. The iterations must contain at least half of the
 * calls or of the time `row_ns`. Extra calls before, after and in some of the iterations do no harm. Takes O(n log n)
 * time. Returns 0 if there is no memory. */
int pithi_period_find(const struct pithi_row_call *row, uint32_t count, int64_t row_ns, struct pithi_period *period);

#endif
