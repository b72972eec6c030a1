/* stat.h - the functions that make the tables of `pith stat`, each from one pass over the log. */
#ifndef PITHI_STAT_H
#define PITHI_STAT_H

#include "pithlog.h"
#include "tools/histogram.h"
#include "tools/table.h"

/* Which part of the log is counted, and what is shown of it. Counted is all that overlaps a window on some lanes. */
struct pithi_stat_query {
    int64_t from_ns, to_ns; /* inclusive, within the times of the log */
    int cut;                /* 1: the window is shorter than the log */
    const uint32_t *lanes;  /* ascending; NULL: all */
    uint32_t lane_count;
    const unsigned char *wanted;         /* [lane]: 1 if the lane is counted; NULL: all are counted */
    const struct pithlog_filter *filter; /* only what the filter matches is counted; NULL: all */
    const char *state_glob; /* only states, events and counters whose name matches (fnmatch) are shown; NULL: all */
    int waits;              /* 1: tables by state also show wait and transfer */
    int all_frames;         /* 1: tables from samples also show functions around main and inside MPI */
    int for_people;         /* 1: the table by state and lane is a matrix */
    uint32_t longest;       /* the number of instances to list */
};

/* Each of the following functions makes a table, *table, which the caller frees. Each returns PITH_OK or an error. */
int pithi_stat_states(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_states_of_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_longest(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_pairs(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_sizes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_waits(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);

/* These three make tables from samples: the time by function, source line and call path (stat_samples.c,
 * stat_lines.c). */
int pithi_stat_functions(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_lines(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_callpaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
/* Makes a table of the time by path of states. A path is the list of open states from the outermost to the innermost
 * (stat_samples.c). */
int pithi_stat_statepaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
/* Makes a table of the MPI calls by call site (stat_sites.c). */
int pithi_stat_sites(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
/* Writes a flame graph of the call paths to the file `path`, or to standard output if `path` is NULL. SVG is a picture.
 * FOLDED is the input of other tools: a line "main;step;solve 12" for each path and its number of samples. SPEEDSCOPE
 * is JSON for speedscope.app. LOG is a log with the functions as states in time (symbols/flame_log.h); it needs a
 * path. */
enum pithi_flame { PITHI_FLAME_SVG, PITHI_FLAME_FOLDED, PITHI_FLAME_SPEEDSCOPE, PITHI_FLAME_LOG };
int pithi_stat_flame(struct pithlog *log, const struct pithi_stat_query *query, enum pithi_flame kind,
                     const char *path);

/* Finds the function in which `lane` computes longer than the other lanes with the same thread number do on average,
 * from the samples in a window. Writes it to `text`, as "half_work (work.c:12), called from step"; "" if there is no
 * such function. */
int pithi_stat_longer(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, char *text, size_t size);

/* Fills six cells of the row: mean, min, p50, p95, p99 and max of the lengths. */
void pithi_stat_lengths(struct pithi_report *table, const struct pithi_histogram *lengths);

/* Returns 1 if the query shows a row for the definition `def`; for `def` NULL, if it shows computing. */
int pithi_stat_shows(const struct pithi_stat_query *query, const struct pithlog_def *def);

/* Calls `add` for each wait state that overlaps the window on the query's lanes. wait_ns is the length of that part of
 * the wait state that lies in the window (stat_waits.c). */
int pithi_stat_each_wait(struct pithlog *log, const struct pithi_stat_query *query,
                         void (*add)(void *context, const struct pithlog_wait_state *wait, int64_t wait_ns),
                         void *context);

#endif
