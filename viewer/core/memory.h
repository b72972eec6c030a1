/* memory.h - memory for the viewer. A viewer without memory has nothing to show: the first two functions end the
 * program with one line on stderr rather than return NULL. (Tcl's own allocator does the same.) */
#ifndef PITHI_MEMORY_H
#define PITHI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* `count` zeroed items of `size` bytes; to be freed with free(). */
void *pithi_alloc(size_t count, size_t size);

/* `data` with room for at least `needed` items of `size` bytes; *capacity is kept up to date. Grows by at least
 * half. */
void *pithi_grow(void *data, uint32_t *capacity, uint32_t needed, size_t size);

/* Gives what is free back to the system, if this C library can: less than a millisecond. For moments of rest; the
 * threads that look at records leave a fifth of what they took. */
void pithi_memory_rest(void);

#endif
