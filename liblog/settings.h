/* settings.h - what the environment asks of the recording. Read once, when recording starts. The full table with help
 * texts is formats/env.def. */
#ifndef PITHI_SETTINGS_H
#define PITHI_SETTINGS_H

#include <stdint.h>

struct pithi_settings {
    const char *log;    /* PITH_LOG; NULL: not given */
    const char *spill;  /* PITH_SPILL; NULL */
    const char *format; /* PITH_FORMAT; NULL: by PITH_LOG's suffix */
    uint64_t max_bytes; /* PITH_MAX_MB: of spill file, for this process */
    int ring;           /* PITH_WHEN_FULL=ring */
    int quiet;          /* PITH_QUIET */
    int secure;         /* a privileged process: the environment is not to be trusted, nothing is recorded */
};

/* Strings point into the environment. */
void pithi_settings_read(struct pithi_settings *settings);

#endif
