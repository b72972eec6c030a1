/* paraver_line.h - parses the header and the records of a .prv, and the labels in the files beside it: names and
 * colours (.pcf), names of threads and nodes (.row). */
#ifndef PITHI_PARAVER_LINE_H
#define PITHI_PARAVER_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* Tasks are counted across all applications: the rank of a task is first_task[application - 1] + task - 1. */
struct pithi_prv_header {
    int64_t unit_ns;                /* ns per unit of all times */
    int64_t end;                    /* time of the last record, in units */
    char date[64];                  /* as in the header */
    uint32_t app_count, task_count; /* app_count: number of applications; task_count: number of tasks of all
                                       applications */
    uint32_t *first_task;           /* [app_count + 1]: rank of the first task of each application; then task_count */
    struct pithi_prv_task {
        uint32_t threads, node; /* node from 1; 0: not given */
    } * tasks;
};

/* Parses the first line, without its newline. Returns NULL, or what is wrong. Free the header in both cases. */
const char *pithi_prv_header(struct pithi_prv_header *header, const char *line, size_t size);
void pithi_prv_header_free(struct pithi_prv_header *header);

enum pithi_prv_kind {
    PITHI_PRV_RECORD_STATE = 1,
    PITHI_PRV_RECORD_EVENT,
    PITHI_PRV_RECORD_MESSAGE,
    PITHI_PRV_RECORD_COLLECTIVE /* old traces */
};

/* The place of a record; each number counts from 1. */
struct pithi_prv_object {
    uint32_t app, task, thread; /* application, task of the application, thread of the task */
};

struct pithi_prv_line {
    enum pithi_prv_kind kind;
    struct pithi_prv_object from, to; /* to: messages only */
    int64_t time, end;                /* end: end of a state, or time at which a message was received */
    int64_t state;                    /* value of a state, tag of a message, or communicator of a collective */
    uint64_t bytes, got_bytes;        /* bytes: of a message, or sent in a collective; got_bytes: received in a
                                         collective */
    int is_root;                      /* of a collective */
    const char *pairs, *pairs_end;    /* of an event: its types and values, which pithi_prv_pair reads */
};

/* Parses a line without its newline. Returns 1 for a record, 0 for a line without a record, or -1 for an error, which
 * *wrong describes. */
int pithi_prv_line(const char *line, size_t size, struct pithi_prv_line *got, const char **wrong);
/* Gets the next type and value of an event. Returns 1 if there are two more numbers; 0 at the end of the line; -1 if
 * the line has something else. */
int pithi_prv_pair(struct pithi_prv_line *line, int64_t *type, int64_t *value);

/* Gets the next number of a list separated by ':', and moves *at past it. Returns 1 if there is a number; 0 at the end
 * of the list; -1 if the list has something else. */
int pithi_prv_number(const char **at, const char *end, int64_t *value);

struct pithi_prv_type {
    int64_t type;      /* number in the file */
    const char *label; /* "MPI Point-to-point" ... */
    uint32_t group;    /* all types of a group share its values */
};

struct pithi_prv_labels {
    char *data; /* the file, cut into strings; labels point into it */
    struct pithi_prv_type *types;
    struct pithi_prv_group {
        int has_values, has_zero; /* has_values: the values have labels; has_zero: one of these values is 0, which ends
                                     a state */
    } * groups;
    struct pithi_prv_value {
        uint32_t number; /* the value */
        const char *label;
    } * states, *values;
    uint32_t type_count, group_count, state_count, value_count; /* of the arrays above */
    uint32_t type_room, group_room, state_room, value_room;
    struct pithi_map by_type;  /* type -> index + 1 */
    struct pithi_map by_value; /* (group, value) -> index + 1 */
    struct pithi_map by_state; /* number -> index + 1 */
    struct pithi_map colours;  /* number of a state -> colour + 1 */
};

/* Takes ownership of `data`, which is malloc'ed and has a NUL after its `size` bytes. Ignores malformed lines. Returns
 * 0 if memory runs out. */
int pithi_prv_labels_open(struct pithi_prv_labels *labels, char *data, size_t size);
void pithi_prv_labels_close(struct pithi_prv_labels *labels);
/* These functions find a type, the label of a value, and the name of a state. They return NULL if the .pcf does not
 * have it. */
const struct pithi_prv_type *pithi_prv_type(const struct pithi_prv_labels *labels, int64_t type);
const char *pithi_prv_value(const struct pithi_prv_labels *labels, uint32_t group, int64_t value);
const char *pithi_prv_state(const struct pithi_prv_labels *labels, int64_t state);
/* Returns 1 and sets *rgb, or returns 0 if the state has no colour. */
int pithi_prv_colour(const struct pithi_prv_labels *labels, int64_t state, uint32_t *rgb);

/* The names in the .row, by level. */
struct pithi_prv_rows {
    char *data;              /* the text of the file; names point into it */
    char **nodes, **threads; /* nodes: name of node n at index n - 1; threads: names in the order of application, task
                                and thread */
    uint32_t node_count, thread_count, node_room, thread_room;
};
/* Takes ownership of `data`, as pithi_prv_labels_open does. Returns 0 if memory runs out. */
int pithi_prv_rows_open(struct pithi_prv_rows *rows, char *data, size_t size);
void pithi_prv_rows_close(struct pithi_prv_rows *rows);

/* Reads the file whose name is `path` with the suffix `suffix` instead of its own. Returns the text, malloc'ed, with a
 * NUL at the end, or NULL if the file cannot be read. */
char *pithi_prv_beside(const char *path, const char *suffix, size_t *size);

#endif
