/* process.c - opens files, blocks signals, survives faults in mapped files. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/temporary.h"
#include "spill/spill.h"

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

enum { STANDARD = 3 };

/* The number of a descriptor that stays open: from FAR_FROM on, or under a low limit one of the last FAR_ROOM. */
enum { FAR_FROM = 1000, FAR_ROOM = 16 };

/* Occupies the standard descriptors that are closed; returns their number. */
static int plug(int plugs[STANDARD])
{
    int count = 0, fd;
    for (fd = 0; fd < STANDARD; fd++)
        if (fcntl(fd, F_GETFD) < 0 && (plugs[count] = open("/", O_PATH | O_CLOEXEC)) >= 0)
            count++;
    return count;
}

/* Closes them again; keeps errno. */
static void unplug(const int plugs[STANDARD], int count)
{
    int saved = errno;
    while (count > 0)
        close(plugs[--count]);
    errno = saved;
}

int pithi_descriptor_open(const char *path, int flags, mode_t mode)
{
    int plugs[STANDARD], count = plug(plugs), fd = open(path, flags | O_CLOEXEC, mode);
    unplug(plugs, count);
    return fd;
}

int pithi_descriptor_temporary(const char *folder)
{
    int plugs[STANDARD], count = plug(plugs), fd = pithi_temporary_in(folder);
    unplug(plugs, count);
    return fd;
}

int pithi_descriptor_far(int fd)
{
    struct rlimit limit;
    int least = FAR_FROM;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FAR_FROM + FAR_ROOM)
        least = limit.rlim_cur > 4 * FAR_ROOM ? (int)limit.rlim_cur - FAR_ROOM : FAR_ROOM;
    return fcntl(fd, F_DUPFD_CLOEXEC, least);
}

/* ---- Signals during writes --------------------------------------------------------------------------------------- */

static const int held[] = {SIGXFSZ, SIGPIPE};
enum { HELD = sizeof held / sizeof held[0] };

void pithi_signals_begin(struct pithi_signals *signals)
{
    sigset_t set;
    int i;
    sigpending(&signals->pending);
    sigemptyset(&set);
    for (i = 0; i < HELD; i++)
        sigaddset(&set, held[i]);
    pthread_sigmask(SIG_BLOCK, &set, &signals->before);
}

void pithi_signals_end(const struct pithi_signals *signals)
{
    static const struct timespec now;
    sigset_t set;
    int i, saved = errno;
    for (i = 0; i < HELD; i++) {
        if (sigismember(&signals->pending, held[i]))
            continue; /* was pending before: the program's own */
        sigemptyset(&set);
        sigaddset(&set, held[i]);
        while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = saved;
}

/* ---- Truncated spill files --------------------------------------------------------------------------------------- */

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

/* Replaces the page of the fault and the rest of its mapping, which is beyond the end of the file too. */
static int replace(uintptr_t address)
{
    const struct extent *extent = find(address);
    uintptr_t page = address & ~(uintptr_t)(PITHI_SPILL_PAGE - 1);
    return extent != NULL && mmap((void *)page, extent->end - page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* After a fault elsewhere the handler removes itself; the fault happens again and ends the program as usual. */
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

void pithi_fault_watch(void *begin, uint64_t size_bytes)
{
    struct extent extent = {(uintptr_t)begin, (uintptr_t)begin + size_bytes};
    if (!installed) {
        struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        installed = 1;
        sigemptyset(&own.sa_mask);
        if (sigaction(SIGBUS, NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
            (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))
            sigaction(SIGBUS, &own, NULL);
    }
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
