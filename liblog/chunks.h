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
    uint64_t *begin, *end;                       /* the place of words in the lane's newest chunk, without the slack;
                                                    NULL: no chunk */
    uint64_t *entered;                           /* where this thread's records begin; NULL: in an earlier chunk */
    struct pithi_chunk *chunk, *before, *oldest; /* the newest, the second newest, the oldest */
    struct pithi_chunk *window;                  /* the second newest, still mapped, to be filled next; NULL: none */
    char *spare;                                 /* chunks made ahead for the ring, of spare_bytes each */
    uint64_t spare_bytes;                        /* bytes of `spare` */
    /* spare_count: chunks left in `spare`; spare_all: chunks made ahead the last time */
    uint32_t spare_count, spare_all;
    uint32_t kept;             /* number of chunks from oldest to newest */
    uint64_t next_bytes;       /* size of the next window */
    uint64_t words_before;     /* words stored in the chunks before its newest */
    uint64_t words_next;       /* words stored before the chunk that is being made */
    uint32_t number, next_seq; /* number: of the lane; next_seq: of its next chunk */
    int fresh;                 /* 1: its newest chunk was just mapped */
    int own;                   /* 1: it has a name, so no later thread takes it over */
};

/* Under the guard: makes *lane an empty lane. */
void pithi_lane_begin(struct pithi_lane *lane, uint32_t number);

/* Under the guard, whose lock may be released meanwhile (pithi_guard_yield). Begins the lane's next chunk, with room
 * for `words` words. Returns 1, or 0 if there is no room. */
int pithi_lane_next(struct pithi_lane *lane, uint64_t words);

/* Returns 1 if the lane has enough chunks of a ring that it only needs to reuse its own. */
int pithi_lane_turns(const struct pithi_lane *lane);

/* Under the guard: makes a chunk of definitions, `size_bytes` long, and stores its header. Returns NULL if there is no
 * room. */
struct pithi_chunk *pithi_chunk_definitions(uint32_t seq, uint64_t size_bytes);

/* Under the guard: stores a new anchor in the process page. */
void pithi_lane_anchor(void);

#endif
