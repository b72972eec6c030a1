/* files.h - the report for scripts: a line or an object for each item, written as each process's block arrives. */
#ifndef PITHI_FILES_H
#define PITHI_FILES_H

#include "job_time.h"

#include <stdio.h>

struct pithi_time_writer {
    const char *suffix;
    void (*begin)(FILE *out, int ranks);
    void (*rank)(FILE *out, int rank, const struct pithi_time_block *block);
    void (*end)(FILE *out);
};
/* Selects the format by the file's suffix; NULL: the text for people. */
const struct pithi_time_writer *pithi_time_writer_find(const char *name);

#endif
