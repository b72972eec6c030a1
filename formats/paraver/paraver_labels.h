/* paraver_labels.h - what the files beside a .prv say: names of types, values and states and their colours (.pcf);
 * names of threads and nodes (.row). */
#ifndef PITHI_PARAVER_LABELS_H
#define PITHI_PARAVER_LABELS_H

#include <stddef.h>

#include "foreign/lookup.h"

struct pithi_prv_type {
    int64_t type;
    const char *label;
    uint32_t group; /* types of one group have the same values */
};

struct pithi_prv_labels {
    char *data; /* of the file, with NULs between; labels point into it */
    struct pithi_prv_type *types;
    struct pithi_prv_group {
        int has_values, has_zero;
    } * groups;
    struct pithi_prv_value {
        uint32_t number;
        const char *label;
    } * states, *values;
    uint32_t type_count, group_count, state_count, value_count;
    uint32_t type_room, group_room, state_room, value_room;
    struct pithi_lookup by_type;  /* type -> place + 1 */
    struct pithi_lookup by_value; /* group, value -> place + 1 */
    struct pithi_lookup by_state; /* number -> place + 1 */
    struct pithi_lookup colours;  /* number of a state -> colour + 1 */
};

/* Takes `data`, malloc'ed, with a NUL behind its `size` bytes. What makes no sense is passed over. 0: no memory. */
int pithi_prv_labels_open(struct pithi_prv_labels *labels, char *data, size_t size);
void pithi_prv_labels_close(struct pithi_prv_labels *labels);
/* NULL: there is none. */
const struct pithi_prv_type *pithi_prv_type(const struct pithi_prv_labels *labels, int64_t type);
const char *pithi_prv_value(const struct pithi_prv_labels *labels, uint32_t group, int64_t value);
const char *pithi_prv_state(const struct pithi_prv_labels *labels, int64_t state);
/* 1 and *rgb, or 0. */
int pithi_prv_colour(const struct pithi_prv_labels *labels, int64_t state, uint32_t *rgb);

/* Lines of the .row, by level. */
struct pithi_prv_rows {
    char *data;
    char **nodes, **threads;
    uint32_t node_count, thread_count, node_room, thread_room;
};
int pithi_prv_rows_open(struct pithi_prv_rows *rows, char *data, size_t size); /* as above */
void pithi_prv_rows_close(struct pithi_prv_rows *rows);

/* The file beside `path` with another suffix, malloc'ed, with a NUL behind; NULL: it cannot be read. */
char *pithi_prv_beside(const char *path, const char *suffix, size_t *size);

#endif
