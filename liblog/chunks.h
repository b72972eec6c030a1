/* chunks.h - the chunks of one lane: which one comes next, where records go on when one is full.
 *
 * Ordinarily a lane fills two chunks in turn, its windows. Under a ring (PITH_WHEN_FULL=ring, and any recording before
 * PITH_FROM) it has more and smaller ones, and when there is no room for another, its oldest is used again. What the
 * file holds at any moment, and why a death at any instruction does no harm, is told in formats/spill/spill.h. */
#ifndef PITHI_CHUNKS_H
#define PITHI_CHUNKS_H

#include <stdint.h>

#include "spill/spill.h"

struct pithi_lane {
    uint64_t *begin, *end;                       /* the words of its chunk, without the slack; NULL: no chunk */
    uint64_t *entered;                           /* where this thread's records begin; NULL: in a chunk before */
    struct pithi_chunk *chunk, *before, *oldest; /* the newest, the one before it */
    struct pithi_chunk *window;                  /* the chunk before, still mapped; NULL: none */
    char *spare;                                 /* chunks made ahead for the ring */
    uint32_t spare_count, spare_all;             /* of these; of how many it has grown by last */
    uint32_t kept;                               /* chunks between oldest and newest, with both */
    uint64_t next_bytes;                         /* size of the next window */
    uint64_t words_before;                       /* stored in the chunks before its newest */
    uint64_t words_next;                         /* the same of the chunk that is being made */
    uint32_t number, seq;
    int fresh; /* its chunk was just mapped */
    int own;   /* has a name: not for other threads after this one */
};

/* Under the guard. A lane that begins. */
void pithi_lane_begin(struct pithi_lane *lane, uint32_t number);

/* Under the guard, which may be let go of meanwhile (pithi_guard_yield): the lane's next chunk, with room for `words`.
 * 1; 0: there is no room. */
int pithi_lane_next(struct pithi_lane *lane, uint64_t words);

/* Under the guard: a new chunk of definitions, `size_bytes` long, its header stored. NULL: no room. */
struct pithi_chunk *pithi_chunk_definitions(uint32_t seq, uint64_t size_bytes);

/* Under the guard: notes the newest anchor in the process page. */
void pithi_lane_anchor(void);

#endif
