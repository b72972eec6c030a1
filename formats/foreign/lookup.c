/* lookup.c - open addressing with linear probing, at most half full. Nothing is ever removed. */
#include "foreign/lookup.h"

#include <stdlib.h>

struct pithi_lookup_slot {
    uint64_t key; /* + 1; 0: free */
    uint64_t value;
};

static uint32_t place_of(uint64_t key, uint32_t size)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

static struct pithi_lookup_slot *slot_of(const struct pithi_lookup *lookup, uint64_t key)
{
    uint32_t place = place_of(key + 1, lookup->size);

    while (lookup->slots[place].key && lookup->slots[place].key != key + 1)
        place = (place + 1) & (lookup->size - 1);
    return &lookup->slots[place];
}

static int grow(struct pithi_lookup *lookup)
{
    struct pithi_lookup bigger = {.used = lookup->used, .size = lookup->size ? 2 * lookup->size : 64};

    bigger.slots = calloc(bigger.size, sizeof *bigger.slots);
    if (!bigger.size || !bigger.slots)
        return 0;
    for (uint32_t i = 0; i < lookup->size; i++)
        if (lookup->slots[i].key)
            *slot_of(&bigger, lookup->slots[i].key - 1) = lookup->slots[i];
    free(lookup->slots);
    *lookup = bigger;
    return 1;
}

uint64_t *pithi_lookup_get(const struct pithi_lookup *lookup, uint64_t key)
{
    struct pithi_lookup_slot *slot;

    if (!lookup->size)
        return NULL;
    slot = slot_of(lookup, key);
    return slot->key ? &slot->value : NULL;
}

uint64_t *pithi_lookup_at(struct pithi_lookup *lookup, uint64_t key)
{
    struct pithi_lookup_slot *slot;

    if (lookup->used >= lookup->size / 2 && !grow(lookup))
        return NULL;
    slot = slot_of(lookup, key);
    if (!slot->key) {
        slot->key = key + 1;
        lookup->used++;
    }
    return &slot->value;
}

void pithi_lookup_free(struct pithi_lookup *lookup)
{
    free(lookup->slots);
    *lookup = (struct pithi_lookup){0};
}
