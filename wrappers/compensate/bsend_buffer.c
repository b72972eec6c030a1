/* bsend_buffer.c - replaces the program's buffer. A process has at most one attached (MPI 4.0, 3.6). */
#include "bsend_buffer.h"

#include "piggyback.h"

#include <limits.h>
#include <stdlib.h>

static struct pithi_bsend_buffer user, own; /* own.buf NULL: the program's buffer is attached */

/* Each message takes at least MPI_BSEND_OVERHEAD, which limits their number; each grows by its header, rounded up. */
static MPI_Count larger(MPI_Count size_bytes)
{
    MPI_Count more = (size_bytes / MPI_BSEND_OVERHEAD + 1) * (MPI_Count)(2 * sizeof(struct pithi_header));
    return size_bytes <= INT_MAX && size_bytes + more > INT_MAX ? INT_MAX : size_bytes + more;
}

struct pithi_bsend_buffer pithi_bsend_attach(void *buf, MPI_Count size_bytes)
{
    struct pithi_bsend_buffer given = {buf, size_bytes}, room = given;
    if (!pithi_piggyback_in_message() || size_bytes <= 0 || own.buf)
        return given;
    room.size_bytes = larger(size_bytes);
    if (!(room.buf = malloc((size_t)room.size_bytes)))
        return given;
    user = given;
    return own = room;
}

void pithi_bsend_attached(int result, const struct pithi_bsend_buffer *room)
{
    if (result == MPI_SUCCESS || !own.buf || room->buf != own.buf)
        return;
    free(own.buf);
    own.buf = NULL;
}

struct pithi_bsend_buffer pithi_bsend_detached(void *buf, MPI_Count size_bytes)
{
    struct pithi_bsend_buffer given = {buf, size_bytes};
    if (!own.buf || buf != own.buf)
        return given;
    free(own.buf);
    own.buf = NULL;
    return user;
}
