/* pithlog_findings.h - what makes a run slow: the findings of an analysis (pithlog_analyze), as `pith analyze` prints
 * them; and how long it would take after a change. */
#ifndef PITHLOG_FINDINGS_H
#define PITHLOG_FINDINGS_H

#include "pithlog.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PITHLOG_FINDING_LEAST 0.005 /* findings with a smaller share are left out */

/* Where to look: the worst instance of a finding; if it has none, the analyzed part of the run. */
struct pithlog_finding_place {
    int64_t from_ns, to_ns;
    uint32_t lane, other; /* the lane, and another lane that it waits for or exchanges data with; UINT32_MAX: none */
};

struct pithlog_finding {
    const char *name; /* "late sender", "load imbalance" ...; several findings can have the same name */
    const char *text; /* lines for people, at most 75 columns, each with its newline */
    double ns;        /* what it costs, summed over lanes */
    double share;     /* of the time of all lanes with MPI calls, 0 to 1; shares of findings may overlap */
    uint32_t part_of; /* 1 + the number of the finding that its time is part of, which stands before it; 0: none */
    /* A value of enum pithlog_wait_kind: the finding is all wait states of this kind; 0: a finding of another sort. */
    uint32_t kind;
    /* The state with most of the cost; PITHLOG_COMPUTING: outside all states, or the finding has no state. */
    uint32_t state;
    uint32_t lane;                          /* the lane with most of the cost; UINT32_MAX: the finding has no lane */
    const struct pithlog_wait_state *worst; /* the longest wait state; NULL: the finding is not about waiting */
    struct pithlog_finding_place place;
};

/* Sets *findings to an array of *count, the largest cost first, each followed by its parts. But waiting for a core is
 * the first if it costs 10 % of the run and there are more ranks than cores. Valid until pithlog_analysis_free. The
 * first call reads the wait states and calls of the analysis, later ones cost nothing. PITH_ERR_MEMORY. */
PITHLOG_API int pithlog_analysis_findings(struct pithlog_analysis *analysis, const struct pithlog_finding **findings,
                                          uint32_t *count);

/* The answer: what costs most of the run, in one sentence: "Rank 1 computes `refine` twice as long as the others: 49 %
 * of the run is lost." */
struct pithlog_answer {
    const char *text; /* the sentence, without a newline */
    /* "cores": more ranks or threads than cores; "progress": a rank computes and does not call MPI; "imbalance": few
     * ranks compute longer; "moving imbalance": others in each of two states, in each iteration, or from one collective
     * to the next; "files"; "serialisation"; "transfer"; "threads"; "start and end"; "balanced": nothing costs 5 %;
     * "unknown": the log does not show it. Later versions may have more. */
    const char *kind;
    double ns;         /* what it costs, summed over lanes; 0: "balanced" and "unknown" */
    double share;      /* 0 to 1; "start and end": of the log; "threads": of the time of all threads; else of the time
                          of all lanes with MPI calls */
    const char *state; /* the state in which `lane` spends the time, "computing" outside all states; for transfers
                          the MPI function; NULL: none */
    uint32_t lane;     /* the lane that the others wait for; UINT32_MAX: no single lane */
    uint32_t other;    /* another lane in the sentence; UINT32_MAX: none */
    /* The iterations between which the cost lies, from 1; 0: in no particular ones. */
    size_t first_iteration, last_iteration;
    struct pithlog_finding_place place; /* the worst instance */
};
/* Sets *answer, which is valid until pithlog_analysis_free. Takes the iterations that pithlog_analysis_iterations found
 * last, or else finds them. PITH_ERR_MEMORY. */
PITHLOG_API int pithlog_analysis_answer(struct pithlog_analysis *analysis, const struct pithlog_answer **answer);

/* Writes to `text` which records are missing in the log, and so in the analysis: lines for people, as in `text` of a
 * finding. "": none are missing. */
enum { PITHLOG_MISSING_TEXT = 512 };
PITHLOG_API void pithlog_analysis_missing(const struct pithlog_analysis *analysis, char text[PITHLOG_MISSING_TEXT]);

/* The tree of efficiencies. Each stands before its factors, whose product it is. The first is the efficiency of the
 * whole run. */
enum { PITHLOG_EFFICIENCIES = 5 };
struct pithlog_efficiency {
    const char *name, *meaning; /* "load balance", "mean / largest time outside MPI" ... */
    uint32_t depth;             /* depth in the tree; 0: the first */
    double value;               /* 0 to 1, 1 is best */
};
PITHLOG_API void pithlog_analysis_efficiencies(const struct pithlog_analysis *analysis,
                                               struct pithlog_efficiency all[PITHLOG_EFFICIENCIES]);

/* The hybrid model of POP, for programs with threads that do not call MPI: a tree, as above. "all threads" is the
 * product of "MPI", which is "parallel" above, and "threads". A thread is at work outside MPI and outside states in
 * which it waits in OpenMP; one without MPI calls, only inside its other states. Parts of the threads may be above 1.
 * Returns the number of efficiencies; 0: all threads call MPI. */
enum { PITHLOG_HYBRID = 5 };
PITHLOG_API uint32_t pithlog_analysis_hybrid(const struct pithlog_analysis *analysis,
                                             struct pithlog_efficiency all[PITHLOG_HYBRID]);

/* The computing of the lanes with MPI calls, outside MPI, within the window. All 0: the log does not have the counters
 * instructions and cycles (PITH_COUNTERS). */
struct pithlog_computation {
    double instructions;    /* completed instructions, of all these lanes */
    double ipc;             /* instructions per cycle */
    double cycles_a_second; /* cycles in each second outside MPI */
};
/* Reads the log if it has these counters. PITH_OK or an error. */
PITHLOG_API int pithlog_analysis_computation(const struct pithlog_analysis *analysis,
                                             struct pithlog_computation *computation);

/* A change. pithlog_analysis_what_if predicts the run time of the window with it, by replaying the log. */
struct pithlog_what_if {
    double network;  /* factor for the time of transfers; 1: as measured, 0: an ideal network */
    int is_fitted;   /* 1: a transfer takes a latency and a time for each byte, fitted to the transfers of each MPI
                        function, on one host and between two; `network` is the factor for the latency */
    double bytes;    /* is_fitted: factor for the time of bytes */
    uint32_t state;  /* the state (PITHLOG_COMPUTING: outside all) to change */
    uint32_t lane;   /* on this lane, and on threads of its rank that it waits for; UINT32_MAX: on all */
    double factor;   /* factor for the time in the state; 1: as measured */
    int is_balanced; /* 1: in each phase, each lane that computes is scaled to compute as long as their mean. Phases lie
                        between collectives in which all lanes with MPI calls wait for all, or between stops for
                        messages or collectives, whichever makes the run shorter */
};
PITHLOG_API int pithlog_analysis_what_if(struct pithlog_analysis *analysis, const struct pithlog_what_if *what,
                                         double *run_ns);

/* The object that `pith analyze LOG --json` prints (share/pith/schemas), but for functions and call sites, whose names
 * are in the program's files; *json is to be freed. `path`: the name of the log in its commands. PITH_OK or
 * an error; PITH_ERR_UNSUPPORTED: there are no records. */
PITHLOG_API int pithlog_analysis_json(struct pithlog_analysis *analysis, const char *path, char **json);

#ifdef __cplusplus
}
#endif
#endif /* PITHLOG_FINDINGS_H */
