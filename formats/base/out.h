/* out.h - fast text output, without printf: one big buffer, formatting of numbers, escapes in names.
 *
 * printf costs about 0.3 microseconds a record, more than reading the record; so the text formats build their lines in
 * this buffer. The first failure is kept: pithi_out_close returns it, and a caller may stop early if `failed` is set.
 */
#ifndef PITHI_OUT_H
#define PITHI_OUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pithi_out {
    FILE *file; /* not owned */
    char *data; /* one buffer, written when it is full */
    size_t used;
    int failed; /* errno of the first failed write; 0: none */
};

enum {
    PITHI_OUT_SIZE = 1 << 18, /* bytes of the buffer: 256 KiB */
    PITHI_OUT_SHORT = 64      /* enough bytes for any number */
};

int pithi_out_open(struct pithi_out *out, FILE *file); /* PITH_OK or PITH_ERR_MEMORY; does not take over `file` */
/* Writes the rest and frees the buffer. If `err` is an error, returns `err` and keeps its text; else returns PITH_OK,
 * or PITH_ERR_IO with errno.
 */
int pithi_out_close(struct pithi_out *out, int err);
void pithi_out_flush(struct pithi_out *out);
void pithi_out_long(struct pithi_out *out, const char *text, size_t size); /* any size */

static inline void pithi_out_room(struct pithi_out *out, size_t size)
{
    if (PITHI_OUT_SIZE - out->used < size)
        pithi_out_flush(out);
}

static inline void pithi_out_bytes(struct pithi_out *out, const char *text, size_t size)
{
    if (PITHI_OUT_SIZE - out->used < size) {
        pithi_out_long(out, text, size);
        return;
    }
    memcpy(out->data + out->used, text, size);
    out->used += size;
}

static inline void pithi_out_char(struct pithi_out *out, char c)
{
    pithi_out_room(out, 1);
    out->data[out->used++] = c;
}

static inline void pithi_out_text(struct pithi_out *out, const char *text) { pithi_out_bytes(out, text, strlen(text)); }

void pithi_out_u64(struct pithi_out *out, uint64_t value);
void pithi_out_i64(struct pithi_out *out, int64_t value);
void pithi_out_seconds(struct pithi_out *out, int64_t time_ns); /* "-12.000000345" */

/* Writes the shortest decimal that reads back as the same double, or "nan", "inf", "-inf". The text does not depend on
 * the locale. */
void pithi_out_double(struct pithi_out *out, double value);

/* Ways to write a string from a log. All these ways escape control characters (C0, DEL, C1) and bytes that are not
 * UTF-8, so that no name can move the cursor of a terminal. */
enum pithi_quote {
    PITHI_QUOTE_TABS,     /* \t \n \r \\ \xHH */
    PITHI_QUOTE_TEXT,     /* as TABS, but keeps backslashes: for text that is already escaped */
    PITHI_QUOTE_CSV,      /* as TABS; quoted if it contains a comma, a quote, or a blank at an end (RFC 4180) */
    PITHI_QUOTE_CSV_TEXT, /* as CSV, but keeps backslashes */
    PITHI_QUOTE_JSON,     /* quoted; invalid UTF-8 becomes U+FFFD */
    PITHI_QUOTE_HTML      /* as TEXT; & < > " as entities, for text and attributes of HTML and XML */
};
/* From now on, CSV text that a spreadsheet would take for a formula (it begins with = + - or @ and is no number) gets a
 * ' before it. This holds for the whole process; call it before other threads write. */
void pithi_quote_formulas(void);
void pithi_out_quoted(struct pithi_out *out, enum pithi_quote quote, const char *text);

/* Returns the text that pithi_out_quoted writes as a malloc'ed string, for names that are written often. Returns NULL
 * if there is no memory. */
char *pithi_quoted(enum pithi_quote quote, const char *text);

#endif
