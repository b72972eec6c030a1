/* watched.h - opening a log that is watched: how far it is, and whether it shall go on. Readers of files say where they
 * are, line by line or block by block; asking somebody is rare. */
#ifndef PITHI_WATCHED_H
#define PITHI_WATCHED_H

#include <stdint.h>

/* Zeroed but for the first three. */
struct pithi_watched {
    int (*progress)(void *context, double part); /* as of pithlog_open_watched */
    void *context;
    unsigned passes; /* as far as known; the first of two counts for a third */
    unsigned pass;   /* the one that is under way, from 0 */
    uint64_t at;     /* where somebody was asked last */
    int64_t told_ms;
    int stopped;
};

/* Between looks at the clock. */
enum { PITHI_WATCHED_BYTES = 1 << 16 };

int pithi_watched_look(struct pithi_watched *watched, uint64_t at, uint64_t size);

/* A reader has come to byte `at` of `size`; going back to the start begins the next pass. 1: go on; 0: stop, best as if
 * the file ended here. Costs a comparison, mostly. `watched` NULL: nobody does. */
static inline int pithi_watched_at(struct pithi_watched *watched, uint64_t at, uint64_t size)
{
    return !watched || (!watched->stopped && at - watched->at < PITHI_WATCHED_BYTES) ||
           pithi_watched_look(watched, at, size);
}

#endif
