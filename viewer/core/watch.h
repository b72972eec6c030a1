/* watch.h - how long work in the core tells how far it is, and hears that nobody waits for it any more. */
#ifndef PITHI_WATCH_H
#define PITHI_WATCH_H

struct pithi_watch {
    /* `part` done, 0 to 1. 0: stop; what was made so far is of no use to anybody. */
    int (*go_on)(void *context, double part);
    void *context;
};

/* A watch of zeros never stops anything. */
static inline int pithi_go_on(const struct pithi_watch *watch, double part)
{
    return !watch->go_on || watch->go_on(watch->context, part);
}

#endif
