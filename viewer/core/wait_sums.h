/* wait_sums.h - where a run waits most: the wait states of an analysis, summed by kind and MPI function. */
#ifndef PITHI_WAIT_SUMS_H
#define PITHI_WAIT_SUMS_H

#include <stddef.h>

#include <pithlog.h>

struct pithi_wait_sum {
    uint32_t kind, state; /* enum pithlog_wait_kind; the MPI function */
    uint64_t count;       /* wait states */
    int64_t ns;           /* their sum */
    double share;         /* of the time of all lanes in the analyzed window, 0 to 1 */
    const struct pithlog_wait_state *longest;
};

/* Those with the most time first, [*count], to be freed. They are valid as long as the analysis. */
struct pithi_wait_sum *pithi_wait_sums_make(const struct pithlog *log, const struct pithlog_analysis *analysis,
                                            uint32_t *count);
/* The longest wait states of a kind, longest first, [*count], at most `most`; to be freed. */
const struct pithlog_wait_state **pithi_waits_longest(const struct pithlog *log,
                                                      const struct pithlog_analysis *analysis, uint32_t kind,
                                                      uint32_t most, uint32_t *count);

/* "late sender in MPI_Recv" */
void pithi_wait_sum_name(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size);
/* "16.5 s, 52.5 %, 884 times; longest: rank 0 waits 53.2 ms for rank 1 at 3.32 s" */
void pithi_wait_sum_text(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size);

#endif
