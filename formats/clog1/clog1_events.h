/* clog1_events.h - what the event numbers of a CLOG file are: the start of a state, its end, both, or an event.
 *
 * MPE's wrapper of MPI gives state k the events 2k + 1 and 2k + 2, and users get pairs from 500 on; so numbers
 * without a definition, those of a file without its end, get a name too.
 */
#ifndef PITHI_CLOG1_EVENTS_H
#define PITHI_CLOG1_EVENTS_H

#include "clog1/clog1_file.h"
#include "foreign/lookup.h"

enum { PITHI_CLOG1_USER_EVENTS = 500, PITHI_CLOG1_USER_STATES = 200, PITHI_CLOG1_USER_PAIRS = 30 };
enum { PITHI_CLOG1_STRING = 16 }; /* bytes of a string in a record, with its NUL */

#define PITHI_CLOG1_DATA_FORMAT "data=%d"
#define PITHI_CLOG1_TEXT_FORMAT "data=%d string=%s"
#define PITHI_CLOG1_MESSAGE_FORMAT "tag=%d partner=%d comm=%d size=%d"

/* All are definitions of the log + 1; 0: not that, or not yet. */
struct pithi_clog1_event {
    int32_t number;
    uint32_t starts, ends;     /* states */
    uint32_t solo;             /* what it is, if no state */
    uint32_t raw, message;     /* event types of its payloads, if it is a state's, or in a message event */
    int has_data, has_string;  /* some raw event has data that is not 0, a string */
    const unsigned char *desc; /* of its definition as an event, NULL: none */
};

struct pithi_clog1_events {
    struct pithi_defs *defs;
    struct pithi_clog1_event *events;
    uint32_t count, room;
    struct pithi_lookup of; /* number -> place + 1 */
};

void pithi_clog1_events_free(struct pithi_clog1_events *events);

/* By number, made when new; NULL: no memory. Valid until the next is made. */
struct pithi_clog1_event *pithi_clog1_event(struct pithi_clog1_events *events, int32_t number);
/* First pass: a STATEDEF, an EVENTDEF, a RAW event. */
int pithi_clog1_take_state(struct pithi_clog1_events *events, const unsigned char *body, int big);
int pithi_clog1_take_event(struct pithi_clog1_events *events, const unsigned char *body, int big);
int pithi_clog1_see_raw(struct pithi_clog1_events *events, const unsigned char *body, int big);

/* Second pass: afterwards `starts`, `ends` or `solo` tells what it is. */
int pithi_clog1_settle(struct pithi_clog1_events *events, struct pithi_clog1_event *event);
/* The event type for the payload of a state's start or end, or of a message event. */
int pithi_clog1_raw_type(struct pithi_clog1_events *events, struct pithi_clog1_event *event, uint32_t *id);
int pithi_clog1_message_type(struct pithi_clog1_events *events, struct pithi_clog1_event *event, uint32_t *id);

#endif
