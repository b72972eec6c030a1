/* waiting.h - draws over the bars of a plot: wait states, the critical path, and time without a core.
 *
 * A column is hatched if at least half of the time that its bar covers is waiting: lines in the state's colour on a
 * paler ground. Time in which a call transfers data stays plain. The critical path is a line through the bars of the
 * lanes that it visits, with vertical steps between them; in each column the line is on the lane that has most of the
 * path. */
#ifndef PITHI_WAITING_H
#define PITHI_WAITING_H

#include <pithlog_findings.h>

#include "core/scene/plot.h"

/* Draw the plot's analysis, if the plot has one and plot->waits or plot->path is set: the wait states of the rows
 * [from, to), and the path over all rows. The columns of wait states are marked in `hatched` (pithi_names_draw). */
void pithi_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to,
                      unsigned char *hatched);
/* Returns the colour of the ground below the lines where a bar of the colour `rgb` waits. */
uint32_t pithi_waits_ground(uint32_t rgb);
void pithi_path_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);

/* A window of an analysis. */
struct pithi_analysis_window {
    const struct pithlog_analysis *analysis;
    int64_t t0_ns, t1_ns; /* [t0, t1) */
    uint32_t width;       /* columns */
};
/* Finds the columns of a row that wait. `cells` are the cells of this window, in which the row has the index `at`. Sets
 * level[c] to the nesting level of the waiting state in column c, or to PITHI_NONE if the column does not wait. */
void pithi_waits_columns(const struct pithi_analysis_window *window, const struct pithi_row *row,
                         const struct pithi_cells *cells, uint32_t at, uint32_t *level);
/* Sets row[c] to the row that has most of the path in column c, or to PITHI_NONE if the path's lane is not shown or the
 * column has no path. */
void pithi_path_columns(const struct pithi_analysis_window *window, const uint32_t *row_of_lane, uint32_t *row);

/* Returns the longest wait state in [from_ns, to_ns) of the calls on `lane` that are in `state`, or NULL if they do not
 * wait. */
const struct pithlog_wait_state *pithi_wait_of(const struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                                               int64_t from_ns, int64_t to_ns);

/* Sets the view [*from_ns, *to_ns), which has the place of a finding in its middle, with half the place's length on
 * each side. The view is cut at the ends of the analyzed window, unless the place itself reaches beyond them. */
void pithi_view_of_place(const struct pithlog_analysis *analysis, const struct pithlog_finding_place *place,
                         int64_t *from_ns, int64_t *to_ns);

/* ---- Sums of wait states ----------------------------------------------------------------------------------------- */

/* Where a run waits most: the wait states of an analysis, summed by kind and MPI function. */
struct pithi_wait_sum {
    uint32_t kind, state; /* enum pithlog_wait_kind; the MPI function */
    uint64_t count;       /* wait states */
    int64_t ns;           /* total time of these wait states */
    double share;         /* of the time of all lanes in the analyzed window, 0 to 1 */
    const struct pithlog_wait_state *longest;
};

/* Returns [*count] sums, the largest first, to be freed. They are valid as long as the analysis. */
struct pithi_wait_sum *pithi_wait_sums_make(const struct pithlog *log, const struct pithlog_analysis *analysis,
                                            uint32_t *count);
/* Returns the longest wait states of a kind, the longest first, at most `most`. The array [*count] is to be freed. */
const struct pithlog_wait_state **pithi_waits_longest(const struct pithlog *log,
                                                      const struct pithlog_analysis *analysis, uint32_t kind,
                                                      uint32_t most, uint32_t *count);

/* Writes the kind and the MPI function: "late sender in MPI_Recv". */
void pithi_wait_sum_name(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size);
/* Writes the numbers: "16.5 s, 52.5 %, 884 times; longest: rank 0 waits 53.2 ms for rank 1 at 3.32 s". */
void pithi_wait_sum_text(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size);

/* ---- Time without a core ----------------------------------------------------------------------------------------- */

/* The time in which threads could run but had no core, as the system counts it (PITH_COUNTERS=run-delay), and its
 * hatching in a plot.
 *
 * A thread reads its counter when it enters or leaves a state, and at each sample. If the counter grows between two
 * values, the thread had no core for that time somewhere between them; the time counts as evenly spread:
 *
 *     value 0 at 100, value 40 at 200, value 40 at 300     40 % of [100, 200) without a core; of [150, 300) 20 ns
 *
 * A column is hatched if the thread had no core for at least half of its time. */
struct pithi_core_waits {
    struct pithi_core_waits_lane {
        struct pithi_core_wait {
            int64_t from_ns, to_ns; /* between two values of the counter */
            int64_t ns;             /* without a core; > 0 */
        } * items;                  /* by time */
        uint32_t count, capacity;
    } * lanes; /* [lane_count] */
    uint32_t lane_count;
};

/* Returns 1 if the log has this counter. */
int pithi_core_waits_possible(const struct pithlog *log);
/* Reads the counter's values in the whole log. Returns PITH_OK; PITH_ERR_STOPPED if the watch stopped the reading; or
 * PITH_ERR_DAMAGED if only the undamaged values were read. `waits` must be zeroed; free it afterwards. */
int pithi_core_waits_read(struct pithlog *log, const struct pithi_watch *watch, struct pithi_core_waits *waits);
void pithi_core_waits_free(struct pithi_core_waits *waits);

/* Returns the time of [from_ns, to_ns) in which the lane had no core. */
int64_t pithi_core_waits_ns(const struct pithi_core_waits *waits, uint32_t lane, int64_t from_ns, int64_t to_ns);
/* Hatches the rows [from, to) of single lanes, if plot->core_waits is set, and marks the columns in `hatched`
 * (pithi_names_draw). */
void pithi_core_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from,
                           uint32_t to, unsigned char *hatched);

#endif
