/* filter.h - a filter in the query language of pith-query(7), and its use on the records of a log.
 *
 * A filter is a tree of comparisons (filter_parse.c). The result (filter_ask.c) is yes, no, or maybe (a value is not
 * known yet). A "no" that needs only the lane excludes the whole lane; a "no" that needs only the kind excludes that
 * kind. The iterator (filter_iter.c) does not read what is excluded. For an ENTER, the result can be maybe because the
 * query asks for the state's duration, end, self time or communicator. Then a first pass over the log finds the answers
 * for all states before records are delivered (filter_judge.c). In a running program, the ENTER is held back until its
 * state ends (filter_follow.c).
 */
#ifndef PITHI_FILTER_H
#define PITHI_FILTER_H

#include "pithlog.h"
#include "reader/read/iter.h"
#include "reader/read/payload.h"

enum pithi_field_type {
    PITHI_FIELD_TEXT,
    PITHI_FIELD_NUMBER,
    PITHI_FIELD_TIME,
    PITHI_FIELD_SIZE,
    PITHI_FIELD_COMM, /* a number or a name */
    PITHI_FIELD_KIND  /* a word of the list of kinds */
};

enum pithi_field {
    PITHI_F_KIND,
    PITHI_F_NAME,
    PITHI_F_STATE,
    PITHI_F_EVENT,
    PITHI_F_COUNTER,
    PITHI_F_GROUP,
    PITHI_F_RANK,
    PITHI_F_THREAD,
    PITHI_F_LANE,
    PITHI_F_HOST,
    PITHI_F_TIME,
    PITHI_F_END,
    PITHI_F_DURATION,
    PITHI_F_SELF,
    PITHI_F_DEPTH,
    PITHI_F_COMM,
    PITHI_F_PEER,
    PITHI_F_TAG,
    PITHI_F_SIZE,
    PITHI_F_GOT,
    PITHI_F_ROOT,
    PITHI_F_VALUE,
    PITHI_F_PAYLOAD,
    PITHI_FIELDS
};

/* Facts about a record, each of which may be known or not. A field has a value only if certain facts are known. A state
 * has the kind PITHLOG_ENTER. */
enum { PITHI_KNOW_KIND = 1, PITHI_KNOW_DEF = 2, PITHI_KNOW_LANE = 4, PITHI_KNOW_RECORD = 8, PITHI_KNOW_END = 16 };

struct pithi_filter_field {
    const char *name;           /* as in queries: "duration" */
    enum pithi_field_type type; /* which values it may be compared with */
    uint32_t kinds;             /* mask: the kinds that have it */
    uint32_t needs;             /* facts, one of which must be known before the field has a value (PITHI_KNOW_...) */
};
extern const struct pithi_filter_field pithi_filter_fields[PITHI_FIELDS]; /* by enum pithi_field */
/* Names of kinds in queries, by enum pithlog_kind; [0] is NULL, because 0 is no kind. */
extern const char *const pithi_filter_kinds[PITHLOG_LOST + 1];

/* A value in a comparison: a text, or, if `text` is NULL, a number or the range from `number` to `last`. */
struct pithi_filter_value {
    const char *text;         /* in `strings` of the filter */
    long double number, last; /* in the unit of the field: ns, bytes */
};

enum pithi_filter_op {
    PITHI_OP_AND,
    PITHI_OP_OR,
    PITHI_OP_NOT,
    PITHI_OP_IN, /* this and all later operators compare a field with values */
    PITHI_OP_LIKE,
    PITHI_OP_EQ,
    PITHI_OP_NE,
    PITHI_OP_LT,
    PITHI_OP_LE,
    PITHI_OP_GT,
    PITHI_OP_GE
};
struct pithi_filter_node {
    enum pithi_filter_op op;
    uint32_t left, right;   /* AND, OR: indices of both nodes; NOT: only `left` */
    enum pithi_field field; /* field of a comparison */
    uint32_t first, count;  /* comparison: index of its first value, number of values */
};

struct pithlog_filter {
    struct pithi_filter_node *nodes;
    struct pithi_filter_value *values; /* in the order of the text */
    uint32_t node_count, node_room, value_count, value_room;
    uint32_t root;   /* index of the node of the whole query, which is made last */
    uint32_t fields; /* mask of 1 << enum pithi_field: fields that the query mentions */
    char *strings;   /* the texts of the values */
};

/* ---- Evaluation -------------------------------------------------------------------------------------------------- */

enum pithi_answer { PITHI_NO, PITHI_YES, PITHI_MAYBE };

/* The text of a payload, made when it is first needed; the caller frees line.text. */
struct pithi_payload {
    struct pithi_payload_line line;
    int has_no_memory; /* 1: there was no memory for the text, so the answer means nothing */
};

/* A record as a filter sees it: the values known so far. A state is seen as a record of kind PITHLOG_ENTER. */
struct pithi_subject {
    uint32_t known;          /* PITHI_KNOW_... */
    uint32_t kind, id, lane; /* of the record */
    const struct pithlog_record *record;
    int64_t start_ns, end_ns, self_ns; /* of a state; end_ns and self_ns only with PITHI_KNOW_END */
    uint32_t comm;                     /* of a state: 1 + its communicator; 0: none known */
    struct pithi_payload *payload;     /* shared by all comparisons of the record; NULL: the record has none */
};

/* Where lanes, definitions and communicators are looked up: in a log or in a running program. */
struct pithi_names {
    const struct pithlog *log; /* either log or follow is NULL */
    const struct pithlog_follow *follow;
};

enum pithi_answer pithi_filter_ask(const struct pithlog_filter *filter, const struct pithi_names *names,
                                   const struct pithi_subject *subject);
/* Returns the answer for a state, given its ENTER or LEAVE with the fields of PITHLOG_NEST. `known` is PITHI_KNOW_END
 * for a LEAVE, else 0. `comm` is as in struct pithi_subject; if it is 0, the communicator of `r` is used if it has
 * one. */
enum pithi_answer pithi_filter_state(const struct pithlog_filter *filter, const struct pithi_names *names,
                                     const struct pithlog_record *r, uint32_t known, uint32_t comm);
/* Decides about a record that does not enter or leave a state. Returns 1 if it matches, 0 if it does not, -1 if there
 * is no memory. */
int pithi_filter_other(const struct pithlog_filter *filter, const struct pithi_names *names,
                       const struct pithlog_record *r);

/* Returns PITH_ERR_USAGE if no record of the log can match, because the query asks for a name, rank, thread or lane
 * that the log does not have. For a name, the text of the error suggests the most similar one. `filter` may be NULL. */
int pithi_filter_check(const struct pithlog_filter *filter, const struct pithlog *log);
/* In both, `kinds` is a mask of 1 << enum pithlog_def_kind. pithi_defs_have returns 1 if a definition of these kinds
 * has the name `text`, or, with is_pattern 1, a name that matches `text`; else 0. pithi_no_such_name sets the error for
 * a name that none has. */
enum { PITHI_DEFS_ALL = 1 << PITHLOG_STATE | 1 << PITHLOG_EVENT_TYPE | 1 << PITHLOG_COUNTER_TYPE };
int pithi_defs_have(const struct pithlog *log, uint32_t kinds, const char *text, int is_pattern); /* 1 or 0 */
int pithi_no_such_name(const struct pithlog *log, uint32_t kinds, const char *text); /* PITH_ERR_USAGE, as above */

/* A judge decides which records match. It must be given all records of an iterator with PITHLOG_NEST and PITHLOG_CLIP,
 * in their order. */
struct pithi_judge;
/* The part of the log that can match. */
struct pithi_scope {
    struct pithlog_query query; /* narrowed; its lanes are those below */
    uint32_t *lanes;            /* owned; NULL: all lanes */
    int64_t last_ns;            /* no record that is later, and no state that begins later, can match */
    int is_empty;               /* 1: nothing can match */
    int begins_only;            /* 1: states that begin before the window do not matter */
};
/* Narrows `query` (NULL: the whole log) to lanes, kinds and times that the filter can match. Call pithi_scope_free also
 * after an error. */
int pithi_scope_find(struct pithi_scope *scope, struct pithlog *log, const struct pithlog_filter *filter,
                     const struct pithlog_query *query);
void pithi_scope_free(struct pithi_scope *scope);

/* Begins to judge the records in `scope`. If the query asks for fields that are known only at a state's end, this first
 * reads the states of the log. */
int pithi_judge_open(struct pithi_judge **judge, struct pithlog *log, const struct pithlog_filter *filter,
                     const struct pithi_scope *scope);
void pithi_judge_free(struct pithi_judge *judge);
int pithi_judge_record(struct pithi_judge *judge, const struct pithlog_record *record); /* 1: matches; -1: no memory */
/* Returns the record as the judge must see it: the ENTER of a state that began before the window gets the time of its
 * true begin. */
struct pithlog_record pithi_judge_begun(const struct pithlog_record *record, enum pithi_iter_part part);
/* For a record of PITHI_PART_HOLE, which must not be given to pithi_judge_record: returns 1 if its state matches. */
int pithi_judge_goes_on(const struct pithi_judge *judge, const struct pithlog_record *record);
uint32_t
pithi_judge_open_states(const struct pithi_judge *judge); /* number of matching states whose LEAVE is to come */

/* Returns 1 if the filter matches an end of a message: the send if `kind` is PITHLOG_SEND, the receive if it is
 * PITHLOG_RECV. */
int pithi_filter_end(const struct pithlog_filter *filter, const struct pithlog *log, const struct pithlog_message *m,
                     uint32_t kind);

/* Selects records of a running program. If the query can be answered only when a state ends, the state's ENTER and
 * LEAVE are both selected at its end. */
struct pithi_follow_filter;
int pithi_follow_filter_new(struct pithi_follow_filter **filter, const struct pithlog_filter *query,
                            const struct pithlog_follow *follow);
/* Takes the next record of the program. Stores the records that this one causes to be selected in `selected`, and
 * returns their number; -1 if there is no memory. */
int pithi_follow_filter_take(struct pithi_follow_filter *filter, const struct pithlog_record *r,
                             struct pithlog_record selected[2]);
/* Treats all open states as ended. Call it repeatedly when the program has ended. Returns 1 after setting *selected to
 * the ENTER of the next state that matches; 0 if there are no more. */
int pithi_follow_filter_end(struct pithi_follow_filter *filter, struct pithlog_record *selected);
void pithi_follow_filter_free(struct pithi_follow_filter *filter);

/* An iterator over the records that match query->filter. */
struct pithi_filtered;
int pithi_filtered_new(struct pithlog *log, const struct pithlog_query *query, struct pithi_filtered **filtered);
int pithi_filtered_next(struct pithi_filtered *filtered, struct pithlog_record *records, int count);
struct pithlog_iter *pithi_filtered_iter(const struct pithi_filtered *filtered); /* the iterator from which it reads */
void pithi_filtered_free(struct pithi_filtered *filtered);

#endif
