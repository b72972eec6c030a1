/* clog2_payload.c - see clog2_payload.h. */
#include "clog2/clog2_payload.h"

#include "foreign/names.h"

void pithi_clog2_shape_make(struct pithi_clog2_shape *shape, const char *format)
{
    size_t size = 0, kept = 0, count = 0, at = 0;

    *shape = (struct pithi_clog2_shape){0};
    while (format[at]) {
        size_t percent = at + strcspn(format + at, "%"), token;
        if (!format[percent]) {
            kept = percent; /* text behind the last token */
            break;
        }
        token = pithi_token_size(format[percent + 1]);
        if (!token || size + token > PITHI_CLOG2_CARGO || percent + 2 >= sizeof shape->format) {
            shape->cut = 2;
            break;
        }
        shape->tokens[count++] = format[percent + 1];
        size += token;
        kept = at = percent + 2;
    }
    shape->cut |= pithi_name_cut(shape->format, sizeof shape->format, format, kept);
}

/* Bytes that the tokens need at least. */
static uint32_t need(const char *tokens)
{
    uint32_t size = 0;

    for (; *tokens; tokens++)
        size += (uint32_t)pithi_token_size(*tokens);
    return size;
}

/* As much of a string as there is room for, cut between characters. */
static uint32_t pack_string(const unsigned char *text, uint32_t length, uint32_t space, unsigned char *cargo)
{
    uint32_t take = length;

    if (take > space)
        for (take = space; take && (text[take] & 0xc0) == 0x80;)
            take--;
    cargo[0] = 0;
    cargo[1] = (unsigned char)take;
    memcpy(cargo + 2, text, take);
    return take;
}

int pithi_clog2_pack(const struct pithi_clog2_shape *shape, const unsigned char *payload, uint32_t size,
                     unsigned char cargo[PITHI_CLOG2_CARGO])
{
    uint32_t at = 0, from = 0;
    int cut = shape->cut & 2;

    if (!shape->tokens[0]) { /* bytes without a meaning */
        memcpy(cargo, payload, size < PITHI_CLOG2_CARGO ? size : PITHI_CLOG2_CARGO);
        return size > PITHI_CLOG2_CARGO;
    }
    for (const char *token = shape->tokens; *token; token++) {
        uint32_t token_size = (uint32_t)pithi_token_size(*token);
        if (token_size > size - from)
            break; /* the payload was shorter than its format */
        if (*token == 's') {
            uint32_t length = (uint32_t)payload[from] << 8 | payload[from + 1];
            length = length > size - from - 2 ? size - from - 2 : length;
            uint32_t taken = pack_string(payload + from + 2, length, PITHI_CLOG2_CARGO - at - need(token), cargo + at);
            cut |= taken < length;
            at += 2 + taken;
            from += 2 + length;
        } else {
            memcpy(cargo + at, payload + from, token_size);
            at += token_size;
            from += token_size;
        }
    }
    return cut != 0;
}
