/* sorter.h - sorts any number of items of any size by their keys, in bounded memory: pieces that do not fit are sorted
 * into a nameless temporary file and merged from there.
 *
 *     struct pithi_sorter *sorter;
 *     struct pithi_sorted item;
 *     pithi_sorter_new(&sorter, PITHI_SORTER_BYTES);
 *     pithi_sorter_add(sorter, &(struct pithi_sort_key){{pithi_sort_time(time_ns)}}, data, size);    as often as needed
 *     pithi_sorter_end(sorter);
 *     while ((status = pithi_sorter_next(sorter, &item)) == 1) ...                                   -1: an error
 *     pithi_sorter_free(sorter);
 *
 * It is for formats whose files have a different order than the log. (For records that are only a little out of order,
 * a reorder buffer is enough.) Speed: 5 to 10 million small items a second, in and out together. */
#ifndef PITHI_SORTER_H
#define PITHI_SORTER_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_SORTER_BYTES = 32 << 20 }; /* memory that readers and writers of formats give a sorter */

/* Keys are compared word by word. Items of equal keys keep the order in which they were added. */
struct pithi_sort_key {
    uint64_t word[3];
};
static inline uint64_t pithi_sort_time(int64_t time_ns) { return (uint64_t)time_ns ^ UINT64_C(1) << 63; }

struct pithi_sorted {
    struct pithi_sort_key key;
    const void *data; /* not aligned; valid until the next call */
    uint32_t size;    /* bytes */
};

/* Returns the time of an item whose first key word was made by pithi_sort_time. */
static inline int64_t pithi_sorted_time(const struct pithi_sorted *item)
{
    return (int64_t)(item->key.word[0] ^ UINT64_C(1) << 63);
}

struct pithi_sorter;
/* `memory_bytes`: the most memory to use, unless a single item is larger. Memory is only touched when it is needed. */
int pithi_sorter_new(struct pithi_sorter **sorter, size_t memory_bytes);
int pithi_sorter_add(struct pithi_sorter *sorter, const struct pithi_sort_key *key, const void *data, uint32_t size);
/* Call after the last item. */
int pithi_sorter_end(struct pithi_sorter *sorter);
/* Gets the next item and returns 1. Returns 0 at the end, -1 on an error. */
int pithi_sorter_next(struct pithi_sorter *sorter, struct pithi_sorted *item);
/* Like pithi_sorter_next, but only gets an item if the first two words of its key come before `first` and `second`.
 * Otherwise it returns 0, and the item stays for the next call. Use it to merge the items with records in order of
 * time. */
int pithi_sorter_before(struct pithi_sorter *sorter, uint64_t first, uint64_t second, struct pithi_sorted *item);
void pithi_sorter_free(struct pithi_sorter *sorter); /* NULL: does nothing */

#endif
