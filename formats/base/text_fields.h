/* text_fields.h - splits a line of `pith print` into columns and key=value fields, and decodes its escapes. */
#ifndef PITHI_TEXT_FIELDS_H
#define PITHI_TEXT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_FIELDS_MAX = 24 }; /* columns of a line */

struct pithi_fields {
    char *at[PITHI_FIELDS_MAX]; /* in the line, each ends with a NUL */
    uint32_t count;
};

/* Cuts `line` at its tabs, in place. The last field keeps any further columns. */
void pithi_fields_cut(struct pithi_fields *fields, char *line);
/* The text after "key=" in the fields from `first` on; NULL: none. */
char *pithi_fields_get(const struct pithi_fields *fields, uint32_t first, const char *key);

/* Decodes \t \n \r \\ \xHH in place. Returns the size; a NUL follows. */
size_t pithi_unescape(char *text);

/* Parse a whole text as a number: 1, or 0: not a number, or out of range. Seconds: the first 9 decimals count. */
int pithi_text_i64(const char *text, int64_t least, int64_t most, int64_t *value);
int pithi_text_u64(const char *text, uint64_t *value);
int pithi_text_seconds(const char *text, int64_t *time_ns);

/* Converts the text of a payload (pithi_payload_text) back to bytes by its format: malloc'ed, *size bytes. NULL: the
 * text does not match the format, or no memory. */
unsigned char *pithi_payload_parse(const char *format, const char *text, size_t *size);

#endif
