/* payload.h - the tokens of payload formats (pith_event_define in pith.h). */
#ifndef PITHI_PAYLOAD_H
#define PITHI_PAYLOAD_H

#include <stddef.h>

#include "pithlog.h"

/* Bytes that a value of this token takes in a payload (of 's': of its length); 0: no token. */
size_t pithi_token_size(char token);

/* pithlog_payload_text with the format itself. */
size_t pithi_payload_text(const char *format, const struct pithlog_record *record, char *text, size_t size);

#endif
