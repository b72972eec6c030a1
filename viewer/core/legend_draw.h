/* legend_draw.h - the legend of a picture in a file: in columns below it, as a list beside it, or as a table with
 * counts and times. Laid out first, then drawn.
 */
#ifndef PITHI_LEGEND_DRAW_H
#define PITHI_LEGEND_DRAW_H

#include "core/legend.h"
#include "core/painter.h"

struct pithi_legend_plan {
    /* The caller's: */
    const struct pithlog *log;
    const uint32_t *rgb; /* [defs] */
    const struct pithi_legend_entry *entries;
    uint32_t count;
    int table;         /* a line for each, with count, times and share */
    uint64_t messages; /* below the table */
    double x, y, width;
    /* Made by pithi_legend_layout: */
    uint32_t shown, columns, lines;
};

/* Drops what is hidden ([defs] or NULL); returns how many stay. */
uint32_t pithi_legend_shown(struct pithi_legend_entry *entries, uint32_t count, const unsigned char *hidden);
/* How wide a list of all that the log defines may become. */
double pithi_legend_list_width(const struct pithlog *log, const struct pithi_painter *painter);
/* At most `most` lines, as many columns as fit (a table: one); what does not fit is counted in the last place. Returns
 * the height, 0: nothing is drawn. */
double pithi_legend_layout(struct pithi_legend_plan *plan, const struct pithi_painter *painter, uint32_t most);
void pithi_legend_draw(const struct pithi_legend_plan *plan, const struct pithi_painter *painter);

/* Text cut to a width, with an ellipsis. */
void pithi_text_in(const struct pithi_painter *painter, double x, double y, double width, struct pithi_font font,
                   uint32_t rgb, const char *text);

#endif
