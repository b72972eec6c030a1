/* filter.h - a filter in the query language of pith-query(7), and its use on the records of a log.
 *
 * A filter is a tree of comparisons (filter_parse.c). The result (filter_ask.c) is yes, no, or maybe (a value
 * is not known yet). A "no" that needs only the lane excludes the whole lane; a "no" that needs only the kind excludes
 * that kind. The iterator (filter_iter.c) does not read what is excluded. If the result for an ENTER is maybe, because
 * the query asks for the duration, end, self or communicator, an earlier pass over the states decides (filter_judge.c).
 * In a running program, the record waits for the end of the state (filter_follow.c).
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

/* Facts that must be known before a field has a value. States are of kind PITHLOG_ENTER. */
enum { PITHI_KNOW_KIND = 1, PITHI_KNOW_DEF = 2, PITHI_KNOW_LANE = 4, PITHI_KNOW_RECORD = 8, PITHI_KNOW_END = 16 };

struct pithi_filter_field {
    const char *name;           /* as in queries: "duration" */
    enum pithi_field_type type; /* which values it may be compared with */
    uint32_t kinds;             /* mask: the kinds that have it */
    uint32_t needs;             /* what must be known of a record before it has a value */
};
extern const struct pithi_filter_field pithi_filter_fields[PITHI_FIELDS]; /* by enum pithi_field */
/* By enum pithlog_kind; [0], which is no kind, is NULL. */
extern const char *const pithi_filter_kinds[PITHLOG_LOST + 1];

/* `text` NULL: the number, or the range up to `last`. */
struct pithi_filter_value {
    const char *text;         /* in `strings` of the filter */
    long double number, last; /* in the unit of the field: ns, bytes */
};

enum pithi_filter_op {
    PITHI_OP_AND,
    PITHI_OP_OR,
    PITHI_OP_NOT,
    PITHI_OP_IN, /* the first operator that compares a field with a value */
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
    uint32_t left, right;   /* AND, OR, NOT (only left): nodes */
    enum pithi_field field; /* of a comparison */
    uint32_t first, count;  /* first value, number of values */
};

struct pithlog_filter {
    struct pithi_filter_node *nodes;
    struct pithi_filter_value *values; /* in the order of the text */
    uint32_t node_count, node_room, value_count, value_room;
    uint32_t root;   /* the whole query: the last node made */
    uint32_t fields; /* mask of enum pithi_field: those that it mentions */
    char *strings;   /* the texts of the values */
};

/* ---- Evaluation -------------------------------------------------------------------------------------------------- */

enum pithi_answer { PITHI_NO, PITHI_YES, PITHI_MAYBE };

/* The text of a payload, made when it is first needed; the caller frees it. */
struct pithi_payload {
    struct pithi_payload_line line;
    int has_no_memory; /* the answer is void */
};

/* The known values of a record, which a query asks for. For a state, the record is its ENTER. */
struct pithi_subject {
    uint32_t known;          /* PITHI_KNOW_... */
    uint32_t kind, id, lane; /* of the record */
    const struct pithlog_record *record;
    int64_t start_ns, end_ns, self_ns; /* states; the last two with KNOW_END */
    uint32_t comm;                     /* states; 0: none */
    struct pithi_payload *payload;     /* shared by all uses of a record; NULL: of no use */
};

/* Where the names of lanes, definitions and communicators are: in a log or, if that is NULL, in a running program. */
struct pithi_names {
    const struct pithlog *log; /* either log or follow is NULL */
    const struct pithlog_follow *follow;
};

enum pithi_answer pithi_filter_ask(const struct pithlog_filter *filter, const struct pithi_names *names,
                                   const struct pithi_subject *subject);
/* The answer for a state, from its ENTER or LEAVE with the fields of PITHLOG_NEST. `known`: PITHI_KNOW_END or 0.
 * `comm`: as in the subject; 0: the communicator of `r`, if it has one. */
enum pithi_answer pithi_filter_state(const struct pithlog_filter *filter, const struct pithi_names *names,
                                     const struct pithlog_record *r, uint32_t known, uint32_t comm);
/* For any other record. 1: it matches; 0: it does not; -1: no memory. */
int pithi_filter_other(const struct pithlog_filter *filter, const struct pithi_names *names,
                       const struct pithlog_record *r);

/* PITH_ERR_USAGE if no record of the log can match, because the query asks for a name, rank, thread or lane that the
 * log does not have; for a name, the text has the nearest one. `filter` may be NULL. */
int pithi_filter_check(const struct pithlog_filter *filter, const struct pithlog *log);
/* Names of definitions. `kinds`: a mask of 1 << enum pithlog_def_kind. */
enum { PITHI_DEFS_ALL = 1 << PITHLOG_STATE | 1 << PITHLOG_EVENT_TYPE | 1 << PITHLOG_COUNTER_TYPE };
int pithi_defs_have(const struct pithlog *log, uint32_t kinds, const char *text, int is_pattern); /* 1 or 0 */
int pithi_no_such_name(const struct pithlog *log, uint32_t kinds, const char *text); /* PITH_ERR_USAGE, as above */

/* Decides on the records of one iteration with PITHLOG_NEST and PITHLOG_CLIP, in its order. */
struct pithi_judge;
/* The part of the log that can match. */
struct pithi_scope {
    struct pithlog_query query; /* the lanes are owned; flags as needed */
    uint32_t *lanes;            /* NULL: all */
    int64_t last_ns;            /* no record or begin of a state after it matches */
    int is_empty;               /* 1: nothing can match */
    int begins_only;            /* 1: states that begin before the window do not matter */
};
/* Narrows `query` (NULL: all) to what the filter can match. pithi_scope_free also after an error. */
int pithi_scope_find(struct pithi_scope *scope, struct pithlog *log, const struct pithlog_filter *filter,
                     const struct pithlog_query *query);
void pithi_scope_free(struct pithi_scope *scope);

/* `scope`: the records that will be judged. Reads the states of the log if their ends decide. */
int pithi_judge_open(struct pithi_judge **judge, struct pithlog *log, const struct pithlog_filter *filter,
                     const struct pithi_scope *scope);
void pithi_judge_free(struct pithi_judge *judge);
int pithi_judge_record(struct pithi_judge *judge, const struct pithlog_record *record); /* 1, 0; -1: no memory */
/* The record as the judge must see it: a state that is open after a hole has its true begin. */
struct pithlog_record pithi_judge_begun(const struct pithlog_record *record, enum pithi_iter_part part);
/* For a record of PITHI_PART_HOLE, which the judge must not see: 1 if its state matches. */
int pithi_judge_goes_on(const struct pithi_judge *judge, const struct pithlog_record *record);
uint32_t
pithi_judge_open_states(const struct pithi_judge *judge); /* number of matching states whose LEAVE is to come */

/* 1: the filter matches this end of a message; kind: PITHLOG_SEND or PITHLOG_RECV. */
int pithi_filter_end(const struct pithlog_filter *filter, const struct pithlog *log, const struct pithlog_message *m,
                     uint32_t kind);

/* Selects records of a running program. If only the end of a state decides, both its records are selected when it
 * ends. */
struct pithi_follow_filter;
int pithi_follow_filter_new(struct pithi_follow_filter **filter, const struct pithlog_filter *query,
                            const struct pithlog_follow *follow);
/* Takes the next record. Stores the records that are selected now in `selected`, and returns their number; -1: no
 * memory. */
int pithi_follow_filter_take(struct pithi_follow_filter *filter, const struct pithlog_record *r,
                             struct pithlog_record selected[2]);
/* Call it repeatedly at the end of the program, which ends all states. 1: *selected is the ENTER of the next state that
 * matches; 0: no more. */
int pithi_follow_filter_end(struct pithi_follow_filter *filter, struct pithlog_record *selected);
void pithi_follow_filter_free(struct pithi_follow_filter *filter);

/* An iterator over the records that match query->filter. */
struct pithi_filtered;
int pithi_filtered_new(struct pithlog *log, const struct pithlog_query *query, struct pithi_filtered **filtered);
int pithi_filtered_next(struct pithi_filtered *filtered, struct pithlog_record *records, int count);
struct pithlog_iter *pithi_filtered_iter(const struct pithi_filtered *filtered); /* the iterator that it reads from */
void pithi_filtered_free(struct pithi_filtered *filtered);

#endif
