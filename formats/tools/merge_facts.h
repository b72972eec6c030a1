/* merge_facts.h - the logs that `pith merge` puts together, and what they say of themselves. */
#ifndef PITHI_MERGE_FACTS_H
#define PITHI_MERGE_FACTS_H

#include "native/segment.h"

struct pithi_source {
    const char *path;
    uint32_t place;   /* among the arguments */
    int64_t shift_ns; /* added to its times: what the user asked for, then what aligns it */
    struct pithlog *log;
    int knows_clock;
    int64_t zero_unix_ns; /* then: when its time 0 was */
    int32_t rank_offset;
    char *program;     /* its rows' name, when it is one of several programs; else NULL */
    uint32_t *threads; /* by lane, when it is one of several logs of the same ranks; else NULL */
};

int pithi_source_open(struct pithi_source *source);
void pithi_source_close(struct pithi_source *source);

/* Gives each its program's name, all different. */
int pithi_sources_name(struct pithi_source *sources, uint32_t count);

/* The properties of all: where they differ all values, ", " between them. `clock`: they are aligned by it, so that the
 * whole began when the first of them did. clock_error_ns is `unknown` unless they are pieces of one log. *left_out: the
 * values for which there is no room. */
int pithi_sources_facts(const struct pithi_source *sources, uint32_t count, int clock, struct pithi_defs *defs,
                        uint64_t *left_out);

#endif
