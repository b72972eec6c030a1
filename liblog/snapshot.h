/* snapshot.h - logs of a running program: by a call (pith_snapshot in pith.h) or a signal (PITH_SNAPSHOT). */
#ifndef PITHI_SNAPSHOT_H
#define PITHI_SNAPSHOT_H

/* Makes a log of the job's records so far. Call it between pithi_listener_enter and pithi_listener_leave. `path`: the
 * log's name; NULL: the next free name. Returns 0, or -1 if it failed and a line was printed. */
int pithi_snapshot_make(const char *path);

#endif
