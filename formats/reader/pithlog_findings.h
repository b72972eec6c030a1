/* pithlog_findings.h - what makes a run slow: the findings of an analysis (pithlog_analyze), as `pith analyze` prints
 * them; and predictions of how long the run would take after a change. */
#ifndef PITHLOG_FINDINGS_H
#define PITHLOG_FINDINGS_H

#include "pithlog.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PITHLOG_FINDING_LEAST 0.005 /* findings with a smaller share are left out */

/* Where to look for a finding: its worst instance; if it has no instances, the whole analyzed interval. */
struct pithlog_finding_place {
    int64_t from_ns, to_ns;
    uint32_t lane, other; /* the lane, and another lane that it waits for or exchanges data with; UINT32_MAX: none */
};

struct pithlog_finding {
    const char *name; /* "late sender", "load imbalance" ...; several findings can have the same name */
    const char *text; /* lines for people, at most 75 columns, each with its newline */
    double ns;        /* time that it costs, summed over lanes */
    double share;     /* of the time of all lanes with MPI calls, 0 to 1; shares of findings may overlap */
    uint32_t part_of; /* 1 + the index of an earlier finding that includes this one's time; 0: none */
    /* enum pithlog_wait_kind, if the finding is the sum of all wait states of this kind; 0: a finding of another
     * sort. */
    uint32_t kind;
    /* The state with most of the cost; PITHLOG_COMPUTING: outside all states, or the finding has no state. */
    uint32_t state;
    uint32_t lane;                          /* the lane with most of the cost; UINT32_MAX: the finding has no lane */
    const struct pithlog_wait_state *worst; /* the longest wait state; NULL: the finding is not about waiting */
    struct pithlog_finding_place place;
};

/* Sets *findings to an array of *count findings, the largest cost first, each followed by those that it includes. As an
 * exception, waiting for a core comes first if it costs 10 % of the run and there are more ranks than cores. The array
 * is valid until pithlog_analysis_free. The first call reads the wait states and calls of the analysis; later calls
 * cost nothing. Returns PITH_OK or PITH_ERR_MEMORY. */
PITHLOG_API int pithlog_analysis_findings(struct pithlog_analysis *analysis, const struct pithlog_finding **findings,
                                          uint32_t *count);

/* The answer says in one sentence what costs most of the run, such as "Rank 1 computes `refine` twice as long as the
 * others: 49 % of the run is lost." */
struct pithlog_answer {
    const char *text; /* the sentence, without a newline */
    /* "cores": more ranks or threads than cores; "progress": a rank computes and does not call MPI; "imbalance": few
     * ranks compute longer; "moving imbalance": in turn, other ranks compute longer (in other states, iterations
     * or phases between collectives); "files"; "serialisation"; "transfer"; "threads"; "start and end"; "balanced":
     * nothing costs 5 %; "unknown": the log does not show it. Later versions may have more. */
    const char *kind;
    double ns;         /* time that it costs, summed over lanes; 0 for "balanced" and "unknown" */
    double share;      /* fraction, 0 to 1. "start and end": of the log's time; "threads": of the time of all threads;
                        * else of the time of all lanes with MPI calls */
    const char *state; /* the state in which `lane` spends the time ("computing": outside all states), or the MPI
                        * function of transfers; NULL: none */
    uint32_t lane;     /* the lane that the others wait for; UINT32_MAX: no single lane */
    uint32_t other;    /* another lane in the sentence; UINT32_MAX: none */
    /* The first and last of the iterations with the cost, counted from 1; 0: the cost is not in particular
     * iterations. */
    size_t first_iteration, last_iteration;
    struct pithlog_finding_place place; /* the worst instance */
};
/* Sets *answer, which is valid until pithlog_analysis_free. Uses the iterations of the last call of
 * pithlog_analysis_iterations; finds them if there was no such call. Returns PITH_OK or PITH_ERR_MEMORY. */
PITHLOG_API int pithlog_analysis_answer(struct pithlog_analysis *analysis, const struct pithlog_answer **answer);

/* Writes to `text`, in lines for people, which records are missing in the log and therefore in the analysis; "" if none
 * are missing. */
enum { PITHLOG_MISSING_TEXT = 512 };
PITHLOG_API void pithlog_analysis_missing(const struct pithlog_analysis *analysis, char text[PITHLOG_MISSING_TEXT]);

/* The tree of efficiencies. An efficiency is the product of its factors, which follow it, one level deeper. The first
 * one is the efficiency of the whole run. */
enum { PITHLOG_EFFICIENCIES = 5 };
struct pithlog_efficiency {
    const char *name, *meaning; /* "load balance", "mean / largest time outside MPI" ... */
    uint32_t depth;             /* level in the tree; 0: the first efficiency */
    double value;               /* 0 to 1, 1 is best */
};
PITHLOG_API void pithlog_analysis_efficiencies(const struct pithlog_analysis *analysis,
                                               struct pithlog_efficiency all[PITHLOG_EFFICIENCIES]);

/* The hybrid model of POP, for programs with threads that do not call MPI: a tree as above. "all threads" is the
 * product of "MPI" (which is "parallel" in the tree above) and "threads". A thread with MPI calls is at work outside
 * MPI and outside states in which it waits in OpenMP. A thread without MPI calls is at work inside its states, except
 * those in which it waits in OpenMP. The factors of "threads" may be above 1. Returns the number of efficiencies; 0 if
 * all threads call MPI. */
enum { PITHLOG_HYBRID = 5 };
PITHLOG_API uint32_t pithlog_analysis_hybrid(const struct pithlog_analysis *analysis,
                                             struct pithlog_efficiency all[PITHLOG_HYBRID]);

/* What the lanes with MPI calls compute outside MPI, within the window. All fields are 0 if the log does not have the
 * counters `instructions` and `cycles` (PITH_COUNTERS). */
struct pithlog_computation {
    double instructions;    /* completed instructions of all these lanes */
    double ipc;             /* instructions per cycle */
    double cycles_a_second; /* cycles in each second outside MPI */
};
/* Reads the log if it has these counters. Returns PITH_OK or an error. */
PITHLOG_API int pithlog_analysis_computation(const struct pithlog_analysis *analysis,
                                             struct pithlog_computation *computation);

/* A change of the run. pithlog_analysis_what_if predicts how long the window would take with this change, by replaying
 * the log. */
struct pithlog_what_if {
    double network;  /* factor for the time of transfers; 1: as measured, 0: an ideal network */
    int is_fitted;   /* 1: a transfer is taken as a latency plus a time for each byte. Both are fitted to the transfers
                      * of each MPI function, separately within a host and between hosts. `network` is then the factor
                      * for the latency */
    double bytes;    /* if is_fitted: factor for the time of bytes */
    uint32_t state;  /* the state whose time is changed; PITHLOG_COMPUTING: time outside all states */
    uint32_t lane;   /* changed on this lane, and on threads of its rank that it waits for; UINT32_MAX: on all lanes */
    double factor;   /* factor for the time in the state; 1: as measured */
    int is_balanced; /* 1: in each phase, all lanes that compute do so for the same time, the mean of their times. A
                      * phase lies between two collectives in which all lanes with MPI calls wait for all, or between
                      * two stops for messages or collectives; the choice that makes the run shorter is used */
};
PITHLOG_API int pithlog_analysis_what_if(struct pithlog_analysis *analysis, const struct pithlog_what_if *what,
                                         double *run_ns);

/* The object that `pith analyze LOG --json` prints (share/pith/schemas), without functions and call sites, because
 * their names are in the program's files. The caller frees *json. `path`: the log's name in the commands that the
 * object suggests. Returns PITH_OK or an error, such as PITH_ERR_UNSUPPORTED if there are no records. */
PITHLOG_API int pithlog_analysis_json(struct pithlog_analysis *analysis, const char *path, char **json);

#ifdef __cplusplus
}
#endif
#endif /* PITHLOG_FINDINGS_H */
