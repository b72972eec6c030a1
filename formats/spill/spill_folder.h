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
    int32_t rank, size;    /* size: number of ranks of the job; rank 0, size 1 if the process had joined no job */
    uint32_t listed;       /* number of ranks of the job that record */
    uint32_t pid;          /* of the process */
    int running;           /* 1: the process is alive on this machine */
    int64_t start_real_ns; /* CLOCK_REALTIME when recording began */
};

/* The processes of one job are members[first .. first + count - 1], in order of rank. */
struct pithi_spill_job {
    uint32_t first, count;
    uint32_t ranks;        /* number of ranks of the job */
    uint32_t missing;      /* number of ranks without a file */
    uint32_t gone;         /* number of ranks without a file that should have one: with PITH_RANKS, only ranks in it */
    uint32_t running;      /* number of processes that still run */
    int64_t start_real_ns; /* of its earliest process */
};

struct pithi_spill_folder {
    struct pithi_spill_member *members; /* [member_count] by job, then rank */
    uint32_t member_count;
    struct pithi_spill_job *jobs; /* oldest first */
    uint32_t job_count;
    char **unreadable_paths; /* files named *.spill with an unreadable page: no spill files, or of another version */
    uint32_t unreadable;     /* number of unreadable_paths */
};

/* `path`: a folder, or one spill file. An empty folder is no error. Ignores files of finished jobs, which have a log.
 */
int pithi_spill_folder_open(struct pithi_spill_folder *folder, const char *path);
/* Returns 1 if an unreadable file is a spill file of another version of Pith, and sets pithlog_error() to a text that
 * says this. */
int pithi_spill_other_version(const char *path);
/* Writes to `text` which ranks of the job should have a file but have none: "rank 3 5 7", after ten ranks "and N more";
 * "" if there are no such ranks. With PITH_RANKS only their number is known: "2 of the 4 ranks in PITH_RANKS". */
void pithi_spill_ranks_missing(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job, char *text,
                               size_t size);
void pithi_spill_folder_close(struct pithi_spill_folder *folder);

#endif
