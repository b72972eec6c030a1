/* test_summary.c - the summary of a lane against sums made record by record, by another way: a list of open states. */
#include "native/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/chunk.h"
#include "native/lane_summary.h"
#include "common/log_model.h"
#include "tap.h"

enum { DEEP = 64, LANE_STATES = 9 };

/* A lane's records, and the time that each stack had in each of them, the slow way. */
struct event {
    uint32_t kind, id;
    int64_t time_ns;
    uint32_t path; /* open after it; numbered by `paths` of this test */
};
struct lane {
    struct event *events;
    size_t count;
    struct pithi_paths paths;
};

/* The path of a stack, by going through all that are known. */
static uint32_t number_of(struct lane *lane, const uint32_t *open, uint32_t depth)
{
    uint32_t path = 0;
    for (uint32_t i = 0; i < depth; i++)
        path = pithi_paths_find(&lane->paths, path, open[i]);
    return path;
}

enum shape { NESTED, CROSSED, DEEPLY, FLAT };

static int64_t step(enum shape shape, size_t i)
{
    if (shape == FLAT && i % 1000 == 999)
        return 5000000000; /* a long wait now and then */
    return (int64_t)random_below(i % 7 == 0 ? 2 : 4000);
}

/* Which state a LEAVE of this shape ends. */
static uint32_t which(enum shape shape, uint32_t depth)
{
    return shape == CROSSED && depth > 1 && random_below(3) == 0 ? random_below(depth) : depth - 1;
}

static void leave(struct lane *lane, uint32_t *open, uint32_t *depth, uint32_t at, struct event *event)
{
    event->kind = PITHLOG_LEAVE;
    event->id = open[at];
    for (at = *depth; open[at - 1] != event->id;) /* the innermost of its id */
        at--;
    memmove(open + at - 1, open + at, (*depth - at) * sizeof *open);
    event->path = number_of(lane, open, --*depth);
}

static void make_lane(struct lane *lane, enum shape shape, size_t count)
{
    uint32_t open[DEEP], depth = 0, most = shape == FLAT ? 1 : shape == DEEPLY ? DEEP : 4;
    int64_t now = 1000000;
    lane->events = calloc(count, sizeof *lane->events);
    lane->count = count;
    pithi_paths_begin(&lane->paths);
    for (size_t i = 0; i < count; i++) {
        struct event *event = &lane->events[i];
        now += step(shape, i);
        event->time_ns = now;
        if (random_below(20) == 0) {
            event->kind = random_below(2) ? PITHLOG_EVENT : PITHLOG_SEND;
            event->id = 20 + random_below(3);
            event->path = number_of(lane, open, depth);
        } else if (depth == 0 || (depth < most && random_below(shape == DEEPLY ? 20 : 2) > 0)) {
            event->kind = PITHLOG_ENTER;
            event->id = open[depth] = shape == DEEPLY ? depth % 3 : random_below(LANE_STATES);
            depth++;
            event->path = number_of(lane, open, depth);
        } else {
            leave(lane, open, &depth, which(shape, depth), event);
        }
    }
}

/* ---- Sheets kept --------------------------------------------------------------------------------------------------
 */

struct sheets {
    unsigned char *data[64];
    size_t size[64];
    uint32_t count;
};

static int keep(void *context, const void *payload, size_t size)
{
    struct sheets *sheets = context;
    sheets->data[sheets->count] = memcpy(malloc(size), payload, size);
    sheets->size[sheets->count++] = size;
    return PITH_OK;
}

/* Time under each path in records [from, to) of a lane. */
static void sum(const struct lane *lane, size_t from, size_t to, uint64_t *ns)
{
    for (size_t i = from; i < to && i + 1 < lane->count; i++)
        ns[lane->events[i].path] += (uint64_t)(lane->events[i + 1].time_ns - lane->events[i].time_ns);
}

/* The path of the summary's table, in this test's. */
static uint32_t same_path(struct lane *lane, const struct pithi_paths *paths, uint32_t path)
{
    return path == 0 ? 0
                     : pithi_paths_find(&lane->paths, same_path(lane, paths, paths->items[path].parent),
                                        paths->items[path].state);
}

static int64_t time_after(const struct lane *lane, size_t at)
{
    return lane->events[at < lane->count ? at : lane->count - 1].time_ns;
}

/* One piece says what the records say. */
static int piece_right(struct lane *lane, const struct pithi_paths *paths, const struct pithi_sheet *sheet,
                       const struct pithi_piece *piece, size_t from, size_t to)
{
    uint64_t *ns = calloc(lane->paths.count, sizeof *ns), least = UINT64_MAX;
    double span = (double)(time_after(lane, to) - lane->events[from].time_ns);
    int64_t start = sheet->start_ns + (int64_t)(piece->start * sheet->unit);
    int good = start <= lane->events[from].time_ns && lane->events[from].time_ns - start < (int64_t)sheet->unit;
    unsigned named = 0;
    sum(lane, from, to < lane->count ? to : lane->count, ns);
    for (int i = 0; i < PITHI_PIECE_TOP && piece->share[i] > 0; i++) {
        uint32_t path = same_path(lane, paths, piece->path[i]);
        double share = span > 0 ? (double)ns[path] * 255 / span : 1;
        good &= i == 0 || (piece->share[i] <= piece->share[i - 1] && ns[path] <= least);
        good &= piece->share[i] <= share + 1e-6 + (i == 0) && piece->share[i] > share - 1;
        least = ns[path];
        ns[path] = 0;
        named++;
    }
    for (uint32_t i = 0; i < lane->paths.count && span > 0; i++) /* none that is left out had more */
        good &= ns[i] <= least && (named == PITHI_PIECE_TOP || (double)ns[i] * 255 < span);
    free(ns);
    return good && named > 0;
}

static int events_right(const struct lane *lane, const struct pithi_piece *piece, size_t from, size_t to)
{
    uint32_t count = 0, first = 0;
    for (size_t i = to; i-- > from;)
        if (lane->events[i].kind == PITHLOG_EVENT) {
            count++;
            first = lane->events[i].id;
        }
    return piece->events == (count < 255 ? count : 255) && piece->event == first;
}

static size_t wrong_pieces(struct lane *lane, const struct pithi_paths *paths, const struct sheets *sheets)
{
    size_t wrong = 0;
    for (uint32_t p = 0; p < sheets->count; p++) {
        struct pithi_sheet sheet;
        if (!pithi_sheet_get(sheets->data[p], sheets->size[p], sheets->size[p], &sheet))
            return SIZE_MAX;
        for (unsigned level = 0; level < PITHI_PIECE_LEVELS; level++)
            for (uint32_t i = 0; i < pithi_sheet_pieces(sheet.records, level); i++) {
                struct pithi_piece piece;
                size_t from = sheet.before + (size_t)i * pithi_piece_records(level),
                       to = from + pithi_piece_records(level);
                size_t end = sheet.before + sheet.records;
                pithi_piece_get(sheets->data[p] + pithi_sheet_level(sheet.records, level) + i * PITHI_PIECE_BYTES,
                                &piece);
                to = to < end ? to : end;
                wrong += !piece_right(lane, paths, &sheet, &piece, from, to) || !events_right(lane, &piece, from, to);
            }
    }
    return wrong;
}

/* ---- Exact sums -------------------------------------------------------------------------------------------------- */

enum { IDS = 32 };

static void add_exact(void *context, const struct pithi_exact *exact)
{
    struct pithi_exact *sum = (struct pithi_exact *)context + exact->id;
    sum->count += exact->count;
    sum->own_ns += exact->own_ns;
    sum->all_ns += exact->all_ns;
}

static int is_on(const struct lane *lane, uint32_t path, uint32_t id)
{
    for (; path != 0; path = lane->paths.items[path].parent)
        if (lane->paths.items[path].state == id)
            return 1;
    return 0;
}

static void expect_exact(const struct lane *lane, struct pithi_exact want[IDS])
{
    for (size_t i = 0; i < lane->count; i++) {
        const struct event *event = &lane->events[i];
        uint64_t ns = (uint64_t)(time_after(lane, i + 1) - event->time_ns);
        want[event->id].count += event->kind == PITHLOG_ENTER || event->kind == PITHLOG_EVENT;
        if (event->path != 0)
            want[lane->paths.items[event->path].state].own_ns += ns;
        for (uint32_t id = 0; id < IDS; id++)
            want[id].all_ns += is_on(lane, event->path, id) ? ns : 0;
    }
}

static int exact_right(const struct lane *lane, const struct sheets *sheets)
{
    struct pithi_exact got[IDS] = {{0}}, want[IDS] = {{0}};
    int good = 1;
    for (uint32_t i = 0; i < sheets->count; i++) {
        struct pithi_sheet sheet;
        good &= pithi_sheet_get(sheets->data[i], sheets->size[i], sheets->size[i], &sheet);
        const unsigned char *end = sheets->data[i] + sheets->size[i], *p = end - sheet.exact_bytes;
        struct pithi_exact_head head;
        uint64_t sum_ns = 0;
        for (uint32_t k = 0; p && k < pithi_sheet_pieces(sheet.records, PITHI_PIECE_EXACT);
             k++, sum_ns += head.length_ns)
            if (!(p = pithi_exact_get(p, end, IDS, &head, add_exact, got)))
                return 0;
        good &= sum_ns == (uint64_t)(sheet.end_ns - sheet.start_ns);
        good &= p == end;
    }
    expect_exact(lane, want);
    return good && memcmp(got, want, sizeof got) == 0;
}

/* Records in helpings of odd sizes, as blocks give them. */
static int summarise(struct pithi_summary *summary, const struct lane *lane, struct sheets *sheets)
{
    uint16_t symbols[3000];
    uint64_t steps[3000];
    int64_t last = 0;
    for (size_t i = 0; i < lane->count;) {
        size_t n = 0, most = 1 + random_below(random_below(2) ? 3000 : 300);
        for (; n < most && i < lane->count; n++, i++) {
            uint32_t change = pithi_change_of(lane->events[i].kind, lane->events[i].id);
            symbols[n] = (uint16_t)pithi_summary_symbol(summary, change);
            steps[n] = (uint64_t)(lane->events[i].time_ns - last);
            last = lane->events[i].time_ns;
        }
        struct pithi_changes changes = {.count = (uint32_t)n, .steps_ns = steps, .symbols = symbols};
        if (pithi_summary_add(summary, &changes, keep, sheets) != PITH_OK)
            return 0;
    }
    return pithi_summary_end(summary, keep, sheets) == PITH_OK;
}

/* ---- The same from blocks ---------------------------------------------------------------------------------------- */

/* Keeps the payload of a chunk that has a sheet. */
static int keep_chunk(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct pithi_chunk_head head;
    *offset = 0;
    pithi_chunk_head_get(data, size, 0, &head);
    return keep(context, (const unsigned char *)data + PITHI_CHUNK_HEAD, head.size);
}

/* Encodes the lane in blocks of odd sizes, and makes its summary from these. Returns the number of blocks whose states
 * nest; -1: an error. */
static int summarise_blocks(struct pithi_lane_summary *summary, const struct lane *lane, uint32_t limit,
                            struct sheets *sheets)
{
    struct pithi_encoder *e = pithi_encoder_new(7);
    struct pithi_sink sink = {.context = sheets, .append = keep_chunk};
    struct pithi_zip zip = {0};
    struct pithi_buffer out = {0};
    struct pithi_block_head head;
    int nested = 0, good = 1;
    for (size_t i = 0; good && i < lane->count;) {
        size_t most = 1 + random_below(random_below(2) ? 3000 : 300);
        for (; most > 0 && i < lane->count; most--, i++) {
            const struct event *event = &lane->events[i];
            struct pithlog_record r = {.time_ns = event->time_ns, .kind = event->kind, .id = event->id, .peer = -1};
            good &= pithi_encoder_add(e, &r, 0) == PITH_OK;
        }
        good &= pithi_encoder_code(e) == PITH_OK;
        nested += e->nested;
        good &= pithi_lane_summary_block(summary, e, 0, limit, &sink) == PITH_OK;
        out.size = 0;
        good &= pithi_encoder_end(e, &zip, &out, &head) == PITH_OK;
    }
    good &= pithi_lane_summary_end(summary, 0, &sink) == PITH_OK;
    pithi_encoder_free(e);
    pithi_zip_free(&zip);
    free(out.data);
    return good ? nested : -1;
}

/* The sheets are those made from the records. */
static void compare_blocks(const struct lane *lane, uint32_t limit, const struct sheets *want, int nests,
                           const char *what)
{
    struct pithi_lane_summary summary = {0};
    struct sheets sheets = {.count = 0};
    int nested = summarise_blocks(&summary, lane, limit, &sheets), good = sheets.count == want->count;
    for (uint32_t i = 0; good && i < sheets.count; i++)
        good &= sheets.size[i] == want->size[i] && memcmp(sheets.data[i], want->data[i], want->size[i]) == 0;
    OK(good && (nests ? nested > 0 : nested >= 0), "%s: the same from blocks, %d of which nest", what, nested);
    for (uint32_t i = 0; i < sheets.count; i++)
        free(sheets.data[i]);
    pithi_lane_summary_free(&summary);
}

static void test_lane(enum shape shape, size_t count, uint32_t limit, const char *what)
{
    struct lane lane = {0};
    struct sheets sheets = {.count = 0};
    struct pithi_paths paths = {0}, again = {0}, fewer = {0};
    struct pithi_buffer bytes = {0};

    make_lane(&lane, shape, count);
    int good = pithi_paths_begin(&paths);
    struct pithi_summary *summary = pithi_summary_new(7, &paths);
    pithi_summary_limit(summary, limit);
    good &= summarise(summary, &lane, &sheets);
    OK(good && sheets.count == (count + limit - 1) / limit, "%s: %u sheets", what, sheets.count);
    OK(wrong_pieces(&lane, &paths, &sheets) == 0, "%s: every piece names what had most of its time", what);
    OK(exact_right(&lane, &sheets), "%s: the exact sums are exact", what);
    OK(pithi_paths_put(&paths, &bytes) && pithi_paths_get(&again, bytes.data, bytes.size, IDS) &&
           again.count == paths.count && memcmp(again.items, paths.items, paths.count * sizeof *paths.items) == 0,
       "%s: %u paths come back", what, paths.count);
    OK(!pithi_paths_get(&fewer, bytes.data, bytes.size, 1), "%s: not with unknown states", what);
    if (count >= PITHI_SUMMARY_LEAST)
        compare_blocks(&lane, limit, &sheets, shape != CROSSED, what);
    sheets.data[0][20] ^= 1;
    OK(!pithi_sheet_get(sheets.data[0], sheets.size[0], sheets.size[0], &(struct pithi_sheet){0}), "%s: damage is seen",
       what);
    for (uint32_t i = 0; i < sheets.count; i++)
        free(sheets.data[i]);
    pithi_paths_free(&fewer);
    pithi_paths_free(&again);
    pithi_summary_free(summary);
    pithi_paths_free(&paths);
    pithi_paths_free(&lane.paths);
    free(bytes.data);
    free(lane.events);
}

int main(void)
{
    test_lane(NESTED, 5, PITHI_SHEET_RECORDS, "a short lane");
    test_lane(NESTED, 128, PITHI_SHEET_RECORDS, "one piece");
    test_lane(FLAT, 40000, PITHI_SHEET_RECORDS, "a flat lane with waits");
    test_lane(CROSSED, 70000, PITHI_SHEET_RECORDS, "states that cross");
    test_lane(DEEPLY, 40000, PITHI_SHEET_RECORDS, "deep nesting");
    test_lane(NESTED, 70000, 32768, "short sheets");
    test_lane(NESTED, PITHI_SHEET_RECORDS + 5000, PITHI_SHEET_RECORDS, "more than a sheet");
    return tap_done();
}
