/* clog2_scan.c - makes the first pass over a CLOG-2 file, and finds the meaning of event numbers.
 *
 * A first pass is needed because a record may come before a definition that it needs: MPE writes the definitions of its
 * MPI states at the end of the file. The members of a communicator come from many records: a COMMEVT only says that,
 * for example, rank 1 of communicator 1 is rank 5 of the world. All members are known when all ranks from 0 to the
 * highest have been seen.
 *
 *     INTRA, comm 1, rank 0, world 4     from the process 4
 *     INTRA, comm 1, rank 1, world 5     from the process 5: size 2 if no higher rank follows */
#include "foreign/clog2/clog2_scan.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/colour.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "foreign/clog2/clog2_made.h"
#include "foreign/names.h"
#include "native/event_numbers.h"

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* Collects COMMEVT records and finds the members, groups and keys of communicators. */

struct pithi_clog2_comm *pithi_clog2_comm(const struct pithi_clog2_scan *scan, int32_t number)
{
    uint64_t *index = pithi_map_find(&scan->comm_of, (uint32_t)number);

    return index && *index ? &scan->comms[*index - 1] : NULL;
}

static int is_number(int32_t number, int32_t limit) { return number >= 0 && number < limit; }

int32_t pithi_clog2_world_rank(const struct pithi_clog2_scan *scan, int32_t comm, int32_t rank)
{
    uint64_t *world;

    if (!is_number(rank, PITHI_CLOG2_RANKS_MAX))
        return -1;
    world = pithi_map_find(&scan->world_of, pithi_map_pair((uint32_t)comm, (uint32_t)rank));
    if (world && *world)
        /* Values are stored + 1, as a new entry of the map has 0. */
        return (int32_t)*world - 1;
    return comm == 0 ? rank : -1; /* in MPI_COMM_WORLD, a rank is the world rank */
}

/* ---- COMMEVT --------------------------------------------------------------------------------------------------- */

/* Takes a COMMEVT record. */
static int take_comm(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record)
{
    int big = scan->file.big;
    int32_t type = pithi_clog2_i32(record->body, big), number = pithi_clog2_i32(record->body + 4, big);
    int32_t rank = pithi_clog2_i32(record->body + 8, big), world = pithi_clog2_i32(record->body + 12, big);
    uint64_t *value;

    memset(scan->places, 0, sizeof scan->places); /* empties the cache of lanes, as the record may change world ranks */
    if (type == PITHI_CLOG2_FREE || number < 0)
        return PITH_OK;
    if (type == PITHI_CLOG2_WORLD && pithi_clog2_is_marked(record->body + 16, PITHI_CLOG2_MARK_WORLD))
        scan->made = pithi_clog2_u32(record->body + 16, big);
    int fresh;
    struct pithi_clog2_comm *comm = pithi_item_at(&scan->comm_of, (uint32_t)number, &scan->comms, &scan->comm_count,
                                                  &scan->comm_size, sizeof *comm, &fresh);
    if (!comm)
        return pithi_no_memory();
    if (fresh)
        *comm = (struct pithi_clog2_comm){
            .number = number, .type = -1, .groups = {-1, -1}, .inter = -1, .size = -1, .top = -1};
    if (comm->type < 0) {
        comm->type = type;
        /* The numbers in the uuid are stored in big-endian order, so that a file and its merged copy give the same
         * key. */
        const unsigned char *uuid = record->body + 16;
        memcpy(comm->uuid, uuid, PITHI_CLOG2_UUID);
        pithi_clog2_put32(comm->uuid, pithi_clog2_i32(uuid, big));
        pithi_clog2_put64f(comm->uuid + PITHI_CLOG2_UUID_TIME, pithi_clog2_f64(uuid + PITHI_CLOG2_UUID_TIME, big));
    }
    if (!is_number(world, PITHI_CLOG2_RANKS_MAX))
        return PITH_OK;
    if (type == PITHI_CLOG2_INTER) {
        value = pithi_map_at(&scan->inter_of, (uint32_t)world);
        if (!value)
            return pithi_no_memory();
        *value = (uint64_t)number + 1;
    }
    if (type == PITHI_CLOG2_LOCAL || type == PITHI_CLOG2_REMOTE) {
        /* Each process writes an INTER, then a LOCAL and a REMOTE, which name the two groups of that intercommunicator.
         * LOCAL is the group that contains the process, REMOTE is the other group. The group that is named first
         * becomes groups[0], the other groups[1]. */
        uint64_t *inter = pithi_map_find(&scan->inter_of, (uint32_t)world);
        struct pithi_clog2_comm *of = inter && *inter ? pithi_clog2_comm(scan, (int32_t)(*inter - 1)) : NULL;
        if (of) {
            comm->inter = of->number;
            if (of->groups[0] != comm->number && of->groups[1] != comm->number)
                of->groups[of->groups[0] >= 0] = comm->number;
        }
    }
    /* Only records other than REMOTE say which process has a rank in the communicator: the process of a REMOTE record
     * is not a member of the group that the record names. The rank in an INTER record is the rank in the process's own
     * group. */
    if (!is_number(rank, PITHI_CLOG2_RANKS_MAX) || type == PITHI_CLOG2_REMOTE)
        return PITH_OK;
    value = pithi_map_at(&scan->world_of, pithi_map_pair((uint32_t)number, (uint32_t)rank));
    if (!value)
        return pithi_no_memory();
    *value = (uint64_t)world + 1;
    comm->top = rank > comm->top ? rank : comm->top;
    return PITH_OK;
}

/* ---- Into the log ---------------------------------------------------------------------------------------------- */

/* Returns the key that the Pith writer stored, or else a hash of the uuid. */
static uint64_t key_of(const struct pithi_clog2_comm *comm)
{
    uint64_t hash = pithi_hash_bytes(PITHI_HASH, comm->uuid, PITHI_CLOG2_UUID);
    double high = pithi_clog2_f64(comm->uuid + PITHI_CLOG2_UUID_TIME, 1);

    /* The Pith writer put the upper half of the key into the time field of the uuid, and the lower half into its number
     * field. */
    if (pithi_clog2_is_marked(comm->uuid, PITHI_CLOG2_MARK_KEY) && high >= 0 && high < 4294967296.0)
        return (uint64_t)high << 32 | pithi_clog2_u32(comm->uuid, 1);
    /* A uuid of zeros means that there is none. Then the number of the communicator makes its key. */
    for (size_t i = 0; i < PITHI_CLOG2_UUID; i++)
        if (comm->uuid[i])
            return hash ? hash : 1;
    return pithi_hash_byte(hash, (uint32_t)comm->number);
}

static void members(const struct pithi_clog2_scan *scan, const struct pithi_clog2_comm *comm, int32_t *ranks)
{
    for (int32_t rank = 0; rank < comm->size; rank++)
        ranks[rank] = pithi_clog2_world_rank(scan, comm->number, rank);
}

static int define(struct pithi_clog2_scan *scan, struct pithi_clog2_comm *comm)
{
    struct pithlog_comm def = {.key = key_of(comm)};
    struct pithi_clog2_comm *local = comm, *remote = NULL;
    int32_t *ranks = NULL;
    char name[32];
    int err = PITH_OK;

    const char *text = (const char *)comm->uuid + PITHI_CLOG2_UUID_NAME;
    size_t mark = strlen(PITHI_CLOG2_MARK_KEY), size = PITHI_CLOG2_UUID - PITHI_CLOG2_UUID_NAME;
    name[0] = 0;
    if (pithi_clog2_is_marked(comm->uuid, PITHI_CLOG2_MARK_KEY))
        pithi_name_cut(name, 32, text + mark, strnlen(text + mark, size - mark));
    else if (comm->type == PITHI_CLOG2_SELF)
        strcpy(name, "MPI_COMM_SELF");
    def.name = name;
    if (comm->type == PITHI_CLOG2_INTER) {
        local = pithi_clog2_comm(scan, comm->groups[0]);
        remote = pithi_clog2_comm(scan, comm->groups[1]);
        /* The members of an intercommunicator are only known if both groups are known. */
        if (!remote || remote->size <= 0 || local->size <= 0)
            local = NULL;
    }
    if (local && local->size > 0) {
        def.size = local->size;
        def.remote_size = remote ? remote->size : 0;
        ranks = malloc(((size_t)def.size + (size_t)def.remote_size) * sizeof *ranks);
        if (!ranks)
            return pithi_no_memory();
        members(scan, local, ranks);
        if (remote)
            members(scan, remote, ranks + def.size);
        def.world_ranks = ranks;
    }
    TRY(pithi_writer_comm(scan->writer, &def, &comm->index));
    comm->index++;
out:
    free(ranks);
    return err;
}

int pithi_clog2_comm_index(struct pithi_clog2_scan *scan, int32_t number, uint32_t *index)
{
    struct pithi_clog2_comm *comm = pithi_clog2_comm(scan, number);

    *index = 0;
    if (number == 0 || !comm || comm->type == PITHI_CLOG2_WORLD)
        return PITH_OK;
    /* If the communicator is a group of an intercommunicator, the intercommunicator is used. */
    if (comm->inter >= 0 && pithi_clog2_comm(scan, comm->inter))
        comm = pithi_clog2_comm(scan, comm->inter);
    if (!comm->index)
        CHECK(define(scan, comm));
    *index = comm->index - 1;
    return PITH_OK;
}

/* ---- Event numbers --------------------------------------------------------------------------------------------- */

/* Returns the entry of an event number, and makes an empty entry if there is none. It defines nothing. */
static struct pithi_clog2_event *event_entry(struct pithi_clog2_scan *scan, int32_t number)
{
    /* Most records have numbers below PITHI_CLOG2_NEAR, which are found by a table, faster than by the map. */
    if ((uint32_t)number < PITHI_CLOG2_NEAR && scan->near[number])
        return &scan->events[scan->near[number] - 1];
    struct pithi_clog2_event *event = pithi_item_at(&scan->event_of, (uint32_t)number, &scan->events,
                                                    &scan->event_count, &scan->event_size, sizeof *event, NULL);
    if (event && (uint32_t)number < PITHI_CLOG2_NEAR)
        scan->near[number] = (uint32_t)(event - scan->events) + 1;
    return event;
}

static void copy_field(char *out, size_t out_size, const unsigned char *field, size_t field_size)
{
    pithi_name_cut(out, out_size, (const char *)field, strnlen((const char *)field, field_size));
}

static int add_def(struct pithi_clog2_scan *scan, enum pithlog_def_kind kind, const char *name, const char *colour,
                   const char *format, uint32_t *id)
{
    struct pithlog_def def = {.kind = kind, .name = name, .colour = colour, .format = format};
    char word[PITHI_CLOG2_COLOUR];
    uint32_t rgb;

    def.group = pithi_name_group(name);
    pithi_name_cut(word, sizeof word, colour, strcspn(colour, ":"));
    def.colour = pithi_colour_parse(word, &rgb) ? word : "";
    return pithi_defs_add(pithi_writer_defs(scan->writer), &def, id);
}

/* Offsets of the strings in the bodies of STATEDEF and EVENTDEF. */
enum { STATE_STRINGS = 16, EVENT_STRINGS = 8 };

static int define_state(struct pithi_clog2_scan *scan, const unsigned char *body)
{
    int big = scan->file.big;
    int32_t state = pithi_clog2_i32(body, big), start = pithi_clog2_i32(body + 4, big),
            end = pithi_clog2_i32(body + 8, big);
    char colour[PITHI_CLOG2_COLOUR], name[PITHI_CLOG2_NAME];
    struct pithi_clog2_event *event;
    uint32_t id;

    /* The Pith writer added this definition for readers of MPE files; the log does not need it. */
    if (pithi_clog2_is_made(scan->made, PITHI_CLOG2_STATEDEF, state))
        return PITH_OK;
    copy_field(colour, sizeof colour, body + STATE_STRINGS, PITHI_CLOG2_COLOUR);
    copy_field(name, sizeof name, body + STATE_STRINGS + PITHI_CLOG2_COLOUR, PITHI_CLOG2_NAME);
    if (!name[0])
        snprintf(name, sizeof name, "state %d", state);
    CHECK(add_def(scan, PITHLOG_STATE, name, colour, "", &id));
    /* The numbers of the program's states are kept as properties, so that a file made from the log has the same
     * numbers. */
    if (pithi_clog2_known_number(name) < 0)
        CHECK(
            pithi_event_numbers_tell(pithi_writer_defs(scan->writer), &scan->numbers_told, id, start, &(int64_t){end}));
    event = event_entry(scan, start);
    if (!event)
        return pithi_no_memory();
    /* A number that ends one state and begins another keeps both meanings. */
    *event = (struct pithi_clog2_event){.starts = id + 1, .ends = event->ends, .def = body};
    event = event_entry(scan, end);
    if (!event)
        return pithi_no_memory();
    *event = (struct pithi_clog2_event){.ends = id + 1, .starts = event->starts, .def = body};
    return PITH_OK;
}

/* Defines an event. Two numbers with the same name but different formats become two event types. */
static int define_event(struct pithi_clog2_scan *scan, const unsigned char *body)
{
    int32_t number = pithi_clog2_i32(body, scan->file.big);
    if (pithi_clog2_is_made(scan->made, PITHI_CLOG2_EVENTDEF, number))
        return PITH_OK;
    char colour[PITHI_CLOG2_COLOUR], name[PITHI_CLOG2_NAME + 16], format[PITHI_CLOG2_FORMAT];
    struct pithi_defs *defs = pithi_writer_defs(scan->writer);
    struct pithi_clog2_event *event = event_entry(scan, number);
    uint32_t id;

    if (!event)
        return pithi_no_memory();
    copy_field(colour, sizeof colour, body + EVENT_STRINGS, PITHI_CLOG2_COLOUR);
    copy_field(name, PITHI_CLOG2_NAME, body + EVENT_STRINGS + PITHI_CLOG2_COLOUR, PITHI_CLOG2_NAME);
    copy_field(format, sizeof format, body + EVENT_STRINGS + PITHI_CLOG2_COLOUR + PITHI_CLOG2_NAME, PITHI_CLOG2_FORMAT);
    if (!name[0])
        snprintf(name, sizeof name, "event %d", number);
    CHECK(add_def(scan, PITHLOG_EVENT_TYPE, name, colour, format, &id));
    /* If an event type with this name has another format, this number gets an event type of its own, with the number in
     * its name. */
    if (strcmp(pithi_defs_get(defs, id)->format, format) != 0) {
        snprintf(name + strlen(name), 16, " (%d)", number);
        CHECK(add_def(scan, PITHLOG_EVENT_TYPE, name, colour, format, &id));
    }
    CHECK(pithi_event_numbers_tell(defs, &scan->numbers_told, id, number, NULL));
    *event = (struct pithi_clog2_event){.solo = id + 1, .def = body};
    return PITH_OK;
}

/* Returns 1 if first <= number < end. Numbers in this range come in pairs, and *state becomes the index of the number's
 * pair. */
static int in_pairs(int32_t number, int32_t first, int32_t end, int32_t *state)
{
    if (number < first || number >= end)
        return 0;
    *state = (number - first) / 2;
    return 1;
}

/* Gives a meaning to an event number that the file does not define. MPE's own states and events get their names from
 * MPE's tables, because their definitions are missing in a file that was cut. All other numbers from 0 to below
 * PITHI_CLOG2_USER_SOLO begin or end a state. Any number beyond becomes a solo event. */
static int make_up(struct pithi_clog2_scan *scan, struct pithi_clog2_event *event, int32_t number)
{
    const struct pithi_clog2_known *known = pithi_clog2_known_event(number);
    char name[32];
    int32_t state = 0;
    uint32_t id;
    /* an even number begins a state, an odd number ends it */
    int is_state = 1, first = (number & 1) == 0;

    if (known) {
        is_state = 0;
    } else if (in_pairs(number, 0, PITHI_CLOG2_USER_EVENTS, &state)) {
        known = pithi_clog2_known_state(state);
    } else if (in_pairs(number, PITHI_CLOG2_USER_EVENTS, PITHI_CLOG2_USER_SOLO, &state)) {
        state += PITHI_CLOG2_USER_STATES;
    } else {
        is_state = 0;
    }
    snprintf(name, sizeof name, is_state ? "state %d" : "event %d", is_state ? state : number);
    CHECK(add_def(scan, is_state ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, known ? known->name : name,
                  known ? known->colour : "", "", &id));
    event->starts = is_state && first ? id + 1 : 0;
    event->ends = is_state && !first ? id + 1 : 0;
    event->solo = is_state ? 0 : id + 1;
    return PITH_OK;
}

struct pithi_clog2_event *pithi_clog2_event(struct pithi_clog2_scan *scan, int32_t number)
{
    struct pithi_clog2_event *event = event_entry(scan, number);

    if (event && !event->starts && !event->ends && !event->solo && make_up(scan, event, number) != PITH_OK)
        return NULL;
    return event;
}

int pithi_clog2_info_event(struct pithi_clog2_scan *scan, struct pithi_clog2_event *event, uint32_t *id)
{
    const struct pithlog_def *state;
    char name[PITHI_CLOG2_NAME + 16], format[PITHI_CLOG2_FORMAT] = "";

    /* Payloads of a state's begins and ends are recorded as events of a separate type, "MPI_Send info". */
    if (!event->info) {
        state = pithi_defs_get(pithi_writer_defs(scan->writer), (event->starts ? event->starts : event->ends) - 1);
        snprintf(name, sizeof name, "%.40s info", state->name);
        if (event->def)
            copy_field(format, sizeof format, event->def + STATE_STRINGS + PITHI_CLOG2_COLOUR + PITHI_CLOG2_NAME,
                       PITHI_CLOG2_FORMAT);
        char colour[PITHI_CLOG2_COLOUR];
        pithi_name_cut(colour, sizeof colour, state->colour, strlen(state->colour));
        CHECK(add_def(scan, PITHLOG_EVENT_TYPE, name, colour, format, &event->info));
        event->info++;
    }
    *id = event->info - 1;
    return PITH_OK;
}

/* ---- The walk -------------------------------------------------------------------------------------------------- */

int pithi_clog2_track_of(struct pithi_clog2_scan *scan, int32_t rank, int32_t thread, struct pithi_clog2_track **track)
{
    *track = NULL;
    if (rank < 0 || thread < 0 || thread >= PITHI_CLOG2_THREADS_MAX)
        return PITH_OK;
    int fresh;
    *track = pithi_item_at(&scan->track_of, pithi_map_pair((uint32_t)rank, (uint32_t)thread), &scan->tracks,
                           &scan->track_count, &scan->track_room, sizeof **track, &fresh);
    if (*track && fresh)
        **track = (struct pithi_clog2_track){rank, thread, 0, INT64_MIN};
    return *track ? PITH_OK : pithi_no_memory();
}

int pithi_clog2_track_find(struct pithi_clog2_scan *scan, struct pithi_clog2_place *place, int32_t comm, int32_t rank,
                           int32_t thread, struct pithi_clog2_track **track)
{
    int err = pithi_clog2_track_of(scan, pithi_clog2_world_rank(scan, comm, rank), thread, track);
    if (err == PITH_OK && *track)
        *place = (struct pithi_clog2_place){comm, rank, thread, (uint32_t)(*track - scan->tracks) + 1};
    return err;
}

/* Sets scan->disorder if the time of the record is before the last time of its lane. */
static int see_time(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record)
{
    struct pithi_clog2_track *track;

    /* If one time has decreased, the second pass sorts the records of all lanes, so there is nothing more to find
     * out. */
    if (scan->disorder)
        return PITH_OK;
    CHECK(pithi_clog2_track(scan, record, &track));
    if (track) {
        scan->disorder = record->time_ns < track->last_ns;
        track->last_ns = record->time_ns;
    }
    return PITH_OK;
}

int pithi_clog2_scan(struct pithi_clog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer)
{
    struct pithi_clog_cursor cursor = {0};
    struct pithi_clog2_record record;

    *scan = (struct pithi_clog2_scan){.writer = writer};
    CHECK(pithi_clog2_file_open(&scan->file, input));
    while (pithi_clog2_next(&scan->file, &cursor, &record))
        switch (record.type) {
        case PITHI_CLOG2_STATEDEF:
            CHECK(define_state(scan, record.body));
            break;
        case PITHI_CLOG2_EVENTDEF:
            CHECK(define_event(scan, record.body));
            break;
        case PITHI_CLOG2_CONSTDEF: {
            char name[PITHI_CLOG2_NAME], value[16];
            copy_field(name, sizeof name, record.body + 8, PITHI_CLOG2_NAME);
            snprintf(value, sizeof value, "%d", pithi_clog2_i32(record.body + 4, scan->file.big));
            if (name[0])
                CHECK(pithi_defs_property(pithi_writer_defs(writer), name, value));
            break;
        }
        case PITHI_CLOG2_COMMEVT:
            CHECK(take_comm(scan, &record));
            CHECK(see_time(scan, &record));
            break;
        default:
            CHECK(see_time(scan, &record));
        }
    if (cursor.damaged && !cursor.records)
        return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %zu: no record can be read from here on; the file is damaged",
                          input->path, cursor.first_damage);
    /* If the file was cut before the first COMMEVT, the ranks of TIMESHIFT records are unknown. Then these records
     * count as added by the writer, so that they are left out. */
    if (!scan->comm_count)
        scan->made = PITHI_CLOG2_MADE_SHIFTS;
    /* The size of a communicator is known if all its ranks from 0 to the highest are known. An unmerged file has only
     * one process, so in such a file only MPI_COMM_SELF is complete. */
    for (uint32_t i = 0; i < scan->comm_count; i++) {
        struct pithi_clog2_comm *comm = &scan->comms[i];
        int32_t rank = 0;
        while (rank <= comm->top &&
               pithi_map_find(&scan->world_of, pithi_map_pair((uint32_t)comm->number, (uint32_t)rank)))
            rank++;
        /* If a rank below the highest one is missing, the records of some process are missing, so the size is
         * unknown. */
        comm->size = rank > comm->top && (scan->file.finalized || comm->type == PITHI_CLOG2_SELF) ? rank : -1;
    }
    scan->end = cursor;
    return PITH_OK;
}

void pithi_clog2_scan_free(struct pithi_clog2_scan *scan)
{
    free(scan->events);
    free(scan->comms);
    pithi_map_free(&scan->event_of);
    pithi_map_free(&scan->comm_of);
    pithi_map_free(&scan->world_of);
    pithi_map_free(&scan->track_of);
    free(scan->tracks);
    pithi_map_free(&scan->inter_of);
}
