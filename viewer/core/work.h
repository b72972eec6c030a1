/* work.h - the part of an MPI program's log in which it does its work: from the last end of MPI_Init to the first begin
 * of MPI_Finalize. Starting takes most of a short run, and nobody looks at it. */
#ifndef PITHI_WORK_H
#define PITHI_WORK_H

#include <stdint.h>

#include <pithlog.h>

int pithi_is_init(const struct pithlog_def *def);
int pithi_is_finalize(const struct pithlog_def *def);

/* *from_ns, *to_ns: INT64_MIN where the log has no MPI_Init or no MPI_Finalize. Reads the lanes' begins and ends. */
void pithi_work_window(struct pithlog *log, int64_t *from_ns, int64_t *to_ns);
/* The same as a window to show: where there is none, the log's begin or end; always *t0 < *t1. */
void pithi_work_in_log(struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns);

#endif
