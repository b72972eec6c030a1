/* paje_reader.h - shared by the parts of the reader. */
#ifndef PITHI_PAJE_READER_H
#define PITHI_PAJE_READER_H

#include "base/hash.h"
#include "base/sorter.h"
#include "foreign/reading.h"

enum { PAJE_FIELDS_MAX = 32, PAJE_NAME = 512 }; /* of an event; bytes of a name */

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
    SET_STATE,    /* a state takes the place of all open ones */
    PUSH_STATE,   /* a state inside the open ones */
    POP_STATE,    /* the innermost one ends */
    RESET_STATE,  /* all end */
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
    uint64_t number;                     /* of the event in the file */
    enum paje_kind kind;                 /* what it does */
    uint32_t count;                      /* fields of its lines */
    signed char fields[PAJE_FIELDS_MAX]; /* -1: a field that is not used */
};

struct paje_type {
    char *name;
    enum paje_kind kind; /* kind of things of this type */
    uint32_t def;        /* of an event or a variable: its definition + 1 */
    uint32_t own;        /* a type of special events by Pith: the kind of their record; else 0 */
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
    int is_used;  /* 1: it has events of its own, and so becomes a lane */
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
    double *sums; /* of variables */
    uint32_t sum_count, sum_room;
    struct pithi_map event_numbers, type_numbers, value_numbers, container_numbers, stack_numbers,
        sum_numbers;                                 /* + 1 */
    struct pithi_sorter *ends, *messages, *numbered; /* ends: of links, by key; messages: by receiver; numbered: ends of
                                                        messages, by place in the file */
    struct pithi_reorder reorder;
    struct pithi_sorted next_end;                      /* the next end of a message */
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

/* Fails with the line and, if it is not NULL, a name in it. */
int pithi_paje_wrong(const struct paje_reader *r, const char *what, const char *name);
/* A name as it was, malloc'ed; NULL: no memory. */
char *pithi_paje_kept(const struct paje_reader *r, const char *text);

/* The next line that is neither empty nor a comment: 1; 0 at the end; -1: no memory. */
int pithi_paje_line(struct paje_reader *r, char **line);
/* Takes a line with '%'. *open is the definition that it belongs to, or NULL. */
int pithi_paje_percent(struct paje_reader *r, char *line, struct paje_event_def **open);
/* Takes any other line: sets r->at and r->time_ns. */
int pithi_paje_event(struct paje_reader *r, char *line, enum paje_kind *kind);
int pithi_paje_needs(const struct paje_reader *r, enum paje_field field, const char *name);

/* Take the event that defines a type, a value or a container. */
int pithi_paje_add_type(struct paje_reader *r, enum paje_kind kind);
int pithi_paje_add_value(struct paje_reader *r);
int pithi_paje_add_container(struct paje_reader *r);
/* Find what an event refers to. `kind` OTHER: a type of any kind. *container UINT32_MAX: the root. */
int pithi_paje_find_type(const struct paje_reader *r, enum paje_kind kind, uint32_t *type);
int pithi_paje_find_state(struct paje_reader *r, uint32_t type, const char *word, const char *name, uint32_t *value);
int pithi_paje_find_container(const struct paje_reader *r, enum paje_field field, const char *name,
                              uint32_t *container);

#endif
