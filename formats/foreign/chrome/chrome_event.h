/* chrome_event.h - reads an event of the Trace Event Format with its arguments, and turns the states of each lane into
 * enters and leaves in order of time. States come from begin and end events ("B", "E": an end ends the state that began
 * last) and from complete events ("X"), which are sorted by start time, the longest first. */
#ifndef PITHI_CHROME_EVENT_H
#define PITHI_CHROME_EVENT_H

#include "foreign/chrome/json.h"
#include "native/segment.h"

struct pithi_chrome_event {
    char phase;                                                 /* 0: none */
    struct pithi_json_value name, category, pid, tid, id, args; /* places in the text */
    struct pithi_json_value id2, scope;                         /* of an asynchronous event */
    struct pithi_json_value bind_id;                            /* if the state is an end of a flow: the id of this
                                                                   flow */
    int flow_in, flow_out;                                      /* flow_in: 1: a flow ends at this state; flow_out: 1: a
                                                                   flow begins here */
    int64_t time_ns, length_ns;                                 /* length_ns: 0 if unknown or negative */
    int timed;                                                  /* 1: the event has a valid time */
    int has_length, is_negative; /* has_length: the event has "dur"; is_negative: its "dur" is below 0 */
};

enum { PITHI_CHROME_TEXT = 4096 }; /* bytes of a payload as text */

/* Reads the next object. Returns PITHI_JSON_OK or an error. */
int pithi_chrome_event(struct pithi_json *json, struct pithi_chrome_event *event);

/* Finds an argument by its key. Returns 1, or 0 if there is none. */
int pithi_chrome_arg(const struct pithi_chrome_event *event, const char *key, struct pithi_json_value *value);
/* Finds an argument that is a whole number of at least `least`. Returns 1, or 0. */
int pithi_chrome_arg_number(const struct pithi_chrome_event *event, const char *key, int64_t least, int64_t *number);
/* Writes all arguments to `text` as "key=value key=value". Returns the length of the text. The argument "payload",
 * which the Pith writer makes, is unescaped and has no key. */
size_t pithi_chrome_args_text(const struct pithi_chrome_event *event, char text[PITHI_CHROME_TEXT]);

/* Continues `hash` with a value. Returns the new hash, never UINT64_MAX. A number and a string with that number have
 * the same hash. */
uint64_t pithi_chrome_hash(uint64_t hash, const struct pithi_json_value *value);

struct pithi_chrome_states {
    struct pithi_chrome_lane *lanes; /* by number */
    uint32_t count, room;            /* [count] */
    struct pithi_writer *writer;
    int64_t zero_ns;     /* subtracted from all times */
    uint64_t ends_alone; /* number of end events without a begin event */
};

void pithi_chrome_states_free(struct pithi_chrome_states *states);
/* These functions add records to a lane. time_ns is the time in the file and must not decrease. Before they add a
 * record, they end the complete events whose end is not after time_ns. */
int pithi_chrome_states_begin(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, uint32_t id);
int pithi_chrome_states_end(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns);
int pithi_chrome_states_whole(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, int64_t length_ns,
                              uint32_t id);
int pithi_chrome_states_other(struct pithi_chrome_states *states, struct pithlog_record *record);
/* Writes the ends of all complete events that are still open. */
int pithi_chrome_states_finish(struct pithi_chrome_states *states);

#endif
