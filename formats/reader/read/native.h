/* native.h - the native format's row in the table of formats. */
#ifndef PITHI_NATIVE_H
#define PITHI_NATIVE_H

#include "reader/read/format.h"

int pithi_native_probe(const struct pithi_input *input);
/* Adds all intact records of a native log (or of any log that can be read) to the writer. Sets *damages to the number
 * of places at which records were left out. */
int pithi_native_recover(const char *path, struct pithi_writer *writer, uint64_t *damages);
/* The reader of the native format in the table of formats; it calls pithi_native_recover. (pithlog_open opens native
 * logs without it.) */
int pithi_native_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_native_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* Writes a native log to an open file. `fill` is called to add the log's contents to a writer. */
int pithi_native_make(FILE *out, int (*fill)(void *context, struct pithi_writer *writer), void *context);

/* Like pithi_native_make, but writes to a temporary file, and opens this log as *log (NULL after an error). `name` is
 * used in errors in place of a path. */
int pithi_native_temporary(const char *name, int (*fill)(void *context, struct pithi_writer *writer), void *context,
                           struct pithlog **log);

#endif
