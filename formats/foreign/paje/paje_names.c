/* paje_names.c - reads the lines of a trace of Paje and its definitions of events. It also finds the types, values and
 * containers to which events refer by name or alias.
 *
 * A word in quotes is one field, whatever it contains. A value may be used before it is defined. Two types may have
 * values of the same name, so a value is looked up by its type together with its name or alias. */
#include "foreign/paje/paje_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_fields.h"
#include "foreign/names.h"

static const char *const event_names[OTHER] = {"PajeDefineContainerType",
                                               "PajeDefineStateType",
                                               "PajeDefineEventType",
                                               "PajeDefineVariableType",
                                               "PajeDefineLinkType",
                                               "PajeDefineEntityValue",
                                               "PajeCreateContainer",
                                               "PajeDestroyContainer",
                                               "PajeNewEvent",
                                               "PajeSetState",
                                               "PajePushState",
                                               "PajePopState",
                                               "PajeResetState",
                                               "PajeSetVariable",
                                               "PajeAddVariable",
                                               "PajeSubVariable",
                                               "PajeStartLink",
                                               "PajeEndLink"};

static const struct {
    const char *name;
    enum paje_field field;
} field_names[] = {{"Time", F_TIME},
                   {"Name", F_NAME},
                   {"Alias", F_ALIAS},
                   {"Type", F_TYPE},
                   {"Container", F_CONTAINER},
                   {"Value", F_VALUE},
                   {"Color", F_COLOUR},
                   {"Key", F_KEY},
                   {"StartContainer", F_START},
                   {"EndContainer", F_END},
                   /* names in the first version of the format */
                   {"NewType", F_ALIAS},
                   {"NewContainerType", F_ALIAS},
                   {"NewStateType", F_ALIAS},
                   {"NewEventType", F_ALIAS},
                   {"NewVariableType", F_ALIAS},
                   {"NewLinkType", F_ALIAS},
                   {"NewValue", F_ALIAS},
                   {"NewContainer", F_ALIAS},
                   {"ContainerType", F_TYPE},
                   {"EntityType", F_TYPE},
                   {"SourceContainer", F_START},
                   {"DestContainer", F_END},
                   /* fields that only Pith writes */
                   {"Tag", F_TAG},
                   {"Bytes", F_BYTES},
                   {"Size", F_BYTES}};

int pithi_paje_wrong(const struct paje_reader *r, const char *what, const char *name)
{
    char text[PAJE_NAME];
    /* The name is cut, because it may be a text of any length. */
    snprintf(text, sizeof text, "%s%s%.200s", what, name ? ": " : "", name ? name : "");
    return pithi_lines_wrong(&r->lines, text);
}

/* Returns a name as it was in the log. In files that Pith wrote, control characters are escaped as in `pith print`, and
 * "(none)" stands for an empty name. */
char *pithi_paje_kept(const struct paje_reader *r, const char *text)
{
    char *copy = strdup(text);
    if (copy && r->is_own) {
        pithi_unescape(copy);
        if (strcmp(copy, "(none)") == 0)
            *copy = 0;
    }
    return copy;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Returns the next word, or text in quotes, of a line. Returns NULL at the end of the line. */
static char *next_word(char **place)
{
    char *at = *place, *word;
    while (pithi_paje_is_blank(*at))
        at++;
    if (!*at)
        return NULL;
    int quoted = *at == '"';
    /* the quotes are not part of the word */
    word = at += quoted;
    while (*at && (quoted ? *at != '"' : !pithi_paje_is_blank(*at)))
        at++;
    *place = *at ? at + 1 : at;
    /* The word is ended with a NUL in place, which is possible because the line is a copy. */
    *at = 0;
    return word;
}

/* Gets the next line that is neither empty nor a comment, as a copy that may be changed. Returns 1, or 0 at the end, or
 * -1 if memory runs out. */
int pithi_paje_line(struct paje_reader *r, char **line)
{
    const char *text;
    size_t size;
    do {
        if (!pithi_lines_next(&r->lines, &text, &size))
            return 0;
        size -= size > 0 && text[size - 1] == '\r';
        r->line.size = 0;
        if (!pithi_buffer_add(&r->line, text, size) || !pithi_buffer_add(&r->line, "", 1)) {
            pithi_no_memory();
            return -1;
        }
        *line = (char *)r->line.data;
        while (pithi_paje_is_blank(**line))
            ++*line;
    } while (!**line || **line == '#');
    return 1;
}

/* ---- Definitions of events --------------------------------------------------------------------------------------- */

/* Reads a line that begins with '%'. Such a line begins a definition, ends it, or adds a field to it. */
int pithi_paje_percent(struct paje_reader *r, char *line, struct paje_event_def **open)
{
    char *word;
    line++;
    if (!(word = next_word(&line)) || strcmp(word, "EndEventDef") == 0) {
        *open = word ? NULL : *open;
        return PITH_OK;
    }
    if (strcmp(word, "EventDef") == 0) {
        /* In "%EventDef PajePushState 5" the name and the number may come in either order. */
        char *rest = line;
        char *first = next_word(&rest), *second = next_word(&rest);
        struct paje_event_def def = {.kind = OTHER};
        uint64_t *known;
        if (!second || (!pithi_text_u64(second, &def.number) && !pithi_text_u64(first, &def.number)))
            return pithi_paje_wrong(r, "%EventDef needs the name of an event and a number", NULL);
        for (int i = 0; i < OTHER; i++)
            if (strcmp(first, event_names[i]) == 0 || strcmp(second, event_names[i]) == 0)
                def.kind = (enum paje_kind)i;
        /* If a number is defined again, it has the new meaning from here on. */
        if (!(known = pithi_map_at(&r->event_numbers, def.number)) ||
            (!*known && !pithi_grow(&r->events, r->event_count, &r->event_room, sizeof *r->events)))
            return pithi_no_memory();
        if (!*known)
            *known = ++r->event_count;
        r->events[*known - 1] = def;
        /* the next lines, up to %EndEventDef, define the fields of this event */
        *open = &r->events[*known - 1];
        return PITH_OK;
    }
    if (!*open)
        return pithi_paje_wrong(r, "a field stands outside of %EventDef", word);
    if ((*open)->count == PAJE_FIELDS_MAX)
        return pithi_paje_wrong(r, "an event has more fields than 32", NULL);
    signed char *field = &(*open)->fields[(*open)->count++];
    /* -1 means an unknown field, which is skipped in each event. */
    *field = -1;
    for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++)
        if (strcmp(word, field_names[i].name) == 0)
            *field = (signed char)field_names[i].field;
    return PITH_OK;
}

/* Reads the line of an event. Sets r->at to its fields, and r->time_ns. */
int pithi_paje_event(struct paje_reader *r, char *line, enum paje_kind *kind)
{
    char *word = next_word(&line);
    /* events begin with the number that their definition gave them */
    uint64_t number, *known = pithi_text_u64(word, &number) ? pithi_map_find(&r->event_numbers, number) : NULL;
    const struct paje_event_def *def;
    if (!known)
        return pithi_paje_wrong(r, "no %EventDef defines this event", word);
    def = &r->events[*known - 1];
    *kind = def->kind;
    memset(r->at, 0, sizeof r->at);
    for (uint32_t i = 0; i < def->count; i++) {
        if (!(word = next_word(&line)))
            return pithi_paje_wrong(r, "an event has fewer fields than its %EventDef", NULL);
        if (def->fields[i] >= 0)
            r->at[def->fields[i]] = word;
    }
    /* A time such as "0.25" is read exactly. Other forms, such as those with an exponent, are read as a double. */
    if (r->at[F_TIME] && !pithi_text_seconds(r->at[F_TIME], &r->time_ns)) {
        char *end;
        double seconds = strtod(r->at[F_TIME], &end);
        if (*end || !(fabs(seconds) < 9e9))
            return pithi_paje_wrong(r, "this is no time", r->at[F_TIME]);
        r->time_ns = (int64_t)llround(seconds * 1e9);
    }
    return PITH_OK;
}

int pithi_paje_needs(const struct paje_reader *r, enum paje_field field, const char *name)
{
    return r->at[field] ? PITH_OK : pithi_paje_wrong(r, "an event lacks its field", name);
}

/* ---- Types, values, containers ----------------------------------------------------------------------------------- */

/* Makes a name or alias refer to entry `index` of a table; `hash` is the hash of the word. If the word already refers
 * to an entry, a name changes nothing, but an alias does. */
static int name_it(struct pithi_map *map, uint64_t hash, uint32_t index, int is_alias)
{
    uint64_t *known = pithi_map_at(map, hash);
    if (!known)
        return pithi_no_memory();
    if (!*known || is_alias)
        *known = index + UINT64_C(1);
    return PITH_OK;
}

static int define(struct paje_reader *r, enum pithlog_def_kind kind, const char *name, const char *group, uint32_t *id)
{
    char colour[8] = "";
    float part[3] = {0};
    if (r->at[F_COLOUR] && sscanf(r->at[F_COLOUR], "%f %f %f", &part[0], &part[1], &part[2]) == 3)
        snprintf(colour, sizeof colour, "#%02x%02x%02x", (unsigned)(fminf(fmaxf(part[0], 0), 1) * 255 + 0.5f),
                 (unsigned)(fminf(fmaxf(part[1], 0), 1) * 255 + 0.5f),
                 (unsigned)(fminf(fmaxf(part[2], 0), 1) * 255 + 0.5f));
    struct pithlog_def def = {kind, name, colour, group, kind == PITHLOG_EVENT_TYPE ? "%s" : ""};
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, id);
}

int pithi_paje_add_type(struct paje_reader *r, enum paje_kind kind)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } own[] = {
        {"recording paused", PITHLOG_PAUSE}, {"recording resumed", PITHLOG_RESUME}, {"records lost", PITHLOG_LOST}};
    struct paje_type type = {.kind = kind};
    uint32_t id;
    CHECK(pithi_paje_needs(r, F_NAME, "Name"));
    /* The type is looked up by its alias if it has one, because two types may have the same name. */
    if (pithi_map_find(&r->type_numbers, pithi_paje_hash(0, r->at[F_ALIAS] ? r->at[F_ALIAS] : r->at[F_NAME])))
        return PITH_OK;
    if (!pithi_grow(&r->types, r->type_count, &r->type_room, sizeof *r->types) ||
        !(type.name = pithi_paje_kept(r, r->at[F_NAME])))
        return pithi_no_memory();
    r->types[r->type_count++] = type;
    struct paje_type *t = &r->types[r->type_count - 1];
    CHECK(name_it(&r->type_numbers, pithi_paje_hash(0, r->at[F_NAME]), r->type_count - 1, 0));
    if (r->at[F_ALIAS])
        CHECK(name_it(&r->type_numbers, pithi_paje_hash(0, r->at[F_ALIAS]), r->type_count - 1, 1));
    /* Only files that Pith wrote have all three of these types of containers, so this type may prove that Pith wrote
     * the file. */
    if (kind == CONTAINER_TYPE && pithi_map_find(&r->type_numbers, pithi_paje_hash(0, "CP")) &&
        pithi_map_find(&r->type_numbers, pithi_paje_hash(0, "CR")) &&
        pithi_map_find(&r->type_numbers, pithi_paje_hash(0, "CT"))) {
        r->is_own = 1;
        r->lines.size = pithi_whole_lines(r->input); /* A last line without a newline was cut, so it is not read. */
    }
    /* If Pith wrote the file, event types whose alias begins with 'o' stand for records for which Paje has no event. */
    if (kind == EVENT_TYPE && r->is_own && r->at[F_ALIAS] && *r->at[F_ALIAS] == 'o')
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (strcmp(t->name, own[i].name) == 0)
                t->own = own[i].kind;
    /* Each value of a state type gets a definition of its own. Links and containers have no definitions. */
    if (t->own || (kind != EVENT_TYPE && kind != VARIABLE_TYPE))
        return PITH_OK;
    CHECK(define(r, kind == EVENT_TYPE ? PITHLOG_EVENT_TYPE : PITHLOG_COUNTER_TYPE, t->name, "user", &id));
    t->def = id + 1;
    return PITH_OK;
}

int pithi_paje_find_type(const struct paje_reader *r, enum paje_kind kind, uint32_t *type)
{
    CHECK(pithi_paje_needs(r, F_TYPE, "Type"));
    const uint64_t *known = pithi_map_find(&r->type_numbers, pithi_paje_hash(0, r->at[F_TYPE]));
    if (!known || (kind != OTHER && r->types[*known - 1].kind != kind))
        return pithi_paje_wrong(r, "no such type was defined", r->at[F_TYPE]);
    *type = (uint32_t)*known - 1;
    return PITH_OK;
}

/* Finds the state for a value of a state type. Its definition is made when the value is first used or defined. */
int pithi_paje_find_state(struct paje_reader *r, uint32_t type, const char *word, const char *name, uint32_t *value)
{
    uint64_t *known = pithi_map_at(&r->value_numbers, pithi_paje_hash(type + UINT64_C(1), word));
    if (!known || (!*known && !pithi_grow(&r->values, r->value_count, &r->value_room, sizeof *r->values)))
        return pithi_no_memory();
    if (!*known) {
        char *text = pithi_paje_kept(r, name);
        struct paje_value v;
        if (!text)
            return pithi_no_memory();
        /* In files that Pith did not write, the name of the type is the group of its states. */
        int err = define(r, PITHLOG_STATE, text, r->is_own ? pithi_name_group(text) : r->types[type].name, &v.def);
        free(text);
        CHECK(err);
        r->values[r->value_count] = v;
        *known = ++r->value_count;
    }
    *value = (uint32_t)*known - 1;
    return PITH_OK;
}

int pithi_paje_add_value(struct paje_reader *r)
{
    uint32_t type, value;
    CHECK(pithi_paje_find_type(r, OTHER, &type));
    CHECK(pithi_paje_needs(r, F_NAME, "Name"));
    if (r->types[type].kind != STATE_TYPE)
        return PITH_OK;
    CHECK(pithi_paje_find_state(r, type, r->at[F_ALIAS] ? r->at[F_ALIAS] : r->at[F_NAME], r->at[F_NAME], &value));
    return name_it(&r->value_numbers, pithi_paje_hash(type + UINT64_C(1), r->at[F_NAME]), value, 0);
}

/* Finds a container by name or alias. *container becomes UINT32_MAX for the root, "0" or "/", which is never
 * created. */
int pithi_paje_find_container(const struct paje_reader *r, enum paje_field field, const char *name, uint32_t *container)
{
    CHECK(pithi_paje_needs(r, field, name));
    const uint64_t *known = pithi_map_find(&r->container_numbers, pithi_paje_hash(0, r->at[field]));
    if (!known && strcmp(r->at[field], "0") != 0 && strcmp(r->at[field], "/") != 0)
        return pithi_paje_wrong(r, "no such container was created", r->at[field]);
    *container = known ? (uint32_t)*known - 1 : UINT32_MAX;
    return PITH_OK;
}

int pithi_paje_add_container(struct paje_reader *r)
{
    struct paje_container c = {0};
    uint32_t type, parent = UINT32_MAX;
    CHECK(pithi_paje_find_type(r, CONTAINER_TYPE, &type));
    CHECK(pithi_paje_needs(r, F_NAME, "Name"));
    /* If a container is created again, it keeps its lane. */
    if (pithi_map_find(&r->container_numbers, pithi_paje_hash(0, r->at[F_ALIAS] ? r->at[F_ALIAS] : r->at[F_NAME])))
        return PITH_OK;
    if (r->at[F_CONTAINER])
        CHECK(pithi_paje_find_container(r, F_CONTAINER, "Container", &parent));
    c.parent = parent + 1;
    c.type = type + 1;
    if (!pithi_grow(&r->containers, r->container_count, &r->container_room, sizeof *r->containers) ||
        !(c.name = pithi_paje_kept(r, r->at[F_NAME])))
        return pithi_no_memory();
    r->containers[r->container_count++] = c;
    if (r->is_own && strcmp(r->types[type].name, "Program") == 0 && strcmp(c.name, "program") != 0)
        CHECK(pithi_defs_property(pithi_writer_defs(r->writer), "program", c.name));
    CHECK(name_it(&r->container_numbers, pithi_paje_hash(0, r->at[F_NAME]), r->container_count - 1, 0));
    return r->at[F_ALIAS]
               ? name_it(&r->container_numbers, pithi_paje_hash(0, r->at[F_ALIAS]), r->container_count - 1, 1)
               : PITH_OK;
}
