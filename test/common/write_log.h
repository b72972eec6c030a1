/* write_log.h - for programs that write one log: its writer, definitions and lanes. */
#ifndef TEST_WRITE_LOG_H
#define TEST_WRITE_LOG_H

#include "common/test_files.h"
#include "native/segment.h"

static struct pithi_writer *writer;

static inline uint32_t define(enum pithlog_def_kind kind, const char *name, const char *colour, const char *group,
                              const char *format)
{
    uint32_t id;
    must(pithi_defs_add(pithi_writer_defs(writer), &(struct pithlog_def){kind, name, colour, group, format}, &id));
    return id;
}

static inline uint32_t lane(int32_t rank, uint32_t thread, const char *name)
{
    uint32_t number;
    must(pithi_writer_lane(writer, rank, thread, name, &number));
    return number;
}

#endif
