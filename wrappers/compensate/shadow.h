/* shadow.h - the shadow: a communicator of the recorder for each of the program's on which delays are sent.
 *
 * Second messages (PITH_COMPENSATE=message) and shadow collectives use the shadow, so that they never match the
 * program's. It is made and freed with the program's communicator, in calls that are collective anyway, and kept in the
 * slot of the communicator's entry (handle.h). Some communicators have no shadow; this is the same in all their
 * members: those made by a call that is not collective (MPI_Comm_idup) or has no wrapper (MPIX_), and those with
 * members of another job (MPI_Comm_spawn). */
#ifndef PITHI_SHADOW_H
#define PITHI_SHADOW_H

#include "handle.h"

/* After MPI_Init: makes the shadows of MPI_COMM_WORLD (collective) and MPI_COMM_SELF. */
void pithi_shadow_begin(void);
/* The entry of a communicator or window, by its key, if it has a shadow; else NULL. Valid until the program frees the
 * handle. */
static inline struct pithi_handle *pithi_shadow_find(uint64_t key)
{
    return key == pithi_handle_world.key ? &pithi_handle_world : pithi_handle_find(key, PITHI_CLIENT_COMPENSATION);
}
/* The shadow of an entry; MPI_COMM_NULL: making it failed (only for MPI_COMM_WORLD and MPI_COMM_SELF). */
static inline MPI_Comm pithi_shadow_of(const struct pithi_handle *handle)
{
    return *(MPI_Comm *)pithi_handle_slot(handle, PITHI_CLIENT_COMPENSATION);
}
/* Call it after a collective call of the program that makes a communicator; *made may be MPI_COMM_NULL. Collective over
 * the new communicator. */
void pithi_shadow_made(int result, const MPI_Comm *made);
/* Call it after a window was made, or failed, on the communicator `of`, which has a shadow; collective over `of`. A
 * window has a shadow of its own, because its operations are ordered only among themselves. */
void pithi_shadow_window_made(int result, const struct pithi_handle *of, const MPI_Win *window);
/* Call it after the program has freed the handle. Frees the shadow, unless compensation holds the entry. */
void pithi_shadow_free(struct pithi_handle *handle);

#endif
