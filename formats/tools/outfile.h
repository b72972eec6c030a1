/* outfile.h - a log that a command writes: with progress on a terminal, and nothing half-written after an interrupt. */
#ifndef PITHI_OUTFILE_H
#define PITHI_OUTFILE_H

#include "format.h"

/* Writes `log` to `path`, "-" being standard output. `command`: for the line of progress, "convert". */
int pithi_outfile_write(const char *command, struct pithlog *log, const struct pithi_format *format, const char *path,
                        const struct pithi_convert *how);
/* The same for a log that `fill` makes by adding to a writer: as native straight, else by way of a native log in a
 * temporary file. `records`: about how many it reads for that, of logs given to pithi_outfile_count; 0: not known. */
int pithi_outfile_make(const char *command, const struct pithi_format *format, const char *path,
                       int (*fill)(void *context, struct pithi_writer *writer), void *context, uint64_t records);
/* What is read of the log counts as progress. */
void pithi_outfile_count(struct pithlog *log);
/* About how many records a log has in a window. */
uint64_t pithi_outfile_expect(const struct pithlog *log, int64_t from_ns, int64_t to_ns);
/* --format's, else that of OUT's suffix, else `standard` (a name; NULL: none): 0, or 2 after a message. */
int pithi_outfile_format(const char *command, const char *name, const char *out, const char *standard,
                         const struct pithi_format **format);
/* The notes of struct pithi_convert as lines on stderr. */
void pithi_outfile_note(const char *text);

#endif
