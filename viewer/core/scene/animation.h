/* animation.h - a program as it runs: the state of each rank and the messages in transit at any moment. The source is a
 * running program (pithlog_follow) or a log. Each look reads a part of it, so that the viewer's window stays
 * responsive.
 *
 *     source --look()--> changes of state by lane, messages by send time --> picture of a moment
 *
 * Any moment that is still held can be drawn, so that slow play, reverse play and pause need nothing special. Memory is
 * bounded: when too much is held, the older half is dropped.
 */
#ifndef PITHI_ANIMATION_H
#define PITHI_ANIMATION_H

#include <stdint.h>

#include <pithlog.h>

#include "core/raster/painter.h"
#include "core/cells/query.h"
#include "core/raster/raster.h"

/* From time_ns on, the innermost state of the lane is `state`. PITHI_NONE: it is in no state; PITHI_ABSENT: its state
 * is unknown. */
struct pithi_anim_change {
    int64_t time_ns;
    uint32_t state;
};

struct pithi_anim_lane {
    int32_t rank;
    uint32_t thread; /* number of the thread in its rank */
    struct pithi_anim_change *changes;
    uint32_t count, capacity;
    uint32_t *stack;                /* open states; used only for a running program */
    uint32_t depth, stack_capacity; /* open states */
};

struct pithi_anim_message {
    int64_t send_ns, recv_ns;
    uint32_t from, to; /* lanes */
    int32_t tag;
    uint64_t bytes;
};

struct pithi_anim {
    uint32_t ranks, defs;
    uint32_t *rgb;            /* [defs] */
    unsigned char *used;      /* [defs] 1: a lane was in this state */
    int64_t begin_ns, now_ns; /* the moments that are held */
    /* work_ns: the last end of MPI_Init; rest_ns: the first begin of MPI_Finalize; INT64_MIN: none */
    int64_t work_ns, rest_ns;
    int is_live, ended, finished;  /* each 1: the source is a running program; it has ended; its log was written */
    uint64_t records, lost;        /* records read so far; records that were lost */
    char *trouble;                 /* which part of the log is damaged and left out; NULL: none */
    struct pithi_anim_lane *lanes; /* [lane_count] lanes */
    uint32_t lane_count, lane_capacity;
    uint32_t *lane_of_rank;              /* [ranks] lane of the main thread; PITHI_NONE: unknown */
    struct pithi_anim_message *messages; /* by send_ns */
    uint32_t message_count, message_capacity;
    uint64_t messages_dropped; /* messages before begin_ns that were dropped */
    int64_t longest_ns;        /* the longest latency of all messages */
    /* The source: `follow` or `log`; the other is NULL */
    struct pithlog_follow *follow;
    struct pithlog *log;
    struct pithlog_walk *walk;
    struct pithlog_matcher *matcher;
    struct pithlog_message next_message;
    int has_message;  /* 1: `next_message` is set */
    uint64_t changes; /* number of changes of state in memory, of all lanes */
    uint32_t rank_capacity;
    uint32_t inits; /* lanes whose MPI_Init has ended */
};

/* pithi_anim_follow opens a running program (`path` as for pithlog_follow_open), pithi_anim_open a log. Return 0 or an
 * enum pith_err. */
int pithi_anim_follow(const char *path, struct pithi_anim **anim);
int pithi_anim_open(const char *path, struct pithi_anim **anim);
void pithi_anim_close(struct pithi_anim *anim);

/* Reads on, for some milliseconds at most. Moments before `keep_ns` may be dropped. Returns 0 or an enum pith_err. */
int pithi_anim_look(struct pithi_anim *anim, int64_t keep_ns);

const struct pithlog_def *pithi_anim_def(const struct pithi_anim *anim, uint32_t id);

/* Returns the state of a rank's main thread at a moment. PITHI_NONE: it is in no state. PITHI_ABSENT: its state is not
 * known, because the moment is before its first record, or after its last record in a program that has ended, or
 * because records were lost, or the rank cannot be followed from this host. */
#define PITHI_ABSENT (UINT32_MAX - 1)
uint32_t pithi_anim_state(const struct pithi_anim *anim, uint32_t rank, int64_t time_ns);
/* Returns the index of the first message that was sent after a moment. */
uint32_t pithi_anim_message_after(const struct pithi_anim *anim, int64_t time_ns);
/* Returns the number of messages sent up to a moment. */
uint64_t pithi_anim_sent(const struct pithi_anim *anim, int64_t time_ns);

/* ---- The picture  ------------------------------------------------------------------------------ */

enum pithi_anim_layout { PITHI_RING, PITHI_GRID };

struct pithi_anim_place {
    double x, y; /* centre of the disc, in pixels */
};
/* Sets places[ranks], the centre of each rank's disc, and returns the radius of the discs. */
double pithi_anim_places(uint32_t ranks, int width, int height, enum pithi_anim_layout layout,
                         struct pithi_anim_place *places);

/* Draws a moment. A message is drawn for at least `dwell_ns`, even if its latency is shorter, so that it can be seen.
 * Returns the number of messages in transit. */
uint32_t pithi_anim_draw(const struct pithi_anim *anim, int64_t time_ns, int64_t dwell_ns,
                         enum pithi_anim_layout layout, struct pithi_raster *raster);

#endif
