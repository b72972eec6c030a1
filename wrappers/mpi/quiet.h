/* quiet.h - PITH_QUIET: lines that only tell are not wanted. */
#ifndef PITHI_QUIET_H
#define PITHI_QUIET_H

#include <stdlib.h>
#include <string.h>

static inline int pithi_is_quiet(void)
{
    const char *value = getenv("PITH_QUIET");
    return value && *value && strcmp(value, "0") != 0;
}

#endif
