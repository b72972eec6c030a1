/* clog2.h - CLOG-2 ("CLOG-02.44"), the binary log of MPE 2, which Jumpshot converts. What it can hold and what is lost:
 * README.md. The functions are those of struct pithi_format (format.h). */
#ifndef PITHI_CLOG2_H
#define PITHI_CLOG2_H

#include "format.h"

int pithi_clog2_probe(const struct pithi_input *input);
int pithi_clog2_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_clog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
