/* transport.c - implements struct pith_transport on PMPI.
 *
 * Errors on the communicator are returned, so that a failure costs the log and not the job. A file is accessed by
 * system calls if all ranks that share it are on one host, else by MPI-IO.
 *
 * MPI's counts are ints, and blocks of a log may be larger: 3 GiB are three messages of 1 GiB. Sender and receiver know
 * the size, so they compute the same pieces. A size of 0 is still one message, because the receiver waits for it.
 */
#include "transport.h"

#include "host_comm.h"
#include "ranks.h"
#include "real.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 1, PIECE = 1 << 30 }; /* TAG: the tag of all messages; PIECE: the most bytes of a message */

static MPI_Comm comm;
static int host_leader; /* the lowest rank on this rank's host */

struct file {
    int fd;          /* descriptor, if system calls are used; -1: MPI-IO, or this process has no file */
    MPI_File shared; /* if MPI-IO is used */
    MPI_Comm part;   /* the ranks that share the file; MPI_COMM_NULL: all ranks */
};

/* A size of 0 sends one empty message. */
static int send_bytes(void *context, int to, const void *data, size_t size_bytes)
{
    const char *at = data;

    (void)context;
    /* A do loop, because the receiver waits for at least one message. */
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

/* Waits until a message has come. With `nap`, sleeps between the probes. Without `nap`, first probes 20 times for a
 * message that comes at once, then yields the core after each probe, because the sender may need the core. */
static int wait_bytes(void *context, int from, int nap)
{
    struct timespec time = {0, 1000};
    int there = 0, looks = 0;

    (void)context;
    while (REAL(MPI_Iprobe)(from, TAG, comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there) {
        /* Sleeps 1, 2, 4 ... 128 us: so long waits cost little, and the end of a short wait is seen at once. */
        if (nap) {
            nanosleep(&time, NULL);
            time.tv_nsec = time.tv_nsec < 100000 ? time.tv_nsec * 2 : time.tv_nsec;
        } else if (++looks > 20) {
            sched_yield();
        }
    }
    return there ? 0 : -1;
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

/* *value becomes the sum of the values of all lower ranks. */
static int sum_before(void *context, uint64_t *value)
{
    const struct pith_transport *transport = context;
    uint64_t mine = *value;

    if (REAL(MPI_Exscan)(&mine, value, 1, MPI_UINT64_T, MPI_SUM, comm) != MPI_SUCCESS)
        return -1;
    if (transport->rank == 0)
        *value = 0; /* MPI_Exscan leaves rank 0's result undefined */
    return 0;
}

/* Flips the sign bit of each value, before and after a minimum or maximum. MPICH 4.0 compares unsigned numbers as
 * signed ones; with the sign bit flipped, a signed comparison gives the right order. */
static void turn_sign(uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] ^= UINT64_C(1) << 63;
}

/* Combines the values of all ranks; on each rank, the result replaces the values. */
static int reduce(void *context, uint64_t *values, int count, int op)
{
    int ordered = op == PITH_MIN || op == PITH_MAX;
    MPI_Op operation = op == PITH_MIN ? MPI_MIN : op == PITH_MAX ? MPI_MAX : MPI_SUM;

    (void)context;
    if (ordered)
        turn_sign(values, count);
    int result =
        REAL(MPI_Allreduce)(MPI_IN_PLACE, values, count, ordered ? MPI_INT64_T : MPI_UINT64_T, operation, comm);
    if (ordered)
        turn_sign(values, count);
    return result == MPI_SUCCESS ? 0 : -1;
}

static int barrier(void *context)
{
    (void)context;
    return REAL(MPI_Barrier)(comm) == MPI_SUCCESS ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Collective. Returns 1 in all processes if `good` is 1 in all of them, else 0. */
static int all_good(int good)
{
    int all = 0;

    return REAL(MPI_Allreduce)(&good, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all;
}

/* Opens a file, but never as descriptor 0, 1 or 2, because a program that closed these descriptors may still write to
 * them. */
static int open_high(const char *path, int flags)
{
    int fd = open(path, flags | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666), high;

    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    /* Moves it to the lowest free descriptor above 2. */
    high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return high;
}

/* Returns 1 if all ranks that share a file are on one host. Collective over these ranks. */
static int on_one_host(MPI_Comm share)
{
    /* One MPI_MIN over the leader and its negative gives the lowest leader and the negative of the highest one. If
     * these two leaders are equal, all leaders are. */
    int leaders[] = {host_leader, -host_leader};

    return REAL(MPI_Allreduce)(MPI_IN_PLACE, leaders, 2, MPI_INT, MPI_MIN, share) == MPI_SUCCESS &&
           leaders[0] == -leaders[1];
}

/* Opens the file by system calls. The rank with `made_here` creates it before the other ranks open it. Returns 0 on an
 * error. */
static int open_plain(struct file *file, const char *path, int made_here, MPI_Comm share)
{
    int made;

    if (made_here)
        file->fd = open_high(path, O_CREAT | O_EXCL);
    /* All ranks learn whether the file could be made, before any of them tries to open it. */
    made = made_here && file->fd >= 0;
    if (REAL(MPI_Allreduce)(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MAX, share) != MPI_SUCCESS || !made)
        return 0;
    if (!made_here)
        file->fd = open_high(path, 0);
    return file->fd >= 0;
}

/* Opens the file by MPI-IO. After a failure, errno is the one that comes nearest to MPI's error. */
static int open_mpi_io(struct file *file, const char *path, int made_here, MPI_Comm share)
{
    if (made_here)
        unlink(path); /* removes an old file: MPI-IO has no O_TRUNC */
    REAL(MPI_Barrier)(share);
    int code = REAL(MPI_File_open)(share, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file->shared);
    if (code != MPI_SUCCESS) {
        /* Converts the error class of MPI-IO to errno. In programs with sessions only, MPICH 5.0 opens no file and
         * returns MPI_ERR_OTHER. */
        int class = MPI_ERR_OTHER;

        REAL(MPI_Error_class)(code, &class);
        errno = class == MPI_ERR_NO_SUCH_FILE                         ? ENOENT
                : class == MPI_ERR_ACCESS                             ? EACCES
                : class == MPI_ERR_READ_ONLY                          ? EROFS
                : class == MPI_ERR_NO_SPACE || class == MPI_ERR_QUOTA ? ENOSPC
                                                                      : EIO;
    }
    return code == MPI_SUCCESS;
}

/* Opens one file for each group of ranks with the same `maker`. A group that is not all ranks needs a communicator of
 * its own. */
static int open_file(struct file *file, const char *path, int rank, int maker, int good)
{
    /* If all ranks have the maker 0, they all share one file, and `comm` can be used. */
    int all = all_good(maker == 0);
    MPI_Comm share = comm;

    if (!all) {
        good &= REAL(MPI_Comm_split)(comm, maker < 0 ? MPI_UNDEFINED : maker, rank, &file->part) == MPI_SUCCESS;
        share = file->part;
    }
    /* All ranks agree after each step, so that no rank waits in the next collective for a rank that gave up. */
    if (!all_good(good))
        return 0;
    if (maker >= 0)
        good = on_one_host(share) ? open_plain(file, path, rank == maker, share)
                                  : open_mpi_io(file, path, rank == maker, share);
    return all_good(good);
}

/* Closes the open handles of the file. Returns 0 if the data may not be completely written. */
static int close_handles(struct file *file)
{
    int good = 1;

    if (file->fd >= 0)
        good = close(file->fd) == 0;
    if (file->shared != MPI_FILE_NULL)
        good = REAL(MPI_File_close)(&file->shared) == MPI_SUCCESS;
    if (file->part != MPI_COMM_NULL)
        REAL(MPI_Comm_free)(&file->part);
    return good;
}

static int file_open(void *context, const char *path, int maker, void **handle)
{
    const struct pith_transport *transport = context;
    struct file opened = {-1, MPI_FILE_NULL, MPI_COMM_NULL}, *file = malloc(sizeof *file);
    /* This rank calls open_file even if it has no memory for *file, because the call is collective. */
    int good = open_file(&opened, path, transport->rank, maker, file != NULL);
    int saved = errno;

    if (good) {
        *file = opened;
        *handle = file;
        return 0;
    }
    close_handles(&opened);
    free(file);
    errno = saved;
    return -1;
}

static int file_write_at(void *context, void *handle, uint64_t offset, const void *data, size_t size_bytes)
{
    struct file *file = handle;
    const char *at = data;

    (void)context;
    while (size_bytes) {
        size_t piece = size_bytes > PIECE ? PIECE : size_bytes;
        if (file->fd >= 0) {
            /* pwrite may write less, or be interrupted; the loop then goes on with the rest. */
            ssize_t put = pwrite(file->fd, at, piece, (off_t)offset);
            if (put <= 0 && errno != EINTR)
                return -1;
            piece = put > 0 ? (size_t)put : 0;
        } else {
            MPI_Status status;
            int written = 0; /* checked, because OMPIO reports success on a full disk */
            if (REAL(MPI_File_write_at)(file->shared, (MPI_Offset)offset, at, (int)piece, MPI_BYTE, &status) !=
                    MPI_SUCCESS ||
                REAL(MPI_Get_count)(&status, MPI_BYTE, &written) != MPI_SUCCESS || written != (int)piece)
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
    int good = close_handles(handle);

    (void)context;
    free(handle);
    return good ? 0 : -1;
}

/* ---- the communicator -------------------------------------------------------------------------------------------- */

static struct pith_transport transport_made = {
    .context = &transport_made,
    .send = send_bytes,
    .recv = recv_bytes,
    .wait = wait_bytes,
    .bcast = bcast,
    .sum_before = sum_before,
    .reduce = reduce,
    .barrier = barrier,
    .file_open = file_open,
    .file_write_at = file_write_at,
    .file_close = file_close,
};

/* A rank of this host, and the cores that it may run on (pith_affinity). */
struct place {
    int rank;
    char cores[124]; /* a list as in /proc/self/status: "0-3,8" */
};

/* Returns the property `affinity` of this host, for ranks that may use different cores: "rank 0 on 0-1, rank 1 on 2-3",
 * cut after some 80 ranks. */
static const char *affinity_text(const struct place *places, int together)
{
    static char text[1100];
    size_t at = 0;
    int i;

    for (i = 0; i < together && at < sizeof text - 200; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%srank %d on %s", i > 0 ? ", " : "", places[i].rank,
                               places[i].cores);
    if (i < together)
        snprintf(text + at, sizeof text - at, ", ...");
    return text;
}

const struct pith_transport *pithi_transport_on(MPI_Comm ours)
{
    struct pith_transport *transport = &transport_made;

    comm = ours;
    REAL(MPI_Comm_rank)(comm, &transport->rank);
    REAL(MPI_Comm_size)(comm, &transport->size);
    return transport;
}

/* Completes the transport on `comm` and returns it: sets the ranks, the number of ranks that share cores, and the
 * affinity. */
static const struct pith_transport *made(void)
{
    pithi_transport_on(comm);
    /* Finds the ranks of this host and the cores on which they may run. Without a communicator of the host, `sharing`
     * and `affinity` stay unknown. */
    MPI_Comm host;
    int together;

    transport_made.sharing = 0;
    transport_made.affinity = NULL;
    host_leader = transport_made.rank;
    if (pithi_host_comm(comm, transport_made.rank, &host) == MPI_SUCCESS) {
        REAL(MPI_Comm_size)(host, &together);
        REAL(MPI_Bcast)(&host_leader, 1, MPI_INT, 0, host);
        /* Gathers the cores of all ranks of the host, to count the ranks that run on the same cores as this one. */
        static struct place own;
        struct place *all = malloc((size_t)together * sizeof *all);
        int good = all != NULL;

        /* A rank without memory cannot take part in MPI_Allgather, so all ranks of the host first agree whether to call
         * it. */
        own.rank = transport_made.rank;
        pith_affinity(own.cores, sizeof own.cores);
        REAL(MPI_Allreduce)(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, host);
        if (good && REAL(MPI_Allgather)(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, host) == MPI_SUCCESS) {
            for (int i = 0; i < together; i++)
                /* Counts this rank itself, too. */
                transport_made.sharing += strcmp(all[i].cores, own.cores) == 0;
            transport_made.affinity = transport_made.sharing == together ? own.cores : affinity_text(all, together);
        }
        free(all);
        REAL(MPI_Comm_free)(&host);
    }
    return &transport_made;
}

const struct pith_transport *pithi_transport_open(void) { return pithi_transport_open_members(MPI_GROUP_NULL); }

const struct pith_transport *pithi_transport_open_members(MPI_Group members)
{
    comm = pithi_own_comm(members);
    return comm != MPI_COMM_NULL ? made() : NULL;
}

/* See transport.h. For programs that use only MPI sessions and therefore have no MPI_COMM_WORLD. */
const struct pith_transport *pithi_transport_open_group(MPI_Group all)
{
#ifdef MPI_SESSION_NULL
    if (REAL(MPI_Comm_create_from_group)(all, "pith", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS)
        return made();
#else
    (void)all;
#endif
    return NULL;
}

void pithi_transport_close(void) { REAL(MPI_Comm_free)(&comm); }
