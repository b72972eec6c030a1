/* transport.c - the functions of struct pith_transport on PMPI.
 *
 * The communicator is made by MPI_Comm_create, not MPI_Comm_dup: dup would call the copy functions of the user's
 * attributes. Its error handler returns, so that a failure costs the log and not the job. Files go through plain calls
 * of the system when all ranks are on one host, through MPI-IO when not.
 */
#include "transport.h"

#include "real.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { TAG = 1, PIECE = 1 << 30 };

static MPI_Comm comm;
static int one_host;

struct file {
    int fd; /* -1: `shared` is used */
    MPI_File shared;
};

static int send_bytes(void *context, int to, const void *data, size_t size_bytes)
{
    const char *at = data;

    (void)context;
    do {
        int count = size_bytes > PIECE ? PIECE : (int)size_bytes;
        if (REAL(MPI_Send)(at, count, MPI_BYTE, to, TAG, comm) != MPI_SUCCESS)
            return -1;
        at += count;
        size_bytes -= (size_t)count;
    } while (size_bytes);
    return 0;
}

static int recv_bytes(void *context, int from, void *data, size_t size_bytes)
{
    char *at = data;
    MPI_Status status;

    (void)context;
    do {
        int count = size_bytes > PIECE ? PIECE : (int)size_bytes;
        if (REAL(MPI_Recv)(at, count, MPI_BYTE, from, TAG, comm, &status) != MPI_SUCCESS)
            return -1;
        at += count;
        size_bytes -= (size_t)count;
    } while (size_bytes);
    return 0;
}

static int bcast(void *context, int root, void *data, size_t size_bytes)
{
    char *at = data;

    (void)context;
    do {
        int count = size_bytes > PIECE ? PIECE : (int)size_bytes;
        if (REAL(MPI_Bcast)(at, count, MPI_BYTE, root, comm) != MPI_SUCCESS)
            return -1;
        at += count;
        size_bytes -= (size_t)count;
    } while (size_bytes);
    return 0;
}

static int sum_before(void *context, uint64_t *value)
{
    const struct pith_transport *transport = context;
    uint64_t mine = *value;

    if (REAL(MPI_Exscan)(&mine, value, 1, MPI_UINT64_T, MPI_SUM, comm) != MPI_SUCCESS)
        return -1;
    if (transport->rank == 0)
        *value = 0; /* Exscan leaves it undefined there */
    return 0;
}

static int reduce(void *context, uint64_t *values, int count, int op)
{
    MPI_Op operation = op == PITH_MIN ? MPI_MIN : op == PITH_MAX ? MPI_MAX : MPI_SUM;

    (void)context;
    return REAL(MPI_Allreduce)(MPI_IN_PLACE, values, count, MPI_UINT64_T, operation, comm) == MPI_SUCCESS ? 0 : -1;
}

static int barrier(void *context)
{
    (void)context;
    return REAL(MPI_Barrier)(comm) == MPI_SUCCESS ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* All succeed or all fail; a process that opened alone closes again. */
static int all_good(int good)
{
    int all = 0;

    return REAL(MPI_Allreduce)(&good, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

static int file_open(void *context, const char *path, void **handle)
{
    const struct pith_transport *transport = context;
    struct file *file = malloc(sizeof *file);

    if (!all_good(file != NULL)) {
        free(file);
        return -1;
    }
    file->fd = -1;
    file->shared = MPI_FILE_NULL;
    int good;
    if (one_host) {
        if (transport->rank == 0)
            file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        good = all_good(transport->rank || file->fd >= 0);
        if (good && transport->rank)
            file->fd = open(path, O_WRONLY | O_CLOEXEC);
        good = good && all_good(file->fd >= 0);
    } else {
        if (transport->rank == 0)
            unlink(path); /* MPI-IO has no O_TRUNC */
        good = REAL(MPI_File_open)(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file->shared) ==
               MPI_SUCCESS;
        good = all_good(good);
    }
    if (!good) {
        if (file->fd >= 0)
            close(file->fd);
        free(file);
        return -1;
    }
    *handle = file;
    return 0;
}

static int file_write_at(void *context, void *handle, uint64_t offset, const void *data, size_t size_bytes)
{
    struct file *file = handle;
    const char *at = data;

    (void)context;
    while (size_bytes) {
        size_t piece = size_bytes > PIECE ? PIECE : size_bytes;
        if (file->fd >= 0) {
            ssize_t put = pwrite(file->fd, at, piece, (off_t)offset);
            if (put <= 0 && errno != EINTR)
                return -1;
            piece = put > 0 ? (size_t)put : 0;
        } else {
            MPI_Status status;
            if (REAL(MPI_File_write_at)(file->shared, (MPI_Offset)offset, at, (int)piece, MPI_BYTE, &status) !=
                MPI_SUCCESS)
                return -1;
        }
        at += piece;
        offset += piece;
        size_bytes -= piece;
    }
    return 0;
}

static int file_close(void *context, void *handle)
{
    struct file *file = handle;
    int good;

    (void)context;
    if (file->fd >= 0)
        good = close(file->fd) == 0;
    else
        good = REAL(MPI_File_close)(&file->shared) == MPI_SUCCESS;
    free(file);
    return all_good(good) ? 0 : -1;
}

/* ---- the communicator -------------------------------------------------------------------------------------------- */

static struct pith_transport transport_made = {
    .context = &transport_made,
    .send = send_bytes,
    .recv = recv_bytes,
    .bcast = bcast,
    .sum_before = sum_before,
    .reduce = reduce,
    .barrier = barrier,
    .file_open = file_open,
    .file_write_at = file_write_at,
    .file_close = file_close,
};

static int find_one_host(int rank, int size)
{
    MPI_Comm host;
    int together = 0;

    if (REAL(MPI_Comm_split_type)(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host) == MPI_SUCCESS) {
        REAL(MPI_Comm_size)(host, &together);
        REAL(MPI_Comm_free)(&host);
    }
    return all_good(together == size);
}

static const struct pith_transport *made(void)
{
    struct pith_transport *transport = &transport_made;

    REAL(MPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
    REAL(MPI_Comm_rank)(comm, &transport->rank);
    REAL(MPI_Comm_size)(comm, &transport->size);
    one_host = find_one_host(transport->rank, transport->size);
    return transport;
}

const struct pith_transport *pithi_transport_open(void)
{
    MPI_Group group;

    if (REAL(MPI_Comm_group)(MPI_COMM_WORLD, &group) != MPI_SUCCESS)
        return NULL;
    int result = REAL(MPI_Comm_create)(MPI_COMM_WORLD, group, &comm);
    REAL(MPI_Group_free)(&group);
    return result == MPI_SUCCESS ? made() : NULL;
}

const struct pith_transport *pithi_transport_open_group(MPI_Group all)
{
#if MPI_VERSION >= 4
    if (REAL(MPI_Comm_create_from_group)(all, "pith", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS)
        return made();
#else
    (void)all;
#endif
    return NULL;
}

void pithi_transport_close(void) { REAL(MPI_Comm_free)(&comm); }
