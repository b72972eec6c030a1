/* clean.c - names out of logs; see clean.h. */
#include "core/clean.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the character at `c`; 0: it is none (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t character_size(const unsigned char *c)
{
    size_t size = 0;

    if (c[0] < 0x80)
        size = 1;
    else if (c[0] >= 0xc2 && c[0] < 0xf5)
        size = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) ||
        (c[0] == 0xf4 && c[1] >= 0x90))
        return 0;
    return size;
}

/* C0, DEL, and C1 (as U+0080 to U+009F). */
static int is_control(const unsigned char *c) { return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0); }

/* U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: the code, else 0. */
static unsigned directional(const unsigned char *c, size_t bytes)
{
    unsigned code = bytes == 2   ? (c[0] & 31u) << 6 | (c[1] & 63u)
                    : bytes == 3 ? (c[0] & 15u) << 12 | (c[1] & 63u) << 6 | (c[2] & 63u)
                                 : 0;

    return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                   (code >= 0x2066 && code <= 0x2069)
               ? code
               : 0;
}

char *pithi_clean(char *out, size_t size, const char *text, int ascii)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t used = 0;

    while (*c) {
        size_t bytes = character_size(c);
        char instead[8] = "?";
        const char *shown = instead;
        unsigned mark = directional(c, bytes);
        if (mark)
            snprintf(instead, sizeof instead, "\\u%04x", mark);
        else if (bytes && !is_control(c) && (bytes == 1 || !ascii))
            shown = (const char *)c;
        size_t more = shown == instead ? strlen(instead) : bytes;
        if (used + more >= size)
            break;
        memcpy(out + used, shown, more);
        used += more;
        c += bytes ? bytes : 1;
    }
    if (size)
        out[used] = 0;
    return out;
}

int pithi_columns(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}
