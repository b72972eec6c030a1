/* memory.h - memory for the viewer. Without memory the first two functions end the program with a line on stderr, as
 * Tcl's allocator does, and never return NULL. */
#ifndef PITHI_MEMORY_H
#define PITHI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* `count` zeroed items of `size` bytes; to be freed with free(). */
void *pithi_alloc(size_t count, size_t size);

/* `data` with room for at least `needed` items of `size` bytes; *capacity is kept up to date. Grows by at least
 * half. */
void *pithi_view_regrow(void *data, uint32_t *capacity, uint32_t needed, size_t size);
static inline void *pithi_view_grow(void *data, uint32_t *capacity, uint32_t needed, size_t size)
{
    return needed <= *capacity ? data : pithi_view_regrow(data, capacity, needed, size);
}

/* Returns free memory to the system, if the C library can, in less than a millisecond. For idle moments: the threads
 * that read records leave a fifth of their memory behind. */
void pithi_memory_rest(void);

#endif
