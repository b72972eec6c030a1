/* moment.c - see moment.h. By hand, as the decimal point of strtod depends on the language. */
#include "moment.h"

#include <stddef.h>
#include <string.h>

int64_t pithi_moment_ns(const char *value, int64_t plain_ns)
{
    const struct {
        const char *suffix;
        int64_t ns;
    } units[] = {{"", plain_ns}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    __int128 number = 0, part = 1;
    int digits = 0;
    size_t i;
    for (; *value >= '0' && *value <= '9' && number < INT64_MAX; value++, digits++)
        number = number * 10 + (*value - '0');
    if (*value == '.')
        for (value++; *value >= '0' && *value <= '9'; value++, digits++)
            if (part < 1000000000) { /* of what is finer no more is kept */
                number = number * 10 + (*value - '0');
                part *= 10;
            }
    for (i = 0; digits > 0 && number < INT64_MAX && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(value, units[i].suffix) == 0 && number * units[i].ns / part < INT64_MAX)
            return (int64_t)(number * units[i].ns / part);
    return -1;
}
