/* analyze.h - `pith analyze`: the functions that find and print the parts of its output. */
#ifndef PITHI_ANALYZE_H
#define PITHI_ANALYZE_H

#include <stdio.h>

#include "analysis/findings.h"
#include "tools/tools.h"

/* Opens and analyzes a log. Returns PITH_OK or an error. If PITH_ERR_DAMAGED is returned and `analysis` is set, the
 * analysis covers the readable parts of the log. Call pithi_findings_close also after an error. */
int pithi_findings_open(struct pithi_findings *findings, const char *path, const struct pithi_window_words *words,
                        const struct pithlog_filter *filter);
/* Fills the fields that pithi_findings_open leaves empty, except those that the pithi_findings_find functions below
 * fill, and `trust`. */
int pithi_findings_make(struct pithi_findings *findings);
void pithi_findings_close(struct pithi_findings *findings);

/* Returns the name of a term that pithi_findings_explain knows. `number` counts from 0; past the last term, returns
 * NULL. */
const char *pithi_findings_term(size_t number);
/* Prints what a term means. Returns 0, or 2 if the term is unknown; then it has printed a message. */
int pithi_findings_explain(const struct pithi_findings *findings, const char *name, FILE *out);
/* Finds the iterations. Returns PITH_OK, an error, or -2 if the log has no state with the name that --iterations gives;
 * then it has printed a message. */
int pithi_findings_find_iterations(struct pithi_findings *findings);
/* Writes the iterations in which a finding costs time to `text`, as "in iterations 3 to 9 of 20", or "" if they are
 * unknown. Returns `text`. */
const char *pithi_findings_range(const struct pithi_findings *findings, const struct pithlog_finding *finding,
                                 char text[80]);
/* Finds the answer, the sentence on what costs most. Call pithi_findings_find_iterations before. Returns PITH_OK or an
 * error. */
int pithi_findings_find_answer(struct pithi_findings *findings);
/* Fills `answer_site`, and `sites` if `all`. Both stay NULL if the log has no call sites. Returns PITH_OK or
 * PITH_ERR_MEMORY. */
int pithi_findings_find_sites(struct pithi_findings *findings, int all);
/* Prints the section of the page on iterations. */
void pithi_findings_put_iterations(const struct pithi_findings *findings, FILE *out);

/* Breaks a text at blanks into lines of at most 79 columns, and writes each line after `indent`. */
void pithi_findings_wrap(const char *text, const char *indent, FILE *out);
/* Returns 1 if the finding is shown to people. pithi_findings_unlisted prints a line with the number of findings for
 * which it returns 0. */
int pithi_findings_is_listed(const struct pithlog_finding *finding);
void pithi_findings_unlisted(const struct pithi_findings *findings, FILE *out);
/* Prints a line: the shares of the time in which ranks compute, wait, use files and move data. */
void pithi_findings_sums(const struct pithi_findings *findings, FILE *out);
/* These five functions print parts of the page: the log and the window that is analysed; how far the analysis can be
 * trusted; a sentence on the lowest efficiency, unless the known part is too short to judge the run; a sentence on
 * instructions and cycles, if they are known; the time outside the window. */
void pithi_findings_head(const struct pithi_findings *findings, FILE *out);
void pithi_findings_trust(const struct pithi_findings *findings, FILE *out);
void pithi_findings_lowest(const struct pithi_findings *findings, FILE *out);
void pithi_findings_ipc(const struct pithi_findings *findings, FILE *out);
void pithi_findings_outside(const struct pithi_findings *findings, FILE *out);
/* Writes a note to stderr if the known part is too short to judge the run. Called for CSV and JSON output, which has no
 * place for such a note. */
void pithi_findings_note_short(const struct pithi_findings *findings);
/* Prints the whole page. This function and the functions below return PITH_OK or an error. */
int pithi_findings_page(const struct pithi_findings *findings, FILE *out);
/* Prints the section on communication; prints nothing if the program sends little. */
int pithi_findings_put_communication(const struct pithi_findings *findings, FILE *out);
/* Writes a page for a browser to `path`. `what_if` has the lines that --what-if prints; NULL: no --what-if was
 * given. */
int pithi_findings_html(const struct pithi_findings *findings, const char *path, const char *what_if);

/* ---- Several logs of a program (analyze_compare.c) --------------------------------------------------------------- */

enum pithi_scaling { PITHI_SCALING_FIND, PITHI_SCALING_STRONG, PITHI_SCALING_WEAK };
enum { PITHI_COMPARE_MOST = 26 }; /* the most logs that are compared; each is named by a letter */
struct pithi_compare_query {
    char **paths;
    uint32_t count; /* 2 to PITHI_COMPARE_MOST */
    const struct pithi_window_words *words;
    const struct pithlog_filter *filter; /* NULL: none */
    enum pithi_text_style style;
    enum pithi_scaling scaling;
};
/* Prints the comparison. Returns PITH_OK, or an error whose message it has printed. If it returns PITH_ERR_DAMAGED, it
 * has compared the readable parts of the logs. */
int pithi_compare(const struct pithi_compare_query *query, FILE *out);
/* Prints what changed between two opened logs, as text or as a table for programs (analyze_changes.c). */
int pithi_changes_print(struct pithi_findings findings[2], FILE *out, enum pithi_text_style style);

#endif
