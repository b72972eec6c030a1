/* clog1.h - CLOG (".clog"), the binary log of MPE 1, which came with MPICH 1: read, not written. What becomes of
 * what is in it: README.md. The functions are those of struct pithi_format (format.h). */
#ifndef PITHI_CLOG1_H
#define PITHI_CLOG1_H

#include "format.h"

int pithi_clog1_probe(const struct pithi_input *input);
int pithi_clog1_read(const struct pithi_input *input, struct pithi_writer *writer);

#endif
