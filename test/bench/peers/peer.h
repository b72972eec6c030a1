/* peer.h - what the programs of this folder share: the same loop, for whatever records it. COUNT events, begin and end
 * in turn, of 20 states in a disorderly order; with SPINS, uneven times lie between, as in a program. A program defines
 * peer_begin(state) and peer_end(state), and calls peer_run. */
#ifndef PITH_PEER_H
#define PITH_PEER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PEER_STATES = 20 };

/* Processor time of this process, which other programs on the machine do not raise. */
static inline double peer_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline void peer_begin(uint32_t state);
static inline void peer_end(uint32_t state);

static inline void peer_loop(uint64_t count, int spins)
{
    uint32_t seed = 12345;
    for (uint64_t i = 0; i < count; i += 2) {
        uint32_t state = (uint32_t)(((uint64_t)seed * PEER_STATES) >> 32);
        seed = seed * 1103515245u + 12345u;
        peer_begin(state);
        if (spins) {
            volatile uint32_t left = (seed >> 8 & 15) * (seed >> 12 & 15);
            while (left > 0)
                left = left - 1;
        }
        peer_end(state);
    }
}

/* Arguments COUNT [spins]. Prints the loop's nanoseconds an event, then those with `end` (until all is in files). */
static inline int peer_run(int argc, char **argv, void (*end)(void))
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    double begin = peer_cpu_ns(), looped;
    peer_loop(count, argc > 2);
    looped = peer_cpu_ns() - begin;
    if (end != NULL)
        end();
    printf("%.3f %.3f\n", looped / (double)count, (peer_cpu_ns() - begin) / (double)count);
    return 0;
}

#endif
