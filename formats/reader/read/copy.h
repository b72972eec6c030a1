/* copy.h - copies an open log, or a part of it, into a writer, for `convert`, `cut`, `merge` and `recover`. */
#ifndef PITHI_COPY_H
#define PITHI_COPY_H

#include "native/segment.h"

/* What to copy, and how numbers and times change in the copy. */
struct pithi_copy {
    int64_t from_ns, to_ns; /* the window, inclusive, in the log's own time; INT64_MIN, INT64_MAX: all */
    const uint32_t *lanes;  /* lanes to copy, ascending; NULL: all */
    uint32_t lane_count;
    const struct pithlog_filter *filter; /* copies only records that match; NULL: all */
    uint64_t *damages;   /* counts damages; damaged records are left out; NULL: the first damage ends the copy */
    uint64_t *copied;    /* counts the copied records; may be NULL */
    uint64_t *differing; /* counts definitions that have another colour or group in the writer; may be NULL */
    int64_t (*move)(void *context, const struct pithlog_record *record); /* returns the ns to add to the time of a
                                                                          * record; called in the order of records; must
                                                                          * keep the order on each lane; may be NULL */
    void *move_context;                                                  /* for `move` */
    /* For copying several logs into one: */
    int64_t shift_ns;        /* added to all times */
    int32_t rank_offset;     /* added to all ranks */
    const uint32_t *threads; /* [lanes of the log] new thread numbers; NULL: unchanged */
    const char *program;     /* name of the program, which is put before the names of lanes; its communicators, even the
                              * world, stay separate from those of other programs. NULL: one program */
    uint64_t salt;           /* with `program`: a number that is different for each program */
    int one_of_many;         /* 1: the caller adds the properties; a world without known members is all ranks of all
                              * logs */
};

/* Returns time_ns + by_ns, limited to the range of int64_t. */
static inline int64_t pithi_time_moved(int64_t time_ns, int64_t by_ns)
{
    int64_t sum;
    return __builtin_add_overflow(time_ns, by_ns, &sum) ? (by_ns < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Adds definitions, properties, lanes, communicators and records of an open log to a writer. States that are open at an
 * edge of the window begin or end there. If the partner of a send or receive is not copied, its peer becomes -1,
 * because it could match a wrong partner; it keeps its peer if the partner's rank is left out entirely. The receives of
 * each rank get new numbers of posting, from 0 on. Memory grows with the number of such messages, and of definitions,
 * lanes and communicators. */
int pithi_log_copy(struct pithlog *log, struct pithi_writer *writer, const struct pithi_copy *what);

#endif
