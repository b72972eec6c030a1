/* waiting.h - wait states and the critical path in a plot.
 *
 * A column is hatched if at least half of the time that its bar covers is waiting: lines in the state's colour on a
 * paler ground. Transfer stays plain. The critical path is a line through the bars of the lanes that it visits, with
 * vertical steps between them; in each column it is on the lane that has most of the path. */
#ifndef PITHI_WAITING_H
#define PITHI_WAITING_H

#include "core/plot.h"

/* Draw the plot's analysis, if there is one and plot->waits or plot->path is set: the wait states of the rows
 * [from, to), which are noted in `hatched` (pithi_names_draw), and the path over all rows. */
void pithi_waits_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to,
                      unsigned char *hatched);
void pithi_path_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);

/* A window of an analysis. */
struct pithi_analysis_window {
    const struct pithlog_analysis *analysis;
    int64_t t0_ns, t1_ns;
    uint32_t width; /* columns */
};
/* Finds the columns of a row that wait. `cells` are those of this window, and the row is their row `at`. level[c] is
 * the nesting level of the waiting state in column c; PITHI_NONE: it does not wait. */
void pithi_waits_columns(const struct pithi_analysis_window *window, const struct pithi_row *row,
                         const struct pithi_cells *cells, uint32_t at, uint32_t *level);
/* row[c] is the row that has most of the path in column c; PITHI_NONE: its lane is not shown, or there is no path. */
void pithi_path_columns(const struct pithi_analysis_window *window, const uint32_t *row_of_lane, uint32_t *row);

/* The longest wait state of the call that is in `state` on `lane` during [from_ns, to_ns). NULL: it does not wait. */
const struct pithlog_wait_state *pithi_wait_of(const struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                                               int64_t from_ns, int64_t to_ns);
#endif
