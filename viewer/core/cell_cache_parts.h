/* cell_cache_parts.h - the parts of the cell cache outside cell_cache.c: the cells of a row (cell_cache_row.c), and the
 * thread that answers requests for cells (cell_cache_thread.c). */
#ifndef PITHI_CELL_CACHE_PARTS_H
#define PITHI_CELL_CACHE_PARTS_H

#include "core/flames.h"
#include "core/query.h"

/* ---- A row ------------------------------------------------------------------------------------------------------- */

struct pithi_cell_row {
    uint32_t *lanes, lane_count;
    int flame;                     /* 1: the row shows functions */
    uint32_t first_lane;           /* in the lanes of the current work */
    uint32_t known_from, known_to; /* columns of this window; others are stale or empty */
    uint32_t exact_from, exact_to; /* of these, the exact columns */
};

/* Makes `width` empty columns; `cells` must not own any memory. */
void pithi_cell_row_empty(struct pithi_cells *cells, uint32_t width);
/* Moves the cells when the window moves to the right by `by` columns, fewer than the width. */
void pithi_cell_row_shift(struct pithi_cell_row *row, struct pithi_cells *cells, int64_t by);
/* Maps each column of a zoomed window to a column of the old window; the same for all rows. */
struct pithi_cell_map {
    double offset, scale; /* column c shows the old column offset + (c + 0.5) * scale */
    uint32_t width, old_width;
    uint32_t *from;           /* [width] the old column; PITHI_NONE: outside */
    struct pithi_cell *spare; /* room for a row's cells */
    uint32_t spare_depth;     /* levels from here on are empty in it */
    uint32_t spare_levels;
};
void pithi_cell_map_make(struct pithi_cell_map *map, uint32_t width, uint32_t old_width, double offset, double scale);
void pithi_cell_map_free(struct pithi_cell_map *map);
void pithi_cell_row_stretch(struct pithi_cell_row *row, struct pithi_cells *cells, struct pithi_cell_map *map);
/* Replaces the columns from `from` on by those of `part`, which is also a row. May take over the contents of `part`. */
void pithi_cell_row_put(struct pithi_cell_row *row, struct pithi_cells *cells, uint32_t from, struct pithi_cells *part,
                        int exact);

/* ---- The thread -------------------------------------------------------------------------------------------------- */

/* Asks for the columns [from, to) of a row. */
struct pithi_cell_request {
    uint32_t row, from, to;
    int64_t t0_ns, t1_ns;
    enum pithi_care care;
    uint32_t first_lane, lane_count; /* in the lanes of the work */
    int flame;                       /* 1: for the functions of the lane */
};

struct pithi_cell_work {
    struct pithi_cell_request *requests;
    uint32_t count, capacity;
    uint32_t *lanes, lane_count, lane_capacity;
    unsigned char *hidden;             /* NULL: none */
    const struct pithi_flames *flames; /* NULL: no request is for functions */
    unsigned generation;
    atomic_int stop;
};

struct pithi_cell_result {
    struct pithi_cell_result *next;
    struct pithi_cell_request request;
    struct pithi_cells cells; /* one row, the columns of the request */
    unsigned generation;
    char *trouble; /* NULL: none */
};

struct pithi_cell_thread;

/* `large`: the thread uses a summary of the log. NULL: a thread cannot be started. */
struct pithi_cell_thread *pithi_cell_thread_start(struct pithlog *log, int large);
void pithi_cell_thread_end(struct pithi_cell_thread *thread);
/* Drops the current work and begins with the given work, which the thread then owns. NULL: no new work. */
void pithi_cell_thread_give(struct pithi_cell_thread *thread, struct pithi_cell_work *work);
/* Takes the results so far, oldest first; free each of them. */
struct pithi_cell_result *pithi_cell_thread_take(struct pithi_cell_thread *thread);
void pithi_cell_result_free(struct pithi_cell_result *result);
void pithi_cell_work_free(struct pithi_cell_work *work);

/* Answers a request in the caller's thread. */
int pithi_cell_request_run(struct pithlog *log, struct pithlog_summary *summary, const struct pithi_cell_work *work,
                           const struct pithi_cell_request *request, struct pithi_cells *cells);

#endif
