/* summary.c - makes the summary of a lane; lane_summary.c reads it.
 *
 * This costs time at the end of each run, so a piece of 512 records is processed in a few short loops without
 * unpredictable branches: find the states that are open in it, find the path of each, add up their time by path. These
 * sums are then added to the piece of the next level.
 */
#include "native/summary.h"

#include "base/error.h"
#include "base/zip.h"
#include "native/stack.h"

/* A path and its time. */
struct share {
    uint32_t path;
    uint64_t ns;
};

/* The time of a path since the lane's beginning, and the last piece of level 0 that it was met in (counted from 1). */
struct path_time {
    uint64_t ns;
    uint32_t piece, unused; /* 16 bytes, so that indexing is a shift */
};

/* A path that occurs in a piece, and its entry before this piece. */
struct met {
    uint64_t ns;
    uint32_t piece, path;
};

/* The current piece of a level. It lists each path once, in order of first occurrence; the path's time in the piece is
 * its time now less that at its entry. A path is first listed at level 0. When that piece ends, the entry is also
 * listed at level 1 if the path was not met there before, and so on. So a record costs one sum, whatever the number of
 * levels. */
struct tally {
    struct met *met; /* [room] */
    uint32_t count, room;
    uint32_t first; /* its first piece of level 0 */
    int64_t start_ns;
    uint8_t events; /* as in struct pithi_piece */
    uint16_t event;
};

struct open_piece {
    int64_t start_ns;
    struct pithi_piece piece;
};

/* The exact sums of a definition. */
struct sums {
    uint64_t count, own_ns, all_ns;
    uint32_t walk; /* the last walk along a path that contained it */
};

struct pithi_summary {
    struct pithi_paths *paths;
    uint32_t thread, sheet_records;
    uint32_t path; /* the path open after the last record */
    uint32_t held; /* records in the piece of level 0 */
    struct pithi_steps steps;
    const uint16_t *symbols; /* [held] the symbols of the changes: `symbol`, or the caller's array */
    const uint64_t *after;   /* [held] the times until the next record: `ns`, or the caller's array */
    uint16_t symbol[PITHI_PIECE_RECORDS];
    uint32_t event_symbols;           /* symbols that are events */
    uint64_t ns[PITHI_PIECE_RECORDS]; /* until the next record */
    int64_t now_ns;                   /* of the last record */
    int64_t start_ns;                 /* of the sheet */
    uint64_t before;
    uint32_t records;        /* of the sheet, in finished pieces */
    uint64_t ties;           /* changes at exactly the end time of the last piece */
    struct pithi_stack open; /* while `path` is PITHI_PATH_NONE */
    int inexact;             /* 1: the current piece of level 3 has such records */
    uint32_t path_room;
    struct path_time *times;                    /* [path_room] */
    uint32_t piece;                             /* the current piece of level 0, counted from 1 */
    struct tally tally[PITHI_PIECE_LEVELS + 1]; /* the last one stays empty, as all pieces are after its first */
    struct sums *sums;                          /* [sum_room] by definition */
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
        s->piece = 1;
    }
    return s;
}

void pithi_summary_limit(struct pithi_summary *s, uint32_t records) { s->sheet_records = records; }

void pithi_summary_free(struct pithi_summary *s)
{
    if (!s)
        return;
    for (int i = 0; i <= PITHI_PIECE_LEVELS; i++)
        free(s->tally[i].met);
    for (int i = 0; i < PITHI_PIECE_LEVELS; i++)
        free(s->pieces[i]);
    pithi_steps_free(&s->steps);
    free(s->open.states);
    free(s->times);
    free(s->sums);
    free(s->exact.data);
    free(s->out.data);
    free(s);
}

/* Makes room for `index` in an array of `*room` elements. 0: no memory. */
static int extend(void *array, uint32_t *room, uint32_t index, size_t element)
{
    uint32_t more = *room ? *room : 32;
    while (more <= index)
        more *= 2;
    if (!pithi_resize(array, *room, more, element))
        return 0;
    *room = more;
    return 1;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* Adds a path to `best`, which keeps the paths with the most time in descending order; at a tie, the first one found.
 */
static inline void rank(struct share best[PITHI_PIECE_TOP], uint32_t path, uint64_t ns)
{
    uint32_t at = PITHI_PIECE_TOP - 1;
    if (__builtin_expect(ns <= best[at].ns, 1))
        return;
    for (; at > 0 && ns > best[at - 1].ns; at--)
        best[at] = best[at - 1];
    best[at] = (struct share){path, ns};
}

static struct pithi_piece make_piece(const struct share best[PITHI_PIECE_TOP], uint64_t span_ns)
{
    struct pithi_piece piece = {.path = {(uint16_t)best[0].path}};
    for (uint32_t i = 0; i < PITHI_PIECE_TOP && best[i].ns > 0; i++) {
        piece.path[i] = (uint16_t)best[i].path;
        piece.share[i] = (uint8_t)(span_ns ? (double)best[i].ns * 255 / (double)span_ns : 0);
    }
    if (piece.share[0] == 0)
        piece.share[0] = 1; /* at least 1, even with many paths or no time */
    return piece;
}

/* Adds `count` events, of which the first one is `event`. */
static void add_events(struct tally *t, uint32_t count, uint16_t event)
{
    if (t->events == 0)
        t->event = event;
    t->events = (uint8_t)(t->events + count < 255 ? t->events + count : 255);
}

static int keep_piece(struct pithi_summary *s, unsigned level, const struct share best[PITHI_PIECE_TOP], int64_t end_ns)
{
    struct tally *t = &s->tally[level];
    if (!pithi_grow(&s->pieces[level], s->piece_count[level], &s->piece_room[level], sizeof *s->pieces[level]))
        return 0;
    struct open_piece *kept = &s->pieces[level][s->piece_count[level]++];
    *kept = (struct open_piece){t->start_ns, make_piece(best, (uint64_t)end_ns - (uint64_t)t->start_ns)};
    if (t->events) {
        kept->piece.events = t->events;
        kept->piece.event = t->event;
        if (level + 1 < PITHI_PIECE_LEVELS)
            add_events(&s->tally[level + 1], t->events, t->event);
        t->events = 0;
    }
    t->start_ns = end_ns;
    t->first = s->piece + 1;
    t->count = 0;
    return 1;
}

/* The path open after the last record; 0 if it has no number. */
static uint32_t path_of(const struct pithi_summary *s) { return s->path != PITHI_PATH_NONE ? s->path : 0; }

/* The time of a path since it was met. */
static inline uint64_t time_since(const struct pithi_summary *s, const struct met *met)
{
    return s->times[met->path].ns - met->ns;
}

/* Writes the exact sums of a piece of level 3 and resets them. The time of a path counts once for each state on it. */
static int end_exact(struct pithi_summary *s, uint64_t length_ns)
{
    const struct tally *t = &s->tally[PITHI_PIECE_EXACT];
    uint32_t ids = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct pithlog_path *items = s->paths->items;
        uint32_t walk = ++s->walk, path = t->met[i].path;
        uint64_t ns = time_since(s, &t->met[i]);
        if (path != 0)
            s->sums[items[path].state].own_ns += ns;
        for (; path != 0; path = items[path].parent) {
            struct sums *sums = &s->sums[items[path].state];
            sums->all_ns += sums->walk != walk ? ns : 0;
            sums->walk = walk;
        }
    }
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

/* Makes room for `count` more paths. 0: no memory. */
static int reserve(struct tally *t, uint32_t count)
{
    while (t->room - t->count < count)
        if (!pithi_grow(&t->met, t->room, &t->room, sizeof *t->met))
            return 0;
    return 1;
}

/* Finds the best paths of a piece, and lists its paths in the piece of the next level. 0: no memory. */
static int sum_up(struct pithi_summary *s, unsigned level, struct share best[PITHI_PIECE_TOP])
{
    struct tally *t = &s->tally[level], *above = t + 1;
    if (!reserve(above, level + 1 < PITHI_PIECE_LEVELS ? t->count : 1))
        return 0;
    const struct met *met = t->met, *end = met + t->count;
    struct met *out = above->met + above->count;
    uint32_t first = above->first;
    for (; met < end; met++) {
        rank(best, met->path, time_since(s, met));
        *out = *met;
        out += met->piece < first;
    }
    above->count = (uint32_t)(out - above->met);
    return 1;
}

/* Ends the pieces that end with record number s->records, or all (`last`). */
static int end_pieces(struct pithi_summary *s, int64_t end_ns, int last)
{
    for (unsigned level = 0; level < PITHI_PIECE_LEVELS; level++) {
        struct tally *t = &s->tally[level];
        struct share best[PITHI_PIECE_TOP] = {{.path = path_of(s)}}; /* of a piece without time */
        if (!last && s->records % pithi_piece_records(level) != 0)
            return 1;
        if (t->count == 0) /* it has just ended */
            continue;
        if (!sum_up(s, level, best) ||
            (level == PITHI_PIECE_EXACT && !end_exact(s, (uint64_t)end_ns - (uint64_t)t->start_ns)) ||
            !keep_piece(s, level, best, end_ns))
            return 0;
    }
    return 1;
}

enum { LOOKED_UP = 64 };

/* ---- Paths of a piece -------------------------------------------------------------------------------------------- */

/* The table of paths is full: from now on, tracks only the stack of open states. */
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

/* Tracks one change by the stack. Returns the path if the stack has one again. Deep stacks are not looked up, because
 * this is done after every record. */
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

/* Computes a step that is not in the table of steps, and adds it. Returns the path after it, with room in s->times; or
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
    if (after != PITHI_PATH_NONE && after >= s->path_room && !extend(&s->times, &s->path_room, after, sizeof *s->times))
        after = PITHI_PATH_NONE;
    if (at != PITHI_PATH_NONE && after != PITHI_PATH_NONE)
        pithi_steps_put(&s->steps, at, symbol, after);
    return after;
}

/* Adds time to a path. Its first time in this piece lists it in `met`; returns the new number of paths there. */
static inline uint32_t give_time(struct path_time *times, uint32_t path, uint64_t ns, uint32_t piece, struct met *met,
                                 uint32_t count)
{
    struct path_time *time = &times[path];
    uint64_t had = time->ns;
    uint32_t before = time->piece;
    met[count].ns = had;
    met[count].piece = before;
    met[count].path = path;
    time->ns = had + ns;
    time->piece = piece;
    return count + (before != piece);
}

static void note_events(struct pithi_summary *s)
{
    uint32_t count = 0, first = 0;
    for (uint32_t i = s->held; i-- > 0;) {
        uint32_t change = s->steps.changes[s->symbols[i]];
        if ((change & 3) == PITHI_CHANGE_EVENT) {
            s->steps.counts[s->symbols[i]]++;
            count++;
            first = change >> 2;
        }
    }
    if (count > 0)
        add_events(&s->tally[0], count, (uint16_t)(first < UINT16_MAX ? first : UINT16_MAX));
}

/* The states that are open at some time during a piece, each in a frame; the first frame stands for no state. */
enum { FRAMES = PITHI_PATH_DEPTH + PITHI_PIECE_RECORDS + 2 };
struct frames {
    uint64_t ns[FRAMES];                     /* its time as the innermost one */
    uint16_t symbol[FRAMES], around[FRAMES]; /* around: the frame outside it, if it was entered in this piece */
    uint16_t path[FRAMES];
};

/* Finds the frames of the records in the piece and the time of each: first the empty one, then the `depth` frames open
 * at the start, then the frames entered. Returns their number, and in *innermost the frame open at the end. 0: a state
 * was left that is not the innermost one. (ENTER and LEAVE are unpredictable, so no branch depends on them.) */
static uint32_t find_frames(const struct pithi_summary *s, struct frames *f, uint32_t depth, uint32_t *innermost)
{
    uint16_t stack[PITHI_PIECE_RECORDS + FRAMES], *bottom = stack + PITHI_PIECE_RECORDS;
    uint16_t *top = bottom + depth, *lowest = top;
    const int8_t *moves = s->steps.moves;
    const uint16_t *symbols = s->symbols;
    const uint64_t *after = s->after;
    uint32_t count = depth + 1, held = s->held, at = depth;
    memset(stack, 0, PITHI_PIECE_RECORDS * sizeof *stack);
    memset(f->ns, 0, (depth + 1 + held) * sizeof *f->ns);
    for (uint32_t i = 0; i <= depth; i++)
        bottom[i] = (uint16_t)i;
    for (uint32_t i = 0; i < held; i++) {
        int move = moves[symbols[i]];
        f->symbol[count] = symbols[i];
        f->around[count] = (uint16_t)at;
        top[1] = (uint16_t)count;
        top += move;
        count += move > 0;
        lowest = top < lowest ? top : lowest;
        at = *top;
        f->ns[at] += after[i];
    }
    *innermost = at;
    return lowest < bottom ? 0 : count;
}

/* Finds the paths of the piece if states nest, as they nearly always do. The path of a frame depends on the frame
 * around it, not on the record before, so a processor can look up several paths at once. 0: states do not nest, or
 * there are too many paths, and nothing was done. */
static int follow_nested(struct pithi_summary *s)
{
    struct frames f;
    struct tally *t = &s->tally[0];
    struct path_time *times;
    uint32_t depth = 0, count, innermost, piece = s->piece, met = 0;
    if (s->path == PITHI_PATH_NONE)
        return 0;
    for (uint32_t i = 0; s->steps.others && i < s->held; i++)
        if (s->steps.moves[s->symbols[i]] == PITHI_MOVE_OTHER)
            return 0;
    for (uint32_t p = s->path; p != 0; p = s->paths->items[p].parent)
        depth++;
    for (uint32_t i = depth + 1, p = s->path; i-- > 0; p = s->paths->items[p].parent)
        f.path[i] = (uint16_t)p;
    if ((count = find_frames(s, &f, depth, &innermost)) == 0)
        return 0;
    for (uint32_t i = depth + 1; i < count; i++) {
        uint32_t at = f.path[f.around[i]], path = pithi_steps_get(&s->steps, at, f.symbol[i]);
        if (__builtin_expect(path == PITHI_PATH_NONE, 0) && (path = go_slowly(s, at, f.symbol[i])) == PITHI_PATH_NONE)
            return 0;
        f.path[i] = (uint16_t)path;
    }
    for (uint32_t i = depth + 1; i < count; i++)
        s->steps.counts[f.symbol[i]]++;
    times = s->times;
    for (uint32_t i = 0; i < count; i++)
        met = give_time(times, f.path[i], f.ns[i], piece, t->met, met);
    t->count = met;
    s->path = f.path[innermost];
    return 1;
}

/* The same for any records, one after another. */
static void follow_any(struct pithi_summary *s)
{
    struct tally *t = &s->tally[0];
    uint32_t held = s->held, at = s->path;
    for (uint32_t i = 0; i < held; i++) {
        uint32_t symbol = s->symbols[i], after = pithi_steps_get(&s->steps, at, symbol);
        s->steps.counts[symbol] += s->steps.moves[symbol] == PITHI_MOVE_IN;
        at = after == PITHI_PATH_NONE ? go_slowly(s, at, symbol) : after;
        if (at != PITHI_PATH_NONE)
            t->count = give_time(s->times, at, s->after[i], s->piece, t->met, t->count);
    }
    s->path = at;
}

/* Ends the piece of level 0 at `end_ns`. */
static int end_piece(struct pithi_summary *s, int64_t end_ns, int last)
{
    struct tally *t = &s->tally[0];
    if (!reserve(t, FRAMES))
        return 0;
    if (!follow_nested(s))
        follow_any(s);
    t->count = give_time(s->times, path_of(s), 0, s->piece, t->met, t->count); /* so that the list is not empty */
    if (s->event_symbols > 0)
        note_events(s);
    /* Counts changes of the piece at its end time. */
    uint32_t i = s->held;
    uint64_t ties = 0;
    while (i > 0 && s->after[i - 1] == 0)
        ties += s->steps.changes[s->symbols[--i]] != PITHI_CHANGE_NONE;
    s->ties = i == 0 && s->records > 0 ? s->ties + ties : ties;
    s->records += s->held;
    s->held = 0;
    int ok = end_pieces(s, end_ns, last);
    s->piece++;
    return ok;
}

/* ---- Sheets ------------------------------------------------------------------------------------------------------ */

static int end_sheet(struct pithi_summary *s, int64_t end_ns, pithi_sheet_sink *sink, void *context)
{
    struct pithi_sheet sheet = {
        .thread = s->thread,
        .records = s->records,
        .before = s->before,
        .start_ns = s->start_ns,
        .end_ns = end_ns,
        .unit = (((uint64_t)end_ns - (uint64_t)s->start_ns) >> 32) + 1,
        .exact_bytes = (uint32_t)s->exact.size,
    };
    size_t size = PITHI_SHEET_HEAD + s->exact.size;
    for (int i = 0; i < PITHI_PIECE_LEVELS; i++)
        size += (size_t)s->piece_count[i] * PITHI_PIECE_BYTES;
    s->out.size = 0;
    if (!pithi_buffer_reserve(&s->out, size))
        return no_memory();
    unsigned char *p = s->out.data;
    pithi_sheet_put(p, &sheet);
    p += PITHI_SHEET_HEAD;
    for (int level = PITHI_PIECE_LEVELS - 1; level >= 0; level--) {
        if (level == PITHI_PIECE_COARSE - 1)
            pithi_put32(s->out.data, pithi_crc(s->out.data + 4, (size_t)(p - s->out.data) - 4));
        for (uint32_t i = 0; i < s->piece_count[level]; i++, p += PITHI_PIECE_BYTES) {
            struct open_piece *open = &s->pieces[level][i];
            open->piece.start = (uint32_t)(((uint64_t)open->start_ns - (uint64_t)s->start_ns) / sheet.unit);
            pithi_piece_put(p, &open->piece);
        }
        s->piece_count[level] = 0;
    }
    memcpy(p, s->exact.data, s->exact.size);
    s->exact.size = 0;
    s->before += s->records;
    s->records = 0;
    return sink(context, s->out.data, size);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Ends a full piece. The next record does this, because only its time completes the last record of the piece. */
static int begin_piece(struct pithi_summary *s, int64_t time_ns, pithi_sheet_sink *sink, void *context)
{
    int whole;
    if ((s->path_room == 0 && !extend(&s->times, &s->path_room, 0, sizeof *s->times)) ||
        (s->held > 0 && !end_piece(s, time_ns, 0)))
        return no_memory();
    whole = s->records >= s->sheet_records;
    if (whole && s->records % PITHI_SHEET_RECORDS != 0 && !end_pieces(s, time_ns, 1))
        return no_memory();
    if (whole) {
        int err = end_sheet(s, time_ns, sink, context);
        if (err != PITH_OK)
            return err;
    }
    if (s->records == 0) {
        s->start_ns = time_ns;
        for (int i = 0; i < PITHI_PIECE_LEVELS; i++) {
            s->tally[i].start_ns = time_ns;
            s->tally[i].first = s->piece;
        }
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
    return change >> 2 < s->sum_room || extend(&s->sums, &s->sum_room, change >> 2, sizeof *s->sums) ? symbol
                                                                                                     : UINT32_MAX;
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
        uint32_t room = PITHI_PIECE_RECORDS - s->held, n = count < room ? (uint32_t)count : room;
        if (n == PITHI_PIECE_RECORDS && count > n) { /* it ends within this call: use the caller's arrays */
            s->symbols = symbols;
            s->after = steps_ns + 1;
        } else {
            s->symbols = s->symbol;
            s->after = s->ns;
            memcpy(s->symbol + s->held, symbols, n * sizeof *symbols);
            memcpy(s->ns + s->held, steps_ns + 1, (n - 1) * sizeof *steps_ns);
        }
        for (uint32_t i = 0; i < n; i++)
            s->now_ns = (int64_t)((uint64_t)s->now_ns + steps_ns[i]);
        s->held += n;
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
