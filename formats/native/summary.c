/* summary.c - makes the summary of a lane; lane_summary.c reads it.
 *
 * This costs time at the end of each run, so a piece of 512 records is processed in a few short loops without
 * unpredictable branches: find the path of each state that is entered in it, list these paths, add up the time by path.
 * Which state is open after a record is known from the encoder, which has already paired enters and leaves.
 *
 * No level has sums of its own. A path has one sum, its time since the lane's beginning, and a piece notes the value of
 * this sum when the path is first met in the piece:
 *
 *     time of path P      100 at the first record, 130 after piece 1, 150 after piece 2 ...
 *     piece 1, level 0    met at 100: 130 - 100 = 30 ns
 *     piece 2, level 0    met at 130: 150 - 130 = 20 ns
 *     level 1, over both  keeps the note of piece 1, met at 100: 150 - 100 = 50 ns
 *
 * So a record costs one addition, however many levels there are; a level costs work only for each path in a piece. */
#include "native/summary.h"

#include "base/error.h"
#include "base/zip.h"
#include "native/stack.h"

/* A path and its time. */
struct share {
    uint32_t path;
    uint64_t ns; /* time of the path in the piece */
};

/* The time of a path since the lane's beginning, and the last piece of level 0 in which it was met (counted from 1). */
struct path_time {
    uint64_t ns;
    uint32_t piece, unused; /* 16 bytes, so that indexing is a shift */
};

/* A path that occurs in a piece, with its path_time as it was just before the path was first met there. */
struct met {
    uint64_t ns;
    uint32_t piece, path; /* `piece`: the last earlier piece of level 0 in which the path was met */
};

/* The current piece of a level. It lists each path once, in order of first occurrence; the path's time in the piece is
 * its time now minus its time when it was listed. A path is first listed at level 0. When that piece ends, the entry is
 * also listed at level 1 if the path was not met there before, and so on. So a record costs one addition, however many
 * levels there are. */
struct tally {
    struct met *met; /* [room] */
    uint32_t count, room;
    uint32_t first;   /* the first piece of level 0 in it */
    int64_t start_ns; /* of the piece */
    uint8_t events;   /* as in struct pithi_piece */
    uint16_t event;   /* definition of the first event */
};

struct open_piece {
    int64_t start_ns; /* of the piece; the sheet stores it relative to the sheet's start */
    struct pithi_piece piece;
};

/* The exact sums of a definition. */
struct sums {
    uint64_t count, own_ns, all_ns; /* instances; self, total */
    uint32_t walk;                  /* number of the last walk along a path that contained the definition */
};

struct pithi_summary {
    struct pithi_paths *paths;
    uint32_t thread, sheet_records; /* records of a sheet at most */
    uint32_t path;                  /* the path open after the last record */
    int is_hole;                    /* 1: a hole begins at the last record */
    uint32_t held;                  /* records so far in the current piece of level 0 */
    struct pithi_steps steps;
    uint32_t event_symbols;  /* number of symbols that are events */
    int64_t now_ns;          /* time of the last record */
    int64_t start_ns;        /* of the sheet */
    uint64_t before;         /* records of the lane before this sheet */
    uint32_t records;        /* records of the sheet that are in finished pieces */
    uint64_t at_now;         /* changes of the sheet at the time of the last record */
    uint64_t ties;           /* changes at exactly the end time of the last piece */
    struct pithi_stack open; /* the open states, while `path` is PITHI_PATH_NONE */
    int inexact;             /* 1: in the current piece of level 3, some stacks have no path */
    uint32_t path_room;
    struct path_time *times; /* [path_room] */
    uint32_t frame_room;
    uint16_t *frame_path;                       /* [frame_room] the paths of the caller's frames */
    uint32_t piece;                             /* the current piece of level 0, counted from 1 */
    struct tally tally[PITHI_PIECE_LEVELS + 1]; /* the last stays empty: its `first` is 0, and no piece is earlier */
    struct sums *sums;                          /* [sum_room] by definition */
    uint32_t sum_room, walk;
    struct open_piece *pieces[PITHI_PIECE_LEVELS];
    uint32_t piece_count[PITHI_PIECE_LEVELS], piece_room[PITHI_PIECE_LEVELS];
    struct pithi_buffer exact, out; /* exact sums of the sheet; its bytes */
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
    free(s->frame_path);
    free(s->sums);
    free(s->exact.data);
    free(s->out.data);
    free(s);
}

/* Makes room for `index` in an array of `*room` elements. Returns 0 if there is no memory. */
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

/* Returns the path open after the last record; 0 if it has no number. */
static uint32_t path_of(const struct pithi_summary *s) { return s->path != PITHI_PATH_NONE ? s->path : 0; }

/* Returns the time of a path since it was listed in the piece. */
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

/* Makes room for `count` more paths. Returns 0 if there is no memory. */
static int reserve(struct tally *t, uint32_t count)
{
    while (t->room - t->count < count)
        if (!pithi_grow(&t->met, t->room, &t->room, sizeof *t->met))
            return 0;
    return 1;
}

/* Finds the paths with the most time in a piece, and lists its paths in the piece of the next level. Returns 0 if there
 * is no memory. */
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

/* Ends the pieces that end with record number s->records; with `last`, the current pieces of all levels. */
static int end_pieces(struct pithi_summary *s, int64_t end_ns, int last)
{
    for (unsigned level = 0; level < PITHI_PIECE_LEVELS; level++) {
        struct tally *t = &s->tally[level];
        struct share best[PITHI_PIECE_TOP] = {{.path = path_of(s)}}; /* used if the piece has no time */
        if (!last && s->records % pithi_piece_records(level) != 0)
            return 1;
        if (t->count == 0) /* this piece has ended already */
            continue;
        if (!sum_up(s, level, best) ||
            (level == PITHI_PIECE_EXACT && !end_exact(s, (uint64_t)end_ns - (uint64_t)t->start_ns)) ||
            !keep_piece(s, level, best, end_ns))
            return 0;
    }
    return 1;
}

/* LOOKED_UP: the deepest stack that go_on_beyond looks up. MET: the most paths that a piece of level 0 can list: of the
 * states open at its start, one for each record, path 0, and the path open at its end. */
enum { LOOKED_UP = 64, MET = PITHI_PATH_DEPTH + PITHI_PIECE_RECORDS + 2 };

/* ---- Paths of a piece -------------------------------------------------------------------------------------------- */

/* Call it when the table of paths is full: from then on, only the stack of open states is tracked. `path` is the path
 * that is open now. Returns 0 if there is no memory. */
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

/* Applies one change to the stack. Returns the stack's path if the table has it, else PITHI_PATH_NONE. Deep stacks are
 * not looked up, because this happens after every record. */
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

/* Lists a path in `met` if this is its first time in this piece; returns the new number of paths there. */
static inline uint32_t meet(struct path_time *time, uint32_t path, uint32_t piece, struct met *met, uint32_t count)
{
    uint32_t before = time->piece;
    met[count].ns = time->ns;
    met[count].piece = before;
    met[count].path = path;
    time->piece = piece;
    return count + (before != piece);
}

static inline uint32_t symbol_of(const struct pithi_changes *c, uint32_t i)
{
    return c->symbols ? c->symbols[i] : c->of_code[c->codes[i]];
}

/* Follows records whose frames are known, from frame *next on. The path of a frame depends on the frame around it, not
 * on the record before, so a processor can look up several paths at once. Returns 0, and does nothing, if there are too
 * many paths. */
static __attribute__((noinline)) int follow_frames(struct pithi_summary *s, const struct pithi_changes *c,
                                                   uint32_t from, uint32_t to, uint32_t *next)
{
    const struct pithi_frame *frames = c->frames;
    struct tally *t = &s->tally[0];
    struct met *list = t->met;
    uint16_t *paths = s->frame_path;
    uint32_t first = *next, f = first, met = t->count, piece = s->piece;
    for (; frames[f].record < to; f++) {
        uint32_t at = paths[frames[f].around], symbol = symbol_of(c, frames[f].record);
        uint32_t path = pithi_steps_get(&s->steps, at, symbol);
        if (__builtin_expect(path == PITHI_PATH_NONE, 0) && (path = go_slowly(s, at, symbol)) == PITHI_PATH_NONE)
            return 0;
        paths[f] = (uint16_t)path;
    }
    *next = f;
    struct path_time *times = s->times;
    uint32_t *counts = s->steps.counts;
    for (f = first; frames[f].record < to; f++) {
        counts[symbol_of(c, frames[f].record)]++;
        met = meet(&times[paths[f]], paths[f], piece, list, met);
    }
    t->count = met;
    const uint64_t *after = c->steps_ns + 1;
    const uint16_t *innermost = c->innermost;
    uint64_t passed = c->steps_ns[from];
    for (size_t i = from; i < to - 1; i++) {
        passed += after[i];
        times[paths[innermost[i]]].ns += after[i];
    }
    s->now_ns = (int64_t)((uint64_t)s->now_ns + passed);
    s->path = paths[c->innermost[to - 1]];
    return 1;
}

/* Follows any records, one after another. */
static void follow_any(struct pithi_summary *s, const struct pithi_changes *c, uint32_t from, uint32_t to)
{
    struct tally *t = &s->tally[0];
    for (uint32_t i = from; i < to; i++) {
        uint32_t symbol = symbol_of(c, i), after = pithi_steps_get(&s->steps, s->path, symbol);
        if (i > from && s->path != PITHI_PATH_NONE)
            s->times[s->path].ns += c->steps_ns[i];
        s->now_ns = (int64_t)((uint64_t)s->now_ns + c->steps_ns[i]);
        s->steps.counts[symbol] += s->steps.moves[symbol] == PITHI_MOVE_IN;
        s->path = after == PITHI_PATH_NONE ? go_slowly(s, s->path, symbol) : after;
        if (s->path != PITHI_PATH_NONE)
            t->count = meet(&s->times[s->path], s->path, s->piece, t->met, t->count);
    }
}

/* Ends the piece of level 0 at `end_ns`. */
static int end_piece(struct pithi_summary *s, int64_t end_ns, int last)
{
    struct tally *t = &s->tally[0];
    t->count = meet(&s->times[path_of(s)], path_of(s), s->piece, t->met, t->count); /* so that the list is not empty */
    s->ties = end_ns == s->now_ns ? s->at_now : 0;
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

/* Ends a full piece. This is done when the next record comes, because the time of the piece's last record lasts until
 * then. */
static int begin_piece(struct pithi_summary *s, int64_t time_ns, pithi_sheet_sink *sink, void *context)
{
    int whole;
    if ((s->path_room == 0 && !extend(&s->times, &s->path_room, 0, sizeof *s->times)) ||
        (s->held > 0 && !end_piece(s, time_ns, 0)))
        return no_memory();
    whole = s->records >= s->sheet_records;
    /* If a sheet is limited to fewer records, it may end before the pieces of the higher levels are full. They end
     * here, too. */
    if (whole && s->records % PITHI_SHEET_RECORDS != 0 && !end_pieces(s, time_ns, 1))
        return no_memory();
    if (whole) {
        int err = end_sheet(s, time_ns, sink, context);
        if (err != PITH_OK)
            return err;
    }
    if (s->records == 0) {
        s->start_ns = time_ns;
        s->at_now = 0;
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

int pithi_summary_add(struct pithi_summary *s, const struct pithi_changes *c, pithi_sheet_sink *sink, void *context)
{
    const struct pithi_block_hole *hole = c->holes, *hole_end = hole + c->hole_count;
    uint32_t next = c->frames_before + 1;
    /* Finds the paths of the frames open at the start of these records. */
    uint32_t before = c->frames_before, path = s->path;
    int framed = 0;
    if (c->frames && path != PITHI_PATH_NONE &&
        (before + c->count < s->frame_room ||
         extend(&s->frame_path, &s->frame_room, before + c->count, sizeof *s->frame_path))) {
        for (; path != 0 && before > 0; path = s->paths->items[path].parent)
            s->frame_path[before--] = (uint16_t)path;
        s->frame_path[0] = 0;
        framed = path == 0 && before == 0;
    }
    for (uint32_t from = 0, to; from < c->count; from = to) {
        if (s->held > 0 && s->path != PITHI_PATH_NONE)
            s->times[s->is_hole ? 0 : s->path].ns += c->steps_ns[from];
        s->is_hole = 0;
        if (s->held == 0 || s->held == PITHI_PIECE_RECORDS) {
            int err = begin_piece(s, (int64_t)((uint64_t)s->now_ns + c->steps_ns[from]), sink, context);
            if (err != PITH_OK)
                return err;
        }
        uint32_t room = PITHI_PIECE_RECORDS - s->held;
        to = c->count - from < room ? c->count : from + room;
        if (hole < hole_end && hole->record < to)
            to = hole->record + 1;
        if (!reserve(&s->tally[0], MET))
            return no_memory();
        /* Lists the paths of the states that are open, outermost first. */
        struct tally *t = &s->tally[0];
        uint32_t open[PITHI_PATH_DEPTH + 1], depth = 0;
        if (s->path != PITHI_PATH_NONE) {
            for (uint32_t p = s->path; p != 0; p = s->paths->items[p].parent)
                open[depth++] = p;
            t->count = meet(&s->times[0], 0, s->piece, t->met, t->count);
            while (depth-- > 0)
                t->count = meet(&s->times[open[depth]], open[depth], s->piece, t->met, t->count);
        }
        framed = framed && follow_frames(s, c, from, to, &next);
        if (!framed)
            follow_any(s, c, from, to);
        if (s->event_symbols > 0) {
            uint32_t count = 0, first = 0;
            for (uint32_t i = to; i-- > from;) {
                uint32_t symbol = symbol_of(c, i), change = s->steps.changes[symbol];
                if ((change & 3) == PITHI_CHANGE_EVENT) {
                    s->steps.counts[symbol]++;
                    count++;
                    first = change >> 2;
                }
            }
            if (count > 0)
                add_events(&s->tally[0], count, (uint16_t)(first < UINT16_MAX ? first : UINT16_MAX));
        }
        /* Counts the changes at the time of record to - 1. */
        uint64_t ties = 0;
        uint32_t i = to;
        do
            ties += s->steps.changes[symbol_of(c, --i)] != PITHI_CHANGE_NONE;
        while (c->steps_ns[i] == 0 && i > from);
        s->at_now = c->steps_ns[i] == 0 ? s->at_now + ties : ties;
        s->held += to - from;
        if (hole < hole_end && hole->record + 1 == to) {
            /* A hole begins at the last record, and the `gone` innermost states end in it. The time up to the next
             * record counts for no state. */
            uint32_t gone = (hole++)->gone;
            s->is_hole = 1;
            if (s->path == PITHI_PATH_NONE)
                pithi_stack_drop(&s->open, gone);
            for (; gone > 0 && s->path != 0 && s->path != PITHI_PATH_NONE; gone--)
                s->path = s->paths->items[s->path].parent;
        }
    }
    return PITH_OK;
}

int pithi_summary_end(struct pithi_summary *s, pithi_sheet_sink *sink, void *context)
{
    if (s->held == 0)
        return PITH_OK;
    return end_piece(s, s->now_ns, 1) ? end_sheet(s, s->now_ns, sink, context) : no_memory();
}
