/* map.h - from 64-bit keys to 32-bit numbers: ranks, lanes, communicators. All zero is an empty one; end with
 * pithi_map_free. */
#ifndef PITHI_MAP_H
#define PITHI_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pithi_map {
    struct pithi_map_slot {
        uint64_t key;
        uint64_t value; /* + 1; 0: free */
    } * slots;
    size_t count, room; /* room: a power of two, or 0 */
};

static inline struct pithi_map_slot *pithi_map_slot(const struct pithi_map *m, uint64_t key)
{
    uint64_t h = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(h >> 20) & (m->room - 1);
    while (m->slots[at].value && m->slots[at].key != key)
        at = (at + 1) & (m->room - 1);
    return &m->slots[at];
}

/* 1 and *value, or 0: the key is not there. */
static inline int pithi_map_get(const struct pithi_map *m, uint64_t key, uint32_t *value)
{
    const struct pithi_map_slot *slot = m->room ? pithi_map_slot(m, key) : NULL;
    if (!slot || slot->value == 0)
        return 0;
    *value = (uint32_t)(slot->value - 1);
    return 1;
}

/* 0: no memory. */
static inline int pithi_map_put(struct pithi_map *m, uint64_t key, uint32_t value)
{
    if (m->count * 2 >= m->room) {
        struct pithi_map bigger = {.room = m->room ? m->room * 2 : 16, .count = m->count};
        if (!(bigger.slots = calloc(bigger.room, sizeof *bigger.slots)))
            return 0;
        for (size_t i = 0; i < m->room; i++)
            if (m->slots[i].value)
                *pithi_map_slot(&bigger, m->slots[i].key) = m->slots[i];
        free(m->slots);
        *m = bigger;
    }
    struct pithi_map_slot *slot = pithi_map_slot(m, key);
    m->count += slot->value == 0;
    *slot = (struct pithi_map_slot){key, (uint64_t)value + 1};
    return 1;
}

static inline void pithi_map_free(struct pithi_map *m)
{
    free(m->slots);
    *m = (struct pithi_map){0};
}

/* Room for one more in an array that grows by doubling: `array` is the address of the pointer to it. 0: no memory. */
static inline int pithi_grow(void *array, uint32_t count, uint32_t *room, size_t item)
{
    void **at = array;
    if (count < *room)
        return 1;
    uint32_t more = *room ? *room * 2 : 8;
    void *moved = more > *room ? realloc(*at, more * item) : NULL;
    if (!moved)
        return 0;
    *at = moved;
    *room = more;
    return 1;
}

/* Room for `to` items in an array that had room for `from`; new ones are 0. 0: no memory. */
static inline int pithi_resize(void *array, size_t from, size_t to, size_t item)
{
    char **at = array, *moved = realloc(*at, to * item);
    if (!moved)
        return 0;
    memset(moved + from * item, 0, (to - from) * item);
    *at = moved;
    return 1;
}

#endif
