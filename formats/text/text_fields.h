/* text_fields.h - a line of `pith print` taken apart: columns and key=value fields, with its escapes undone. */
#ifndef PITHI_TEXT_FIELDS_H
#define PITHI_TEXT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum { PITHI_FIELDS_MAX = 24 };

struct pithi_fields {
    char *at[PITHI_FIELDS_MAX]; /* in the line, each with a NUL behind */
    uint32_t count;
};

/* Cuts `line` at its tabs, in place. Columns beyond the last place are left in that. */
void pithi_fields_cut(struct pithi_fields *fields, char *line);
/* The text behind "key=" among the fields from `first` on; NULL: there is none. */
char *pithi_fields_get(const struct pithi_fields *fields, uint32_t first, const char *key);

/* \t \n \r \\ \xHH become the bytes they stand for, in place. Returns the size; a NUL is put behind. */
size_t pithi_unescape(char *text);

/* Whole texts as numbers: 1, or 0: it is none, or does not fit. Seconds have up to 9 decimals that count. */
int pithi_text_i64(const char *text, int64_t least, int64_t most, int64_t *value);
int pithi_text_u64(const char *text, uint64_t *value);
int pithi_text_seconds(const char *text, int64_t *time_ns);

/* The bytes of a payload from its text (pithi_payload_text) and format: malloc'ed, *size of them; NULL: the text is not
 * of that format, or there is no memory. */
unsigned char *pithi_payload_parse(const char *format, const char *text, size_t *size);

#endif
