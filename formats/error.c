/* error.c - the text of a thread's last error. Knows nothing of logs. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

/* No longer: libpith must find room for all its variables of threads in a process that opens it late. */
static _Thread_local char error_text[768];

int pithi_fail(int err, const char *format, ...)
{
    va_list args;
    char text[sizeof error_text]; /* the arguments may point into error_text */

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t i = 0;
    while (text[i]) { /* nothing that a terminal obeys */
        size_t length = pithi_utf8_plain(text + i, sizeof text - i);
        if (length)
            memcpy(error_text + i, text + i, length);
        else
            error_text[i] = '?';
        i += length ? length : 1;
    }
    error_text[i] = 0;
    return err;
}

const char *pithlog_error(void) { return error_text; }
