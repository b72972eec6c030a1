/* heap.h - a binary heap in an array of the caller (Williams, CACM 7(6), 1964). The array must have room for an item
 * that is added. The first item of the array comes before all others. The functions are inlined, so that the compiler
 * knows the `size` and `before` that a caller passes. */
#ifndef PITHI_HEAP_H
#define PITHI_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 1: a comes before b. */
typedef int pithi_heap_before(const void *a, const void *b);
#define PITHI_HEAP static inline __attribute__((always_inline)) void

PITHI_HEAP pithi_heap_add(void *heap, uint32_t *count, const void *item, size_t size, pithi_heap_before *before)
{
    char *items = heap;
    uint32_t at = (*count)++;
    for (; at > 0 && before(item, items + (at - 1) / 2 * size); at = (at - 1) / 2)
        memcpy(items + at * size, items + (at - 1) / 2 * size, size);
    memcpy(items + at * size, item, size);
}

/* Replaces the first item by another, which is not in the heap. */
PITHI_HEAP pithi_heap_replace(void *heap, uint32_t count, const void *item, size_t size, pithi_heap_before *before)
{
    char *items = heap;
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && before(items + (child + 1) * size, items + child * size);
        if (!before(items + child * size, item))
            break;
        memcpy(items + at * size, items + child * size, size);
        at = child;
    }
    memcpy(items + at * size, item, size);
}

/* Moves the first item to *first. */
PITHI_HEAP pithi_heap_take(void *heap, uint32_t *count, void *first, size_t size, pithi_heap_before *before)
{
    memcpy(first, heap, size);
    if (--*count > 0)
        pithi_heap_replace(heap, *count, (const char *)heap + *count * size, size, before);
}

#endif
