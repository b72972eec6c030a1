/* nest.h - states for formats in which they must lie inside one another: there an end closes what was begun last.
 *
 * A state that ends while states inside of it are open is closed with them, and these are begun again: A [ B ] ends A
 * before B gives A [ B ], B. */
#ifndef PITHI_NEST_H
#define PITHI_NEST_H

#include <stdint.h>

struct pithi_nest {
    struct pithi_nest_lane {
        uint32_t *ids;
        uint32_t count, room;
    } * lanes;
    uint32_t lane_count;
    uint64_t split; /* states that were begun again */
    /* Told what to write. */
    void (*begin)(void *context, uint32_t lane, uint32_t id, int64_t time_ns);
    void (*end)(void *context, uint32_t lane, uint32_t id, int64_t time_ns);
    void *context;
};

/* 0: no memory. */
int pithi_nest_open(struct pithi_nest *nest, uint32_t lanes);
void pithi_nest_close(struct pithi_nest *nest);
int pithi_nest_enter(struct pithi_nest *nest, uint32_t lane, uint32_t id, int64_t time_ns);
/* The end of the innermost open state of that id, which there is. */
void pithi_nest_leave(struct pithi_nest *nest, uint32_t lane, uint32_t id, int64_t time_ns);

#endif
