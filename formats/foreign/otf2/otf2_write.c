/* otf2_write.c - writes an archive, traces.otf2 in a folder, rank by rank, because libotf2 keeps a chunk of memory for
 * each location being written. If a rank has more than 64 lanes, its lanes are written one by one.
 *
 * A chunk has 256 KiB, so the 64 lanes that are written together take 16 MiB. The lanes of a rank are written together
 * because requests belong to a rank: a receive that one thread posts may end in another thread. If lanes are written
 * one by one, the order in which receives were posted is lost, and a note says how many receives this concerns
 * (otf2_write_events.c).
 *
 * The order of writing is: definitions of states, events and counters; the events; the definitions of places and
 * communicators, which need the numbers of events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/open_file.h"
#include "foreign/names.h"
#include "foreign/otf2/otf2_probe.h"
#include "foreign/otf2/otf2_writer.h"

enum { TOGETHER_MAX = 64, EVENT_CHUNK = 256 << 10, DEFINITION_CHUNK = 4 << 20 };

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
    (void)data, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static OTF2_FlushCallbacks flush_callbacks = {flush, NULL};

/* Gives libotf2 memory for a chunk. libotf2 fills the chunk of each location with zeros. In fresh memory this costs a
 * page fault for each page. For a log with many lanes the page faults took most of the time, so chunks of events are
 * used again. `mine` is the list of chunks of one buffer of libotf2. A buffer of events gets only one chunk. When it
 * asks for a second one, it gets NULL, so libotf2 writes out the full chunk, and memory does not grow with the
 * events. */
static void *take_chunk(void *data, OTF2_FileType type, OTF2_LocationRef location, void **mine, uint64_t size)
{
    struct otf2_writer *w = data;
    struct otf2_chunk *chunk = w->chunks;
    (void)location;
    if (type == OTF2_FILETYPE_EVENTS && *mine) /* the chunk is full: libotf2 writes it out */
        return NULL;
    if (chunk && chunk->size == size)
        w->chunks = chunk->next;
    else if (!(chunk = malloc(sizeof *chunk + size)))
        return NULL;
    *chunk = (struct otf2_chunk){*mine, size};
    *mine = chunk;
    return chunk + 1;
}

static void give_chunks(void *data, OTF2_FileType type, OTF2_LocationRef location, void **mine, bool final)
{
    struct otf2_writer *w = data;
    struct otf2_chunk *chunk = *mine, *next;
    (void)location, (void) final;
    for (; chunk; chunk = next) {
        next = chunk->next;
        chunk->next = w->chunks;
        if (type == OTF2_FILETYPE_EVENTS)
            w->chunks = chunk;
        else
            free(chunk);
    }
    *mine = NULL;
}

static OTF2_MemoryCallbacks memory_callbacks = {take_chunk, give_chunks};

static int write_all(struct otf2_writer *w)
{
    struct pithi_walk window;

    CHECK(pithi_walk_open(&window, w->log, w->how)); /* opened only to find the times of the window */
    pithi_walk_close(&window);
    w->shift = window.from_ns < 0 ? (uint64_t)-window.from_ns : 0;
    if (!pithi_otf2_put_definitions(w))
        return pithi_no_memory();
    pithi_otf2_check(w, w->otf2->Archive_OpenEvtFiles(w->archive));
    const struct pithlog_lane *lane;
    for (uint32_t i = 0, next; w->code == OTF2_SUCCESS && (lane = pithlog_get_lane(w->log, i)); i = next) {
        int32_t rank = lane->rank;
        for (next = i + 1; (lane = pithlog_get_lane(w->log, next)) && lane->rank == rank;)
            next++;
        w->alone = next - i > TOGETHER_MAX;
        for (uint32_t k = i; k < next; k += w->alone ? 1 : next - i)
            CHECK(pithi_otf2_write_lanes(w, k, w->alone ? 1 : next - i));
    }
    if (pithlog_get_info(w->log)->lanes == 0) {
        /* A log without lanes has one dummy location. Readers expect an event file of this location. */
        OTF2_EvtWriter *events = w->otf2->Archive_GetEvtWriter(w->archive, 0);
        pithi_otf2_check(w,
                         events ? w->otf2->Archive_CloseEvtWriter(w->archive, events) : OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    pithi_otf2_check(w, w->otf2->Archive_CloseEvtFiles(w->archive));

    /* Readers look for a definition file of each location, even an empty one. libotf2 writes only the first file. The
     * file is copied for the other locations, because all these files have the same bytes. (libotf2 would fill 4 MB
     * with zeros for each file, and search all locations.) */
    lane = pithlog_get_lane(w->log, 0);
    uint64_t first = lane ? pithi_otf2_location(lane) : 0;
    unsigned char bytes[4096];
    char name[4096];
    OTF2_DefWriter *writer;
    size_t size = 0;
    FILE *file;
    pithi_otf2_check(w, w->otf2->Archive_OpenDefFiles(w->archive));
    writer = w->otf2->Archive_GetDefWriter(w->archive, first);
    pithi_otf2_check(w, writer ? w->otf2->Archive_CloseDefWriter(w->archive, writer) : OTF2_ERROR_FILE_CAN_NOT_OPEN);
    pithi_otf2_check(w, w->otf2->Archive_CloseDefFiles(w->archive));
    snprintf(name, sizeof name, "%s/traces/%" PRIu64 ".def", w->folder, first);
    if ((file = pithi_open_whole(name))) {
        size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
    }
    if (size == 0 || size == sizeof bytes)
        pithi_otf2_check(w, OTF2_ERROR_FILE_INTERACTION);
    for (uint32_t i = 1; w->code == OTF2_SUCCESS && (lane = pithlog_get_lane(w->log, i)); i++) {
        snprintf(name, sizeof name, "%s/traces/%" PRIu64 ".def", w->folder, pithi_otf2_location(lane));
        file = pithi_make_stream(name, "w");
        if (!file || fwrite(bytes, 1, size, file) != size)
            pithi_otf2_check(w, OTF2_ERROR_FILE_INTERACTION);
        if (file && fclose(file) != 0)
            pithi_otf2_check(w, OTF2_ERROR_FILE_INTERACTION);
    }

    if (!pithi_otf2_put_places(w, &window) || w->no_memory)
        return pithi_no_memory();
    return PITH_OK;
}

static int write_archive(struct otf2_writer *w, const char *folder, const char *name)
{
    OTF2_ErrorCode code;
    int err;

    w->folder = folder;
    w->archive = w->otf2->Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                                       OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!w->archive)
        return pithi_otf2_fail(PITH_ERR_IO, name, "cannot be written", OTF2_SUCCESS);
    pithi_otf2_check(w, w->otf2->Archive_SetFlushCallbacks(w->archive, &flush_callbacks, NULL));
    pithi_otf2_check(w, w->otf2->Archive_SetMemoryCallbacks(w->archive, &memory_callbacks, w));
    pithi_otf2_check(w, w->otf2->Archive_SetSerialCollectiveCallbacks(w->archive));
    pithi_otf2_check(w, w->otf2->Archive_SetCreator(w->archive, "Pith " PITH_VERSION));
    if (!(w->defs = w->otf2->Archive_GetGlobalDefWriter(w->archive)))
        pithi_otf2_check(w, OTF2_ERROR_INVALID);
    err = w->code == OTF2_SUCCESS ? write_all(w) : PITH_OK;
    code = w->otf2->Archive_Close(w->archive);
    pithi_otf2_check(w, code);
    return err == PITH_OK && (w->code != OTF2_SUCCESS || pithi_otf2_complained())
               ? pithi_otf2_fail(PITH_ERR_IO, name, "cannot be written", w->code)
               : err;
}

int pithi_otf2_write_folder(struct pithlog *log, const char *folder, const struct pithi_convert *how)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct otf2_writer *w = calloc(1, sizeof *w);
    char *name = pithi_otf2_final_name(folder);
    int err;

    if (!w || !name) {
        free(w);
        free(name);
        return pithi_no_memory();
    }
    w->log = log;
    w->how = how;
    w->def_count = info->defs;
    w->events = calloc(info->lanes + (size_t)1, sizeof *w->events);
    if (pithi_losses_open(&w->losses, log) || !w->events) {
        err = pithi_no_memory();
    } else if ((err = pithi_otf2_begin(name, &w->otf2)) == PITH_OK) {
        err = write_archive(w, folder, name);
        pithi_otf2_end();
    }
    if (err == PITH_OK) {
        pithi_losses_tell(&w->losses, w->how);
        pithi_note(w->how, w->no_rank, "ends of messages with ranks that are not in the log are left out");
        pithi_note(w->how, w->no_root, "roots of collective operations that are not in the log are left out");
        pithi_note(w->how, w->unordered,
                   "receives of ranks with more than 64 threads: their order of posting is not kept");
        pithi_note(w->how, w->strangers, "members of communicators that are not in the log are left out");
        pithi_note(w->how, w->unknown, "communicators of unknown members have those of MPI_COMM_WORLD");
        pithi_note(w->how, w->sites, "call sites are events with addresses, without the names of functions");
    }
    for (int i = 0; i < OTF2_TEXTS; i++)
        free(w->texts[i].text);
    pithi_map_free(&w->ranks);
    pithi_map_free(&w->members);
    pithi_otf2_contexts_close(w);
    for (struct otf2_chunk *next; w->chunks; w->chunks = next) {
        next = w->chunks->next;
        free(w->chunks);
    }
    free(w->events);
    free(w->written);
    free(w->payload.text);
    pithi_losses_close(&w->losses);
    free(w);
    free(name);
    return err;
}
