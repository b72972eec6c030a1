/* paraver_line.h - a .prv taken apart: its header, and a record. */
#ifndef PITHI_PARAVER_LINE_H
#define PITHI_PARAVER_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Tasks of all applications count on: the rank of a task is first_task[application - 1] + task - 1. */
struct pithi_prv_header {
    int64_t unit_ns; /* of all times */
    int64_t end;     /* time of the last record, in units */
    char date[64];
    uint32_t app_count, task_count;
    uint32_t *first_task; /* [app_count + 1] */
    struct pithi_prv_task {
        uint32_t threads, node; /* node from 1; 0: not said */
    } * tasks;
};

/* Of the first line, without its newline: NULL, or what is wrong. To be freed in both cases. */
const char *pithi_prv_header(struct pithi_prv_header *header, const char *line, size_t size);
void pithi_prv_header_free(struct pithi_prv_header *header);

enum pithi_prv_kind {
    PITHI_PRV_RECORD_STATE = 1,
    PITHI_PRV_RECORD_EVENT,
    PITHI_PRV_RECORD_MESSAGE,
    PITHI_PRV_RECORD_COLLECTIVE /* of old traces: communicator, bytes sent, bytes received, operation, 1 on the root */
};

/* Where a record happened, each from 1. */
struct pithi_prv_object {
    uint32_t app, task, thread;
};

struct pithi_prv_line {
    enum pithi_prv_kind kind;
    struct pithi_prv_object from, to; /* to: of messages */
    int64_t time, end;                /* end: of states; of messages when they were received */
    int64_t state;                    /* value; of messages the tag; of collectives the communicator */
    uint64_t bytes, got_bytes;
    int is_root;
    const char *pairs, *pairs_end; /* of events: for pithi_prv_pair */
};

/* Of a line without its newline: 1; 0: there is no record on it; -1: *wrong says what is. */
int pithi_prv_line(const char *line, size_t size, struct pithi_prv_line *got, const char **wrong);
/* The next type and value of an event: 1, 0 at the end, -1: they are no numbers. */
int pithi_prv_pair(struct pithi_prv_line *line, int64_t *type, int64_t *value);

/* The next number of a list with ':' between: 1; 0 at the end, -1: it is none. */
int pithi_prv_number(const char **at, const char *end, int64_t *value);

#endif
