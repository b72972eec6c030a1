/* analyze.h - what `pith analyze` prints. */
#ifndef PITHI_ANALYZE_H
#define PITHI_ANALYZE_H

#include <stdio.h>

#include "pithlog.h"
#include "tools/tools.h"

/* A kind of wait state, summed over all lanes. */
struct pithi_wait_group {
    uint32_t kind;
    int64_t ns;
    uint64_t instances;
    struct pithlog_wait_state worst;
    int64_t wrong_order_ns; /* late senders in the wrong order */
    uint64_t wrong_order;
    int64_t *of_state;      /* [definitions] */
    uint64_t *state_counts; /* [definitions] */
    unsigned char *lanes;   /* [lanes]: 1: has wait states of this kind */
};

/* Something that makes the run slow. */
struct pithi_finding {
    const char *name;
    double ns;  /* what it costs, over all lanes */
    char *text; /* lines for people, indented by 5 blanks */
    /* The longest wait state; then the last line of `text` is the command that shows it. NULL: none. */
    const struct pithlog_wait_state *worst;
};
#define PITHI_FINDING_LEAST 0.5 /* findings below this share of all lanes' time, in percent, are left out */

struct pithi_findings {
    struct pithlog *log;
    const char *path;
    struct pithlog_analysis *analysis;
    const struct pithlog_analysis_info *info;
    struct pithi_wait_group groups[PITHLOG_WAIT_KINDS]; /* by kind */
    struct pithi_finding *list;                         /* largest first */
    uint32_t count, ranks, hosts;
    size_t text_size;
    const struct pithlog_iterations *iterations;
    const char *iterations_of; /* the state that was given; NULL: none */
};

/* Opens and analyzes a log. PITH_ERR_DAMAGED with `analysis` set: parts of the log are left out. Call
 * pithi_findings_close also after an error. */
int pithi_findings_open(struct pithi_findings *findings, const char *path, const struct pithi_window_words *words);
/* Fills the other fields. */
int pithi_findings_make(struct pithi_findings *findings);
void pithi_findings_close(struct pithi_findings *findings);
/* Fills `list`. */
int pithi_findings_list(struct pithi_findings *findings);
/* `ns` in percent of the time of all lanes with MPI calls. */
double pithi_findings_percent(const struct pithi_findings *findings, double ns);
/* "rank 3"; "rank 3.1" if the rank has several threads. */
const char *pithi_findings_lane(const struct pithi_findings *findings, uint32_t lane, char text[32]);
/* The name of a state; "computing" outside all. */
const char *pithi_findings_state(const struct pithi_findings *findings, uint32_t state);

/* Explains a term: 0, or 2 after a message. */
int pithi_findings_explain(const struct pithi_findings *findings, const char *name, FILE *out);
/* Finds the iterations: PITH_OK, an error, or -2 after a message. */
int pithi_findings_find_iterations(struct pithi_findings *findings);
/* The part of the page about iterations. */
void pithi_findings_put_iterations(const struct pithi_findings *findings, FILE *out);

/* Parts of the page: the log and the window; a sentence on the lowest efficiency; the time outside the window. */
void pithi_findings_head(const struct pithi_findings *findings, FILE *out);
void pithi_findings_lowest(const struct pithi_findings *findings, FILE *out);
void pithi_findings_outside(const struct pithi_findings *findings, FILE *out);
/* The tree of efficiencies, each above those that it is the product of. */
enum { PITHI_EFFICIENCIES = 5 };
struct pithi_efficiency {
    int depth;
    const char *name, *meaning;
    size_t at; /* of its value in struct pithlog_analysis_info */
};
extern const struct pithi_efficiency pithi_efficiencies[PITHI_EFFICIENCIES];
double pithi_findings_efficiency(const struct pithi_findings *findings, uint32_t index);
/* Sums of one state over lanes, and the lane with most of it. */
struct pithi_state_sum {
    double ns, most_ns;
    uint32_t state, most;
};
/* The states with most time on the critical path, malloc'ed; NULL: no memory. */
struct pithi_state_sum *pithi_findings_path(const struct pithi_findings *findings, uint32_t *count);
/* "refine: 4.000 ms (67 %), on rank 0" */
void pithi_findings_put_sum(const struct pithi_findings *findings, const struct pithi_state_sum *sum, double all_ns,
                            FILE *out);
/* "on rank 0", or "most on rank 3 (40 %)" */
void pithi_findings_put_place(const struct pithi_findings *findings, const struct pithi_state_sum *sum, FILE *out);
/* Each returns PITH_OK or an error. */
int pithi_findings_page(const struct pithi_findings *findings, FILE *out);
/* Writes a page for a browser to `path`. `what_if`: lines, or NULL. */
int pithi_findings_html(const struct pithi_findings *findings, const char *path, const char *what_if);
int pithi_findings_csv(const struct pithi_findings *findings, FILE *out);
int pithi_findings_json(const struct pithi_findings *findings, FILE *out, int with_waits);

/* ---- Several logs of a program (analyze_compare.c) --------------------------------------------------------------- */

enum pithi_scaling { PITHI_SCALING_FIND, PITHI_SCALING_STRONG, PITHI_SCALING_WEAK };
enum { PITHI_COMPARE_MOST = 26 };
struct pithi_compare_query {
    char **paths;
    uint32_t count; /* 2 to PITHI_COMPARE_MOST */
    const struct pithi_window_words *words;
    enum pithi_text_style style;
    enum pithi_scaling scaling;
};
/* Prints the comparison. Returns an error after its message; PITH_ERR_DAMAGED: it covers the undamaged parts. */
int pithi_compare(const struct pithi_compare_query *query, FILE *out);
/* Prints what changed between two opened logs (analyze_changes.c): text, or a table for programs. */
int pithi_changes_print(struct pithi_findings findings[2], FILE *out, enum pithi_text_style style);

#endif
