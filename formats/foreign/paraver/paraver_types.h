/* paraver_types.h - what an event of a type means, and the definitions made from it; README.md has the rules. */
#ifndef PITHI_PARAVER_TYPES_H
#define PITHI_PARAVER_TYPES_H

#include "foreign/paraver/paraver_line.h"
#include "native/segment.h"

enum pithi_prv_meaning {
    PITHI_PRV_CALLS = 1, /* a value enters a state, 0 leaves the innermost state of the type */
    PITHI_PRV_PHASES,    /* a value ends the current state and begins the next one; 0 ends the current state */
    PITHI_PRV_EVENTS,    /* an event; the value's label is its payload */
    PITHI_PRV_NUMBERS,   /* an event, written by Pith; the value is its payload, a number */
    PITHI_PRV_COUNTERS,  /* a counter; the value is its new value */
    PITHI_PRV_SAMPLES,   /* a function on the stack of a sample */
    PITHI_PRV_SPECIAL    /* a type for which paraver_read.c has code of its own, such as those of collectives */
};

struct pithi_prv_known {
    int64_t type;                   /* number in the file */
    enum pithi_prv_meaning meaning; /* what events of this type are */
    const char *label;
    uint32_t group; /* the group of its values; UINT32_MAX: its values have no names */
    uint32_t def;   /* of events and counters: the definition's id */
};

struct pithi_prv_types {
    const struct pithi_prv_labels *labels;
    struct pithi_defs *defs;
    int own; /* 1: Pith wrote the trace, so the types that only Pith writes have their meaning */
    struct pithi_prv_known *known;
    uint32_t known_count, known_room;
    /* places: type -> index + 1 in `known`; states: (index in `known`, value) -> definition + 1; own_defs: id of a
     * definition in the log from which Pith wrote the trace -> definition + 1 */
    struct pithi_map places, states, own_defs;
};

/* Opens `types`. In traces that Pith wrote, adds all definitions at once, in their order. Returns PITH_OK or an error;
 * call pithi_prv_types_close in both cases. */
int pithi_prv_types_open(struct pithi_prv_types *types, const struct pithi_prv_labels *labels, struct pithi_defs *defs,
                         int own);
void pithi_prv_types_close(struct pithi_prv_types *types);

/* Finds a type's index in types->known, adding it if it is new. */
int pithi_prv_types_find(struct pithi_prv_types *types, int64_t type, uint32_t *place);
/* Gets the definition of the state for which a value of a type stands. `place` is the type's index in types->known. */
int pithi_prv_types_state(struct pithi_prv_types *types, uint32_t place, int64_t value, uint32_t *def);
/* Gets the definition of the state for which the value `state` of a state record stands. */
int pithi_prv_types_record(struct pithi_prv_types *types, int64_t state, uint32_t *def);
/* Returns the payload for a value of an event, malloc'ed, *size bytes. Returns NULL with *size 0 if there is no
 * payload, or NULL with *size 1 on an error. */
unsigned char *pithi_prv_types_payload(struct pithi_prv_types *types, uint32_t place, int64_t value, size_t *size);

#endif
