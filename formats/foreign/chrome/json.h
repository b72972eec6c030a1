/* json.h - reads JSON from memory piece by piece without building a tree: a value is a place in the text.
 *
 *     pithi_json_open(&json, '{');
 *     for (int first = 1; (status = pithi_json_key(&json, &first, &key)) == PITHI_JSON_OK;)
 *         status = pithi_json_value(&json, &value);
 *
 * Many programs write a comma before the end of an array or object, and NaN or Infinity for numbers. The reader accepts
 * these. Nesting is bounded. Decoded text is always UTF-8 without NUL; invalid bytes become U+FFFD. A backslash that
 * begins no escape stands for itself: some programs write "C:\dir" with one backslash. */
#ifndef PITHI_JSON_H
#define PITHI_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pithi_json {
    const unsigned char *data;
    size_t size, at;   /* `at`: the next byte */
    const char *wrong; /* after PITHI_JSON_WRONG: the error found at `at` */
};

enum {
    PITHI_JSON_WRONG = -1,
    PITHI_JSON_CUT = -2, /* the text ends inside the requested piece */
    PITHI_JSON_DONE = 0, /* the array or object has ended and was passed */
    PITHI_JSON_OK = 1
};

/* `kind`: '{' '[' '"' '0' (number), 'w' (true, false, null ...), 0 (none). A string's text has no quotes. */
struct pithi_json_value {
    char kind;
    const unsigned char *text;
    size_t size; /* bytes of `text` */
};

/* Returns the next byte that is not blank, without passing it. Returns 0 at the end of the text. */
int pithi_json_peek(struct pithi_json *json);
/* Passes '[' or '{', which must be next. */
int pithi_json_open(struct pithi_json *json, char open);
/* Call before each item of an array, with *first = 1 before the first item. Then read the item. */
int pithi_json_item(struct pithi_json *json, int *first);
/* Call before each value of an object, with *first = 1 before the first value. Reads the key of the value. */
int pithi_json_key(struct pithi_json *json, int *first, struct pithi_json_value *key);
/* Reads the next value, with all that is nested in it. */
int pithi_json_value(struct pithi_json *json, struct pithi_json_value *value);
int pithi_json_fail(struct pithi_json *json, const char *wrong);

/* Returns 1 if a string equals `text`. `text` must not need escapes. */
static inline int pithi_json_is(const struct pithi_json_value *value, const char *text)
{
    return strlen(text) == value->size && memcmp(value->text, text, value->size) == 0;
}

/* Copies a decoded string, or any other value as it is, to out[size], cut between characters. Returns the length. */
size_t pithi_json_text(const struct pithi_json_value *value, char *out, size_t size);
/* Reads a number, or a string with a number, and multiplies it by 10^decimals. The result is exact, or rounded if the
 * number has more decimals. Returns 0 if it is not a number, or too large. */
int pithi_json_scaled(const struct pithi_json_value *value, int decimals, int64_t *result);
/* Reads a number, or a string with a number, as a double. Returns 0 if it is not a number. */
int pithi_json_double(const struct pithi_json_value *value, double *result);

#endif
