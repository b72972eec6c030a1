/* utf8.h - checks which characters of a log may be shown unchanged. */
#ifndef PITHI_UTF8_H
#define PITHI_UTF8_H

#include <stddef.h>

/* Returns the length of the UTF-8 character at `text`, or 0 if it is malformed or a control character (C0, DEL, C1).
 * `size`: the number of bytes at `text`; for NUL-terminated text it may be any number that is large enough. */
static inline size_t pithi_utf8_character(const char *text, size_t size)
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
        (c == 0xe0 && p[1] < 0xa0) || (c == 0xf0 && p[1] < 0x90) || /* overlong */
        (c == 0xed && p[1] >= 0xa0) || (c == 0xf4 && p[1] >= 0x90)) /* surrogates; past U+10FFFF */
        return 0;
    return length;
}

/* Returns 1 if the well-formed character at `p` is a directional mark: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066
 * to U+2069. These marks are invisible and change the order of the characters around them: "a", U+202E, "bc" is shown
 * as "acb". */
static inline int pithi_utf8_directional(const unsigned char *p)
{
    if (p[0] == 0xd8)
        return p[1] == 0x9c;
    if (p[0] != 0xe2)
        return 0;
    return p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)
                        : p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

/* Like pithi_utf8_character, but also returns 0 for a directional mark. Use it for text on display. */
static inline size_t pithi_utf8_plain(const char *text, size_t size)
{
    size_t length = pithi_utf8_character(text, size);
    return length > 1 && pithi_utf8_directional((const unsigned char *)text) ? 0 : length;
}

#endif
