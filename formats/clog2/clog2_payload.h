/* clog2_payload.h - payloads in the 32 bytes that a CLOG-2 record has for them, with formats of 39 characters.
 *
 * Tokens need 2, 4 or 8 bytes, %s at least the 2 of its length; a format is kept up to the last token for which there
 * is room in the 32. Strings get what the tokens behind them leave: "name=%s a=%l b=%E" leaves 32 - 2 - 16 = 14 bytes
 * of text. If the words of the format do not fit in the 39, they are cut so that every token keeps an equal share of
 * them.
 */
#ifndef PITHI_CLOG2_PAYLOAD_H
#define PITHI_CLOG2_PAYLOAD_H

#include "clog2/clog2_layout.h"

struct pithi_clog2_shape {
    char format[PITHI_CLOG2_FORMAT];
    char tokens[PITHI_CLOG2_CARGO / 2 + 1]; /* those kept, a string */
    int cut;                                /* 1: there was more text; 2: there were more tokens */
};

void pithi_clog2_shape_make(struct pithi_clog2_shape *shape, const char *format);

/* Packs a payload. Returns 1 when something of it was left out. */
int pithi_clog2_pack(const struct pithi_clog2_shape *shape, const unsigned char *payload, uint32_t size,
                     unsigned char cargo[PITHI_CLOG2_CARGO]);

#endif
