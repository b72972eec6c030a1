/* film.h - the cells of a picture that moves. What was there is kept: shifted when the window moves along, stretched
 * when it is zoomed; what is new is asked for roughly as long as the caller has time, and a thread makes the rest
 * right.
 *
 *     film = pithi_film_new(log, summary, helper);
 *     pithi_film_load(film, &plot, 0.006);        instead of pithi_plot_load, at each move
 *     pithi_film_go_on(film);                     when the picture is painted
 *     while (pithi_film_rough(film)) if (pithi_film_take(film, &plot)) draw again, now and then;
 *     pithi_film_free(film);
 *
 * Worked example: 4 columns of 10 ns from 100, exact; the window moves to 123. It is taken for [120, 160): what was in
 * columns 2 and 3 is now in 0 and 1, exact as before; [140, 160) is asked for, and the thread then has to read but two
 * columns. A window is half a column off at most; as soon as it is zoomed, it begins where it should. Columns of less
 * than 4096 ns, where a nanosecond is more than a trace, are asked for anew: there is little to read.
 *
 * One thread calls these; the film's own one reads the log with a summary of its own.
 */
#ifndef PITHI_FILM_H
#define PITHI_FILM_H

#include "core/helper.h"
#include "core/plot.h"

struct pithi_film;

/* `summary`: for the caller's thread; NULL: the log is read by its records. `helper` (helper.h), or NULL: answers, too,
 * during pithi_film_load. Not owned. */
struct pithi_film *pithi_film_new(struct pithlog *log, struct pithlog_summary *summary, struct pithi_helper *helper);
void pithi_film_free(struct pithi_film *film);

/* Fills the plot (plot.h), whose cells are the film's, valid until the next load; t0_ns and t1_ns become those of its
 * columns. About so many `seconds` are spent; what is not there by then is stale or empty. 0 or an enum pith_err. */
int pithi_film_load(struct pithi_film *film, struct pithi_plot *plot, double seconds);
/* The film's thread may begin with what is left: not before, so that it does not hold up those who paint. */
void pithi_film_go_on(struct pithi_film *film);
/* Takes over what the thread has done: 1: the plot looks different now. Not to be called after a load that failed. */
int pithi_film_take(struct pithi_film *film);
/* By how many columns the last load moved what was there, > 0: the window went to the right; 0: it did not, or it was
 * all made anew. */
int64_t pithi_film_moved(const struct pithi_film *film);
/* 1: the picture is not right yet. */
int pithi_film_rough(const struct pithi_film *film);
/* 1: nothing of this view was known before: the first picture deserves more time. */
int pithi_film_is_new(const struct pithi_film *film);
/* What was wrong with the log, as the thread found it; NULL: nothing. Told once; valid until the next call. */
const char *pithi_film_trouble(struct pithi_film *film);

#endif
