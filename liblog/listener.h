/* listener.h - a thread of the recorder that works for the job while it runs. At a signal it makes a snapshot
 * (PITH_SNAPSHOT) or a report of who waits for whom (PITH_HANG). It also checks whether the job hangs. */
#ifndef PITHI_LISTENER_H
#define PITHI_LISTENER_H

#include <stdint.h>

#include "spill_file.h"

/* Under the guard, when recording starts: makes the thread and installs its handlers, if the settings ask for them. */
void pithi_listener_start(void);
/* Call it in a forked child, which has no listener thread. */
void pithi_listener_forked(void);
/* Not under the guard. Call it with 1 if this process is about to join a job: the listener then waits before it answers
 * a signal. Call it with 0 when the process has joined, or will not. */
void pithi_listener_expect(int expected);
/* Not under the guard: waits for work in progress, and prevents more. */
void pithi_listener_close(void);
/* At the end of the job: removes the files that count the signals answered (listener.c). */
void pithi_listener_clear(void);

/* pithi_listener_enter takes the right to work on the job's records, which one thread of this process has at a time,
 * and returns 1; pithi_listener_leave releases it. enter returns 0 if the listener is closed; then nothing may be done,
 * and leave must not be called. */
int pithi_listener_enter(void);
void pithi_listener_leave(void);

/* The listener's data from the session. It is a copy, because pith_job_join may change the session meanwhile. */
struct pithi_job_place {
    char folder[PITHI_PATH_MAX], log[PITHI_PATH_MAX]; /* folder: of the spill files; log: the log's path */
    uint64_t job;                                     /* key of the job */
};
/* Sets *place. Returns 0 if nothing is being recorded. */
int pithi_listener_look(struct pithi_job_place *place);

#endif
