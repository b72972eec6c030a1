/* clog2_payload.c - see clog2_payload.h. */
#include "clog2/clog2_payload.h"

#include "foreign/names.h"

/* The tokens for which a payload has room, up to the first that is none; returns how long the format is up to there,
 * with the text behind it if no token follows. */
static size_t choose_tokens(struct pithi_clog2_shape *shape, const char *format)
{
    size_t size = 0, kept = 0, count = 0;

    for (const char *percent = strchr(format, '%'); percent; percent = strchr(percent + 2, '%')) {
        size_t token = pithi_token_size(percent[1]);
        if (!token || size + token > PITHI_CLOG2_CARGO) {
            shape->cut = 2;
            return kept;
        }
        shape->tokens[count++] = percent[1];
        size += token;
        kept = (size_t)(percent + 2 - format);
    }
    return strlen(format);
}

/* A format whose text is too long: each token keeps an equal share of the text before it. */
static void share_text(struct pithi_clog2_shape *shape, const char *format)
{
    size_t tokens = strlen(shape->tokens), share = (sizeof shape->format - 1 - 2 * tokens) / tokens, at = 0;

    for (size_t i = 0; i < tokens; i++) {
        size_t text = strcspn(format, "%"), take = text < share ? text : share;
        while (take && take < text && ((unsigned char)format[take] & 0xc0) == 0x80)
            take--;
        memcpy(shape->format + at, format, take);
        at += take;
        shape->format[at++] = '%';
        shape->format[at++] = shape->tokens[i];
        format += text + 2;
    }
}

void pithi_clog2_shape_make(struct pithi_clog2_shape *shape, const char *format)
{
    size_t length;

    *shape = (struct pithi_clog2_shape){0};
    length = choose_tokens(shape, format);
    if (pithi_name_cut(shape->format, sizeof shape->format, format, length) != PITHI_NAME_CUT)
        return;
    shape->cut |= 1;
    if (shape->tokens[0]) {
        memset(shape->format, 0, sizeof shape->format);
        share_text(shape, format);
    }
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
