/* traits.h - what the replay of a log asks of its definitions. */
#ifndef PITHI_TRAITS_H
#define PITHI_TRAITS_H

#include "pithlog.h"

struct pithi_trait {
    int wrapped;      /* the state of an MPI call */
    int posts, waits; /* posted_sends.h */
    int tells_cost;   /* the counter pith:own */
    int is_cost;      /* the state pith:flush */
};

struct pithi_trait pithi_trait(const struct pithlog_def *def);

#endif
