/* detail.c - records events with a payload, and numbers files and windows (detail.h). */
#include "detail.h"

#include "event_payload.h"
#include "job.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events with a payload --------------------------------------------------------------------------------------- */

enum event { FILE_OPEN, FILE_ACCESS, WINDOW_MADE, WINDOW_NAME, WINDOW_ACCESS, WINDOW_TARGET, EPOCH, SPAWN, PROBED };

/* Each event is in the legend's group of the MPI functions that record it. The payload's fields have the order of the
 * format string (pith.h). */
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
    [EPOCH] = {"pith:epoch", "gray50", "what=%s ranks=%s", "pith", 0}, /* formats/analysis/waits/epochs.h */
    [SPAWN] = {"MPI spawn", "DarkSeaGreen1", "processes=%d command=%s", "MPI communicator", 0},
    [PROBED] = {"pith:probed", "gray50", "source=%d tag=%d", "pith", 0}, /* formats/analysis/waits/waits.c */
};

/* Records the event with a communicator. `comm`: the communicator's id in liblog; 0: MPI_COMM_WORLD. */
static void record_on(uint32_t comm, enum event event, const struct pithi_event_payload *payload)
{
    uint32_t id = __atomic_load_n(&events[event].id, __ATOMIC_RELAXED);

    if (pithi_calls_are_off())
        return;
    if (!id) { /* threads may race, but the same name gets the same id */
        id = pith_event_define_group(events[event].name, events[event].colour, events[event].format,
                                     events[event].group);
        __atomic_store_n(&events[event].id, id, __ATOMIC_RELAXED);
    }
    pith_comm_event(comm, id, payload->bytes, payload->size);
}

static void record(enum event event, const struct pithi_event_payload *payload) { record_on(0, event, payload); }

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int files, windows; /* counts of files and windows made so far; atomic */

static int on(void) { return pithi_self.recorded && pithi_job_up; }

static struct pithi_handle *find(uint64_t key) { return on() ? pithi_handle_find(key, PITHI_CLIENT_LIBRARY) : NULL; }

static int number_of(const struct pithi_handle *handle) { return handle ? pithi_comm_of(handle)->number : 0; }

/* Gives a new file or window its number. Returns its entry; NULL if it has none. */
static struct pithi_handle *add(uint64_t key, int *count)
{
    struct pithi_handle *handle = pithi_handle_get(key);

    if (!handle)
        return NULL;
    pithi_comm_of(handle)->number = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    pithi_handle_use(handle, PITHI_CLIENT_LIBRARY);
    return handle;
}

void pithi_detail_file_opened(int result, const char *name, MPI_Comm comm, const MPI_File *file)
{
    struct pithi_event_payload payload;

    if (result != MPI_SUCCESS || !on())
        return;
    struct pithi_handle *opened = add(pithi_file_key(*file), &files);
    if (opened)
        pithi_comm_made_on(opened, PITHI_COMM_FILE, comm);
    payload.size = 0;
    pithi_event_number(&payload, number_of(opened), 4);
    pithi_event_text(&payload, name);
    record(FILE_OPEN, &payload);
}

/* Records an access to a file. `offset` is in elements of the file's view, or negative if it is unknown. The event has
 * the offset in bytes. The offset is converted only if the file is known to be open, because the conversion is an MPI
 * call that the program did not make, and for a wrong handle it would call the user's error handler. */
static void file_access(const struct pithi_handle *file, MPI_File handle, MPI_Offset offset, pithi_count count,
                        MPI_Datatype type)
{
    MPI_Offset bytes = -1;
    struct pithi_event_payload payload;

    if (!file || offset < 0 || REAL(MPI_File_get_byte_offset)(handle, offset, &bytes) != MPI_SUCCESS)
        bytes = -1;
    payload.size = 0;
    pithi_event_number(&payload, number_of(file), 4);
    pithi_event_number(&payload, (int64_t)pithi_type_bytes(count, type), 8);
    pithi_event_number(&payload, bytes, 8);
    record(FILE_ACCESS, &payload);
}

void pithi_detail_file_at(MPI_File handle, MPI_Offset offset, pithi_count count, MPI_Datatype type)
{
    if (on())
        file_access(find(pithi_file_key(handle)), handle, offset, count, type);
}

void pithi_detail_file_own(MPI_File handle, pithi_count count, MPI_Datatype type)
{
    MPI_Offset offset = -1;

    if (!on())
        return;
    const struct pithi_handle *file = find(pithi_file_key(handle));
    if (file && REAL(MPI_File_get_position)(handle, &offset) != MPI_SUCCESS)
        offset = -1;
    file_access(file, handle, offset, count, type);
}

void pithi_detail_file_shared(MPI_File handle, pithi_count count, MPI_Datatype type)
{
    if (on())
        file_access(find(pithi_file_key(handle)), handle, -1, count, type);
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

void pithi_detail_window_made(int result, MPI_Aint size_bytes, MPI_Comm comm, const MPI_Win *window)
{
    struct pithi_event_payload payload;

    if (result != MPI_SUCCESS || !on())
        return;
    struct pithi_handle *made = add(pithi_window_key(*window), &windows);
    if (made)
        pithi_comm_made_on(made, PITHI_COMM_WINDOW, comm);
    payload.size = 0;
    pithi_event_number(&payload, number_of(made), 4);
    pithi_event_number(&payload, size_bytes, 8);
    record(WINDOW_MADE, &payload);
}

struct pithi_handle *pithi_detail_window(MPI_Win window) { return find(pithi_window_key(window)); }
struct pithi_handle *pithi_detail_file(MPI_File file) { return find(pithi_file_key(file)); }

/* See detail.h. A fence ends an epoch if an earlier fence began one and the assertion MPI_MODE_NOPRECEDE does not
 * exclude it. It begins an epoch unless MPI_MODE_NOSUCCEED excludes that. All processes must give the same two
 * assertions. */
int pithi_detail_window_fenced(MPI_Win window, int assertion)
{
    const struct pithi_handle *found = pithi_detail_window(window);

    if (!found)
        return 0;
    struct pithi_comm *known = pithi_comm_of(found);
    int ends_epoch = known->is_fenced && !(assertion & MPI_MODE_NOPRECEDE);
    known->is_fenced = !(assertion & MPI_MODE_NOSUCCEED);
    return ends_epoch;
}

/* See detail.h. The end is recorded before the library's call that frees the handle. After that call, the record would
 * lie between the wait in the call and the end of the state, and would need a clock reading of its own. */
void pithi_detail_freeing(const struct pithi_handle *handle)
{
    if (handle)
        pith_comm_free(pithi_comm_of(handle)->id);
}

void pithi_detail_window_named(int result, MPI_Win handle, const char *name)
{
    struct pithi_event_payload payload;

    if (result != MPI_SUCCESS || !on())
        return;
    const struct pithi_handle *window = pithi_detail_window(handle);
    if (window)
        pith_comm_name(pithi_comm_of(window)->id, name);
    payload.size = 0;
    pithi_event_number(&payload, number_of(window), 4);
    pithi_event_text(&payload, name);
    record(WINDOW_NAME, &payload);
}

static void put_target(struct pithi_event_payload *payload, MPI_Win handle, int target)
{
    const struct pithi_handle *window = pithi_detail_window(handle);

    payload->size = 0;
    pithi_event_number(payload, number_of(window), 4);
    /* The target as a world rank; -1: the target is in another job. */
    pithi_event_number(payload, window ? pithi_handle_peer(window, target) : -1, 4);
}

void pithi_detail_window_access(MPI_Win window, int target, MPI_Aint displacement, pithi_count count, MPI_Datatype type)
{
    struct pithi_event_payload payload;

    if (!on() || target == MPI_PROC_NULL)
        return;
    put_target(&payload, window, target);
    pithi_event_number(&payload, (int64_t)pithi_type_bytes(count, type), 8);
    pithi_event_number(&payload, displacement, 8);
    record(WINDOW_ACCESS, &payload);
}

void pithi_detail_window_target(MPI_Win window, int target)
{
    struct pithi_event_payload payload;

    if (!on() || target == MPI_PROC_NULL)
        return;
    put_target(&payload, window, target);
    record(WINDOW_TARGET, &payload);
}

static void epoch(MPI_Win window, const char *what, const char *ranks)
{
    struct pithi_event_payload payload;
    const struct pithi_handle *comm = pithi_detail_window(window);

    /* The analysis finds from epochs which rank waits for which. It does so only if the log has messages, so without
     * messages no epoch is recorded. */
    if (!comm || !pithi_job_messages)
        return;
    payload.size = 0;
    pithi_event_text(&payload, what);
    pithi_event_text(&payload, ranks);
    record_on(pithi_comm_of(comm)->id, EPOCH, &payload);
}

/* If the list of ranks is too long, or a member belongs to another job, the event has an empty list. */
void pithi_detail_window_epoch(MPI_Win window, const char *what, MPI_Group group)
{
    char text[1000];
    size_t at = 0;
    int size = 0, good = 1;
    text[0] = '\0'; /* an initializer would clear the whole array in each call */
    int *ranks = group != MPI_GROUP_NULL && on() ? pithi_group_world_ranks(group, &size) : NULL;

    for (int i = 0; ranks && i < size; i++) {
        /* A rank takes up to 11 characters and a comma. */
        good = good && ranks[i] >= 0 && at + 12 < sizeof text;
        at += good ? (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? "," : "", ranks[i]) : 0;
    }
    free(ranks);
    epoch(window, what, good ? text : "");
}

void pithi_detail_window_lock(MPI_Win window, const char *what, int target)
{
    const struct pithi_handle *comm = pithi_detail_window(window);
    char text[12];

    snprintf(text, sizeof text, "%d", comm ? pithi_handle_peer(comm, target) : -1);
    if (target != MPI_PROC_NULL)
        epoch(window, what, text);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

void pithi_detail_probed(int result, int flag, MPI_Comm comm, const MPI_Status *status)
{
    struct pithi_event_payload payload;
    const struct pithi_handle *found = result == MPI_SUCCESS && flag && on() ? pithi_comm_find(comm) : NULL;
    /* The source as a rank in MPI_COMM_WORLD; -1: unknown, or not recorded. */
    int source = found && pithi_job_messages ? pithi_handle_peer(found, status->MPI_SOURCE) : -1;

    if (source < 0)
        return;
    payload.size = 0;
    pithi_event_number(&payload, source, 4);
    pithi_event_number(&payload, status->MPI_TAG, 4);
    record(PROBED, &payload);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

void pithi_detail_spawn(MPI_Comm comm, int root, const char *command, int processes)
{
    struct pithi_event_payload payload;
    const struct pithi_handle *found = on() ? pithi_comm_find(comm) : NULL;

    /* Only the root records the event, so that the log has it once. */
    if (!found || found->rank != root)
        return;
    payload.size = 0;
    pithi_event_number(&payload, processes, 4);
    pithi_event_text(&payload, command);
    record(SPAWN, &payload);
}
