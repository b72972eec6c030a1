/* test_core_summary.c - cells made from pieces against cells made from every record, on logs of several shapes. */
#include <string.h>

#include "core/cells/query.h"
#include "core_log.h"
#include "tap.h"

enum { STATES = 24, EVENT_ID = STATES, RECORDS = 600000, LANES = 2, WIDTH = 800, DEEPEST = 40 };
enum shape { SOLVER, PHASED, UNIFORM, BURSTY, DEEP, LOSSY, SHAPES };
static const char *const shape_name[] = {"a solver", "phased", "uniform", "bursty", "deeply nested", "with losses"};

static uint64_t seed = 99;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

static int64_t step(enum shape shape, uint32_t i)
{
    if (shape == BURSTY && i % 5000 == 0)
        return 50000000;
    return (int64_t)below(shape == BURSTY ? 100 : 2000);
}

/* In phases one state has most of the time, and which one changes. */
static uint32_t choose(enum shape shape, uint32_t i)
{
    return shape == PHASED && below(10) ? i / 9000 % STATES : below(STATES);
}

static void write_lane(struct core_log *log, uint32_t lane, enum shape shape)
{
    uint32_t open[DEEPEST], depth = 0, most = shape == DEEP ? DEEPEST : 3;
    int64_t now = 0;

    for (uint32_t i = 0; i < RECORDS; i++) {
        now += step(shape, i);
        if (shape == LOSSY && below(3000) == 0) {
            core_add(log, lane, PITHLOG_LOST, now, 0);
            now += below(100000);
            depth -= depth && below(2); /* a state whose end was lost */
        } else if (below(200) == 0) {
            core_add(log, lane, PITHLOG_EVENT, now, EVENT_ID);
        } else if (!depth || (depth < most && below(2))) {
            open[depth] = choose(shape, i);
            core_add(log, lane, PITHLOG_ENTER, now, open[depth++]);
        } else {
            core_add(log, lane, PITHLOG_LEAVE, now, open[--depth]);
        }
    }
}

/* As most programs are: in `main` a loop of computing, neighbours' messages, and a sum now and then. */
static void write_solver(struct core_log *log, uint32_t lane)
{
    static const uint32_t round[] = {1, 2, 2, 3, 3, 4, 1, 5};
    int64_t now = 0;

    core_add(log, lane, PITHLOG_ENTER, now, 0);
    for (uint32_t i = 0; i < RECORDS / 2; i++) {
        uint32_t state = round[i % 8] == 5 && i % 80 != 7 ? 4 : round[i % 8];
        now += below(100);
        core_add(log, lane, PITHLOG_ENTER, now, state);
        now += state == 1 ? 20000 + below(5000) : state >= 4 ? 1 + below(9000) : 300 + below(100);
        core_add(log, lane, PITHLOG_LEAVE, now, state);
    }
    core_add(log, lane, PITHLOG_LEAVE, now, 0);
}

static struct pithlog *make_log(enum shape shape)
{
    struct core_log log;
    char name[24];

    core_log_begin(&log);
    for (int i = 0; i < STATES; i++) {
        snprintf(name, sizeof name, "state%d", i);
        core_define(&log, PITHLOG_STATE, name, "");
    }
    core_define(&log, PITHLOG_EVENT_TYPE, "event", "");
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t lane = core_lane(&log, (int32_t)i, 0, "");
        if (shape == SOLVER)
            write_solver(&log, lane);
        else
            write_lane(&log, lane, shape);
    }
    return core_log_end(&log);
}

/* ---- Comparing --------------------------------------------------------------------------------------------------- */

struct wrong {
    uint32_t cells, colours, covers, ticks, holes;
    int sums;
};

static int has_tick(const struct pithi_cells *cells, const struct pithi_tick *tick)
{
    for (uint32_t i = 0; i < cells->tick_count; i++)
        if (cells->ticks[i].row == tick->row && cells->ticks[i].state == tick->state)
            return 1;
    for (uint32_t c = 0; c < cells->width * cells->levels; c++)
        if (pithi_cells_line(cells, tick->row, 0)[c].state == tick->state)
            return 1;
    return 0;
}

static struct wrong compare(struct pithi_cells *right, struct pithi_cells *seen)
{
    pithi_cells_deepen(right, seen->levels);
    pithi_cells_deepen(seen, right->levels);
    struct wrong wrong = {right->rows * right->levels * right->width, 0, 0, 0, 0, 0};
    unsigned char missing[2][WIDTH];

    for (uint32_t i = 0; i < wrong.cells; i++) {
        int difference = right->cells[i].cover - seen->cells[i].cover;
        wrong.colours += right->cells[i].state != seen->cells[i].state;
        wrong.covers += difference < -26 || difference > 26;
    }
    for (uint32_t i = 0; i < right->tick_count; i++)
        wrong.ticks += !has_tick(seen, &right->ticks[i]);
    for (uint32_t row = 0; row < right->rows; row++) {
        pithi_cells_missing(right, row, missing[0]);
        pithi_cells_missing(seen, row, missing[1]);
        wrong.holes += memcmp(missing[0], missing[1], right->width) != 0;
    }
    wrong.sums = memcmp(right->sums, seen->sums, right->defs * sizeof *right->sums) != 0;
    return wrong;
}

static uint64_t events_of(const struct pithi_cells *cells)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < cells->mark_count; i++)
        count += cells->marks[i].count;
    return count;
}

static void test_window(struct pithlog *log, struct pithlog_summary *summary, int64_t t0, int64_t t1, const char *shape,
                        const unsigned char *hidden, const uint32_t *group_end, const char *what)
{
    const uint32_t lanes[LANES] = {0, 1};
    struct pithi_query query = {.t0_ns = t0,
                                .t1_ns = t1,
                                .width = WIDTH,
                                .levels = PITHI_LEVELS,
                                .lanes = lanes,
                                .lane_count = LANES,
                                .hidden = hidden,
                                .group_end = group_end,
                                .group_count = group_end ? 1 : 0};
    struct pithi_cells right = {0}, refined = {0}, rough = {0};
    struct wrong wrong;

    core_check(pithi_query_run(log, &query, &right));
    query.summary = summary;
    core_check(pithi_query_run(log, &query, &refined));
    query.care = PITHI_QUICK;
    core_check(pithi_query_run(log, &query, &rough));
    wrong = compare(&right, &refined);
    OK(wrong.colours * 1000 <= wrong.cells, "%s, %s: %u of %u colours wrong", shape, what, wrong.colours, wrong.cells);
    OK(wrong.covers * 100 <= wrong.cells, "%s, %s: %u heights wrong", shape, what, wrong.covers);
    OK(!wrong.sums, "%s, %s: sums are exact", shape, what);
    OK(!wrong.ticks, "%s, %s: rare states stay visible (%u of %u do not)", shape, what, wrong.ticks, right.tick_count);
    OK(events_of(&refined) * 100 >= events_of(&right) * 95 && events_of(&refined) <= events_of(&right) * 105 / 100,
       "%s, %s: %d marks for %d", shape, what, (int)events_of(&refined), (int)events_of(&right));
    OK(!wrong.holes, "%s, %s: the same columns have missing records", shape, what);
    wrong = compare(&right, &rough);
    OK(!wrong.holes, "%s, %s: at once, too", shape, what);
    OK(wrong.colours <= rough.rough * rough.levels, "%s, %s: at once, %u colours wrong, %u columns in doubt", shape,
       what, wrong.colours, rough.rough);
    pithi_cells_free(&right);
    pithi_cells_free(&refined);
    pithi_cells_free(&rough);
}

static void test_shape(enum shape shape)
{
    struct pithlog *log = make_log(shape);
    const struct pithlog_info *info = pithlog_get_info(log);
    const uint32_t both = LANES;
    int64_t span = info->end_ns - info->start_ns, middle = info->start_ns + span / 2;
    unsigned char hidden[STATES + 1] = {[3] = 1, [7] = 1};
    struct pithlog_summary *summary;

    core_check(pithlog_summary_open(log, &summary));
    test_window(log, summary, info->start_ns, info->end_ns + 1, shape_name[shape], NULL, NULL, "all");
    test_window(log, summary, middle, middle + span / 5, shape_name[shape], NULL, NULL, "a fifth");
    test_window(log, summary, middle, middle + span / 50, shape_name[shape], NULL, NULL, "a fiftieth");
    test_window(log, summary, middle, middle + span / 3000, shape_name[shape], NULL, NULL, "a moment");
    test_window(log, summary, middle, middle + span / 3, shape_name[shape], hidden, NULL, "two states hidden");
    test_window(log, summary, info->start_ns, info->end_ns + 1, shape_name[shape], NULL, &both, "two as one, all");
    test_window(log, summary, middle, middle + span / 50, shape_name[shape], NULL, &both, "two as one, a fiftieth");
    test_window(log, summary, middle, middle + span / 3, shape_name[shape], hidden, &both, "two as one, some hidden");
    pithlog_summary_close(summary);
    pithlog_close(log);
}

int main(void)
{
    for (int shape = 0; shape < SHAPES; shape++)
        test_shape((enum shape)shape);
    return tap_done();
}
