/* payload.h - the tokens of payload formats (pith_event_define in pith.h). */
#ifndef PITHI_PAYLOAD_H
#define PITHI_PAYLOAD_H

#include <stddef.h>

#include "pithlog.h"

/* pithlog_payload_text with an explicit format. */
size_t pithi_payload_text(const char *format, const struct pithlog_record *record, char *text, size_t size);

#endif
