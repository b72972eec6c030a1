/* stage.h - a program as it moves: what each rank is doing at any moment, and which messages are on their way. The
 * source is a running program (pithlog_follow) or a log; both are read bit by bit, so that a window stays alive.
 *
 *     source --look()--> changes of state a lane, messages by the time of sending --> draw at a moment (stage_draw.c)
 *
 * Anything can be asked about any moment that is still held: playing slowly, backwards or not at all is the same as
 * playing. Memory is bounded: the oldest half goes when there is too much.
 */
#ifndef PITHI_STAGE_H
#define PITHI_STAGE_H

#include <stdint.h>

#include <pithlog.h>

#include "core/painter.h"
#include "core/query.h"
#include "core/raster.h"

/* From this moment on the lane is in `state` (innermost), or in none (PITHI_NONE). */
struct pithi_change {
    int64_t time_ns;
    uint32_t state;
};

/* A lane. */
struct pithi_actor {
    int32_t rank;
    uint32_t thread;
    struct pithi_change *changes;
    uint32_t count, capacity;
    uint32_t *stack; /* open states */
    uint32_t depth, stack_capacity;
};

struct pithi_flight {
    int64_t send_ns, recv_ns;
    uint32_t from, to; /* lanes */
    int32_t tag;
    uint64_t bytes;
};

struct pithi_stage {
    /* What is known: */
    uint32_t ranks, defs;
    uint32_t *rgb;                      /* [defs] */
    unsigned char *used;                /* [defs]: a lane was in this state */
    int64_t begin_ns, now_ns;           /* what can be shown: of the past, up to now */
    int64_t work_ns, rest_ns;           /* the last end of MPI_Init, the first begin of MPI_Finalize; INT64_MIN: none */
    int is_live, ended, finished;       /* a running program; it has ended; its log was written */
    uint64_t records, lost;
    struct pithi_actor *actors;         /* [actor_count] lanes */
    uint32_t actor_count, actor_capacity;
    uint32_t *actor_of_rank;            /* [ranks]: its main thread; PITHI_NONE: not seen */
    struct pithi_flight *flights;       /* by send_ns */
    uint32_t flight_count, flight_capacity;
    uint64_t flights_dropped;
    int64_t longest_ns; /* of the flights */
    /* Sources: one is not NULL */
    struct pithlog_follow *follow;
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_matcher *matcher;
    struct pithlog_record next_record;
    struct pithlog_message next_message;
    int has_record, has_message;
    uint64_t changes; /* held, of all lanes */
    uint32_t rgb_capacity, rank_capacity;
    uint32_t inits; /* lanes whose MPI_Init has ended */
};

/* A program that runs (`path` as for pithlog_follow_open), or a log. 0 or an enum pith_err. */
int pithi_stage_follow(const char *path, struct pithi_stage **stage);
int pithi_stage_open(const char *path, struct pithi_stage **stage);
void pithi_stage_close(struct pithi_stage *stage);

/* Reads on, for some milliseconds at most; what lies before `keep_ns` may be forgotten. 0 or an enum pith_err. */
int pithi_stage_look(struct pithi_stage *stage, int64_t keep_ns);

const struct pithlog_def *pithi_stage_def(const struct pithi_stage *stage, uint32_t id);

/* The state of a rank's main thread at a moment: PITHI_NONE outside of any; PITHI_ABSENT before its first record, after
 * its last in a program that has ended, or when it cannot be seen from here. */
#define PITHI_ABSENT (UINT32_MAX - 1)
uint32_t pithi_stage_state(const struct pithi_stage *stage, uint32_t rank, int64_t time_ns);
/* Messages sent up to a moment. */
uint64_t pithi_stage_sent(const struct pithi_stage *stage, int64_t time_ns);

/* ---- The picture (stage_draw.c) ---------------------------------------------------------------------------------- */

enum pithi_layout { PITHI_RING, PITHI_GRID };

struct pithi_place {
    double x, y;
};
/* Where the ranks stand, places[ranks]; returns the radius of their discs. */
double pithi_stage_places(uint32_t ranks, int width, int height, enum pithi_layout layout, struct pithi_place *places);

/* Draws a moment. A message that was faster is shown for `dwell_ns` all the same, so that it can be seen. Returns how
 * many messages are on their way. */
uint32_t pithi_stage_draw(const struct pithi_stage *stage, int64_t time_ns, int64_t dwell_ns, enum pithi_layout layout,
                          struct pithi_raster *raster);

#endif
