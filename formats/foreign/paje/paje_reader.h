/* paje_reader.h - the state of the Paje reader, and the functions that its files share. */
#ifndef PITHI_PAJE_READER_H
#define PITHI_PAJE_READER_H

#include "base/hash.h"
#include "base/sorter.h"
#include "foreign/reading.h"

enum { PAJE_FIELDS_MAX = 32, PAJE_NAME = 512 }; /* FIELDS_MAX: most fields of an event; NAME: bytes of a name */

/* What a line of the file (an event, in Paje's words) does. */
enum paje_kind {
    CONTAINER_TYPE, /* defines a type of containers */
    STATE_TYPE,     /* defines a type of states */
    EVENT_TYPE,     /* defines a type of events */
    VARIABLE_TYPE,  /* defines a type of variables */
    LINK_TYPE,      /* defines a type of links */
    ENTITY_VALUE,   /* defines a value that a state, an event or a link may have */
    CREATE,         /* a container begins */
    DESTROY,        /* a container ends */
    NEW_EVENT,      /* an event happens in a container */
    SET_STATE,      /* all open states of a type end, and a state begins */
    PUSH_STATE,     /* a state begins inside the open states of its type */
    POP_STATE,      /* the innermost open state of a type ends */
    RESET_STATE,    /* all open states of a type end */
    SET_VARIABLE,   /* a variable gets a value */
    ADD_VARIABLE,   /* a variable grows by a value */
    SUB_VARIABLE,   /* a variable shrinks by a value */
    START_LINK,     /* a link leaves a container */
    END_LINK,       /* a link arrives in a container */
    OTHER           /* a kind that the reader does not know and leaves out */
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

/* What an %EventDef in the file says. */
struct paje_event_def {
    uint64_t number;                     /* lines of this event begin with this number */
    enum paje_kind kind;                 /* what these lines do */
    uint32_t count;                      /* count of the fields after the number */
    signed char fields[PAJE_FIELDS_MAX]; /* enum paje_field of each field; -1: the reader does not use the field */
};

struct paje_type {
    char *name;
    enum paje_kind kind; /* a kind from CONTAINER_TYPE to LINK_TYPE */
    uint32_t def;        /* for events and variables: the id of the log's definition, + 1 */
    uint32_t own;        /* the kind of log record that Pith wrote as events of this type, such as PITHLOG_PAUSE for
                            "recording paused"; 0: a type of ordinary events */
};

struct paje_value {
    uint32_t def;
};

struct paje_container {
    char *name;
    uint32_t parent, type; /* indexes + 1; 0: the root */
    uint32_t stacks;       /* index + 1 of its first struct paje_stack; 0: it has no stack */
    uint32_t lane;
    int32_t rank; /* the world rank */
    int is_used;  /* 1: it has events, and so becomes a lane */
};

/* The open states of one state type in one container. */
struct paje_stack {
    uint32_t next, count, room, *ids; /* ids: [count] definitions of the open states, outermost first; next: index + 1
                                         of the container's next stack */
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
        sum_numbers; /* each map gives an index + 1 in the array of a similar name above */
    struct pithi_sorter *ends, *messages, *numbered; /* ends: starts and ends of links, by key; messages: pairs of a
                                                        start and an end, by receiver; numbered: starts and ends that
                                                        have a partner, by their place in the file */
    struct pithi_reorder reorder;
    struct pithi_sorted next_end; /* the first item of `numbered` that the second pass has not reached; valid if
                                     has_next is set */
    int has_next, is_own, has_records, is_ended;       /* is_own: Pith wrote the file; has_records: the file has records
                                                          besides definitions; is_ended: an outermost container was
                                                          destroyed */
    uint64_t seq, lone_links, lone_pops, other_events; /* seq: place of the line in the file; the others count what the
                                                          log's properties report, such as links without a partner */
    char *at[FIELDS];                                  /* fields of the line; NULL: the event has no such field */
    int64_t time_ns;                                   /* time of the line */
};

static inline uint64_t pithi_paje_hash(uint64_t scope, const char *text)
{
    return pithi_hash_text(PITHI_HASH ^ scope, text) >> 1;
}
static inline int pithi_paje_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Reports the error `what` in the current line and returns its error code. The message also has the number of the line
 * and, if `name` is not NULL, `name`. */
int pithi_paje_wrong(const struct paje_reader *r, const char *what, const char *name);
/* Returns the name that the Paje file writes as `text`, malloc'ed. Removes the escapes if Pith wrote the file. Returns
 * NULL if memory runs out. */
char *pithi_paje_kept(const struct paje_reader *r, const char *text);

/* Gets the next line that is neither empty nor a comment. Returns 1, or 0 at the end, or -1 if memory runs out. */
int pithi_paje_line(struct paje_reader *r, char **line);
/* Reads a line that begins with '%', which is part of a definition of an event. *open is the definition to which the
 * next such line belongs, or NULL after the definition's end. Keep *open from call to call. */
int pithi_paje_percent(struct paje_reader *r, char *line, struct paje_event_def **open);
/* Reads a line that does not begin with '%', that is, an event. Sets *kind, r->at and r->time_ns. */
int pithi_paje_event(struct paje_reader *r, char *line, enum paje_kind *kind);
/* Returns PITH_OK if the event has the field, otherwise an error whose message names the field `name`. */
int pithi_paje_needs(const struct paje_reader *r, enum paje_field field, const char *name);

/* These functions read an event that defines a type, a value or a container. */
int pithi_paje_add_type(struct paje_reader *r, enum paje_kind kind);
int pithi_paje_add_value(struct paje_reader *r);
int pithi_paje_add_container(struct paje_reader *r);
/* These functions find the type, state or container to which the current event refers. `kind` is the kind that the type
 * must have, or OTHER for any kind. *container becomes UINT32_MAX for the root container. */
int pithi_paje_find_type(const struct paje_reader *r, enum paje_kind kind, uint32_t *type);
int pithi_paje_find_state(struct paje_reader *r, uint32_t type, const char *word, const char *name, uint32_t *value);
int pithi_paje_find_container(const struct paje_reader *r, enum paje_field field, const char *name,
                              uint32_t *container);

#endif
