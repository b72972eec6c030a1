/* out.c - writes text output: numbers, and strings in the ways of enum pithi_quote.
 *
 * Numbers are written digit by digit, because printf reads its format for each one. 1,234,567,890 ns becomes
 * "1.234567890": the whole seconds, one digit, and four pairs of digits "34" "56" "78" "90" from a table.
 *
 * Each way to write a string keeps the string in one line and readable. These are the results for `a,"b<TAB>`:
 *
 *     TABS  a,"b\t       CSV  "a,""b\t"       JSON  "a,\"b\t"       HTML  a,&quot;b\t
 */
#include "base/out.h"

#include <errno.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/utf8.h"

int pithi_out_open(struct pithi_out *out, FILE *file)
{
    *out = (struct pithi_out){.file = file, .data = malloc(PITHI_OUT_SIZE)};
    return out->data ? PITH_OK : pithi_no_memory();
}

/* Also flushes the stdio stream. So a full disk is detected here with its errno, which a later fclose may not give. */
void pithi_out_flush(struct pithi_out *out)
{
    if (out->used && !out->failed &&
        (fwrite(out->data, 1, out->used, out->file) != out->used || fflush(out->file) != 0))
        out->failed = errno ? errno : EIO;
    out->used = 0;
}

int pithi_out_close(struct pithi_out *out, int err)
{
    if (!out->data)
        return err;
    pithi_out_flush(out);
    free(out->data);
    out->data = NULL;
    if (err || !out->failed)
        return err;
    errno = out->failed;
    return pithi_fail(PITH_ERR_IO, "standard output: %s", strerror(out->failed));
}

void pithi_out_long(struct pithi_out *out, const char *text, size_t size)
{
    while (size > 0) {
        size_t part = PITHI_OUT_SIZE - out->used;
        if (part > size)
            part = size;
        memcpy(out->data + out->used, text, part);
        out->used += part;
        text += part;
        size -= part;
        if (out->used == PITHI_OUT_SIZE)
            pithi_out_flush(out);
    }
}

void pithi_out_u64(struct pithi_out *out, uint64_t value)
{
    char digits[24];
    char *begin = pithi_digits_before(digits + sizeof digits, value);

    pithi_out_bytes(out, begin, (size_t)(digits + sizeof digits - begin));
}

void pithi_out_i64(struct pithi_out *out, int64_t value)
{
    if (value < 0)
        pithi_out_char(out, '-');
    pithi_out_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void pithi_out_seconds(struct pithi_out *out, int64_t time_ns)
{
    uint64_t ns = time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns;
    uint32_t fraction = (uint32_t)(ns % 1000000000u);

    pithi_out_room(out, PITHI_OUT_SHORT);
    if (time_ns < 0)
        out->data[out->used++] = '-';
    pithi_out_u64(out, ns / 1000000000u);
    char *to = out->data + out->used;
    to[0] = '.';
    to[1] = (char)('0' + fraction / 100000000u);
    memcpy(to + 2, pithi_digit_pairs + fraction / 1000000u % 100 * 2, 2);
    memcpy(to + 4, pithi_digit_pairs + fraction / 10000u % 100 * 2, 2);
    memcpy(to + 6, pithi_digit_pairs + fraction / 100u % 100 * 2, 2);
    memcpy(to + 8, pithi_digit_pairs + fraction % 100 * 2, 2);
    out->used += 10;
}

/* Writes a whole number as such, because most values are whole, and a whole number needs no search for the shortest
 * decimal. It does not treat -0 as a whole number, so that -0 keeps its sign. */

void pithi_out_double(struct pithi_out *out, double value)
{
    char text[PITHI_DECIMAL_SIZE];

    if (value >= INT32_MIN && value <= INT32_MAX && value == (int32_t)value && !(value == 0 && 1 / value < 0)) {
        pithi_out_i64(out, (int32_t)value);
        return;
    }
    pithi_out_bytes(out, text, pithi_decimal(text, value, 15, 17));
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

/* Writes the escape of the character at *text, which pithi_utf8_plain refused, to `to`: at most 6 bytes. Moves *text
 * past the character. Outside of JSON it escapes only the first byte of the character and moves *text by one byte, so
 * the next call escapes the next byte. Returns the number of bytes written. */
static size_t escape(char *to, const unsigned char **text, int json)
{
    unsigned c = **text;
    const char *letter = c ? strchr("\tt\nn\rr", (int)c) : NULL;

    if (letter) {
        *text += 1;
        to[0] = '\\';
        to[1] = letter[1];
        return 2;
    }
    if (json) {
        int c1 = c == 0xc2 && (*text)[1] >= 0x80 && (*text)[1] < 0xa0;
        size_t mark = c1 ? 0 : pithi_utf8_character((const char *)*text, SIZE_MAX); /* bytes of a directional mark */
        unsigned code = c1          ? (*text)[1]
                        : mark == 3 ? (c & 15) << 12 | ((*text)[1] & 63u) << 6 | ((*text)[2] & 63u)
                        : mark == 2 ? (c & 31) << 6 | ((*text)[1] & 63u)
                        : c < 0x80  ? c
                                    : 0xfffdu;
        *text += c1 ? 2 : mark ? mark : 1;
        return (size_t)sprintf(to, "\\u%04x", code);
    }
    *text += 1;
    return (size_t)sprintf(to, "\\x%02x", c);
}

/* Returns the HTML entity of a character, or NULL if the character needs no entity. */
static const char *entity(char c)
{
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
}

static int quotes_formulas; /* 1: texts that a spreadsheet would take for formulas are quoted */

void pithi_quote_formulas(void) { quotes_formulas = 1; }

/* Returns 1 if a spreadsheet would take the text for a formula: "=1+1" and "-x", but not the number "-1.5". Returns 0
 * for all texts if formulas are not to be quoted. */
static int is_formula(const char *text)
{
    char *end;

    if (!quotes_formulas || !*text || !strchr("=+-@", *text))
        return 0;
    strtod(text, &end);
    return end == text || *end;
}

static int needs_quotes(const char *text)
{
    size_t size = strlen(text);

    return strpbrk(text, ",\"") || (size && (text[0] == ' ' || text[size - 1] == ' '));
}

char *pithi_quoted(enum pithi_quote quote, const char *text)
{
    int json = quote == PITHI_QUOTE_JSON, csv = quote == PITHI_QUOTE_CSV || quote == PITHI_QUOTE_CSV_TEXT;
    int quotes = json || (csv && needs_quotes(text));
    int html = quote == PITHI_QUOTE_HTML;
    int backslashes = quote != PITHI_QUOTE_TEXT && quote != PITHI_QUOTE_CSV_TEXT && !html;
    const unsigned char *from = (const unsigned char *)text;
    char *result = malloc(6 * strlen(text) + 4), *to = result;

    if (!result)
        return NULL;
    if (quotes)
        *to++ = '"';
    if (csv && is_formula(text))
        *to++ = '\'';
    while (*from) {
        size_t length = pithi_utf8_plain((const char *)from, SIZE_MAX);
        if (html && length == 3 && memcmp(from, "\xef\xbf", 2) == 0 && from[2] >= 0xbe)
            length = 0; /* U+FFFE and U+FFFF are no characters of XML */
        if (length == 0) {
            to += escape(to, &from, json);
            continue;
        }
        if (html && entity((char)*from)) {
            to = stpcpy(to, entity((char)*from++));
            continue;
        }
        if ((*from == '\\' && backslashes) || (*from == '"' && json))
            *to++ = '\\';
        else if (*from == '"' && csv)
            *to++ = '"';
        memcpy(to, from, length);
        to += length;
        from += length;
    }
    if (quotes)
        *to++ = '"';
    *to = '\0';
    return result;
}

/* Returns 1 if the string is ASCII and needs no escapes and no quotes, as most strings; *size is then its length. */
static int is_plain(enum pithi_quote quote, const char *text, size_t *size)
{
    int backslash = quote == PITHI_QUOTE_TEXT || quote == PITHI_QUOTE_CSV_TEXT || quote == PITHI_QUOTE_HTML ? 0 : '\\';
    int html = quote == PITHI_QUOTE_HTML, quotes = quote == PITHI_QUOTE_TABS || quote == PITHI_QUOTE_TEXT ? 0 : '"';
    int csv = quote == PITHI_QUOTE_CSV || quote == PITHI_QUOTE_CSV_TEXT, comma = csv ? ',' : 0;
    const char *end = text;

    while (*end >= 0x20 && *end < 0x7f && *end != backslash && *end != quotes && *end != comma &&
           !(html && entity(*end)))
        end++;
    *size = (size_t)(end - text);
    return *end == 0 && !(csv && end > text && (*text == ' ' || end[-1] == ' ' || is_formula(text)));
}

void pithi_out_quoted(struct pithi_out *out, enum pithi_quote quote, const char *text)
{
    size_t size;

    if (is_plain(quote, text, &size)) {
        if (quote == PITHI_QUOTE_JSON)
            pithi_out_char(out, '"');
        pithi_out_bytes(out, text, size);
        if (quote == PITHI_QUOTE_JSON)
            pithi_out_char(out, '"');
        return;
    }
    char *quoted = pithi_quoted(quote, text);

    if (quoted)
        pithi_out_text(out, quoted);
    else if (!out->failed)
        out->failed = ENOMEM;
    free(quoted);
}
