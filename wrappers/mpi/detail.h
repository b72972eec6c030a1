/* detail.h - details of a call: events with a payload, inside the state, before the library's own call.
 *
 *     enter  MPI_File_write_at
 *     event  MPI file access     file=1 bytes=4096 offset=8192
 *     leave  MPI_File_write_at
 *
 * All details have this form, so any reader of logs shows them, and scripts find them by the event's name. Files and
 * windows are numbered from 1 in the order in which this process made them; the event of their creation has the name of
 * the file or the size of the window. Ranks are world ranks; -1: unknown.
 */
#ifndef PITHI_DETAIL_H
#define PITHI_DETAIL_H

#include "message.h"

void pithi_detail_file_opened(int result, const char *name, MPI_Comm comm, const MPI_File *file);
/* Record an access to a file: _at, at `offset` of the file's view; _own, at the individual file pointer; _shared, at
 * the shared file pointer, whose offset is unknown. */
void pithi_detail_file_at(MPI_File file, MPI_Offset offset, pithi_count count, MPI_Datatype type);
void pithi_detail_file_own(MPI_File file, pithi_count count, MPI_Datatype type);
void pithi_detail_file_shared(MPI_File file, pithi_count count, MPI_Datatype type);

/* `size_bytes`: size of the memory that this process exposes in the window. */
void pithi_detail_window_made(int result, MPI_Aint size_bytes, MPI_Comm comm, const MPI_Win *window);
/* Return the handle's entry; NULL if the handle is unknown or nothing is recorded. */
struct pithi_handle *pithi_detail_window(MPI_Win window);
struct pithi_handle *pithi_detail_file(MPI_File file);
/* Call it before MPI_Win_fence. Returns 1 if the fence ends an epoch that an earlier fence began, so that every process
 * waits for all others (MPI 4.1, 12.5.1). */
int pithi_detail_window_fenced(MPI_Win window, int assertion);
/* Call it before MPI_Win_free and MPI_File_close. Records the end of the handle's communicator in the log. */
void pithi_detail_freeing(const struct pithi_handle *handle);
void pithi_detail_window_named(int result, MPI_Win window, const char *name);
/* Records an access to the data of `target`, a rank of the window. */
void pithi_detail_window_access(MPI_Win window, int target, MPI_Aint displacement, pithi_count count,
                                MPI_Datatype type);
/* Records the target of MPI_Win_lock and of other calls with a target, but without data. */
void pithi_detail_window_target(MPI_Win window, int target);

/* Record begins and ends of one-sided epochs, on the window's communicator (formats/analysis/waits/epochs.h). `what` of
 * window_epoch: "post" and "start" with the group; "complete", "wait", "lock_all", "unlock_all" and "flush_all" with
 * MPI_GROUP_NULL. `what` of window_lock: "exclusive", "shared" or "unlock", with the target. */
void pithi_detail_window_epoch(MPI_Win window, const char *what, MPI_Group group);
void pithi_detail_window_lock(MPI_Win window, const char *what, int target);

/* Call it after a probe. If the probe found a message (`flag`), records source and tag of the message. */
void pithi_detail_probed(int result, int flag, MPI_Comm comm, const MPI_Status *status);

/* Records MPI_Comm_spawn, in the root only. */
void pithi_detail_spawn(MPI_Comm comm, int root, const char *command, int processes);

#endif
