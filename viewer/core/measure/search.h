/* search.h - finds states, events and sends in a log: the next hit, the previous hit, or their number.
 *
 * Hits are ordered by begin, then by lane, then by record. A state is found at its begin; a state that never ends
 * counts as ended at the end of its lane.
 *
 * Lanes are read in leaves of about a hundred thousand records. With a summary (pithlog_summary) leaves without a
 * wanted state or event are skipped, so that a rare state in 1e8 records is found at once. */
#ifndef PITHI_SEARCH_H
#define PITHI_SEARCH_H

#include <stdint.h>

#include <pithlog.h>

#define PITHI_ANY_TAG INT32_MIN

struct pithi_search {
    const unsigned char *wanted;   /* [defs], non-zero: states and events to find; NULL: all */
    uint32_t kinds;                /* mask of 1 << PITHLOG_ENTER (states), PITHLOG_EVENT, PITHLOG_SEND */
    int64_t min_ns, max_ns;        /* duration of states, both inclusive; 0, INT64_MAX: any */
    const char *payload;           /* events: part of the payload's text; case is ignored; "": any */
    uint64_t min_bytes, max_bytes; /* sends, both inclusive; 0, UINT64_MAX: any */
    int32_t tag;                   /* sends; PITHI_ANY_TAG: any */
    int32_t peer;                  /* sends: world rank of the receiver; -1: any */
    /* A query, or NULL. With a query, only `wanted` and `kinds` of the fields above are used. */
    const struct pithlog_filter *filter;
    const uint32_t *lanes; /* the lanes to search; hits at the same time are in the order of this array */
    uint32_t lane_count;
    struct pithlog_summary *summary; /* NULL: all records are read */
    /* Called after each leaf; if it returns non-zero, the search ends without a hit. NULL: never called. */
    int (*stopped)(void *context, double part);
    void *context; /* for `stopped` */
};

/* The position of a hit in the order of all hits. */
struct pithi_scan_position {
    int64_t time_ns; /* begin of the state, or the time of the record */
    uint32_t lane;   /* index into search->lanes */
    uint32_t tie;    /* index among the hits of this lane at exactly this time */
};

struct pithi_found {
    struct pithi_scan_position at; /* position of the hit, from which the search can go on */
    uint32_t lane;                 /* the lane of the hit in the log */
    uint32_t kind;                 /* PITHLOG_ENTER, PITHLOG_EVENT, PITHLOG_SEND */
    uint32_t id;                   /* definition; unused for sends */
    uint32_t depth;                /* number of states around the hit */
    int64_t end_ns;                /* end of a state; for events and sends the same as `at.time_ns` */
    int ended;                     /* 0: the end was too far away to be found, or the state has none */
    int32_t peer, tag;             /* the receiver and the tag of a send */
    uint64_t bytes;                /* bytes of the send's message */
    char payload[512];             /* the payload of an event as text, cut if it is longer */
};

/* Find the first hit after `at`, or the last hit before `at`. Return 1 if there is a hit; 0 if there is none, or the
 * search was stopped; -1 on an error. */
int pithi_search_next(struct pithlog *log, const struct pithi_search *search, struct pithi_scan_position at,
                      struct pithi_found *found);
int pithi_search_previous(struct pithlog *log, const struct pithi_search *search, struct pithi_scan_position at,
                          struct pithi_found *found);

/* Divides [t0, t1) into columns of equal length, and sets counts[columns] to the number of hits that begin in each.
 * Returns 0, or -1 on an error. */
int pithi_search_count(struct pithlog *log, const struct pithi_search *search, int64_t t0_ns, int64_t t1_ns,
                       uint64_t *counts, uint32_t columns);

/* pithi_search_is_simple returns 1 if the search looks for states and events by their names alone, in a log with a
 * summary. For such a search, pithi_search_survey finds the number of hits within fractions of a second. It also sets
 * marks[columns] to non-zero where a hit is open, even if the hit began in an earlier column. If there are many hits,
 * all columns are marked. `marks` must be zeroed. */
int pithi_search_is_simple(const struct pithi_search *search);
int pithi_search_survey(struct pithlog *log, const struct pithi_search *search, int64_t t0_ns, int64_t t1_ns,
                        uint64_t *total, unsigned char *marks, uint32_t columns);

#endif
