/* lookup.h - a hash table from 64-bit numbers to 64-bit numbers: what readers and writers of foreign formats look
 * things up in (process -> lane, event number -> definition ...). Any key but UINT64_MAX. */
#ifndef PITHI_LOOKUP_H
#define PITHI_LOOKUP_H

#include <stdint.h>

/* All zero is an empty one. */
struct pithi_lookup {
    struct pithi_lookup_slot *slots;
    uint32_t used, size; /* size: a power of 2, or 0 */
};

/* The value of `key`, NULL when it is not there. Valid until the next pithi_lookup_at. */
uint64_t *pithi_lookup_get(const struct pithi_lookup *lookup, uint64_t key);
/* The same, made with the value 0 when it is not there; NULL: out of memory. */
uint64_t *pithi_lookup_at(struct pithi_lookup *lookup, uint64_t key);
void pithi_lookup_free(struct pithi_lookup *lookup);

/* Two 32-bit numbers as one key. */
static inline uint64_t pithi_lookup_pair(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

#endif
