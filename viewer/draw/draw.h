/* draw.h - `pith draw`: the struct with its options and data, and the functions of its source files. */
#ifndef PITHI_DRAW_H
#define PITHI_DRAW_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/scene/waiting.h"
#include "core/rows/rows.h"
#include "core/scene/figure.h"
#include "core/raster/palette.h"
#include "core/cells/query.h"

enum pithi_draw_kind {
    PITHI_DRAW_PNG,
    PITHI_DRAW_SVG,
    PITHI_DRAW_PDF,
    PITHI_DRAW_PS,
    PITHI_DRAW_EPS,
    PITHI_DRAW_HTML,
    PITHI_DRAW_TEXT
};
enum { PITHI_OWN_RGB = 1 << 24 };
enum pithi_draw_colour { PITHI_COLOUR_AUTO, PITHI_COLOUR_ALWAYS, PITHI_COLOUR_NEVER };

struct pithi_draw {
    /* Set by options: */
    const char *log_path, *out_path, *lanes, *title;
    const char *unfold; /* the rows to unfold; NULL: none */
    enum pithi_draw_kind kind;
    enum pithi_draw_colour colour;
    enum pithi_legend_place legend;
    enum pithi_palette palette;
    enum pithi_grouping group; /* --group: a row for each group */
    int ascii, grey, stats;
    int ranges;                /* mountain ranges below the time lines */
    int waits, path;           /* 1: wait states are drawn; 1: the critical path is drawn */
    int shows_core_waits;      /* 1: the time without a core is hatched */
    int shows_notes;           /* 1: LOG.notes is read and drawn */
    int shows_time_of_day;     /* 1: the axis has times of day */
    int findings;              /* 1: the picture has a list of where the run waits most */
    int iterations;            /* 1: iterations are drawn one below the other */
    const char *iterations_of; /* the state whose instances are the iterations; NULL: the analysis finds the
                                * iterations */
    int is_viewer;             /* 1: makes the page that opens logs (--viewer); log_path may be NULL */
    int full;                  /* 1: no limit on the size of an SVG */
    const char **script;       /* the values of -e, in the order of the command line */
    int script_count;
    const char *size;      /* --size as given */
    int width, height;     /* pixels; width 0: the default width; height 0: the height that the rows need */
    const char *from, *to; /* words of pithlog_time_find; NULL: not given */
    /* Read from the log: */
    struct pithlog *log;
    int64_t t0_ns, t1_ns; /* [t0, t1) */
    int64_t clock_ns;     /* local time of time 0, for the axis (core/scene/axis.h); 0: times from the log's start */
    struct pithlog_digest *digest;
    struct pithi_interruptions interruptions;
    struct pithi_notes notes;
    struct pithi_core_waits core_waits; /* empty if shows_core_waits is 0 */
    struct pithlog_analysis *analysis;  /* NULL: the picture shows nothing of the analysis */
    const struct pithlog_iterations *found;
    struct pithlog_summary *summary; /* NULL: all records are read */
    struct pithi_flames *flames;     /* NULL: no unfolded row has functions */
    enum pithi_care care;
    struct pithi_row *rows;
    uint32_t row_count, per; /* per: how many rows are joined to one, set by pithi_draw_fewer_rows */
    uint32_t *grouped;       /* the lanes of joined rows */
    uint32_t *rgb;
    uint32_t *own_rgb; /* [defs] the colours set by words, each with the flag PITHI_OWN_RGB; NULL: none */
    /* Set by the words of -e: */
    unsigned char *hidden;                           /* [defs] */
    int64_t lit_from_ns, lit_to_ns;                  /* the selection; equal times: there is none */
    struct pithlog_digest *picked;                   /* the messages to draw; NULL: all */
    int no_arrows, all_arrows, no_names, row_height; /* all_arrows 1: arrows are drawn even if they cover much of the
                                                      * picture */
    char *list;                                      /* the ranks and threads that get rows; NULL: all */
    struct pithi_rows *tree;                         /* NULL: the rows are not arranged */
    char **labels;                                   /* [label_count] labels of the tree's rows */
    uint32_t label_count;
};

/* Reads the command line. Returns 0; 2 after a message (the exit status for a usage error); -1 if help was printed. */
int pithi_draw_options(struct pithi_draw *draw, int argc, char **argv);

/* Writes "pith: ..." to stderr; returns 1. */
int pithi_draw_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Finds the path of an installed file, such as "bin/pith", from the place of this program. Returns 0, or an exit status
 * after a message. */
int pithi_draw_find(const char *name, char *path, size_t size);

/* Reports once that the log is damaged and that the rest is drawn. */
void pithi_draw_damaged(void);
/* Returns the damage that was reported; "" if there is none. */
const char *pithi_draw_damage(void);

/* Runs the words (commands) of the option -e. Call it after the rows and the interval are set. Returns 0, or an exit
 * status after a message. */
int pithi_draw_words(struct pithi_draw *draw);
/* Sets the colours of palette and theme, then the colours of the words `colour`. Returns an enum pith_err. */
int pithi_draw_give_colours(struct pithi_draw *draw);
/* Hides or shows states, events and counters by a pattern of fnmatch. Returns 0 if no name matches. */
int pithi_draw_set_hidden(struct pithi_draw *draw, const char *pattern, unsigned char hidden);
/* Hides the recorder's events for tools (pith:*), such as samples, call sites, and events for a replay. Called before
 * the words, which may show the events again. */
void pithi_draw_hide_tool_events(struct pithi_draw *draw);
/* Sets the rows, grouped by draw->group: the rows that match a pattern (core/rows/rows.h), or all rows if `list` is
 * NULL. Returns 0, or an exit status after a message. */
int pithi_draw_rows(struct pithi_draw *draw, const char *list);
/* Unfolds the rows of the option --unfold. Returns 0, or an exit status after a message. */
int pithi_draw_unfold(struct pithi_draw *draw);
/* Gives unfolded rows the levels and depths that they have in the drawn interval. Returns 0, or an exit status after a
 * message. */
int pithi_draw_find_depths(struct pithi_draw *draw);
/* Finds the functions of the samples, if the log has samples. Returns 0, or an exit status after a message. */
int pithi_draw_flames(struct pithi_draw *draw);
/* Runs a command of pith, which writes a temporary file: argv[at] becomes the file's name. The command itself prints
 * errors, and notes on damaged parts that it leaves out. Returns 0, or an exit status. Call pithi_draw_end_file
 * afterwards, also after an error. */
int pithi_draw_by_pith(char **argv, int at, char file[PATH_MAX]);
void pithi_draw_end_file(const char *file);
/* Joins neighbouring rows if there are more than `most`; call it after all words. */
void pithi_draw_fewer_rows(struct pithi_draw *draw, uint32_t most);
void pithi_draw_labels_free(struct pithi_draw *draw);

/* Reads the notes, the time without a core and the clock, each only if the picture shows it. Returns 0, or an exit
 * status after a message. */
int pithi_draw_read_shown(struct pithi_draw *draw);
/* Closes the log, and frees everything that was made from it. */
void pithi_draw_free(struct pithi_draw *draw);
/* Returns the part of a path after its last slash. */
const char *pithi_draw_base_name(const char *path);
/* Returns the figure that options and words describe, not yet loaded. */
struct pithi_figure pithi_draw_figure(const struct pithi_draw *draw);

/* Draws PNG, PDF or PostScript by cairo, or SVG. Returns an exit status. If Pith was built without cairo, returns 1
 * after a message for all of these, SVG included. */
int pithi_draw_picture(const struct pithi_draw *draw);
int pithi_draw_viewer(const struct pithi_draw *draw);   /* writes the page that opens logs; returns an exit status */
int pithi_draw_log_page(const struct pithi_draw *draw); /* writes the page of a log; returns an exit status */
/* Prints the table of --stats. pithi_draw_terminal calls this. */
void pithi_draw_table(const struct pithi_draw *draw, const struct pithi_cells *cells,
                      const struct pithi_legend_entry *entries, uint32_t count);
int pithi_draw_terminal(struct pithi_draw *draw); /* writes text to standard output; returns an exit status */

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Saves a file completely or not at all. `write` writes everything to `file`; it returns NULL, or the text of an error,
 * or "" if errno has the error. pithi_save returns 0, or an exit status after a message. */
int pithi_save(const char *path, const char *(*write)(void *context, FILE *file), void *context);

/* Sets what happens from now on if a signal ends this program: the process `writer` (0: none) is ended, too, and the
 * file `path` is removed. The string `path` must stay valid. If `path` is NULL, signals have their usual effect
 * again. */
void pithi_guard(const char *path, pid_t writer);

/* ---- Words ------------------------------------------------------------------------------------------------------- */

enum { PITHI_MOST_ITEMS = 8 }; /* the most items of a command of -e: its word and its arguments */

struct pithi_draw_word {
    char *item[PITHI_MOST_ITEMS]; /* [0] is the word itself */
    int count;
};

/* Writes "draw: -e: WORD: WHY WHAT" to stderr. Returns the exit status. */
int pithi_draw_word_wrong(const char *word, const char *why, const char *what);
/* Copies the next item of a Tcl list to `letters`, which must have room for the whole list. Returns NULL if no item is
 * left, or if the rest is not a list. */
char *pithi_draw_next_item(const char **list, char *letters);

/* These functions of draw_rows.c each run a word of -e, such as `rows`. They return an exit status. */
int pithi_draw_do_rows(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_group(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_expand(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_collapse(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_hide_rows(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_pin(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_unfold_rows(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_fold_rows(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_set_rowstate(struct pithi_draw *draw, const struct pithi_draw_word *word);

#endif
