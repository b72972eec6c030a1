/* paje_reader.h - the state of the Paje reader, and the functions that its files share. */
#ifndef PITHI_PAJE_READER_H
#define PITHI_PAJE_READER_H

#include "base/hash.h"
#include "base/sorter.h"
#include "foreign/reading.h"

enum { PAJE_FIELDS_MAX = 32, PAJE_NAME = 512 }; /* FIELDS_MAX: most fields of an event; NAME: bytes of a name */

enum paje_kind {
    CONTAINER_TYPE, /* defines a kind of container */
    STATE_TYPE,     /* a kind of state of a container */
    EVENT_TYPE,     /* a kind of event */
    VARIABLE_TYPE,  /* a kind of variable */
    LINK_TYPE,      /* a kind of link */
    ENTITY_VALUE,   /* a value that a state, an event or a link may have */
    CREATE,         /* a container begins */
    DESTROY,        /* a container ends */
    NEW_EVENT,
    SET_STATE,    /* all open states end, and a state begins */
    PUSH_STATE,   /* a state begins inside the open states */
    POP_STATE,    /* the innermost state ends */
    RESET_STATE,  /* all states end */
    SET_VARIABLE, /* the variable has a value */
    ADD_VARIABLE, /* the variable grows by a value */
    SUB_VARIABLE,
    START_LINK, /* a link leaves a container */
    END_LINK,   /* a link arrives in a container */
    OTHER       /* an event that is not used */
};

enum paje_field {
    F_TIME,
    F_NAME,
    F_ALIAS,
    F_TYPE,
    F_CONTAINER,
    F_VALUE,
    F_COLOUR,
    F_KEY,
    F_START,
    F_END,
    F_TAG,
    F_BYTES,
    FIELDS
};

struct paje_event_def {
    uint64_t number;                     /* number of the event in the file */
    enum paje_kind kind;                 /* kind of the event */
    uint32_t count;                      /* number of its fields */
    signed char fields[PAJE_FIELDS_MAX]; /* -1: a field that is not used */
};

struct paje_type {
    char *name;
    enum paje_kind kind; /* a kind from CONTAINER_TYPE to LINK_TYPE */
    uint32_t def;        /* for events and variables: the definition + 1 */
    uint32_t own;        /* for special events that Pith wrote: the kind of their record; else 0 */
};

struct paje_value {
    uint32_t def;
};

struct paje_container {
    char *name;
    uint32_t parent, type; /* indexes + 1; 0: the root */
    uint32_t stacks;       /* index of the first of its stacks, + 1 */
    uint32_t lane;
    int32_t rank; /* the world rank */
    int is_used;  /* 1: it has events, and so becomes a lane */
};

/* The open states of a type in a container. */
struct paje_stack {
    uint32_t next, count, room, *ids; /* ids: definitions, outermost first; next: index + 1 of the container's next
                                         stack */
};

struct paje_reader {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    struct pithi_lines lines;
    struct pithi_buffer line;      /* the line being read, without quotes */
    struct paje_event_def *events; /* [event_count] */
    uint32_t event_count, event_room;
    struct paje_type *types; /* [type_count] */
    uint32_t type_count, type_room;
    struct paje_value *values; /* [value_count] */
    uint32_t value_count, value_room;
    struct paje_container *containers; /* [container_count] */
    uint32_t container_count, container_room;
    struct paje_stack *stacks; /* [stack_count] */
    uint32_t stack_count, stack_room;
    double *sums; /* the present values of variables */
    uint32_t sum_count, sum_room;
    struct pithi_map event_numbers, type_numbers, value_numbers, container_numbers, stack_numbers,
        sum_numbers;                                 /* each gives an index + 1 */
    struct pithi_sorter *ends, *messages, *numbered; /* ends: starts and ends of links, by key; messages: by receiver;
                                                        numbered: ends of messages, by place in the file */
    struct pithi_reorder reorder;
    struct pithi_sorted next_end;                      /* the next end of a message in the second pass */
    int has_next, is_own, has_records, is_ended;       /* is_ended: an outermost container was destroyed */
    uint64_t seq, lone_links, lone_pops, other_events; /* seq: place in the file; the others are counted for
                                                          properties */
    char *at[FIELDS];                                  /* fields of the line; NULL: the event has no such field */
    int64_t time_ns;                                   /* time of the line */
};

static inline uint64_t pithi_paje_hash(uint64_t scope, const char *text)
{
    return pithi_hash_text(PITHI_HASH ^ scope, text) >> 1;
}
static inline int pithi_paje_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Fails with a message that has the number of the line and, if it is not NULL, the name `name`. */
int pithi_paje_wrong(const struct paje_reader *r, const char *what, const char *name);
/* Returns a name as it was in the log, malloc'ed, or NULL if memory runs out. */
char *pithi_paje_kept(const struct paje_reader *r, const char *text);

/* Gets the next line that is neither empty nor a comment. Returns 1, or 0 at the end, or -1 if memory runs out. */
int pithi_paje_line(struct paje_reader *r, char **line);
/* Reads a line that begins with '%'. *open becomes the definition to which it belongs, or NULL. */
int pithi_paje_percent(struct paje_reader *r, char *line, struct paje_event_def **open);
/* Reads any other line, and sets r->at and r->time_ns. */
int pithi_paje_event(struct paje_reader *r, char *line, enum paje_kind *kind);
int pithi_paje_needs(const struct paje_reader *r, enum paje_field field, const char *name);

/* These functions read an event that defines a type, a value or a container. */
int pithi_paje_add_type(struct paje_reader *r, enum paje_kind kind);
int pithi_paje_add_value(struct paje_reader *r);
int pithi_paje_add_container(struct paje_reader *r);
/* These functions find the type, state or container to which an event refers. `kind` OTHER means a type of any kind.
 * *container becomes UINT32_MAX for the root. */
int pithi_paje_find_type(const struct paje_reader *r, enum paje_kind kind, uint32_t *type);
int pithi_paje_find_state(struct paje_reader *r, uint32_t type, const char *word, const char *name, uint32_t *value);
int pithi_paje_find_container(const struct paje_reader *r, enum paje_field field, const char *name,
                              uint32_t *container);

#endif
