/* listener.h - a thread of the recorder that works for the job while it runs. At a signal it makes a snapshot
 * (PITH_SNAPSHOT) or a report of who waits for whom (PITH_HANG). It also checks whether the job hangs. */
#ifndef PITHI_LISTENER_H
#define PITHI_LISTENER_H

#include <stdint.h>

#include "spill_file.h"

/* Under the guard, when recording starts: makes the thread and installs its handlers, if the settings ask for them. */
void pithi_listener_start(void);
/* In a forked child, which has no such thread. */
void pithi_listener_forked(void);
/* Not under the guard. 1: this process is about to join a job, and the thread waits; 0: it has joined, or will not. */
void pithi_listener_expect(int expected);
/* Not under the guard: waits for work in progress, and prevents more. */
void pithi_listener_close(void);
/* At the end of the job: removes the files that show which of its processes answers a signal. */
void pithi_listener_clear(void);

/* For work on the records of the job, by one thread of this process at a time. 0: closed, nothing may be done. */
int pithi_listener_enter(void);
void pithi_listener_leave(void);

/* The part of the session that the work needs: a copy, since pith_job_join may change it. */
struct pithi_job_place {
    char folder[PITHI_PATH_MAX], log[PITHI_PATH_MAX]; /* of spill files; of the log */
    uint64_t job;                                     /* key of the job */
};
/* 0: nothing is being recorded. */
int pithi_listener_look(struct pithi_job_place *place);

#endif
