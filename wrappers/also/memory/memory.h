/* memory.h - libpith-memory: records large blocks of memory, and how much memory the process has.
 *
 *     event    memory:alloc     call=malloc bytes=4194304 address=7f12a0400010
 *     event    memory:free      call=free bytes=4194304 address=7f12a0400010
 *     counter  memory:resident  31457280
 *
 * memory_calls.c wraps the calls; memory_record.c remembers the blocks that were recorded, so that exactly these are
 * recorded when they are freed.
 */
#ifndef PITHI_MEMORY_H
#define PITHI_MEMORY_H

#include "also/also.h"

#include <stddef.h>

/* The size in bytes from which blocks are recorded. SIZE_MAX: none is, as the library is not yet ready. */
extern size_t pithi_memory_least __attribute__((visibility("hidden")));
/* How many blocks were recorded and are not yet freed; accessed atomically. */
extern size_t pithi_memory_count __attribute__((visibility("hidden")));

/* Records that `call` gave the block to the program (NULL: it failed). Like the functions below, it preserves errno. */
void pithi_memory_got_large(const char *call, const void *block, size_t bytes, const void *caller);

/* Call it before a block is freed, since another thread may get the same address right after that. Returns the block's
 * size if it was recorded, and forgets it; else returns 0. */
size_t pithi_memory_take(const void *block);
/* Takes pithi_memory_take back, because the block was not freed: the call failed. Nothing if `bytes` is 0. */
void pithi_memory_keep(const void *block, size_t bytes);
/* Records that `call` freed a block for which pithi_memory_take returned `bytes`. Nothing if that is 0. */
void pithi_memory_freed(const char *call, const void *block, size_t bytes, const void *caller);

#endif
