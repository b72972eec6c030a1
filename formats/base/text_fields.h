/* text_fields.h - splits a line of `pith print` into columns and key=value fields, and decodes its escapes. */
#ifndef PITHI_TEXT_FIELDS_H
#define PITHI_TEXT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_FIELDS_MAX = 24 }; /* columns of a line */

struct pithi_fields {
    char *at[PITHI_FIELDS_MAX]; /* point into the line; each field ends with a NUL */
    uint32_t count;
};

/* Cuts `line` at its tabs, in place. If it has more than PITHI_FIELDS_MAX columns, the last field has all the rest. */
void pithi_fields_cut(struct pithi_fields *fields, char *line);
/* Returns the text after "key=" in the fields from `first` on, or NULL if no field has the key. */
char *pithi_fields_get(const struct pithi_fields *fields, uint32_t first, const char *key);

/* Decodes \t \n \r \\ \xHH in place. Returns the size of the result, which ends with a NUL. */
size_t pithi_unescape(char *text);

/* Parse a whole text as a number. Return 1, or 0 if it is not a number or out of range. pithi_text_seconds ignores
 * decimals after the ninth. */
int pithi_text_i64(const char *text, int64_t least, int64_t most, int64_t *value);
int pithi_text_u64(const char *text, uint64_t *value);
int pithi_text_seconds(const char *text, int64_t *time_ns);

/* Converts the text of a payload (from pithi_payload_text) back to bytes by its format. Returns *size malloc'ed bytes,
 * or NULL if the text does not match the format or there is no memory. */
unsigned char *pithi_payload_parse(const char *format, const char *text, size_t *size);

#endif
