/* paths.c - the table of paths, see paths.h. */
#include "native/paths.h"

static uint64_t key_of(uint32_t parent, uint32_t state) { return (uint64_t)parent << 32 | state; }

enum { STEP_BITS_FIRST = 6 };

int pithi_paths_begin(struct pithi_paths *paths)
{
    paths->step_bits = STEP_BITS_FIRST;
    paths->steps = malloc(sizeof *paths->steps << STEP_BITS_FIRST);
    if (!paths->steps || !pithi_grow(&paths->items, 0, &paths->room, sizeof *paths->items))
        return 0;
    memset(paths->steps, 0xff, sizeof *paths->steps << STEP_BITS_FIRST);
    paths->items[0] = (struct pithlog_path){0, UINT32_MAX};
    paths->count = 1;
    return 1;
}

void pithi_paths_free(struct pithi_paths *paths)
{
    free(paths->items);
    free(paths->steps);
    pithi_map_free(&paths->children);
    *paths = (struct pithi_paths){0};
}

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
    if (paths->count == PITHI_PATHS_MAX || depth_of(paths, parent) == PITHI_PATH_DEPTH ||
        !pithi_grow(&paths->items, paths->count, &paths->room, sizeof *paths->items) ||
        !pithi_map_put(&paths->children, key_of(parent, state), paths->count))
        return 0;
    paths->items[paths->count] = (struct pithlog_path){parent, state};
    return paths->count++;
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

/* A place for `key`; where there is one already, that. */
static uint64_t *place_of(const struct pithi_paths *paths, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - paths->step_bits);
    uint64_t mask = (UINT64_C(1) << paths->step_bits) - 1;
    while (paths->steps[at] != UINT64_MAX && paths->steps[at] >> 16 != key)
        at = (at + 1) & mask;
    return &paths->steps[at];
}

/* Four times as large: most keys then have the first place they are looked for at. No memory: it gets slower, no more.
 */
static void make_room(struct pithi_paths *paths)
{
    struct pithi_paths bigger = {.step_bits = paths->step_bits + 2};
    size_t room = (size_t)1 << bigger.step_bits;
    if (!(bigger.steps = malloc(room * sizeof *bigger.steps)))
        return;
    memset(bigger.steps, 0xff, room * sizeof *bigger.steps);
    for (size_t i = 0; i < (size_t)1 << paths->step_bits; i++)
        if (paths->steps[i] != UINT64_MAX)
            *place_of(&bigger, paths->steps[i] >> 16) = paths->steps[i];
    free(paths->steps);
    paths->steps = bigger.steps;
    paths->step_bits = bigger.step_bits;
}

uint32_t pithi_paths_enter(struct pithi_paths *paths, uint32_t parent, uint32_t state)
{
    uint64_t key = pithi_paths_key(parent, state), *place = place_of(paths, key);
    if (*place >> 16 == key)
        return (uint32_t)(*place & 0xffff);
    uint32_t child = pithi_paths_find(paths, parent, state);
    if (child == 0)
        return PITHI_PATH_NONE;
    if (paths->step_count * UINT64_C(4) >= UINT64_C(1) << paths->step_bits) {
        make_room(paths);
        place = place_of(paths, key);
    }
    if ((paths->step_count + 1) * UINT64_C(8) < UINT64_C(7) << paths->step_bits) {
        *place = key << 16 | child;
        paths->step_count++;
    }
    return child;
}

uint32_t pithi_paths_leave(struct pithi_paths *paths, uint32_t path, uint32_t state)
{
    uint32_t inside[PITHI_PATH_DEPTH], count = 0, at = path;
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

int pithi_paths_get(struct pithi_paths *paths, const unsigned char *p, uint64_t size, uint32_t def_count)
{
    const unsigned char *end = p + size;
    uint64_t count, parent, state;
    if (!pithi_paths_begin(paths) || !(p = pithi_get_varint(p, end, &count)) || count == 0 || count > PITHI_PATHS_MAX)
        return 0;
    for (uint64_t i = 1; i < count; i++) {
        if (!(p = pithi_get_varint(p, end, &parent)) || !(p = pithi_get_varint(p, end, &state)) || parent >= i ||
            state >= def_count || pithi_paths_find(paths, (uint32_t)parent, (uint32_t)state) != i)
            return 0;
    }
    return 1;
}
