/* job_time.h - builds the job's report from the cells of each process. */
#ifndef PITHI_JOB_TIME_H
#define PITHI_JOB_TIME_H

#include "timing.h"

#include <stdio.h>

/* ---- one process (timing.c) -------------------------------------------------------------------------------------- */

/* The sum over all threads; called once, at the end. */
struct pithi_time_thread *pithi_time_sum(void);
/* Seconds per tick, and seconds since this library was loaded. */
double pithi_time_tick_s(double *run_s);

/* ---- the block that a process sends to rank 0 (job_time.c) ------------------------------------------------------- */

struct pithi_time_row {
    int32_t function;                /* index in the table of functions */
    char comm[64];                   /* label, or "" */
    uint64_t calls, messages, bytes; /* bytes of messages */
    double total_s, least_s, most_s; /* sums of all threads; of one call: the shortest, the longest */
    double compensated_s;            /* the total without the cost of recording, if pithi_time_delays */
};
struct pithi_time_pair {
    int32_t peer;
    uint64_t messages, bytes;
};
struct pithi_time_rank {
    double run_s, mpi_s;           /* from MPI_Init to MPI_Finalize; of that in MPI */
    double compensated_s, delay_s; /* of mpi_s; of run_s: the process would have ended earlier by this */
    uint64_t calls, messages, bytes;
    uint32_t row_count, pair_count; /* of the block */
};
struct pithi_time_block {
    struct pithi_time_rank rank;
    struct pithi_time_row *rows;   /* sorted by function and label */
    struct pithi_time_pair *pairs; /* sorted by peer */
};

/* Our own communicator, of all processes that have this library; MPI_COMM_NULL: none. */
MPI_Comm pithi_time_ours(void);

/* ---- the report, on rank 0 (time_table.c, files.c) --------------------------------------------------------------- */

struct pithi_time_report;
extern int pithi_time_is_spawned; /* MPI_Comm_spawn started this job */
/* Begins a report for `ranks` processes; NULL: no memory. Then each block is added once, in rank order; the end writes
 * the report. */
struct pithi_time_report *pithi_time_report_begin(int ranks);
void pithi_time_report_add(struct pithi_time_report *report, int rank, const struct pithi_time_block *block);
void pithi_time_report_end(struct pithi_time_report *report);

/* The report for scripts: a line or an object for each item, written as each process's block arrives (files.c). */
struct pithi_time_writer {
    const char *suffix; /* of the file's name: ".csv", ".json" */
    void (*begin)(FILE *out, int ranks);
    void (*rank)(FILE *out, int rank, const struct pithi_time_block *block);
    void (*end)(FILE *out);
};
/* Selects the format by the file's suffix; NULL: the text for people. */
const struct pithi_time_writer *pithi_time_writer_find(const char *name);

#endif
