/* map.h - a hash table from 64-bit numbers to 64-bit numbers: what readers and writers of foreign formats look things up
 * in (process -> lane, event number -> definition ...). Any key but UINT64_MAX. */
#ifndef PITHI_MAP_H
#define PITHI_MAP_H

#include <stdint.h>

/* All zero is an empty map. */
struct pithi_map {
    struct pithi_map_slot *slots;
    uint32_t used, size; /* size: a power of 2, or 0 */
};

/* The value of `key`, NULL when it is not there. Valid until the next pithi_map_at. */
uint64_t *pithi_map_get(const struct pithi_map *map, uint64_t key);
/* The same, made with the value 0 when it is not there; NULL: out of memory. */
uint64_t *pithi_map_at(struct pithi_map *map, uint64_t key);
void pithi_map_free(struct pithi_map *map);

/* Two 32-bit numbers as one key. */
static inline uint64_t pithi_map_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
