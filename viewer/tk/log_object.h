/* log_object.h - an open log as a Tcl command: `pithtk::open FILE` gives its name.
 *
 * Times are nanoseconds (wide integers); rows are numbers in the list of rows selected; pixels are pixels.
 */
#ifndef PITHI_LOG_OBJECT_H
#define PITHI_LOG_OBJECT_H

#include <tcl.h>
#include <tk.h>

#include "core/film.h"
#include "core/helper.h"
#include "core/groups.h"
#include "core/plot.h"
#include "core/raster.h"
#include "core/rows.h"

struct pithi_log_object {
    struct pithlog *log;
    struct pithlog_digest *digest;         /* NULL until it is read (log_digest.c) */
    struct pithlog_summary *summary;       /* NULL: the log is small */
    struct pithlog_summary *spare_summary; /* of a job that has ended, for the next; NULL: none */
    char *path;
    uint32_t *rgb;
    unsigned char *hidden;        /* [defs] */
    struct pithi_rows *tree;      /* of all rows (core/rows.h) */
    const struct pithi_row *rows; /* those seen, the tree's; see log_rows.h */
    uint32_t row_count;
    struct pithi_row *scrolled;  /* of pithi_log_rows_from */
    struct pithi_film *film;     /* the cells of `plot`; NULL until something is drawn */
    struct pithi_helper *helper; /* paints, too; NULL: nobody does */
    struct pithi_gaps gaps;      /* read with the first picture */
    struct pithi_groups groups;  /* the rows of `plot`, where they are too low to be seen alone */
    struct pithi_plot plot;      /* as drawn last, with its copies of what it points to */
    uint32_t *words;             /* of a picture that becomes a photo */
    uint32_t word_capacity;
    struct pithi_log_ranges *ranges; /* log_ranges.c's; NULL: never asked for */
    Tcl_Command command;
};

/* The name of a new command for an open log, which is closed with it, as is the digest (NULL: none yet). */
Tcl_Obj *pithi_log_command(Tcl_Interp *interp, struct pithlog *log, struct pithlog_digest *digest, const char *path);
/* log_open.c: pithtk::open FILE ?CALLBACK?. With a callback it is a job (background.h), and what comes out is the name
 * of the log's command. */
int pithi_log_open_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* log_draw.c: methods that draw and look; the first words are LOG METHOD. */
int pithi_log_draw(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_refine(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_overview(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_state_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_event_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_arrow_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
/* log_sums.c: what is in a stretch of time. */
int pithi_log_sums(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_messages(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
/* LOG counters T0 T1: a dict, id -> dict of count (values in the whole log) and low, high in the window, if known. */
int pithi_log_counters(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_sums_job(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* log_digest.c: LOG digest CALLBACK, a job (background.h); the log has its digest when it is done. */
int pithi_log_digest(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* log_colours.c */
int pithi_log_colour(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_palette(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
/* pithtk::theme ?NAME?, pithtk::scale FACTOR, pithtk::texton COLOUR, pithtk::safe COUNT */
int pithi_safe_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_scale_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_theme_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_text_on_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* Puts a word and its value at the end of a dict. */
void pithi_put(Tcl_Obj *dict, const char *key, Tcl_Obj *value);
void pithi_put_text(Tcl_Obj *dict, const char *key, const char *value);
/* A name out of a log, as it is shown (core/clean.h). */
void pithi_put_name(Tcl_Obj *dict, const char *key, const char *name);
void pithi_put_wide(Tcl_Obj *dict, const char *key, int64_t value);
/* The text of pithlog_error() as Tcl's error, with -errorcode {PITH LOG}. */
int pithi_log_error(Tcl_Interp *interp);
/* A row number among those selected. */
int pithi_get_row(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *row);
int pithi_get_time(Tcl_Interp *interp, Tcl_Obj *word, int64_t *time_ns);
/* t0 t1, t0 < t1. */
int pithi_get_window(Tcl_Interp *interp, Tcl_Obj *const words[2], int64_t *t0_ns, int64_t *t1_ns);

#endif
