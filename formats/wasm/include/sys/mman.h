/* sys/mman.h - replaces the header of the C library. A mapping is ordinary memory into which the file's bytes are
 * copied once (system.c). */
#ifndef PITHI_WASM_MMAN_H
#define PITHI_WASM_MMAN_H

#include <stddef.h>
#include <sys/types.h>

enum {
    PROT_READ = 1,
    PROT_WRITE = 2,
    MAP_SHARED = 1,
    MAP_PRIVATE = 2,
    MAP_FIXED = 16,
    MAP_ANONYMOUS = 32,
    MAP_NORESERVE = 0
};
enum { MADV_DONTNEED = 4, MADV_POPULATE_READ = 22, MFD_CLOEXEC = 1 };
#define MAP_FAILED ((void *)-1)

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int munmap(void *memory, size_t size);
static inline int madvise(void *memory, size_t size, int advice) { return (void)memory, (void)size, (void)advice, 0; }
int memfd_create(const char *name, unsigned flags);

#endif
