/* chunks.h - the chunks of one lane: where its records go when a chunk is full.
 *
 * Normally a lane fills two chunks in turn, its windows. In a ring (PITH_WHEN_FULL=ring, and always before PITH_FROM)
 * it has more and smaller chunks, and reuses its oldest one when there is no room for another. formats/spill/spill.h
 * says what the file holds at any moment, and why the process may die at any instruction. */
#ifndef PITHI_CHUNKS_H
#define PITHI_CHUNKS_H

#include <stdint.h>

#include "spill/spill.h"

struct pithi_lane {
    uint64_t *begin, *end;                       /* the words of its chunk, without the slack; NULL: no chunk */
    uint64_t *entered;                           /* where this thread's records begin; NULL: in an earlier chunk */
    struct pithi_chunk *chunk, *before, *oldest; /* the newest, the one before it */
    struct pithi_chunk *window;                  /* the chunk before, still mapped; NULL: none */
    char *spare;                                 /* chunks made ahead for the ring, of spare_bytes each */
    uint64_t spare_bytes;                        /* bytes of `spare` */
    uint32_t spare_count, spare_all;             /* number left; number made last time */
    uint32_t kept;                               /* number of chunks from oldest to newest */
    uint64_t next_bytes;                         /* size of the next window */
    uint64_t words_before;                       /* stored in the chunks before its newest */
    uint64_t words_next;                         /* the same for the chunk that is being made */
    uint32_t number, seq;                        /* of the lane; of its next chunk */
    int fresh;                                   /* its chunk was just mapped */
    int own;                                     /* has a name: later threads do not take it over */
};

/* Under the guard: an empty lane. */
void pithi_lane_begin(struct pithi_lane *lane, uint32_t number);

/* Under the guard, whose lock may be released meanwhile (pithi_guard_yield): begins the lane's next chunk, with room
 * for `words`. 1; 0: there is no room. */
int pithi_lane_next(struct pithi_lane *lane, uint64_t words);

/* 1: the lane has chunks of a ring enough to go on by reusing them. */
int pithi_lane_turns(const struct pithi_lane *lane);

/* Under the guard: a new chunk of definitions, `size_bytes` long, its header stored. NULL: no room. */
struct pithi_chunk *pithi_chunk_definitions(uint32_t seq, uint64_t size_bytes);

/* Under the guard: stores a new anchor in the process page. */
void pithi_lane_anchor(void);

#endif
