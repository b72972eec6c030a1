/* map.h - a hash table from 64-bit numbers to 64-bit numbers, for example for ranks, lanes, communicators and event
 * numbers. It uses open addressing with linear probing, and is at most half full. Nothing is ever removed. Also: arrays
 * that grow. */
#ifndef PITHI_MAP_H
#define PITHI_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* A struct of zeros is an empty table. Free it with pithi_map_free. */
struct pithi_map {
    struct pithi_map_slot {
        uint64_t key; /* the key + 1; 0: a free slot */
        uint64_t value;
    } * slots;
    size_t count, room; /* room: a power of two, or 0 */
    uint64_t last;      /* the value of key UINT64_MAX, if has_last */
    int has_last;       /* `last` is set */
};

static inline struct pithi_map_slot *pithi_map_slot(const struct pithi_map *m, uint64_t key)
{
    size_t at = (size_t)(pithi_hash_number(0, key) >> 32) & (m->room - 1);
    while (m->slots[at].key && m->slots[at].key != key + 1)
        at = (at + 1) & (m->room - 1);
    return &m->slots[at];
}

/* Returns the address of the value of `key`, or NULL if the table does not have the key. The address is valid until the
 * next pithi_map_at. */
static inline uint64_t *pithi_map_find(const struct pithi_map *m, uint64_t key)
{
    if (key == UINT64_MAX)
        return m->has_last ? (uint64_t *)&m->last : NULL;
    struct pithi_map_slot *slot = m->room ? pithi_map_slot(m, key) : NULL;
    return slot && slot->key ? &slot->value : NULL;
}

/* Returns the address of the value of `key`. A new key is added with the value 0. Returns NULL if there is no memory.
 */
static inline uint64_t *pithi_map_at(struct pithi_map *m, uint64_t key)
{
    if (key == UINT64_MAX) {
        m->count += !m->has_last;
        m->has_last = 1;
        return &m->last;
    }
    if (m->count * 2 >= m->room) {
        struct pithi_map bigger = *m;
        bigger.room = m->room ? m->room * 2 : 16;
        if (!(bigger.slots = calloc(bigger.room, sizeof *bigger.slots)))
            return NULL;
        for (size_t i = 0; i < m->room; i++)
            if (m->slots[i].key)
                *pithi_map_slot(&bigger, m->slots[i].key - 1) = m->slots[i];
        free(m->slots);
        *m = bigger;
    }
    struct pithi_map_slot *slot = pithi_map_slot(m, key);
    m->count += slot->key == 0;
    slot->key = key + 1;
    return &slot->value;
}

static inline void pithi_map_free(struct pithi_map *m)
{
    free(m->slots);
    *m = (struct pithi_map){0};
}

/* pithi_map_get and pithi_map_put are for 32-bit values. pithi_map_get returns 0 if there is no such key, else 1.
 * pithi_map_put returns 0 if there is no memory, else 1. */
static inline int pithi_map_get(const struct pithi_map *m, uint64_t key, uint32_t *value)
{
    const uint64_t *at = pithi_map_find(m, key);
    if (at)
        *value = (uint32_t)*at;
    return at != NULL;
}

static inline int pithi_map_put(struct pithi_map *m, uint64_t key, uint32_t value)
{
    uint64_t *at = pithi_map_at(m, key);
    if (at)
        *at = value;
    return at != NULL;
}

/* Two 32-bit numbers as one key. */
static inline uint64_t pithi_map_pair(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

/* Makes room for one more item in an array, by doubling its room if it is full. `array`: the address of the pointer to
 * the first item. Returns 1, or 0 if there is no memory. */
static inline int pithi_grow(void *array, uint32_t count, uint32_t *room, size_t item)
{
    void **at = array;
    if (count < *room)
        return 1;
    uint32_t more = *room ? *room * 2 : 4;
    void *moved = more > *room ? realloc(*at, more * item) : NULL;
    if (!moved)
        return 0;
    *at = moved;
    *room = more;
    return 1;
}

/* A pithi_grow for arrays that store no `room`: it grows only if `count` is 0 or a power of two, so the array must have
 * grown by this function from the first item on. */
static inline int pithi_grow_one(void *array, uint32_t count, size_t item)
{
    uint32_t room = count & (count - 1) ? UINT32_MAX : count;
    return pithi_grow(array, count, &room, item);
}

/* Returns the item of `key` in an array that grows by pithi_grow, or NULL if there is no memory. The map `of` has 1 +
 * the index of each key's item. If the key is new, makes an item of zeros and sets *fresh to 1 (`fresh` may be NULL).
 * The result is valid until the next item is made. */
static inline void *pithi_item_at(struct pithi_map *of, uint64_t key, void *array, uint32_t *count, uint32_t *room,
                                  size_t item, int *fresh)
{
    uint64_t *place = pithi_map_at(of, key);
    void **items = array;
    if (fresh)
        *fresh = place && !*place;
    if (!place || (!*place && !pithi_grow(array, *count, room, item)))
        return NULL;
    if (!*place) {
        memset((char *)*items + *count * item, 0, item);
        *place = ++*count;
    }
    return (char *)*items + (*place - 1) * item;
}

/* Resizes an array from `from` to `to` items; new items are 0. Returns 1, or 0 if there is no memory. */
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
