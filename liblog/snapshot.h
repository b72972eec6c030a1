/* snapshot.h - logs of a running program, made by itself (pith_snapshot in pith.h), or when a signal asks for one. */
#ifndef PITHI_SNAPSHOT_H
#define PITHI_SNAPSHOT_H

/* Under the guard, when recording starts: listens to the signal of PITH_SNAPSHOT, if there is one. */
void pithi_snapshot_start(void);
/* In a forked child: nobody listens. */
void pithi_snapshot_forked(void);
/* Not under the guard. 1: this process is about to join a job, and a signal's snapshot waits; 0: it has joined, or will
 * not. */
void pithi_snapshot_expect(int expected);
/* Not under the guard: waits for a snapshot that is being made; after that there are none. */
void pithi_snapshot_close(void);
/* When the job is over: removes what its processes told each other by. */
void pithi_snapshot_clear(void);

#endif
