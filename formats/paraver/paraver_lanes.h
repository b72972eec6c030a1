/* paraver_lanes.h - the threads of a trace as lanes, and the states that are open on each. */
#ifndef PITHI_PARAVER_LANES_H
#define PITHI_PARAVER_LANES_H

#include "native/segment.h"
#include "paraver/paraver_labels.h"
#include "paraver/paraver_line.h"

/* A thread, and its state record under way (`now`, until now_end) and the one that begins next, at a time of which not
 * all events have come. */
struct pithi_prv_lane {
    uint32_t task, thread; /* task from 0 over all applications, thread from 1 */
    uint32_t number;       /* of the lane in the log */
    int now_open, next_open;
    uint32_t now, next; /* definitions */
    int64_t now_end, next_begin, next_end;
};

struct pithi_prv_lanes {
    struct pithi_writer *writer;
    struct pithi_prv_lane *lanes;
    uint32_t count, room;
    struct pithi_lookup places; /* task, thread -> place + 1 */
    int32_t *ranks;             /* [tasks] */
    struct pithi_prv_call {
        uint32_t def, outer; /* outer: place + 1 of the one around it; 0: none */
    } * calls;
    uint32_t call_count, call_room, call_free; /* call_free: place + 1 of a free one */
    struct pithi_lookup inner;                 /* lane, type -> place + 1 of the innermost call */
    uint64_t cut, ends_alone;                  /* state records that overlap; ends without a beginning */
};

/* Makes a thread known. 0: no memory. */
int pithi_prv_lanes_use(struct pithi_prv_lanes *lanes, uint32_t task, uint32_t thread);
/* All threads are known but those that only header and rows name: their lanes are made. `own`: the rows tell ranks. */
int pithi_prv_lanes_make(struct pithi_prv_lanes *lanes, const struct pithi_prv_header *header,
                         const struct pithi_prv_rows *rows, int own);
void pithi_prv_lanes_close(struct pithi_prv_lanes *lanes);
/* The place of a thread among `lanes`; it is known. */
uint32_t pithi_prv_lanes_find(const struct pithi_prv_lanes *lanes, uint32_t task, uint32_t thread);

/* What follows tells of one lane in the order of time. Each is PITH_OK or an error. */

/* A call of a type begins, or ends (the innermost of that type). `phase`: the one before ends first. */
int pithi_prv_lanes_enter(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t type, uint32_t def, int phase,
                          int64_t time_ns);
int pithi_prv_lanes_leave(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t type, int64_t time_ns);
/* A state record. */
int pithi_prv_lanes_state(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t def, int64_t begin_ns,
                          int64_t end_ns);
/* Before any other record of this time. */
int pithi_prv_lanes_until(struct pithi_prv_lanes *lanes, uint32_t place, int64_t time_ns);
/* Nothing more comes. */
int pithi_prv_lanes_end(struct pithi_prv_lanes *lanes);

#endif
