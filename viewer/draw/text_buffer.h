/* text_buffer.h - text in memory that grows. The struct must be zeroed before the first use. The caller frees
 * `data`. */
#ifndef PITHI_TEXT_BUFFER_H
#define PITHI_TEXT_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct pithi_text {
    char *data; /* NULL or ended by a zero */
    uint32_t size, capacity;
};

void pithi_text_add(struct pithi_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pithi_text_bytes(struct pithi_text *text, const char *bytes, size_t size);
/* Escapes the string for XML text and attributes. */
void pithi_text_escaped(struct pithi_text *text, const char *string);
/* Writes a number of hundredths in its shortest form: 1250 is "12.5". */
void pithi_text_hundredths(struct pithi_text *text, long hundredths);

#endif
