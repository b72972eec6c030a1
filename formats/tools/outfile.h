/* outfile.h - writes the output file of a command. Shows the progress on a terminal, and leaves no partial file if the
 * user interrupts it. */
#ifndef PITHI_OUTFILE_H
#define PITHI_OUTFILE_H

#include "reader/read/format.h"

/* Writes `log` to `path` ("-": standard output). The line of progress begins with `command`, such as "convert". */
int pithi_outfile_write(const char *command, struct pithlog *log, const struct pithi_format *format, const char *path,
                        const struct pithi_convert *how);
/* Writes a new log to `path` and shows the progress. `fill` writes the records of this log with the writer that it is
 * given. For formats other than native, a temporary native log is made and converted. `records` is an estimate of how
 * many records `fill` reads from the logs that were passed to pithi_outfile_count; 0: unknown. */
int pithi_outfile_make(const char *command, const struct pithi_format *format, const char *path,
                       int (*fill)(void *context, struct pithi_writer *writer), void *context, uint64_t records);
/* Writes a file that is not a log. `print` writes its contents and returns PITH_OK or an error. */
int pithi_outfile_print(const char *command, const char *path, int (*print)(void *context, FILE *out), void *context);
/* Like pithi_outfile_print, but the file may be the log that is read. */
int pithi_outfile_rewrite(const char *command, const char *path, int (*print)(void *context, FILE *out), void *context);
/* Notes that the command reads the file, so that pithi_outfile_print refuses to replace it by a page or a picture. A
 * command that writes a log may replace its input, as the new log gets the name only when it is whole. */
void pithi_outfile_reads(const char *path);
int pithi_outfile_check(const char *path); /* returns PITH_OK, or an error if the command reads the file `path` */
/* From here on, each record that is read from `log` counts as progress. */
void pithi_outfile_count(struct pithlog *log);
/* Returns an estimate of the number of records in the window [from_ns, to_ns] of a log. */
uint64_t pithi_outfile_expect(const struct pithlog *log, int64_t from_ns, int64_t to_ns);
/* Finds the format: `name`, the value of --format, if it is not NULL; else the format with the suffix of `out`; else
 * `standard`, if it is not NULL. Returns 0, or 2 if there is no such format; then it has printed a message. */
int pithi_outfile_format(const char *command, const char *name, const char *out, const char *standard,
                         const struct pithi_format **format);
/* A function for the field `note` of struct pithi_convert: prints a line on stderr. */
void pithi_outfile_note(const char *text);

#endif
