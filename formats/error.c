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
        unsigned char c = (unsigned char)text[i], before = i ? (unsigned char)text[i - 1] : 0;
        int c1 = before == 0xc2 && c >= 0x80 && c < 0xa0; /* U+0080 to U+009F: controls, too */
        error_text[i] = c < 0x20 || c == 0x7f || c1 ? '?' : (char)c;
        if (c1)
            error_text[i - 1] = '?';
    }
    error_text[i] = 0;
    return err;
}

const char *pithlog_error(void) { return error_text; }
