/* alog.h - ALOG, the text log of p4, MPE 1, upshot and nupshot. What it can hold and what is lost: README.md.
 * The functions are those of struct pithi_format (format.h). */
#ifndef PITHI_ALOG_H
#define PITHI_ALOG_H

#include "format.h"

int pithi_alog_probe(const struct pithi_input *input);
int pithi_alog_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_alog_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
