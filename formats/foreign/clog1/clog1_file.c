/* clog1_file.c - reads the blocks and records of a CLOG file, and keeps the definitions of its event numbers.
 *
 * A CLOG file has no header: it begins with a record, so the byte order and the block size must be guessed. A record
 * begins with 24 bytes: the time as a double, then type, length in units of 8 bytes, process, padding. A RAW record in
 * the usual byte order:
 *
 *     3f 0a 36 e2 eb 1c 43 2d     0.00005 s
 *     00 00 00 01  00 00 00 07    type 1, 7 * 8 = 56 bytes: 24 of the header, 32 of the body
 *     00 00 00 02  00 00 00 00    process 2
 *
 * In the wrong byte order the length would be 7 * 2^24, which is more than a block has. So a byte order is accepted if
 * the first four records are valid in it. Blocks have 65536 bytes; MPICH up to 1.1.2 wrote 1024. */
#include "foreign/clog1/clog1_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/colour.h"
#include "base/error.h"
#include "base/map.h"
#include "foreign/clog2/clog2_layout.h"
#include "foreign/clog2/clog2_made.h"
#include "foreign/names.h"

/* SMALL_BLOCK, BLOCK: bytes of a block, old and usual; PROBED: records checked to recognise the format */
enum { SMALL_BLOCK = 1024, BLOCK = 65536, PROBED = 4 };

/* bytes of a record's body, by the type of the record (0: PITHI_CLOG1_UNDEFINED) */
static const uint8_t bodies[PITHI_CLOG1_TYPES] = {0, 32, 24, 24, 16, 24, 56, 48, 8};

struct head {
    double time_s;
    int32_t type, process; /* type: kind of the record; process: the rank */
    size_t size;           /* bytes of the record, from its header; 0: this length is not possible */
};

/* Reads the header at `p`, where `left` bytes are available. */
static struct head head_at(const unsigned char *p, size_t left, int big)
{
    struct head h = {.type = PITHI_CLOG1_TYPES};
    if (left < PITHI_CLOG1_HEADER)
        return h;
    h.time_s = pithi_clog2_f64(p, big);
    h.type = pithi_clog2_i32(p + 8, big);
    h.process = pithi_clog2_i32(p + 16, big);
    uint32_t units = pithi_clog2_u32(p + 12, big);
    if (h.type < PITHI_CLOG1_ENDLOG || h.type >= PITHI_CLOG1_TYPES || units > BLOCK / 8)
        return h;
    if (8 * units >= PITHI_CLOG1_HEADER + (uint32_t)(h.type > 0 ? bodies[h.type] : 0))
        h.size = 8 * (size_t)units;
    return h;
}

/* ---- Byte order and block size --------------------------------------------------------------------------------- */

/* Returns 1 if the file begins with valid records in this byte order. */
static int begins(const struct pithi_input *input, int big)
{
    size_t at = 0;
    for (int i = 0; i < PROBED; i++) {
        struct head h = head_at(input->data + at, input->size - at, big);
        if (at > 0 && input->size - at < PITHI_CLOG1_HEADER)
            return 1;
        if (h.size == 0)
            return 0;
        /* An ENDLOG has a time of 1000000 s; other records are earlier. ENDLOG and ENDBLOCK have no process. */
        if (h.type != PITHI_CLOG1_ENDLOG &&
            (h.type == PITHI_CLOG1_UNDEFINED || !(h.time_s > -1e6 && h.time_s < 1e6) ||
             (h.type != PITHI_CLOG1_ENDBLOCK && (h.process < 0 || h.process >= PITHI_CLOG1_RANKS_MAX))))
            return 0;
        if (h.type < 0)
            return h.type == PITHI_CLOG1_ENDLOG || at > 0;
        if (h.size > input->size - at)
            return at > 0;
        at += h.size;
    }
    return 1;
}

/* Finds the block size. If the first block ends within 1024 bytes, blocks have 1024 bytes: a block ends only if the
 * space left is less than the largest record needs, so a block of 65536 bytes does not end so early. */
static size_t find_block_size(const struct pithi_input *input, int big)
{
    for (size_t at = 0; at < SMALL_BLOCK && at < input->size;) {
        struct head h = head_at(input->data + at, input->size - at, big);
        if (!h.size)
            break;
        if (h.type == PITHI_CLOG1_ENDBLOCK)
            return SMALL_BLOCK;
        if (h.type == PITHI_CLOG1_ENDLOG)
            return input->size % BLOCK ? SMALL_BLOCK : BLOCK;
        at += h.size;
    }
    return BLOCK;
}

int pithi_clog1_file_open(struct pithi_clog1_file *file, const struct pithi_input *input)
{
    *file = (struct pithi_clog1_file){.blocks = {.input = input, .end = input->size}, .big = 1};
    if (!input->data || input->size < PITHI_CLOG1_HEADER)
        return 0;
    if (!begins(input, 1)) {
        file->big = 0;
        if (!begins(input, 0))
            return 0;
    }
    file->blocks.size = find_block_size(input, file->big);
    return 1;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

int pithi_clog1_next(const struct pithi_clog1_file *file, struct pithi_clog_cursor *cursor,
                     struct pithi_clog1_record *record)
{
    const unsigned char *p;
    size_t left;

    while (pithi_clog_at(&file->blocks, cursor, &p, &left)) {
        struct head h = head_at(p, left, file->big);
        if (!h.size || h.size > left) {
            int is_partial = pithi_clog_rest(&file->blocks, cursor) < file->blocks.size;
            pithi_clog_leave_block(&file->blocks, cursor, is_partial && (left < PITHI_CLOG1_HEADER || h.size > left));
        } else if (h.type == PITHI_CLOG1_ENDBLOCK) {
            pithi_clog_next_block(&file->blocks, cursor);
        } else if (h.type == PITHI_CLOG1_ENDLOG) {
            pithi_clog_end(&file->blocks, cursor);
        } else if (h.type == PITHI_CLOG1_UNDEFINED) {
            cursor->at += h.size;
        } else if (pithi_clog_take(cursor, h.size, h.time_s, h.process >= 0 && h.process < PITHI_CLOG1_RANKS_MAX,
                                   &record->time_ns)) {
            record->type = h.type;
            record->process = h.process;
            record->body = p + PITHI_CLOG1_HEADER;
            return 1;
        }
    }
    return 0;
}

/* COLOUR, DESC, NAME: bytes of text fields; KNOWN: the largest state number of MPE 1's wrapper. */
enum { COLOUR = 24, DESC = 16, KNOWN = 180, NAME = 64 };

void pithi_clog1_events_free(struct pithi_clog1_events *events)
{
    free(events->events);
    pithi_map_free(&events->of);
}

struct pithi_clog1_event *pithi_clog1_event(struct pithi_clog1_events *events, int32_t number)
{
    struct pithi_clog1_event *event = pithi_item_at(&events->of, (uint32_t)number, &events->events, &events->count,
                                                    &events->room, sizeof *event, NULL);
    if (event)
        event->number = number;
    return event;
}

/* ---- Definitions ----------------------------------------------------------------------------------------------- */

/* Returns the state of MPE's wrapper to which an event number belongs, or NULL if the number belongs to the user. */
static const struct pithi_clog2_known *known_state(int32_t number)
{
    return number > 0 && number <= 2 * KNOWN ? pithi_clog2_known_state((number - 1) / 2) : NULL;
}

static int add(struct pithi_clog1_events *events, enum pithlog_def_kind kind, const char *name, const char *colour,
               int32_t number, const char *format, uint32_t *id)
{
    const struct pithi_clog2_known *known = known_state(number);
    struct pithlog_def def = {kind, name, colour, known ? pithi_name_group(known->name) : "user", format};
    int err = pithi_defs_add(events->defs, &def, id);
    if (err == PITH_OK)
        ++*id;
    return err;
}

static void copy_text(char *out, const unsigned char *field, size_t size)
{
    pithi_name_cut(out, NAME, (const char *)field, strnlen((const char *)field, size));
}

int pithi_clog1_take_state(struct pithi_clog1_events *events, const unsigned char *body, int big)
{
    int32_t start = pithi_clog2_i32(body + 4, big), end = pithi_clog2_i32(body + 8, big);
    char name[NAME], colour[NAME];
    struct pithi_clog1_event *event;
    uint32_t id, rgb;

    copy_text(colour, body + 16, COLOUR);
    colour[strcspn(colour, ":")] = 0; /* removes the bitmap, which was for screens without colours */
    copy_text(name, body + 16 + COLOUR, DESC);
    if (!name[0])
        snprintf(name, sizeof name, "state %d", (int)pithi_clog2_i32(body, big));
    CHECK(add(events, PITHLOG_STATE, name, pithi_colour_parse(colour, &rgb) ? colour : "", start, "", &id));
    if (!(event = pithi_clog1_event(events, start)))
        return pithi_no_memory();
    event->starts = id;
    if (!(event = pithi_clog1_event(events, end)))
        return pithi_no_memory();
    event->ends = id;
    return PITH_OK;
}

int pithi_clog1_take_event(struct pithi_clog1_events *events, const unsigned char *body, int big)
{
    struct pithi_clog1_event *event = pithi_clog1_event(events, pithi_clog2_i32(body, big));
    if (event)
        event->desc = body + 8;
    return event ? PITH_OK : pithi_no_memory();
}

int pithi_clog1_see_raw(struct pithi_clog1_events *events, const unsigned char *body, int big)
{
    struct pithi_clog1_event *event = pithi_clog1_event(events, pithi_clog2_i32(body, big));
    if (!event)
        return pithi_no_memory();
    event->has_data |= pithi_clog2_i32(body + 4, big) != 0;
    event->has_string |= body[16] != 0;
    return PITH_OK;
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

/* Returns 1 if MPE's wrapper or MPE's reserved range gives the number a meaning without a definition: it begins or ends
 * a state. *start becomes 1 if it begins the state. `name` and *colour become those of the state. */
static int is_pair(const struct pithi_clog1_event *event, int *start, char name[NAME], const char **colour)
{
    const struct pithi_clog2_known *known = known_state(event->number);
    int32_t from = known ? 1 : PITHI_CLOG1_USER_EVENTS, end = from + 2 * PITHI_CLOG1_USER_PAIRS;

    if (!known && (event->number < from || event->number >= end))
        return 0;
    int32_t state = (event->number - from) / 2;
    *start = (event->number - from) % 2 == 0;
    *colour = known ? known->colour : "";
    if (known)
        snprintf(name, NAME, "%s", known->name);
    else
        snprintf(name, NAME, "state %d", (int)(PITHI_CLOG1_USER_STATES + state));
    return 1;
}

/* Adds an event type. If there is one with the same name but another format, adds the event number to the name, so that
 * this number gets an event type of its own. */
static int add_solo(struct pithi_clog1_events *events, const struct pithi_clog1_event *event, const char *name,
                    const char *format, uint32_t *id)
{
    char other[NAME + 16];

    CHECK(add(events, PITHLOG_EVENT_TYPE, name, "", event->number, format, id));
    if (strcmp(pithi_defs_get(events->defs, *id - 1)->format, format) != 0) {
        snprintf(other, sizeof other, "%s (%d)", name, (int)event->number);
        CHECK(add(events, PITHLOG_EVENT_TYPE, other, "", event->number, format, id));
    }
    return PITH_OK;
}

int pithi_clog1_settle(struct pithi_clog1_events *events, struct pithi_clog1_event *event)
{
    char name[NAME];
    const char *colour;
    int start;
    uint32_t id;

    if (event->starts || event->ends || event->solo)
        return PITH_OK;
    if (!event->desc && is_pair(event, &start, name, &colour)) {
        CHECK(add(events, PITHLOG_STATE, name, colour, event->number, "", &id));
        *(start ? &event->starts : &event->ends) = id;
        return PITH_OK;
    }
    name[0] = 0;
    if (event->desc)
        copy_text(name, event->desc, DESC);
    if (!name[0])
        snprintf(name, sizeof name, "event %d", (int)event->number);
    const char *format = event->has_string ? PITHI_CLOG1_TEXT_FORMAT : event->has_data ? PITHI_CLOG1_DATA_FORMAT : "";
    return add_solo(events, event, name, format, &event->solo);
}

/* Makes an event type for the payloads of an event number. The name of the type is the name of the number's state or
 * event, followed by `word`: "MPI_Send info". */
static int extra_type(struct pithi_clog1_events *events, const struct pithi_clog1_event *event, const char *word,
                      const char *format, uint32_t *id)
{
    uint32_t of = event->starts ? event->starts : event->ends ? event->ends : event->solo;
    char name[NAME + 16];
    snprintf(name, sizeof name, "%.60s %s", pithi_defs_get(events->defs, of - 1)->name, word);
    return add_solo(events, event, name, format, id);
}

int pithi_clog1_raw_type(struct pithi_clog1_events *events, struct pithi_clog1_event *event, uint32_t *id)
{
    int err = event->raw ? PITH_OK : extra_type(events, event, "info", PITHI_CLOG1_TEXT_FORMAT, &event->raw);
    *id = event->raw - 1;
    return err;
}

int pithi_clog1_message_type(struct pithi_clog1_events *events, struct pithi_clog1_event *event, uint32_t *id)
{
    int err =
        event->message ? PITH_OK : extra_type(events, event, "message", PITHI_CLOG1_MESSAGE_FORMAT, &event->message);
    *id = event->message - 1;
    return err;
}
