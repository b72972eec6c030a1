/* text_fields.c - parses lines of `pith print`, and payloads by their format.
 *
 * The payload of an event is bytes; the format in the event's definition says what they mean. To convert the text of a
 * payload back to bytes, format and text are walked side by side. The format "%d of %s" and the text "3 of north" give
 *
 *     %d    3        00 00 00 03               all numbers are big endian, as MPE wrote them
 *      of    of      (no bytes: " of " is only in the format)
 *     %s    north    00 05 n o r t h           a length of two bytes, then the text
 *
 * The text does not mark the end of a string. A string ends where the literal text that follows its token in the format
 * is first found. So with the format "%s, %s", the text "a, b, c" gives "a" and "b, c". A text that does not fit its
 * format is read as hex, because the writer prints hex if the bytes of a payload do not fit the format.
 */
#include "base/text_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pithi_fields_cut(struct pithi_fields *fields, char *line)
{
    fields->at[0] = line;
    fields->count = 1;
    for (; *line && fields->count < PITHI_FIELDS_MAX; line++)
        if (*line == '\t') {
            *line = 0;
            fields->at[fields->count++] = line + 1;
        }
}

char *pithi_fields_get(const struct pithi_fields *fields, uint32_t first, const char *key)
{
    size_t size = strlen(key);
    for (uint32_t i = first; i < fields->count; i++)
        if (strncmp(fields->at[i], key, size) == 0 && fields->at[i][size] == '=')
            return fields->at[i] + size + 1;
    return NULL;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

size_t pithi_unescape(char *text)
{
    static const char letters[] = "tnr\\", bytes[] = "\t\n\r\\";
    char *begin = text, *out = text += strcspn(text, "\\");
    for (; *text; text++) {
        const char *letter = *text == '\\' && text[1] ? strchr(letters, text[1]) : NULL;
        if (letter) {
            *out++ = bytes[letter - letters];
            text++;
        } else if (text[0] == '\\' && text[1] == 'x' && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0) {
            *out++ = (char)(hex_digit(text[2]) * 16 + hex_digit(text[3]));
            text += 3;
        } else {
            *out++ = *text;
        }
    }
    *out = 0;
    return (size_t)(out - begin);
}

/* Returns 1 and the value of a number of at most 18 digits without a sign, the usual case. Returns 0 for all other
 * texts. */
static int short_number(const char *text, int64_t *value)
{
    int64_t sum = 0;
    int digits = 0;
    for (; text && *text >= '0' && *text <= '9' && digits < 18; text++, digits++)
        sum = sum * 10 + (*text - '0');
    *value = sum;
    return digits > 0 && *text == 0;
}

int pithi_text_i64(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    if (short_number(text, value))
        return *value >= least && *value <= most;
    errno = 0;
    long long v = text && *text ? strtoll(text, &end, 10) : 0;
    *value = v;
    return text && *text && !*end && errno == 0 && v >= least && v <= most && *text != ' ';
}

int pithi_text_u64(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long v = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    *value = v;
    return text && *text >= '0' && *text <= '9' && !*end && errno == 0;
}

/* Reads the digits before and after the point as whole numbers. For "-1.5" these are 1 and 5, and 5 counts as
 * 500,000,000 ns, because it is one decimal. It uses no double, because a double cannot hold all nanoseconds of a time
 * above 104 days. */
int pithi_text_seconds(const char *text, int64_t *time_ns)
{
    static const uint32_t units[] = {1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    int negative = *text == '-', digits = 0, decimals = 0;
    uint64_t whole = 0, part = 0;
    for (text += negative; *text >= '0' && *text <= '9'; text++, digits++)
        if ((whole = whole * 10 + (uint64_t)(*text - '0')) > INT64_MAX / 1000000000)
            return 0;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, digits++)
            if (decimals < 9) {
                part = part * 10 + (uint64_t)(*text - '0');
                decimals++;
            }
    uint64_t ns = whole * 1000000000 + part * units[decimals];
    if (digits == 0 || *text || ns > INT64_MAX)
        return 0;
    *time_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return 1;
}

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

static void put_big_endian(unsigned char *out, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)(value >> 8 * (size - 1 - i));
}

/* Reads the number that stands for a token such as %d. Returns the address after the number, or NULL if there is none.
 */
static const char *number_at(char token, const char *text, uint64_t *value)
{
    char *end = NULL;
    double d;
    float f;
    uint32_t low;
    errno = 0;
    switch (token) {
    case 'x':
    case 'X':
        *value = strtoull(text, &end, 16);
        break;
    case 'e':
        f = (float)strtod(text, &end);
        memcpy(&low, &f, sizeof low);
        *value = low;
        break;
    case 'E':
        d = strtod(text, &end);
        memcpy(value, &d, sizeof d);
        break;
    default:
        *value = (uint64_t)strtoll(text, &end, 10);
    }
    return end != text && errno != EINVAL ? end : NULL;
}

static size_t token_size(char token) { return strchr("sh", token) ? 2 : strchr("dxe", token) ? 4 : 8; }

/* Copies the literal text of the format up to the next token, in the spelling of payload texts (backslashes doubled).
 * Returns its length. */
static size_t literal(const char *format, char *out, size_t size)
{
    size_t n = 0;
    for (; *format && n + 2 < size; format++) {
        if (*format == '%' && *++format != '%')
            break;
        if (*format == '\\')
            out[n++] = '\\';
        out[n++] = *format;
    }
    out[n] = 0;
    return n;
}

/* Reads a string. The string ends where the literal text `rest`, which follows its token in the format, begins. */
static const char *string_at(const char *text, const char *rest, unsigned char *out, size_t *size)
{
    char behind[256];
    const char *end = literal(rest, behind, sizeof behind) ? strstr(text, behind) : text + strlen(text);
    if (!end || end - text > 65535)
        return NULL;
    memcpy(out + 2, text, (size_t)(end - text));
    out[2 + (end - text)] = 0;
    *size = pithi_unescape((char *)out + 2);
    put_big_endian(out, 2, *size);
    *size += 2;
    return end;
}

static size_t parse_hex(const char *text, unsigned char *out)
{
    size_t n = 0;
    for (; *text; text += 2, n++) {
        if (hex_digit(text[0]) < 0 || hex_digit(text[1]) < 0)
            return SIZE_MAX;
        out[n] = (unsigned char)(hex_digit(text[0]) * 16 + hex_digit(text[1]));
    }
    return n;
}

/* Writes the payload's bytes to `out`. Returns their number, or SIZE_MAX if the text does not fit the format. If the
 * payload has more bytes than the format describes, the text ends with these bytes in hex. */
static size_t parse_formatted(const char *format, const char *text, unsigned char *out)
{
    size_t n = 0, size;
    uint64_t value;
    for (; *format; format++) {
        if (*format != '%' || format[1] == '%') {
            format += *format == '%';
            text += *format == '\\' && *text == '\\';
            if (*text++ != *format)
                return SIZE_MAX;
        } else if (*++format == 's') {
            if (!(text = string_at(text, format + 1, out + n, &size)))
                return SIZE_MAX;
            n += size;
        } else if (*format && strchr("hdxleXE", *format)) {
            if (!(text = number_at(*format, text, &value)))
                return SIZE_MAX;
            put_big_endian(out + n, token_size(*format), value);
            n += token_size(*format);
        } else {
            return SIZE_MAX;
        }
    }
    if (*text == '\0')
        return n;
    size = *text == ' ' ? parse_hex(text + 1, out + n) : SIZE_MAX;
    return size == SIZE_MAX ? size : n + size;
}

static size_t parse_quoted(const char *text, unsigned char *out)
{
    size_t length = strlen(text);
    if (length < 3 || text[0] != '"' || text[length - 1] != '"')
        return SIZE_MAX;
    memcpy(out, text + 1, length - 2);
    out[length - 2] = 0;
    return pithi_unescape((char *)out);
}

unsigned char *pithi_payload_parse(const char *format, const char *text, size_t *size)
{
    /* makes room for the largest payload: each token, which has two characters in the format, gives at most 8 bytes,
     * and a string also gives its text */
    unsigned char *out = malloc(strlen(text) + 8 * strlen(format) + 8);
    *size = SIZE_MAX;
    if (out && *format)
        *size = parse_formatted(format, text, out);
    if (out && *size == SIZE_MAX)
        *size = *text == '"' ? parse_quoted(text, out) : parse_hex(text, out);
    if (*size != SIZE_MAX)
        return out;
    free(out);
    return NULL;
}
