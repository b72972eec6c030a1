/* text_buffer.c - text in memory that grows. */
#include "draw/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"

void pithi_text_bytes(struct pithi_text *text, const char *bytes, size_t size)
{
    text->data = pithi_view_grow(text->data, &text->capacity, text->size + (uint32_t)size + 1, 1);
    if (size) /* `bytes` may be NULL */
        memcpy(text->data + text->size, bytes, size);
    text->size += (uint32_t)size;
    text->data[text->size] = 0;
}

void pithi_text_add(struct pithi_text *text, const char *format, ...)
{
    va_list args;
    char piece[1024];
    int size;

    va_start(args, format);
    size = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (size > 0)
        pithi_text_bytes(text, piece, (size_t)size < sizeof piece ? (size_t)size : sizeof piece - 1);
}

void pithi_text_escaped(struct pithi_text *text, const char *string)
{
    for (; *string; string++) {
        const char *entity = *string == '&'   ? "&amp;"
                             : *string == '<' ? "&lt;"
                             : *string == '>' ? "&gt;"
                             : *string == '"' ? "&quot;"
                                              : NULL;
        if (entity) {
            pithi_text_bytes(text, entity, strlen(entity));
        } else if (strncmp(string, "\xef\xbf\xbe", 3) == 0 || strncmp(string, "\xef\xbf\xbf", 3) == 0) {
            pithi_text_bytes(text, "?", 1); /* replaces U+FFFE and U+FFFF, which XML does not allow */
            string += 2;
        } else {
            pithi_text_bytes(text, string, 1);
        }
    }
}

void pithi_text_hundredths(struct pithi_text *text, long hundredths)
{
    long whole = labs(hundredths) / 100, rest = labs(hundredths) % 100;

    pithi_text_add(text, "%s%ld", hundredths < 0 ? "-" : "", whole);
    if (rest % 10)
        pithi_text_add(text, ".%02ld", rest);
    else if (rest)
        pithi_text_add(text, ".%ld", rest / 10);
}
