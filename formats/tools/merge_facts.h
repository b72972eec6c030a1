/* merge_facts.h - the input logs of `pith merge`, their names and properties. */
#ifndef PITHI_MERGE_FACTS_H
#define PITHI_MERGE_FACTS_H

#include "native/segment.h"

struct pithi_merge_source {
    const char *path;
    uint32_t place;   /* position among the arguments */
    int64_t shift_ns; /* added to its times: first --shift, then the alignment too */
    struct pithlog *log;
    int knows_clock;
    int64_t zero_unix_ns; /* its time 0, if knows_clock */
    int32_t rank_offset;
    char *program;     /* prefix of its lane names if several programs are merged; else NULL */
    uint32_t *threads; /* by lane: new thread numbers if several logs have the same ranks; else NULL */
};

int pithi_source_open(struct pithi_merge_source *source);
void pithi_source_close(struct pithi_merge_source *source);

/* Gives each log the name of its program, made unique. */
int pithi_sources_name(struct pithi_merge_source *sources, uint32_t count);

/* Adds the properties of all logs to `defs`. A property that differs gets all its values, separated by ", ". `clock`:
 * the logs are aligned by the clock, so start_unix_s is that of the first. clock_error_ns is `unknown` unless they are
 * pieces of one log. *left_out: values that did not fit. */
int pithi_sources_facts(const struct pithi_merge_source *sources, uint32_t count, int clock, struct pithi_defs *defs,
                        uint64_t *left_out);

#endif
