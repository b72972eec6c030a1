/* incomplete.c - see incomplete.h. */
#include "native/incomplete.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *pithi_incomplete_reason(const struct pithi_defs *defs)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithi_defs_get_property(defs, i, &value)) != NULL; i++)
        if (strcmp(key, PITHI_INCOMPLETE) == 0)
            return value;
    return NULL;
}

int pithi_incomplete(struct pithi_defs *defs, const char *format, ...)
{
    const char *before = pithi_incomplete_reason(defs);
    char text[1024];
    int used = before ? snprintf(text, sizeof text / 2, "%s; ", before) : 0;
    if (used >= (int)sizeof text / 2) /* enough is said */
        return PITH_OK;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    return pithi_defs_property(defs, PITHI_INCOMPLETE, text);
}
