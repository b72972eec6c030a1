/* also.c - decides whether a call is recorded, and finds the functions that the libraries wrap (also.h).
 *
 * The recorder itself opens files, takes locks and maps memory through the same wrapped functions. Its calls must not
 * be recorded. A call is the recorder's if its return address is in the code of a libpith*.so. The address ranges of
 * these libraries are noted when this library is loaded, so the test only takes a few comparisons.
 */
#include "also.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pith_tool.h"

/* `process` and is_early are set when the library is loaded, and is_child is set in the forked child. At these moments
 * the process has only one thread, so no lock protects the three variables. */
static pid_t process;
static int is_early; /* 1: recording may begin with any wrapped call */
static int is_child; /* this process is a forked child */

/* ---- Pith's own code --------------------------------------------------------------------------------------------- */

enum { OWN = 16 }; /* how many code segments can be noted */
static struct {
    uintptr_t begin, end; /* a code segment: [begin, end) */
} own[OWN];
static int own_count;

static int note_own(struct dl_phdr_info *module, size_t size, void *unused)
{
    const char *slash = strrchr(module->dlpi_name, '/');

    (void)size, (void)unused;
    if (strncmp(slash ? slash + 1 : module->dlpi_name, "libpith", 7) != 0)
        return 0;
    for (int i = 0; i < module->dlpi_phnum && own_count < OWN; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            own[own_count].begin = module->dlpi_addr + part->p_vaddr;
            own[own_count++].end = module->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

static int is_own(uintptr_t address)
{
    for (int i = 0; i < own_count; i++)
        if (address - own[i].begin < own[i].end - own[i].begin)
            return 1;
    return 0;
}

/* ---- Which calls ------------------------------------------------------------------------------------------------- */

int pithi_also_wanted(const void *caller)
{
    return process && !is_child && (is_early || pith_recorded()) && pith_recording() && !is_own((uintptr_t)caller);
}

void pithi_also_begin_early(void) { is_early = 1; }

int64_t pithi_also_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

struct moment {
    int64_t ns;     /* time of CLOCK_MONOTONIC */
    uint64_t ticks; /* what pith_clock_ticks returned at this time */
};

/* Returns the present time by both clocks. Reads both several times, and returns the times of the shortest try. In a
 * longer try, the thread may have lost its core between the two reads, so its two times can differ by much. */
static struct moment now_in_both(void)
{
    struct moment best = {0, 0};
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < 8; i++) {
        uint64_t before = pith_clock_ticks();
        int64_t ns = pithi_also_now_ns();
        uint64_t width = pith_clock_ticks() - before;
        if (width < narrowest) {
            narrowest = width;
            best = (struct moment){ns, before + width / 2};
        }
    }
    return best;
}

uint64_t pithi_also_ticks_of(double ns)
{
    struct moment begin = now_in_both(), end;

    do
        end = now_in_both();
    while (end.ns - begin.ns < 1000000);
    return (uint64_t)(ns * (double)(end.ticks - begin.ticks) / (double)(end.ns - begin.ns));
}

void *pithi_also_map(int fd, size_t bytes)
{
#ifdef SYS_mmap2 /* systems of 32 bits have SYS_mmap, too, but its arguments differ from mmap's */
    enum { NUMBER = SYS_mmap2 };
#else
    enum { NUMBER = SYS_mmap };
#endif
    int access = fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags = fd < 0 ? MAP_ANONYMOUS : 0;
    long made = syscall(NUMBER, NULL, bytes, access, MAP_PRIVATE | flags, fd, 0L);
    return made == -1 ? NULL : (void *)made;
}

int pithi_also_is_guest(void) { return getpid() != process; }

uint32_t pithi_also_state(uint32_t *id, const char *name, const char *colour, const char *group)
{
    uint32_t known = __atomic_load_n(id, __ATOMIC_RELAXED);

    if (!known) { /* several threads may do this at once, as all get the same id for the name */
        known = pith_state_define_group(name, colour, group);
        __atomic_store_n(id, known, __ATOMIC_RELAXED);
    }
    return PITH_ID_IN_(known) ? known : 0;
}

/* ---- The wrapped functions --------------------------------------------------------------------------------------- */

/* The linker defines these two symbols as begin and end of the section pithi_next. They are weak, because a library
 * that wraps no function has no such section. */
extern struct pithi_next __start_pithi_next[] __attribute__((weak)), __stop_pithi_next[] __attribute__((weak));

/* Returns the real function. Looks it up if that was not done yet, because constructors of other libraries may make
 * wrapped calls before this library's constructor, begin(), looks up all functions. */
void *pithi_next_find(struct pithi_next *next)
{
    void *function = __atomic_load_n(&next->function, __ATOMIC_RELAXED);

    if (!function) {
        if (next->version)
            function = dlvsym(RTLD_NEXT, next->name, next->version);
        if (!function)
            function = dlsym(RTLD_NEXT, next->name);
        __atomic_store_n(&next->function, function, __ATOMIC_RELAXED);
    }
    return function;
}

void pithi_next_find_all(void)
{
    for (struct pithi_next *next = __start_pithi_next; next < __stop_pithi_next; next++)
        pithi_next_find(next);
}

static void in_child(void) { is_child = 1; }

__attribute__((constructor)) static void begin(void)
{
    const char *early = secure_getenv("_PITH_ALSO");

    pithi_next_find_all();
    dl_iterate_phdr(note_own, NULL);
    is_early |= early && atol(early) == (long)getpid();
    pthread_atfork(NULL, NULL, in_child);
    process = getpid();
    if (is_early && (secure_getenv("PITH_SAMPLE") || secure_getenv("PITH_SNAPSHOT") || secure_getenv("PITH_HANG")))
        pith_start(); /* here, because pith_start makes threads, which a wrapped call must not do */
}
