/* pithlog_findings.h - what makes a run slow: the findings of an analysis (pithlog_analyze), as `pith analyze` prints
 * them. */
#ifndef PITHLOG_FINDINGS_H
#define PITHLOG_FINDINGS_H

#include "pithlog.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PITHLOG_FINDING_LEAST 0.005 /* findings with a smaller share are left out */

struct pithlog_finding {
    const char *name; /* "late sender", "load imbalance" ...; several findings can have the same name */
    const char *text; /* lines for people, at most 75 columns, each with its newline */
    double ns;        /* what it costs, summed over lanes */
    double share;     /* of the time of all lanes with MPI calls, 0 to 1; shares of findings may overlap */
    uint32_t kind;    /* enum pithlog_wait_kind: the finding is the wait states of this kind; 0: it is another */
    uint32_t state;   /* with most of the cost; PITHLOG_COMPUTING: outside all states, or the finding has no state */
    uint32_t lane;    /* with most of the cost; UINT32_MAX: the finding has no lane */
    const struct pithlog_wait_state *worst; /* the longest wait state; NULL: the finding is not about waiting */
};

/* Sets *findings to an array of *count, the largest cost first, valid until pithlog_analysis_free. The first call reads
 * the wait states and calls of the analysis, later ones cost nothing. PITH_ERR_MEMORY. */
PITHLOG_API int pithlog_analysis_findings(struct pithlog_analysis *analysis, const struct pithlog_finding **findings,
                                          uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif /* PITHLOG_FINDINGS_H */
