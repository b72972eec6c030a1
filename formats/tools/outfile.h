/* outfile.h - a log that a command writes: with progress on a terminal, and nothing half-written after an interrupt. */
#ifndef PITHI_OUTFILE_H
#define PITHI_OUTFILE_H

#include "format.h"

/* Writes `log` to `path`, "-" being standard output. `command`: for the line of progress, "convert". */
int pithi_outfile_write(const char *command, struct pithlog *log, const struct pithi_format *format, const char *path,
                        const struct pithi_convert *how);
/* The notes of struct pithi_convert as lines on stderr. */
void pithi_outfile_note(const char *text);

#endif
