/* payload.c - makes text of an event's payload by the format of its definition (the tokens of pith_event_define), and
 * chooses the colour of a definition. Payloads and their texts with the format "%d of %s":
 *
 *     00 00 00 03 00 05 n o r t h            3 of north
 *     00 00 00 03 00 05 n o r t h be ef      3 of north beef       bytes that the format does not describe are in hex
 *     00 00 00 03 00 09 n o r t h            3 of (cut)            the length of the string is greater than the payload
 *
 * The first two texts have all the bytes, so base/text_fields.c can make the same payload from each of them again.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/colour.h"
#include "reader/read/payload.h"
#include "pithlog.h"
#include "base/decimal.h"
#include "base/utf8.h"
#include "native/event_numbers.h"

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

/* An output text. It is written as far as it fits, but its length is counted in full. */
struct text {
    char *at;            /* begin of the text */
    size_t size, length; /* room for the text; bytes of the whole text, even if they do not fit */
};

static void put_char(struct text *t, char c)
{
    if (t->length + 1 < t->size)
        t->at[t->length] = c;
    t->length++;
}

static void put_bytes(struct text *t, const char *bytes, size_t size)
{
    if (t->length < t->size)
        memcpy(t->at + t->length, bytes, size < t->size - t->length ? size : t->size - t->length);
    t->length += size;
}

static void put_string(struct text *t, const char *s) { put_bytes(t, s, strlen(s)); }

/* Escapes control characters, backslashes and directional marks, which must not reach a terminal. */
static void put_escaped(struct text *t, const unsigned char *p, size_t n)
{
    char escape[8];
    const unsigned char *mark_end = p; /* end of the last directional mark */
    for (; n > 0; n--, p++) {
        size_t length = *p >= 0xc2 ? pithi_utf8_character((const char *)p, n) : 0;
        if (length > 1 && pithi_utf8_directional(p))
            mark_end = p + length;
        if (*p >= 0x20 && *p != 0x7f && *p != '\\' && p >= mark_end) {
            put_char(t, (char)*p);
            continue;
        }
        const char *name = *p == '\n' ? "\\n" : *p == '\t' ? "\\t" : *p == '\r' ? "\\r" : *p == '\\' ? "\\\\" : NULL;
        if (!name)
            snprintf(escape, sizeof escape, "\\x%02x", *p);
        put_string(t, name ? name : escape);
    }
}

static void put_hex(struct text *t, const unsigned char *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    for (; n > 0; n--, p++) {
        put_char(t, digits[*p >> 4]);
        put_char(t, digits[*p & 15]);
    }
}

static uint64_t big_endian(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0)
        v = v << 8 | *p++;
    return v;
}

static size_t whole_text(char *out, int64_t value)
{
    char digits[24], *end = digits + sizeof digits,
                     *begin = pithi_digits_before(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
    if (value < 0)
        *--begin = '-';
    memcpy(out, begin, (size_t)(end - begin));
    return (size_t)(end - begin);
}

static size_t number_text(char out[PITHI_DECIMAL_SIZE], char token, uint64_t v)
{
    float f;
    double d;
    uint32_t low = (uint32_t)v;
    switch (token) {
    case 'h':
        return whole_text(out, (int16_t)v);
    case 'd':
        return whole_text(out, (int32_t)v);
    case 'l':
        return whole_text(out, (int64_t)v);
    case 'x':
    case 'X':
        return (size_t)sprintf(out, "%llx", (unsigned long long)v);
    case 'e':
        memcpy(&f, &low, sizeof f);
        return pithi_decimal(out, (double)f, 9, 9);
    default:
        memcpy(&d, &v, sizeof d);
        return pithi_decimal(out, d, 17, 17);
    }
}

/* Writes the value of one token. Returns how many bytes of the payload the value has; SIZE_MAX if the payload ends
 * within the value. */
static size_t put_value(struct text *t, char token, const unsigned char *p, size_t left)
{
    char number[PITHI_DECIMAL_SIZE];
    size_t n = pithi_token_size(token);
    if (n > left)
        return SIZE_MAX;
    uint64_t v = big_endian(p, n);
    if (token == 's') {
        if (v > left - n)
            return SIZE_MAX;
        put_escaped(t, p + n, (size_t)v);
        return n + (size_t)v;
    }
    put_bytes(t, number, number_text(number, token, v));
    return n;
}

/* Returns 1 if all conversions of the format are tokens; 0 if one is not, because the length of its value is
 * unknown. */
static int followable(const char *format)
{
    for (; *format; format++)
        if (*format == '%' && *++format != '%' && pithi_token_size(*format) == 0)
            return 0;
    return 1;
}

static void put_formatted(struct text *t, const char *format, const unsigned char *p, size_t left)
{
    for (; *format; format++) {
        if (*format != '%') {
            size_t plain = strcspn(format, "%");
            put_escaped(t, (const unsigned char *)format, plain);
            format += plain - 1;
        } else if (*++format == '%') {
            put_char(t, '%');
        } else {
            size_t took = put_value(t, *format, p, left);
            if (took == SIZE_MAX) {
                put_string(t, "(cut)");
                return;
            }
            p += took;
            left -= took;
        }
    }
    if (left) {
        put_char(t, ' ');
        put_hex(t, p, left);
    }
}

/* Returns 1 if a payload is text in UTF-8. Old programs, mainly for MPE, store a few words without giving a format. */
static int is_text(const unsigned char *p, size_t size)
{
    for (size_t length; size && (length = pithi_utf8_character((const char *)p, size)); size -= length)
        p += length;
    return size == 0;
}

static void put_plain(struct text *t, const unsigned char *p, size_t size)
{
    if (!is_text(p, size)) {
        put_hex(t, p, size);
        return;
    }
    put_char(t, '"');
    put_escaped(t, p, size);
    put_char(t, '"');
}

size_t pithi_payload_text(const char *format, const struct pithlog_record *record, char *out, size_t size)
{
    const unsigned char *p = record->payload;
    struct text t = {out, size, 0};
    if (record->kind == PITHLOG_EVENT && record->payload_bytes) {
        if (*format && followable(format))
            put_formatted(&t, format, p, record->payload_bytes);
        else
            put_plain(&t, p, record->payload_bytes);
    }
    if (size)
        out[t.length < size ? t.length : size - 1] = 0;
    return t.length + 1;
}

/* The case of pithi_payload_line that needs more memory. It is a function of its own so that the usual case is
 * short. */
const char *pithi_payload_longer(struct pithi_payload_line *line, size_t size, const char *format,
                                 const struct pithlog_record *record)
{
    char *text = realloc(line->text, size);
    if (!text)
        return NULL;
    *line = (struct pithi_payload_line){text, size};
    pithi_payload_text(format, record, text, size);
    return text;
}

size_t pithlog_payload_text(const struct pithlog *log, const struct pithlog_record *record, char *out, size_t size)
{
    const struct pithlog_def *def = pithlog_get_def(log, record->id);
    return pithi_payload_text(def ? def->format : "", record, out, size);
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

/* Colours that are easily seen on white and on black. Neighbours differ in lightness, so that people with red-green
 * colour blindness can tell them apart. */
static const uint32_t palette[] = {0x1f77b4, 0xffbf3f, 0x2a9d5c, 0xd1495b, 0x7b5ea7, 0x8fd3e8, 0xa0522d, 0xf28e8e,
                                   0x4d6a6d, 0xb5cc5a, 0xe377c2, 0x003f88, 0xd98b2b, 0x76b7b2, 0x6b2737, 0xbab0ac};

static uint32_t def_rgb(const struct pithlog_def *def, uint32_t id)
{
    uint32_t rgb;
    if (def && *def->colour && pithi_colour_parse(def->colour, &rgb))
        return rgb;
    return palette[id % (sizeof palette / sizeof *palette)];
}

uint32_t pithlog_def_rgb(const struct pithlog *log, uint32_t id) { return def_rgb(pithlog_get_def(log, id), id); }

uint32_t pithlog_follow_def_rgb(const struct pithlog_follow *follow, uint32_t id)
{
    return def_rgb(pithlog_follow_get_def(follow, id), id);
}
