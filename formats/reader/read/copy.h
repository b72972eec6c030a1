/* copy.h - copies an open log, or a part of it, into a writer, for `convert`, `cut`, `merge` and `recover`. */
#ifndef PITHI_COPY_H
#define PITHI_COPY_H

#include "native/segment.h"

/* The part to copy, and its numbers in the copy. */
struct pithi_copy {
    int64_t from_ns, to_ns; /* the window, inclusive, in the log's own time; INT64_MIN, INT64_MAX: all */
    const uint32_t *lanes;  /* only these, ascending; NULL: all */
    uint32_t lane_count;
    const struct pithlog_filter *filter; /* only the records that it matches; NULL: all */
    uint64_t *damages;   /* counts damaged parts, which are left out; NULL: the first damage ends the copy */
    uint64_t *copied;    /* or NULL; counts the records */
    uint64_t *differing; /* or NULL; counts definitions that keep another colour or group in the writer */
    int64_t (*move)(void *context, const struct pithlog_record *record); /* NULL, or returns the ns
                                 to add to the time of a record; called in order; must keep the order on each lane */
    void *move_context;                                                  /* for `move` */
    /* For several logs in one: */
    int64_t shift_ns;        /* added to all times */
    int32_t rank_offset;     /* added to all ranks */
    const uint32_t *threads; /* the new thread number of each lane of the log; NULL: unchanged */
    const char *program;     /* NULL, or the name of the program: prefixed to names of lanes; its communicators, the
                                world too, stay separate from those of other programs */
    uint64_t salt;           /* with `program`: different for each program */
    int one_of_many;         /* 1: the caller adds properties; a world without known members is all ranks of all logs */
};

/* time_ns + by_ns, limited to the range of int64_t. */
static inline int64_t pithi_time_moved(int64_t time_ns, int64_t by_ns)
{
    int64_t sum;
    return __builtin_add_overflow(time_ns, by_ns, &sum) ? (by_ns < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Adds definitions, properties, lanes, communicators and records of an open log to a writer. States that are open at an
 * edge of the window begin or end there. A send or receive whose partner is not copied keeps its peer if the
 * partner's rank is left out entirely; otherwise its peer becomes -1, because it could match a wrong partner. Numbers
 * of posting become dense again. Memory grows with such messages, and with definitions, lanes and communicators. */
int pithi_log_copy(struct pithlog *log, struct pithi_writer *writer, const struct pithi_copy *what);

#endif
