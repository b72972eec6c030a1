/* settings.h - what the environment asks of the recording. Read once, when recording starts. The full table with help
 * texts is formats/env.def. */
#ifndef PITHI_SETTINGS_H
#define PITHI_SETTINGS_H

#include <stdint.h>

enum { PITHI_FILES_MAX = 1024 };

struct pithi_settings {
    const char *log;         /* PITH_LOG; NULL: not given */
    const char *spill;       /* PITH_SPILL; NULL */
    const char *format;      /* PITH_FORMAT; NULL: by PITH_LOG's suffix */
    const char *ranks;       /* PITH_RANKS, a good list; NULL: all */
    int64_t time_unit_ns;    /* PITH_TIME_UNIT: times in the log are multiples of it */
    int64_t min_duration_ns; /* PITH_MIN_DURATION: shorter states are left out of the log; 0: none */
    unsigned files;          /* PITH_FILES: beside the log's main file; 1: all in that one */
    uint64_t max_bytes;      /* PITH_MAX_MB: of spill file, for this process */
    int ring;                /* PITH_WHEN_FULL=ring */
    int64_t from_ns, to_ns;  /* PITH_FROM, PITH_TO: since recording began; 0, INT64_MAX: not given */
    int snapshot_signal;     /* PITH_SNAPSHOT: its number; 0: none */
    int64_t sync_ns;         /* PITH_SYNC: 0: never by itself */
    int causal;              /* PITH_CAUSAL */
    int quiet;               /* PITH_QUIET */
    int secure;              /* a privileged process: the environment is not to be trusted, nothing is recorded */
};

/* Strings point into the environment. */
void pithi_settings_read(struct pithi_settings *settings);

#endif
