/* paje_types.c - writes the start of a Paje file: event definitions; types of containers, states, events, variables and
 * links; states with their colours; containers. Aliases: CP CR CT (container types), S (states), L (links); s, e, v
 * plus the id of a definition; o plus the number of an event of Pith's own; p, r, l plus the number of a lane. */
#include <inttypes.h>
#include <stdlib.h>

#include "foreign/paje/paje.h"

void pithi_paje_string(struct pithi_out *out, enum pithi_quote quote, const char *text)
{
    char *plain = pithi_quoted(quote, text);
    pithi_out_text(out, " \"");
    if (!*text)
        pithi_out_text(out, "(none)");
    for (const char *c = plain ? plain : "?"; *c; c++)
        pithi_out_char(out, *c == '"' ? '\'' : *c);
    pithi_out_char(out, '"');
    free(plain);
}

void pithi_paje_begin(struct pithi_out *out, enum pithi_paje_event event, int64_t time_ns)
{
    pithi_out_u64(out, event);
    pithi_out_char(out, ' ');
    pithi_out_seconds(out, time_ns);
}

void pithi_paje_alias(struct pithi_out *out, char kind, uint64_t number)
{
    pithi_out_char(out, ' ');
    pithi_out_char(out, kind);
    pithi_out_u64(out, number);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void put_events(struct pithi_out *out)
{
    static const struct {
        enum pithi_paje_event number;
        const char *name, *fields;
    } events[] = {
        {PITHI_PAJE_CONTAINER_TYPE, "PajeDefineContainerType", "Alias string;Type string;Name string;"},
        {PITHI_PAJE_STATE_TYPE, "PajeDefineStateType", "Alias string;Type string;Name string;"},
        {PITHI_PAJE_EVENT_TYPE, "PajeDefineEventType", "Alias string;Type string;Name string;Color color;"},
        {PITHI_PAJE_VARIABLE_TYPE, "PajeDefineVariableType", "Alias string;Type string;Name string;Color color;"},
        {PITHI_PAJE_LINK_TYPE, "PajeDefineLinkType",
         "Alias string;Type string;StartContainerType string;EndContainerType string;Name string;"},
        {PITHI_PAJE_VALUE, "PajeDefineEntityValue", "Alias string;Type string;Name string;Color color;"},
        {PITHI_PAJE_CREATE, "PajeCreateContainer", "Time date;Alias string;Type string;Container string;Name string;"},
        {PITHI_PAJE_DESTROY, "PajeDestroyContainer", "Time date;Type string;Name string;"},
        {PITHI_PAJE_SET_VARIABLE, "PajeSetVariable", "Time date;Type string;Container string;Value double;"},
        {PITHI_PAJE_PUSH, "PajePushState", "Time date;Type string;Container string;Value string;"},
        {PITHI_PAJE_POP, "PajePopState", "Time date;Type string;Container string;"},
        {PITHI_PAJE_NEW_EVENT, "PajeNewEvent", "Time date;Type string;Container string;Value string;"},
        {PITHI_PAJE_START_LINK, "PajeStartLink",
         "Time date;Type string;Container string;StartContainer string;Value string;Key string;Tag int;Bytes string;"},
        {PITHI_PAJE_END_LINK, "PajeEndLink",
         "Time date;Type string;Container string;EndContainer string;Value string;Key string;"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        pithi_out_text(out, "%EventDef ");
        pithi_out_text(out, events[i].name);
        pithi_out_char(out, ' ');
        pithi_out_u64(out, events[i].number);
        pithi_out_text(out, "\n% ");
        for (const char *c = events[i].fields; *c; c++)
            pithi_out_text(out, *c != ';' ? (char[]){*c, 0} : c[1] ? "\n% " : "\n");
        pithi_out_text(out, "%EndEventDef\n");
    }
}

/* ---- Types and values -------------------------------------------------------------------------------------------- */

static void put_line(struct pithi_out *out, enum pithi_paje_event event, const char *rest)
{
    pithi_out_u64(out, event);
    pithi_out_char(out, ' ');
    pithi_out_text(out, rest);
    pithi_out_char(out, '\n');
}

static void put_colour(struct pithi_out *out, uint32_t rgb)
{
    char text[40];
    for (int i = 0, at = 0; i < 3; i++) { /* printf would use the locale's decimal point */
        unsigned thousandths = (rgb >> (16 - 8 * i) & 255) * 1000 / 255;
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%u.%03u", i ? " " : "", thousandths / 1000,
                       thousandths % 1000);
    }
    pithi_paje_string(out, PITHI_QUOTE_TABS, text);
}

static void put_named(struct pithi_out *out, enum pithi_paje_event event, char kind, uint32_t number, const char *type,
                      const char *name, uint32_t rgb)
{
    pithi_out_u64(out, event);
    pithi_paje_alias(out, kind, number);
    pithi_out_char(out, ' ');
    pithi_out_text(out, type);
    pithi_paje_string(out, PITHI_QUOTE_TABS, name);
    put_colour(out, rgb);
    pithi_out_char(out, '\n');
}

static void put_definitions(struct pithi_out *out, struct pithlog *log)
{
    static const char *const own[] = {"recording paused", "recording resumed", "records lost"}; /* o0 o1 o2 */
    const struct pithlog_def *def;
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++) {
        uint32_t rgb = pithlog_def_rgb(log, id);
        if (def->kind == PITHLOG_STATE)
            put_named(out, PITHI_PAJE_VALUE, 's', id, "S", def->name, rgb);
        else if (def->kind == PITHLOG_EVENT_TYPE)
            put_named(out, PITHI_PAJE_EVENT_TYPE, 'e', id, "CT", def->name, rgb);
        else
            put_named(out, PITHI_PAJE_VARIABLE_TYPE, 'v', id, "CT", def->name, rgb);
    }
    for (uint32_t i = 0; i < sizeof own / sizeof *own; i++)
        put_named(out, PITHI_PAJE_EVENT_TYPE, 'o', i, "CT", own[i], 0x808080);
}

void pithi_paje_types(struct pithi_out *out, struct pithlog *log)
{
    put_events(out);
    put_line(out, PITHI_PAJE_CONTAINER_TYPE, "CP 0 \"Program\"");
    put_line(out, PITHI_PAJE_CONTAINER_TYPE, "CR CP \"Rank\"");
    put_line(out, PITHI_PAJE_CONTAINER_TYPE, "CT CR \"Thread\"");
    put_line(out, PITHI_PAJE_STATE_TYPE, "S CT \"State\"");
    put_line(out, PITHI_PAJE_LINK_TYPE, "L CP CT CT \"Message\"");
    put_definitions(out, log);
}

/* ---- Containers -------------------------------------------------------------------------------------------------- */

static const char *program_of(const struct pithlog *log)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)); i++)
        if (strcmp(key, "program") == 0)
            return value;
    return "program";
}

static void put_container(struct pithi_out *out, char kind, uint32_t lane, const char *rest, const char *name)
{
    pithi_paje_begin(out, PITHI_PAJE_CREATE, 0);
    pithi_paje_alias(out, kind, lane);
    pithi_out_text(out, rest);
    pithi_paje_string(out, PITHI_QUOTE_TABS, name);
    pithi_out_char(out, '\n');
}

/* The alias of a rank uses its first lane. Names are unique, because PajeNG also finds containers by name. */
void pithi_paje_create(struct pithi_out *out, struct pithlog *log)
{
    const struct pithlog_lane *lane;
    uint32_t first = 0;
    char name[640], parent[32];
    put_container(out, 'p', 0, " CP 0", program_of(log));
    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); i++) {
        if (i == 0 || pithlog_get_lane(log, first)->rank != lane->rank) {
            first = i;
            snprintf(name, sizeof name, *lane->host ? "rank %" PRId32 " (%.500s)" : "rank %" PRId32, lane->rank,
                     lane->host);
            put_container(out, 'r', i, " CR p0", name);
        }
        snprintf(parent, sizeof parent, " CT r%" PRIu32, first);
        snprintf(name, sizeof name, *lane->name ? "%" PRId32 ".%" PRIu32 " %.500s" : "%" PRId32 ".%" PRIu32, lane->rank,
                 lane->thread, lane->name);
        put_container(out, 'l', i, parent, name);
    }
}

static void destroy(struct pithi_out *out, const char *type, char kind, uint32_t lane, int64_t end_ns)
{
    pithi_paje_begin(out, PITHI_PAJE_DESTROY, end_ns);
    pithi_out_text(out, type);
    pithi_paje_alias(out, kind, lane);
    pithi_out_char(out, '\n');
}

void pithi_paje_destroy(struct pithi_out *out, struct pithlog *log, int64_t end_ns)
{
    const struct pithlog_lane *lane, *next;
    uint32_t first = 0;
    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); i++) {
        next = pithlog_get_lane(log, i + 1);
        destroy(out, " CT", 'l', i, end_ns);
        if (next && next->rank == lane->rank)
            continue;
        destroy(out, " CR", 'r', first, end_ns);
        first = i + 1;
    }
    destroy(out, " CP", 'p', 0, end_ns);
}
