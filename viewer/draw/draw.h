/* draw.h - `pith draw`: what was asked for, and who makes it. */
#ifndef PITHI_DRAW_H
#define PITHI_DRAW_H

#include <stdint.h>

#include "core/digest.h"
#include "core/figure.h"
#include "core/palette.h"
#include "core/query.h"
#include "core/rows.h"

enum pithi_draw_kind {
    PITHI_DRAW_PNG,
    PITHI_DRAW_SVG,
    PITHI_DRAW_PDF,
    PITHI_DRAW_PS,
    PITHI_DRAW_EPS,
    PITHI_DRAW_HTML,
    PITHI_DRAW_TEXT
};
enum pithi_draw_colour { PITHI_COLOUR_AUTO, PITHI_COLOUR_ALWAYS, PITHI_COLOUR_NEVER };

struct pithi_draw {
    /* From the command line: */
    const char *log_path, *out_path, *lanes, *title;
    enum pithi_draw_kind kind;
    enum pithi_draw_colour colour;
    enum pithi_legend_place legend;
    enum pithi_palette palette;
    enum pithi_grouping group; /* --group: a row for each host or communicator */
    int ascii, grey, stats;
    int ranges;          /* mountain ranges below the time lines */
    int full;            /* an SVG as large as it comes */
    const char **script; /* -e, in order */
    int script_count;
    int width, height; /* 0: by default, by the rows */
    int64_t t0_ns, t1_ns;
    int has_from, has_to;
    int from_init, to_finalize; /* instead of t0_ns, t1_ns */
    /* Of the log: */
    struct pithlog *log;
    struct pithlog_digest *digest;
    struct pithi_gaps gaps;
    struct pithlog_summary *summary; /* NULL: all is read */
    enum pithi_care care;
    struct pithi_row *rows;
    uint32_t row_count, per; /* per > 1: so many are drawn as one, by pithi_draw_fewer_rows */
    uint32_t *grouped;       /* the lanes of such rows */
    uint32_t *rgb;
    /* Of the words: */
    unsigned char *hidden; /* [defs] */
    int no_arrows, row_height;
    struct pithi_rows *tree; /* NULL: the rows are not arranged */
    char **labels;           /* [label_count] of its rows */
    uint32_t label_count;
};

/* Reads the command line: 0; 2 after a message (exit status for a usage error); -1: help was printed. */
int pithi_draw_options(struct pithi_draw *draw, int argc, char **argv);

/* "pith: ..." on stderr; returns 1. */
int pithi_draw_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says of a log with damaged parts, once, that the rest is drawn. */
void pithi_draw_damaged(void);

/* What `-e` says (draw_words.c), of a log whose rows and window are set: 0, or an exit status after a message. */
int pithi_draw_words(struct pithi_draw *draw);
/* Of states, events and counters; a pattern of fnmatch. What the recorder tells those who replay a log says nothing to
 * a reader: it is hidden until it is asked for. */
void pithi_draw_set_hidden(struct pithi_draw *draw, const char *pattern, unsigned char hidden);
#define PITHI_ASIDE "pith:coll_*"
/* All rows, or those that fit a pattern (core/rows.h), by draw->group: 0, or an exit status after a message. */
int pithi_draw_rows(struct pithi_draw *draw, const char *list);
void pithi_draw_labels_free(struct pithi_draw *draw);
/* Makes several neighbouring rows one where there are more than `most`; after all words. */
void pithi_draw_fewer_rows(struct pithi_draw *draw, uint32_t most);

/* The figure of all that is asked for, not yet loaded. */
struct pithi_figure pithi_draw_figure(const struct pithi_draw *draw);
/* 0, or an exit status after a message. */
int pithi_draw_load(const struct pithi_draw *draw, struct pithi_figure *figure);

int pithi_draw_picture(const struct pithi_draw *draw); /* PNG, PDF, PostScript by cairo; SVG; exit status */
int pithi_draw_page(struct pithi_draw *draw);          /* HTML; exit status */
/* `--stats` of pithi_draw_terminal. */
void pithi_draw_table(const struct pithi_draw *draw, const struct pithi_legend_entry *entries, uint32_t count);
int pithi_draw_terminal(struct pithi_draw *draw); /* text on standard output; exit status */

#endif
