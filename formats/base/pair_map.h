/* pair_map.h - gives each pair of 64-bit values a number: 0, 1, 2 ... in the order in which the pairs are first looked
 * up. */
#ifndef PITHI_PAIR_MAP_H
#define PITHI_PAIR_MAP_H

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"

/* A hash table with open addressing. `room` is a power of two, and at most half of the slots are used. A struct of
 * zeros is an empty map. */
struct pithi_pair_map {
    struct pithi_pair_slot {
        uint64_t a, b;
        uint32_t number_1; /* number + 1; 0: a free slot */
    } * slots;
    uint32_t count, room;
};

static inline struct pithi_pair_slot *pithi_pair_slot(const struct pithi_pair_map *map, uint64_t a, uint64_t b)
{
    size_t i = (size_t)(pithi_hash_number(pithi_hash_number(0, a), b) >> 24) & (map->room - 1);
    while (map->slots[i].number_1 && (map->slots[i].a != a || map->slots[i].b != b))
        i = (i + 1) & (map->room - 1);
    return &map->slots[i];
}

/* Sets *number to the number of the pair (a, b). A new pair gets the next number, map->count. Returns PITH_OK or an
 * error. */
static inline int pithi_pair_number(struct pithi_pair_map *map, uint64_t a, uint64_t b, uint32_t *number)
{
    if (2 * map->count >= map->room) {
        struct pithi_pair_map grown = {NULL, map->count, map->room ? 2 * map->room : 256};
        if (grown.room == 0 || (grown.slots = calloc(grown.room, sizeof *grown.slots)) == NULL)
            return pithi_no_memory();
        for (uint32_t i = 0; i < map->room; i++)
            if (map->slots[i].number_1)
                *pithi_pair_slot(&grown, map->slots[i].a, map->slots[i].b) = map->slots[i];
        free(map->slots);
        *map = grown;
    }
    struct pithi_pair_slot *slot = pithi_pair_slot(map, a, b);
    if (!slot->number_1)
        *slot = (struct pithi_pair_slot){a, b, ++map->count};
    *number = slot->number_1 - 1;
    return PITH_OK;
}

#endif
