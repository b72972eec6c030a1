/* sample_signal.c - the signal of the timers. The program can neither see it nor change its handling.
 *
 * It is number 33, SIGSETXID, which the C library keeps for itself: setuid uses it to reach all threads. So the C
 * library's functions refuse it: no program can handle, ignore, block or wait for it, sigfillset leaves it out, and a
 * loop that resets all signals does not reset it. The recorder's handler takes the signals of its own timers and passes
 * all others to the C library's handler. No thread may block it for long, because setuid waits for all threads.
 *
 * One danger remains: a handler of the program may run on an alternate stack that has no room for the recorder's
 * handler. The kernel then ends the program. So sigaction and sigaltstack are wrapped here. By the size of the
 * alternate stack:
 *
 *     64 KiB   the recorder's handler may interrupt a handler on it
 *     8 KiB    handlers with SA_ONSTACK block the signal: they get no samples, their time counts in the next sample
 *     4 KiB    as for 8 KiB; and the recorder's handler uses no alternate stack (it and the kernel's frame need 8 KiB)
 *
 * If a program makes these system calls itself, or loads libpith by dlopen, the wrappers do not see its stacks; then
 * all stacks count as small.
 */
#include "sample.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51 /* Linux's number; missing in old headers */
#endif

/* OWN: number of the recorder's signal; LAST: the largest number of a signal; SA_RESTORER_: a flag of the kernel */
enum { OWN = 33, LAST = 64, SA_RESTORER_ = 0x04000000 };
/* OWN_BYTES: stack for the recorder's handler; PROGRAM_BYTES: for the program's handlers */
enum { OWN_BYTES = 4096, PROGRAM_BYTES = 8192 };

/* The structure that the system call takes. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static long kernel_action(const struct kernel_action *action, struct kernel_action *old)
{
    return syscall(SYS_rt_sigaction, OWN, action, old, sizeof action->mask);
}

static void (*own_handler)(int, siginfo_t *, void *);
static struct kernel_action library; /* the C library's handler */
/* is_masked is 1 if some alternate stack is small, is_off_stack if one is too small for the recorder's handler;
 * atomic */
static int is_masked, is_off_stack;
static int is_taken; /* 1: the recorder's handler is installed; atomic */

/* ---- The lock ---------------------------------------------------------------------------------------------------- */

/* 1: a thread holds the lock. Its signals are blocked meanwhile, because a handler may call sigaction. */
static int busy;

static uint64_t lock(void)
{
    uint64_t all = ~UINT64_C(0), before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        ;
    return before;
}

static void unlock(uint64_t before)
{
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

void pithi_sample_signal_forked(void) { busy = is_taken = 0; }

/* ---- The recorder's handler -------------------------------------------------------------------------------------- */

static int install(void)
{
    struct kernel_action own = library;
    own.handler = own_handler;
    own.flags =
        (library.flags & SA_RESTORER_) | SA_SIGINFO | SA_RESTART | (is_off_stack ? 0 : (unsigned long)SA_ONSTACK);
    own.mask = ~(UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1)); /* a blocked fault ends the program */
    return kernel_action(&own, NULL) == 0;
}

void pithi_sample_signal_pass(int number, siginfo_t *info, void *context)
{
    if (library.handler != NULL)
        library.handler(number, info, context);
}

/* ---- The program's handlers -------------------------------------------------------------------------------------- */

static int (*real_action)(int, const struct sigaction *, struct sigaction *);
static int (*real_stack)(const stack_t *, stack_t *);

/* glibc's other name of sigaction. A static program needs this name, because it has no other library in which dlsym
 * could find the function. */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old) __attribute__((weak));

__attribute__((constructor)) static void find_real(void)
{
    *(void **)&real_action = dlsym(RTLD_NEXT, "sigaction");
    *(void **)&real_stack = dlsym(RTLD_NEXT, "sigaltstack");
    if (real_action == NULL)
        real_action = __sigaction;
}

/* Returns 1 if the program's calls of sigaltstack reach the wrapper in this file. */
static int sees_calls(void)
{
    struct pithi_module here, there;
    return pithi_module_find((uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "sigaltstack"), &there) &&
           pithi_module_find((uint64_t)(uintptr_t)&find_real, &here) && here.begin == there.begin;
}

/* Returns the first word of a signal set. The bit of the recorder's signal, own_bit, is in this word, but the C
 * library's functions for sets do not change it. */
static uint64_t *bits(sigset_t *set) { return (uint64_t *)(void *)set; }
static const uint64_t own_bit = UINT64_C(1) << (OWN - 1);

/* Under the lock: makes all handlers on alternate stacks block the signal. */
static void mask_handlers(void)
{
    struct sigaction action;
    for (int number = 1; number <= LAST; number++)
        if (real_action(number, NULL, &action) == 0 && action.sa_flags & SA_ONSTACK &&
            (action.sa_flags & SA_SIGINFO || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)) &&
            !(*bits(&action.sa_mask) & own_bit)) {
            *bits(&action.sa_mask) |= own_bit;
            real_action(number, &action, NULL);
        }
}

/* Notes the size of an alternate stack; if it is the smallest so far, changes the installed handlers accordingly. */
static void note_stack(size_t size)
{
    size_t frame = getauxval(AT_MINSIGSTKSZ) != 0 ? getauxval(AT_MINSIGSTKSZ) : 2048;
    int masks = size < 2 * frame + OWN_BYTES + PROGRAM_BYTES, off = size < frame + OWN_BYTES;
    if (masks <= __atomic_load_n(&is_masked, __ATOMIC_RELAXED) &&
        off <= __atomic_load_n(&is_off_stack, __ATOMIC_RELAXED))
        return;
    uint64_t before = lock();
    __atomic_or_fetch(&is_masked, masks, __ATOMIC_RELAXED);
    __atomic_or_fetch(&is_off_stack, off, __ATOMIC_RELAXED);
    if (is_taken) {
        mask_handlers();
        install();
    }
    unlock(before);
}

int pithi_sample_signal_masked(void) { return __atomic_load_n(&is_masked, __ATOMIC_RELAXED); }

int pithi_sample_signal_take(void (*handler)(int, siginfo_t *, void *))
{
    struct kernel_action now;
    int good = 1;
    if (kernel_action(NULL, &now) != 0)
        return 0;
    if (now.handler == handler)
        return 1;
    if (now.handler == NULL || !(now.flags & SA_SIGINFO) || real_action == NULL) {
        errno = ENOSYS; /* another C library than glibc */
        return 0;
    }
    if (!sees_calls())
        note_stack(0);
    uint64_t before = lock();
    library = now;
    own_handler = handler;
    if (is_masked)
        mask_handlers();
    good = install();
    __atomic_store_n(&is_taken, good, __ATOMIC_RELAXED);
    unlock(before);
    return good;
}

#ifndef __SANITIZE_THREAD__ /* not in a build with the thread sanitizer, which would call these before it is ready */
__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *restrict action,
                                                     struct sigaction *restrict old)
{
    struct sigaction own;
    uint64_t before = 0;
    int result, locks = __atomic_load_n(&is_taken, __ATOMIC_RELAXED);
    if (real_action == NULL)
        find_real();
    if (real_action == NULL) {
        errno = ENOSYS;
        return -1;
    }
    if (locks)
        before = lock();
    if (locks && is_masked && action != NULL && action->sa_flags & SA_ONSTACK) {
        own = *action;
        *bits(&own.sa_mask) |= own_bit;
        action = &own;
    }
    result = real_action(number, action, old);
    if (locks)
        unlock(before);
    /* The program must not see the bit that mask_handlers or this function added. */
    if (result == 0 && old != NULL)
        *bits(&old->sa_mask) &= ~own_bit;
    return result;
}

__attribute__((visibility("default"))) int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    if (real_stack == NULL)
        find_real();
    if (stack != NULL && !(stack->ss_flags & SS_DISABLE))
        note_stack(stack->ss_size);
    return real_stack != NULL ? real_stack(stack, old) : (int)syscall(SYS_sigaltstack, stack, old);
}
#endif

#else
int pithi_sample_signal_take(void (*handler)(int, siginfo_t *, void *)) { return (void)handler, 0; }
void pithi_sample_signal_pass(int number, siginfo_t *info, void *context) { (void)number, (void)info, (void)context; }
void pithi_sample_signal_forked(void) {}
int pithi_sample_signal_masked(void) { return 0; }
#endif
