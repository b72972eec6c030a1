/* fuzz_log.h - what the fuzz entries of log formats share: reading all of a log in several ways, and a log that was
 * made of foreign bytes, which must be sound whatever they were. */
#ifndef PITH_FUZZ_LOG_H
#define PITH_FUZZ_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "native/segment.h"
#include "reader/read/check.h"
#include "pithlog.h"

enum { FUZZ_PATH = 64, FUZZ_ERRORS = 100 };

static uint64_t fuzz_sum; /* of all that was read, so that no compiler leaves the reading out */

/* A file in memory with these bytes; *path is its name. */
static inline int fuzz_file(const void *data, size_t size, char path[FUZZ_PATH])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size)) {
        perror("memfd_create");
        exit(1);
    }
    snprintf(path, FUZZ_PATH, "/proc/self/fd/%d", fd);
    return fd;
}

/* Gives the number of records. */
static inline uint64_t fuzz_iterate(struct pithlog *log, const struct pithlog_query *query)
{
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint64_t records = 0;
    int status, errors = 0;
    char text[64];
    if (pithlog_iter_open(log, query, &iter) != 0)
        return 0;
    while ((status = pithlog_iter_next(iter, &r)) != 0 && errors < FUZZ_ERRORS) {
        if (status < 0) {
            errors++;
            continue;
        }
        records++;
        fuzz_sum += (uint64_t)r.time_ns + r.id + r.depth + (uint64_t)r.nested_ns;
        if (r.kind == PITHLOG_EVENT)
            fuzz_sum += pithlog_payload_text(log, &r, text, sizeof text);
        if (r.kind < PITHLOG_ENTER || r.kind > PITHLOG_LOST || !pithlog_get_lane(log, r.lane) ||
            (r.kind <= PITHLOG_COUNTER && !pithlog_get_def(log, r.id)) || !pithlog_get_comm(log, r.comm))
            abort(); /* a record of what is not there */
    }
    pithlog_iter_close(iter);
    return records;
}

static inline void fuzz_match(struct pithlog *log)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;
    int status, errors = 0;
    if (pithlog_matcher_open(log, &matcher) != 0)
        return;
    while ((status = pithlog_matcher_next(matcher, &m)) != 0 && errors < FUZZ_ERRORS) {
        errors += status < 0;
        fuzz_sum += m.bytes;
    }
    pithlog_matcher_close(matcher);
}

/* Everything; the middle third, with states cut at its edges; the ends of states on one lane; messages. */
static inline void fuzz_read(const char *path)
{
    struct pithlog *log;
    if (pithlog_open(path, &log) != 0)
        return;
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t third = (int64_t)(((uint64_t)info->end_ns - (uint64_t)info->start_ns) / 3);
    fuzz_iterate(log, NULL);
    fuzz_iterate(log, &(struct pithlog_query){.from_ns = (int64_t)((uint64_t)info->start_ns + (uint64_t)third),
                                              .to_ns = (int64_t)((uint64_t)info->end_ns - (uint64_t)third),
                                              .flags = PITHLOG_CLIP});
    uint32_t lanes[] = {info->lanes - 1};
    fuzz_iterate(log, &(struct pithlog_query){INT64_MIN, INT64_MAX, lanes, info->lanes > 0, 1u << PITHLOG_LEAVE,
                                              PITHLOG_NEST, NULL});
    fuzz_match(log);
    pithlog_close(log);
}

static inline void fuzz_say(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

/* A log that `make` writes must be without a fault, and hold every record that can be counted in it. */
static inline void fuzz_sound(int (*make)(struct pithi_writer *writer, void *context), void *context)
{
    char path[FUZZ_PATH];
    struct pithi_writer *writer = NULL;
    struct pithlog *log;
    uint64_t records = 0;
    int fd = fuzz_file(NULL, 0, path);
    if (pithi_writer_open(&writer, "made", fd) == 0 && make(writer, context) == 0 && pithi_writer_finish(writer) == 0) {
        int damages = pithi_check(path, fuzz_say, NULL, &records);
        if (damages < 0 || pithlog_open(path, &log) != 0)
            abort();
        if (damages !=
            !pithlog_get_info(log)->complete) /* what was read of a cut file is incomplete, but not damaged */
            abort();
        if (fuzz_iterate(log, NULL) != records)
            abort();
        pithlog_close(log);
        fuzz_read(path);
    }
    pithi_writer_close(writer);
    close(fd);
}

#endif
