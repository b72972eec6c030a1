/* shadow.h - makes, finds and frees shadows. A shadow is a communicator of the recorder that has the same members as a
 * communicator of the program.
 *
 * Shadow collectives use the shadow, and with PITH_COMPENSATE=message also headers, which are then messages of their
 * own. On the shadow, they never match the program's messages and collectives. The shadow is made and freed with the
 * program's communicator, in calls that are collective anyway. The entry of the program's communicator (handle.h) has
 * the shadow in compensation's slot. A communicator has no shadow if the call that made it is nonblocking
 * (MPI_Comm_idup) or has no wrapper (MPIX_), or if members are of another job (MPI_Comm_spawn). In each of these cases,
 * no member has a shadow. */
#ifndef PITHI_SHADOW_H
#define PITHI_SHADOW_H

#include "handle.h"

/* Makes the shadows of MPI_COMM_WORLD and MPI_COMM_SELF. Collective; call it after MPI_Init. */
void pithi_shadow_begin(void);
/* Returns the entry of the communicator or window with this key; NULL if it has no shadow. The entry is valid until the
 * program frees the handle. */
static inline struct pithi_handle *pithi_shadow_find(uint64_t key)
{
    return key == pithi_handle_world.key ? &pithi_handle_world : pithi_handle_find(key, PITHI_CLIENT_COMPENSATION);
}
/* Returns the shadow of an entry; MPI_COMM_NULL if it could not be made (only for MPI_COMM_WORLD and MPI_COMM_SELF). */
static inline MPI_Comm pithi_shadow_of(const struct pithi_handle *handle)
{
    return *(MPI_Comm *)pithi_handle_slot(handle, PITHI_CLIENT_COMPENSATION);
}
/* Makes the shadow of a new communicator. Call it after the collective call of the program that made the communicator;
 * *made may be MPI_COMM_NULL. Collective over the new communicator. */
void pithi_shadow_made(int result, const MPI_Comm *made);
/* Makes the shadow of a new window. Call it after the call that makes the window on the communicator `of`, which has a
 * shadow, even if that call failed. Collective over `of`. A window has a shadow of its own, because the collectives on
 * a window have no order with those on its communicator. */
void pithi_shadow_window_made(int result, const struct pithi_handle *of, const MPI_Win *window);
/* Call it after the program has freed the handle. Frees the shadow, unless compensation holds the entry. */
void pithi_shadow_free(struct pithi_handle *handle);

#endif
