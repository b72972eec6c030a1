/* memory.h - memory for the viewer. pithi_alloc and pithi_view_regrow never return NULL: if there is no memory, they
 * end the program with a line on stderr, as Tcl's allocator does. */
#ifndef PITHI_MEMORY_H
#define PITHI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Returns `count` zeroed items of `size` bytes, to be freed with free(). */
void *pithi_alloc(size_t count, size_t size);

/* Returns `data`, moved if necessary, with room for at least `needed` items of `size` bytes, and sets *capacity. The
 * room grows by at least half. */
void *pithi_view_regrow(void *data, uint32_t *capacity, uint32_t needed, size_t size);
static inline void *pithi_view_grow(void *data, uint32_t *capacity, uint32_t needed, size_t size)
{
    return needed <= *capacity ? data : pithi_view_regrow(data, capacity, needed, size);
}

/* Gives memory that was freed back to the system, if the C library can. This takes less than a millisecond; call it in
 * idle moments. Threads that read records free much memory. Without this call, the process keeps a fifth of it. */
void pithi_memory_rest(void);

#endif
