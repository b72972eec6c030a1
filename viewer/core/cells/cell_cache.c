/* cell_cache.c - decides which cells stay valid when the view moves, and which must be queried. It shifts or scales
 * the cells that stay. A thread of its own queries the other cells (query.c).
 *
 * Each row has two intervals of columns: the columns whose cells were computed for this view, roughly or exactly
 * (known), and the columns whose cells are exact. A pan shifts both intervals. A zoom keeps the cells, stretched, but
 * counts them as unknown. An example is zooming in by a factor of 2 with the left edge fixed:
 *
 *     old columns   0 1 2 3             offset 0, scale 1/2: new column c shows old column floor((c + 0.5) / 2)
 *     new columns   0 0 1 1             rough, until the thread has answered
 *
 * Answers come in two rounds: rough answers for all unknown columns, from the summary alone; then exact answers. While
 * the user drags the view, it moves on before exact answers come. So the thread waits a moment before it begins with
 * exact answers (REST_MS). Requests for an older view are dropped (generation).
 *
 * A pan is rounded to whole columns, so that columns keep their bounds. Otherwise a pan by half a column would compute
 * all cells anew, and every bar would seem to tremble. */
#include "core/cells/cell_cache.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/wide.h"
#include "core/cells/helper.h"
#include "core/cells/memory.h"

/* ---- The cells of a row: moved, and replaced --------------------------------------------------------------------- */

struct cell_row {
    uint32_t *lanes, lane_count;   /* lanes of the log that the row shows; owned */
    enum pithi_row_kind kind;      /* states or functions */
    uint32_t first_lane;           /* index of its first lane in cell_work.lanes */
    uint32_t known_from, known_to; /* columns of this view; others are stale or empty */
    uint32_t exact_from, exact_to; /* columns whose cells are exact */
};

/* Maps each column of a zoomed view to a column of the old view. All rows share the map. */
struct cell_map {
    double offset, scale;      /* column c shows the old column offset + (c + 0.5) * scale */
    uint32_t width, old_width; /* columns of the new view, and of the old one */
    uint32_t *from;            /* [width] the old column; PITHI_NONE: outside */
    struct pithi_cell *spare;  /* room for a row's cells */
    uint32_t spare_depth;      /* levels of `spare` from here on are empty */
    uint32_t spare_levels;
};

static struct pithi_cell *line_of(const struct pithi_cells *cells, uint32_t level)
{
    return cells->cells + (size_t)level * cells->width;
}

static void empty_cells(struct pithi_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct pithi_cell){.state = PITHI_NONE};
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

/* Returns the index that a column has after a shift by `by` columns to the left, limited to 0 .. width. */
static uint32_t moved(uint32_t column, int64_t by, uint32_t width)
{
    int64_t to = (int64_t)column - by;
    return to < 0 ? 0 : to > width ? width : (uint32_t)to;
}

/* Moves the ticks, marks and spans; `column` returns the new column of an old column, or -1 if the new column is
 * outside the view. */
static void move_signs(struct pithi_cells *cells, int64_t (*column)(const void *context, uint32_t old),
                       const void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cells->tick_count; i++) {
        int64_t to = column(context, cells->ticks[i].column);
        if (to >= 0) {
            cells->ticks[kept] = cells->ticks[i];
            cells->ticks[kept++].column = (uint32_t)to;
        }
    }
    cells->tick_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->mark_count; i++) {
        int64_t to = column(context, cells->marks[i].column);
        if (to >= 0) {
            cells->marks[kept] = cells->marks[i];
            cells->marks[kept++].column = (uint32_t)to;
        }
    }
    cells->mark_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < cells->span_count; i++) {
        int64_t to = column(context, cells->spans[i].column);
        if (to >= 0) {
            cells->spans[kept] = cells->spans[i];
            cells->spans[kept++].column = (uint32_t)to;
        }
    }
    cells->span_count = kept;
}

struct shifting {
    int64_t by, width; /* columns to the left (negative: to the right); columns of the view */
};

static int64_t shifted(const void *context, uint32_t old)
{
    const struct shifting *shifting = context;
    int64_t to = (int64_t)old - shifting->by;
    return to < shifting->width ? to : -1;
}

static void cell_row_shift(struct cell_row *row, struct pithi_cells *cells, int64_t by)
{
    struct shifting shifting = {by, cells->width};
    uint32_t count = (uint32_t)(by < 0 ? -by : by), left = cells->width - count;

    for (uint32_t level = 0; level < cells->depth; level++) {
        struct pithi_cell *line = line_of(cells, level);
        memmove(by < 0 ? line + count : line, by < 0 ? line : line + count, left * sizeof *line);
        empty_cells(by < 0 ? line : line + left, count);
    }
    move_signs(cells, shifted, &shifting);
    row->known_from = moved(row->known_from, by, cells->width);
    row->known_to = moved(row->known_to, by, cells->width);
    row->exact_from = moved(row->exact_from, by, cells->width);
    row->exact_to = moved(row->exact_to, by, cells->width);
}

static int64_t stretched(const void *context, uint32_t old)
{
    const struct cell_map *map = context;
    double to = floor((old + 0.5 - map->offset) / map->scale);
    return to >= 0 && to < map->width ? (int64_t)to : -1;
}

static void new_spare(struct cell_map *map, uint32_t levels)
{
    free(map->spare);
    map->spare = pithi_alloc((size_t)map->width * levels, sizeof *map->spare);
    map->spare_depth = map->spare_levels = levels;
}

static void cell_row_zoom(struct cell_row *row, struct pithi_cells *cells, struct cell_map *map)
{
    struct pithi_cell *old = cells->cells, *new;
    uint32_t old_levels = cells->levels;

    if (map->spare_levels < cells->depth)
        new_spare(map, cells->levels);
    new = map->spare;
    for (uint32_t level = 0; level < cells->depth; level++) {
        const struct pithi_cell *old_line = old + (size_t)level * cells->width;
        struct pithi_cell *line = new + (size_t)level * map->width;
        uint32_t before = PITHI_NONE;
        /* If several new columns show the same old column, only the first of them keeps its flags, so that the begin of
         * a state is shown once. */
        for (uint32_t c = 0; c < map->width; c++) {
            uint32_t from = map->from[c];
            line[c] = from == PITHI_NONE ? (struct pithi_cell){.state = PITHI_NONE} : old_line[from];
            if (from == before)
                line[c].flags = 0;
            before = from;
        }
    }
    if (map->spare_depth > cells->depth)
        empty_cells(new + (size_t)cells->depth * map->width, (size_t)(map->spare_depth - cells->depth) * map->width);
    cells->cells = new;
    cells->levels = map->spare_levels;
    cells->width = map->width;
    map->spare = old;
    map->spare_depth = cells->depth;
    map->spare_levels = old_levels;
    if (map->width != map->old_width)
        new_spare(map, PITHI_FIRST_LEVELS);
    move_signs(cells, stretched, map);
    row->known_from = row->known_to = row->exact_from = row->exact_to = 0;
}

/* ---- Replacing --------------------------------------------------------------------------------------------------- */

/* Returns 1 if a cell or a tick near the column shows the state, so that the column needs no tick for the state. */
static int is_shown_near(const struct pithi_cells *cells, uint32_t column, uint32_t state)
{
    uint32_t from = column < PITHI_TICK_DISTANCE ? 0 : column - PITHI_TICK_DISTANCE;
    uint32_t to = column + PITHI_TICK_DISTANCE < cells->width ? column + PITHI_TICK_DISTANCE : cells->width - 1;

    for (uint32_t level = 0; level < cells->levels; level++)
        for (uint32_t c = from; c <= to; c++)
            if (line_of(cells, level)[c].state == state)
                return 1;
    for (uint32_t i = 0; i < cells->tick_count; i++)
        if (cells->ticks[i].state == state && cells->ticks[i].column + PITHI_TICK_DISTANCE > column &&
            cells->ticks[i].column < column + PITHI_TICK_DISTANCE)
            return 1;
    return 0;
}

/* Extends the interval [*from, *to) by [more_from, more_to) if the two touch or overlap; else replaces it. */
static void extend(uint32_t *from, uint32_t *to, uint32_t more_from, uint32_t more_to)
{
    int apart = *from == *to || more_from > *to || more_to < *from;

    *from = apart || more_from < *from ? more_from : *from;
    *to = apart || more_to > *to ? more_to : *to;
}

/* ---- The thread -------------------------------------------------------------------------------------------------- */

/* The thread answers requests for cells in the background, so that the viewer's window stays responsive. */

/* A request for the cells in the columns [from, to) of a row. */
struct cell_request {
    uint32_t row, from, to;
    int64_t t0_ns, t1_ns; /* the times of these columns */
    enum pithi_care care;
    uint32_t first_lane, lane_count; /* the row's lanes: part of cell_work.lanes */
    enum pithi_row_kind kind;        /* states or functions */
};

struct cell_work {
    struct cell_request *requests;              /* [count] owned, like `lanes` and `hidden` */
    uint32_t count, capacity;                   /* capacity: of `requests` */
    uint32_t *lanes, lane_count, lane_capacity; /* lanes of all requests, one row after another */
    unsigned char *hidden;                      /* [defs], non-zero: the state is not shown */
    const struct pithi_flames *flames;          /* NULL: no request is for functions */
    unsigned generation; /* number of the view; results for a view with another number are dropped */
    /* 1: ends the work early, because its results are not needed any more */
    atomic_int stop;
};

struct cell_result {
    struct cell_result *next;    /* in the thread's list, until the cache takes the whole list */
    struct cell_request request; /* the request that it answers */
    struct pithi_cells cells;    /* one row, the columns of the request */
    unsigned generation;         /* the work's; if the cache has a newer one, the result is dropped */
    char *trouble;               /* NULL: none */
};

/* How long the thread waits before it computes exact answers, in ms. While the view moves, exact answers would come too
 * late for their picture. */
enum { REST_MS = 40 };

struct cell_thread {
    struct pithlog *log; /* not owned */
    int large, ending;   /* each 1: the log is large, so the thread rests before exact answers; it shall end */
    pthread_t thread;
    pthread_mutex_t lock;              /* for all fields below */
    pthread_cond_t wake;               /* signalled when there is work, or when the thread shall end */
    struct cell_work *next, *current;  /* work that waits; work that the thread is doing; NULL: none */
    struct cell_result *first, **last; /* results not taken yet, oldest first; place of the link to the next result */
};

static void cell_work_free(struct cell_work *work)
{
    if (!work)
        return;
    free(work->requests);
    free(work->lanes);
    free(work->hidden);
    free(work);
}

static void cell_result_free(struct cell_result *result)
{
    pithi_cells_free(&result->cells);
    free(result->trouble);
    free(result);
}

static int cell_request_run(struct pithlog *log, struct pithlog_summary *summary, const struct cell_work *work,
                            const struct cell_request *request, struct pithi_cells *cells)
{
    int is_flame = request->kind == PITHI_ROW_FUNCTIONS;
    struct pithi_query query = {.t0_ns = request->t0_ns,
                                .t1_ns = request->t1_ns,
                                .width = request->to - request->from,
                                .levels = PITHI_LEVELS,
                                .lanes = work->lanes + request->first_lane,
                                .lane_count = request->lane_count,
                                .hidden = is_flame ? work->flames->hidden : work->hidden,
                                .summary = is_flame ? NULL : summary,
                                .care = request->care,
                                .group_end = &request->lane_count,
                                .group_count = 1,
                                .stop = &work->stop,
                                .no_sums = 1};
    return pithi_query_run(is_flame ? work->flames->log : log, &query, cells);
}

/* ---- In the thread ----------------------------------------------------------------------------------------------- */

/* Waits for REST_MS; returns early if new work arrives or the thread shall end. The caller must hold the lock. */
static void rest(struct cell_thread *thread)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += REST_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!thread->next && !thread->ending)
        if (pthread_cond_timedwait(&thread->wake, &thread->lock, &until))
            return;
}

static void *thread_main(void *data)
{
    struct cell_thread *thread = data;
    struct pithlog_summary *summary = NULL;

    pithi_helper_stand_back();
    if (thread->large)
        pithlog_summary_open(thread->log, &summary);
    pthread_mutex_lock(&thread->lock);
    while (!thread->ending) {
        if (!thread->next) {
            pthread_cond_wait(&thread->wake, &thread->lock);
            continue;
        }
        thread->current = thread->next;
        thread->next = NULL;
        pthread_mutex_unlock(&thread->lock);
        /* Answers the requests without holding the lock, because answering takes long. */
        const struct cell_work *work = thread->current;
        int rested = 0;
        for (uint32_t i = 0; i < work->count && !atomic_load(&work->stop); i++) {
            if (summary && work->requests[i].care == PITHI_EXACT && !rested++) {
                pthread_mutex_lock(&thread->lock);
                rest(thread);
                pthread_mutex_unlock(&thread->lock);
            }
            if (atomic_load(&work->stop))
                break;
            struct cell_result *result = pithi_alloc(1, sizeof *result);
            result->request = work->requests[i];
            result->generation = work->generation;
            if (cell_request_run(thread->log, summary, work, &work->requests[i], &result->cells))
                result->trouble = strdup(pithlog_error());
            pthread_mutex_lock(&thread->lock);
            if (atomic_load(&work->stop)) {
                cell_result_free(result);
            } else {
                *thread->last = result;
                thread->last = &result->next;
            }
            pthread_mutex_unlock(&thread->lock);
        }
        pthread_mutex_lock(&thread->lock);
        cell_work_free(thread->current);
        thread->current = NULL;
    }
    pthread_mutex_unlock(&thread->lock);
    pithlog_summary_close(summary);
    return NULL;
}

/* ---- For the cache ----------------------------------------------------------------------------------------------- */

static struct cell_thread *cell_thread_start(struct pithlog *log, int large)
{
    struct cell_thread *thread = pithi_alloc(1, sizeof *thread);

    thread->log = log;
    thread->large = large;
    thread->last = &thread->first;
    pthread_mutex_init(&thread->lock, NULL);
    pthread_cond_init(&thread->wake, NULL);
    if (pthread_create(&thread->thread, NULL, thread_main, thread) == 0)
        return thread;
    free(thread);
    return NULL;
}

static void cell_thread_give(struct cell_thread *thread, struct cell_work *work)
{
    pthread_mutex_lock(&thread->lock);
    if (thread->current)
        atomic_store(&thread->current->stop, 1);
    cell_work_free(thread->next);
    thread->next = work;
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
}

/* ---- The cache --------------------------------------------------------------------------------------------------- */

/* Only columns of at least this many ns are shifted. Shorter columns are computed anew (cell_cache.h). */
enum { LEAST_COLUMN_NS = 4096 };

/* The columns of a view. Column c begins at the time anchor_ns + floor((shift + c) * span_ns / width). */
struct cache_view {
    /* begin of column 0 while `shift` is 0; by how many columns the view has moved since; length of the view */
    int64_t anchor_ns, shift, span_ns;
    uint32_t width;
};

struct pithi_cell_cache {
    struct pithlog *log;                    /* not owned */
    struct pithlog_summary *summary;        /* for the drawing thread; NULL: none */
    struct cell_thread *thread;             /* answers `left` in the background; NULL: it could not be started */
    struct pithi_helper *helper;            /* a thread that helps to move rows and to answer requests; NULL: none */
    struct pithlog_summary *helper_summary; /* for the helper, because a summary is for one thread */
    uint32_t defs;
    struct cache_view view;            /* the columns of all rows */
    unsigned char *hidden;             /* [defs] */
    const struct pithi_flames *flames; /* of the plot */
    struct cell_row *rows;             /* [row_count] lanes and known columns of each row */
    struct pithi_cells *cells;         /* [row_count] one row each */
    uint32_t row_count;
    unsigned generation;      /* changes with the view; answers to requests for an older view are dropped */
    int64_t moved;            /* columns by which the last load shifted the cells; 0: no shift */
    uint32_t expected;        /* requests that the thread has not answered yet */
    struct cell_work *left;   /* requests for the thread, until go_on; NULL: none */
    char *trouble, *reported; /* malloc'ed: the first error not reported yet; the error reported last */
};

struct pithi_cell_cache *pithi_cell_cache_new(struct pithlog *log, struct pithlog_summary *summary,
                                              struct pithi_helper *helper)
{
    struct pithi_cell_cache *cache = pithi_alloc(1, sizeof *cache);

    cache->log = log;
    cache->summary = summary;
    cache->defs = pithlog_get_info(log)->defs;
    cache->hidden = pithi_alloc(cache->defs, 1);
    cache->thread = cell_thread_start(log, summary != NULL);
    cache->helper = helper;
    if (helper && summary && pithlog_summary_open(log, &cache->helper_summary))
        cache->helper = NULL;
    return cache;
}

static void free_rows(struct cell_row *rows, struct pithi_cells *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(rows[i].lanes);
        pithi_cells_free(&cells[i]);
    }
    free(rows);
    free(cells);
}

void pithi_cell_cache_free(struct pithi_cell_cache *cache)
{
    if (!cache)
        return;
    if (cache->thread) {
        pthread_mutex_lock(&cache->thread->lock);
        cache->thread->ending = 1;
        pthread_mutex_unlock(&cache->thread->lock);
        cell_thread_give(cache->thread, NULL);
        pthread_join(cache->thread->thread, NULL);
        for (struct cell_result *result = cache->thread->first, *next; result; result = next) {
            next = result->next;
            cell_result_free(result);
        }
        pthread_mutex_destroy(&cache->thread->lock);
        pthread_cond_destroy(&cache->thread->wake);
        free(cache->thread);
    }
    cell_work_free(cache->left);
    pithlog_summary_close(cache->helper_summary);
    free_rows(cache->rows, cache->cells, cache->row_count);
    free(cache->hidden);
    free(cache->trouble);
    free(cache->reported);
    free(cache);
}

int64_t pithi_cell_cache_moved(const struct pithi_cell_cache *cache) { return cache->moved; }
int pithi_cell_cache_rough(const struct pithi_cell_cache *cache) { return cache->expected > 0; }

double pithi_cell_cache_exact(const struct pithi_cell_cache *cache)
{
    uint64_t exact = 0, all = (uint64_t)cache->row_count * cache->view.width;

    for (uint32_t i = 0; i < cache->row_count; i++)
        exact += cache->rows[i].exact_to - cache->rows[i].exact_from;
    return all ? (double)exact / (double)all : 1;
}

int pithi_cell_cache_is_new(const struct pithi_cell_cache *cache) { return cache->row_count == 0; }

const char *pithi_cell_cache_trouble(struct pithi_cell_cache *cache)
{
    free(cache->reported);
    cache->reported = cache->trouble;
    cache->trouble = NULL;
    return cache->reported;
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

static int64_t time_of(const struct cache_view *view, int64_t column)
{
    int64_t shift = view->shift + column;
    uint64_t rest, whole = pithi_mul_div((uint64_t)llabs(shift), (uint64_t)view->span_ns, view->width, &rest);

    return shift < 0 ? view->anchor_ns - (int64_t)(whole + (rest > 0)) : view->anchor_ns + (int64_t)whole;
}

/* Sets *view to the view of a plot. Returns 1 if its columns are the columns of the old view, shifted; 0 if all columns
 * are new. */
static int follow(const struct cache_view *old, const struct pithi_plot *plot, struct cache_view *view)
{
    int64_t span_ns = plot->t1_ns - plot->t0_ns;
    double shift;

    *view = (struct cache_view){plot->t0_ns, 0, span_ns, plot->width};
    if (span_ns != old->span_ns || plot->width != old->width || span_ns / plot->width < LEAST_COLUMN_NS)
        return 0;
    shift = round(((double)plot->t0_ns - (double)old->anchor_ns) * plot->width / (double)span_ns);
    if (fabs(shift - (double)old->shift) >= plot->width)
        return 0;
    *view = *old;
    view->shift = (int64_t)shift;
    return 1;
}

struct move {
    struct cache_view from, to; /* the view before the move and after it */
    int shifted, same_hidden;   /* each 1: cells are shifted, not stretched; both views hide the same states */
};

/* The rows that one thread moves. The cells of a large screen are megabytes, so two threads move them: the calling
 * thread the rows 0, 2, 4 ..., the helper the rows 1, 3, 5 ... */
struct mover {
    const struct move *move;     /* the same for all rows */
    struct cell_row *rows;       /* [count], shared by the threads, each of which changes only its own rows */
    struct pithi_cells *cells;   /* [count]; the field `cells` of a new row is NULL */
    uint32_t first, step, count; /* rows first, first + step ...; `count`: of all */
};

static void move_some(void *data)
{
    const struct mover *mover = data;
    const struct move *move = mover->move;
    struct cell_map map = {0};

    if (!move->shifted) {
        const struct cache_view *from = &move->from, *to = &move->to;
        double column_ns = (double)from->span_ns / from->width;
        double offset = ((double)time_of(to, 0) - (double)time_of(from, 0)) * from->width / (double)from->span_ns;
        double scale = (double)to->span_ns / to->width / column_ns;
        map = (struct cell_map){.offset = offset, .scale = scale, .width = to->width, .old_width = from->width};
        map.from = pithi_alloc(to->width, sizeof *map.from);
        new_spare(&map, PITHI_FIRST_LEVELS);
        /* A new column shows the old column that contains its middle. */
        for (uint32_t c = 0; c < to->width; c++) {
            double at = floor(offset + (c + 0.5) * scale);
            map.from[c] = at >= 0 && at < from->width ? (uint32_t)at : PITHI_NONE;
        }
    }
    for (uint32_t i = mover->first; i < mover->count; i += mover->step) {
        struct cell_row *row = &mover->rows[i];
        if (!mover->cells[i].cells)
            continue;
        if (move->shifted)
            cell_row_shift(row, &mover->cells[i], move->to.shift - move->from.shift);
        else
            cell_row_zoom(row, &mover->cells[i], &map);
        if (!move->same_hidden && row->kind == PITHI_ROW_STATES)
            row->known_from = row->known_to = row->exact_from = row->exact_to = 0;
    }
    free(map.from);
    free(map.spare);
}

/* Makes the rows of the new view. Rows that were in the old view keep their cells, shifted or stretched. */
static void take_rows(struct pithi_cell_cache *cache, const struct pithi_plot *plot, const struct move *move)
{
    struct cell_row *rows = pithi_alloc(plot->cells.rows, sizeof *rows);
    struct pithi_cells *cells = pithi_alloc(plot->cells.rows, sizeof *cells);
    uint32_t guess = 0, count;

    for (uint32_t i = 0; i < plot->cells.rows; i++) {
        const struct pithi_row *of = &plot->rows[plot->plot_row[i]];
        const uint32_t *lanes = pithi_row_lanes(of, &count);
        /* Finds the old row with these lanes, and the same kind (states or functions). Rows mostly keep their order, so
         * the search begins at `guess`, the old row after the one found last. */
        uint32_t old = PITHI_NONE;
        for (uint32_t k = 0; k < cache->row_count; k++) {
            uint32_t at = (guess + k) % cache->row_count;
            const struct cell_row *row = &cache->rows[at];
            if (row->lane_count == count && row->kind == of->kind && row->lanes &&
                memcmp(row->lanes, lanes, count * sizeof *lanes) == 0) {
                old = at;
                break;
            }
        }

        if (old != PITHI_NONE) {
            rows[i] = cache->rows[old];
            cells[i] = cache->cells[old];
            cache->rows[old].lanes = NULL;
            memset(&cache->cells[old], 0, sizeof cache->cells[old]);
            guess = old + 1;
        } else {
            rows[i].lanes = pithi_alloc(count, sizeof *rows[i].lanes);
            rows[i].lane_count = count;
            rows[i].kind = of->kind;
            memcpy(rows[i].lanes, lanes, count * sizeof *lanes);
        }
    }
    if (cache->row_count) { /* not for the first picture */
        struct mover mine = {move, rows, cells, 0, cache->helper ? 2 : 1, plot->cells.rows};
        struct mover helper = mine;
        helper.first = 1;
        pithi_helper_begin(cache->helper, move_some, &helper);
        move_some(&mine);
        pithi_helper_wait(cache->helper);
    }
    for (uint32_t i = 0; i < plot->cells.rows; i++)
        if (!cells[i].cells) {
            cells[i].rows = 1;
            cells[i].levels = PITHI_FIRST_LEVELS;
            cells[i].width = plot->width;
            cells[i].cells = pithi_alloc((size_t)plot->width * cells[i].levels, sizeof *cells[i].cells);
            empty_cells(cells[i].cells, (size_t)plot->width * cells[i].levels);
        }
    free_rows(cache->rows, cache->cells, cache->row_count);
    cache->rows = rows;
    cache->cells = cells;
    cache->row_count = plot->cells.rows;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void note_trouble(struct pithi_cell_cache *cache, const char *text)
{
    if (!cache->trouble && text)
        cache->trouble = strdup(text);
}

/* Adds a request for the columns [from, to) of a row, unless the interval is empty. */
static void ask(const struct pithi_cell_cache *cache, struct cell_work *work, uint32_t row, uint32_t from, uint32_t to,
                enum pithi_care care)
{
    struct cell_request *request;

    if (from >= to)
        return;
    work->requests = pithi_view_grow(work->requests, &work->capacity, work->count + 1, sizeof *work->requests);
    request = &work->requests[work->count++];
    *request = (struct cell_request){row,
                                     from,
                                     to,
                                     time_of(&cache->view, from),
                                     time_of(&cache->view, to),
                                     care,
                                     0,
                                     cache->rows[row].lane_count,
                                     cache->rows[row].kind};
    request->first_lane = cache->rows[row].first_lane;
}

/* Puts the answer to a request into the cells of its row. If the answer covers the whole row, `part` gets the old cells
 * in exchange. */
static void put(struct pithi_cell_cache *cache, const struct cell_request *request, struct pithi_cells *part)
{
    struct cell_row *row = &cache->rows[request->row];
    struct pithi_cells *cells = &cache->cells[request->row];
    uint32_t from = request->from, to = from + part->width;

    if (part->width == cells->width) {
        struct pithi_cells old = *cells;
        *cells = *part;
        *part = old;
    } else {
        pithi_cells_deepen(cells, part->depth);
        cells->depth = part->depth > cells->depth ? part->depth : cells->depth;
        for (uint32_t level = 0; level < cells->depth; level++)
            if (level < part->depth)
                memcpy(line_of(cells, level) + from, line_of(part, level), part->width * sizeof *cells->cells);
            else
                empty_cells(line_of(cells, level) + from, part->width);
        /* The ticks, marks and spans of the answer replace the old ones in the answer's columns. */
        uint32_t kept = 0;
        for (uint32_t i = 0; i < cells->tick_count; i++)
            if (cells->ticks[i].column < from || cells->ticks[i].column >= to)
                cells->ticks[kept++] = cells->ticks[i];
        cells->tick_count = kept;
        kept = 0;
        for (uint32_t i = 0; i < cells->mark_count; i++)
            if (cells->marks[i].column < from || cells->marks[i].column >= to)
                cells->marks[kept++] = cells->marks[i];
        cells->mark_count = kept;
        kept = 0;
        for (uint32_t i = 0; i < cells->span_count; i++)
            if (cells->spans[i].column < from || cells->spans[i].column >= to)
                cells->spans[kept++] = cells->spans[i];
        cells->span_count = kept;
        cells->marks = pithi_view_grow(cells->marks, &cells->mark_capacity, cells->mark_count + part->mark_count,
                                       sizeof *cells->marks);
        for (uint32_t i = 0; i < part->mark_count; i++) {
            cells->marks[cells->mark_count] = part->marks[i];
            cells->marks[cells->mark_count++].column += from;
        }
        cells->spans = pithi_view_grow(cells->spans, &cells->span_capacity, cells->span_count + part->span_count,
                                       sizeof *cells->spans);
        for (uint32_t i = 0; i < part->span_count; i++) {
            cells->spans[cells->span_count] = part->spans[i];
            cells->spans[cells->span_count++].column += from;
        }
        for (uint32_t i = 0; i < part->tick_count; i++) {
            struct pithi_tick tick = part->ticks[i];
            tick.column += from;
            if (is_shown_near(cells, tick.column, tick.state))
                continue;
            cells->ticks =
                pithi_view_grow(cells->ticks, &cells->tick_capacity, cells->tick_count + 1, sizeof *cells->ticks);
            cells->ticks[cells->tick_count++] = tick;
        }
    }
    extend(&row->known_from, &row->known_to, from, to);
    if (request->care == PITHI_EXACT)
        extend(&row->exact_from, &row->exact_to, from, to);
}

/* A thread that answers requests before the picture is drawn: the calling thread or the helper. All requests for a lane
 * go to the same thread. So only one summary keeps the lane's data, and only one thread changes a row. */
struct worker {
    struct pithi_cell_cache *cache;  /* shared; a worker changes only the rows of its lanes */
    const struct cell_work *work;    /* shared, only read */
    struct pithlog_summary *summary; /* of this worker alone */
    unsigned char *done;             /* [work->count], shared by the workers */
    uint32_t limit;                  /* requests from this index on are left to the cache's thread */
    uint32_t number, workers;        /* index of this worker, from 0; count of workers */
    double end_s;                    /* monotonic time, in s, at which the worker stops */
    int err;                         /* the first error */
    char *trouble;                   /* malloc'ed: the text of `err`; NULL: none */
};

/* Answers the requests of this worker until end_s; if the cache has no thread, answers all of them. */
static void answer_some(void *data)
{
    struct worker *worker = data;
    struct pithi_cell_cache *cache = worker->cache;
    const struct cell_work *work = worker->work;
    struct pithi_cells cells = {0};

    for (uint32_t i = 0; i < worker->limit && (now_s() < worker->end_s || !cache->thread); i++) {
        const struct cell_request *request = &work->requests[i];
        int err;
        if (work->lanes[request->first_lane] % worker->workers != worker->number)
            continue;
        err = cell_request_run(cache->log, worker->summary, work, request, &cells);
        if (err && !worker->err) {
            worker->err = err;
            worker->trouble = strdup(pithlog_error());
        }
        put(cache, request, &cells);
        worker->done[i] = 1;
    }
    pithi_cells_free(&cells);
}

/* Answers requests for about `seconds`, loads the plot's arrows meanwhile, and removes the answered requests from
 * `work`. Returns the first error. */
static int answer_now(struct pithi_cell_cache *cache, struct cell_work *work, struct pithi_plot *plot, double seconds)
{
    unsigned char *done = pithi_alloc(work->count, 1);
    struct worker mine = {.cache = cache,
                          .work = work,
                          .summary = cache->summary,
                          .done = done,
                          .limit = work->count,
                          .workers = cache->helper ? 2 : 1,
                          .end_s = now_s() + seconds};
    struct worker helper;
    uint32_t kept = 0;

    /* With a summary, exact answers take much longer than rough answers. So the exact answers are left to the cache's
     * thread. */
    while (mine.limit && cache->summary && cache->thread && work->requests[mine.limit - 1].care == PITHI_EXACT)
        mine.limit--;
    helper = mine;
    helper.summary = cache->helper_summary;
    helper.number = 1;
    pithi_helper_begin(cache->helper, answer_some, &helper);
    pithi_plot_load_arrows(plot);
    if (!cache->helper)
        mine.end_s = now_s() + seconds;
    answer_some(&mine);
    pithi_helper_wait(cache->helper);
    note_trouble(cache, mine.trouble);
    note_trouble(cache, helper.trouble);
    free(mine.trouble);
    free(helper.trouble);
    for (uint32_t i = 0; i < work->count; i++)
        if (!done[i])
            work->requests[kept++] = work->requests[i];
    work->count = kept;
    free(done);
    return mine.err ? mine.err : helper.err;
}

/* Sets how many columns at each end are still unknown, so that the plot does not draw them as time without a state. */
static void tell_unknown(struct pithi_cell_cache *cache)
{
    for (uint32_t i = 0; i < cache->row_count; i++) {
        const struct cell_row *row = &cache->rows[i];
        int is_known = row->known_from < row->known_to;
        cache->cells[i].unknown_left = is_known ? row->known_from : cache->view.width;
        cache->cells[i].unknown_right = is_known ? cache->view.width - row->known_to : 0;
    }
}

int pithi_cell_cache_load(struct pithi_cell_cache *cache, struct pithi_plot *plot, double seconds)
{
    struct move move = {.from = cache->view};
    int err;

    if (plot->t0_ns >= plot->t1_ns || plot->width < 1 || plot->width > PITHI_MAX_WIDTH)
        return PITH_ERR_USAGE;
    pithi_cell_cache_take(cache);
    if (cache->thread)
        cell_thread_give(cache->thread, NULL); /* drops the thread's requests, which are for the old picture */
    pithi_plot_prepare(plot);
    move.shifted = cache->row_count && follow(&cache->view, plot, &move.to);
    if (!cache->row_count)
        move.to = (struct cache_view){plot->t0_ns, 0, plot->t1_ns - plot->t0_ns, plot->width};
    move.same_hidden = plot->hidden && memcmp(cache->hidden, plot->hidden, cache->defs) == 0;
    take_rows(cache, plot, &move);
    cache->view = move.to;
    cache->flames = plot->flames;
    cache->moved = move.shifted ? move.to.shift - move.from.shift : 0;
    if (plot->hidden)
        memcpy(cache->hidden, plot->hidden, cache->defs);
    plot->t0_ns = time_of(&cache->view, 0);
    plot->t1_ns = time_of(&cache->view, cache->view.width);
    plot->lines = cache->cells;
    /* The requests: rough answers for unknown columns, then exact answers for all columns that are not exact. */
    struct cell_work *work = pithi_alloc(1, sizeof *work);
    uint32_t width = cache->view.width;
    for (uint32_t i = 0; i < cache->row_count; i++) {
        struct cell_row *row = &cache->rows[i];
        work->lanes =
            pithi_view_grow(work->lanes, &work->lane_capacity, work->lane_count + row->lane_count, sizeof *work->lanes);
        memcpy(work->lanes + work->lane_count, row->lanes, row->lane_count * sizeof *row->lanes);
        row->first_lane = work->lane_count;
        work->lane_count += row->lane_count;
    }
    for (uint32_t i = 0; i < cache->row_count && cache->summary; i++) {
        ask(cache, work, i, 0, cache->rows[i].known_from, PITHI_QUICK);
        ask(cache, work, i, cache->rows[i].known_to, width, PITHI_QUICK);
    }
    for (uint32_t i = 0; i < cache->row_count; i++) {
        ask(cache, work, i, 0, cache->rows[i].exact_from, PITHI_EXACT);
        ask(cache, work, i, cache->rows[i].exact_to, width, PITHI_EXACT);
    }
    work->hidden = pithi_alloc(cache->defs, 1);
    memcpy(work->hidden, cache->hidden, cache->defs);
    work->flames = cache->flames;
    work->generation = ++cache->generation;
    err = answer_now(cache, work, plot, seconds);
    tell_unknown(cache);
    cache->expected = work->count;
    cell_work_free(cache->left);
    cache->left = work;
    return err;
}

void pithi_cell_cache_go_on(struct pithi_cell_cache *cache)
{
    if (cache->thread && cache->left)
        cell_thread_give(cache->thread, cache->left);
    else
        cell_work_free(cache->left);
    cache->left = NULL;
}

int pithi_cell_cache_take(struct pithi_cell_cache *cache)
{
    struct cell_thread *thread = cache->thread;
    struct cell_result *result = NULL, *next;
    int changed = 0;

    if (thread) { /* the whole list of results is taken at once */
        pthread_mutex_lock(&thread->lock);
        result = thread->first;
        thread->first = NULL;
        thread->last = &thread->first;
        pthread_mutex_unlock(&thread->lock);
    }
    for (; result; result = next) {
        next = result->next;
        if (result->generation == cache->generation) {
            put(cache, &result->request, &result->cells);
            note_trouble(cache, result->trouble);
            cache->expected--;
            changed = 1;
        }
        cell_result_free(result);
    }
    if (changed)
        tell_unknown(cache);
    return changed;
}
