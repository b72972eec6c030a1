/* job_time.h - makes the job's report from the cells of each process. */
#ifndef PITHI_JOB_TIME_H
#define PITHI_JOB_TIME_H

#include "timing.h"

#include <stdio.h>

/* ---- one process (timing.c) -------------------------------------------------------------------------------------- */

/* Returns the sum over all threads; call it once, at the end. */
struct pithi_time_thread *pithi_time_sum(void);
/* Returns the seconds per tick; *run_s: seconds since this library was loaded. */
double pithi_time_tick_s(double *run_s);

/* ---- the block that a process sends to rank 0 (job_time.c) ------------------------------------------------------- */

struct pithi_time_row {
    int32_t function;                /* index in the table of functions */
    char comm[64];                   /* label of the communicator, or "" */
    uint64_t calls, messages, bytes; /* numbers of calls and messages; bytes sent */
    /* total_s: time of all calls in all threads; least_s, most_s: of the shortest and the longest call */
    double total_s, least_s, most_s;
    double compensated_s; /* with pithi_time_delays: total_s without the cost of recording */
};
struct pithi_time_pair {
    int32_t peer;
    uint64_t messages, bytes;
};
struct pithi_time_rank {
    double run_s, mpi_s; /* run_s: time from loading this library to MPI_Finalize; mpi_s: of it, the time in MPI */
    /* compensated_s: mpi_s without the cost of recording; delay_s: the delay of the process at the end */
    double compensated_s, delay_s;
    uint64_t calls, messages, bytes;
    uint32_t row_count, pair_count; /* numbers of rows and pairs in the block */
};
struct pithi_time_block {
    struct pithi_time_rank rank;
    struct pithi_time_row *rows;   /* sorted by function and label */
    struct pithi_time_pair *pairs; /* sorted by peer */
};

/* Returns the library's own communicator, which has all processes with this library; MPI_COMM_NULL if there is none. */
MPI_Comm pithi_time_ours(void);

/* ---- the report, on rank 0 (time_table.c, files.c) --------------------------------------------------------------- */

struct pithi_time_report;
extern int pithi_time_is_spawned; /* 1: MPI_Comm_spawn started this job */
/* pithi_time_report_begin makes a report for `ranks` processes, and returns NULL if there is no memory.
 * pithi_time_report_add takes each process's block once, in rank order. pithi_time_report_end writes the report. */
struct pithi_time_report *pithi_time_report_begin(int ranks);
void pithi_time_report_add(struct pithi_time_report *report, int rank, const struct pithi_time_block *block);
void pithi_time_report_end(struct pithi_time_report *report);

/* A format for scripts: it has a line or an object for each item, written as each process's block arrives (files.c). */
struct pithi_time_writer {
    const char *suffix; /* of the file's name: ".csv", ".json" */
    void (*begin)(FILE *out, int ranks);
    void (*rank)(FILE *out, int rank, const struct pithi_time_block *block);
    void (*end)(FILE *out);
};
/* Returns the format for the file name's suffix; NULL if that is the text for people. */
const struct pithi_time_writer *pithi_time_writer_find(const char *name);

#endif
