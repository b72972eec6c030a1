/* files.h - the report for scripts: one line or object after the other, as the processes' blocks come. */
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
/* By the suffix of a file's name; NULL: text, as for people. */
const struct pithi_time_writer *pithi_time_writer_find(const char *name);

#endif
