/* payload.h - the tokens of payload formats (pith_event_define in pith.h). */
#ifndef PITHI_PAYLOAD_H
#define PITHI_PAYLOAD_H

#include <stddef.h>

#include "pithlog.h"

/* pithlog_payload_text with an explicit format. */
size_t pithi_payload_text(const char *format, const struct pithlog_record *record, char *text, size_t size);

/* The text of one payload after another, in memory that grows. All zero: empty; free(text) at the end. */
struct pithi_payload_line {
    char *text; /* malloc'ed */
    size_t room;
};
/* Only for pithi_payload_line: the text has `size` bytes. */
const char *pithi_payload_longer(struct pithi_payload_line *line, size_t size, const char *format,
                                 const struct pithlog_record *record);
/* The text of a record's payload; valid until the next call. NULL: no memory. */
static inline const char *pithi_payload_line(struct pithi_payload_line *line, const char *format,
                                             const struct pithlog_record *record)
{
    size_t size = pithi_payload_text(format, record, line->text, line->room);
    return size <= line->room ? line->text : pithi_payload_longer(line, size, format, record);
}

#endif
