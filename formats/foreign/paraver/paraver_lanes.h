/* paraver_lanes.h - the threads of a trace as lanes with their open states, and its communicators by number. */
#ifndef PITHI_PARAVER_LANES_H
#define PITHI_PARAVER_LANES_H

#include "foreign/paraver/paraver_line.h"
#include "native/segment.h"

/* A thread with its current state record (`now`, which ends at now_end) and its next one. The reader enters the next
 * state record later than it reads it, because more events of the current state record may come at the same time
 * (paraver_lanes.c). */
struct pithi_prv_lane {
    uint32_t task, thread;   /* task from 0 across all applications, thread from 1 */
    uint32_t number;         /* index of the lane in the log */
    int now_open, next_open; /* now_open: 1: `now` was entered and not left; next_open: 1: there is a next state
                                record */
    uint32_t now, next;      /* ids of the definitions of the two state records */
    int64_t now_end, next_begin, next_end;
    int has_sample;    /* 1: `sample_ns` is set */
    int64_t sample_ns; /* time of the last sample */
};

struct pithi_prv_lanes {
    struct pithi_writer *writer;
    struct pithi_prv_lane *lanes;
    uint32_t count, room;
    struct pithi_map places; /* (task, thread) -> index + 1 in `lanes` */
    int32_t *ranks;          /* [tasks]: rank of each task in the log */
    struct pithi_prv_call {
        uint32_t def, outer; /* def: definition; outer: index + 1 of the call of the same type that contains this one,
                                0: none */
    } * calls;
    uint32_t call_count, call_room, call_free; /* call_free: index + 1 of an unused entry of `calls` */
    struct pithi_map inner;                    /* (lane, type) -> index + 1 of the innermost open call of the type */
    uint64_t cut, ends_alone;                  /* cut: state records that overlap; ends_alone: ends without a begin */
};

/* Adds a thread unless it is known. Returns 0 if memory runs out. */
int pithi_prv_lanes_use(struct pithi_prv_lanes *lanes, uint32_t task, uint32_t thread);
/* Makes the lanes of the log. Call this function after pithi_prv_lanes_use was called for all threads with records.
 * Also adds the threads without records that the header and the .row name. `own` is 1 if Pith wrote the trace, so that
 * the .row has the ranks. */
int pithi_prv_lanes_make(struct pithi_prv_lanes *lanes, const struct pithi_prv_header *header,
                         const struct pithi_prv_rows *rows, int own);
void pithi_prv_lanes_close(struct pithi_prv_lanes *lanes);
/* Returns the place of a thread, which is its index in lanes->lanes. The thread must have been added. */
uint32_t pithi_prv_lanes_find(const struct pithi_prv_lanes *lanes, uint32_t task, uint32_t thread);

/* The following functions add records to the lane at `place`. Call them in the order of time in each lane. They return
 * PITH_OK or an error. */

/* pithi_prv_lanes_enter begins a call of a type; if `phase` is 1, it first ends the open call of the type.
 * pithi_prv_lanes_leave ends the innermost open call of a type. */
int pithi_prv_lanes_enter(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t type, uint32_t def, int phase,
                          int64_t time_ns);
int pithi_prv_lanes_leave(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t type, int64_t time_ns);
/* Adds a state record, which becomes the next one of the lane. */
int pithi_prv_lanes_state(struct pithi_prv_lanes *lanes, uint32_t place, uint32_t def, int64_t begin_ns,
                          int64_t end_ns);
/* Leaves and enters the state records that end and begin before `time_ns`. Call this function before a record that is
 * neither a call nor a state record, such as a message, is added to the log. */
int pithi_prv_lanes_until(struct pithi_prv_lanes *lanes, uint32_t place, int64_t time_ns);
/* Enters and leaves the state records that are left in all lanes. Call this function after the last record. */
int pithi_prv_lanes_end(struct pithi_prv_lanes *lanes);

/* The communicators of the trace, with the data by which they are added to the log. Free `known` with
 * pithi_map_free. */
struct pithi_prv_comms {
    struct pithi_writer *writer;
    const struct pithi_prv_labels *labels;
    const struct pithi_prv_header *header;
    const int32_t *ranks;   /* [tasks]: rank of each task in the log */
    int own;                /* 1: Pith wrote the trace */
    struct pithi_map known; /* (application, number) -> communicator of the log + 1 */
    uint32_t *worlds;       /* [applications + 1]: the communicator of all tasks of the application; 0: none. The
                               pointer is NULL if there is only one application */
};

/* Reads a line "c:application:number:tasks:task:task...". `at` is the byte after "c:". Ignores a malformed line. */
int pithi_prv_comms_line(struct pithi_prv_comms *comms, const char *at, const char *end);
/* Call this function after pithi_prv_comms_line was called for all lines. If there are several applications, adds an
 * MPI_COMM_WORLD for each application for which no line has all its tasks. */
int pithi_prv_comms_worlds(struct pithi_prv_comms *comms);
/* Returns the communicator of all tasks of an application. It is 0, the MPI_COMM_WORLD of the log, if the trace has
 * only one application. */
static inline uint32_t pithi_prv_comms_world(const struct pithi_prv_comms *comms, uint32_t app)
{
    return comms->worlds ? comms->worlds[app] : 0;
}
/* Finds a communicator by its number in the trace. If no line has this number, adds a communicator without members. */
int pithi_prv_comms_find(struct pithi_prv_comms *comms, uint32_t app, int64_t number, uint32_t *comm);

#endif
