/* test_sketch.c - the sketch of a log (reader/index/sketch.h) against its records, column by column; through the cache,
 * as a page has it; and files that are damaged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/far.h"
#include "common/random.h"
#include "common/test_files.h"
#include "native/log.h"
#include "native/segment.h"
#include "pithlog.h"
#include "reader/index/sketch.h"
#include "reader/read/cache.h"
#include "tap.h"

enum { OUTER = 4, INNER = 3, STATES = OUTER + INNER, LANES = 3, RECORDS = 200000, PHASE = 8192, COLUMNS = 150 };

/* In a phase a state is open, in every fifth none; inside, another one for 300 of 1000 ns. Lane 2 ends early. */
static void write_log(const char *path)
{
    struct pithi_writer *w;
    uint32_t id, number;
    must(pithi_writer_open(&w, path, -1));
    for (uint32_t i = 0; i < STATES; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%u", i);
        must(pithi_defs_add(pithi_writer_defs(w), &(struct pithlog_def){PITHLOG_STATE, name, "", "", ""}, &id));
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        int64_t now_ns = 5000 * lane;
        must(pithi_writer_lane(w, (int32_t)lane, 0, "", &number));
        for (uint32_t i = 0; i < (lane == 2 ? RECORDS / 3 : RECORDS) / PHASE * PHASE; i++) {
            uint32_t phase = i / PHASE + lane, at = i % PHASE, has_outer = phase % 5 != 0;
            struct pithlog_record r = {.lane = number, .peer = -1, .id = OUTER + phase % INNER};
            int is_outer = has_outer && (at == 0 || at == PHASE - 1);
            r.kind = at % 2 == (has_outer && !is_outer) ? PITHLOG_ENTER : PITHLOG_LEAVE;
            r.id = is_outer ? phase % OUTER : r.id;
            now_ns += r.kind == PITHLOG_LEAVE ? 300 : 700;
            r.time_ns = now_ns;
            must(pithi_writer_add(w, &r));
        }
    }
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
}

/* What fills a column of a lane, in ns: outermost states, states inside others, and all that is known. */
struct filled {
    double outer[STATES], inner[STATES], known;
};
static struct filled by_records[LANES][COLUMNS], by_sketch[LANES][COLUMNS];

struct window {
    int64_t from_ns, to_ns, length_ns;
};

/* Adds a time in which a stack of states is open. */
static void fill(struct filled *columns, const struct window *w, int64_t from_ns, int64_t to_ns, const uint32_t *open,
                 uint32_t depth, double share)
{
    from_ns = from_ns > w->from_ns ? from_ns : w->from_ns;
    to_ns = to_ns < w->to_ns ? to_ns : w->to_ns;
    while (from_ns < to_ns) {
        struct filled *column = &columns[(from_ns - w->from_ns) / w->length_ns];
        int64_t end_ns = w->from_ns + ((from_ns - w->from_ns) / w->length_ns + 1) * w->length_ns;
        double ns = (double)((end_ns < to_ns ? end_ns : to_ns) - from_ns) * share;
        column->known += ns;
        if (depth > 0)
            column->outer[open[0]] += ns;
        if (depth > 1)
            column->inner[open[1]] += ns;
        from_ns = end_ns;
    }
}

static void fill_by_records(struct pithlog *log, const struct window *w, uint32_t lane)
{
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint32_t open[8], depth = 0;
    int64_t last_ns = 0;
    must(pithlog_iter_open(log, &query, &iter));
    while (pithlog_iter_next(iter, &r) == 1) {
        if (last_ns)
            fill(by_records[lane], w, last_ns, r.time_ns, open, depth, 1);
        last_ns = r.time_ns;
        if (r.kind == PITHLOG_ENTER)
            open[depth++] = r.id;
        depth -= r.kind == PITHLOG_LEAVE;
    }
    pithlog_iter_close(iter);
}

struct taking {
    const struct window *window;
    const struct pithlog_path *paths;
    uint32_t path_count, lane, wrong;
    int64_t last_ns;
};

static void take_piece(void *context, const struct pithlog_piece *piece)
{
    struct taking *t = context;
    unsigned sum = 0;
    t->wrong += piece->start_ns < t->last_ns || piece->end_ns <= piece->start_ns;
    t->last_ns = piece->end_ns;
    for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++) {
        uint32_t open[8], depth = 0, path = piece->path[i];
        sum += piece->share[i];
        t->wrong += path >= t->path_count || (i > 0 && piece->share[i] > piece->share[i - 1]);
        for (uint32_t p = path; p && p < t->path_count; p = t->paths[p].parent)
            depth++;
        for (uint32_t p = path, at = depth; p && at <= 8; p = t->paths[p].parent)
            open[--at] = t->paths[p].state;
        fill(by_sketch[t->lane], t->window, piece->start_ns, piece->end_ns, open, depth, piece->share[i] / 255.0);
    }
    t->wrong += sum > 255;
}

/* The state with most; STATES: none has a sixteenth of the column. */
static uint32_t most_of(const double times[STATES], double least, double *lead)
{
    uint32_t most = STATES;
    double next = 0;
    for (uint32_t i = 0; i < STATES; i++)
        if (times[i] >= least && (most == STATES || times[i] > times[most]))
            most = i;
    for (uint32_t i = 0; i < STATES; i++)
        next = i != most && times[i] > next ? times[i] : next;
    *lead = most == STATES ? 0 : times[most] - next;
    return most;
}

static void compare(void)
{
    uint32_t compared = 0, other = 0, far_off = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < COLUMNS; i++) {
            const struct filled *a = &by_records[lane][i], *b = &by_sketch[lane][i];
            double lead, inner_lead, none, sums[2] = {0}, inside[2] = {0};
            uint32_t most = most_of(a->outer, a->known / 16, &lead),
                     inner = most_of(a->inner, a->known / 16, &inner_lead);
            if (a->known < 1 || lead < a->known / 5 || (inner != STATES && inner_lead < a->known / 5))
                continue; /* a border between phases: pieces lie across it */
            compared++;
            other +=
                most_of(b->outer, b->known / 30, &none) != most || most_of(b->inner, b->known / 30, &none) != inner;
            for (int k = 0; k < STATES; k++)
                sums[0] += a->outer[k] / a->known, sums[1] += b->outer[k] / (b->known > 0 ? b->known : 1),
                    inside[0] += a->inner[k] / a->known, inside[1] += b->inner[k] / (b->known > 0 ? b->known : 1);
            far_off += fabs(sums[0] - sums[1]) > 0.1 || fabs(inside[0] - inside[1]) > 0.1;
        }
    OK(compared > COLUMNS * (LANES - 1) * 3 / 4, "%u columns have one state with most time", compared);
    OK(!other, "they show it, and the one inside it: not %u", other);
    OK(!far_off, "and how much of the time is in states, and inside others: not %u", far_off);
}

static void put_into_cache(struct pithlog *log, const void *data, size_t size)
{
    struct pithi_cache_key key;
    struct pithi_cache_part part;
    must(!pithi_cache_key(log, &key) || !pithi_cache_begin(&part, &key, "sketch") ||
         write(part.fd, data, size) != (ssize_t)size || !pithi_cache_end(&part, 1));
    close(part.fd);
}

/* Reads what a file has in place of the sketch. 1: it was taken for one. */
static int read_sketch(struct pithlog *log, const struct window *w, uint32_t *wrong)
{
    struct pithlog_summary *summary;
    pithi_far_coarse(1);
    must(pithlog_summary_open(log, &summary));
    int is_sketch = pithi_far_is_coarse();
    memset(by_sketch, 0, sizeof by_sketch);
    for (uint32_t lane = 0; lane < LANES && is_sketch; lane++) {
        struct taking t = {w, NULL, 0, lane, 0, INT64_MIN};
        t.paths = pithlog_summary_paths(summary, lane, &t.path_count);
        must(pithlog_summary_pieces(summary, lane, w->from_ns, w->to_ns, w->length_ns, take_piece, &t));
        *wrong += t.wrong;
    }
    pithlog_summary_close(summary);
    pithi_far_coarse(0);
    return is_sketch;
}

static void damage(struct pithlog *log, const struct window *w, const struct pithi_buffer *good)
{
    unsigned char *bad = malloc(good->size);
    uint32_t wrong = 0, taken = 0;
    for (int i = 0; i < 300; i++) {
        size_t size = random_below(4) ? good->size : random_below((uint32_t)good->size);
        memcpy(bad, good->data, good->size);
        for (uint32_t k = random_below(4); k > 0 && size; k--)
            bad[random_below(random_below(2) ? (uint32_t)size : 64) % size] = (unsigned char)random_below(256);
        put_into_cache(log, bad, size);
        struct window all = {INT64_MIN / 4, INT64_MAX / 4, INT64_MAX / 2 / COLUMNS + 1}; /* whatever times it has */
        taken += (uint32_t)read_sketch(log, random_below(2) ? w : &all, &wrong);
    }
    OK(taken > 10 && taken < 290, "of 300 damaged files %u are taken", taken);
    OK(!wrong, "with pieces in order, paths and shares that there are: not %u", wrong);
    free(bad);
}

int main(void)
{
    struct pithi_buffer file = {0};
    struct pithlog *log;
    uint32_t wrong = 0;

    setenv("XDG_CACHE_HOME", ".", 1);
    write_log("sketch.pith");
    must(pithlog_open("sketch.pith", &log));
    const struct pithlog_info *info = pithlog_get_info(log);
    struct window w = {info->start_ns, info->end_ns + 1, (info->end_ns + 1 - info->start_ns + COLUMNS - 1) / COLUMNS};
    must(pithi_sketch_make(log, w.from_ns, w.to_ns, COLUMNS, LANES, &file));
    OK(file.size < COLUMNS * LANES * 8, "%zu bytes", file.size);
    put_into_cache(log, file.data, file.size);
    OK(read_sketch(log, &w, &wrong) && !wrong, "a summary takes the sketch from the cache");
    for (uint32_t lane = 0; lane < LANES; lane++)
        fill_by_records(log, &w, lane);
    compare();
    damage(log, &w, &file);
    free(file.data);
    pithlog_close(log);
    return tap_done();
}
