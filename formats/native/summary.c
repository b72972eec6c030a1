/* summary.c - making the summary of a lane, see summary.h; sheet_get.c reads what is made here.
 *
 * The way of a record is short and has no branches but loops: the path after it is looked up, and noted with the time
 * until the next. Once a piece, these times are summed, for the few paths that it met; sums go up from level to level.
 */
#include "native/summary.h"

#include "error.h"
#include "native/stack.h"
#include "native/steps.h"
#include "native/zip.h"

/* Paths with the time they had. */
struct share {
    uint32_t path;
    uint64_t ns;
};

/* The piece under way of a level: what its parts had, one after another. (Lists, since sums by path, for each level its
 * own, are more than the nearer caches hold where paths are many.) */
struct tally {
    struct share *shares; /* [room]; of level 0 none */
    uint32_t count, room;
    int64_t start_ns;
    uint8_t events; /* as in a piece */
    uint16_t event;
};

struct open_piece {
    int64_t start_ns;
    struct pithi_piece piece;
};

/* The exact sums of a definition. */
struct sums {
    uint64_t count, own_ns, all_ns;
    uint32_t walk; /* the last walk along a path that met it */
};

struct pithi_summary {
    struct pithi_paths *paths;
    uint32_t thread, sheet_records;
    uint32_t path; /* open after the last record taken */
    uint32_t held; /* records of the piece of level 0 */
    struct pithi_steps steps;
    const uint16_t *symbols; /* [held] of their changes: in `symbol`, or in place */
    const uint64_t *after;   /* [held] the time until the next record: in `ns`, or in place */
    uint16_t symbol[PITHI_PIECE_RECORDS];
    uint32_t event_symbols;           /* symbols that are events */
    uint64_t ns[PITHI_PIECE_RECORDS]; /* until the next record */
    int64_t now_ns;                   /* of the last record */
    int64_t start_ns;                 /* of the sheet */
    uint64_t before;
    uint32_t records;        /* of the sheet, in pieces that ended */
    uint64_t ties;           /* changes at the very time at which the last piece ended */
    struct pithi_stack open; /* while `path` is PITHI_PATH_NONE */
    int inexact;             /* such records are in the piece of level 3 under way */
    uint32_t path_room;
    uint64_t *path_ns; /* [path_room] all 0 but while a piece is ended */
    struct tally tally[PITHI_PIECE_LEVELS];
    struct sums *sums; /* [sum_room] by definition */
    uint32_t sum_room, walk;
    struct open_piece *pieces[PITHI_PIECE_LEVELS];
    uint32_t piece_count[PITHI_PIECE_LEVELS], piece_room[PITHI_PIECE_LEVELS];
    struct pithi_buffer exact, out;
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "no memory for the summary of a lane"); }

struct pithi_summary *pithi_summary_new(uint32_t thread, struct pithi_paths *paths)
{
    struct pithi_summary *s = calloc(1, sizeof *s);
    if (s) {
        s->thread = thread;
        s->paths = paths;
        s->sheet_records = PITHI_SHEET_RECORDS;
    }
    return s;
}

void pithi_summary_limit(struct pithi_summary *s, uint32_t records) { s->sheet_records = records; }

void pithi_summary_free(struct pithi_summary *s)
{
    if (!s)
        return;
    for (int i = 0; i < PITHI_PIECE_LEVELS; i++) {
        free(s->tally[i].shares);
        free(s->pieces[i]);
    }
    pithi_steps_free(&s->steps);
    free(s->open.states);
    free(s->path_ns);
    free(s->sums);
    free(s->exact.data);
    free(s->out.data);
    free(s);
}

/* Room by path for `path`. */
static int make_room(struct pithi_summary *s, uint32_t path)
{
    uint32_t from = s->path_room, room = from ? from : 32;
    while (room <= path)
        room *= 2;
    if (!pithi_resize(&s->path_ns, from, room, sizeof *s->path_ns))
        return 0;
    s->path_room = room;
    return 1;
}

static int make_sums(struct pithi_summary *s, uint32_t id)
{
    uint32_t room = s->sum_room ? s->sum_room : 32;
    while (room <= id)
        room *= 2;
    if (!pithi_resize(&s->sums, s->sum_room, room, sizeof *s->sums))
        return 0;
    s->sum_room = room;
    return 1;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* The paths with most time, in descending order; of equal ones, the path met first. Most paths are skipped, so the loop
 * that skips them is short. */
static struct pithi_piece make_piece(const struct share *shares, uint32_t count, uint64_t span_ns)
{
    struct pithi_piece piece = {0};
    struct share best[PITHI_PIECE_TOP + 1] = {{0}};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (shares[i].ns <= best[PITHI_PIECE_TOP - 1].ns && kept == PITHI_PIECE_TOP)
            continue;
        uint32_t at = kept;
        for (; at > 0 && shares[i].ns > best[at - 1].ns; at--)
            best[at] = best[at - 1];
        best[at] = shares[i];
        kept += kept < PITHI_PIECE_TOP;
    }
    for (uint32_t i = 0; i < kept; i++) {
        piece.path[i] = (uint16_t)best[i].path;
        piece.share[i] = (uint8_t)(span_ns ? (double)best[i].ns * 255 / (double)span_ns : 0);
    }
    if (piece.share[0] == 0)
        piece.share[0] = 1; /* however many paths, or no time at all */
    return piece;
}

/* So many more events, the first of them `event`. */
static void add_events(struct tally *t, uint32_t count, uint16_t event)
{
    if (t->events == 0)
        t->event = event;
    t->events = (uint8_t)(t->events + count < 255 ? t->events + count : 255);
}

static int keep_piece(struct pithi_summary *s, unsigned level, const struct share *shares, uint32_t count,
                      int64_t end_ns)
{
    struct tally *t = &s->tally[level];
    if (!pithi_grow(&s->pieces[level], s->piece_count[level], &s->piece_room[level], sizeof *s->pieces[level]))
        return 0;
    struct open_piece *kept = &s->pieces[level][s->piece_count[level]++];
    *kept = (struct open_piece){t->start_ns, make_piece(shares, count, (uint64_t)end_ns - (uint64_t)t->start_ns)};
    if (t->events) {
        kept->piece.events = t->events;
        kept->piece.event = t->event;
        if (level + 1 < PITHI_PIECE_LEVELS)
            add_events(&s->tally[level + 1], t->events, t->event);
        t->events = 0;
    }
    t->start_ns = end_ns;
    return 1;
}

/* Time of a path counts for each state on it, once. */
static void add_path(struct pithi_summary *s, uint32_t path, uint64_t ns)
{
    uint32_t walk = ++s->walk;
    if (path != 0)
        s->sums[s->paths->items[path].state].own_ns += ns;
    for (; path != 0; path = s->paths->items[path].parent) {
        struct sums *sums = &s->sums[s->paths->items[path].state];
        sums->all_ns += sums->walk != walk ? ns : 0;
        sums->walk = walk;
    }
}

/* The exact sums of a piece of level 3, and their beginning anew. */
static int end_exact(struct pithi_summary *s, const struct share *shares, uint32_t count, uint64_t length_ns)
{
    uint32_t ids = 0;
    for (uint32_t i = 0; i < count; i++)
        add_path(s, shares[i].path, shares[i].ns);
    for (uint32_t i = 0; i < s->steps.symbols; i++) {
        s->sums[s->steps.changes[i] >> 2].count += (s->steps.changes[i] & 1) * (uint64_t)s->steps.counts[i];
        s->steps.counts[i] = 0;
    }
    for (uint32_t id = 0; id < s->sum_room; id++)
        ids += (s->sums[id].count | s->sums[id].all_ns) != 0;
    int ok = pithi_buffer_varint(&s->exact, length_ns) && pithi_buffer_varint(&s->exact, s->ties) &&
             pithi_buffer_varint(&s->exact, (uint64_t)ids << 1 | (uint64_t)s->inexact);
    s->inexact = 0;
    for (uint32_t id = 0; ok && id < s->sum_room; id++) {
        struct sums *sums = &s->sums[id];
        if ((sums->count | sums->all_ns) == 0)
            continue;
        ok = pithi_buffer_varint(&s->exact, id) && pithi_buffer_varint(&s->exact, sums->count) &&
             pithi_buffer_varint(&s->exact, sums->own_ns) && pithi_buffer_varint(&s->exact, sums->all_ns);
        *sums = (struct sums){0};
    }
    s->walk = 0;
    return ok;
}

/* 0: no memory. */
static int give(struct tally *t, const struct share *shares, uint32_t count)
{
    while (t->room - t->count < count)
        if (!pithi_grow(&t->shares, t->room, &t->room, sizeof *t->shares))
            return 0;
    memcpy(t->shares + t->count, shares, count * sizeof *shares);
    t->count += count;
    return 1;
}

/* Sums up what a piece has, by path, in the order in which they were met; how many, at least one. */
static uint32_t sum_up(struct pithi_summary *s, struct tally *t)
{
    struct share *shares = t->shares;
    uint64_t *ns = s->path_ns;
    uint32_t met = 0, count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t had = ns[shares[i].path];
        ns[shares[i].path] = had + shares[i].ns;
        shares[met].path = shares[i].path;
        met += had == 0;
    }
    for (uint32_t i = 0; i < met; i++) { /* of a path that is there again, only the first has something */
        uint32_t path = shares[i].path;
        shares[count] = (struct share){path, ns[path]};
        count += ns[path] != 0;
        ns[path] = 0;
    }
    return count > 0 ? count : 1;
}

/* Ends the pieces of the levels above 0 that end with record number s->records, or all (`last`). */
static int end_above(struct pithi_summary *s, int64_t end_ns, int last)
{
    for (unsigned level = 1; level < PITHI_PIECE_LEVELS; level++) {
        struct tally *t = &s->tally[level];
        if (!last && s->records % pithi_piece_records(level) != 0)
            return 1;
        if (t->count == 0) /* it ended just now */
            continue;
        uint32_t count = sum_up(s, t);
        uint64_t length_ns = (uint64_t)end_ns - (uint64_t)t->start_ns;
        if (!keep_piece(s, level, t->shares, count, end_ns) ||
            (level == PITHI_PIECE_EXACT && !end_exact(s, t->shares, count, length_ns)) ||
            (level + 1 < PITHI_PIECE_LEVELS && !give(&s->tally[level + 1], t->shares, count)))
            return 0;
        t->count = 0;
    }
    return 1;
}

enum { LOOKED_UP = 64 };

/* ---- The way of a record ----------------------------------------------------------------------------------------- */

/* The table of paths is full: from now on there is only a stack. */
static int go_beyond(struct pithi_summary *s, uint32_t path)
{
    const struct pithlog_path *items = s->paths->items;
    uint32_t depth = 0;
    s->inexact = 1;
    if (!pithi_stack_reserve(&s->open, PITHI_PATH_DEPTH))
        return 0;
    for (uint32_t p = path; p != 0; p = items[p].parent)
        depth++;
    s->open.count = depth;
    for (uint32_t p = path; p != 0; p = items[p].parent)
        s->open.states[--depth].id = items[p].state;
    return 1;
}

/* One record there. Back when the stack has a path; a deep one is not looked up after every record. */
static uint32_t go_on_beyond(struct pithi_summary *s, uint32_t change)
{
    struct pithi_open_state ended;
    uint32_t depth, path = 0;
    s->inexact = 1;
    if ((change & 3) == PITHI_CHANGE_ENTER)
        pithi_stack_enter(&s->open, change >> 2, 0);
    if (change == PITHI_CHANGE_INNERMOST)
        s->open.count -= s->open.count > 0;
    else if ((change & 3) != PITHI_CHANGE_LEAVE)
        return PITHI_PATH_NONE;
    else
        pithi_stack_leave(&s->open, change >> 2, 0, &ended, &depth);
    if (s->open.count > LOOKED_UP)
        return PITHI_PATH_NONE;
    for (uint32_t i = 0; i < s->open.count; i++)
        if ((path = pithi_paths_known(s->paths, path, s->open.states[i].id)) == 0)
            return PITHI_PATH_NONE;
    return path;
}

/* A step that is not in the table, and is put there. Returns the path after it, for which there is room, or
 * PITHI_PATH_NONE. */
static uint32_t go_slowly(struct pithi_summary *s, uint32_t at, uint32_t symbol)
{
    uint32_t change = s->steps.changes[symbol], kind = change & 3, id = change >> 2, after = at;
    if (at == PITHI_PATH_NONE)
        after = go_on_beyond(s, change);
    else if (kind == PITHI_CHANGE_ENTER)
        after = pithi_paths_enter(s->paths, at, id);
    else if (kind == PITHI_CHANGE_LEAVE)
        after = pithi_paths_leave(s->paths, at, id);
    else if (change == PITHI_CHANGE_INNERMOST)
        after = s->paths->items[at].parent;
    if (at != PITHI_PATH_NONE && after == PITHI_PATH_NONE && go_beyond(s, at))
        after = go_on_beyond(s, change);
    if (after != PITHI_PATH_NONE && after >= s->path_room && !make_room(s, after))
        after = PITHI_PATH_NONE;
    if (at != PITHI_PATH_NONE && after != PITHI_PATH_NONE)
        pithi_steps_put(&s->steps, at, symbol, after);
    return after;
}

/* So much time more for a path, which is put at the end of those met if it is new there. */
static inline uint32_t give_time(struct pithi_summary *s, uint32_t path, uint64_t ns, uint16_t *met, uint32_t count)
{
    uint64_t had = s->path_ns[path];
    met[count] = (uint16_t)path;
    s->path_ns[path] = had + ns;
    return count + (had == 0);
}

static void note_events(struct pithi_summary *s)
{
    uint32_t count = 0, first = 0;
    for (uint32_t i = s->held; i-- > 0;) {
        uint32_t change = s->steps.changes[s->symbols[i]];
        if ((change & 3) == PITHI_CHANGE_EVENT) {
            count++;
            first = change >> 2;
        }
    }
    if (count > 0)
        add_events(&s->tally[0], count, (uint16_t)(first < UINT16_MAX ? first : UINT16_MAX));
}

/* Goes the way of the records held. Returns how many paths were met, some of which may be there twice. */
static uint32_t follow(struct pithi_summary *s, uint16_t met[PITHI_PIECE_RECORDS + 1])
{
    const uint16_t *symbols = s->symbols;
    const uint64_t *ns = s->after;
    uint32_t held = s->held, at = s->path, count = 0, *counts = s->steps.counts;
    for (uint32_t i = 0; i < held; i++) {
        uint32_t symbol = symbols[i], after = pithi_steps_get(&s->steps, at, symbol);
        counts[symbol]++;
        if (__builtin_expect(after == PITHI_PATH_NONE, 0)) {
            at = go_slowly(s, at, symbol);
            if (at != PITHI_PATH_NONE)
                count = give_time(s, at, ns[i], met, count);
            continue;
        }
        at = after;
        count = give_time(s, at, ns[i], met, count);
    }
    s->path = at;
    if (s->event_symbols > 0)
        note_events(s);
    return count;
}

/* The time that each path had among the records held; at least one. */
static uint32_t share_out(struct pithi_summary *s, struct share shares[PITHI_PIECE_RECORDS + 1])
{
    uint16_t met[PITHI_PIECE_RECORDS + 1];
    uint32_t found = follow(s, met), count = 0;
    for (uint32_t i = 0; i < found; i++) { /* of a path met again, only the first has something */
        shares[count] = (struct share){met[i], s->path_ns[met[i]]};
        s->path_ns[met[i]] = 0;
        count += shares[count].ns != 0;
    }
    if (count == 0)
        shares[count++] = (struct share){s->path != PITHI_PATH_NONE ? s->path : 0, 0};
    return count;
}

/* Changes among the records held that are at the time of the piece's end. */
static void count_ties(struct pithi_summary *s)
{
    uint32_t i = s->held;
    uint64_t ties = 0;
    while (i > 0 && s->after[i - 1] == 0)
        ties += s->steps.changes[s->symbols[--i]] != PITHI_CHANGE_NONE;
    s->ties = i == 0 && s->records > 0 ? s->ties + ties : ties;
}

/* The records held make a piece, which ends at `end_ns`. */
static int end_piece(struct pithi_summary *s, int64_t end_ns, int last)
{
    struct share shares[PITHI_PIECE_RECORDS + 1];
    uint32_t count = share_out(s, shares);
    if (!keep_piece(s, 0, shares, count, end_ns))
        return 0;
    count_ties(s);
    s->records += s->held;
    s->held = 0;
    return give(&s->tally[1], shares, count) && end_above(s, end_ns, last);
}

/* ---- Sheets -------------------------------------------------------------------------------------------------------
 */

static void put_head(const struct pithi_summary *s, int64_t end_ns, uint64_t unit, unsigned char *p)
{
    memset(p, 0, PITHI_SHEET_HEAD);
    pithi_put32(p + 4, s->thread);
    pithi_put32(p + 8, s->records);
    pithi_put32(p + 12, (uint32_t)s->exact.size);
    pithi_put64(p + 16, s->before);
    pithi_put64(p + 24, (uint64_t)s->start_ns);
    pithi_put64(p + 32, (uint64_t)end_ns);
    pithi_put64(p + 40, unit);
}

static void put_piece(unsigned char *p, const struct open_piece *open, int64_t sheet_start_ns, uint64_t unit)
{
    pithi_put32(p, (uint32_t)(((uint64_t)open->start_ns - (uint64_t)sheet_start_ns) / unit));
    for (int i = 0; i < PITHI_PIECE_TOP; i++)
        pithi_put16(p + 4 + 2 * i, open->piece.path[i]);
    memcpy(p + 10, open->piece.share, PITHI_PIECE_TOP);
    p[13] = open->piece.events;
    pithi_put16(p + 14, open->piece.event);
}

static int end_sheet(struct pithi_summary *s, int64_t end_ns, pithi_sheet_sink *sink, void *context)
{
    uint64_t unit = (((uint64_t)end_ns - (uint64_t)s->start_ns) >> 32) + 1;
    size_t size = PITHI_SHEET_HEAD + s->exact.size;
    for (int i = 0; i < PITHI_PIECE_LEVELS; i++)
        size += (size_t)s->piece_count[i] * PITHI_PIECE_BYTES;
    s->out.size = 0;
    if (!pithi_buffer_reserve(&s->out, size))
        return no_memory();
    unsigned char *p = s->out.data;
    put_head(s, end_ns, unit, p);
    p += PITHI_SHEET_HEAD;
    for (int level = PITHI_PIECE_LEVELS - 1; level >= 0; level--) {
        if (level == PITHI_PIECE_COARSE - 1)
            pithi_put32(s->out.data, pithi_crc(s->out.data + 4, (size_t)(p - s->out.data) - 4));
        for (uint32_t i = 0; i < s->piece_count[level]; i++, p += PITHI_PIECE_BYTES)
            put_piece(p, &s->pieces[level][i], s->start_ns, unit);
        s->piece_count[level] = 0;
    }
    memcpy(p, s->exact.data, s->exact.size);
    s->exact.size = 0;
    s->before += s->records;
    s->records = 0;
    return sink(context, s->out.data, size);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* A piece is full, and its last record's time is known, when the record after it comes. */
static int begin_piece(struct pithi_summary *s, int64_t time_ns, pithi_sheet_sink *sink, void *context)
{
    int whole;
    if ((s->path_room == 0 && !make_room(s, 0)) || (s->held > 0 && !end_piece(s, time_ns, 0)))
        return no_memory();
    whole = s->records >= s->sheet_records;
    if (whole && s->records % PITHI_SHEET_RECORDS != 0 && !end_above(s, time_ns, 1))
        return no_memory();
    if (whole) {
        int err = end_sheet(s, time_ns, sink, context);
        if (err != PITH_OK)
            return err;
    }
    if (s->records == 0) {
        s->start_ns = time_ns;
        for (int i = 0; i < PITHI_PIECE_LEVELS; i++)
            s->tally[i].start_ns = time_ns;
    }
    return PITH_OK;
}

uint32_t pithi_summary_symbol(struct pithi_summary *s, uint32_t change)
{
    uint32_t symbol = change < s->steps.change_room ? s->steps.symbol_of[change] : 0;
    if (symbol != 0)
        return symbol - 1;
    symbol = pithi_steps_make(&s->steps, change);
    s->event_symbols += symbol != UINT32_MAX && (change & 3) == PITHI_CHANGE_EVENT;
    return change >> 2 < s->sum_room || make_sums(s, change >> 2) ? symbol : UINT32_MAX;
}

static void pass_time(struct pithi_summary *s, const uint64_t *steps_ns, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += steps_ns[i];
    s->now_ns = (int64_t)((uint64_t)s->now_ns + sum);
}

/* So many of `count` records go into the piece. A whole piece, and the step to the record after it, are taken where
 * they stand; they are done with before `pithi_summary_add` returns. */
static uint32_t hold(struct pithi_summary *s, const uint16_t *symbols, const uint64_t *steps_ns, size_t count)
{
    uint32_t room = PITHI_PIECE_RECORDS - s->held, n = count < room ? (uint32_t)count : room;
    if (n == PITHI_PIECE_RECORDS && count > n) {
        s->symbols = symbols;
        s->after = steps_ns + 1;
    } else {
        s->symbols = s->symbol;
        s->after = s->ns;
        memcpy(s->symbol + s->held, symbols, n * sizeof *symbols);
        memcpy(s->ns + s->held, steps_ns + 1, (n - 1) * sizeof *steps_ns);
    }
    s->held += n;
    pass_time(s, steps_ns, n);
    return n;
}

int pithi_summary_add(struct pithi_summary *s, const uint16_t *symbols, const uint64_t *steps_ns, size_t count,
                      pithi_sheet_sink *sink, void *context)
{
    while (count > 0) {
        if (s->held > 0)
            s->ns[s->held - 1] = *steps_ns;
        if (s->held == 0 || s->held == PITHI_PIECE_RECORDS) {
            int err = begin_piece(s, (int64_t)((uint64_t)s->now_ns + *steps_ns), sink, context);
            if (err != PITH_OK)
                return err;
        }
        uint32_t n = hold(s, symbols, steps_ns, count);
        symbols += n;
        steps_ns += n;
        count -= n;
    }
    return PITH_OK;
}

int pithi_summary_end(struct pithi_summary *s, pithi_sheet_sink *sink, void *context)
{
    if (s->held == 0)
        return PITH_OK;
    s->ns[s->held - 1] = 0;
    return end_piece(s, s->now_ns, 1) ? end_sheet(s, s->now_ns, sink, context) : no_memory();
}
