/* clog2_made.h - what MPE's files hold and a log of other origin does not: the TIMESHIFT that each rank begins
 * with and, where there are MPI calls, the solo events MPE_Comm_init and MPE_Comm_finalize at a communicator's begin
 * and end, the world's too. Made up for the readers of such files; ours leaves them out again, for the number in the
 * world's uuid says what was made.
 */
#ifndef PITHI_CLOG2_MADE_H
#define PITHI_CLOG2_MADE_H

#include "clog2/clog2_stream.h"
#include "clog2/known_states.h"
#include "format.h"

enum { PITHI_CLOG2_MADE_SHIFTS = 1, PITHI_CLOG2_MADE_COMMS = 2 };

struct pithi_clog2_made {
    uint32_t what;    /* is to be made */
    uint32_t defined; /* 1 << number - PITHI_CLOG2_COMM_INIT: that event is defined */
};

struct pithi_clog2_made pithi_clog2_to_make(struct pithlog *log);

/* The first record of a rank. */
int pithi_clog2_make_shift(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           int32_t rank);
/* The event `number`, PITHI_CLOG2_COMM_INIT or _FINALIZE, of the communicator that `line` is in. */
int pithi_clog2_make_event(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           const struct pithi_clog2_line *line, int32_t number);

/* Reading: whether a record of `type`, of the event `number`, was made; `made`: struct pithi_clog2_made. */
static inline int pithi_clog2_is_made(uint32_t made, uint32_t type, int32_t number)
{
    int is_event = type == PITHI_CLOG2_BAREEVT || type == PITHI_CLOG2_EVENTDEF;

    return (made & PITHI_CLOG2_MADE_SHIFTS && type == PITHI_CLOG2_TIMESHIFT) ||
           (made & PITHI_CLOG2_MADE_COMMS && is_event && number >= PITHI_CLOG2_COMM_INIT &&
            number <= PITHI_CLOG2_COMM_FINALIZE);
}

#endif
