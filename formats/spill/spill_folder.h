/* spill_folder.h - lists the jobs and processes in a folder of spill files. Reads only process pages. */
#ifndef PITHI_SPILL_FOLDER_H
#define PITHI_SPILL_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "spill/spill.h"

/* One process's file. */
struct pithi_spill_member {
    char *path; /* malloc'ed */
    uint64_t job;
    int32_t rank, size;    /* rank 0 of size 1 if it had joined no job */
    uint32_t listed;       /* ranks of the job that record */
    uint32_t pid;          /* of the process */
    int running;           /* 1: the process is alive on this machine */
    int64_t start_real_ns; /* CLOCK_REALTIME when recording began */
};

/* The processes of one job are members[first .. first + count - 1], in order of rank. */
struct pithi_spill_job {
    uint32_t first, count;
    uint32_t ranks;        /* of the job */
    uint32_t missing;      /* ranks without a file */
    uint32_t gone;         /* of these, ranks that should have a file (those in PITH_RANKS) */
    uint32_t running;      /* processes that still run */
    int64_t start_real_ns; /* of its earliest process */
};

struct pithi_spill_folder {
    struct pithi_spill_member *members; /* [member_count] by job, then rank */
    uint32_t member_count;
    struct pithi_spill_job *jobs; /* oldest first */
    uint32_t job_count;
    char **unreadable_paths; /* files named *.spill with an unreadable page */
    uint32_t unreadable;     /* number of unreadable_paths: no spill files, or of another version */
};

/* `path`: a folder, or one spill file. An empty folder is no error. Ignores files of finished jobs, which have a log.
 */
int pithi_spill_folder_open(struct pithi_spill_folder *folder, const char *path);
/* 1: an unreadable file is of another version of Pith; pithlog_error() then says so. */
int pithi_spill_other_version(const char *path);
/* The ranks of the job whose records are gone: "rank 3 5 7", at most ten, then "and N more"; "": none is. With
 * PITH_RANKS their number is known, but not which they are: "2 of the 4 ranks in PITH_RANKS". */
void pithi_spill_ranks_missing(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job, char *text,
                               size_t size);
void pithi_spill_folder_close(struct pithi_spill_folder *folder);

#endif
