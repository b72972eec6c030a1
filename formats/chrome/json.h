/* json.h - JSON read from memory piece by piece, nothing built of it: a value is the place where it stands.
 *
 *     pithi_json_open(&json, '{');
 *     for (int first = 1; (status = pithi_json_key(&json, &first, &key)) == PITHI_JSON_OK;)
 *         status = pithi_json_value(&json, &value);
 *
 * As many programs write it, a comma may stand before the end of an array or object, and NaN and Infinity for numbers.
 * Nesting is bounded. What is decoded is UTF-8 without NUL, whatever stands there: what makes no sense is U+FFFD. */
#ifndef PITHI_JSON_H
#define PITHI_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pithi_json {
    const unsigned char *data;
    size_t size, at;
    const char *wrong; /* after PITHI_JSON_WRONG: what is, at `at` */
};

enum {
    PITHI_JSON_WRONG = -1,
    PITHI_JSON_CUT = -2, /* the text ends inside what was asked for */
    PITHI_JSON_DONE = 0, /* no more in this array or object, its end was passed */
    PITHI_JSON_OK = 1
};

/* `kind`: '{' '[' '"' '0' (number), 'w' (true, false, null ...), 0 (none). The text of a string without its quotes. */
struct pithi_json_value {
    char kind;
    const unsigned char *text;
    size_t size;
};

/* The next byte that is no blank, which stays; 0: the end. */
int pithi_json_peek(struct pithi_json *json);
/* '[' or '{' must be next. */
int pithi_json_open(struct pithi_json *json, char open);
/* Before each item of an array; `*first` is 1 before the first. Afterwards the item must be read. */
int pithi_json_item(struct pithi_json *json, int *first);
/* The same for an object: its next key. */
int pithi_json_key(struct pithi_json *json, int *first, struct pithi_json_value *key);
/* The next value, passed over whole. */
int pithi_json_value(struct pithi_json *json, struct pithi_json_value *value);
int pithi_json_fail(struct pithi_json *json, const char *wrong);

/* Whether a string is `text`, which has nothing that is escaped. */
static inline int pithi_json_is(const struct pithi_json_value *value, const char *text)
{
    return strlen(text) == value->size && memcmp(value->text, text, value->size) == 0;
}

/* A string decoded, any other value as it stands, to out[size], cut between characters. Gives its length. */
size_t pithi_json_text(const struct pithi_json_value *value, char *out, size_t size);
/* A number, or a string that is one, times 10^decimals, exactly, rounded where it has more digits. 0: it is none, or
 * too large. */
int pithi_json_scaled(const struct pithi_json_value *value, int decimals, int64_t *result);
int pithi_json_double(const struct pithi_json_value *value, double *result);

#endif
