/* names.h - makes names and payloads fit into the fields of a foreign format. */
#ifndef PITHI_NAMES_H
#define PITHI_NAMES_H

#include <stddef.h>

#include "base/map.h"
#include "reader/read/format.h"
#include "reader/read/payload.h"

/* Copies `name` to out[size]. Text that is too long is cut between UTF-8 characters. Control characters and bytes that
 * are not UTF-8 become '?'. Blanks at both ends are removed. Returns PITHI_NAME_CUT, PITHI_NAME_CHANGED (something
 * other than the end changed), or 0. */
enum { PITHI_NAME_CUT = 1, PITHI_NAME_CHANGED };
int pithi_name_cut(char *out, size_t size, const char *name, size_t length);

/* Like pithi_name_cut, but the result differs from every earlier name made with `used`: a name that is taken gets the
 * ending "~2", "~3" and so on. Returns 1 if the name was cut or changed, -1 if out of memory. */
int pithi_name_unique(struct pithi_map *used, char *out, size_t size, const char *name);

/* Reports "COUNT TEXT" to how->note, if there is one and count is not 0. */
void pithi_note(const struct pithi_convert *how, uint64_t count, const char *text);

/* Stores the count of something a reader skipped as a property of the log, if it is not 0. */
int pithi_say_count(struct pithi_writer *writer, const char *key, uint64_t count);

/* Writes how samples were taken as a text, "sample_ns=2000000 sample_clock=cpu". Formats that hold samples but no
 * properties store this text, because without it a reader cannot find the time that a sample stands for. The text is ""
 * if the log does not say how samples were taken. pithi_sampling_read makes properties of such a text, and ignores any
 * other text. */
enum { PITHI_SAMPLING = 64 };
void pithi_sampling_text(const struct pithlog *log, char text[PITHI_SAMPLING]);
int pithi_sampling_read(struct pithi_writer *writer, const char *text, size_t size);

/* Returns the only token of a format, or 0 if the format does not have exactly one. */
char pithi_token_single(const char *format);

/* Finds a word in a list of words in which each word has a blank before and after it. Returns NULL if the list does not
 * contain the word. */
const char *pithi_word_find(const char *words, const char *word);

/* Returns the group of a state for formats without groups. It follows from the name: "MPI collective", "MPI
 * point-to-point", "MPI" or "user". */
const char *pithi_name_group(const char *name);

#endif
