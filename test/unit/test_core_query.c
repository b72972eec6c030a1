/* test_core_query.c - cells against brute force on random logs: deep nesting, states not nested properly, states of no
 * length, hidden states, windows from the whole log down to a few nanoseconds. */
#include <inttypes.h>
#include <string.h>

#include "core/scene/hit.h"
#include "core/cells/query.h"
#include "core_lane.h"
#include "core_log.h"
#include "tap.h"

enum { STATES = 7, EVENT_ID = STATES, DEFS = STATES + 1, LANES = 3, NEAR = 24, DEEPEST = 24 };

static struct lane_copy lanes[LANES];
static int64_t log_end_ns; /* states never left last till then */
static uint64_t seed = 42;
static uint32_t deepest = 12; /* of random logs */
static int has_losses;        /* random logs have LOST records */

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

/* ---- A random log ------------------------------------------------------------------------------------------------ */

static void random_lane(struct lane_copy *copy, uint32_t records, uint32_t gap)
{
    uint32_t open[32], depth = 0;
    int64_t now = below(50);

    for (copy->count = 0; copy->count < records;) {
        struct entry *entry = &copy->entries[copy->count++];
        uint32_t dice = below(20);
        now += below(4) ? below(gap) : 0;
        entry->time_ns = now;
        if (dice == 0) {
            entry->kind = PITHLOG_EVENT, entry->id = EVENT_ID;
        } else if (has_losses && !below(25)) {
            entry->kind = PITHLOG_LOST;
            for (uint32_t left = below(3); left > 0 && depth > 0; left--) /* the program went on meanwhile */
                depth--;
        } else if (depth < deepest && (dice < 11 || !depth)) {
            entry->kind = PITHLOG_ENTER;
            entry->id = open[depth++] = below(STATES);
        } else {
            /* Mostly the innermost; now and then one around it. */
            uint32_t which = depth - 1 - (below(10) ? 0 : below(depth));
            entry->kind = PITHLOG_LEAVE;
            entry->id = open[which];
            memmove(&open[which], &open[which + 1], (depth - which - 1) * sizeof *open);
            depth--;
        }
    }
    end_lost(copy);
}

static struct pithlog *random_log(uint32_t records, uint32_t gap)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    struct core_log log;
    struct pithlog *opened;

    core_log_begin(&log);
    for (uint32_t id = 0; id < STATES; id++)
        core_define(&log, PITHLOG_STATE, names[id], "");
    core_define(&log, PITHLOG_EVENT_TYPE, "event", "");
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t lane = core_lane(&log, (int32_t)i, 0, "");
        random_lane(&lanes[i], records, gap);
        for (uint32_t r = 0; r < lanes[i].count; r++)
            core_add(&log, lane, lanes[i].entries[r].kind, lanes[i].entries[r].time_ns, lanes[i].entries[r].id);
    }
    opened = core_log_end(&log);
    log_end_ns = pithlog_get_info(opened)->end_ns;
    return opened;
}

/* ---- Brute force ------------------------------------------------------------------------------------------------- */

static uint32_t shown_at(const struct stack *stack, const unsigned char *hidden, uint32_t level, uint32_t levels)
{
    uint32_t visible[MOST], count = 0;

    for (uint32_t i = 0; i < stack->depth; i++)
        if (!hidden[stack->items[i].id])
            visible[count++] = stack->items[i].id;
    if (level >= count)
        return PITHI_NONE;
    return visible[level + 1 == levels ? count - 1 : level];
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Nanoseconds times 2^shift of each state in a column, added up stretch by stretch to what is in shares. */
static void column_shares(const struct lane_copy *copy, const struct pithi_query *query, uint32_t level, uint64_t from,
                          uint64_t to, unsigned shift, uint64_t shares[STATES])
{
    static struct stack stack;

    for (uint32_t r = 1; r <= copy->count; r++) {
        int64_t begin = copy->entries[r - 1].time_ns;
        int64_t end = r < copy->count ? copy->entries[r].time_ns : log_end_ns;
        uint64_t low = (uint64_t)(clamp(begin, query->t0_ns, query->t1_ns) - query->t0_ns) << shift;
        uint64_t high = (uint64_t)(clamp(end, query->t0_ns, query->t1_ns) - query->t0_ns) << shift;
        uint32_t state;
        low = low < from ? from : low;
        high = high > to ? to : high;
        if (low >= high)
            continue;
        replay(copy, r, &stack);
        state = shown_at(&stack, query->hidden, level, query->levels);
        if (state != PITHI_NONE)
            shares[state] += high - low;
    }
}

/* Of a row of `count` lanes; of several, the innermost states. */
static int cell_is_right(const struct pithi_query *query, const struct pithi_cells *cells, uint32_t row,
                         const uint32_t *of, uint32_t count, uint32_t level, uint32_t column)
{
    static const struct pithi_cell none = {.state = PITHI_NONE};
    const struct pithi_cell *cell = level < cells->levels ? &pithi_cells_line(cells, row, level)[column] : &none;
    uint64_t span = (uint64_t)(query->t1_ns - query->t0_ns), shares[STATES] = {0}, sum = 0, most = 0, from, to;
    struct pithi_query innermost = *query;
    unsigned shift = 0;
    int wanted;

    while (span << shift < (uint64_t)query->width * 16)
        shift++;
    from = (span << shift) * column / query->width;
    to = (span << shift) * (column + 1) / query->width;
    innermost.levels = 1;
    for (uint32_t i = 0; i < count && (count == 1 || level == 0); i++)
        column_shares(&lanes[of[i]], count > 1 ? &innermost : query, level, from, to, shift, shares);
    for (uint32_t id = 0; id < STATES; id++) {
        sum += shares[id];
        most = shares[id] > most ? shares[id] : most;
    }
    if (!sum)
        return cell->state == PITHI_NONE && cell->cover == 0;
    wanted = (int)((double)sum * 255 / ((double)(to - from) * count) + 0.5);
    return cell->state < STATES && shares[cell->state] == most && abs(cell->cover - (wanted ? wanted : 1)) <= 1;
}

static uint32_t wrong_cells(const struct pithi_query *query, const struct pithi_cells *cells)
{
    uint32_t wrong = 0;

    for (uint32_t row = 0, first = 0; row < cells->rows; row++) {
        uint32_t end = query->group_end ? query->group_end[row] : row + 1;
        for (uint32_t level = 0; level < query->levels && level < DEEPEST; level++)
            for (uint32_t c = 0; c < query->width; c++)
                wrong += !cell_is_right(query, cells, row, query->lanes + first, end - first, level, c);
        first = end;
    }
    return wrong;
}

/* ---- Holes ------------------------------------------------------------------------------------------------------- */

/* 1: a column has time of a hole; 0: it touches none; -1: one may touch it, since a column's ends are rounded to a
 * sixteenth of it. */
static int holds_hole(const struct lane_copy *copy, const struct pithi_query *query, uint32_t column)
{
    double step = (double)(query->t1_ns - query->t0_ns) / query->width;
    double from = (double)query->t0_ns + step * column, to = from + step, near = step / 16;
    int holds = 0;

    for (uint32_t r = 1; r < copy->count; r++) {
        double begin = (double)copy->entries[r - 1].time_ns, end = (double)copy->entries[r].time_ns;
        if (!is_hole(copy, r - 1) || end < from - near || begin > to + near)
            continue;
        if (end > from + near && begin < to - near && end > begin)
            return 1;
        holds = -1;
    }
    return holds || !copy->count || !is_hole(copy, copy->count - 1) ? holds : -1;
}

static uint32_t wrong_holes(const struct pithi_query *query, const struct pithi_cells *cells)
{
    unsigned char missing[90];
    uint32_t wrong = 0;

    for (uint32_t row = 0; row < LANES; row++) {
        pithi_cells_missing(cells, row, missing);
        for (uint32_t c = 0; c < query->width; c++) {
            int holds = holds_hole(&lanes[row], query, c);
            wrong += holds >= 0 && missing[c] != holds;
        }
    }
    return wrong;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static void count_open(const struct stack *stack, unsigned char counted[MOST], struct pithi_sum sums[DEFS])
{
    for (uint32_t i = 0; i < stack->depth; i++) {
        sums[stack->items[i].id].count += !counted[stack->items[i].enter];
        counted[stack->items[i].enter] = 1;
    }
}

static void brute_sums(const struct pithi_query *query, struct pithi_sum sums[DEFS])
{
    static struct stack stack;

    memset(sums, 0, DEFS * sizeof *sums);
    for (uint32_t l = 0; l < LANES; l++) {
        unsigned char counted[MOST] = {0};
        int before = 1;
        for (uint32_t r = 0; r <= lanes[l].count; r++) {
            const struct entry *entry = r < lanes[l].count ? &lanes[l].entries[r] : NULL;
            int64_t begin = r ? lanes[l].entries[r - 1].time_ns : INT64_MIN, end = entry ? entry->time_ns : log_end_ns;
            int64_t span = clamp(end, query->t0_ns, query->t1_ns) - clamp(begin, query->t0_ns, query->t1_ns);
            uint32_t seen = 0;
            replay(&lanes[l], r, &stack);
            /* States open when the window begins count from there. */
            if (before && (!entry || entry->time_ns >= query->t0_ns)) {
                before = 0;
                count_open(&stack, counted, sums);
            }
            if (span > 0 && stack.depth)
                sums[stack.items[stack.depth - 1].id].self_ns += span;
            for (uint32_t i = 0; span > 0 && i < stack.depth; i++) {
                if (!(seen >> stack.items[i].id & 1))
                    sums[stack.items[i].id].total_ns += span;
                seen |= 1u << stack.items[i].id;
            }
            if (!entry || entry->time_ns < query->t0_ns || entry->time_ns >= query->t1_ns)
                continue;
            replay_known(&lanes[l], r, &stack); /* after a hole, states are open again */
            if (r && is_hole(&lanes[l], r - 1))
                count_open(&stack, counted, sums);
            sums[entry->id].count += entry->kind == PITHLOG_ENTER || entry->kind == PITHLOG_EVENT;
            counted[r] = 1;
        }
    }
}

static int sums_are_right(const struct pithi_query *query, const struct pithi_cells *cells)
{
    struct pithi_sum wanted[DEFS];
    int right = 1;

    brute_sums(query, wanted);
    for (uint32_t id = 0; id < DEFS; id++) {
        const struct pithi_sum *got = &cells->sums[id];
        if (got->count == wanted[id].count && got->total_ns == wanted[id].total_ns &&
            got->self_ns == wanted[id].self_ns)
            continue;
        right = 0;
        printf("# %u: count %" PRIu64 " wanted %" PRIu64 ", total %" PRId64 " %" PRId64 ", self %" PRId64 " %" PRId64
               "\n",
               id, got->count, wanted[id].count, got->total_ns, wanted[id].total_ns, got->self_ns, wanted[id].self_ns);
    }
    return right;
}

/* ---- Ticks and marks --------------------------------------------------------------------------------------------- */

static int shown_near(const struct pithi_cells *cells, uint32_t row, uint32_t column, uint32_t state, uint32_t reach)
{
    for (uint32_t level = 0; level < cells->levels; level++)
        for (uint32_t c = column > reach ? column - reach : 0; c <= column + reach && c < cells->width; c++)
            if (pithi_cells_line(cells, row, level)[c].state == state)
                return 1;
    return 0;
}

static int ticked_near(const struct pithi_cells *cells, uint32_t row, uint32_t column, uint32_t state)
{
    for (uint32_t i = 0; i < cells->tick_count; i++)
        if (cells->ticks[i].row == row && cells->ticks[i].state == state &&
            abs((int)cells->ticks[i].column - (int)column) <= NEAR)
            return 1;
    return 0;
}

/* No visible state that begins in the window is left out altogether; none is ticked that is seen anyway. */
static int ticks_are_right(const struct pithi_query *query, const struct pithi_cells *cells)
{
    double span = (double)(query->t1_ns - query->t0_ns);
    int right = 1;

    for (uint32_t i = 0; i < cells->tick_count; i++)
        right &= !shown_near(cells, cells->ticks[i].row, cells->ticks[i].column, cells->ticks[i].state, NEAR);
    for (uint32_t row = 0; row < LANES; row++)
        for (uint32_t r = 0; r < lanes[row].count; r++) {
            const struct entry *entry = &lanes[row].entries[r];
            uint32_t column = (uint32_t)((double)(entry->time_ns - query->t0_ns) / span * query->width);
            if (entry->kind != PITHLOG_ENTER || entry->time_ns < query->t0_ns || entry->time_ns >= query->t1_ns ||
                query->hidden[entry->id])
                continue;
            right &=
                shown_near(cells, row, column, entry->id, 2 * NEAR + 1) || ticked_near(cells, row, column, entry->id);
        }
    return right;
}

static int marks_are_right(const struct pithi_query *query, const struct pithi_cells *cells)
{
    uint64_t wanted = 0, got = 0;

    for (uint32_t row = 0; row < LANES; row++)
        for (uint32_t r = 0; r < lanes[row].count; r++)
            wanted += lanes[row].entries[r].kind == PITHLOG_EVENT && lanes[row].entries[r].time_ns >= query->t0_ns &&
                      lanes[row].entries[r].time_ns < query->t1_ns;
    for (uint32_t i = 0; i < cells->mark_count; i++)
        got += cells->marks[i].count;
    return got == (query->hidden[EVENT_ID] ? 0 : wanted);
}

/* ---- Hits -------------------------------------------------------------------------------------------------------- */

/* The end of a state: its LEAVE, the LOST record in whose hole it ended, or the end of its lane. */
static int64_t end_of(const struct lane_copy *copy, uint32_t enter)
{
    static struct stack stack;

    for (uint32_t r = enter + 1; r < copy->count; r++) {
        int is_open = 0;
        replay_known(copy, r + 1, &stack);
        for (uint32_t i = 0; i < stack.depth; i++)
            is_open |= stack.items[i].enter == enter;
        if (!is_open)
            return copy->entries[r].time_ns;
    }
    return copy->entries[copy->count - 1].time_ns;
}

/* The innermost state between all records, with its ends. */
static void test_hits(uint32_t records, uint32_t gap)
{
    struct pithlog *log = random_log(records, gap);
    static struct stack stack;
    uint32_t wrong = 0, spanning = 0;

    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct lane_copy *copy = &lanes[lane];
        for (uint32_t r = 0; r + 1 < copy->count; r++) {
            int64_t now = copy->entries[r].time_ns, next = copy->entries[r + 1].time_ns;
            struct pithi_hit hit;
            if (next - now < 2)
                continue;
            int found = pithi_hit_state(log, lane, now + 1, below(2) ? now + 2 : next, PITHI_LEVELS - 1, NULL, &hit);
            replay(copy, r + 1, &stack);
            wrong += found != (stack.depth > 0);
            if (found != 1 || !stack.depth)
                continue;
            uint32_t enter = stack.items[stack.depth - 1].enter;
            int64_t end = end_of(copy, enter);
            wrong += hit.id != stack.items[stack.depth - 1].id || hit.start_ns != copy->entries[enter].time_ns ||
                     hit.end_ns != end || hit.depth + 1 != stack.depth;
            for (uint32_t i = enter; i < copy->count && copy->entries[i].time_ns < end; i++)
                spanning += is_hole(copy, i);
        }
    }
    OK(!wrong && spanning, "states under the pointer, also after holes: %u wrong, %u holes inside them", wrong,
       spanning);
    pithlog_close(log);
}

/* State 0 has [0, 10) and [20, 40), state 1 has [40, 64). */
static void test_hit_over_hole(void)
{
    struct core_log log;
    struct pithi_hit hit;

    core_log_begin(&log);
    core_define(&log, PITHLOG_STATE, "a", "");
    core_define(&log, PITHLOG_STATE, "b", "");
    core_lane(&log, 0, 0, "");
    core_add(&log, 0, PITHLOG_ENTER, 0, 0);
    core_add(&log, 0, PITHLOG_LOST, 10, 0);
    core_add(&log, 0, PITHLOG_PAUSE, 20, 0);
    core_add(&log, 0, PITHLOG_LEAVE, 40, 0);
    core_add(&log, 0, PITHLOG_ENTER, 40, 1);
    core_add(&log, 0, PITHLOG_LEAVE, 64, 1);
    struct pithlog *opened = core_log_end(&log);
    OK(pithi_hit_state(opened, 0, 5, 64, 0, NULL, &hit) == 1 && hit.id == 0 && hit.covered_ns == 25 &&
           hit.start_ns == 0 && hit.end_ns == 40,
       "a pixel over a hole: both pieces of a state count, the hole does not");
    OK(pithi_hit_state(opened, 0, 15, 30, 0, NULL, &hit) == 1 && hit.id == 0 && hit.covered_ns == 10 &&
           hit.start_ns == 0 && hit.end_ns == 40,
       "a pixel that begins in a hole");
    pithlog_close(opened);
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

static void random_query(const struct pithlog *log, struct pithi_query *query, unsigned char *hidden)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    uint32_t whole = (uint32_t)(info->end_ns - info->start_ns + 1);

    query->t0_ns = info->start_ns - 3 + below(whole);
    query->t1_ns = query->t0_ns + 1 + below(below(3) ? whole : 40);
    if (!below(4))
        query->t0_ns = info->start_ns, query->t1_ns = info->end_ns + 1;
    query->width = 1 + below(90);
    query->levels = below(3) ? 1 + below(6) : PITHI_LEVELS;
    for (uint32_t id = 0; id < DEFS; id++)
        hidden[id] = !below(5);
    query->hidden = hidden;
}

static void round_of(uint32_t records, uint32_t gap, uint32_t queries)
{
    static const uint32_t rows[LANES] = {0, 1, 2};
    struct pithlog *log = random_log(records, gap);
    struct pithi_cells cells = {0};
    uint32_t wrong = 0, holes = 0;
    int sums = 1, ticks = 1, marks = 1;

    for (uint32_t i = 0; i < queries; i++) {
        unsigned char hidden[DEFS];
        struct pithi_query query = {.lanes = rows, .lane_count = LANES};
        random_query(log, &query, hidden);
        core_check(pithi_query_run(log, &query, &cells));
        wrong += wrong_cells(&query, &cells);
        sums &= sums_are_right(&query, &cells);
        ticks &= ticks_are_right(&query, &cells);
        marks &= marks_are_right(&query, &cells);
        holes += wrong_holes(&query, &cells);
    }
    OK(wrong == 0, "%u records, %u deep, gaps below %u ns: every cell is what covers most of it (%u wrong)", records,
       deepest, gap, wrong);
    OK(sums, "... and count, total and self time are exact");
    OK(ticks, "... and no state is lost from sight, none shown twice");
    OK(marks, "... and every event is in a mark");
    OK(holes == 0, "... and columns with missing records are marked (%u wrong)", holes);
    pithi_cells_free(&cells);
    pithlog_close(log);
}

/* With a summary, holes are marked in all columns, in quick pictures too, and sums are exact. */
static void test_holes_of_summary(uint32_t records, uint32_t gap, uint32_t queries)
{
    static const uint32_t rows[LANES] = {0, 1, 2};
    struct pithlog *log = random_log(records, gap);
    struct pithi_cells cells = {0};
    struct pithlog_summary *summary;
    uint32_t holes = 0;
    int sums = 1;

    core_check(pithlog_summary_open(log, &summary));
    for (uint32_t i = 0; i < queries; i++) {
        unsigned char hidden[DEFS];
        struct pithi_query query = {.lanes = rows, .lane_count = LANES, .summary = summary};
        random_query(log, &query, hidden);
        core_check(pithi_query_run(log, &query, &cells));
        holes += wrong_holes(&query, &cells);
        sums &= sums_are_right(&query, &cells);
        query.care = PITHI_QUICK;
        core_check(pithi_query_run(log, &query, &cells));
        holes += wrong_holes(&query, &cells);
    }
    OK(holes == 0, "%u records, with a summary: columns with missing records are marked (%u wrong)", records, holes);
    OK(sums, "... and sums are exact");
    pithlog_summary_close(summary);
    pithi_cells_free(&cells);
    pithlog_close(log);
}

static uint64_t events_in(const struct pithi_cells *cells)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < cells->mark_count; i++)
        count += cells->marks[i].count;
    return count;
}

/* A state of a lane that has no cell of the group has a tick. */
static int group_shows(const struct pithi_cells *cells, const struct pithi_cells *single)
{
    int shown[STATES] = {0};

    for (uint32_t c = 0; c < cells->width; c++)
        if (cells->cells[c].state != PITHI_NONE)
            shown[cells->cells[c].state] = 1;
    for (uint32_t i = 0; i < cells->tick_count; i++)
        shown[cells->ticks[i].state] |= cells->ticks[i].row == 0;
    for (uint32_t i = 0; i < single->rows * single->levels * single->width; i++)
        if (single->cells[i].state != PITHI_NONE && !shown[single->cells[i].state])
            return 0;
    return 1;
}

static void test_groups(uint32_t records, uint32_t gap, uint32_t queries)
{
    static const uint32_t rows[LANES] = {0, 1, 2}, all[] = {3}, some[] = {1, 3};
    struct pithlog *log = random_log(records, gap);
    struct pithi_cells cells = {0}, single = {0};
    uint32_t wrong = 0;
    int shown = 1, marks = 1, sums = 1;

    for (uint32_t i = 0; i < queries; i++) {
        unsigned char hidden[DEFS];
        struct pithi_query query = {.lanes = rows, .lane_count = LANES};
        random_query(log, &query, hidden);
        core_check(pithi_query_run(log, &query, &single));
        query.group_end = i & 1 ? some : all;
        query.group_count = i & 1 ? 2 : 1;
        core_check(pithi_query_run(log, &query, &cells));
        wrong += wrong_cells(&query, &cells);
        shown &= i & 1 || group_shows(&cells, &single);
        marks &= events_in(&cells) == events_in(&single);
        sums &= sums_are_right(&query, &cells);
    }
    OK(wrong == 0, "groups, %u records: a cell is what covers most over all lanes (%u wrong)", records, wrong);
    OK(shown && marks && sums, "... no state is lost from sight, no event, and sums are as of the lanes");
    pithi_cells_free(&cells);
    pithi_cells_free(&single);
    pithlog_close(log);
}

static void test_stop(void)
{
    static const uint32_t rows[LANES] = {0, 1, 2};
    static const atomic_int stop = 1;
    struct pithlog *log = random_log(400, 50);
    struct pithi_query query = {.t1_ns = 5000, .width = 50, .levels = 1, .lanes = rows, .lane_count = LANES};
    struct pithi_cells cells = {0};

    query.stop = &stop;
    core_check(pithi_query_run(log, &query, &cells));
    OK(cells.cells[25].state == PITHI_NONE && cells.sums[0].count == 0, "what is not wanted any more is not done");
    pithi_cells_free(&cells);
    pithlog_close(log);
}

static void test_sums_without_cells(void)
{
    static const uint32_t rows[LANES] = {0, 1, 2};
    static const unsigned char hidden[DEFS];
    struct pithlog *log = random_log(300, 50);
    struct pithi_query query = {.t0_ns = 100, .t1_ns = 3000, .levels = 1, .lanes = rows, .lane_count = LANES};
    struct pithi_cells cells = {0};

    query.hidden = hidden;
    core_check(pithi_query_run(log, &query, &cells));
    OK(sums_are_right(&query, &cells), "width 0: the same sums, no cells");
    query.t1_ns = query.t0_ns;
    OK(pithi_query_run(log, &query, &cells) == PITH_ERR_USAGE, "an empty window is refused");
    pithi_cells_free(&cells);
    pithlog_close(log);
}

int main(void)
{
    round_of(30, 20, 100);
    round_of(200, 8, 60);
    round_of(400, 1000, 40);
    round_of(400, 1, 10);
    test_groups(60, 20, 60);
    test_groups(300, 8, 40);
    test_groups(400, 300, 30);
    deepest = 20;
    round_of(400, 100, 12);
    round_of(400, 3, 8);
    test_stop();
    test_sums_without_cells();
    has_losses = 1;
    round_of(30, 20, 60);
    round_of(200, 8, 40);
    round_of(400, 1000, 30);
    test_groups(300, 8, 30);
    for (uint32_t i = 0; i < 4; i++)
        test_holes_of_summary(100 + 100 * i, 1 + i * i * 30, 30);
    test_hits(200, 8);
    test_hits(400, 100);
    test_hit_over_hole();
    return tap_done();
}
