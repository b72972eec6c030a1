/* module.h - what a web page can have the drawing core do: open a log, draw it into pixels, and find what a pixel
 * shows. The page's WebAssembly module exports these functions; compiled natively they do the same.
 *
 * Only one log is open at a time, and there is one picture of it. What a function returns stays valid until the same
 * function is called again. A function that returns JSON returns NULL after an error; then pithi_module_error returns
 * the message. Times in JSON are texts of whole ns, because numbers of JavaScript hold ns exactly only up to 104
 * days. */
#ifndef PITHI_MODULE_H
#define PITHI_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Returns memory into which the page writes a text that it passes to the next call. */
void *pithi_module_room(uint32_t size);
/* Returns memory into which the page writes the mask of a text (module_page.c). Native builds lack this function. */
void *pithi_module_mask(uint32_t size);
/* Returns the message of the last error, in one line. */
const char *pithi_module_error(void);

/* Sets facts about the log that is opened next, so that the log need not be read for them: the interval from MPI_Init
 * to MPI_Finalize, and whether there are pauses or lost records. If from_ns >= to_ns, nothing is known; this is the
 * default. */
void pithi_module_known(int64_t from_ns, int64_t to_ns, int has_interruptions);
/* Opens the log `path`, and closes the log that was open. Returns JSON with facts about the log, its definitions with
 * colours, and what is shown. */
const char *pithi_module_open(const char *path);
/* Sets the title of the pictures. By default it is the log's name. */
void pithi_module_title(const char *title);
/* Sets the local time of time 0 (core/scene/axis.h), so that times of day are in the time zone in which the page was
 * made. */
void pithi_module_clock(int64_t clock_ns);
/* Replaces all colours by greys, for this log. */
void pithi_module_grey(void);
/* Runs words of `pith draw -e`, such as "hide MPI_*; unfold_rows 0; zoom 1 2". Returns JSON as pithi_module_open
 * does. */
const char *pithi_module_words(const char *text);
/* Sets the theme of the next pictures: "light" or "dark". */
void pithi_module_theme(const char *name);
/* Hides a definition, or shows it again. */
void pithi_module_hide(uint32_t id, int is_hidden);

/* Flags of pithi_module_draw. */
enum {
    PITHI_MODULE_WAITS = 1,
    PITHI_MODULE_PATH = 2,
    PITHI_MODULE_NO_ARROWS = 4,
    PITHI_MODULE_NO_NAMES = 8,
    PITHI_MODULE_QUICK = 16,      /* a large log is drawn faster, but less exactly */
    PITHI_MODULE_ALL_ARROWS = 32, /* all messages are drawn, even if they cover much of the picture */
    PITHI_MODULE_NEAR = 64,       /* a large log is drawn from its summary alone, and without sums for the legend */
    /* draws from the sketch beside the log, unless a picture without this flag was drawn before */
    PITHI_MODULE_COARSE = 128
};
/* Draws [t0, t1) on width x height units of the page with `scale` pixels each, as `pith draw` does, without a legend.
 * If `row_height` is 0, draws all rows; otherwise draws rows of this height, from `first` on, as many as fit. Returns
 * the pixels as words 0xAABBGGRR, the format of a canvas; NULL after an error. */
const uint32_t *pithi_module_draw(int64_t t0_ns, int64_t t1_ns, double width, double height, double scale,
                                  uint32_t flags, uint32_t first, double row_height);
/* Returns JSON about the last picture: its size in pixels, the place of the time lines, its rows, a note. */
const char *pithi_module_picture(void);
/* Draws the bars of the whole log on width x height pixels. Returns pixels as pithi_module_draw does. */
const uint32_t *pithi_module_overview(uint32_t width, uint32_t height);
/* Returns JSON with the legend of [t0, t1): the interval as text, the time outside all states, and the entries with
 * counts and times. If this is the interval of the picture, and the picture has sums, its sums are used; otherwise
 * records may be read. */
const char *pithi_module_legend(int64_t t0_ns, int64_t t1_ns);
/* Returns JSON: what the picture shows at the place (x, y), in units of the page. */
const char *pithi_module_at(double x, double y);
/* Returns JSON with a state or event that matches `text`: the first match after the position (time_ns, lane, tie) or,
 * if `is_backwards`, the last match before it. `text` is a part of a name, a pattern with * or ?, or a query of
 * pith-query(7). The JSON has the position of the match (`time`, `lane` and `tie`, for the next call), its begin and
 * end (`from` and `to`), its row, and lines of text. The JSON is {} if there is no match. */
const char *pithi_module_search(const char *text, int64_t time_ns, uint32_t lane, uint32_t tie, int is_backwards);
/* Returns JSON with the positions of all matches, at most `most`, each as [time, lane, tie]. */
const char *pithi_module_hits(const char *text, uint32_t most);
/* Returns the JSON that `pith analyze --json` prints. */
const char *pithi_module_analyze(void);
/* Returns JSON with the place of the worst instance of the first finding, as `from`, `to` and `row`, or {} if the
 * finding has no place. */
const char *pithi_module_answer(void);

#endif
