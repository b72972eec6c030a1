/* native.h - the native format's row in the table of formats. */
#ifndef PITHI_NATIVE_H
#define PITHI_NATIVE_H

#include "format.h"

int pithi_native_probe(const struct pithi_input *input);
/* Adds all that is whole of a native log (of any log that can be opened) to what the writer has; *damages: places
 * where something was left out. */
int pithi_native_recover(const char *path, struct pithi_writer *writer, uint64_t *damages);
/* The same, for the table. (pithlog_open opens native logs in place, without this.) */
int pithi_native_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_native_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* A native log in an open file, of what `fill` adds to a writer. */
int pithi_native_make(FILE *out, int (*fill)(void *context, struct pithi_writer *writer), void *context);

#endif
