/* analyze.h - what `pith analyze` prints. */
#ifndef PITHI_ANALYZE_H
#define PITHI_ANALYZE_H

#include <stdio.h>

#include "analysis/findings.h"
#include "tools/tools.h"

/* Opens and analyzes a log. PITH_ERR_DAMAGED with `analysis` set: parts of the log are left out. Call
 * pithi_findings_close also after an error. */
int pithi_findings_open(struct pithi_findings *findings, const char *path, const struct pithi_window_words *words,
                        const struct pithlog_filter *filter);
/* Fills the other fields, except `trust`, `iterations` and `answer`. */
int pithi_findings_make(struct pithi_findings *findings);
void pithi_findings_close(struct pithi_findings *findings);

/* The terms that are explained: number from 0; NULL past the last. */
const char *pithi_findings_term(size_t number);
/* Explains a term: 0, or 2 after a message. */
int pithi_findings_explain(const struct pithi_findings *findings, const char *name, FILE *out);
/* Finds the iterations: PITH_OK, an error, or -2 after a message. */
int pithi_findings_find_iterations(struct pithi_findings *findings);
/* The iterations in which a finding costs time: "in iterations 3 to 9 of 20"; "": unknown. Returns `text`, or "". */
const char *pithi_findings_range(const struct pithi_findings *findings, const struct pithlog_finding *finding,
                                 char text[80]);
/* Finds the answer, after the iterations. PITH_OK or an error. */
int pithi_findings_find_answer(struct pithi_findings *findings);
/* Fills `answer_site`, and `sites` if `all`. Without call sites they stay NULL. PITH_OK or PITH_ERR_MEMORY. */
int pithi_findings_find_sites(struct pithi_findings *findings, int all);
/* The part of the page about iterations. */
void pithi_findings_put_iterations(const struct pithi_findings *findings, FILE *out);

/* Writes a text in lines of at most 79 columns, broken at blanks, each after `indent`. */
void pithi_findings_wrap(const char *text, const char *indent, FILE *out);
/* 1: the finding is shown to people. pithi_findings_unlisted prints a line with the number of the other findings. */
int pithi_findings_is_listed(const struct pithlog_finding *finding);
void pithi_findings_unlisted(const struct pithi_findings *findings, FILE *out);
/* Prints a line: the shares of the time in which ranks compute, wait, use files and move data. */
void pithi_findings_sums(const struct pithi_findings *findings, FILE *out);
/* Parts of the page, in this order: the log and the window; how far the analysis can be trusted; a sentence on the
 * lowest efficiency, unless the part without holes is too short to judge the run; a sentence on instructions and
 * cycles, if they are known; the time outside the window. */
void pithi_findings_head(const struct pithi_findings *findings, FILE *out);
void pithi_findings_trust(const struct pithi_findings *findings, FILE *out);
void pithi_findings_lowest(const struct pithi_findings *findings, FILE *out);
void pithi_findings_ipc(const struct pithi_findings *findings, FILE *out);
void pithi_findings_outside(const struct pithi_findings *findings, FILE *out);
/* Writes a note to stderr if the part without holes is too short to judge the run. For CSV and JSON, which have no
 * place for it. */
void pithi_findings_note_short(const struct pithi_findings *findings);
/* The functions from here on return PITH_OK or an error. */
int pithi_findings_page(const struct pithi_findings *findings, FILE *out);
/* The section on communication; nothing if little is sent. */
int pithi_findings_put_communication(const struct pithi_findings *findings, FILE *out);
/* Writes a page for a browser to `path`. `what_if`: the lines of the what-ifs, or NULL. */
int pithi_findings_html(const struct pithi_findings *findings, const char *path, const char *what_if);

/* ---- Several logs of a program (analyze_compare.c) --------------------------------------------------------------- */

enum pithi_scaling { PITHI_SCALING_FIND, PITHI_SCALING_STRONG, PITHI_SCALING_WEAK };
enum { PITHI_COMPARE_MOST = 26 }; /* as each log is named by a letter */
struct pithi_compare_query {
    char **paths;
    uint32_t count; /* 2 to PITHI_COMPARE_MOST */
    const struct pithi_window_words *words;
    const struct pithlog_filter *filter; /* NULL: none */
    enum pithi_text_style style;
    enum pithi_scaling scaling;
};
/* Prints the comparison. Returns an error after its message; PITH_ERR_DAMAGED: it covers the undamaged parts. */
int pithi_compare(const struct pithi_compare_query *query, FILE *out);
/* Prints what changed between two opened logs (analyze_changes.c): text, or a table for programs. */
int pithi_changes_print(struct pithi_findings findings[2], FILE *out, enum pithi_text_style style);

#endif
