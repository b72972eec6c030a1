/* settings.c - the environment variables of recording. Values that make no sense are taken as not given. */
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define MAX_MB_DEFAULT 4096
#define MB (UINT64_C(1) << 20)

static const char *text(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

static int flag(const char *name)
{
    const char *value = text(name);
    return value != NULL && strcmp(value, "0") != 0 && strcmp(value, "no") != 0;
}

void pithi_settings_read(struct pithi_settings *settings)
{
    const char *megabytes, *when_full;
    memset(settings, 0, sizeof *settings);
    settings->max_bytes = MAX_MB_DEFAULT * MB;
    if (getauxval(AT_SECURE) != 0) {
        settings->secure = 1;
        return;
    }
    settings->log = text("PITH_LOG");
    settings->spill = text("PITH_SPILL");
    settings->format = text("PITH_FORMAT");
    settings->quiet = flag("PITH_QUIET");
    when_full = text("PITH_WHEN_FULL");
    settings->ring = when_full != NULL && strcmp(when_full, "ring") == 0;
    megabytes = text("PITH_MAX_MB");
    if (megabytes != NULL) {
        char *end;
        unsigned long long value = strtoull(megabytes, &end, 10);
        if (*end == '\0' && *megabytes != '-' && value > 0 && value <= UINT64_MAX / MB)
            settings->max_bytes = value * MB;
    }
}
