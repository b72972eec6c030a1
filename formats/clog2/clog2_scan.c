/* clog2_scan.c - the walk of the first pass, and event numbers. Communicators: clog2_comm.c. */
#include "clog2/clog2_scan.h"

#include <stdio.h>
#include <stdlib.h>

#include "clog2/clog2_comm.h"
#include "clog2/known_states.h"
#include "colour.h"
#include "error.h"
#include "event_numbers.h"
#include "foreign/names.h"
#include "native/map.h"

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

/* ---- Event numbers --------------------------------------------------------------------------------------------- */

/* Its entry, without making up a definition. */
static struct pithi_clog2_event *event_entry(struct pithi_clog2_scan *scan, int32_t number)
{
    if ((uint32_t)number < PITHI_CLOG2_NEAR && scan->near[number])
        return &scan->events[scan->near[number] - 1];
    uint64_t *index = pithi_lookup_at(&scan->event_of, (uint32_t)number);
    if (!index)
        return NULL;
    if (!*index) {
        if (scan->event_count == scan->event_size) {
            uint32_t size = scan->event_size ? 2 * scan->event_size : 256;
            struct pithi_clog2_event *events = realloc(scan->events, size * sizeof *events);
            if (!events)
                return NULL;
            scan->events = events;
            scan->event_size = size;
        }
        scan->events[scan->event_count++] = (struct pithi_clog2_event){0};
        *index = scan->event_count;
    }
    if ((uint32_t)number < PITHI_CLOG2_NEAR)
        scan->near[number] = (uint32_t)*index;
    return &scan->events[*index - 1];
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
    int err;

    if (pithi_clog2_is_made(scan->made, PITHI_CLOG2_STATEDEF, state))
        return PITH_OK;
    copy_field(colour, sizeof colour, body + STATE_STRINGS, PITHI_CLOG2_COLOUR);
    copy_field(name, sizeof name, body + STATE_STRINGS + PITHI_CLOG2_COLOUR, PITHI_CLOG2_NAME);
    if (!name[0])
        snprintf(name, sizeof name, "state %d", state);
    TRY(add_def(scan, PITHLOG_STATE, name, colour, "", &id));
    if (pithi_clog2_known_number(name) < 0)
        TRY(pithi_event_numbers_tell(pithi_writer_defs(scan->writer), &scan->numbers_told, id, start, &(int64_t){end}));
    event = event_entry(scan, start);
    if (!event)
        return no_memory();
    *event = (struct pithi_clog2_event){.starts = id + 1, .ends = event->ends, .def = body};
    event = event_entry(scan, end);
    if (!event)
        return no_memory();
    *event = (struct pithi_clog2_event){.ends = id + 1, .starts = event->starts, .def = body};
out:
    return err;
}

/* Two numbers of one name but of different formats are two event types. */
static int define_event(struct pithi_clog2_scan *scan, const unsigned char *body)
{
    int32_t number = pithi_clog2_i32(body, scan->file.big);
    if (pithi_clog2_is_made(scan->made, PITHI_CLOG2_EVENTDEF, number))
        return PITH_OK;
    char colour[PITHI_CLOG2_COLOUR], name[PITHI_CLOG2_NAME + 16], format[PITHI_CLOG2_FORMAT];
    struct pithi_defs *defs = pithi_writer_defs(scan->writer);
    struct pithi_clog2_event *event = event_entry(scan, number);
    uint32_t id;
    int err;

    if (!event)
        return no_memory();
    copy_field(colour, sizeof colour, body + EVENT_STRINGS, PITHI_CLOG2_COLOUR);
    copy_field(name, PITHI_CLOG2_NAME, body + EVENT_STRINGS + PITHI_CLOG2_COLOUR, PITHI_CLOG2_NAME);
    copy_field(format, sizeof format, body + EVENT_STRINGS + PITHI_CLOG2_COLOUR + PITHI_CLOG2_NAME, PITHI_CLOG2_FORMAT);
    if (!name[0])
        snprintf(name, sizeof name, "event %d", number);
    TRY(add_def(scan, PITHLOG_EVENT_TYPE, name, colour, format, &id));
    if (strcmp(pithi_defs_get(defs, id)->format, format) != 0) {
        snprintf(name + strlen(name), 16, " (%d)", number);
        TRY(add_def(scan, PITHLOG_EVENT_TYPE, name, colour, format, &id));
    }
    TRY(pithi_event_numbers_tell(defs, &scan->numbers_told, id, number, NULL));
    *event = (struct pithi_clog2_event){.solo = id + 1, .def = body};
out:
    return err;
}

/* Whether `number` is one of `count` pairs from `first` on; *state: the how-manieth. */
static int in_pairs(int32_t number, int32_t first, int32_t end, int32_t *state)
{
    if (number < first || number >= end)
        return 0;
    *state = (number - first) / 2;
    return 1;
}

/* A number without a definition: a known MPI state (the file was cut before MPE's last words), a pair of the user's
 * range, or a solo event. */
static int make_up(struct pithi_clog2_scan *scan, struct pithi_clog2_event *event, int32_t number)
{
    const struct pithi_clog2_known *known = pithi_clog2_known_event(number);
    char name[32];
    int32_t state = 0;
    uint32_t id;
    int is_state = 1, first = (number & 1) == 0, err;

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
    TRY(add_def(scan, is_state ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, known ? known->name : name,
                known ? known->colour : "", "", &id));
    event->starts = is_state && first ? id + 1 : 0;
    event->ends = is_state && !first ? id + 1 : 0;
    event->solo = is_state ? 0 : id + 1;
out:
    return err;
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
    int err = PITH_OK;

    if (!event->info) {
        state = pithi_defs_get(pithi_writer_defs(scan->writer), (event->starts ? event->starts : event->ends) - 1);
        snprintf(name, sizeof name, "%.40s info", state->name);
        if (event->def)
            copy_field(format, sizeof format, event->def + STATE_STRINGS + PITHI_CLOG2_COLOUR + PITHI_CLOG2_NAME,
                       PITHI_CLOG2_FORMAT);
        char colour[PITHI_CLOG2_COLOUR];
        pithi_name_cut(colour, sizeof colour, state->colour, strlen(state->colour));
        TRY(add_def(scan, PITHLOG_EVENT_TYPE, name, colour, format, &event->info));
        event->info++;
    }
    *id = event->info - 1;
out:
    return err;
}

/* ---- The walk -------------------------------------------------------------------------------------------------- */

static int define_constant(struct pithi_clog2_scan *scan, const unsigned char *body)
{
    char name[PITHI_CLOG2_NAME], value[16];

    copy_field(name, sizeof name, body + 8, PITHI_CLOG2_NAME);
    snprintf(value, sizeof value, "%d", pithi_clog2_i32(body + 4, scan->file.big));
    return name[0] ? pithi_defs_property(pithi_writer_defs(scan->writer), name, value) : PITH_OK;
}

int pithi_clog2_track_of(struct pithi_clog2_scan *scan, int32_t rank, int32_t thread, struct pithi_clog2_track **track)
{
    *track = NULL;
    if (rank < 0 || thread < 0 || thread >= PITHI_CLOG2_THREADS_MAX)
        return PITH_OK;
    uint64_t *index = pithi_lookup_at(&scan->track_of, pithi_lookup_pair((uint32_t)rank, (uint32_t)thread));
    if (!index || (!*index && !pithi_grow(&scan->tracks, scan->track_count, &scan->track_room, sizeof *scan->tracks)))
        return no_memory();
    if (!*index) {
        scan->tracks[scan->track_count++] = (struct pithi_clog2_track){rank, thread, 0, INT64_MIN};
        *index = scan->track_count;
    }
    *track = &scan->tracks[*index - 1];
    return PITH_OK;
}

int pithi_clog2_track_find(struct pithi_clog2_scan *scan, struct pithi_clog2_place *place, int32_t comm, int32_t rank,
                           int32_t thread, struct pithi_clog2_track **track)
{
    int err = pithi_clog2_track_of(scan, pithi_clog2_world_rank(scan, comm, rank), thread, track);
    if (err == PITH_OK && *track)
        *place = (struct pithi_clog2_place){comm, rank, thread, (uint32_t)(*track - scan->tracks) + 1};
    return err;
}

/* Whether the times of a line fall. */
static int see_time(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record)
{
    struct pithi_clog2_track *track;
    int err = PITH_OK;

    if (scan->disorder)
        return PITH_OK;
    TRY(pithi_clog2_track(scan, record, &track));
    if (track) {
        scan->disorder = record->time_ns < track->last_ns;
        track->last_ns = record->time_ns;
    }
out:
    return err;
}

/* What is known of ranks may change with it. */
static int take_comm(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record)
{
    memset(scan->places, 0, sizeof scan->places);
    return pithi_clog2_comm_take(scan, record);
}

static int take(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record)
{
    switch (record->type) {
    case PITHI_CLOG2_STATEDEF:
        return define_state(scan, record->body);
    case PITHI_CLOG2_EVENTDEF:
        return define_event(scan, record->body);
    case PITHI_CLOG2_CONSTDEF:
        return define_constant(scan, record->body);
    case PITHI_CLOG2_COMMEVT:
        return take_comm(scan, record) == PITH_OK ? see_time(scan, record) : PITH_ERR_MEMORY;
    default:
        return see_time(scan, record);
    }
}

int pithi_clog2_scan(struct pithi_clog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer)
{
    struct pithi_clog2_cursor cursor = {.file = &scan->file};
    struct pithi_clog2_record record;
    int err;

    *scan = (struct pithi_clog2_scan){.writer = writer};
    TRY(pithi_clog2_file_open(&scan->file, input));
    while (pithi_clog2_next(&cursor, &record))
        TRY(take(scan, &record));
    if (cursor.damaged && !cursor.records)
        err = pithi_fail(PITH_ERR_DAMAGED, "%s: byte %zu: no record can be read from here on; the file is damaged",
                         input->path, cursor.first_damage);
    if (!scan->comm_count) /* cut before it is told whose clock it is */
        scan->made = PITHI_CLOG2_MADE_SHIFTS;
    pithi_clog2_comm_settle(scan);
    scan->end = cursor;
out:
    return err;
}

void pithi_clog2_scan_free(struct pithi_clog2_scan *scan)
{
    free(scan->events);
    free(scan->comms);
    pithi_lookup_free(&scan->event_of);
    pithi_lookup_free(&scan->comm_of);
    pithi_lookup_free(&scan->world_of);
    pithi_lookup_free(&scan->track_of);
    free(scan->tracks);
    pithi_lookup_free(&scan->inter_of);
}
