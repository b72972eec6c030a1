/* clog1_events.c - see clog1_events.h. */
#include "clog1/clog1_events.h"

#include <stdio.h>
#include <stdlib.h>

#include "clog2/clog2_layout.h"
#include "clog2/known_states.h"
#include "colour.h"
#include "error.h"
#include "foreign/names.h"
#include "native/map.h"

/* Bytes of text fields; the largest state number of MPE 1's wrapper. */
enum { COLOUR = 24, DESC = 16, KNOWN = 180, NAME = 64 };

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

void pithi_clog1_events_free(struct pithi_clog1_events *events)
{
    free(events->events);
    pithi_lookup_free(&events->of);
}

struct pithi_clog1_event *pithi_clog1_event(struct pithi_clog1_events *events, int32_t number)
{
    uint64_t *place = pithi_lookup_at(&events->of, (uint32_t)number);
    if (!place)
        return NULL;
    if (!*place) {
        if (!pithi_grow(&events->events, events->count, &events->room, sizeof *events->events))
            return NULL;
        events->events[events->count++] = (struct pithi_clog1_event){.number = number};
        *place = events->count;
    }
    return &events->events[*place - 1];
}

/* ---- Definitions ----------------------------------------------------------------------------------------------- */

/* Of MPE's wrapper; NULL: of the user. */
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
    int err;

    copy_text(colour, body + 16, COLOUR);
    colour[strcspn(colour, ":")] = 0; /* a bitmap, for screens without colours */
    copy_text(name, body + 16 + COLOUR, DESC);
    if (!name[0])
        snprintf(name, sizeof name, "state %d", (int)pithi_clog2_i32(body, big));
    TRY(add(events, PITHLOG_STATE, name, pithi_colour_parse(colour, &rgb) ? colour : "", start, "", &id));
    if (!(event = pithi_clog1_event(events, start)))
        return no_memory();
    event->starts = id;
    if (!(event = pithi_clog1_event(events, end)))
        return no_memory();
    event->ends = id;
out:
    return err;
}

int pithi_clog1_take_event(struct pithi_clog1_events *events, const unsigned char *body, int big)
{
    struct pithi_clog1_event *event = pithi_clog1_event(events, pithi_clog2_i32(body, big));
    if (event)
        event->desc = body + 8;
    return event ? PITH_OK : no_memory();
}

int pithi_clog1_see_raw(struct pithi_clog1_events *events, const unsigned char *body, int big)
{
    struct pithi_clog1_event *event = pithi_clog1_event(events, pithi_clog2_i32(body, big));
    if (!event)
        return no_memory();
    event->has_data |= pithi_clog2_i32(body + 4, big) != 0;
    event->has_string |= body[16] != 0;
    return PITH_OK;
}

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

static const char *raw_format(const struct pithi_clog1_event *event)
{
    return event->has_string ? PITHI_CLOG1_TEXT_FORMAT : event->has_data ? PITHI_CLOG1_DATA_FORMAT : "";
}

/* A pair that nobody defined: 1 and *start says which of the two `event` is. */
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

/* Two numbers of one name but with other payloads are two event types. */
static int add_solo(struct pithi_clog1_events *events, const struct pithi_clog1_event *event, const char *name,
                    const char *format, uint32_t *id)
{
    char other[NAME + 16];
    int err;

    TRY(add(events, PITHLOG_EVENT_TYPE, name, "", event->number, format, id));
    if (strcmp(pithi_defs_get(events->defs, *id - 1)->format, format) != 0) {
        snprintf(other, sizeof other, "%s (%d)", name, (int)event->number);
        TRY(add(events, PITHLOG_EVENT_TYPE, other, "", event->number, format, id));
    }
out:
    return err;
}

int pithi_clog1_settle(struct pithi_clog1_events *events, struct pithi_clog1_event *event)
{
    char name[NAME];
    const char *colour;
    int start;
    uint32_t id;
    int err = PITH_OK;

    if (event->starts || event->ends || event->solo)
        return PITH_OK;
    if (!event->desc && is_pair(event, &start, name, &colour)) {
        TRY(add(events, PITHLOG_STATE, name, colour, event->number, "", &id));
        *(start ? &event->starts : &event->ends) = id;
        return PITH_OK;
    }
    name[0] = 0;
    if (event->desc)
        copy_text(name, event->desc, DESC);
    if (!name[0])
        snprintf(name, sizeof name, "event %d", (int)event->number);
    TRY(add_solo(events, event, name, raw_format(event), &event->solo));
out:
    return err;
}

/* What the payloads of an event are called: NAME and a word. */
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
