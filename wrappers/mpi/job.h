/* job.h - when MPI begins and ends, and how the processes of the job reach each other for the log. */
#ifndef PITHI_JOB_H
#define PITHI_JOB_H

#include <mpi.h>

/* 1 between the end of MPI_Init (or Init_thread) and the beginning of MPI_Finalize: the recorder may call MPI. */
extern int pithi_job_up;
/* 1 from the first MPI_Init, Init_thread or Session_init on that came to these wrappers (linked.c). */
extern int pithi_job_seen;
/* 1 when another copy of these wrappers in the process records (linked.c). */
extern int pithi_job_aside;
/* 0 when messages, collectives and communicators are not recorded here: left out by the user, or recording is off for
 * good. Requests need not be followed then. */
extern int pithi_job_messages;

/* Right before MPI_Init or MPI_Init_thread. */
void pithi_job_mark(void);
/* After a successful MPI_Init or MPI_Init_thread: joins the job. Collective over MPI_COMM_WORLD. */
void pithi_job_begin(int result);
struct pithi_call;
/* In MPI_Finalize, before the library's: waits for the other processes, ends the call's state, and merges the log. */
void pithi_job_end(struct pithi_call *call);
/* Programs with sessions in place of MPI_Init. After MPI_Session_init: from the first one on, communicators and
 * messages are known. In MPI_Session_finalize, before the library's: the end of the last session is the end of the job;
 * then it ends the call's state, merges the log (collective over all processes), and returns 1. */
void pithi_job_session(int result);
int pithi_job_session_end(struct pithi_call *call);
/* Before MPI_Abort: says what is left and how to get at it. */
void pithi_job_abort(void);
/* MPI_Pcontrol, before and after: 0 pauses, 1 resumes, 2 resumes and flushes; other levels do nothing. In a program
 * with the MPE API (libmpe), as that has it: 0 stops what MPI calls record, all others start it, and what the program
 * records itself goes on. */
void pithi_job_control_begin(int level);
void pithi_job_control_end(int level);

#endif
