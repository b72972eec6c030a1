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
/* One line. */
const char *pithi_module_error(void);

/* Opens the log `path` in place of the one before. JSON: what it is, its definitions, with colours. */
const char *pithi_module_open(const char *path);
/* The theme of the next pictures: "light", "dark". */
void pithi_module_theme(const char *name);
/* Hides a definition, or shows it again. */
void pithi_module_hide(uint32_t id, int is_hidden);

/* What is drawn of it. */
enum {
    PITHI_MODULE_WAITS = 1,     /* wait states are hatched */
    PITHI_MODULE_PATH = 2,      /* the critical path */
    PITHI_MODULE_NO_ARROWS = 4, /* without messages */
    PITHI_MODULE_NO_NAMES = 8,  /* without names in bars */
    PITHI_MODULE_QUICK = 16     /* of a large log: soon, but less exact */
};
/* Draws [t0, t1) on width x height units of the page with `scale` pixels each: as `pith draw` does, without title and
 * legend. Returns the pixels, rows of words 0xAABBGGRR as a canvas takes them; NULL after an error. Texts are not among
 * the pixels: pithi_module_picture has them. */
const uint32_t *pithi_module_draw(int64_t t0_ns, int64_t t1_ns, double width, double height, double scale,
                                  uint32_t flags);
/* JSON: size in pixels, place of the time lines, texts, a note. */
const char *pithi_module_picture(void);
/* JSON: the time as text, and the entries of the legend with counts and times: of the time of the picture, or of
 * [t0, t1) if that is another one, for which records may be read. */
const char *pithi_module_legend(int64_t t0_ns, int64_t t1_ns);
/* JSON: what the picture shows at a place, in units. */
const char *pithi_module_at(double x, double y);
/* JSON: the first state or event after `time_ns` and (lane, tie), or before it, that matches: a part of a name, a
 * pattern with * or ?, or else a query of pith-query(7). Its place as `time`, `lane` and `tie`, for the next call,
 * `from`, `to`, the place of its row, and lines of text. {}: there is none. */
const char *pithi_module_search(const char *text, int64_t time_ns, uint32_t lane, uint32_t tie, int is_backwards);
/* JSON of `pith analyze --json`. */
const char *pithi_module_analyze(void);

#endif
