/* snapshot.h - logs of a running program: by a call (pith_snapshot in pith.h) or a signal (PITH_SNAPSHOT). */
#ifndef PITHI_SNAPSHOT_H
#define PITHI_SNAPSHOT_H

/* Between pithi_listener_enter and pithi_listener_leave. `path` NULL: the next free name. 0; -1: failed, with a line.
 */
int pithi_snapshot_make(const char *path);

#endif
