/* error.c - the text of a thread's last error. Knows nothing of logs. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char error_text[1024];

int pithi_fail(int err, const char *format, ...)
{
    va_list args;
    char text[sizeof error_text]; /* the arguments may point into error_text */

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t i = 0;
    for (; text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        error_text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    error_text[i] = 0;
    return err;
}

const char *pithlog_error(void) { return error_text; }
