/* core_log.h - a few lines for the tests of viewer/core: writing a small log into a temporary file and opening it. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "native/segment.h"

struct core_log {
    struct pithi_writer *writer;
    char path[64];
};

static inline void core_check(int err)
{
    if (err) {
        printf("not ok - %s\n", pithlog_error());
        exit(1);
    }
}

static inline void core_log_begin(struct core_log *log)
{
    snprintf(log->path, sizeof log->path, "/tmp/test_core.%ld.pith", (long)getpid());
    core_check(pithi_writer_open(&log->writer, log->path, -1));
}

static inline uint32_t core_define(struct core_log *log, enum pithlog_def_kind kind, const char *name,
                                   const char *colour)
{
    struct pithlog_def def = {.kind = kind, .name = name, .colour = colour, .group = "user", .format = ""};
    uint32_t id;

    core_check(pithi_defs_add(pithi_writer_defs(log->writer), &def, &id));
    return id;
}

static inline uint32_t core_lane(struct core_log *log, int32_t rank, uint32_t thread, const char *name)
{
    uint32_t lane;

    core_check(pithi_writer_lane(log->writer, rank, thread, name, &lane));
    return lane;
}

static inline void core_add(struct core_log *log, uint32_t lane, uint32_t kind, int64_t time_ns, uint32_t id)
{
    struct pithlog_record record = {.time_ns = time_ns, .lane = lane, .kind = kind, .id = id, .peer = -1};
    record.bytes = kind == PITHLOG_LOST ? 7 : 0;
    core_check(pithi_writer_add(log->writer, &record));
}

/* Opens what was written; the file goes at once. */
static inline struct pithlog *core_log_end(struct core_log *log)
{
    struct pithlog *opened;

    core_check(pithi_writer_finish(log->writer));
    pithi_writer_close(log->writer);
    core_check(pithlog_open(log->path, &opened));
    unlink(log->path);
    return opened;
}

#endif
