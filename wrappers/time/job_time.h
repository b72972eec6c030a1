/* job_time.h - from the cells of each process to the report of the job. */
#ifndef PITHI_JOB_TIME_H
#define PITHI_JOB_TIME_H

#include "timing.h"

/* ---- one process (timing.c) -------------------------------------------------------------------------------------- */

/* The sum over all threads, once, at the end. */
struct pithi_time_thread *pithi_time_sum(void);
/* Seconds of a tick, and since the program began (this library was loaded). */
double pithi_time_tick_s(double *run_s);

/* ---- what a process sends to rank 0 (job_time.c) ----------------------------------------------------------------- */

struct pithi_time_row {
    int32_t function;
    char comm[64]; /* label, or "" */
    uint64_t calls, messages, bytes;
    double total_s, least_s, most_s;
    double compensated_s; /* the total without what recording cost, as pithi_time_delays asks */
};
struct pithi_time_pair {
    int32_t peer;
    uint64_t messages, bytes;
};
struct pithi_time_rank {
    double run_s, mpi_s;
    double compensated_s, delay_s; /* of mpi_s; of run_s: how much earlier it would have ended */
    uint64_t calls, messages, bytes;
    uint32_t row_count, pair_count;
};
struct pithi_time_block {
    struct pithi_time_rank rank;
    struct pithi_time_row *rows;   /* in the order of functions and labels */
    struct pithi_time_pair *pairs; /* by peer */
};

/* Our own communicator, of all processes that have this library; MPI_COMM_NULL: none. */
MPI_Comm pithi_time_ours(void);

/* ---- the report, on rank 0 (time_table.c, files.c) --------------------------------------------------------------- */

struct pithi_time_report;
extern int pithi_time_is_spawned; /* this job began with MPI_Comm_spawn in another */
/* For so many processes; NULL: no memory. Then each block once, in the order of ranks; then the end, which writes. */
struct pithi_time_report *pithi_time_report_begin(int ranks);
void pithi_time_report_add(struct pithi_time_report *report, int rank, const struct pithi_time_block *block);
void pithi_time_report_end(struct pithi_time_report *report);

#endif
