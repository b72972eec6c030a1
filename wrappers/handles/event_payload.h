/* event_payload.h - the payload of an event, field by field in the order of its format string (pith.h). */
#ifndef PITHI_EVENT_PAYLOAD_H
#define PITHI_EVENT_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PITHI_TEXT_MAX = 1024 }; /* bytes; a longer text is cut */

struct pithi_event_payload {
    size_t size;                              /* how many of `bytes` are filled */
    unsigned char bytes[PITHI_TEXT_MAX + 76]; /* not cleared, because most payloads are short */
};

/* Appends a number of `size` bytes, the most significant byte first. */
static inline void pithi_event_number(struct pithi_event_payload *payload, int64_t value, int size)
{
    while (size-- > 0)
        payload->bytes[payload->size++] = (unsigned char)((uint64_t)value >> 8 * size);
}

/* Appends a text. `text` NULL counts as "". */
static inline void pithi_event_text(struct pithi_event_payload *payload, const char *text)
{
    size_t length = text ? strnlen(text, PITHI_TEXT_MAX) : 0;

    pithi_event_number(payload, (int64_t)length, 2);
    if (length)
        memcpy(payload->bytes + payload->size, text, length);
    payload->size += length;
}

#endif
