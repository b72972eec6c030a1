/* fault.h - memory mapped from a file that somebody may cut. */
#ifndef PITHI_FAULT_H
#define PITHI_FAULT_H

#include <stddef.h>
#include <stdint.h>

/* An access to mapped memory beyond the end of a cut file raises SIGBUS, which would end the process. After this call,
 * a handler replaces such pages of the `size_bytes` at `begin` by anonymous memory, so that the process continues and
 * reads zeros there. The handler also sets *seen to 1 (atomically). `seen` may be NULL; otherwise *seen must stay valid
 * until pithi_fault_leave. Any thread may call pithi_fault_watch; it takes no lock. It protects neither a program that
 * has a SIGBUS handler of its own, which stays installed, nor a thread that blocks SIGBUS.
 */
void pithi_fault_watch(const void *begin, uint64_t size_bytes, int *seen);

/* Call it before munmap, with the same `begin`. */
void pithi_fault_leave(const void *begin);

#endif
