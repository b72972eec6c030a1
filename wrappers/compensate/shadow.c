/* shadow.c - makes and frees shadows (shadow.h). */
#include "shadow.h"

#include "delay.h"
#include "nested.h"
#include "own.h"
#include "piggyback.h"
#include "real.h"

static struct pithi_shadow *slot_of(const struct pithi_handle *handle)
{
    return pithi_handle_slot(handle, PITHI_CLIENT_COMPENSATION);
}

/* Makes the shadow from `comm`, which has the same processes as the entry. Does not use MPI_Comm_dup, which would call
 * the copy functions of the program's attributes. A process without an entry (no memory) does not join; the others see
 * that a member is missing, and no process uses the shadow. */
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
    slot_of(handle)->comm = made;
    pithi_handle_use(handle, PITHI_CLIENT_COMPENSATION);
}

/* The shadow of a communicator that a request still needs is never freed: MPI_Comm_free is collective, and the other
 * members have already called it. */
static void freed(struct pithi_handle *handle)
{
    slot_of(handle)->is_left = handle->handle != MPI_COMM_NULL && __atomic_load_n(&handle->users, __ATOMIC_RELAXED) > 1;
}

static void ended(struct pithi_handle *handle)
{
    int64_t from = pithi_delay_clock();
    struct pithi_shadow *shadow = slot_of(handle);

    if (!pithi_piggyback_on || shadow->is_left || shadow->comm == MPI_COMM_NULL)
        return;
    REAL(MPI_Comm_free)(&shadow->comm);
    pithi_delay_spent(from);
    if (pithi_self.depth == pithi_self.base || handle->handle != MPI_COMM_NULL)
        pithi_own_write();
}

void pithi_shadow_begin(void)
{
    static const struct pithi_handle_client compensation = {.freed = freed, .ended = ended};
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

/* If the window could not be made, perhaps in some processes only, none has a shadow. */
void pithi_shadow_window_made(int result, const struct pithi_handle *of, const MPI_Win *window)
{
    make(result == MPI_SUCCESS ? pithi_handle_get(pithi_window_key(*window)) : NULL, pithi_shadow_of(of), 0);
}
