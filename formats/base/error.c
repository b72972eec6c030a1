/* error.c - the text of each thread's last error. */
#include "base/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { TEXT = 2048 }; /* bytes of an error's text, with its NUL */

/* The text is allocated, because a library that is loaded late has little room for thread-local data. */
static _Thread_local char *error_text;
static pthread_key_t at_thread_end; /* whose destructor frees the thread's text */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop(void *text)
{
    free(text);
    error_text = NULL;
}

static void make_key(void) { pthread_key_create(&at_thread_end, drop); }

static char *own_text(void)
{
    if (error_text == NULL) {
        pthread_once(&once, make_key);
        error_text = calloc(1, TEXT);
        pthread_setspecific(at_thread_end, error_text);
    }
    return error_text;
}

int pithi_fail(int err, const char *format, ...)
{
    va_list args;
    char text[TEXT], *own = own_text(); /* formats into `text` first, because the arguments may point into `own` */

    if (own == NULL)
        return err;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t i = 0;
    while (text[i]) { /* copies the text, and replaces control characters by '?' */
        size_t length = pithi_utf8_plain(text + i, sizeof text - i);
        if (length)
            memcpy(own + i, text + i, length);
        else
            own[i] = '?';
        i += length ? length : 1;
    }
    own[i] = 0;
    return err;
}

int pithi_no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

const char *pithlog_error(void) { return error_text != NULL ? error_text : ""; }
