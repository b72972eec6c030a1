/* moment.h - times as the user writes them. */
#ifndef PITHI_MOMENT_H
#define PITHI_MOMENT_H

#include <stdint.h>

#define PITHI_MOMENT_WORDS "a time such as 2, 0.25, 10s or 500ms"

/* "2", "0.25", "10s", "500ms" in nanoseconds; `plain_ns` is the unit of a number without one. -1: it is no time. */
int64_t pithi_moment_ns(const char *value, int64_t plain_ns);

#endif
