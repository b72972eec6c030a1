/* memory_calls.c - the calls that allocate and free memory.
 *
 * The allocator behind these wrappers may be the C library's or another one. dlsym finds its functions. dlsym may
 * allocate memory itself, which it gets from the array `early`; this memory is never freed.
 *
 * Allocators other than the C library's call mmap and munmap through these wrappers. Inside a wrapped call such as
 * malloc (`inside`), no mapping is recorded, because malloc itself is recorded. But an allocator may also map memory
 * outside of wrapped calls, in a C++ operator new of its own or in a thread of its own; such mappings are recorded. The
 * allocator may hold its locks while it maps memory. So the code that records must not allocate memory, because it
 * would wait for these locks forever.
 */
#undef _FILE_OFFSET_BITS /* both mmap and mmap64 are wrapped */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Before the allocator is found ------------------------------------------------------------------------------- */

static _Alignas(64) char early[1 << 16];
static size_t early_used; /* bytes of `early` that were given away */
static int is_ready;      /* 1: the real functions are known */
/* 1: this thread is looking for the real functions, so its calls come from dlsym */
static __thread int finding __attribute__((tls_model("initial-exec")));

/* Finds the real functions. Returns 0 if this call comes from dlsym while the functions are being looked up. */
static int make_ready(void)
{
    if (finding)
        return 0;
    finding = 1;
    pithi_next_find_all();
    finding = 0;
    is_ready = 1;
    return 1;
}

static void *early_get(size_t bytes)
{
    size_t from = early_used;

    if (bytes > sizeof early - from)
        return NULL;
    early_used = from + ((bytes + 63) & ~(size_t)63);
    return early + from;
}

static int is_early(const void *block) { return (uintptr_t)block - (uintptr_t)early < sizeof early; }

/* How many nested calls of the allocator this thread is in. */
static __thread int inside __attribute__((tls_model("initial-exec")));
#define ALLOCATOR(call)                                                                                                \
    __extension__({                                                                                                    \
        inside++;                                                                                                      \
        __typeof__(call) result_ = call;                                                                               \
        inside--;                                                                                                      \
        result_;                                                                                                       \
    })

#define IS_READY __builtin_expect(is_ready || make_ready(), 1)

/* ---- Allocating -------------------------------------------------------------------------------------------------- */

/* Records that the allocator gave a block to the caller, unless the allocator itself is the caller. */
static inline void got(const char *call, const void *block, size_t bytes, const void *caller)
{
    if (__builtin_expect(bytes >= pithi_memory_least, 0) && !inside)
        pithi_memory_got_large(call, block, bytes, caller);
}

#define ALLOCATES(name, bytes, parameters, arguments)                                                                  \
    PITHI_ALSO_API void *name parameters                                                                               \
    {                                                                                                                  \
        void *block = IS_READY ? ALLOCATOR(NEXT(name) arguments) : early_get(bytes);                                   \
        if (block)                                                                                                     \
            got(#name, block, bytes, PITHI_CALLER);                                                                    \
        return block;                                                                                                  \
    }
ALLOCATES(malloc, size, (size_t size), (size))
ALLOCATES(calloc, count *size, (size_t count, size_t size), (count, size))
ALLOCATES(aligned_alloc, size, (size_t alignment, size_t size), (alignment, size))
ALLOCATES(memalign, size, (size_t alignment, size_t size), (alignment, size))
ALLOCATES(valloc, size, (size_t size), (size))

PITHI_ALSO_API int posix_memalign(void **block, size_t alignment, size_t size)
{
    int result = IS_READY ? ALLOCATOR(NEXT(posix_memalign)(block, alignment, size)) : ENOMEM;

    if (result == 0)
        got("posix_memalign", *block, size, PITHI_CALLER);
    return result;
}

/* Does what pithi_memory_take does, but is fast for a block that is too small to have been recorded, as most are. Call
 * it before a block is freed. */
static size_t take(void *block)
{
    if (!__atomic_load_n(&pithi_memory_count, __ATOMIC_RELAXED) || !block || inside ||
        NEXT(malloc_usable_size)(block) < pithi_memory_least)
        return 0;
    return pithi_memory_take(block);
}

static void *reallocate(const char *call, void *block, size_t size, const void *caller)
{
    void *result;

    if (!IS_READY || is_early(block)) {
        result = malloc(size);
        /* The size of a block in `early` is not known, but the block ends before `early` ends. */
        size_t room = (size_t)(early + sizeof early - (char *)block);
        if (block && result)
            memcpy(result, block, size < room ? size : room);
        return result;
    }
    size_t bytes = take(block);
    result = ALLOCATOR(NEXT(realloc)(block, size));
    if (!result && size) {
        pithi_memory_keep(block, bytes);
        return NULL;
    }
    pithi_memory_freed(call, block, bytes, caller);
    if (result)
        got(call, result, size, caller);
    return result;
}

PITHI_ALSO_API void *realloc(void *block, size_t size) { return reallocate("realloc", block, size, PITHI_CALLER); }

PITHI_ALSO_API void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate("reallocarray", block, bytes, PITHI_CALLER);
}

PITHI_ALSO_API void free(void *block)
{
    if (is_early(block) || !IS_READY)
        return;
    pithi_memory_freed("free", block, take(block), PITHI_CALLER);
    inside++;
    NEXT(free)(block);
    inside--;
}

/* ---- Mapping -----------------------------------------------------------------------------------------------------
 * UCX, a network library, looks up mmap and the other functions here by dlsym, and writes a jump into their code so
 * that each call reaches UCX. UCX must find the C library's functions, and not these wrappers: the C library's own
 * calls do not go through wrappers, so a jump in a wrapper would miss them. So the wrappers have the symbol version of
 * the C library's functions, but not as the default version ("@", not "@@"). With this version, the loader binds a
 * program's calls to the wrappers, while dlsym finds the C library's functions. */

#if defined(__x86_64__)
#define VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define VERSION "GLIBC_2.17"
#endif
#ifdef VERSION
#define WRAPS(result, name) /* pithi_memory_NAME becomes NAME */                                                       \
    __asm__(".symver pithi_memory_" #name "," #name "@" VERSION);                                                      \
    PITHI_ALSO_API result pithi_memory_##name

#define MAPS(name, offset_type)                                                                                        \
    WRAPS(void *, name)(void *wish, size_t size, int access, int flags, int fd, offset_type offset);                   \
    void *pithi_memory_##name(void *wish, size_t size, int access, int flags, int fd, offset_type offset)              \
    {                                                                                                                  \
        void *block = NEXT(name)(wish, size, access, flags, fd, offset);                                               \
        if (block != MAP_FAILED)                                                                                       \
            got("mmap", block, size, PITHI_CALLER);                                                                    \
        return block;                                                                                                  \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

/* If a program unmaps the beginning of a recorded block, the rest of the block stays recorded. */
WRAPS(int, munmap)(void *block, size_t size);
int pithi_memory_munmap(void *block, size_t size)
{
    size_t bytes = inside ? 0 : pithi_memory_take(block);
    int result = NEXT(munmap)(block, size);

    if (result != 0) {
        pithi_memory_keep(block, bytes);
        return result;
    }
    if (bytes > size) {
        pithi_memory_keep((char *)block + size, bytes - size);
        bytes = size;
    }
    pithi_memory_freed("munmap", block, bytes, PITHI_CALLER);
    return 0;
}

WRAPS(void *, mremap)(void *block, size_t old_size, size_t size, int flags, ...);
void *pithi_memory_mremap(void *block, size_t old_size, size_t size, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *wish = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    size_t bytes = inside ? 0 : pithi_memory_take(block);
    void *result = NEXT(mremap)(block, old_size, size, flags, wish);

    if (result == MAP_FAILED) {
        pithi_memory_keep(block, bytes);
        return result;
    }
    pithi_memory_freed("mremap", block, bytes, PITHI_CALLER);
    got("mremap", result, size, PITHI_CALLER);
    return result;
}
#endif
