/* fault.c - a handler of SIGBUS, and the list of mapped memory in which it repairs faults. The handler reads the list
 * while threads change it. Therefore entries are never removed; free entries are reused. */
#include "base/fault.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* EXTENTS: entries of one list; CLAIMED: `begin` of an entry that a thread has taken and not filled yet */
enum { EXTENTS = 254, CLAIMED = 1 };
struct extent {
    uintptr_t begin; /* atomic; 0: free */
    uintptr_t end;   /* atomic; 0 while the other fields are not set, so that `find` ignores the entry */
    int *seen;       /* *seen is set to 1 when a fault in this memory was repaired; or NULL */
};
struct list {
    struct list *next;              /* atomic */
    struct extent extents[EXTENTS]; /* the handler reads them without a lock */
};
static struct list first;       /* further lists are linked to it */
static int installed;           /* 1: the handler was installed; atomic */
static struct sigaction before; /* the action of SIGBUS before that */

static struct extent *find(uintptr_t address)
{
    for (struct list *list = &first; list; list = __atomic_load_n(&list->next, __ATOMIC_ACQUIRE))
        for (struct extent *e = list->extents; e < list->extents + EXTENTS; e++)
            if (address < __atomic_load_n(&e->end, __ATOMIC_ACQUIRE) &&
                address >= __atomic_load_n(&e->begin, __ATOMIC_ACQUIRE))
                return e;
    return NULL;
}

/* Replaces memory by zeros from the page of the fault to the end of the mapping, because all of that is beyond the end
 * of the file. Returns 0 if the address is in no entry of the list, or there is no memory. */
static int replace(uintptr_t address)
{
    const struct extent *extent = find(address);
    uintptr_t page = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (!extent || mmap((void *)page, extent->end - page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return 0;
    if (extent->seen)
        __atomic_store_n(extent->seen, 1, __ATOMIC_SEQ_CST);
    return 1;
}

/* The handler of SIGBUS. If the fault is not in listed memory, the handler restores the action that SIGBUS had before
 * the handler was installed. Then the instruction faults again, which ends the program as usual. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)context;
    if ((info->si_code != BUS_ADRERR || !replace((uintptr_t)info->si_addr)) &&
        (info->si_code > 0 || before.sa_handler != SIG_IGN)) {
        sigaction(number, &before, NULL);
        if (info->si_code <= 0) /* the signal was sent by a process, so it does not come again by itself */
            raise(number);
    }
    errno = saved;
}

/* Claims a free entry; NULL: no memory. */
static struct extent *claim(void)
{
    for (struct list *list = &first, *next;; list = next) {
        for (struct extent *e = list->extents; e < list->extents + EXTENTS; e++) {
            uintptr_t free = 0;
            if (__atomic_compare_exchange_n(&e->begin, &free, CLAIMED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                return e;
        }
        if ((next = __atomic_load_n(&list->next, __ATOMIC_ACQUIRE)))
            continue;
        struct list *more = mmap(NULL, sizeof *more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return NULL;
        if (__atomic_compare_exchange_n(&list->next, &next, more, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            next = more;
        else
            munmap(more, sizeof *more); /* another thread has added a list first; `next` is now this list */
    }
}

void pithi_fault_watch(const void *begin, uint64_t size_bytes, int *seen)
{
    struct extent *extent = claim();
    struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&own.sa_mask);
    if (!__atomic_exchange_n(&installed, 1, __ATOMIC_SEQ_CST) && sigaction(SIGBUS, NULL, &before) == 0 &&
        (before.sa_flags & SA_SIGINFO) == 0 && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
        sigaction(SIGBUS, &own, NULL);
    if (!extent)
        return;
    extent->seen = seen;
    __atomic_store_n(&extent->begin, (uintptr_t)begin, __ATOMIC_RELEASE);
    __atomic_store_n(&extent->end, (uintptr_t)begin + size_bytes, __ATOMIC_RELEASE);
}

void pithi_fault_leave(const void *begin)
{
    for (struct list *list = &first; list; list = __atomic_load_n(&list->next, __ATOMIC_ACQUIRE))
        for (struct extent *e = list->extents; e < list->extents + EXTENTS; e++)
            if (__atomic_load_n(&e->begin, __ATOMIC_ACQUIRE) == (uintptr_t)begin) {
                __atomic_store_n(&e->end, 0, __ATOMIC_RELEASE);
                __atomic_store_n(&e->begin, 0, __ATOMIC_RELEASE);
                return;
            }
}
