/* paraver_types.h - what an event of a type means, and the definitions that come of it; README.md has the rules. */
#ifndef PITHI_PARAVER_TYPES_H
#define PITHI_PARAVER_TYPES_H

#include "native/segment.h"
#include "paraver/paraver_labels.h"

enum pithi_prv_meaning {
    PITHI_PRV_CALLS = 1, /* a value enters a state, 0 leaves the innermost */
    PITHI_PRV_PHASES,    /* a value ends the state before and begins the next, 0 ends */
    PITHI_PRV_EVENTS,    /* an event, the value's label its payload */
    PITHI_PRV_NUMBERS,   /* Pith's own event with a number */
    PITHI_PRV_COUNTERS,
    PITHI_PRV_SPECIAL /* the type itself says what to do */
};

struct pithi_prv_known {
    int64_t type;
    enum pithi_prv_meaning meaning;
    const char *label;
    uint32_t group; /* of values; UINT32_MAX: they have no names */
    uint32_t def;   /* of events and counters */
};

struct pithi_prv_types {
    const struct pithi_prv_labels *labels;
    struct pithi_defs *defs;
    int own; /* the trace is Pith's: its own types count */
    struct pithi_prv_known *known;
    uint32_t known_count, known_room;
    struct pithi_lookup places, states, own_defs;
};

/* Of Pith's own traces all definitions are made at once, in their order. PITH_OK or an error; to be closed in any
 * case. */
int pithi_prv_types_open(struct pithi_prv_types *types, const struct pithi_prv_labels *labels, struct pithi_defs *defs,
                         int own);
void pithi_prv_types_close(struct pithi_prv_types *types);

/* The place of a type among types->known, found or made. */
int pithi_prv_types_find(struct pithi_prv_types *types, int64_t type, uint32_t *place);
/* The state that a value of a type stands for. */
int pithi_prv_types_state(struct pithi_prv_types *types, uint32_t place, int64_t value, uint32_t *def);
/* That of a state record. */
int pithi_prv_types_record(struct pithi_prv_types *types, int64_t state, uint32_t *def);
/* The payload that a value of an event stands for: malloc'ed, *size bytes. NULL and 0: none; NULL and 1: it makes no
 * sense. */
unsigned char *pithi_prv_types_payload(struct pithi_prv_types *types, uint32_t place, int64_t value, size_t *size);

#endif
