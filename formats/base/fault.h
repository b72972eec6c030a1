/* fault.h - memory mapped from a file that somebody may cut. */
#ifndef PITHI_FAULT_H
#define PITHI_FAULT_H

#include <stddef.h>
#include <stdint.h>

/* An access to mapped memory beyond the end of a cut file raises SIGBUS, which would end the process. From now on, a
 * handler replaces such pages of the `size_bytes` at `begin` by anonymous memory, and sets *seen to 1 (atomically): the
 * process goes on and reads zeros there. `seen` (or NULL) must stay valid until pithi_fault_leave. Any thread, no
 * lock. A program with its own SIGBUS handler keeps that handler and has no such protection; neither has a thread that
 * blocks SIGBUS.
 */
void pithi_fault_watch(const void *begin, uint64_t size_bytes, int *seen);

/* Call it before munmap, with the same `begin`. */
void pithi_fault_leave(const void *begin);

#endif
