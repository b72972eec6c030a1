/* utf8.h - text from logs, character by character: what may be shown as it stands. */
#ifndef PITHI_UTF8_H
#define PITHI_UTF8_H

#include <stddef.h>

/* The length of the UTF-8 character at `text`, of which `size` bytes are there, when it is well formed and no control
 * character (C0, DEL, C1), else 0. Text that ends with a NUL may have any `size`. */
static inline size_t pithi_utf8_plain(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned c = p[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : c >= 0xe0 && c < 0xf0 ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;

    if (length == 1)
        return c >= 0x20 && c != 0x7f;
    if (length > size)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xc2 && p[1] < 0xa0) ||                               /* C1 */
        (c == 0xe0 && p[1] < 0xa0) || (c == 0xf0 && p[1] < 0x90) || /* longer than need be */
        (c == 0xed && p[1] >= 0xa0) || (c == 0xf4 && p[1] >= 0x90)) /* surrogates; past U+10FFFF */
        return 0;
    return length;
}

#endif
