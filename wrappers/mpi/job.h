/* job.h - the beginning and end of MPI, and the communication between the processes for the log. */
#ifndef PITHI_JOB_H
#define PITHI_JOB_H

#include <mpi.h>

/* 1 from the end of MPI_Init or MPI_Init_thread to the beginning of MPI_Finalize. While it is 1, the recorder may call
 * MPI. */
extern int pithi_job_up;
/* 1 after the first MPI_Init, Init_thread or Session_init that reached these wrappers (linked.c). */
extern int pithi_job_seen;
/* 1: another copy of these wrappers in the process records, so this one does not (linked.c). */
extern int pithi_job_aside;
/* 0: messages, collectives and communicators are not recorded, because the user excludes them or recording has ended.
 * Requests then need not be followed. */
extern int pithi_job_messages;

/* Call it right before MPI_Init or MPI_Init_thread. Sets the mark of this process (members.h). */
void pithi_job_mark(void);
/* After a successful MPI_Init or MPI_Init_thread: joins the job. Collective over MPI_COMM_WORLD. */
void pithi_job_begin(int result);
struct pithi_call;
/* In MPI_Finalize, before the library's call: waits for the other processes, ends the state, and merges the log. */
void pithi_job_end(struct pithi_call *call);
/* For programs with sessions in place of MPI_Init. Call pithi_job_session after MPI_Session_init; from the first
 * session on, communicators and messages are followed. Call pithi_job_session_end in MPI_Session_finalize, before the
 * library's call. For the last session, pithi_job_session_end ends the call's state, merges the log (collective over
 * all processes), and returns 1; otherwise it returns 0. */
void pithi_job_session(int result);
int pithi_job_session_end(struct pithi_call *call);
/* Before MPI_Abort: prints how to recover the records. */
void pithi_job_abort(void);
/* Call these before and after MPI_Pcontrol. Level 0 pauses recording, 1 resumes it, 2 resumes it and flushes; other
 * levels do nothing. In a program with the MPE API (libmpe), MPE's definition applies: level 0 stops the recording of
 * MPI calls, any other level starts it, and the program's own records continue. */
void pithi_job_control_begin(int level);
void pithi_job_control_end(int level);

/* Measures, at the first call, what the wrappers cost for a call and for records of messages (own_records.c). */
void pithi_cost_probes(void);

/* After MPI_Init: rank 0 starts `pith view --anim` for this job, once, detached. The program's wait() does not see the
 * viewer; the viewer holds none of the program's files, and neither delays nor ends the program. Without a display, a
 * line is printed on stderr. Only the animation library (wrappers/anim) defines this function; it has the same wrappers
 * as the log library, in which the function's address is NULL. */
__attribute__((weak, visibility("hidden"))) void pithi_anim_begin(int result);

#endif
