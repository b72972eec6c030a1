/* cell_cache.h - the cells of a picture whose view moves. Cells that stay visible are kept: shifted when the view is
 * panned, stretched when it is zoomed. Cells that become visible are computed roughly, as long as the caller has time;
 * a thread then replaces rough cells by exact ones.
 *
 *     cache = pithi_cell_cache_new(log, summary, helper);
 *     pithi_cell_cache_load(cache, &plot, 0.006);        instead of pithi_plot_load, at each move
 *     pithi_cell_cache_go_on(cache);                     when the picture is painted
 *     while (pithi_cell_cache_rough(cache)) if (pithi_cell_cache_take(cache)) draw again, now and then;
 *     pithi_cell_cache_free(cache);
 *
 * Worked example: the view shows [100, 140) in 4 columns of 10 us, all exact. It moves to 123 us, which is rounded to
 * [120, 160). Columns 2 and 3 become columns 0 and 1 and stay exact. Only [140, 160) is queried, so the thread reads
 * only two columns. Rounding moves the view by half a column at most, and a zoom removes this error. In columns of less
 * than 4096 ns an error of a nanosecond could be visible. So they are always queried again, which costs little, because
 * few records lie in so short a view.
 *
 * One thread calls these functions. The cache's own thread reads the log with a summary of its own.
 */
#ifndef PITHI_CELL_CACHE_H
#define PITHI_CELL_CACHE_H

#include "core/cells/helper.h"
#include "core/scene/plot.h"

struct pithi_cell_cache;

/* Returns an empty cache. `summary` belongs to the caller's thread; NULL: cells are computed from records alone.
 * `helper` (helper.h) is a second thread that answers queries during pithi_cell_cache_load; NULL: none. The cache owns
 * neither of them. */
struct pithi_cell_cache *pithi_cell_cache_new(struct pithlog *log, struct pithlog_summary *summary,
                                              struct pithi_helper *helper);
void pithi_cell_cache_free(struct pithi_cell_cache *cache);

/* Fills the plot (plot.h) in about `seconds`. Cells that are not ready by then are stale or empty, and the plot draws
 * empty cells in a special grey. The cells belong to the cache and are valid until the next load. Sets t0_ns and t1_ns
 * of the plot to the begin of the first column and the end of the last column. Returns 0 or an enum pith_err. */
int pithi_cell_cache_load(struct pithi_cell_cache *cache, struct pithi_plot *plot, double seconds);
/* Lets the cache's thread begin with the remaining work. Call it after painting, which the thread would slow down. */
void pithi_cell_cache_go_on(struct pithi_cell_cache *cache);
/* Takes over the thread's results. Returns 1 if the plot looks different now. Do not call it after a load that
 * failed. */
int pithi_cell_cache_take(struct pithi_cell_cache *cache);
/* Returns by how many columns the last load shifted the cells: above 0 if the view moved to the right, 0 if there was
 * no shift or all cells are new. */
int64_t pithi_cell_cache_moved(const struct pithi_cell_cache *cache);
/* Returns 1 if some cells are not exact yet. */
int pithi_cell_cache_rough(const struct pithi_cell_cache *cache);
/* Returns the fraction of the cells that are exact, 0 to 1. */
double pithi_cell_cache_exact(const struct pithi_cell_cache *cache);
/* Returns 1 if the cache is empty, so the caller should give the next load more time. */
int pithi_cell_cache_is_new(const struct pithi_cell_cache *cache);
/* Returns the first error in the log since the last call, or NULL if there is none. The text is valid until the next
 * call. */
const char *pithi_cell_cache_trouble(struct pithi_cell_cache *cache);

#endif
