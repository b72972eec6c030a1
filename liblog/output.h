/* output.h - what the user sees at the end: the log under its name, in the format asked for, and one line about it. */
#ifndef PITHI_OUTPUT_H
#define PITHI_OUTPUT_H

#include <stdint.h>

struct pithi_output {
    const char *part; /* the finished native log */
    const char *log;  /* the name it is to have */
    uint32_t volumes; /* PART.1 ... beside it; 0: none */
    uint64_t records, lost;
    uint32_t ranks, ranks_missing;
};

/* 1: it will be written in another format than Pith's own, from a log in one file. */
int pithi_output_foreign(void);

/* In one process of the job. 1: done and told; 0: failed and told, `part` is still there. */
int pithi_output_publish(const struct pithi_output *output);

/* The log could not be made: says where what was recorded is kept. Called by all processes of the job: rank 0 tells of
 * its folder, and one process tells of each folder that is not rank 0's. */
void pithi_output_kept(int rank);

/* The process ends and its job was not finished. One process tells of each folder. */
void pithi_output_missed(void);

/* A log of a running job. */
struct pithi_snapshot {
    const char *part; /* the finished native log */
    const char *path; /* the name asked for, replaced if it is there; NULL: the next free LOG.snapshot-N */
    const char *log;  /* the name of the log to be */
    uint64_t records;
    uint32_t ranks, ranks_missing;
};
/* Gives it its name and format, and tells; `part` is gone afterwards. 0; -1: failed and told. */
int pithi_output_snapshot(const struct pithi_snapshot *snapshot);

#endif
