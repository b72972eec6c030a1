/* payload.h - makes text of payloads by their formats (pith_event_define in pith.h). */
#ifndef PITHI_PAYLOAD_H
#define PITHI_PAYLOAD_H

#include <stddef.h>

#include "pithlog.h"

/* Like pithlog_payload_text, with the format given by the caller. */
size_t pithi_payload_text(const char *format, const struct pithlog_record *record, char *text, size_t size);

/* Memory for the text of one payload after another, which grows as needed. All zero at first; the caller frees `text`
 * at the end. */
struct pithi_payload_line {
    char *text; /* from malloc */
    size_t room;
};
/* Used only by pithi_payload_line, if the text has more bytes (`size`) than there is room. */
const char *pithi_payload_longer(struct pithi_payload_line *line, size_t size, const char *format,
                                 const struct pithlog_record *record);
/* Returns the text of a record's payload, valid until the next call; NULL if there is no memory. */
static inline const char *pithi_payload_line(struct pithi_payload_line *line, const char *format,
                                             const struct pithlog_record *record)
{
    size_t size = pithi_payload_text(format, record, line->text, line->room);
    return size <= line->room ? line->text : pithi_payload_longer(line, size, format, record);
}

#endif
