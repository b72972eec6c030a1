/* otf2_write.c - writes an archive, traces.otf2 in a folder, rank by rank, because libotf2 keeps a chunk of memory for
 * each location being written. The lanes of a rank with very many lanes are written one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

static int write_ranks(struct otf2_writer *w)
{
    const struct pithlog_lane *lane;

    for (uint32_t i = 0, next; w->code == OTF2_SUCCESS && (lane = pithlog_get_lane(w->log, i)); i = next) {
        int32_t rank = lane->rank;
        for (next = i + 1; (lane = pithlog_get_lane(w->log, next)) && lane->rank == rank;)
            next++;
        w->alone = next - i > TOGETHER_MAX;
        for (uint32_t k = i; k < next; k += w->alone ? 1 : next - i)
            CHECK(pithi_otf2_write_lanes(w, k, w->alone ? 1 : next - i));
    }
    return PITH_OK;
}

static void put_local_definitions(struct otf2_writer *w, uint64_t location)
{
    OTF2_DefWriter *writer = w->otf2->Archive_GetDefWriter(w->archive, location);

    pithi_otf2_check(w, writer ? w->otf2->Archive_CloseDefWriter(w->archive, writer) : OTF2_ERROR_FILE_CAN_NOT_OPEN);
}

static int write_all(struct otf2_writer *w)
{
    struct pithi_walk window;

    CHECK(pithi_walk_open(&window, w->log, w->how)); /* to learn its times */
    pithi_walk_close(&window);
    w->shift = window.from_ns < 0 ? (uint64_t)-window.from_ns : 0;
    if (!pithi_otf2_put_definitions(w))
        return pithi_no_memory();
    pithi_otf2_check(w, w->otf2->Archive_OpenEvtFiles(w->archive));
    CHECK(write_ranks(w));
    if (pithlog_get_info(w->log)->lanes == 0) {
        /* A log without lanes has one dummy location; readers expect its event file. */
        OTF2_EvtWriter *events = w->otf2->Archive_GetEvtWriter(w->archive, 0);
        pithi_otf2_check(w,
                         events ? w->otf2->Archive_CloseEvtWriter(w->archive, events) : OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    pithi_otf2_check(w, w->otf2->Archive_CloseEvtFiles(w->archive));
    /* Readers look for a definition file of each location, even an empty one. */
    const struct pithlog_lane *lane;
    pithi_otf2_check(w, w->otf2->Archive_OpenDefFiles(w->archive));
    for (uint32_t i = 0; w->code == OTF2_SUCCESS && (lane = pithlog_get_lane(w->log, i)); i++)
        put_local_definitions(w, pithi_otf2_location(lane));
    if (pithlog_get_info(w->log)->lanes == 0)
        put_local_definitions(w, 0);
    pithi_otf2_check(w, w->otf2->Archive_CloseDefFiles(w->archive));
    if (!pithi_otf2_put_places(w, &window) || w->no_memory)
        return pithi_no_memory();
    return PITH_OK;
}

static int write_archive(struct otf2_writer *w, const char *folder, const char *name)
{
    OTF2_ErrorCode code;
    int err;

    w->archive = w->otf2->Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                                       OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!w->archive)
        return pithi_otf2_fail(PITH_ERR_IO, name, "cannot be written", OTF2_SUCCESS);
    pithi_otf2_check(w, w->otf2->Archive_SetFlushCallbacks(w->archive, &flush_callbacks, NULL));
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

static int write_named(struct otf2_writer *w, const char *folder, const char *name)
{
    int err;

    TRY(pithi_otf2_begin(name, &w->otf2));
    err = write_archive(w, folder, name);
    pithi_otf2_end();
out:
    return err;
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
    if (pithi_losses_open(&w->losses, log) || !w->events || !pithi_nest_open(&w->nest, info->lanes))
        err = pithi_no_memory();
    else
        err = write_named(w, folder, name);
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
    pithi_nest_close(&w->nest);
    pithi_map_free(&w->ranks);
    pithi_map_free(&w->members);
    pithi_otf2_contexts_close(w);
    free(w->events);
    free(w->written);
    free(w->payload.text);
    pithi_losses_close(&w->losses);
    free(w);
    free(name);
    return err;
}
