/* json.c - reads JSON values in place. A trace may be larger than memory, so no tree is built, and skipping a value
 * allocates nothing.
 *
 * A value is a kind, an address and a size: in "args":{"tag":7} the value has the kind '{' and the text {"tag":7}. Its
 * contents are decoded only when they are needed.
 *
 * The text may end anywhere, as programs die while they write. So there are two kinds of failure. CUT means that the
 * text ended too early; WRONG means that it is not JSON. A number at the very end of the text counts as cut, because 12
 * may be the begin of 123. */
#include "foreign/chrome/json.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 200, NUMBER = 64 }; /* DEPTH: most levels of nesting; NUMBER: bytes of a number as text */

static int is_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_number(int c) { return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }
static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int pithi_json_fail(struct pithi_json *json, const char *wrong)
{
    json->wrong = wrong;
    return PITHI_JSON_WRONG;
}

int pithi_json_peek(struct pithi_json *json)
{
    while (json->at < json->size && is_blank(json->data[json->at]))
        json->at++;
    return json->at < json->size ? json->data[json->at] : 0;
}

/* Returns CUT if the text ended too early, or else WRONG, because the next byte cannot stand there. `wrong` is the
 * message. */
static int unexpected(struct pithi_json *json, const char *wrong)
{
    return json->at < json->size ? pithi_json_fail(json, wrong) : PITHI_JSON_CUT;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Finds the end of a string without decoding it: the text of "a\"b" is a\"b, with its backslash. The byte after a
 * backslash is skipped, so an escaped quote does not end the string. */
static int string(struct pithi_json *json, struct pithi_json_value *value)
{
    size_t at = json->at + 1;
    while (at < json->size && json->data[at] != '"')
        at += json->data[at] == '\\' ? 2 : 1;
    if (at >= json->size) {
        json->at = json->size;
        return PITHI_JSON_CUT;
    }
    *value = (struct pithi_json_value){'"', json->data + json->at + 1, at - json->at - 1};
    json->at = at + 1;
    return PITHI_JSON_OK;
}

/* Reads a number or a word. At the very end of the text the result is CUT, because the rest of it may be missing. */
static int plain(struct pithi_json *json, struct pithi_json_value *value, char kind, int (*belongs)(int))
{
    size_t at = json->at;
    while (at < json->size && belongs(json->data[at]))
        at++;
    *value = (struct pithi_json_value){kind, json->data + json->at, at - json->at};
    json->at = at;
    return at < json->size ? PITHI_JSON_OK : PITHI_JSON_CUT;
}

static int word(struct pithi_json *json, struct pithi_json_value *value)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity"};
    int status = plain(json, value, 'w', is_letter);
    /* A word at the very end of the text counts as cut, whatever its letters are, because "tru" may be the begin of
     * "true". NaN and Infinity are no words of JSON, but Python writes them. */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (status != PITHI_JSON_OK || pithi_json_is(value, words[i]))
            return status;
    /* reports the error at the begin of the word */
    json->at -= value->size;
    return pithi_json_fail(json, "no value of JSON begins so");
}

static int nested_value(struct pithi_json *json, struct pithi_json_value *value, int depth);

/* Skips an object or array and sets *value to its whole text. All nested values are read on the way, because only so
 * the end can be found. `depth` limits the recursion: a file of a million '[' must not use up the stack. */
static int pass_over(struct pithi_json *json, struct pithi_json_value *value, int depth, char open)
{
    struct pithi_json_value inner;
    size_t from = json->at;
    int first = 1, status;
    if (depth == 0)
        return pithi_json_fail(json, "nested too deep");
    json->at++;
    while ((status = open == '{' ? pithi_json_key(json, &first, &inner) : pithi_json_item(json, &first)) ==
           PITHI_JSON_OK)
        if ((status = nested_value(json, &inner, depth - 1)) != PITHI_JSON_OK)
            return status;
    *value = (struct pithi_json_value){open, json->data + from, json->at - from};
    return status == PITHI_JSON_DONE ? PITHI_JSON_OK : status;
}

static int nested_value(struct pithi_json *json, struct pithi_json_value *value, int depth)
{
    int c = pithi_json_peek(json);
    if (c == '{' || c == '[')
        return pass_over(json, value, depth, (char)c);
    if (c == '"')
        return string(json, value);
    if (is_digit(c) || c == '-') {
        /* The sign of -Infinity is skipped, and the word is read without it. The sign does not matter, because
         * pithi_json_double refuses Infinity. */
        if (json->data[json->at] == '-' && json->at + 1 < json->size && json->data[json->at + 1] == 'I') {
            json->at++;
            return word(json, value);
        }
        return plain(json, value, '0', is_number);
    }
    return is_letter(c) ? word(json, value) : unexpected(json, "no value of JSON begins so");
}

int pithi_json_value(struct pithi_json *json, struct pithi_json_value *value)
{
    return nested_value(json, value, DEPTH);
}

/* ---- Arrays and objects ------------------------------------------------------------------------------------------ */

int pithi_json_open(struct pithi_json *json, char open)
{
    if (pithi_json_peek(json) != open)
        return unexpected(json, open == '{' ? "an object is wanted here" : "an array is wanted here");
    json->at++;
    return PITHI_JSON_OK;
}

/* Goes to the next member of an array or object, past the comma between two members. Returns DONE after it has passed
 * the closing bracket. A comma before the closing bracket is accepted, because programs that write a trace line by line
 * leave one there. */
static int next_item(struct pithi_json *json, int *first, char close)
{
    int c = pithi_json_peek(json);
    if (c == ',' && !*first) {
        json->at++;
        c = pithi_json_peek(json);
    } else if (!*first && c != close) {
        return unexpected(json, "a comma or the end is wanted here");
    }
    *first = 0;
    if (c != close)
        return json->at < json->size ? PITHI_JSON_OK : PITHI_JSON_CUT;
    json->at++;
    return PITHI_JSON_DONE;
}

int pithi_json_item(struct pithi_json *json, int *first) { return next_item(json, first, ']'); }

int pithi_json_key(struct pithi_json *json, int *first, struct pithi_json_value *key)
{
    int status = next_item(json, first, '}');
    if (status != PITHI_JSON_OK)
        return status;
    if (json->data[json->at] != '"')
        return pithi_json_fail(json, "a key in quotes is wanted here");
    if ((status = string(json, key)) != PITHI_JSON_OK)
        return status;
    if (pithi_json_peek(json) != ':')
        return unexpected(json, "a colon is wanted here");
    json->at++;
    return PITHI_JSON_OK;
}

/* ---- Strings ----------------------------------------------------------------------------------------------------- */

/* Reads four hexadecimal digits. Returns 0 if there are fewer. */
static int hex4(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
    *code = 0;
    if (end - p < 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        int c = p[i], low = c | 0x20;
        if (!is_digit(c) && (low < 'a' || low > 'f'))
            return 0;
        *code = *code << 4 | (uint32_t)(is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    return 1;
}

/* Decodes the 4 or 10 bytes after "\u" and returns how many they are, or 0 if they are no character. A character above
 * U+FFFF is written as two halves, "\ud83d\ude00". */
static size_t unicode(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
    uint32_t low;
    if (!hex4(p, end, code))
        return 0;
    if (*code >= 0xd800 && *code < 0xdc00 && end - p >= 10 && p[4] == '\\' && p[5] == 'u' && hex4(p + 6, end, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
        return 10;
    }
    /* One half of a pair has no UTF-8 form, and a NUL would end the C string. Both become U+FFFD, the replacement
     * character. */
    if (*code == 0 || (*code >= 0xd800 && *code < 0xe000))
        *code = 0xfffd;
    return 4;
}

/* Decodes what follows a backslash. Returns its size plus that of the backslash. */
static size_t escaped(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
    static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
    /* A NUL byte is not looked up, because strchr() would find the NUL at the end of `letters`. */
    const char *letter = p < end && *p ? strchr(letters, *p) : NULL;
    size_t size = p < end && *p == 'u' ? unicode(p + 1, end, code) : 0;
    if (size)
        return 2 + size;
    /* An unknown escape is text. For \q the result is a backslash, and q is read next. */
    *code = letter ? (uint32_t)(unsigned char)codes[letter - letters] : '\\';
    return letter ? 2 : 1;
}

/* Decodes a character that is not escaped. */
static size_t utf8(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    /* The first byte has the length: 0xxxxxxx is 1, 110xxxxx is 2, 1110xxxx is 3, 11110xxx is 4 bytes. */
    size_t length = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
    *code = length == 1 ? *p : *p & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (p + i >= end || (p[i] & 0xc0) != 0x80) {
            *code = 0xfffd;
            /* Only the valid bytes are skipped, so that the character after them is not lost. */
            return i;
        }
        *code = *code << 6 | (p[i] & 0x3f);
    }
    /* U+FFFD replaces bytes that are no valid character: NUL, a byte with which no character begins, a code in more
     * bytes than it needs (c0 80 for NUL), a code above U+10FFFF, or one half of a UTF-16 pair. */
    if (*p == 0 || *p >= 0xf8 || (*p >= 0x80 && *p < 0xc0) || *code < least[length] || *code > 0x10ffff ||
        (*code >= 0xd800 && *code < 0xe000))
        *code = 0xfffd;
    return length;
}

size_t pithi_json_text(const struct pithi_json_value *value, char *out, size_t size)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const unsigned char *p = value->text, *end = p ? p + value->size : p;
    size_t used = 0;
    while (p < end) {
        char bytes[4];
        uint32_t code;
        p += *p == '\\' && value->kind == '"' ? escaped(p + 1, end, &code) : utf8(p, end, &code);
        /* Encodes the code in UTF-8. U+20AC, the euro sign, becomes e2 82 ac. */
        size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        for (size_t i = length; i-- > 1; code >>= 6)
            bytes[i] = (char)(0x80 | (code & 0x3f));
        bytes[0] = (char)(lead[length] | code);
        /* writes a whole character or none of it, and leaves room for the NUL */
        if (length >= size - used)
            break;
        memcpy(out + used, bytes, length);
        used += length;
    }
    out[used] = 0;
    return used;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

int pithi_json_scaled(const struct pithi_json_value *value, int decimals, int64_t *result)
{
    uint64_t digits = 0, scaled;
    int64_t power = decimals;
    int seen = 0, fraction = 0;
    if ((value->kind != '0' && value->kind != '"') || value->size == 0)
        return 0;
    const unsigned char *p = value->text, *end = p + value->size;
    /* Reads all digits into a whole number. `power` says where the decimal point is. A double is not used, because it
     * has only 53 bits: a time of 1700000000123456.789 us would lose its last digits. */
    int negative = *p == '-';
    for (p += negative; p < end && (is_digit(*p) || (*p == '.' && !fraction)); p++) {
        if (*p == '.') {
            fraction = 1;
            continue;
        }
        seen = 1;
        if (digits <= (UINT64_MAX - 9) / 10) {
            digits = digits * 10 + (uint64_t)(*p - '0');
            power -= fraction;
        } else { /* 19 digits always fit in 64 bits; further digits before the point only increase `power` */
            power += !fraction;
        }
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        /* Once the exponent has reached 100000, further digits are ignored: the result is 0 or too large in any
         * case. */
        int64_t exponent = 0;
        int down = ++p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        const unsigned char *from = p;
        for (; p < end && is_digit(*p); p++)
            exponent = exponent < 100000 ? exponent * 10 + (*p - '0') : exponent;
        if (p == from)
            return 0;
        power += down ? -exponent : exponent;
    }
    if (!seen || p != end)
        return 0;
    /* The number is digits * 10^power. The last digit that is shifted out decides about rounding: 1.5 us with 3
     * decimals is 15 * 10^2 = 1500 ns; 0.0015 us is 15 * 10^-1, which is rounded to 2 ns. */
    for (; power > 0 && digits; power--) {
        if (digits > UINT64_MAX / 10)
            return 0;
        digits *= 10;
    }
    for (; power < -1 && digits; power++)
        digits /= 10;
    scaled = power == -1 ? digits / 10 + (digits % 10 >= 5) : digits;
    if (scaled > INT64_MAX)
        return 0;
    *result = negative ? -(int64_t)scaled : (int64_t)scaled;
    return 1;
}

int pithi_json_double(const struct pithi_json_value *value, double *result)
{
    char text[NUMBER], *end;
    if ((value->kind != '0' && value->kind != '"') || value->size == 0 || value->size >= sizeof text)
        return 0;
    memcpy(text, value->text, value->size);
    text[value->size] = 0;
    *result = strtod(text, &end);
    return end == text + value->size;
}
