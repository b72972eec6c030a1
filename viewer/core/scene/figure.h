/* figure.h - a whole picture: title, row labels, time lines, mountain ranges, axis and legend. The size and the rows
 * determine the layout. Any painter with text can draw it.
 */
#ifndef PITHI_FIGURE_H
#define PITHI_FIGURE_H

#include <stddef.h>

#include "core/scene/waiting.h"
#include "core/scene/plot.h"
#include "core/rows/legend.h"
#include "core/measure/ranges.h"

/* ---- Iterations, one below the other ----------------------------------------------------------------------------- */

/* The iterations of a program, one below the other, aligned at their starts.
 *
 * Each iteration is a band: a plot of its time, whose width is in proportion to its length; the longest iteration has
 * the full width. */
struct pithi_iteration_stack {
    const struct pithlog_iterations *all; /* the caller's */
    int64_t longest_ns;                   /* length of the longest iteration; 0: load sets it */
    double pitch;                         /* pixels from band to band */
    struct pithi_plot *bands;             /* [count] */
    uint32_t *chosen;                     /* [count] indices into all->all */
    uint32_t count;
};

/* Chooses at most `most` of the iterations that begin in [t0, t1). If there are more, chooses slow iterations, and
 * others evenly. Returns their indices, [*count] in time order, to be freed. */
uint32_t *pithi_iteration_stack_choose(const struct pithlog_iterations *all, int64_t t0_ns, int64_t t1_ns,
                                       uint32_t most, uint32_t *count);
/* Loads a band for each of stack->chosen. `like` has the log, the rows and the look of all bands, the place of the
 * first band and the width of the longest one. Messages are not drawn. Returns 0 or an enum pith_err; after
 * PITH_ERR_DAMAGED the readable part can be drawn. */
int pithi_iteration_stack_load(struct pithi_iteration_stack *stack, const struct pithi_plot *like);
void pithi_iteration_stack_draw(const struct pithi_iteration_stack *stack, const struct pithi_painter *painter);
/* Frees the bands and `chosen`. */
void pithi_iteration_stack_free(struct pithi_iteration_stack *stack);

/* Writes the label of an iteration: its number and its length, such as "12" and "4.1 ms". */
void pithi_iteration_label(const struct pithlog_iterations *all, uint32_t index, char *text, size_t size);
/* Writes why an iteration is slow: "+1.2 ms refine on rank 3"; "" if it is not among the slowest. */
void pithi_iteration_reason(const struct pithlog *log, const struct pithlog_iterations *all, uint32_t index, char *text,
                            size_t size);
/* Returns 1 if the iteration is slow. */
int pithi_iteration_is_slow(const struct pithlog_iterations *all, uint32_t index);

/* ---- The figure -------------------------------------------------------------------------------------------------- */

enum pithi_legend_place { PITHI_LEGEND_BOTTOM, PITHI_LEGEND_RIGHT, PITHI_LEGEND_NONE };

/* ---- Mountain ranges --------------------------------------------------------------------------------------------- */

struct pithi_figure_ranges {
    double height; /* of the mountains, pixels; 0: no ranges */
    /* Made by load: */
    struct pithi_ranges *ranges;
    uint32_t *order; /* states, by their time, the largest first */
    uint32_t order_count;
    int threads; /* 1: some lanes are threads other than the first */
};

/* Returns the height of the ranges with the gap above them, or 0 if there are no ranges. */
double pithi_figure_ranges_room(const struct pithi_figure_ranges *block);
/* Counts the lanes of a plot's rows in its window and columns. Returns 0 or an enum pith_err; after an error the
 * readable part can be drawn. */
int pithi_figure_ranges_load(struct pithi_figure_ranges *block, const struct pithi_plot *plot);
/* Draws with the upper edge at `y`, on `width` pixels from the plot's left; labels begin at `left`. */
void pithi_figure_ranges_draw(const struct pithi_figure_ranges *block, const struct pithi_plot *plot, double left,
                              double y, double width, const struct pithi_painter *painter);
void pithi_figure_ranges_free(struct pithi_figure_ranges *block);

/* ---- The picture ------------------------------------------------------------------------------------------------- */

struct pithi_figure {
    const char *title;
    struct pithi_plot plot; /* log, digest, rgb, t0_ns, t1_ns, rows, row_count, hidden, most_arrows: the caller's */
    /* of the picture, in pixels; height 0: pithi_figure_load sets the height that the rows need */
    double width, height;
    double row_height; /* pixels; 0: as the size of the picture allows */
    /* columns of the query; 0: one for each pixel. If there are fewer columns than pixels, each column is drawn
     * wider */
    uint32_t columns;
    double density; /* columns per pixel, if above 1; 0: 1 */
    /* pixels; keeps the time lines in place when other rows are drawn; 0: as the labels need */
    double least_label_width;
    uint32_t per; /* number of rows to draw as one; increased if a row would be lower than a pixel; 0: 1 */
    enum pithi_legend_place place;
    int no_arrows; /* 1: messages are counted, not drawn */
    int stats;     /* a table of counts and times below the picture, instead of a legend */
    int findings;  /* 1: a list of where the run waits most, and marks at the longest wait states */
    /* iterations to draw, one below the other, instead of the time lines; NULL: the time lines are drawn */
    const struct pithlog_iterations *iterations;
    struct pithi_figure_ranges ranges; /* below the rows; .height 0: none */
    /* Made by pithi_figure_load: */
    double ranges_y, axis_y, label_width, plot_width; /* in pixels, unlike plot.width */
    int is_unfolded;                                  /* 1: a row shows one level of its lane */
    double band_label_width;                          /* the part of label_width for iterations */
    struct pithi_groups groups;                       /* groups of rows that are drawn as one row */
    const struct pithi_row *rows;                     /* [row_count] the caller's rows */
    uint32_t row_count;
    struct pithi_legend_entry *legend;
    uint32_t legend_count;
    struct pithi_legend_plan below, beside;
    /* its bands have the rows and the place of `plot`; `plot` itself is loaded only for the legend */
    struct pithi_iteration_stack stack;
    struct pithi_wait_sum *found; /* [found_count] the sums in the list of findings */
    uint32_t found_count;
};

enum { PITHI_FIGURE_LEAST_WIDTH = 240, PITHI_FIGURE_LEAST_HEIGHT = 120, PITHI_FIGURE_MOST = 32000 }; /* pixels */
/* the most lines in the list of findings; the most bands of iterations */
enum { PITHI_FIGURE_WAIT_SUMS = 6, PITHI_FIGURE_ITERATIONS = 24 };

/* Returns how many rows of `row_height` have room in a picture of `height` without legend and findings; at least 1. */
uint32_t pithi_figure_rows_fit(double height, double row_height);
/* Returns the width that the labels of these rows need, as `painter` measures text. */
double pithi_figure_label_width(const struct pithlog *log, const struct pithi_row *rows, uint32_t count,
                                const struct pithi_painter *painter);
/* Queries the log and makes the layout. `painter` only measures text. Returns 0 or an enum pith_err: PITH_ERR_USAGE if
 * the figure is too small for the rows; after PITH_ERR_DAMAGED, the readable part can be drawn. */
int pithi_figure_load(struct pithi_figure *figure, const struct pithi_painter *painter);
void pithi_figure_draw(const struct pithi_figure *figure, const struct pithi_painter *painter);
/* Writes the line below the title: "4 ranks, 3 120 records, 19 ms". */
void pithi_figure_subtitle(const struct pithi_figure *figure, char *text, size_t size);
/* Frees the memory, and gives the plot the caller's rows again. */
void pithi_figure_free(struct pithi_figure *figure);

#endif
