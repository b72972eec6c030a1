/* detail.c - see detail.h. */
#include "detail.h"

#include "job.h"
#include "lock.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* ---- events with payload ----------------------------------------------------------------------------------------- */

enum event { FILE_OPEN, FILE_ACCESS, WINDOW_MADE, WINDOW_NAME, WINDOW_ACCESS, WINDOW_TARGET, SPAWN };

/* Each is of the group of the functions that it tells of. The payload's fields follow one another in the order of the
 * format (pith.h). */
static struct {
    const char *name, *colour, *format, *group;
    uint32_t id;
} events[] = {
    [FILE_OPEN] = {"MPI file open", "HotPink", "file=%d name=%s", "MPI file", 0},
    [FILE_ACCESS] = {"MPI file access", "orchid", "file=%d bytes=%l offset=%l", "MPI file", 0},
    [WINDOW_MADE] = {"MPI window made", "SeaGreen", "window=%d bytes=%l", "MPI one-sided", 0},
    [WINDOW_NAME] = {"MPI window name", "SeaGreen", "window=%d name=%s", "MPI one-sided", 0},
    [WINDOW_ACCESS] = {"MPI one-sided", "LightGreen", "window=%d target=%d bytes=%l displacement=%l", "MPI one-sided",
                       0},
    [WINDOW_TARGET] = {"MPI target", "LightGreen", "window=%d target=%d", "MPI one-sided", 0},
    [SPAWN] = {"MPI spawn", "DarkSeaGreen1", "processes=%d command=%s", "MPI communicator", 0},
};

struct payload {
    size_t size;
    unsigned char bytes[1100]; /* not cleared: most are short */
};

static void put(struct payload *payload, int64_t value, int size)
{
    while (size-- > 0)
        payload->bytes[payload->size++] = (unsigned char)((uint64_t)value >> 8 * size);
}

static void put_text(struct payload *payload, const char *text)
{
    size_t length = text ? strnlen(text, 1024) : 0;

    put(payload, (int64_t)length, 2);
    if (length)
        memcpy(payload->bytes + payload->size, text, length);
    payload->size += length;
}

static void record(enum event event, const struct payload *payload)
{
    uint32_t id = __atomic_load_n(&events[event].id, __ATOMIC_RELAXED);

    if (pithi_calls_are_off())
        return;
    if (!id) { /* several threads may: the same name gives the same id */
        id = pith_event_define_group(events[event].name, events[event].colour, events[event].format,
                                     events[event].group);
        __atomic_store_n(&events[event].id, id, __ATOMIC_RELAXED);
    }
    pith_event_data(id, payload->bytes, payload->size);
}

/* ---- files and windows: handle to number ------------------------------------------------------------------------- */

struct known {
    struct known *next;
    uintptr_t handle;
    int number;
    struct pithi_comm *comm; /* a window's */
    int is_fenced;           /* what follows its last fence may access it */
};
struct kind {
    struct known *first; /* a program has few at a time */
    int count;
};
static struct kind files, windows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int on(void) { return pithi_self.recorded && pithi_job_up; }

static struct known **find(struct kind *kind, uintptr_t handle)
{
    struct known **at = &kind->first;

    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static int add(struct kind *kind, uintptr_t handle, struct pithi_comm *comm)
{
    struct known *known = calloc(1, sizeof *known);

    if (!known)
        return 0;
    pithi_lock(&lock);
    *known = (struct known){kind->first, handle, ++kind->count, comm, 0};
    kind->first = known;
    pithi_unlock(&lock);
    return known->number;
}

static struct known get(struct kind *kind, uintptr_t handle)
{
    pithi_lock(&lock);
    const struct known *known = *find(kind, handle);
    struct known copy = known ? *known : (struct known){0};
    pithi_unlock(&lock);
    return copy;
}

static void drop(struct kind *kind, uintptr_t handle)
{
    pithi_lock(&lock);
    struct known **at = find(kind, handle), *known = *at;
    if (known)
        *at = known->next;
    pithi_unlock(&lock);
    pithi_comm_drop_end(MPI_SUCCESS, known ? known->comm : NULL);
    free(known);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

void pithi_detail_file_opened(int result, const char *name, const MPI_File *file)
{
    struct payload payload;

    if (result != MPI_SUCCESS || !on())
        return;
    payload.size = 0;
    put(&payload, add(&files, (uintptr_t)*file, NULL), 4);
    put_text(&payload, name);
    record(FILE_OPEN, &payload);
}

void pithi_detail_file_closing(const MPI_File *file)
{
    if (on())
        drop(&files, (uintptr_t)*file);
}

static void file_access(int number, int64_t offset, pithi_count count, MPI_Datatype type)
{
    struct payload payload;

    payload.size = 0;
    put(&payload, number, 4);
    put(&payload, (int64_t)pithi_bytes(count, type), 8);
    put(&payload, offset, 8);
    record(FILE_ACCESS, &payload);
}

/* Only files that are known to be open are asked: a wrong handle would be an error, and the user's error handler would
 * see one that his program has not made. */
static int64_t byte_offset(const struct known *file, MPI_File handle, MPI_Offset offset)
{
    MPI_Offset bytes = -1;

    if (!file->number || offset < 0 || REAL(MPI_File_get_byte_offset)(handle, offset, &bytes) != MPI_SUCCESS)
        return -1;
    return bytes;
}

void pithi_detail_file_at(MPI_File handle, MPI_Offset offset, pithi_count count, MPI_Datatype type)
{
    if (!on())
        return;
    struct known file = get(&files, (uintptr_t)handle);
    file_access(file.number, byte_offset(&file, handle, offset), count, type);
}

void pithi_detail_file_own(MPI_File handle, pithi_count count, MPI_Datatype type)
{
    MPI_Offset offset = -1;

    if (!on())
        return;
    struct known file = get(&files, (uintptr_t)handle);
    if (file.number && REAL(MPI_File_get_position)(handle, &offset) != MPI_SUCCESS)
        offset = -1;
    file_access(file.number, byte_offset(&file, handle, offset), count, type);
}

void pithi_detail_file_shared(MPI_File handle, pithi_count count, MPI_Datatype type)
{
    if (on())
        file_access(get(&files, (uintptr_t)handle).number, -1, count, type);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

void pithi_detail_window_made(int result, MPI_Aint size_bytes, MPI_Comm comm, const MPI_Win *window)
{
    struct payload payload;

    if (result != MPI_SUCCESS || !on())
        return;
    payload.size = 0;
    put(&payload, add(&windows, (uintptr_t)*window, pithi_comm_of_window(pithi_comm_find(comm))), 4);
    put(&payload, size_bytes, 8);
    record(WINDOW_MADE, &payload);
}

struct pithi_comm *pithi_detail_window_comm(MPI_Win window)
{
    return on() ? get(&windows, (uintptr_t)window).comm : NULL;
}

/* Before any fence there was no epoch, and the program may say that there is none before, or behind, this one: always
 * all processes or none. */
int pithi_detail_window_fenced(MPI_Win window, int assertion)
{
    int ends_epoch = 0;

    if (!on())
        return 0;
    pithi_lock(&lock);
    struct known *known = *find(&windows, (uintptr_t)window);
    if (known) {
        ends_epoch = known->is_fenced && !(assertion & MPI_MODE_NOPRECEDE);
        known->is_fenced = !(assertion & MPI_MODE_NOSUCCEED);
    }
    pithi_unlock(&lock);
    return ends_epoch;
}

void pithi_detail_window_freeing(const MPI_Win *window)
{
    if (on())
        drop(&windows, (uintptr_t)*window);
}

void pithi_detail_window_named(int result, MPI_Win handle, const char *name)
{
    struct payload payload;

    if (result != MPI_SUCCESS || !on())
        return;
    struct known window = get(&windows, (uintptr_t)handle);
    if (window.comm)
        pith_comm_name(window.comm->id, name);
    payload.size = 0;
    put(&payload, window.number, 4);
    put_text(&payload, name);
    record(WINDOW_NAME, &payload);
}

static void put_target(struct payload *payload, MPI_Win handle, int target)
{
    struct known window = get(&windows, (uintptr_t)handle);

    payload->size = 0;
    put(payload, window.number, 4);
    put(payload, window.comm ? pithi_comm_peer(window.comm, target) : -1, 4);
}

void pithi_detail_window_access(MPI_Win window, int target, MPI_Aint displacement, pithi_count count, MPI_Datatype type)
{
    struct payload payload;

    if (!on() || target == MPI_PROC_NULL)
        return;
    put_target(&payload, window, target);
    put(&payload, (int64_t)pithi_bytes(count, type), 8);
    put(&payload, displacement, 8);
    record(WINDOW_ACCESS, &payload);
}

void pithi_detail_window_target(MPI_Win window, int target)
{
    struct payload payload;

    if (!on() || target == MPI_PROC_NULL)
        return;
    put_target(&payload, window, target);
    record(WINDOW_TARGET, &payload);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

void pithi_detail_spawn(MPI_Comm comm, int root, const char *command, int processes)
{
    struct payload payload;
    const struct pithi_comm *found = on() ? pithi_comm_find(comm) : NULL;

    if (!found || found->rank != root)
        return;
    payload.size = 0;
    put(&payload, processes, 4);
    put_text(&payload, command);
    record(SPAWN, &payload);
}
