/* clog1_file.h - reads a CLOG file as a series of records (byte order, blocks, damage, cuts), and finds the meaning of
 * its event numbers.
 *
 * There is no file header. A file consists of blocks of 1024 bytes (MPICH up to 1.1.2) or 65536 bytes. Each block has
 * adjacent records, then ENDBLOCK (in the last block: ENDLOG), then unused bytes. A record begins with 24 bytes:
 *
 *     double seconds | int type | int length of the record in units of 8 bytes | int process | int unused
 *
 * An event number begins a state, ends a state, or does both. A number that does neither stands for a solo event. MPE's
 * wrapper of MPI gives state k the numbers 2k + 1 and 2k + 2. The program gets pairs of numbers from 500 on. So the
 * number alone shows which state it begins or ends, even if its definition is missing, as in a file that was cut. */
#ifndef PITHI_CLOG1_FILE_H
#define PITHI_CLOG1_FILE_H

#include "base/map.h"
#include "foreign/clog_blocks.h"

enum pithi_clog1_type {
    PITHI_CLOG1_ENDLOG = -2,   /* the last record of a file */
    PITHI_CLOG1_ENDBLOCK = -1, /* the last record of a block */
    PITHI_CLOG1_UNDEFINED = 0,
    PITHI_CLOG1_RAW,
    PITHI_CLOG1_MESSAGE,
    PITHI_CLOG1_COLLECTIVE,
    PITHI_CLOG1_COMM,
    PITHI_CLOG1_EVENTDEF,
    PITHI_CLOG1_STATEDEF,
    PITHI_CLOG1_SRCLOC,
    PITHI_CLOG1_TIMESHIFT,
    PITHI_CLOG1_TYPES
};

enum { PITHI_CLOG1_HEADER = 24, PITHI_CLOG1_RANKS_MAX = 1 << 17 }; /* larger process numbers count as damage */

struct pithi_clog1_file {
    struct pithi_clog_blocks blocks;
    int big; /* 1: the file is big-endian; MPE wrote such files on every machine */
};

struct pithi_clog1_record {
    int64_t time_ns;
    int32_t type, process;     /* type: enum pithi_clog1_type; process: the rank */
    const unsigned char *body; /* as long as a body of `type` must be, or longer */
};

/* Returns 0 if the input is not a CLOG file. */
int pithi_clog1_file_open(struct pithi_clog1_file *file, const struct pithi_input *input);
/* Reads the next record (RAW to TIMESHIFT). Returns 1, or 0 at the end. If a record cannot be read, skips the rest of
 * its block. */
int pithi_clog1_next(const struct pithi_clog1_file *file, struct pithi_clog_cursor *cursor,
                     struct pithi_clog1_record *record);

/* USER_EVENTS, USER_STATES: the first numbers of the program's own events and states; USER_PAIRS: number of pairs of
 * event numbers, from USER_EVENTS on, that stand for states even if they have no definition */
enum { PITHI_CLOG1_USER_EVENTS = 500, PITHI_CLOG1_USER_STATES = 200, PITHI_CLOG1_USER_PAIRS = 30 };
enum { PITHI_CLOG1_STRING = 16 }; /* bytes of a string in a record, including its NUL */

#define PITHI_CLOG1_DATA_FORMAT "data=%d"
#define PITHI_CLOG1_TEXT_FORMAT "data=%d string=%s"
#define PITHI_CLOG1_MESSAGE_FORMAT "tag=%d partner=%d comm=%d size=%d"

/* The meaning of an event number. Each reference to a definition of the log is stored + 1; 0 means that there is none
 * or that it is not known yet. */
struct pithi_clog1_event {
    int32_t number;
    uint32_t starts, ends;     /* the state that the number begins, ends */
    uint32_t solo;             /* the event type, if the number neither begins nor ends a state */
    uint32_t raw, message;     /* raw: event type for the payloads of a state; message: event type for message events */
    int has_data, has_string;  /* has_data: a RAW event has data other than 0; has_string: a RAW event has a string */
    const unsigned char *desc; /* its name in the file, if it is defined as an event; NULL: it is not */
};

struct pithi_clog1_events {
    struct pithi_defs *defs;          /* of the log that is written */
    struct pithi_clog1_event *events; /* [count] */
    uint32_t count, room;
    struct pithi_map of; /* number -> index + 1 */
};

void pithi_clog1_events_free(struct pithi_clog1_events *events);

/* Returns the entry of a number, and makes it if there is none. Returns NULL if memory runs out. The pointer is valid
 * until the next entry is made. */
struct pithi_clog1_event *pithi_clog1_event(struct pithi_clog1_events *events, int32_t number);
/* For the first pass. Each function evaluates the body of one kind of record: STATEDEF, EVENTDEF, RAW. */
int pithi_clog1_take_state(struct pithi_clog1_events *events, const unsigned char *body, int big);
int pithi_clog1_take_event(struct pithi_clog1_events *events, const unsigned char *body, int big);
int pithi_clog1_see_raw(struct pithi_clog1_events *events, const unsigned char *body, int big);

/* For the second pass. If no definition has given the number a meaning, this function does: the number becomes the
 * begin or end of a state (`starts`, `ends`), or an event type (`solo`). */
int pithi_clog1_settle(struct pithi_clog1_events *events, struct pithi_clog1_event *event);
/* Find the event type for the payload of a state's start or end, or of a message event. */
int pithi_clog1_raw_type(struct pithi_clog1_events *events, struct pithi_clog1_event *event, uint32_t *id);
int pithi_clog1_message_type(struct pithi_clog1_events *events, struct pithi_clog1_event *event, uint32_t *id);

#endif
