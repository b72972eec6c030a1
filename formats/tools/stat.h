/* stat.h - the functions that make the tables of `pith stat`, each from one pass over the log. */
#ifndef PITHI_STAT_H
#define PITHI_STAT_H

#include "pithlog.h"
#include "tools/histogram.h"
#include "tools/table.h"

/* Which part of the log to count (everything that overlaps a window of time on some lanes), and what to show of it. */
struct pithi_stat_query {
    int64_t from_ns, to_ns; /* inclusive, within the times of the log */
    int cut;                /* 1: the window is shorter than the log */
    const uint32_t *lanes;  /* ascending; NULL: all */
    uint32_t lane_count;
    const unsigned char *wanted;         /* by lane: if not 0, count the lane; NULL: all */
    const struct pithlog_filter *filter; /* count only what the filter matches; NULL: all */
    const char *state_glob;              /* only states, events and counters with a name that matches (fnmatch); NULL:
                                            all */
    int waits;                           /* in tables by state, also show wait and transfer */
    int all_frames;                      /* in tables from samples, also show functions around main and inside MPI */
    int for_people;                      /* 1: show the table by state and lane as a matrix */
    uint32_t longest;                    /* number of instances to list */
};

/* Each function makes *table, which the caller frees. PITH_OK or an error. */
int pithi_stat_states(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_states_of_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_longest(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_pairs(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_sizes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_waits(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);

/* From samples (stat_samples.c, stat_lines.c): the time by function, by call path and by source line. */
int pithi_stat_functions(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_lines(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
int pithi_stat_callpaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
/* The time of states by path, the list of open states from the outermost to the innermost (stat_samples.c). */
int pithi_stat_statepaths(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
/* The calls of MPI by call site (stat_sites.c). */
int pithi_stat_sites(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
/* A flame graph of the call paths. FOLDED: a line "main;step;solve 12" for each path in which samples ended, the input
 * of other tools; SPEEDSCOPE: JSON for speedscope.app; LOG: a log, by time (symbols/flame_log.h), needs a path. `path`
 * NULL: standard output. */
enum pithi_flame { PITHI_FLAME_SVG, PITHI_FLAME_FOLDED, PITHI_FLAME_SPEEDSCOPE, PITHI_FLAME_LOG };
int pithi_stat_flame(struct pithlog *log, const struct pithi_stat_query *query, enum pithi_flame kind,
                     const char *path);

/* The function in which `lane` computes longer than the mean of the other lanes with the same thread number, by the
 * samples of a window: "half_work (work.c:12), called from step". "": not known. */
int pithi_stat_longer(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, char *text, size_t size);

/* Adds the cells mean, min, p50, p95, p99 and max. */
void pithi_stat_lengths(struct pithi_report *table, const struct pithi_histogram *lengths);

/* 1: the definition, or computing (NULL), has a row. */
int pithi_stat_shows(const struct pithi_stat_query *query, const struct pithlog_def *def);

/* Calls `add` for each wait state that overlaps the query; wait_ns: the part of it in the window (stat_waits.c). */
int pithi_stat_each_wait(struct pithlog *log, const struct pithi_stat_query *query,
                         void (*add)(void *context, const struct pithlog_wait_state *wait, int64_t wait_ns),
                         void *context);

#endif
