/* paths.c - the table of paths and the table of steps between them. Without memory, the table of steps stays as it is,
 * and missing steps are computed again each time. */
#include "native/paths.h"

static uint64_t key_of(uint32_t parent, uint32_t state) { return (uint64_t)parent << 32 | state; }

/* Path 0 stands for no open state. */
int pithi_paths_begin(struct pithi_paths *paths)
{
    if (!pithi_grow(&paths->items, 0, &paths->room, sizeof *paths->items))
        return 0;
    paths->items[0] = (struct pithlog_path){0, UINT32_MAX};
    paths->count = 1;
    return 1;
}

void pithi_paths_free(struct pithi_paths *paths)
{
    free(paths->items);
    pithi_map_free(&paths->children);
    *paths = (struct pithi_paths){0};
}

/* Returns 0 for an unknown path, as path 0 is no path's child. */
uint32_t pithi_paths_known(const struct pithi_paths *paths, uint32_t parent, uint32_t state)
{
    uint32_t child;
    return pithi_map_get(&paths->children, key_of(parent, state), &child) ? child : 0;
}

static uint32_t depth_of(const struct pithi_paths *paths, uint32_t path)
{
    uint32_t depth = 0;
    for (; path != 0; path = paths->items[path].parent)
        depth++;
    return depth;
}

uint32_t pithi_paths_find(struct pithi_paths *paths, uint32_t parent, uint32_t state)
{
    uint32_t child = pithi_paths_known(paths, parent, state);
    if (child != 0)
        return child;
    /* 65,535 paths at most, as a piece names them in 16 bits. */
    if (paths->count == PITHI_PATHS_MAX || depth_of(paths, parent) == PITHI_PATH_DEPTH ||
        !pithi_grow(&paths->items, paths->count, &paths->room, sizeof *paths->items) ||
        !pithi_map_put(&paths->children, key_of(parent, state), paths->count))
        return 0;
    paths->items[paths->count] = (struct pithlog_path){parent, state};
    return paths->count++;
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

uint32_t pithi_paths_enter(struct pithi_paths *paths, uint32_t parent, uint32_t state)
{
    uint32_t child = pithi_paths_find(paths, parent, state);
    return child != 0 ? child : PITHI_PATH_NONE;
}

/* The states inside the one that ends stay open, so the path is built anew without it: with A, B and C open, leaving B
 * gives the path of A, C. Returns the same path if no such state is open; PITHI_PATH_NONE if the new one cannot be
 * made. */
uint32_t pithi_paths_leave(struct pithi_paths *paths, uint32_t path, uint32_t state)
{
    uint32_t inside[PITHI_PATH_DEPTH], count = 0, at = path;
    /* The states inside the one that ends, innermost first. */
    while (at != 0 && paths->items[at].state != state && count < PITHI_PATH_DEPTH) {
        inside[count++] = paths->items[at].state;
        at = paths->items[at].parent;
    }
    if (at == 0 || paths->items[at].state != state)
        return path;
    at = paths->items[at].parent;
    while (count > 0 && at != PITHI_PATH_NONE)
        at = pithi_paths_enter(paths, at, inside[--count]);
    return at;
}

/* ---- In a file --------------------------------------------------------------------------------------------------- */

int pithi_paths_put(const struct pithi_paths *paths, struct pithi_buffer *out)
{
    int ok = pithi_buffer_varint(out, paths->count);
    for (uint32_t i = 1; ok && i < paths->count; i++)
        ok = pithi_buffer_varint(out, paths->items[i].parent) && pithi_buffer_varint(out, paths->items[i].state);
    return ok;
}

/* Reads a table of paths. It gets no map of children, because tables that were read are never searched.
 * The depths are needed only for the check that no path is deeper than PITHI_PATH_DEPTH. */
static int get_paths(struct pithi_paths *paths, const unsigned char *p, const unsigned char *end, uint64_t count,
                     uint32_t def_count, uint16_t *depth)
{
    uint64_t parent, state;
    for (uint64_t i = 1; i < count; i++) {
        /* Parents come first, so a parent's depth is known. */
        if (!(p = pithi_get_varint(p, end, &parent)) || !(p = pithi_get_varint(p, end, &state)) || parent >= i ||
            state >= def_count || depth[parent] == PITHI_PATH_DEPTH)
            return 0;
        depth[i] = (uint16_t)(depth[parent] + 1);
        paths->items[paths->count++] = (struct pithlog_path){(uint32_t)parent, (uint32_t)state};
    }
    return 1;
}

int pithi_paths_get(struct pithi_paths *paths, const unsigned char *p, uint64_t size, uint32_t def_count)
{
    const unsigned char *end = p + size;
    uint64_t count;
    if (!(p = pithi_get_varint(p, end, &count)) || count == 0 || count > PITHI_PATHS_MAX)
        return 0;
    paths->room = (uint32_t)count;
    if (!(paths->items = malloc(count * sizeof *paths->items)))
        return 0;
    paths->items[0] = (struct pithlog_path){0, UINT32_MAX};
    paths->count = 1;
    uint16_t *depth = calloc(count, sizeof *depth);
    int good = depth && get_paths(paths, p, end, count, def_count, depth);
    free(depth);
    return good;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

enum { WIDTH_FIRST = 32, WIDTH_MOST = 1 << 15, ROWS_FIRST = 16 };
#define ENTRIES_MOST (UINT64_C(1) << 20) /* 2 MiB */

void pithi_steps_free(struct pithi_steps *steps)
{
    free(steps->after);
    free(steps->symbol_of);
    free(steps->changes);
    free(steps->counts);
    free(steps->moves);
    *steps = (struct pithi_steps){0};
}

/* Gives a change its symbol. Returns UINT32_MAX if there are too many symbols, or if there is no memory. */
uint32_t pithi_steps_make(struct pithi_steps *steps, uint32_t change)
{
    uint32_t room = steps->change_room ? steps->change_room : 128;
    while (room <= change)
        room *= 2;
    if (room > steps->change_room) {
        if (!pithi_resize(&steps->symbol_of, steps->change_room, room, sizeof *steps->symbol_of))
            return UINT32_MAX;
        steps->change_room = room;
    }
    if (steps->symbols == steps->width) {
        /* Makes room for more symbols: clears the table. */
        uint32_t from = steps->width, width = from ? from * 2 : WIDTH_FIRST;
        /* Symbols, with 16 bits in the tables, are limited to WIDTH_MOST. */
        if (width > WIDTH_MOST || !pithi_resize(&steps->changes, from, width, sizeof *steps->changes) ||
            !pithi_resize(&steps->counts, from, width, sizeof *steps->counts) ||
            !pithi_resize(&steps->moves, from, width, sizeof *steps->moves))
            return UINT32_MAX;
        /* Wider rows would move all entries. So the table is dropped; each step is computed again when it is needed. */
        free(steps->after);
        steps->after = NULL;
        steps->rows = 0;
        steps->width = width;
    }
    steps->changes[steps->symbols] = change;
    /* The low two bits of a change are its kind (pithi_change). */
    steps->moves[steps->symbols] = change == PITHI_CHANGE_INNERMOST     ? PITHI_MOVE_OUT
                                   : (change & 3) == PITHI_CHANGE_ENTER ? PITHI_MOVE_IN
                                   : (change & 3) == PITHI_CHANGE_LEAVE ? PITHI_MOVE_OTHER
                                                                        : PITHI_MOVE_NONE;
    steps->others += steps->moves[steps->symbols] == PITHI_MOVE_OTHER;
    steps->symbol_of[change] = (uint16_t)(steps->symbols + 1); /* + 1, as 0 means that a change has no symbol yet */
    return steps->symbols++;
}

void pithi_steps_put(struct pithi_steps *steps, uint32_t path, uint32_t symbol, uint32_t after)
{
    uint32_t rows = steps->rows ? steps->rows : ROWS_FIRST;
    while (rows <= path)
        rows = rows * 2 + 96;
    if (rows > steps->rows) {
        /* Makes room for more paths. */
        uint64_t entries = (uint64_t)steps->width * rows, before = (uint64_t)steps->width * steps->rows;
        /* The table has at most 2^20 entries of two bytes. Steps from paths above this limit are not stored, but
         * computed each time. */
        uint16_t *more = entries <= ENTRIES_MOST ? realloc(steps->after, entries * sizeof *more) : NULL;
        if (!more)
            return;
        /* All ones: not known yet (PITHI_PATH_NONE). */
        memset(more + before, 0xff, (entries - before) * sizeof *more);
        steps->after = more;
        steps->rows = rows;
    }
    steps->after[(uint64_t)path * steps->width + symbol] = (uint16_t)after;
}
_Static_assert((uint16_t)PITHI_PATH_NONE == UINT16_MAX, "empty places are all ones");
