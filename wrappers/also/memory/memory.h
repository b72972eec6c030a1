/* memory.h - libpith-memory: records large blocks of memory, and how much memory the process has.
 *
 *     event    memory:alloc     call=malloc bytes=4194304 address=7f12a0400010
 *     event    memory:free      call=free bytes=4194304 address=7f12a0400010
 *     counter  memory:resident  31457280
 *
 * memory_calls.c wraps the calls; memory_record.c knows the blocks that were recorded, so that only these are recorded
 * when they are freed.
 */
#ifndef PITHI_MEMORY_H
#define PITHI_MEMORY_H

#include "also/also.h"

#include <stddef.h>

/* Smaller blocks are not recorded. SIZE_MAX: none, as the library is not yet ready. */
extern size_t pithi_memory_least __attribute__((visibility("hidden")));
/* How many recorded blocks the program has; atomic. */
extern size_t pithi_memory_count __attribute__((visibility("hidden")));

/* These preserve errno. `call` gave the block to the program (NULL: it failed). */
void pithi_memory_got_large(const char *call, const void *block, size_t bytes, const void *caller);

/* Before the block is freed, as other threads may then get its address. Returns its size if it was recorded, else 0;
 * it counts as freed. */
size_t pithi_memory_take(const void *block);
/* It is still there: the call failed. */
void pithi_memory_keep(const void *block, size_t bytes);
/* `call` frees a block that pithi_memory_take has returned (`bytes` 0: it was not recorded). */
void pithi_memory_freed(const char *call, const void *block, size_t bytes, const void *caller);

#endif
