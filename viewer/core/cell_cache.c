/* cell_cache.c - decides which cells stay valid when the window moves, and which must be queried. query.c computes
 * cells. */
#include "core/cell_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/cell_cache_parts.h"
#include "core/memory.h"

/* Narrower columns are not shifted. */
enum { LEAST_COLUMN_NS = 4096 };

/* Column c begins at anchor + floor((shift + c) * span / width). */
struct cache_view {
    int64_t anchor_ns, shift, span_ns;
    uint32_t width;
};

struct pithi_cell_cache {
    struct pithlog *log;
    struct pithlog_summary *summary;
    struct pithi_cell_thread *thread;
    struct pithi_helper *helper;
    struct pithlog_summary *helper_summary;
    uint32_t defs;
    struct cache_view view;
    unsigned char *hidden;             /* [defs] */
    const struct pithi_flames *flames; /* of the plot */
    struct pithi_cell_row *rows;
    struct pithi_cells *cells; /* [row_count] one row each */
    uint32_t row_count;
    unsigned generation;
    int64_t moved;
    uint32_t expected;            /* requests that the thread has not answered yet */
    struct pithi_cell_work *left; /* requests for the thread, until go_on; NULL: none */
    char *trouble, *reported;
};

struct pithi_cell_cache *pithi_cell_cache_new(struct pithlog *log, struct pithlog_summary *summary,
                                              struct pithi_helper *helper)
{
    struct pithi_cell_cache *cache = pithi_alloc(1, sizeof *cache);

    cache->log = log;
    cache->summary = summary;
    cache->defs = pithlog_get_info(log)->defs;
    cache->hidden = pithi_alloc(cache->defs, 1);
    cache->thread = pithi_cell_thread_start(log, summary != NULL);
    cache->helper = helper;
    if (helper && summary && pithlog_summary_open(log, &cache->helper_summary))
        cache->helper = NULL;
    return cache;
}

static void free_rows(struct pithi_cell_row *rows, struct pithi_cells *cells, uint32_t count)
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
    pithi_cell_thread_end(cache->thread);
    pithi_cell_work_free(cache->left);
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
    __int128 ns = (__int128)(view->shift + column) * view->span_ns;
    __int128 whole = ns / view->width;

    return view->anchor_ns + (int64_t)(whole - (ns % view->width < 0));
}

/* Makes the view of a plot. Returns 1 if it uses the columns of the old view, shifted. */
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

/* Finds the old row with these lanes; `flame`: of their functions. Rows mostly keep their order: `guess` is the old row
 * after the one found last. */
static uint32_t find_row(const struct pithi_cell_cache *cache, const uint32_t *lanes, uint32_t count, int flame,
                         uint32_t guess)
{
    for (uint32_t i = 0; i < cache->row_count; i++) {
        uint32_t at = (guess + i) % cache->row_count;
        const struct pithi_cell_row *row = &cache->rows[at];
        if (row->lane_count == count && row->flame == flame && row->lanes &&
            memcmp(row->lanes, lanes, count * sizeof *lanes) == 0)
            return at;
    }
    return PITHI_NONE;
}

struct move {
    struct cache_view from, to;
    int shifted, same_hidden;
};

static void make_map(const struct move *move, struct pithi_cell_map *map)
{
    const struct cache_view *from = &move->from, *to = &move->to;
    double column_ns = (double)from->span_ns / from->width;
    double offset = ((double)time_of(to, 0) - (double)time_of(from, 0)) * from->width / (double)from->span_ns;

    pithi_cell_map_make(map, to->width, from->width, offset, (double)to->span_ns / to->width / column_ns);
}

/* This thread and the helper move every other row. On a large screen these are megabytes. */
struct mover {
    const struct move *move;
    struct pithi_cell_row *rows;
    struct pithi_cells *cells; /* without memory for a row that is new */
    uint32_t first, step, count;
};

static void move_some(void *data)
{
    const struct mover *mover = data;
    const struct move *move = mover->move;
    struct pithi_cell_map map = {0};

    if (!move->shifted)
        make_map(move, &map);
    for (uint32_t i = mover->first; i < mover->count; i += mover->step) {
        struct pithi_cell_row *row = &mover->rows[i];
        if (!mover->cells[i].cells)
            continue;
        if (move->shifted)
            pithi_cell_row_shift(row, &mover->cells[i], move->to.shift - move->from.shift);
        else
            pithi_cell_row_stretch(row, &mover->cells[i], &map);
        if (!move->same_hidden && !row->flame)
            row->known_from = row->known_to = row->exact_from = row->exact_to = 0;
    }
    pithi_cell_map_free(&map);
}

static void move_rows(struct pithi_cell_cache *cache, const struct move *move, struct pithi_cell_row *rows,
                      struct pithi_cells *cells, uint32_t count)
{
    struct mover mine = {.move = move, .rows = rows, .cells = cells, .step = cache->helper ? 2 : 1, .count = count};
    struct mover helper = mine;

    if (!cache->row_count) /* the first picture */
        return;
    helper.first = 1;
    pithi_helper_begin(cache->helper, move_some, &helper);
    move_some(&mine);
    pithi_helper_wait(cache->helper);
}

/* Makes the rows of the new view; rows that were in the old view keep their cells. */
static void take_rows(struct pithi_cell_cache *cache, const struct pithi_plot *plot, const struct move *move)
{
    struct pithi_cell_row *rows = pithi_alloc(plot->cells.rows, sizeof *rows);
    struct pithi_cells *cells = pithi_alloc(plot->cells.rows, sizeof *cells);
    uint32_t guess = 0, count;

    for (uint32_t i = 0; i < plot->cells.rows; i++) {
        const struct pithi_row *of = &plot->rows[plot->plot_row[i]];
        const uint32_t *lanes = pithi_row_lanes(of, &count);
        uint32_t old = find_row(cache, lanes, count, of->flame, guess);
        if (old != PITHI_NONE) {
            rows[i] = cache->rows[old];
            cells[i] = cache->cells[old];
            cache->rows[old].lanes = NULL;
            memset(&cache->cells[old], 0, sizeof cache->cells[old]);
            guess = old + 1;
        } else {
            rows[i].lanes = pithi_alloc(count, sizeof *rows[i].lanes);
            rows[i].lane_count = count;
            rows[i].flame = of->flame;
            memcpy(rows[i].lanes, lanes, count * sizeof *lanes);
        }
    }
    move_rows(cache, move, rows, cells, plot->cells.rows);
    for (uint32_t i = 0; i < plot->cells.rows; i++)
        if (!cells[i].cells)
            pithi_cell_row_empty(&cells[i], plot->width);
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

static void ask(const struct pithi_cell_cache *cache, struct pithi_cell_work *work, uint32_t row, uint32_t from,
                uint32_t to, enum pithi_care care)
{
    struct pithi_cell_request *request;

    if (from >= to)
        return;
    work->requests = pithi_view_grow(work->requests, &work->capacity, work->count + 1, sizeof *work->requests);
    request = &work->requests[work->count++];
    *request = (struct pithi_cell_request){row,
                                           from,
                                           to,
                                           time_of(&cache->view, from),
                                           time_of(&cache->view, to),
                                           care,
                                           0,
                                           cache->rows[row].lane_count,
                                           cache->rows[row].flame};
    request->first_lane = cache->rows[row].first_lane;
}

/* Makes requests for rough answers for unknown columns, then for exact answers for all columns that are not exact. */
static struct pithi_cell_work *make_work(struct pithi_cell_cache *cache)
{
    struct pithi_cell_work *work = pithi_alloc(1, sizeof *work);
    uint32_t width = cache->view.width;

    for (uint32_t i = 0; i < cache->row_count; i++) {
        struct pithi_cell_row *row = &cache->rows[i];
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
    return work;
}

static void put(struct pithi_cell_cache *cache, const struct pithi_cell_request *request, struct pithi_cells *cells)
{
    pithi_cell_row_put(&cache->rows[request->row], &cache->cells[request->row], request->from, cells,
                       request->care == PITHI_EXACT);
}

/* This thread and the helper answer requests before the picture is drawn. All requests of a lane go to the same thread,
 * so that only one summary keeps the lane's data and only one thread changes a row. */
struct worker {
    struct pithi_cell_cache *cache;
    const struct pithi_cell_work *work;
    struct pithlog_summary *summary;
    unsigned char *done;      /* [work->count], shared by the workers */
    uint32_t limit;           /* requests from this index on are left to the cache's thread */
    uint32_t number, workers; /* of this worker; of all */
    double end_s;
    int err; /* the first one */
    char *trouble;
};

/* Answers requests until the time is up. */
static void answer_some(void *data)
{
    struct worker *worker = data;
    struct pithi_cell_cache *cache = worker->cache;
    const struct pithi_cell_work *work = worker->work;
    struct pithi_cells cells = {0};

    for (uint32_t i = 0; i < worker->limit && (now_s() < worker->end_s || !cache->thread); i++) {
        const struct pithi_cell_request *request = &work->requests[i];
        int err;
        if (work->lanes[request->first_lane] % worker->workers != worker->number)
            continue;
        err = pithi_cell_request_run(cache->log, worker->summary, work, request, &cells);
        if (err && !worker->err) {
            worker->err = err;
            worker->trouble = strdup(pithlog_error());
        }
        put(cache, request, &cells);
        worker->done[i] = 1;
    }
    pithi_cells_free(&cells);
}

/* Answers requests for about `seconds`, looks for arrows meanwhile, and drops the answered requests. Returns the first
 * error. */
static int answer_now(struct pithi_cell_cache *cache, struct pithi_cell_work *work, struct pithi_plot *plot,
                      double seconds)
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

    /* Exact answers take long when a summary is used, so they are left to the thread. */
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

/* For the drawing: columns that are still empty must not look like time without a state. */
static void tell_unknown(struct pithi_cell_cache *cache)
{
    for (uint32_t i = 0; i < cache->row_count; i++) {
        const struct pithi_cell_row *row = &cache->rows[i];
        int is_known = row->known_from < row->known_to;
        cache->cells[i].unknown_left = is_known ? row->known_from : cache->view.width;
        cache->cells[i].unknown_right = is_known ? cache->view.width - row->known_to : 0;
    }
}

int pithi_cell_cache_load(struct pithi_cell_cache *cache, struct pithi_plot *plot, double seconds)
{
    struct move move = {.from = cache->view};
    struct pithi_cell_work *work;
    int err;

    if (plot->t0_ns >= plot->t1_ns || plot->width < 1 || plot->width > PITHI_MAX_WIDTH)
        return PITH_ERR_USAGE;
    pithi_cell_cache_take(cache);
    if (cache->thread)
        pithi_cell_thread_give(cache->thread, NULL); /* drop its requests, which are for the old picture */
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
    work = make_work(cache);
    err = answer_now(cache, work, plot, seconds);
    tell_unknown(cache);
    cache->expected = work->count;
    pithi_cell_work_free(cache->left);
    cache->left = work;
    return err;
}

void pithi_cell_cache_go_on(struct pithi_cell_cache *cache)
{
    if (cache->thread && cache->left)
        pithi_cell_thread_give(cache->thread, cache->left);
    else
        pithi_cell_work_free(cache->left);
    cache->left = NULL;
}

int pithi_cell_cache_take(struct pithi_cell_cache *cache)
{
    struct pithi_cell_result *result = cache->thread ? pithi_cell_thread_take(cache->thread) : NULL, *next;
    int changed = 0;

    for (; result; result = next) {
        next = result->next;
        if (result->generation == cache->generation) {
            put(cache, &result->request, &result->cells);
            note_trouble(cache, result->trouble);
            cache->expected--;
            changed = 1;
        }
        pithi_cell_result_free(result);
    }
    if (changed)
        tell_unknown(cache);
    return changed;
}
