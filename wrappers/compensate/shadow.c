/* shadow.c - makes and frees shadows (shadow.h). */
#include "shadow.h"

#include "delay.h"
#include "own.h"
#include "piggyback.h"
#include "real.h"

/* Makes the shadow for an entry, from `comm`, which has the same processes. Does not call MPI_Comm_dup, because that
 * would call the copy functions of the program's attributes. A process that had no memory for an entry (`handle` NULL)
 * does not become a member; the other processes then find that a member is missing, and no process uses the shadow.
 * `is_required` 1: pithi_shadow_find returns the entry even if the shadow could not be made. */
static void make(struct pithi_handle *handle, MPI_Comm comm, int is_required)
{
    MPI_Comm made = MPI_COMM_NULL;
    int there = 0, remote = 0;

    if (REAL(MPI_Comm_split)(comm, handle ? 0 : MPI_UNDEFINED, handle ? handle->rank : 0, &made) != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    if (!handle)
        return;
    if (made != MPI_COMM_NULL) {
        REAL(MPI_Comm_set_errhandler)(made, MPI_ERRORS_RETURN);
        REAL(MPI_Comm_size)(made, &there);
        if (handle->remote_size)
            REAL(MPI_Comm_remote_size)(made, &remote);
        if (there != handle->size || remote != handle->remote_size)
            REAL(MPI_Comm_free)(&made);
    }
    if (made == MPI_COMM_NULL && !is_required)
        return;
    *(MPI_Comm *)pithi_handle_slot(handle, PITHI_CLIENT_COMPENSATION) = made;
    pithi_handle_use(handle, PITHI_CLIENT_COMPENSATION);
}

/* See shadow.h. If requests still need the shadow now, it is never freed. MPI_Comm_free is collective, and there is no
 * later call of all members in which they could free the shadow together. */
void pithi_shadow_free(struct pithi_handle *handle)
{
    MPI_Comm shadow = pithi_shadow_of(handle);

    if (!pithi_piggyback_on || pithi_handle_is_held(handle, PITHI_CLIENT_COMPENSATION) || shadow == MPI_COMM_NULL)
        return;
    int64_t from = pithi_delay_clock();
    REAL(MPI_Comm_free)(&shadow);
    pithi_delay_spent_of(NULL, from);
    pithi_own_write();
}

void pithi_shadow_begin(void)
{
    static const struct pithi_handle_client compensation = {.freed = pithi_shadow_free};
    struct pithi_handle *self = pithi_handle_of_comm(MPI_COMM_SELF);

    pithi_handle_register(PITHI_CLIENT_COMPENSATION, &compensation);
    make(&pithi_handle_world, MPI_COMM_WORLD, 1);
    if (self)
        make(self, MPI_COMM_SELF, 1);
}

void pithi_shadow_made(int result, const MPI_Comm *made)
{
    if (result == MPI_SUCCESS && *made != MPI_COMM_NULL && pithi_comm_is_ours(*made))
        make(pithi_handle_get(pithi_comm_key(*made)), *made, 0);
}

/* See shadow.h. If the window could not be made, even if only in some processes, no process gets a shadow for it. */
void pithi_shadow_window_made(int result, const struct pithi_handle *of, const MPI_Win *window)
{
    make(result == MPI_SUCCESS ? pithi_handle_get(pithi_window_key(*window)) : NULL, pithi_shadow_of(of), 0);
}
