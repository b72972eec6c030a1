/* clog2_made.h - what MPE's files hold and a log of other origin does not: the TIMESHIFT that each rank begins
 * with and, where there are MPI calls, the solo events MPE_Comm_init and MPE_Comm_finalize at a communicator's begin
 * and end, the world's too, and the state MPE_Irecv_waited around a receive that a call like MPI_Wait completes. They
 * are made for the readers of such files. Our reader leaves them out: the number in the world's uuid says what was
 * made. */
#ifndef PITHI_CLOG2_MADE_H
#define PITHI_CLOG2_MADE_H

#include "clog2/clog2_stream.h"
#include "clog2/known_states.h"
#include "format.h"

enum { PITHI_CLOG2_MADE_SHIFTS = 1, PITHI_CLOG2_MADE_COMMS = 2, PITHI_CLOG2_MADE_WAITED = 4 };

struct pithi_clog2_made {
    uint32_t what;    /* is to be made */
    uint32_t defined; /* 1 << number - PITHI_CLOG2_COMM_INIT: that event is defined; DEFINED_WAITED: that state is */
};

struct pithi_clog2_made pithi_clog2_to_make(struct pithlog *log);

/* The first record of a rank. */
int pithi_clog2_make_shift(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           int32_t rank);
/* The event `number`, PITHI_CLOG2_COMM_INIT or _FINALIZE, of the communicator that `line` is in. */
int pithi_clog2_make_event(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           const struct pithi_clog2_line *line, int32_t number);

/* MPE_Irecv_waited begins or ends, on the line of a message. */
int pithi_clog2_make_waited(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                            const struct pithi_clog2_line *line, int is_end);
/* 1: a call of that name completes receives that were posted before. */
int pithi_clog2_completes(const char *name);

/* Reading: whether a record of `type`, of the event `number`, was made; `made`: struct pithi_clog2_made. */
static inline int pithi_clog2_is_made(uint32_t made, uint32_t type, int32_t number)
{
    int is_event = type == PITHI_CLOG2_BAREEVT || type == PITHI_CLOG2_EVENTDEF;
    int is_waited = (type == PITHI_CLOG2_BAREEVT && number / 2 == PITHI_CLOG2_IRECV_WAITED) ||
                    (type == PITHI_CLOG2_STATEDEF && number == PITHI_CLOG2_IRECV_WAITED);

    return (made & PITHI_CLOG2_MADE_WAITED && is_waited) ||
           (made & PITHI_CLOG2_MADE_SHIFTS && type == PITHI_CLOG2_TIMESHIFT) ||
           (made & PITHI_CLOG2_MADE_COMMS && is_event && number >= PITHI_CLOG2_COMM_INIT &&
            number <= PITHI_CLOG2_COMM_FINALIZE);
}

#endif
