/* settings.h - the environment variables of recording, read once when it starts. formats/tools/env.def has the full
 * table with help texts. */
#ifndef PITHI_SETTINGS_H
#define PITHI_SETTINGS_H

#include <stdint.h>

enum { PITHI_FILES_MAX = 1024 }; /* largest value of PITH_FILES */

struct pithi_settings {
    const char *log;         /* PITH_LOG; NULL: not given */
    const char *spill;       /* PITH_SPILL; NULL: not given */
    const char *format;      /* PITH_FORMAT; NULL: by PITH_LOG's suffix */
    const char *ranks;       /* PITH_RANKS, a valid list; NULL: all */
    int64_t time_unit_ns;    /* PITH_TIME_UNIT: times in the log are multiples of it */
    int64_t min_duration_ns; /* PITH_MIN_DURATION: shorter states are left out of the log; 0: none */
    unsigned files;          /* PITH_FILES: files besides the log's main file; 1: only the main file */
    uint64_t max_bytes;      /* PITH_MAX_MB: limit of the size of this process's spill file */
    int ring;                /* PITH_WHEN_FULL=ring */
    int64_t from_ns, to_ns;  /* PITH_FROM, PITH_TO: in ns since recording began; 0 and INT64_MAX: not given */
    int snapshot_signal;     /* PITH_SNAPSHOT: number of the signal; 0: none */
    int64_t sample_ns;       /* PITH_SAMPLE: period between two samples of a thread; 0: no samples */
    int sample_wall;         /* 1: the period is wall-clock time; 0: CPU time of the thread */
    int64_t hang_ns;         /* PITH_HANG: reports if no rank records anything for this time; 0: never */
    int hang_abort;          /* 1: the job is ended after the report */
    const char *counters;    /* PITH_COUNTERS: names; NULL: none */
    int call_sites;          /* 1: records call sites of all calls (PITH_CALLSITES=1, PITH_SAMPLE or PITH_HANG) */
    int long_call_sites;     /* 1: records call sites only of calls that take long (the default) */
    int64_t sync_ns;         /* PITH_SYNC; 0: clocks are compared at start and end only */
    int causal;              /* PITH_CAUSAL */
    int quiet;               /* PITH_QUIET */
    int summary;             /* PITH_SUMMARY, on unless it is "no" or "0" */
    int analyze_ms;          /* PITH_ANALYZE: limit of the analysis in ms; 0: no analysis */
    int only_answer;         /* PITH_LOG=none with PITH_ANALYZE: the log is removed after its analysis */
    int secure;              /* a set-user-id process: the environment cannot be trusted, nothing is recorded */
};

/* Reads all settings. The strings in *settings point into the environment. */
void pithi_settings_read(struct pithi_settings *settings);

#endif
