/* memory.h - libpith-memory: records large blocks of memory, and how much memory the process has.
 *
 *     event    memory:alloc     call=malloc bytes=4194304 address=7f12a0400010
 *     event    memory:free      call=free bytes=4194304 address=7f12a0400010
 *     counter  memory:resident  31457280
 *
 * memory_calls.c wraps the calls; memory_record.c remembers the blocks whose memory:alloc was recorded, so that a
 * memory:free is recorded for exactly these blocks.
 */
#ifndef PITHI_MEMORY_H
#define PITHI_MEMORY_H

#include "also/also.h"

#include <stddef.h>

/* The size in bytes from which blocks are recorded. SIZE_MAX: no block is recorded, because the library is not yet
 * ready or this process is a forked child. */
extern size_t pithi_memory_least __attribute__((visibility("hidden")));
/* The count of blocks that were recorded and are not yet freed; accessed atomically. */
extern size_t pithi_memory_count __attribute__((visibility("hidden")));

/* Records that `call` gave the block to the program. Records nothing if `block` is NULL, that is, if the call failed.
 * This function and those below preserve errno. */
void pithi_memory_got_large(const char *call, const void *block, size_t bytes, const void *caller);

/* Call it before a block is freed, since another thread may get the same address right after that. Returns the block's
 * size if it was recorded, and forgets it; else returns 0. */
size_t pithi_memory_take(const void *block);
/* Undoes pithi_memory_take, if the call that should have freed the block failed. `bytes`: what pithi_memory_take
 * returned; 0: there is nothing to undo. */
void pithi_memory_keep(const void *block, size_t bytes);
/* Records that `call` freed the block. `bytes`: what pithi_memory_take returned; 0: there is nothing to record. */
void pithi_memory_freed(const char *call, const void *block, size_t bytes, const void *caller);

#endif
