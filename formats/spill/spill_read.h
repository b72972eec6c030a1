/* spill_read.h - spill files as a readable format: what a running or dead program has recorded so far. */
#ifndef PITHI_SPILL_READ_H
#define PITHI_SPILL_READ_H

#include "format.h"
#include "spill/spill_folder.h"

/* A spill file, or a folder that holds some. */
int pithi_spill_probe(const struct pithi_input *input);
/* The newest job of the folder. */
int pithi_spill_read(const struct pithi_input *input, struct pithi_writer *writer);

/* What came of one job. */
struct pithi_spill_result {
    uint64_t records, lost, damaged; /* damaged: pieces of files that were no records, left out */
    uint32_t unreadable;             /* files that could not be read at all */
    uint64_t losses, missing;        /* places where something is missing (spill_missing.h); at most so many records */
};
/* One job of a folder into a log. The writer's finish is the caller's. `result` may be NULL. `say` (NULL: nobody) is
 * told each loss in a line; then all of the files is verified. */
int pithi_spill_read_job(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job,
                         struct pithi_writer *writer, struct pithi_spill_result *result,
                         void (*say)(void *context, const char *text), void *context);

#endif
