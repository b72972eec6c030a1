/* copy.h - an open log, or a part of it, into a writer: what `convert`, `cut`, `merge` and `recover` have in common. */
#ifndef PITHI_COPY_H
#define PITHI_COPY_H

#include "native/segment.h"

/* What is copied, and how it is numbered there. */
struct pithi_copy {
    int64_t from_ns, to_ns; /* the window, inclusive, in the log's own time; INT64_MIN, INT64_MAX: all */
    const uint32_t *lanes;  /* only these, ascending; NULL: all */
    uint32_t lane_count;
    uint64_t *damages;   /* counts damaged parts, which are left out; NULL: the copy ends at the first */
    uint64_t *differing; /* counts definitions that the writer has with another colour or group, which stay; or NULL */
    int64_t (*move)(void *context, const struct pithlog_record *record); /* NULL, or how far a record's time is moved:
                                                    asked of all in their order; those of a lane must not change it */
    void *move_context;
    /* For several logs in one: */
    int64_t shift_ns;        /* added to all times */
    int32_t rank_offset;     /* and this to all ranks */
    const uint32_t *threads; /* of each lane of the log its new thread number; NULL: they stay */
    const char *program;     /* not NULL: a program of its own: its name stands before those of its lanes, and its
                                communicators, the world too, are kept apart from those of other programs */
    uint64_t salt;           /* with `program`: another one for each */
    int one_of_many;         /* 1: the caller sees to properties; the world, where a log does not tell its members, is
                                all ranks of all logs */
};

/* time_ns + by_ns, as far as int64_t goes. */
static inline int64_t pithi_time_moved(int64_t time_ns, int64_t by_ns)
{
    int64_t sum;
    return __builtin_add_overflow(time_ns, by_ns, &sum) ? (by_ns < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Adds definitions, properties, lanes, communicators and records of an open log to what a writer has. States that are
 * open at the window's edges are closed and opened there. A send or receive whose partner is not copied stays as it is
 * when nothing of the partner's rank is copied; else it stays without peer (-1), as it would be taken for the partner
 * of another one. Numbers of posting become dense again. Memory: 8 bytes a message that is cut so, 16 bytes a
 * definition, lane and communicator. */
int pithi_log_copy(struct pithlog *log, struct pithi_writer *writer, const struct pithi_copy *what);

#endif
