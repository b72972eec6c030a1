/* plot.h - the time lines: rows of bars, ticks, events, counter graphs and arrows, without axis and labels.
 *
 *     struct pithi_plot plot = {.log = log, .digest = digest, .rgb = rgb, .t0_ns = ..., .rows = rows, .row_count = n,
 *                               .width = 800, .row_height = 20, .most_arrows = 2000};
 *     pithi_plot_load(&plot);            queries the log (query.h)
 *     pithi_plot_draw(&plot, &painter);  any number of times, with any painter
 *     pithi_plot_free(&plot);
 *
 * How it looks: a light band shows the life of a lane. Outermost states fill the bar; inner states are thinner bars
 * inside it. A column that is covered by less than half has a lower bar. Ticks hang from the foot of the bar; events
 * are small triangles above it. Pauses of the recording are hatched, and so is waiting (waiting.h). Arrows go from the
 * middle of one bar to the middle of another. The bar of a group is as high as the share of its lanes' time that is
 * covered. */
#ifndef PITHI_PLOT_H
#define PITHI_PLOT_H

#include <pithlog.h>

#include "core/scene/arrows.h"
#include "core/scene/flames.h"
#include "core/cells/interruptions.h"
#include "core/scene/notes.h"
#include "core/raster/painter.h"
#include "core/cells/query.h"

struct pithi_bar_sheet;
struct pithi_core_waits;

struct pithi_plot {
    struct pithlog *log;
    const struct pithlog_digest *digest; /* NULL: no arrows and graphs */
    /* the selected messages (messages.h), drawn as arrows; NULL: all messages of `digest` */
    const struct pithlog_digest *picked;
    const uint32_t *rgb;  /* [defs], see palette.h */
    int64_t t0_ns, t1_ns; /* [t0, t1) */
    /* local time of time 0, for the axis (axis.h); 0: times from the log's start */
    int64_t clock_ns;
    const struct pithi_row *rows;
    uint32_t row_count;
    const unsigned char *hidden;       /* [defs] or NULL */
    const struct pithi_flames *flames; /* NULL: no row shows functions */
    double x, y;                       /* upper left corner */
    uint32_t width;                    /* pixels = columns */
    double row_height;
    uint32_t most_arrows;
    int no_messages;   /* 1: messages are neither drawn nor counted, because counting may have to read all of them */
    int arrows_single; /* 1: messages are not bundled, even if they cover much of the plot */
    int arrows_auto;   /* 1: no arrows if they would cover more than PITHI_ARROWS_COVER of the plot */
    enum pithi_arrows_before { PITHI_NONE_BEFORE, PITHI_DRAWN_BEFORE, PITHI_LEFT_OUT_BEFORE } arrows_before;
    int moving; /* 1: crowds of arrows are estimated and only some are drawn, so that the picture is done soon */
    const struct pithi_interruptions *interruptions; /* NULL: not shown */
    struct pithlog_summary *summary;                 /* NULL: records are read */
    enum pithi_care care;                            /* how exact the cells are; used only with a summary */
    const struct pithlog_analysis *analysis;         /* NULL: none */
    const struct pithi_core_waits *core_waits;       /* waiting.h; NULL: not shown */
    /* each 1: the wait states of the analysis are drawn (waiting.h); its critical path is drawn */
    int waits, path;
    int64_t lit_from_ns, lit_to_ns;  /* the selection: everything outside is drawn pale; from >= to: none */
    const struct pithi_notes *notes; /* NULL: not shown */
    int note_texts;                  /* 1: the flags of notes have texts */
    int names; /* 1: bars with room have the name of their state, and its duration; needs a painter with text */

    /* Made by pithi_plot_load: */
    /* the number of rows with cells, and the sums over them; the cells themselves are in `lines` */
    struct pithi_cells cells;
    struct pithi_cells *lines; /* [cells.rows] one row each, owned by the plot, or by the cell cache (cell_cache.h) */
    int lines_made;            /* 1: the plot owns the lines */
    uint32_t *cell_row; /* [row_count] index into `lines`; PITHI_NONE: a counter; the bands of a lane have the same */
    uint32_t *plot_row; /* [cells.rows] index into `rows`; if several bands share the cells, the first band */
    struct pithi_arrows arrows;
    struct pithi_graphs *graphs; /* NULL: none */
};

/* Queries the log for all that is drawn. Returns 0 or an enum pith_err. After an error other than PITH_ERR_USAGE the
 * readable part can be drawn. */
int pithi_plot_load(struct pithi_plot *plot);
/* If the cells come from the cell cache, a plot is loaded in parts. pithi_plot_prepare sets cell_row, plot_row and
 * cells.rows; then the caller sets `lines`; pithi_plot_load_arrows loads arrows and graphs. */
void pithi_plot_prepare(struct pithi_plot *plot);
void pithi_plot_load_arrows(struct pithi_plot *plot);
void pithi_plot_find_arrows(struct pithi_plot *plot); /* the same without graphs */
void pithi_plot_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);
/* To draw in parts (bands.h), draw the rows [from, to) of each part; then arrows and events, over all rows. `sheet` is
 * NULL for painters without strips. */
void pithi_plot_draw_rows(const struct pithi_plot *plot, const struct pithi_painter *painter,
                          struct pithi_bar_sheet *sheet, uint32_t from, uint32_t to);
void pithi_plot_draw_over(const struct pithi_plot *plot, const struct pithi_painter *painter);
void pithi_plot_free(struct pithi_plot *plot);
/* Sets *exact to a copy of a bundle with better numbers, for which it reads the bundle's messages. Returns what
 * pithi_arrows_look returns. */
int pithi_plot_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, struct pithi_bundle *exact);

/* Return the log whose states a row shows, and the colours of these states. */
static inline struct pithlog *pithi_plot_log(const struct pithi_plot *plot, uint32_t row)
{
    return plot->rows[row].kind == PITHI_ROW_FUNCTIONS ? plot->flames->log : plot->log;
}
static inline const uint32_t *pithi_plot_rgb(const struct pithi_plot *plot, uint32_t row)
{
    return plot->rows[row].kind == PITHI_ROW_FUNCTIONS ? plot->flames->rgb : plot->rgb;
}

/* Returns the x of a time, which may be far outside the plot. */
double pithi_plot_x(const struct pithi_plot *plot, int64_t time_ns);
/* Returns the upper edge of a row. */
double pithi_plot_row_top(const struct pithi_plot *plot, uint32_t row);
/* Sets the place of the bar of a nesting level, relative to the top of its row. */
void pithi_plot_bar(double row_height, uint32_t level, double *top, double *height);
/* Sets the levels [*from, *to) that a row shows: all levels of its cells, or only the level of its band. */
void pithi_plot_levels(const struct pithi_plot *plot, uint32_t row, uint32_t *from, uint32_t *to);
/* Returns 1 if records are missing in the plot, because the file is damaged or records were lost. */
int pithi_plot_has_missing(const struct pithi_plot *plot);
/* Sets the place of the bar of a level of this row, in the plot. */
void pithi_plot_row_bar(const struct pithi_plot *plot, uint32_t row, uint32_t level, double *top, double *height);
/* Sets the range of x, within the plot, in which the lanes of a row have records. If *left >= *right, there are no
 * records in the plot. */
void pithi_plot_life(const struct pithi_plot *plot, uint32_t row, double *left, double *right);
/* Returns 1 if a line separates the row from the row above. */
int pithi_plot_is_separated(const struct pithi_plot *plot, uint32_t row);
/* Draws the triangle of a solo event, which points down, with its upper edge at y. */
void pithi_plot_mark(const struct pithi_painter *painter, double x, double y, double size, uint32_t rgb);
/* Sets the ends of an arrow: x0, y0 at the sender, x1, y1 at the receiver. */
void pithi_plot_arrow_ends(const struct pithi_plot *plot, const struct pithi_arrow *arrow, double ends[4]);
/* Returns the level whose bar is at `y` from the top of its row; the innermost level if bars of several levels are
 * there. */
uint32_t pithi_plot_level_at(double row_height, double y);

/* ---- Groups of low rows ------------------------------------------------------------------------------------------ */

struct pithi_groups {
    struct pithi_row *rows;
    uint32_t count;
    uint32_t *lanes; /* of all groups, one after the other */
};

/* Returns the number of rows of this height that together are at least a pixel high. */
uint32_t pithi_groups_per(double row_height);
/* Joins every `per` successive rows to one row with all their lanes. Leaves out rows of levels, functions and counters;
 * if all rows of a group are such rows, the group is its first row. Free the groups; `rows` need not outlive them. */
void pithi_groups_make(const struct pithi_row *rows, uint32_t count, uint32_t per, struct pithi_groups *groups);
void pithi_groups_free(struct pithi_groups *groups);

/* Returns the row that shows each lane, or PITHI_NONE if no row does. The array is to be freed. */
uint32_t *pithi_rows_of_lanes(const struct pithlog *log, const struct pithi_row *rows, uint32_t count);
/* Sets the times of the first and last record of the lanes of a row, or INT64_MAX and INT64_MIN if there are no
 * records. */
void pithi_row_life(const struct pithlog *log, const struct pithi_row *row, int64_t *first_ns, int64_t *last_ns);

/* ---- Graphs of counters ------------------------------------------------------------------------------------------ */

struct pithi_plot;
struct pithi_graphs;

/* Returns the values of a plot's counters in each column, or NULL if there are no counters or no digest. */
struct pithi_graphs *pithi_graphs_load(const struct pithi_plot *plot);
void pithi_graphs_free(struct pithi_graphs *graphs);
/* Draws the row of a counter. */
void pithi_graph_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t row);

/* ---- Interruptions ----------------------------------------------------------------------------------------------- */

/* Draws the interruptions (interruptions.h) of the rows [from, to). */
void pithi_interruptions_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from,
                              uint32_t to);

/* ---- Bars (bars.c) ----------------------------------------------------------------------------------------------- */

/* Memory for the strips of a row, for one thread. */
struct pithi_bar_sheet;
struct pithi_core_waits;
struct pithi_bar_sheet *pithi_sheet_new(const struct pithi_plot *plot);
void pithi_sheet_free(struct pithi_bar_sheet *sheet); /* `sheet` may be NULL */

/* Draws the rows [from, to), level by level. If the painter's `groups` is set, the bars of a level are drawn state by
 * state. `sheet` is needed by painters with strips. */
void pithi_bars_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, struct pithi_bar_sheet *sheet,
                     uint32_t from, uint32_t to);

/* Finds the bar that is drawn in the column `from` of a row at a nesting level, without its outline. Returns 0 if there
 * is no bar. Ignores the columns from `to` on. */
struct pithi_bar_place {
    uint32_t state, end; /* the bar covers the columns [from, end); end is at most `to` */
    double y, height;    /* in pixels */
    int edge;            /* 1: with a dividing line */
};
int pithi_bar_at(const struct pithi_plot *plot, uint32_t row, uint32_t level, uint32_t from, uint32_t to,
                 struct pithi_bar_place *place);

/* Draws the names of states, and durations, into the bars of the rows [from, to) that have room (bars.c). If inner bars
 * lie in a bar, the name of the bar is in the widest part without inner bars. On hatched ground, names have a rim in
 * the colour of their bar. hatched[(row - from) * width + column] is the level that is hatched there, plus 1; 0: none;
 * PITHI_HATCHED_ALL: all levels. NULL: nothing is hatched. */
enum { PITHI_HATCHED_ALL = 0xff }; /* a value of `hatched` */
void pithi_names_draw(const struct pithi_plot *plot, const struct pithi_painter *painter, uint32_t from, uint32_t to,
                      const unsigned char *hatched);

/* ---- Arrows (arrows.c) ------------------------------------------------------------------------------------------- */

void pithi_arrows_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);
/* Writes the number of messages in the middle of each bundle, the largest bundles first, unless a number would overlap
 * another one. */
void pithi_bundle_numbers_draw(const struct pithi_plot *plot, const struct pithi_painter *painter);
/* Returns 1 if arrows_auto hides the arrows, because they would cover too much. If arrows_before is set, the decision
 * stays as in the picture before, unless the cover clearly differs from the limit: while the view moves, the cover is
 * an estimate. */
int pithi_arrows_left_out(const struct pithi_plot *plot);
/* Returns the arrows_before of the next picture. */
enum pithi_arrows_before pithi_arrows_done(const struct pithi_plot *plot);
/* Returns 1 if there are so many messages that a picture with plot->moving set is less exact. */
int pithi_arrows_crowded(const struct pithi_plot *plot);

/* How bundles are drawn. pithi_bundles_drawn returns how many of a plot's bundles are drawn, beginning with the first.
 * The darkness of each depends on its number of messages, times *fade. */
struct pithi_bundle_look {
    double ends[4]; /* x0, y0 at the sender, x1, y1 at the receiver, within the plot */
    int width;      /* pixels */
    double alpha;
};
uint32_t pithi_bundles_drawn(const struct pithi_plot *plot, double *fade);
/* Sets *look to how a bundle is drawn. Returns 0 if the bundle is outside the plot. */
int pithi_bundle_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, double fade,
                      struct pithi_bundle_look *look);

#endif
