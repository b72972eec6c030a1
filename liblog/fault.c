/* fault.c - see fault.h. The handler is installed with the first mapping, unless there is one. It reads a list of
 * mappings that only grows: no lock, no malloc. */
#include "fault.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

#include "spill/spill.h"

enum { EXTENTS = 254 };
struct extent {
    uintptr_t begin, end;
};
struct list {
    struct list *next;
    uint64_t count; /* atomic; stored when the extent is */
    struct extent extents[EXTENTS];
};
static struct list first, *last = &first; /* changed under the guard */
static int seen;                          /* atomic */
static int installed;                     /* under the guard */
static struct sigaction before;

static const struct extent *find(uintptr_t address)
{
    const struct list *list;
    for (list = &first; list != NULL; list = __atomic_load_n(&list->next, __ATOMIC_ACQUIRE)) {
        uint64_t count = __atomic_load_n(&list->count, __ATOMIC_ACQUIRE), i;
        for (i = 0; i < count; i++)
            if (address >= list->extents[i].begin && address < list->extents[i].end)
                return &list->extents[i];
    }
    return NULL;
}

/* The rest of the mapping lies beyond the end of the file, too, and is replaced with the page of the fault. */
static int replace(uintptr_t address)
{
    const struct extent *extent = find(address);
    uintptr_t page = address & ~(uintptr_t)(PITHI_SPILL_PAGE - 1);
    return extent != NULL && mmap((void *)page, extent->end - page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* A fault elsewhere happens again without this handler, and ends the program as it would have. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)context;
    if (info->si_code == BUS_ADRERR && replace((uintptr_t)info->si_addr)) {
        __atomic_store_n(&seen, 1, __ATOMIC_SEQ_CST);
    } else if (info->si_code > 0 || before.sa_handler != SIG_IGN) {
        sigaction(number, &before, NULL);
        if (info->si_code <= 0) /* sent by a process */
            raise(number);
    }
    errno = saved;
}

static void install(void)
{
    struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    installed = 1;
    sigemptyset(&own.sa_mask);
    if (sigaction(SIGBUS, NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
        (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
        sigaction(SIGBUS, &own, NULL);
}

void pithi_fault_watch(void *begin, uint64_t size_bytes)
{
    struct extent extent = {(uintptr_t)begin, (uintptr_t)begin + size_bytes};
    if (!installed)
        install();
    if (last->count == EXTENTS) {
        struct list *more = mmap(NULL, sizeof *more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return;
        __atomic_store_n(&last->next, more, __ATOMIC_RELEASE);
        last = more;
    }
    last->extents[last->count] = extent;
    __atomic_store_n(&last->count, last->count + 1, __ATOMIC_RELEASE);
}

int pithi_fault_seen(void) { return __atomic_load_n(&seen, __ATOMIC_SEQ_CST); }

void pithi_fault_forget(void) { __atomic_store_n(&seen, 0, __ATOMIC_SEQ_CST); }
