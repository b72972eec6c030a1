/* signals.c - see signals.h. */
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

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
            continue; /* was there before: the program's own */
        sigemptyset(&set);
        sigaddset(&set, held[i]);
        while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = saved;
}
