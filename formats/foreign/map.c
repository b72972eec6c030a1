/* map.c - open addressing with linear probing, at most half full. Nothing is ever removed. */
#include "foreign/map.h"

#include <stdlib.h>

struct pithi_map_slot {
    uint64_t key; /* + 1; 0: free */
    uint64_t value;
};

static uint32_t place_of(uint64_t key, uint32_t size)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

static struct pithi_map_slot *slot_of(const struct pithi_map *map, uint64_t key)
{
    uint32_t place = place_of(key + 1, map->size);

    while (map->slots[place].key && map->slots[place].key != key + 1)
        place = (place + 1) & (map->size - 1);
    return &map->slots[place];
}

static int grow(struct pithi_map *map)
{
    struct pithi_map bigger = {.used = map->used, .size = map->size ? 2 * map->size : 64};

    bigger.slots = calloc(bigger.size, sizeof *bigger.slots);
    if (!bigger.size || !bigger.slots)
        return 0;
    for (uint32_t i = 0; i < map->size; i++)
        if (map->slots[i].key)
            *slot_of(&bigger, map->slots[i].key - 1) = map->slots[i];
    free(map->slots);
    *map = bigger;
    return 1;
}

uint64_t *pithi_map_get(const struct pithi_map *map, uint64_t key)
{
    struct pithi_map_slot *slot;

    if (!map->size)
        return NULL;
    slot = slot_of(map, key);
    return slot->key ? &slot->value : NULL;
}

uint64_t *pithi_map_at(struct pithi_map *map, uint64_t key)
{
    struct pithi_map_slot *slot;

    if (map->used >= map->size / 2 && !grow(map))
        return NULL;
    slot = slot_of(map, key);
    if (!slot->key) {
        slot->key = key + 1;
        map->used++;
    }
    return &slot->value;
}

void pithi_map_free(struct pithi_map *map)
{
    free(map->slots);
    *map = (struct pithi_map){0};
}
