/* film.c - keeping cells while the window moves; see film.h. Knows nothing of how cells are made. */
#include "core/film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/film_row.h"
#include "core/film_thread.h"
#include "core/memory.h"

/* Columns narrower than this are not shifted. */
enum { LEAST_COLUMN_NS = 4096 };

/* Column c begins at anchor + floor((shift + c) * span / width). */
struct film_view {
    int64_t anchor_ns, shift, span_ns;
    uint32_t width;
};

struct pithi_film {
    struct pithlog *log;
    struct pithlog_summary *summary;
    struct pithi_film_thread *thread;
    struct pithi_helper *helper;
    struct pithlog_summary *helpers; /* summary */
    uint32_t defs;
    struct film_view view;
    unsigned char *hidden; /* [defs] */
    struct pithi_film_row *rows;
    struct pithi_cells *cells; /* [row_count] one row each */
    uint32_t row_count;
    unsigned generation;
    int64_t moved;
    uint32_t expected;            /* stretches that the thread has not answered yet */
    struct pithi_film_work *left; /* what is to be given to it; NULL: nothing */
    char *trouble, *told;
};

struct pithi_film *pithi_film_new(struct pithlog *log, struct pithlog_summary *summary, struct pithi_helper *helper)
{
    struct pithi_film *film = pithi_alloc(1, sizeof *film);

    film->log = log;
    film->summary = summary;
    film->defs = pithlog_get_info(log)->defs;
    film->hidden = pithi_alloc(film->defs, 1);
    film->thread = pithi_film_thread_start(log, summary != NULL);
    film->helper = helper;
    if (helper && summary && pithlog_summary_open(log, &film->helpers))
        film->helper = NULL;
    return film;
}

static void free_rows(struct pithi_film_row *rows, struct pithi_cells *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(rows[i].lanes);
        pithi_cells_free(&cells[i]);
    }
    free(rows);
    free(cells);
}

void pithi_film_free(struct pithi_film *film)
{
    if (!film)
        return;
    pithi_film_thread_end(film->thread);
    pithi_film_work_free(film->left);
    pithlog_summary_close(film->helpers);
    free_rows(film->rows, film->cells, film->row_count);
    free(film->hidden);
    free(film->trouble);
    free(film->told);
    free(film);
}

int64_t pithi_film_moved(const struct pithi_film *film) { return film->moved; }
int pithi_film_rough(const struct pithi_film *film) { return film->expected > 0; }
int pithi_film_is_new(const struct pithi_film *film) { return film->row_count == 0; }

const char *pithi_film_trouble(struct pithi_film *film)
{
    free(film->told);
    film->told = film->trouble;
    film->trouble = NULL;
    return film->told;
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

static int64_t time_of(const struct film_view *view, int64_t column)
{
    __int128 ns = (__int128)(view->shift + column) * view->span_ns;
    __int128 whole = ns / view->width;

    return view->anchor_ns + (int64_t)(whole - (ns % view->width < 0));
}

/* The view that a plot asks for, on the columns of the old one if that will do: 1. */
static int follow(const struct film_view *old, const struct pithi_plot *plot, struct film_view *view)
{
    int64_t span_ns = plot->t1_ns - plot->t0_ns;
    double shift;

    *view = (struct film_view){plot->t0_ns, 0, span_ns, plot->width};
    if (span_ns != old->span_ns || plot->width != old->width || span_ns / plot->width < LEAST_COLUMN_NS)
        return 0;
    shift = round(((double)plot->t0_ns - (double)old->anchor_ns) * plot->width / (double)span_ns);
    if (fabs(shift - (double)old->shift) >= plot->width)
        return 0;
    *view = *old;
    view->shift = (int64_t)shift;
    return 1;
}

/* Rows keep their order mostly: the old row of the one before tells where to look. */
static uint32_t find_row(const struct pithi_film *film, const uint32_t *lanes, uint32_t count, uint32_t guess)
{
    for (uint32_t i = 0; i < film->row_count; i++) {
        uint32_t at = (guess + i) % film->row_count;
        const struct pithi_film_row *row = &film->rows[at];
        if (row->lane_count == count && row->lanes && memcmp(row->lanes, lanes, count * sizeof *lanes) == 0)
            return at;
    }
    return PITHI_NONE;
}

struct move {
    struct film_view from, to;
    int shifted, same_hidden;
    struct pithi_film_map map; /* if it is not shifted */
};

static void make_map(struct move *move)
{
    double scale = (double)move->to.span_ns / move->to.width / ((double)move->from.span_ns / move->from.width);
    double offset = ((double)time_of(&move->to, 0) - (double)time_of(&move->from, 0)) * move->from.width /
                    (double)move->from.span_ns;

    pithi_film_map_make(&move->map, move->to.width, move->from.width, offset, scale);
}

/* An old row's cells become those of the new view. */
static void move_row(struct move *move, struct pithi_film_row *row, struct pithi_cells *cells)
{
    if (move->shifted)
        pithi_film_row_shift(row, cells, move->to.shift - move->from.shift);
    else
        pithi_film_row_stretch(row, cells, &move->map);
    if (!move->same_hidden)
        row->known_from = row->known_to = row->exact_from = row->exact_to = 0;
}

static void take_rows(struct pithi_film *film, const struct pithi_plot *plot, struct move *move)
{
    struct pithi_film_row *rows = pithi_alloc(plot->cells.rows, sizeof *rows);
    struct pithi_cells *cells = pithi_alloc(plot->cells.rows, sizeof *cells);
    uint32_t guess = 0, count;

    if (!move->shifted && film->row_count)
        make_map(move);
    for (uint32_t i = 0; i < plot->cells.rows; i++) {
        const uint32_t *lanes = pithi_row_lanes(&plot->rows[plot->plot_row[i]], &count);
        uint32_t old = find_row(film, lanes, count, guess);
        if (old != PITHI_NONE) {
            rows[i] = film->rows[old];
            cells[i] = film->cells[old];
            film->rows[old].lanes = NULL;
            memset(&film->cells[old], 0, sizeof film->cells[old]);
            move_row(move, &rows[i], &cells[i]);
            guess = old + 1;
        } else {
            rows[i].lanes = pithi_alloc(count, sizeof *rows[i].lanes);
            rows[i].lane_count = count;
            memcpy(rows[i].lanes, lanes, count * sizeof *lanes);
            pithi_film_row_empty(&cells[i], plot->width);
        }
    }
    free_rows(film->rows, film->cells, film->row_count);
    pithi_film_map_free(&move->map);
    film->rows = rows;
    film->cells = cells;
    film->row_count = plot->cells.rows;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void note_trouble(struct pithi_film *film, const char *text)
{
    if (!film->trouble && text)
        film->trouble = strdup(text);
}

static void ask(const struct pithi_film *film, struct pithi_film_work *work, uint32_t row, uint32_t from, uint32_t to,
                enum pithi_care care)
{
    struct pithi_stretch *stretch;

    if (from >= to)
        return;
    work->stretches = pithi_grow(work->stretches, &work->capacity, work->count + 1, sizeof *work->stretches);
    stretch = &work->stretches[work->count++];
    *stretch = (struct pithi_stretch){
        row, from, to, time_of(&film->view, from), time_of(&film->view, to), care, 0, film->rows[row].lane_count};
    stretch->first_lane = film->rows[row].first_lane;
}

/* What is to be done: what is not known at all, roughly; then what is not exact. */
static struct pithi_film_work *make_work(struct pithi_film *film)
{
    struct pithi_film_work *work = pithi_alloc(1, sizeof *work);
    uint32_t width = film->view.width;

    for (uint32_t i = 0; i < film->row_count; i++) {
        struct pithi_film_row *row = &film->rows[i];
        work->lanes =
            pithi_grow(work->lanes, &work->lane_capacity, work->lane_count + row->lane_count, sizeof *work->lanes);
        memcpy(work->lanes + work->lane_count, row->lanes, row->lane_count * sizeof *row->lanes);
        row->first_lane = work->lane_count;
        work->lane_count += row->lane_count;
    }
    for (uint32_t i = 0; i < film->row_count && film->summary; i++) {
        ask(film, work, i, 0, film->rows[i].known_from, PITHI_QUICK);
        ask(film, work, i, film->rows[i].known_to, width, PITHI_QUICK);
    }
    for (uint32_t i = 0; i < film->row_count; i++) {
        ask(film, work, i, 0, film->rows[i].exact_from, PITHI_EXACT);
        ask(film, work, i, film->rows[i].exact_to, width, PITHI_EXACT);
    }
    work->hidden = pithi_alloc(film->defs, 1);
    memcpy(work->hidden, film->hidden, film->defs);
    work->generation = ++film->generation;
    return work;
}

static void put(struct pithi_film *film, const struct pithi_stretch *stretch, struct pithi_cells *cells)
{
    pithi_film_row_put(&film->rows[stretch->row], &film->cells[stretch->row], stretch->from, cells,
                       stretch->care == PITHI_EXACT);
}

/* Who answers stretches before a picture is drawn: this thread, and the helper. A lane is always looked at by the same
 * of them, so that what its summary keeps of it is there once; and so no two touch the same row. */
struct hand {
    struct pithi_film *film;
    const struct pithi_film_work *work;
    struct pithlog_summary *summary;
    unsigned char *done; /* [work->count], of all hands */
    uint32_t limit;      /* of the stretches only those before it: the others are the film's thread's */
    uint32_t number, of; /* of the hands */
    double end_s;
    int err; /* the first one */
    char *trouble;
};

static int is_mine(const struct hand *hand, const struct pithi_stretch *stretch)
{
    return hand->work->lanes[stretch->first_lane] % hand->of == hand->number;
}

static void answer(struct hand *hand, const struct pithi_stretch *stretch, struct pithi_cells *cells)
{
    int err = pithi_stretch_query(hand->film->log, hand->summary, hand->work, stretch, cells);

    if (err && !hand->err) {
        hand->err = err;
        hand->trouble = strdup(pithlog_error());
    }
    put(hand->film, stretch, cells);
}

/* As many as there is time for. */
static void answer_some(void *data)
{
    struct hand *hand = data;
    struct pithi_cells cells = {0};

    for (uint32_t i = 0; i < hand->limit && (now_s() < hand->end_s || !hand->film->thread); i++)
        if (is_mine(hand, &hand->work->stretches[i])) {
            answer(hand, &hand->work->stretches[i], &cells);
            hand->done[i] = 1;
        }
    pithi_cells_free(&cells);
}

/* With a summary and a thread what is to be exact is the thread's. */
static uint32_t limit_of(const struct pithi_film *film, const struct pithi_film_work *work)
{
    uint32_t limit = work->count;

    while (limit && film->summary && film->thread && work->stretches[limit - 1].care == PITHI_EXACT)
        limit--;
    return limit;
}

static void drop_done(struct pithi_film_work *work, const unsigned char *done)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < work->count; i++)
        if (!done[i])
            work->stretches[kept++] = work->stretches[i];
    work->count = kept;
}

/* As many stretches of the work as there is time for are answered here; arrows are looked for. The first error. */
static int answer_now(struct pithi_film *film, struct pithi_film_work *work, struct pithi_plot *plot, double seconds)
{
    unsigned char *done = pithi_alloc(work->count, 1);
    struct hand mine = {.film = film,
                        .work = work,
                        .summary = film->summary,
                        .done = done,
                        .limit = limit_of(film, work),
                        .of = film->helper ? 2 : 1,
                        .end_s = now_s() + seconds};
    struct hand helpers = mine;

    helpers.summary = film->helpers;
    helpers.number = 1;
    pithi_helper_begin(film->helper, answer_some, &helpers);
    pithi_plot_load_arrows(plot);
    if (!film->helper)
        mine.end_s = now_s() + seconds;
    answer_some(&mine);
    pithi_helper_wait(film->helper);
    note_trouble(film, mine.trouble);
    note_trouble(film, helpers.trouble);
    free(mine.trouble);
    free(helpers.trouble);
    drop_done(work, done);
    free(done);
    return mine.err ? mine.err : helpers.err;
}

int pithi_film_load(struct pithi_film *film, struct pithi_plot *plot, double seconds)
{
    struct move move = {.from = film->view};
    struct pithi_film_work *work;
    int err;

    if (plot->t0_ns >= plot->t1_ns || plot->width < 1 || plot->width > PITHI_MAX_WIDTH)
        return PITH_ERR_USAGE;
    pithi_film_take(film);
    if (film->thread)
        pithi_film_thread_give(film->thread, NULL); /* it works for a picture that is gone */
    pithi_plot_prepare(plot);
    move.shifted = film->row_count && follow(&film->view, plot, &move.to);
    if (!film->row_count)
        move.to = (struct film_view){plot->t0_ns, 0, plot->t1_ns - plot->t0_ns, plot->width};
    move.same_hidden = plot->hidden && memcmp(film->hidden, plot->hidden, film->defs) == 0;
    take_rows(film, plot, &move);
    film->view = move.to;
    film->moved = move.shifted ? move.to.shift - move.from.shift : 0;
    if (plot->hidden)
        memcpy(film->hidden, plot->hidden, film->defs);
    plot->t0_ns = time_of(&film->view, 0);
    plot->t1_ns = time_of(&film->view, film->view.width);
    plot->lines = film->cells;
    work = make_work(film);
    err = answer_now(film, work, plot, seconds);
    film->expected = work->count;
    pithi_film_work_free(film->left);
    film->left = work;
    return err;
}

void pithi_film_go_on(struct pithi_film *film)
{
    if (film->thread && film->left)
        pithi_film_thread_give(film->thread, film->left);
    else
        pithi_film_work_free(film->left);
    film->left = NULL;
}

int pithi_film_take(struct pithi_film *film)
{
    struct pithi_film_result *result = film->thread ? pithi_film_thread_take(film->thread) : NULL, *next;
    int changed = 0;

    for (; result; result = next) {
        next = result->next;
        if (result->generation == film->generation) {
            put(film, &result->stretch, &result->cells);
            note_trouble(film, result->trouble);
            film->expected--;
            changed = 1;
        }
        pithi_film_result_free(result);
    }
    return changed;
}
