/* chrome_event.h - an event of the Trace Event Format as it stands in the file, and its arguments. */
#ifndef PITHI_CHROME_EVENT_H
#define PITHI_CHROME_EVENT_H

#include "chrome/json.h"

struct pithi_chrome_event {
    char phase; /* 0: none */
    struct pithi_json_value name, category, pid, tid, id, args;
    struct pithi_json_value bind_id; /* of a flow that a state is on; does it come in, go out? */
    int flow_in, flow_out;
    int64_t time_ns, length_ns; /* length_ns: 0 if there is none */
    int timed;                  /* it has a time that makes sense */
};

enum { PITHI_CHROME_TEXT = 4096 };

/* The object that comes next: PITHI_JSON_OK or an error. */
int pithi_chrome_event(struct pithi_json *json, struct pithi_chrome_event *event);

/* An argument by its key: 1, or 0. */
int pithi_chrome_arg(const struct pithi_chrome_event *event, const char *key, struct pithi_json_value *value);
/* The same, when it is a whole number from `least` on. */
int pithi_chrome_arg_number(const struct pithi_chrome_event *event, const char *key, int64_t least, int64_t *number);
/* All of them as text, "key=value key=value"; of our own writer's "payload" the bytes that its text stands for. Gives
 * the length. */
size_t pithi_chrome_args_text(const struct pithi_chrome_event *event, char text[PITHI_CHROME_TEXT]);

/* A name for what a value is; never UINT64_MAX. Of a number and of a string that is one the same. */
uint64_t pithi_chrome_hash(uint64_t hash, const struct pithi_json_value *value);

#endif
