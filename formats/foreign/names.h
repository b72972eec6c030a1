/* names.h - names and payloads that must fit into the fields of a foreign format, by rule. */
#ifndef PITHI_NAMES_H
#define PITHI_NAMES_H

#include <stddef.h>

#include "foreign/lookup.h"
#include "format.h"
#include "payload.h"

/* Copies `name` to out[size]: what is too long is cut between characters of UTF-8, control characters and bytes that
 * are no UTF-8 become '?', blanks at both ends go. Returns PITHI_NAME_CUT, PITHI_NAME_CHANGED (something else than
 * its end is different), or 0. */
enum { PITHI_NAME_CUT = 1, PITHI_NAME_CHANGED };
int pithi_name_cut(char *out, size_t size, const char *name, size_t length);

/* The same, and different from every name made with `used` before: a name that is taken ends with "~2", "~3" ...
 * Returns 1 when it was cut or changed, -1 when memory ran out. */
int pithi_name_unique(struct pithi_lookup *used, char *out, size_t size, const char *name);

/* Tells how->note, if there is one and count is not 0: "COUNT TEXT". */
void pithi_note(const struct pithi_convert *how, uint64_t count, const char *text);

/* What a reader passed over, as a property of the log when count is not 0. */
int pithi_say_count(struct pithi_writer *writer, const char *key, uint64_t count);

/* The token of a format that has exactly one, else 0. */
char pithi_token_single(const char *format);

/* "MPI collective", "MPI point-to-point", "MPI" or "user": the group of a state that a format gives by name only. */
const char *pithi_name_group(const char *name);

#endif
