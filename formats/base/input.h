/* input.h - the file for a reader of a foreign format, mapped into memory. */
#ifndef PITHI_INPUT_H
#define PITHI_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Progress and cancellation while a log is opened. Readers report their position for each line or block; they
 * call the callback rarely. The caller sets the first three fields; the others are 0. */
struct pithi_watched {
    int (*progress)(void *context, double part); /* see pithlog_open_watched */
    void *context;                               /* for `progress` */
    unsigned passes;   /* the expected number of passes; if it is two, the first one counts as a third of the work */
    unsigned pass;     /* the current one, from 0 */
    uint64_t at;       /* the position at the last look at the clock */
    int64_t called_ms; /* ms of a monotonic clock */
    int stopped;       /* 1: the callback wants to stop */
};

/* Bytes between looks at the clock. */
enum { PITHI_WATCHED_BYTES = 1 << 16 };

int pithi_watched_look(struct pithi_watched *watched, uint64_t at, uint64_t size);

/* Reports that a reader has reached byte `at` of `size`; a step back begins the next pass. 1: continue; 0: stop, as if
 * the file ended here. A call usually costs one comparison. `watched` may be NULL. */
static inline int pithi_watched_at(struct pithi_watched *watched, uint64_t at, uint64_t size)
{
    return !watched || (!watched->stopped && at - watched->at < PITHI_WATCHED_BYTES) ||
           pithi_watched_look(watched, at, size);
}

/* Lets a reader read a log twice, if it must know facts from the end of the log when it reads the middle. In the first
 * reading, the reader stores these facts in `numbers`, in any form. If it has stored any, it is called a second time,
 * with a new writer and `is_second` set. */
struct pithi_again {
    uint64_t *numbers; /* malloc'ed, [count] */
    uint32_t count, room;
    int is_second; /* 1: the second reading */
};

struct pithi_input {
    const char *path;
    const unsigned char *data;     /* NULL for a folder */
    size_t size;                   /* bytes */
    int mapped;                    /* 1: `data` is a mapped file, whose pages foreign/reading.h may release */
    struct pithi_watched *watched; /* NULL: no progress to report */
    /* A reader calls it with a line of text for each missing or damaged part of the log, which makes the log
     * incomplete. NULL: losses are not reported. */
    void (*damage)(void *context, const char *text);
    void *damage_context; /* for `damage` */
    const char *cut;      /* why the data is not complete (it was unpacked from a damaged file); NULL: it is complete */
    struct pithi_again *again; /* NULL: the reader is called once */
};

/* Returns the length of a path without ".gz" at its end, for readers that look at the suffix before ".gz". */
static inline size_t pithi_unpacked_length(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0 ? length - 3 : length;
}

/* Called by a reader to report that it has reached byte `at`. Returns 1, or 0 if the reader must stop, as if the file
 * ended there; what it has read is then discarded. */
static inline int pithi_input_at(const struct pithi_input *input, size_t at)
{
    return pithi_watched_at(input->watched, at, input->size);
}

#endif
