/* slog2.h - SLOG-2, the log of Jumpshot-4: a tree of nodes, each with what lies in its time and previews of what lies
 * below. README.md tells how it is read and written. */
#ifndef PITHI_SLOG2_H
#define PITHI_SLOG2_H

#include "format.h"

int pithi_slog2_probe(const struct pithi_input *input);
int pithi_slog2_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_slog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
