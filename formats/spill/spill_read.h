/* spill_read.h - makes a log from spill files: it has what a running or dead program has recorded so far. */
#ifndef PITHI_SPILL_READ_H
#define PITHI_SPILL_READ_H

#include "base/input.h"
#include "native/segment.h"
#include "spill/spill_folder.h"

/* The property "recovered" of a log ends with this text if processes of the program were still running when the spill
 * files were read. */
#define PITHI_STILL_RUNNING ", still running"

/* 1: the input is a spill file, or a folder with spill files. */
int pithi_spill_probe(const struct pithi_input *input);
/* Reads the newest job of the folder. */
int pithi_spill_read(const struct pithi_input *input, struct pithi_writer *writer);

/* The result of reading a job. */
struct pithi_spill_result {
    uint64_t records, lost, damaged; /* damaged: parts of files that are no records and were skipped */
    uint32_t unreadable;             /* files that could not be read at all */
    uint64_t losses, missing; /* places with missing data; upper limit of the missing records (spill_missing.h) */
};
/* Writes a job of a folder to a log; the caller finishes the writer. `result` may be NULL. If `say` is not NULL, the
 * check values of all files are verified, and `say` gets a line for each loss; if it is NULL, losses are not searched.
 */
int pithi_spill_read_job(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job,
                         struct pithi_writer *writer, struct pithi_spill_result *result,
                         void (*say)(void *context, const char *text), void *context);

#endif
