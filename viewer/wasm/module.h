/* module.h - the drawing core for a page: a log is opened, drawn into pixels, and asked what lies where. A WebAssembly
 * module exports these functions; compiled natively they do the same.
 *
 * There is one log and one picture of it. What a function returns stays valid until it is called again. A function that
 * returns JSON returns NULL after an error, which pithi_module_error tells. Times in JSON are texts of whole ns, as a
 * number of JavaScript is exact up to 104 days only. */
#ifndef PITHI_MODULE_H
#define PITHI_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Room for a text that is given to the next call. */
void *pithi_module_room(uint32_t size);
/* Room for the mask of a text, which the page writes (module_page.c); not in native builds. */
void *pithi_module_mask(uint32_t size);
/* One line. */
const char *pithi_module_error(void);

/* What the page knows of the log that is opened next: the time of the program's work, and whether it has pauses or lost
 * records. from_ns >= to_ns: nothing, as at first. */
void pithi_module_known(int64_t from_ns, int64_t to_ns, int has_gaps);
/* Opens the log `path` in place of the one before. JSON: what it is, its definitions, with colours, what is shown. */
const char *pithi_module_open(const char *path);
/* The title of the pictures, in place of the log's name. */
void pithi_module_title(const char *title);
/* The local time of time 0, for times of day in the zone of whoever made the page (core/scene/axis.h). */
void pithi_module_clock(int64_t clock_ns);
/* Greys in place of colours, for this log. */
void pithi_module_grey(void);
/* Obeys words of `pith draw -e`, as "hide MPI_*; unfold_rows 0; zoom 1 2". JSON as of pithi_module_open. */
const char *pithi_module_words(const char *text);
/* The theme of the next pictures: "light", "dark". */
void pithi_module_theme(const char *name);
/* Hides a definition, or shows it again. */
void pithi_module_hide(uint32_t id, int is_hidden);

/* What is drawn of it. */
enum {
    PITHI_MODULE_WAITS = 1,
    PITHI_MODULE_PATH = 2,
    PITHI_MODULE_NO_ARROWS = 4,
    PITHI_MODULE_NO_NAMES = 8,
    PITHI_MODULE_QUICK = 16,      /* of a large log: soon, but less exact */
    PITHI_MODULE_ALL_ARROWS = 32, /* even if they cover much */
    PITHI_MODULE_NEAR = 64,       /* of a large log: as exact as its summary is, and without sums */
    PITHI_MODULE_COARSE = 128     /* from the sketch beside a log, if no picture without this was drawn before */
};
/* Draws [t0, t1) on width x height units of the page with `scale` pixels each, as `pith draw` does, without a legend.
 * `row_height` 0: all rows; else rows of this height, from `first` on, as many as have room. Returns the pixels, rows
 * of words 0xAABBGGRR as a canvas takes them; NULL after an error. */
const uint32_t *pithi_module_draw(int64_t t0_ns, int64_t t1_ns, double width, double height, double scale,
                                  uint32_t flags, uint32_t first, double row_height);
/* JSON: size in pixels, place of the time lines, rows, a note. */
const char *pithi_module_picture(void);
/* The bars of the whole log on width x height pixels, in the same form. */
const uint32_t *pithi_module_overview(uint32_t width, uint32_t height);
/* JSON: the time as text, the time outside all states, and the entries of the legend with counts and times: of the time
 * of the picture, or of [t0, t1) if that is another one, or has no sums, for which records may be read. */
const char *pithi_module_legend(int64_t t0_ns, int64_t t1_ns);
/* JSON: what the picture shows at a place, in units. */
const char *pithi_module_at(double x, double y);
/* JSON: the first state or event after `time_ns` and (lane, tie), or before it, that matches: a part of a name, a
 * pattern with * or ?, or else a query of pith-query(7). Its place as `time`, `lane` and `tie`, for the next call,
 * `from`, `to`, its row, and lines of text. {}: there is none. */
const char *pithi_module_search(const char *text, int64_t time_ns, uint32_t lane, uint32_t tie, int is_backwards);
/* JSON: the places of all matches, at most `most`, as [time, lane, tie]. */
const char *pithi_module_hits(const char *text, uint32_t most);
/* JSON of `pith analyze --json`. */
const char *pithi_module_analyze(void);
/* JSON: where the answer's worst instance is, as `from`, `to` and `row`; {}: nowhere. */
const char *pithi_module_answer(void);

#endif
