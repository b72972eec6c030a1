/* otf2_read.c - reads an archive rank by rank. The locations of a rank are merged by time. So receives are numbered in
 * the order of posting, even if one thread posts a receive and another completes it. libotf2 keeps a chunk of about 1
 * MB for each open location, so a rank with more than MERGED_MAX locations is read one location at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "foreign/names.h"
#include "foreign/otf2/otf2_probe.h"
#include "foreign/otf2/otf2_reader.h"
#include "native/defs.h"

/* EVENT_BYTES: approximate size of an event, for progress display */
enum { MERGED_MAX = 64, EVENTS_AT_ONCE = 1 << 16, EVENT_BYTES = 10 };

static struct otf2_location *location_at(const struct otf2_reader *r, uint32_t lane)
{
    return &OTF2_ROWS(r->defs.locations, struct otf2_location)[r->order[lane]];
}

/* ---- Definition files of the locations: mapping tables, clock corrections ---------------------------------------- */

static int read_local_definitions(struct otf2_reader *r)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t count;

    for (uint32_t i = 0; i < r->lanes; i++)
        r->otf2->Reader_SelectLocation(r->reader, location_at(r, i)->ref);
    /* an archive may have no definition files of locations */
    if (r->otf2->Reader_OpenDefFiles(r->reader) != OTF2_SUCCESS)
        return PITH_OK;
    for (uint32_t i = 0; i < r->lanes && code == OTF2_SUCCESS; i++) {
        OTF2_DefReader *reader = r->otf2->Reader_GetDefReader(r->reader, location_at(r, i)->ref);
        if (!reader)
            continue;
        code = r->otf2->Reader_ReadAllLocalDefinitions(r->reader, reader, &count);
        r->otf2->Reader_CloseDefReader(r->reader, reader);
    }
    r->otf2->Reader_CloseDefFiles(r->reader);
    return code == OTF2_SUCCESS
               ? PITH_OK
               : pithi_otf2_fail(PITH_ERR_DAMAGED, r->path, "definitions of a location cannot be read", code);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Keeps the reason from libotf2, with which the log will be marked as incomplete, and lets the events read so far stay
 * in the log. */
static int settle_cut(struct otf2_reader *r, int err)
{
    const char *text = pithlog_error();
    size_t name = strlen(r->path);

    if (err != PITH_ERR_DAMAGED || r->err != PITH_OK) /* Any other error, such as no memory, ends the reading. */
        return err;
    /* The text is shown after the name of the file, so the name at its begin is removed. */
    if (strncmp(text, r->path, name) == 0 && strncmp(text + name, ": ", 2) == 0)
        text += name + 2;
    if (!*r->cause) /* keeps the first cause */
        snprintf(r->cause, sizeof r->cause, "%s", text);
    return PITH_OK;
}

static int read_events(struct otf2_reader *r, OTF2_GlobalEvtReader *merged)
{
    OTF2_ErrorCode code;
    uint64_t count;

    /* Reads a limited number of events at a time, so that progress is shown and the user can end the reading. */
    do {
        code = r->otf2->Reader_ReadGlobalEvents(r->reader, merged, EVENTS_AT_ONCE, &count);
        r->read += count;
        if (!pithi_watched_at(r->watched, r->read * EVENT_BYTES, r->total * EVENT_BYTES))
            return PITH_OK; /* the user has ended the reading */
    } while (code == OTF2_SUCCESS && count == EVENTS_AT_ONCE);
    /* If a callback failed, returns its error, because libotf2 only reports that it was interrupted. */
    if (r->err != PITH_OK)
        return r->err;
    return code == OTF2_SUCCESS ? PITH_OK : pithi_otf2_fail(PITH_ERR_DAMAGED, r->path, "events cannot be read", code);
}

/* Reads `count` lanes from `first` on, merged by time. */
static int read_merged(struct otf2_reader *r, uint32_t first, uint32_t count)
{
    OTF2_GlobalEvtReaderCallbacks *callbacks;
    OTF2_GlobalEvtReader *merged;
    int err;

    /* It is an error if a location with events cannot be read. A location without events may have no file. */
    for (uint32_t i = first; i < first + count; i++)
        if (!r->otf2->Reader_GetEvtReader(r->reader, location_at(r, i)->ref) && location_at(r, i)->events)
            settle_cut(r,
                       pithi_otf2_fail(PITH_ERR_DAMAGED, r->path, "events of a location cannot be read", OTF2_SUCCESS));
    if (!(merged = r->otf2->Reader_GetGlobalEvtReader(r->reader)))
        return pithi_otf2_fail(PITH_ERR_DAMAGED, r->path, "events cannot be read", OTF2_SUCCESS);
    if (!(callbacks = r->otf2->GlobalEvtReaderCallbacks_New()))
        return pithi_no_memory();
    pithi_otf2_events_register(r->otf2, callbacks);
    r->otf2->Reader_RegisterGlobalEvtCallbacks(r->reader, merged, callbacks, r);
    r->otf2->GlobalEvtReaderCallbacks_Delete(callbacks);
    err = read_events(r, merged);
    r->otf2->Reader_CloseGlobalEvtReader(r->reader, merged);
    return err;
}

static int read_all_events(struct otf2_reader *r)
{
    OTF2_ErrorCode code = r->otf2->Reader_OpenEvtFiles(r->reader);
    int err = PITH_OK;

    if (code != OTF2_SUCCESS && r->lanes > 0) /* without lanes an archive may have no events */
        return pithi_otf2_fail(PITH_ERR_DAMAGED, r->path, "its events cannot be opened", code);
    for (uint32_t i = 0; i < r->lanes; i++)
        r->total += location_at(r, i)->events;
    /* Lanes of a rank are adjacent. */
    for (uint32_t i = 0, next; i < r->lanes && !(r->watched && r->watched->stopped); i = next) {
        for (next = i + 1; next < r->lanes && location_at(r, next)->rank == location_at(r, i)->rank;)
            next++;
        /* Reading the locations of a rank one by one saves memory: about 100 MB of chunks for 100 locations. */
        uint32_t count = next - i, together = count <= MERGED_MAX ? count : 1;
        for (uint32_t k = 0; k < count; k += together)
            TRY(settle_cut(r, read_merged(r, i + k, together)));
        TRY(pithi_otf2_events_end_rank(r));
    }
out:
    if (code == OTF2_SUCCESS)
        r->otf2->Reader_CloseEvtFiles(r->reader);
    return err;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int read_archive(struct otf2_reader *r)
{
    int err;

    if (!pithi_otf2_named(r->path))
        return pithi_fail(PITH_ERR_UNSUPPORTED,
                          "%s: libotf2 reads an archive only if its name ends with .otf2; give it its name back",
                          r->path);
    if (!(r->reader = r->otf2->Reader_Open(r->path)))
        return pithi_otf2_fail(PITH_ERR_DAMAGED, r->path, "cannot be read", OTF2_SUCCESS);
    /* Selects the serial callbacks, because Pith reads the archive in a single process. */
    r->otf2->Reader_SetSerialCollectiveCallbacks(r->reader);
    char *creator = NULL;
    int own =
        /* the creator is, for example, "Pith 0.1.0" */
        r->otf2->Reader_GetCreator(r->reader, &creator) == OTF2_SUCCESS && creator && strncmp(creator, "Pith ", 5) == 0;
    free(creator);
    r->own = own;
    TRY(pithi_otf2_defs_read(&r->defs, r->otf2, r->reader, r->path));
    TRY(pithi_otf2_places_make(r));
    TRY(pithi_otf2_facts_make(r));
    TRY(read_local_definitions(r));
    TRY(read_all_events(r));
    /* Adds properties that say how much is missing or was skipped. */
    TRY(pithi_leaves_end(&r->leaves)); /* reports leaves without an enter */
    struct pithi_defs *defs = pithi_writer_defs(r->writer);
    /* The definitions have the number of events, so missing events are noticed even if a file ends between two
     * events. */
    if (r->read < r->total)
        TRY(pithi_incomplete(defs, "events: %" PRIu64 " of %" PRIu64 " that the definitions count%s%s", r->read,
                             r->total, *r->cause ? "; " : "", r->cause));
    else if (*r->cause)
        TRY(pithi_incomplete(defs, "%s", r->cause));
    TRY(pithi_say_count(r->writer, "otf2_leaves_without_enter", r->leaves.alone));
    TRY(pithi_say_count(r->writer, "otf2_events_passed_over", r->read > r->seen ? r->read - r->seen : 0));
    TRY(pithi_say_count(r->writer, "otf2_receives_without_request", r->unposted));
    TRY(pithi_say_count(r->writer, "otf2_requests_without_receive", r->unended));
    TRY(pithi_say_count(r->writer, "otf2_messages_with_unknown_ranks", r->odd_peers));
    TRY(pithi_say_count(r->writer, "otf2_payloads_left_out", r->odd_payloads));
    TRY(pithi_say_count(r->writer, "otf2_late_records", r->late));
out:
    r->otf2->Reader_Close(r->reader);
    pithi_otf2_requests_free(&r->requests);
    pithi_leaves_free(&r->leaves);
    pithi_otf2_defs_free(&r->defs);
    free(r->world);
    free(r->order);
    return err;
}

int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    /* `input` is the anchor file, or the folder that contains it */
    char *anchor = input->data ? strdup(input->path) : pithi_otf2_anchor_in(input->path);
    struct otf2_reader r = {
        .path = anchor, .watched = input->watched, .writer = writer, .leaves = {.input = input, .writer = writer}};
    int err;

    if (!anchor)
        return pithi_no_memory();
    TRY(pithi_otf2_begin(anchor, &r.otf2));
    err = read_archive(&r);
    pithi_otf2_end();
out:
    free(anchor);
    return err;
}
