/* shadow.h - the communicators that carry delays, each with one of our own of the same processes, its shadow.
 *
 * Over the shadow go the second messages (PITH_COMPENSATE=message) and what collectives carry; so nothing of ours can
 * be taken for the program's. It is made when the program's is, in a call that is collective there anyway, and freed
 * with it. Communicators that are not here carry nothing, and all their members know that alike: they were made in a
 * way that is not collective (MPI_Comm_idup), behind our back (MPIX_), or have members of another job
 * (MPI_Comm_spawn). */
#ifndef PITHI_SHADOW_H
#define PITHI_SHADOW_H

#include <mpi.h>

struct pithi_shadow {
    MPI_Comm handle; /* the program's; of a window a number in its place */
    MPI_Comm comm;   /* ours; MPI_COMM_NULL: it could not be made (MPI_COMM_WORLD, MPI_COMM_SELF) */
    int rank, size;
    int is_inter;
    int pending; /* requests that will need it; atomic */
    struct pithi_shadow *next;
};

/* After MPI_Init: MPI_COMM_WORLD (collective) and MPI_COMM_SELF. */
void pithi_shadow_begin(void);
/* That of a communicator; NULL: it carries nothing. Good until the program frees it. */
struct pithi_shadow *pithi_shadow_find(MPI_Comm handle);
/* A collective call of the program made one, or MPI_COMM_NULL. Collective over its members. */
void pithi_shadow_made(int result, const MPI_Comm *made);
/* A window has one, too, as its operations have an order of their own. It was made, or not, on a communicator that has
 * the shadow `of`: collective over that. */
void pithi_shadow_window_made(int result, const struct pithi_shadow *of, const MPI_Win *window);
struct pithi_shadow *pithi_shadow_find_window(MPI_Win window);
struct pithi_shadow *pithi_shadow_drop_window(MPI_Win window);
/* MPI_Comm_free, MPI_Comm_disconnect: before the call, which takes the handle away; and after it. */
struct pithi_shadow *pithi_shadow_drop_begin(const MPI_Comm *handle);
void pithi_shadow_drop_end(int result, struct pithi_shadow *gone);

#endif
