/* shadow.h - the shadow: a communicator of our own for each of the program's that sends delays.
 *
 * Second messages (PITH_COMPENSATE=message) and our own collectives use the shadow, so that they never match the
 * program's. It is made and freed with the program's communicator, in calls that are collective anyway. Some
 * communicators have no shadow, and all their members know this: those made by a call that is not collective
 * (MPI_Comm_idup) or has no wrapper (MPIX_), and those with members of another job (MPI_Comm_spawn). */
#ifndef PITHI_SHADOW_H
#define PITHI_SHADOW_H

#include "handle_table.h"

#include <mpi.h>

struct pithi_shadow {
    struct pithi_handle table;
    MPI_Comm handle; /* the program's; for a window: ours, of the communicator under it */
    MPI_Comm comm;   /* ours; MPI_COMM_NULL: making it failed (MPI_COMM_WORLD, MPI_COMM_SELF) */
    int rank, size;
    int is_inter;
    int pending; /* requests that will need it; atomic */
};

/* After MPI_Init: MPI_COMM_WORLD (collective) and MPI_COMM_SELF. */
void pithi_shadow_begin(void);
/* The shadow of a communicator; NULL: none. Valid until the program frees the communicator. */
struct pithi_shadow *pithi_shadow_find(MPI_Comm handle);
/* A collective call of the program made a communicator, or MPI_COMM_NULL. Collective over its members. */
void pithi_shadow_made(int result, const MPI_Comm *made);
/* A window has its own shadow, as its operations are ordered only among themselves. Called after a window was made, or
 * failed, on the communicator with the shadow `of`: collective over `of`. */
void pithi_shadow_window_made(int result, const struct pithi_shadow *of, const MPI_Win *window);
struct pithi_shadow *pithi_shadow_find_window(MPI_Win window);
struct pithi_shadow *pithi_shadow_drop_window(MPI_Win window);
/* Before and after MPI_Comm_free and MPI_Comm_disconnect. The call clears the handle. */
struct pithi_shadow *pithi_shadow_drop_begin(const MPI_Comm *handle);
void pithi_shadow_drop_end(int result, struct pithi_shadow *gone);

#endif
