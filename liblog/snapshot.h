/* snapshot.h - logs of a running program: by a call (pith_snapshot in pith.h) or a signal (PITH_SNAPSHOT). */
#ifndef PITHI_SNAPSHOT_H
#define PITHI_SNAPSHOT_H

/* Under the guard, when recording starts: installs the handler for PITH_SNAPSHOT, if that is set. */
void pithi_snapshot_start(void);
/* In a forked child, which has no thread for snapshots. */
void pithi_snapshot_forked(void);
/* Not under the guard. 1: this process is about to join a job, and snapshots by signal wait; 0: it has joined, or will
 * not. */
void pithi_snapshot_expect(int expected);
/* Not under the guard: waits for a snapshot in progress, and prevents further ones. */
void pithi_snapshot_close(void);
/* At the end of the job: removes the file by which its processes agree on snapshots. */
void pithi_snapshot_clear(void);

#endif
