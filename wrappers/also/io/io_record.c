/* io_record.c - records calls that use files (io.h).
 *
 * An event says at which byte of the file the access began. For pread and pwrite, this is an argument of the call. For
 * read and write, it is the position of the file after the call minus the number of bytes that were moved: if the
 * position is 12288 after a read of 4096 bytes, the read began at 8192. The position before the call would be wrong for
 * files that were opened with O_APPEND.
 */
#include "io.h"

#include <errno.h>
#include <unistd.h>

#include "handles/event_payload.h"
#include "pith_tool.h"

static const char group[] = "POSIX file";

struct io_event {
    const char *name, *format; /* the event's name and format, as in pith.h */
    uint32_t id;               /* 0: not yet defined; accessed atomically */
};
static struct io_event access_event = {"io:access", "file=%s bytes=%l offset=%l", 0};
static struct io_event file_event = {"io:file", "file=%s descriptor=%d", 0};

/* ---- States ------------------------------------------------------------------------------------------------------ */

static struct pithi_io_call begin(struct pithi_io_state *state, struct pithi_io_file *file)
{
    struct pithi_io_call call = {pithi_also_state(&state->id, state->name, state->colour, group), file, NULL, -1};

    if (call.id)
        pith_begin(call.id);
    return call;
}

static const struct pithi_io_call unrecorded = {0, NULL, NULL, -1};

struct pithi_io_call pithi_io_begin(struct pithi_io_state *state, int fd, const void *caller)
{
    struct pithi_io_file *file = NULL;
    struct pithi_io_call call;

    if (!pithi_also_wanted(caller) || !(file = pithi_io_file_of(fd)) || pithi_also_is_guest())
        return unrecorded;
    call = begin(state, file);
    call.fd = fd;
    return call;
}

struct pithi_io_call pithi_io_begin_stream(struct pithi_io_state *state, FILE *stream, const void *caller)
{
    int saved = errno, fd = -1;
    struct pithi_io_call call;

    if (pithi_also_wanted(caller))
        fd = stream ? fileno(stream) : -1;
    errno = saved;
    struct pithi_io_file *file = fd < 0 ? NULL : pithi_io_file_of(fd);
    if (!file)
        return unrecorded;
    call = begin(state, file);
    call.stream = stream;
    call.fd = fd;
    return call;
}

struct pithi_io_call pithi_io_begin_open(struct pithi_io_state *state, const char *path, const void *caller)
{
    if (!pithi_also_wanted(caller) || !pithi_io_file_wanted(path) || pithi_also_is_guest())
        return unrecorded;
    return begin(state, NULL);
}

void pithi_io_end(const struct pithi_io_call *call)
{
    if (call->id)
        pith_end(call->id);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void record(struct io_event *event, const struct pithi_event_payload *payload)
{
    uint32_t id = __atomic_load_n(&event->id, __ATOMIC_RELAXED);

    if (!id) {
        id = pith_event_define_group(event->name, "orchid", event->format, group);
        __atomic_store_n(&event->id, id, __ATOMIC_RELAXED);
    }
    pith_event_data(id, payload->bytes, payload->size);
}

static void record_file(const char *name, int fd)
{
    struct pithi_event_payload payload;

    payload.size = 0;
    pithi_event_text(&payload, name);
    pithi_event_number(&payload, fd, 4);
    record(&file_event, &payload);
}

/* Returns the position of a stream; -1 if it is unknown because another thread has locked the stream. This function
 * must not wait for the lock. The program may have locked the stream itself (flockfile), and the thread that holds the
 * lock may wait for this thread. */
static int64_t stream_position(FILE *stream)
{
    int64_t at = -1;

    if (ftrylockfile(stream) == 0) {
        at = ftello(stream);
        funlockfile(stream);
    }
    return at;
}

/* Returns the offset at which the call's access began. The access has just ended and moved `bytes` bytes. Returns -1 if
 * the offset is unknown or the file has no position. */
static int64_t position(const struct pithi_io_call *call, int64_t bytes)
{
    int64_t end = -1;

    if (call->file->seekable)
        end = call->stream ? stream_position(call->stream) : (int64_t)lseek(call->fd, 0, SEEK_CUR);
    return end < 0 ? -1 : end - bytes;
}

/* ---- The cost besides the records --------------------------------------------------------------------------------
 * For each call, libpith-io does more work than writing records. The cost of this work is measured in the first calls
 * of each kind. The work of pithi_io_begin was already done when the measurement begins, so the measurement does this
 * work again. The smallest measured cost counts, because other processes may interrupt a measurement. The cost includes
 * storing the event's payload, because liblog only measures the cost of events with empty payloads. */

/* STREAM to TOUCHING: kinds of calls (STREAM + POSITION is a kind, too); TRIES: how often each kind is measured;
 * OFTEN_NS: pith_own_cost is called for no less than this cost */
enum { STREAM = 1, POSITION = 2, OPENING = 4, TOUCHING = 5, KINDS = 6, TRIES = 64, OFTEN_NS = 10000 };
static struct {
    int64_t ns; /* the least cost so far; 0: not measured; accessed atomically */
    int tries;  /* how often this kind was measured; accessed atomically */
} costs[KINDS];

/* Call it after the real call and before libpith-io's work for it. Returns the present time if this work is to be
 * measured, else 0. */
static int64_t cost_begin(int kind, const struct pithi_io_call *call)
{
    int64_t from;

    if (__atomic_load_n(&costs[kind].tries, __ATOMIC_RELAXED) >= TRIES)
        return 0;
    from = pithi_also_now_ns();
    (void)(pithi_also_wanted(NULL) && pithi_io_file_of(call->fd) && (call->stream || pithi_also_is_guest()));
    return from;
}

/* Adds the cost of a call, and passes the sum of this thread's costs to pith_own_cost when it reaches OFTEN_NS. Calling
 * pith_own_cost for each call would write too many records. `from` is what cost_begin returned. */
static void cost_end(int kind, int64_t from)
{
    static __thread int64_t untold_ns __attribute__((tls_model("initial-exec")));
    int64_t ns = __atomic_load_n(&costs[kind].ns, __ATOMIC_RELAXED);

    if (from) {
        int64_t to = pithi_also_now_ns(), took = to - from - (pithi_also_now_ns() - to);
        if (ns == 0 || took < ns)
            __atomic_store_n(&costs[kind].ns, ns = took > 1 ? took : 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&costs[kind].tries, 1, __ATOMIC_RELAXED);
    }
    untold_ns += ns;
    if (untold_ns < OFTEN_NS)
        return;
    pith_own_cost((uint64_t)untold_ns);
    untold_ns = 0;
}

/* ---- After the call ---------------------------------------------------------------------------------------------- */

void pithi_io_moved(const struct pithi_io_call *call, int64_t bytes, int64_t offset)
{
    int saved = errno;
    struct pithi_event_payload payload;

    if (!call->id || bytes < 0)
        return;
    int has_position = offset == PITHI_IO_HERE && call->file->seekable;
    int kind = (call->stream ? STREAM : 0) + (has_position ? POSITION : 0);
    int64_t from = cost_begin(kind, call);
    payload.size = 0;
    pithi_event_text(&payload, call->file->name);
    pithi_event_number(&payload, bytes, 8);
    pithi_event_number(&payload, offset == PITHI_IO_HERE ? position(call, bytes) : offset, 8);
    record(&access_event, &payload);
    cost_end(kind, from);
    errno = saved;
}

void pithi_io_opened(const struct pithi_io_call *call, const char *path, int fd)
{
    int saved = errno;
    struct pithi_io_file *file = NULL;

    pithi_io_file_forget(fd);
    if (call->id) {
        int64_t from = cost_begin(OPENING, call);
        if (fd >= 0)
            file = pithi_io_file_opened(fd, path);
        record_file(file ? file->name : path, fd);
        cost_end(OPENING, from);
    }
    errno = saved;
}

void pithi_io_touches(const struct pithi_io_call *call)
{
    if (call->id && call->file) {
        int64_t from = cost_begin(TOUCHING, call);
        record_file(call->file->name, call->fd);
        cost_end(TOUCHING, from);
    }
}
