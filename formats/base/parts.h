/* parts.h - shares work that consists of many parts among threads. Parts are done in any order, but their results are
 * added in the order of the parts. So the result of the work does not depend on the number of threads.
 *
 *     thread 0    work 0 | finish 0 | work 2 ------------ | finish 2 | work 4 ...
 *     thread 1    work 1 ---- | finish 1 | work 3 | waits . . . . . . | finish 3 ... */
#ifndef PITHI_PARTS_H
#define PITHI_PARTS_H

#include <stdint.h>

enum { PITHI_THREADS_MOST = 8 };
/* Returns the number of threads to use: the number of cores of this process, but at most PITHI_THREADS_MOST. */
unsigned pithi_threads(void);

struct pithi_parts {
    uint32_t count;
    unsigned threads; /* the most threads, including the caller; 0 or 1: the caller does all parts, in their order */
    /* Does a part. `thread`: index of the thread, from 0 (the caller) to threads - 1, for data that each thread has for
     * itself. Returns 0 if the part failed or all work is to be stopped. */
    int (*work)(void *context, unsigned thread, uint32_t part);
    /* Adds the result of a part, in the thread that has done it; only one thread at a time calls `finish`. Returns 0 if
     * it failed. NULL: there is nothing to add. */
    int (*finish)(void *context, unsigned thread, uint32_t part);
    void *context;
};

/* Does the parts, and returns when all threads have ended. Returns 1 if all parts are done, or 0 if `work` or `finish`
 * has returned 0; later parts may then be missing. */
int pithi_parts_do(const struct pithi_parts *parts);

#endif
