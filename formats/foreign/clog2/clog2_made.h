/* clog2_made.h - MPE's fixed numbers of MPI states (state n has the events 2n and 2n + 1), and the records that only
 * MPE files have.
 *
 * MPE defines the states and events with fixed numbers at the end of the file, in the order of the numbers, but only
 * those that are in use. The last definition is CLOG_Buffer_write2disk, which each file has, unless it was recorded
 * with MPE_LOG_OVERHEAD=no.
 *
 * Each rank begins with a TIMESHIFT. If the log has MPI calls, the solo events MPE_Comm_init and MPE_Comm_finalize mark
 * the begin and end of each communicator, including the world. The state MPE_Irecv_waited surrounds a receive that is
 * completed by a call like MPI_Wait. The writer adds these records because readers of MPE files expect them. The reader
 * of Pith leaves them out: the number in the uuid of the world has a bit for each kind that was added. */
#ifndef PITHI_CLOG2_MADE_H
#define PITHI_CLOG2_MADE_H

#include <stdint.h>

#include "foreign/clog2/clog2_file.h"
#include "reader/read/format.h"

enum {
    PITHI_CLOG2_KNOWN_STATES = 300,
    PITHI_CLOG2_IRECV_WAITED = 251,
    PITHI_CLOG2_WRITE2DISK = 280, /* the time in which MPE writes its buffer to the disk */
    PITHI_CLOG2_COMM_INIT = -10,  /* solo events. INIT: a communicator was created; FINALIZE: it is about to be freed */
    PITHI_CLOG2_COMM_FINALIZE = -9
};

struct pithi_clog2_known {
    const char *name, *colour;
};

const struct pithi_clog2_known *pithi_clog2_known_state(int32_t number); /* NULL: unknown */
int32_t pithi_clog2_known_number(const char *name);                      /* -1: unknown */
const struct pithi_clog2_known *pithi_clog2_known_event(int32_t event);  /* solo; NULL: unknown */

enum {
    PITHI_CLOG2_MADE_SHIFTS = 1,    /* TIMESHIFT at the begin of a rank and after each comparison of clocks */
    PITHI_CLOG2_MADE_COMMS = 2,     /* the events MPE_Comm_init and MPE_Comm_finalize */
    PITHI_CLOG2_MADE_WAITED = 4,    /* MPE_Irecv_waited */
    PITHI_CLOG2_MADE_WRITE2DISK = 8 /* CLOG_Buffer_write2disk */
};

struct pithi_clog2_made {
    uint32_t what; /* the records to add */
    /* 1: in use, so it is defined at the end of the file. The index of `events` is the number -
     * PITHI_CLOG2_COMM_INIT */
    unsigned char states[PITHI_CLOG2_KNOWN_STATES], events[2];
};

struct pithi_clog2_made pithi_clog2_to_make(struct pithlog *log);

/* Writes a TIMESHIFT. Called at the begin of a rank and after each comparison of the clocks. */
int pithi_clog2_make_shift(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           int32_t rank);
/* Writes the event PITHI_CLOG2_COMM_INIT or _FINALIZE (`number`) of the communicator of `line`. */
int pithi_clog2_make_event(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           const struct pithi_clog2_line *line, int32_t number);

/* Begins or ends MPE_Irecv_waited on the line of a message. */
int pithi_clog2_make_waited(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                            const struct pithi_clog2_line *line, int is_end);
/* Writes the definitions at the end. */
int pithi_clog2_define_known(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns);

/* Returns 1 if a call of that name completes receives that were posted earlier. */
int pithi_clog2_completes(const char *name);

/* For readers. Returns 1 if the Pith writer added the record of `type` with the event `number`. `made` is `what` in
 * struct pithi_clog2_made. */
static inline int pithi_clog2_is_made(uint32_t made, uint32_t type, int32_t number)
{
    int is_event = type == PITHI_CLOG2_BAREEVT || type == PITHI_CLOG2_EVENTDEF;
    int is_waited = (type == PITHI_CLOG2_BAREEVT && number / 2 == PITHI_CLOG2_IRECV_WAITED) ||
                    (type == PITHI_CLOG2_STATEDEF && number == PITHI_CLOG2_IRECV_WAITED);

    return (made & PITHI_CLOG2_MADE_WAITED && is_waited) ||
           (made & PITHI_CLOG2_MADE_WRITE2DISK && type == PITHI_CLOG2_STATEDEF && number == PITHI_CLOG2_WRITE2DISK) ||
           (made & PITHI_CLOG2_MADE_SHIFTS && type == PITHI_CLOG2_TIMESHIFT) ||
           (made & PITHI_CLOG2_MADE_COMMS && is_event && number >= PITHI_CLOG2_COMM_INIT &&
            number <= PITHI_CLOG2_COMM_FINALIZE);
}

#endif
