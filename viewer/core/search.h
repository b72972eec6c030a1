/* search.h - finds states, events and sends in a log: the next or the one before, and how many there are.
 *
 * Hits are in order of their begin, then of the lanes asked for, then of the records. A state is found where it
 * begins; of one that never ends the end is the end of its lane.
 *
 * Cost. Lanes are walked over in leaves of about a hundred thousand records; with a summary (pithlog_summary), those
 * stretches in which no wanted state or event occurs are left out, so that a rare one is found in 1e8 records at once.
 */
#ifndef PITHI_SEARCH_H
#define PITHI_SEARCH_H

#include <stdint.h>

#include <pithlog.h>

#define PITHI_ANY_TAG INT32_MIN

struct pithi_search {
    const unsigned char *wanted;   /* [defs], non-zero: states and events that are sought; NULL: all */
    uint32_t kinds;                /* mask of 1 << PITHLOG_ENTER (states), PITHLOG_EVENT, PITHLOG_SEND */
    int64_t min_ns, max_ns;        /* how long states last, both inclusive; 0, INT64_MAX: no matter */
    const char *payload;           /* events: part of their payload's text, upper and lower case alike; "": no matter */
    uint64_t min_bytes, max_bytes; /* sends, both inclusive; 0, UINT64_MAX: no matter */
    int32_t tag;                   /* sends; PITHI_ANY_TAG: no matter */
    int32_t peer;                  /* sends: world rank of who receives; -1: no matter */
    const uint32_t *lanes;
    uint32_t lane_count;
    struct pithlog_summary *summary; /* NULL: all records are read */
    /* Asked after each leaf: non-zero ends the search with nothing found. NULL: never. */
    int (*stopped)(void *context, double part);
    void *context;
};

/* Where a hit stands among all. */
struct pithi_place {
    int64_t time_ns;
    uint32_t lane; /* index into search->lanes */
    uint32_t tie;  /* of the records sought of this lane at this very time, which */
};

struct pithi_found {
    struct pithi_place at;
    uint32_t lane; /* of the log */
    uint32_t kind; /* PITHLOG_ENTER, PITHLOG_EVENT, PITHLOG_SEND */
    uint32_t id;   /* definition, not of sends */
    uint32_t depth;
    int64_t end_ns;
    int ended; /* 0: the end was not sought so far, or there is none */
    int32_t peer, tag;
    uint64_t bytes;
    char payload[512];
};

/* The first hit behind `at`, or the last before it. 1; 0: there is none, or it was stopped; -1: error. */
int pithi_search_next(struct pithlog *log, const struct pithi_search *search, struct pithi_place at,
                      struct pithi_found *found);
int pithi_search_previous(struct pithlog *log, const struct pithi_search *search, struct pithi_place at,
                          struct pithi_found *found);

/* All hits that begin in [t0, t1): counts[columns], over stretches of equal length. 0, or -1: error. */
int pithi_search_count(struct pithlog *log, const struct pithi_search *search, int64_t t0_ns, int64_t t1_ns,
                       uint64_t *counts, uint32_t columns);

/* Of a search for names alone in a log with a summary, in fractions of a second: how many hits there are in all, and
 * marks[columns], not 0 where one is under way (it may have begun before); where there are many, all are
 * marked. `marks` comes zeroed. */
int pithi_search_is_simple(const struct pithi_search *search);
int pithi_search_survey(struct pithlog *log, const struct pithi_search *search, int64_t t0_ns, int64_t t1_ns,
                        uint64_t *total, unsigned char *marks, uint32_t columns);

#endif
