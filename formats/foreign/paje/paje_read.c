/* paje_read.c - Paje's trace format to native records. The file describes itself: it begins with the events that it
 * uses and the order of their fields, so every program writes it in another way.
 *
 *     %EventDef PajePushState 5             the number of an event of this kind, and its fields
 *     %  Time date
 *     %  Container string
 *     %  Type string
 *     %  Value string
 *     %EndEventDef
 *     5 0.25 c3 S "MPI_Send"                such an event
 *
 * Types, values and containers have a name and perhaps an alias; events refer to either. The first pass over the file
 * takes these definitions and the ends of links. The second takes states, events, values and messages. Between them the
 * links are matched (README.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sorter.h"
#include "base/text_fields.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/reading.h"

enum { FIELDS_MAX = 32, NAME = 512, MEMORY = PITHI_SORTER_BYTES / 4 };

enum event_kind {
    CONTAINER_TYPE,
    STATE_TYPE,
    EVENT_TYPE,
    VARIABLE_TYPE,
    LINK_TYPE,
    ENTITY_VALUE,
    CREATE,
    DESTROY, /* definitions */
    NEW_EVENT,
    SET_STATE,
    PUSH_STATE,
    POP_STATE,
    RESET_STATE,
    SET_VARIABLE,
    ADD_VARIABLE,
    SUB_VARIABLE,
    START_LINK,
    END_LINK,
    OTHER
};
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

enum field {
    F_TIME,
    F_NAME,
    F_ALIAS,
    F_TYPE,
    F_CONTAINER,
    F_VALUE,
    F_COLOUR,
    F_KEY,
    F_START,
    F_END,
    F_TAG,
    F_BYTES,
    FIELDS
};
static const struct {
    const char *name;
    enum field field;
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
                   /* of the format's first version */
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
                   /* of our own */
                   {"Tag", F_TAG},
                   {"Bytes", F_BYTES},
                   {"Size", F_BYTES}};

struct event_def {
    uint64_t number;
    enum event_kind kind;
    uint32_t count;
    signed char fields[FIELDS_MAX]; /* -1: of no use here */
};

struct type {
    char *name;
    enum event_kind kind;
    uint32_t def; /* of an event or a variable: its definition + 1 */
    uint32_t own; /* of our own events: the kind of the record; 0: none */
};

struct value {
    uint32_t def;
};

struct container {
    char *name;
    uint32_t parent, type; /* + 1; 0: the root */
    uint32_t stacks;       /* the first of its stacks + 1 */
    uint32_t lane;
    int32_t rank;
    int is_used;
};

/* The open states of a type in a container. */
struct stack {
    uint32_t next, count, room, *ids;
};

struct link_end {
    int64_t time_ns;
    uint64_t seq, bytes;
    uint32_t container;
    int32_t tag;
    int is_end, has_tag;
};

struct message_end {
    int32_t peer, tag;
    uint64_t bytes, posted;
};

struct paje_reader {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    struct pithi_lines lines;
    struct pithi_buffer line;
    struct event_def *events;
    uint32_t event_count, event_room;
    struct type *types;
    uint32_t type_count, type_room;
    struct value *values;
    uint32_t value_count, value_room;
    struct container *containers;
    uint32_t container_count, container_room;
    struct stack *stacks;
    uint32_t stack_count, stack_room;
    double *sums; /* of variables */
    uint32_t sum_count, sum_room;
    struct pithi_map event_numbers, type_numbers, value_numbers, container_numbers, stack_numbers,
        sum_numbers; /* + 1 */
    struct pithi_sorter *ends, *messages, *numbered;
    struct pithi_reorder reorder;
    struct pithi_sorted next_end; /* of a message */
    int has_next, is_own;
    uint64_t seq, lone_links, lone_pops, other_events;
    char *at[FIELDS]; /* of the line; NULL: it has no such field */
    int64_t time_ns;
};

static int wrong(const struct paje_reader *r, const char *what, const char *name)
{
    char text[NAME];
    snprintf(text, sizeof text, "%s%s%.200s", what, name ? ": " : "", name ? name : "");
    return pithi_lines_wrong(&r->lines, text);
}

static uint64_t hash_of(uint64_t scope, const char *text) { return pithi_hash_text(PITHI_HASH ^ scope, text) >> 1; }

/* A name as it was: in our own files, control characters are spelled as by `pith print`, and "(none)" is none. */
static char *kept(const struct paje_reader *r, const char *text)
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

static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* The next word, or text in quotes, of a line; NULL: its end. */
static char *next_word(char **place)
{
    char *at = *place, *word;
    while (is_blank(*at))
        at++;
    if (!*at)
        return NULL;
    int quoted = *at == '"';
    word = at += quoted;
    while (*at && (quoted ? *at != '"' : !is_blank(*at)))
        at++;
    *place = *at ? at + 1 : at;
    *at = 0;
    return word;
}

static int next_line(struct paje_reader *r, char **line)
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
        while (is_blank(**line))
            ++*line;
    } while (!**line || **line == '#');
    return 1;
}

/* ---- Definitions of events --------------------------------------------------------------------------------------- */

/* "%EventDef PajePushState 5": name and number in either order. */
static int begin_event_def(struct paje_reader *r, char *rest)
{
    char *first = next_word(&rest), *second = next_word(&rest);
    struct event_def def = {.kind = OTHER};
    uint64_t *known;
    if (!second || (!pithi_text_u64(second, &def.number) && !pithi_text_u64(first, &def.number)))
        return wrong(r, "%EventDef needs the name of an event and a number", NULL);
    for (int i = 0; i < OTHER; i++)
        if (strcmp(first, event_names[i]) == 0 || strcmp(second, event_names[i]) == 0)
            def.kind = (enum event_kind)i;
    if (!(known = pithi_map_at(&r->event_numbers, def.number)) ||
        (!*known && !pithi_grow(&r->events, r->event_count, &r->event_room, sizeof *r->events)))
        return pithi_no_memory();
    if (!*known)
        *known = ++r->event_count;
    r->events[*known - 1] = def;
    return PITH_OK;
}

static int take_percent(struct paje_reader *r, char *line, struct event_def **open)
{
    char *word;
    line++;
    if (!(word = next_word(&line)) || strcmp(word, "EndEventDef") == 0) {
        *open = word ? NULL : *open;
        return PITH_OK;
    }
    if (strcmp(word, "EventDef") == 0) {
        CHECK(begin_event_def(r, line));
        *open = &r->events[r->event_count - 1];
        return PITH_OK;
    }
    if (!*open)
        return wrong(r, "a field stands outside of %EventDef", word);
    if ((*open)->count == FIELDS_MAX)
        return wrong(r, "an event has more fields than 32", NULL);
    signed char *field = &(*open)->fields[(*open)->count++];
    *field = -1;
    for (size_t i = 0; i < sizeof field_names / sizeof *field_names; i++)
        if (strcmp(word, field_names[i].name) == 0)
            *field = (signed char)field_names[i].field;
    return PITH_OK;
}

/* Sets the fields of an event's line, and its time. */
static int cut_event(struct paje_reader *r, char *line, enum event_kind *kind)
{
    char *word = next_word(&line);
    uint64_t number, *known = pithi_text_u64(word, &number) ? pithi_map_find(&r->event_numbers, number) : NULL;
    const struct event_def *def;
    if (!known)
        return wrong(r, "no %EventDef defines this event", word);
    def = &r->events[*known - 1];
    *kind = def->kind;
    memset(r->at, 0, sizeof r->at);
    for (uint32_t i = 0; i < def->count; i++) {
        if (!(word = next_word(&line)))
            return wrong(r, "an event has fewer fields than its %EventDef", NULL);
        if (def->fields[i] >= 0)
            r->at[def->fields[i]] = word;
    }
    if (r->at[F_TIME] && !pithi_text_seconds(r->at[F_TIME], &r->time_ns)) {
        char *end;
        double seconds = strtod(r->at[F_TIME], &end); /* with an exponent */
        if (*end || !(fabs(seconds) < 9e9))
            return wrong(r, "this is no time", r->at[F_TIME]);
        r->time_ns = (int64_t)llround(seconds * 1e9);
    }
    return PITH_OK;
}

static int needs(const struct paje_reader *r, enum field field, const char *name)
{
    return r->at[field] ? PITH_OK : wrong(r, "an event lacks its field", name);
}

/* ---- Types, values, containers ----------------------------------------------------------------------------------- */

/* Lets `word` stand for number `index` of a table. An alias wins over a name. */
static int name_it(struct pithi_map *map, uint64_t hash, uint32_t index, int is_alias)
{
    uint64_t *known = pithi_map_at(map, hash);
    if (!known)
        return pithi_no_memory();
    if (!*known || is_alias)
        *known = index + UINT64_C(1);
    return PITH_OK;
}

static const char *colour_of(const struct paje_reader *r, char out[8])
{
    float part[3] = {0};
    *out = 0;
    if (r->at[F_COLOUR] && sscanf(r->at[F_COLOUR], "%f %f %f", &part[0], &part[1], &part[2]) == 3)
        snprintf(out, 8, "#%02x%02x%02x", (unsigned)(fminf(fmaxf(part[0], 0), 1) * 255 + 0.5f),
                 (unsigned)(fminf(fmaxf(part[1], 0), 1) * 255 + 0.5f),
                 (unsigned)(fminf(fmaxf(part[2], 0), 1) * 255 + 0.5f));
    return out;
}

static int define(struct paje_reader *r, enum pithlog_def_kind kind, const char *name, const char *group, uint32_t *id)
{
    char colour[8];
    struct pithlog_def def = {kind, name, colour_of(r, colour), group, kind == PITHLOG_EVENT_TYPE ? "%s" : ""};
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, id);
}

/* Files of Pith have these three types of containers. */
static void look_for_own(struct paje_reader *r)
{
    static const char *const own[] = {"CP", "CR", "CT"};
    for (uint32_t i = 0; i < 3; i++)
        if (!pithi_map_find(&r->type_numbers, hash_of(0, own[i])))
            return;
    r->is_own = 1;
    r->lines.size = pithi_whole_lines(r->input); /* a last line without a newline was cut */
}

static int add_type(struct paje_reader *r, enum event_kind kind)
{
    static const struct {
        const char *name;
        uint32_t kind;
    } own[] = {
        {"recording paused", PITHLOG_PAUSE}, {"recording resumed", PITHLOG_RESUME}, {"records lost", PITHLOG_LOST}};
    struct type type = {.kind = kind};
    uint32_t id;
    CHECK(needs(r, F_NAME, "Name"));
    if (pithi_map_find(&r->type_numbers, hash_of(0, r->at[F_ALIAS] ? r->at[F_ALIAS] : r->at[F_NAME])))
        return PITH_OK; /* again */
    if (!pithi_grow(&r->types, r->type_count, &r->type_room, sizeof *r->types) || !(type.name = kept(r, r->at[F_NAME])))
        return pithi_no_memory();
    r->types[r->type_count++] = type;
    struct type *t = &r->types[r->type_count - 1];
    CHECK(name_it(&r->type_numbers, hash_of(0, r->at[F_NAME]), r->type_count - 1, 0));
    if (r->at[F_ALIAS])
        CHECK(name_it(&r->type_numbers, hash_of(0, r->at[F_ALIAS]), r->type_count - 1, 1));
    if (kind == CONTAINER_TYPE)
        look_for_own(r);
    if (kind == EVENT_TYPE && r->is_own && r->at[F_ALIAS] && *r->at[F_ALIAS] == 'o')
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (strcmp(t->name, own[i].name) == 0)
                t->own = own[i].kind;
    if (t->own || (kind != EVENT_TYPE && kind != VARIABLE_TYPE))
        return PITH_OK;
    CHECK(define(r, kind == EVENT_TYPE ? PITHLOG_EVENT_TYPE : PITHLOG_COUNTER_TYPE, t->name, "user", &id));
    t->def = id + 1;
    return PITH_OK;
}

static int find_type(const struct paje_reader *r, enum event_kind kind, uint32_t *type)
{
    CHECK(needs(r, F_TYPE, "Type"));
    const uint64_t *known = pithi_map_find(&r->type_numbers, hash_of(0, r->at[F_TYPE]));
    if (!known || (kind != OTHER && r->types[*known - 1].kind != kind))
        return wrong(r, "no such type was defined", r->at[F_TYPE]);
    *type = (uint32_t)*known - 1;
    return PITH_OK;
}

/* A state: a value of a type of states. Its definition is made at the first use or definition. */
static int find_state(struct paje_reader *r, uint32_t type, const char *word, const char *name, uint32_t *value)
{
    uint64_t *known = pithi_map_at(&r->value_numbers, hash_of(type + UINT64_C(1), word));
    if (!known || (!*known && !pithi_grow(&r->values, r->value_count, &r->value_room, sizeof *r->values)))
        return pithi_no_memory();
    if (!*known) {
        char *text = kept(r, name);
        struct value v;
        if (!text)
            return pithi_no_memory();
        int err = define(r, PITHLOG_STATE, text, r->is_own ? pithi_name_group(text) : r->types[type].name, &v.def);
        free(text);
        CHECK(err);
        r->values[r->value_count] = v;
        *known = ++r->value_count;
    }
    *value = (uint32_t)*known - 1;
    return PITH_OK;
}

static int add_value(struct paje_reader *r)
{
    uint32_t type, value;
    CHECK(find_type(r, OTHER, &type));
    CHECK(needs(r, F_NAME, "Name"));
    if (r->types[type].kind != STATE_TYPE)
        return PITH_OK;
    CHECK(find_state(r, type, r->at[F_ALIAS] ? r->at[F_ALIAS] : r->at[F_NAME], r->at[F_NAME], &value));
    return name_it(&r->value_numbers, hash_of(type + UINT64_C(1), r->at[F_NAME]), value, 0);
}

static int find_container(const struct paje_reader *r, enum field field, const char *name, uint32_t *container)
{
    CHECK(needs(r, field, name));
    const uint64_t *known = pithi_map_find(&r->container_numbers, hash_of(0, r->at[field]));
    if (!known && strcmp(r->at[field], "0") != 0 && strcmp(r->at[field], "/") != 0)
        return wrong(r, "no such container was created", r->at[field]);
    *container = known ? (uint32_t)*known - 1 : UINT32_MAX;
    return PITH_OK;
}

static int add_container(struct paje_reader *r)
{
    struct container c = {0};
    uint32_t type, parent = UINT32_MAX;
    CHECK(find_type(r, CONTAINER_TYPE, &type));
    CHECK(needs(r, F_NAME, "Name"));
    if (pithi_map_find(&r->container_numbers, hash_of(0, r->at[F_ALIAS] ? r->at[F_ALIAS] : r->at[F_NAME])))
        return PITH_OK; /* created again: it goes on */
    if (r->at[F_CONTAINER])
        CHECK(find_container(r, F_CONTAINER, "Container", &parent));
    c.parent = parent + 1;
    c.type = type + 1;
    if (!pithi_grow(&r->containers, r->container_count, &r->container_room, sizeof *r->containers) ||
        !(c.name = kept(r, r->at[F_NAME])))
        return pithi_no_memory();
    r->containers[r->container_count++] = c;
    if (r->is_own && strcmp(r->types[type].name, "Program") == 0 && strcmp(c.name, "program") != 0)
        CHECK(pithi_defs_property(pithi_writer_defs(r->writer), "program", c.name));
    CHECK(name_it(&r->container_numbers, hash_of(0, r->at[F_NAME]), r->container_count - 1, 0));
    return r->at[F_ALIAS] ? name_it(&r->container_numbers, hash_of(0, r->at[F_ALIAS]), r->container_count - 1, 1)
                          : PITH_OK;
}

/* ---- The first pass ---------------------------------------------------------------------------------------------- */

static int use(struct paje_reader *r, enum field field, const char *name, uint32_t *container)
{
    CHECK(find_container(r, field, name, container));
    if (*container == UINT32_MAX)
        return wrong(r, "the root container has no records of its own here", r->at[field]);
    r->containers[*container].is_used = 1;
    return PITH_OK;
}

/* An end of a link, sorted by what must be equal at both. */
static int add_link_end(struct paje_reader *r, int is_end)
{
    struct link_end end = {.time_ns = r->time_ns, .seq = r->seq, .is_end = is_end};
    struct pithi_sort_key key;
    int64_t tag = 0;
    uint32_t type;
    CHECK(find_type(r, LINK_TYPE, &type));
    CHECK(needs(r, F_KEY, "Key"));
    CHECK(use(r, is_end ? F_END : F_START, is_end ? "EndContainer" : "StartContainer", &end.container));
    end.has_tag = pithi_text_i64(r->at[F_TAG], INT32_MIN, INT32_MAX, &tag);
    end.tag = (int32_t)tag;
    if (!r->at[F_BYTES] || !pithi_text_u64(r->at[F_BYTES], &end.bytes))
        end.bytes = 0;
    key = (struct pithi_sort_key){
        {hash_of(hash_of(type + UINT64_C(1), r->at[F_CONTAINER] ? r->at[F_CONTAINER] : ""), r->at[F_KEY]), r->seq, 0}};
    return pithi_sorter_add(r->ends, &key, &end, sizeof end);
}

static int take_definition(struct paje_reader *r, enum event_kind kind, int64_t *last_ns)
{
    uint32_t container;
    if (kind >= DESTROY && kind != OTHER) {
        r->reorder.is_needed |= r->time_ns < *last_ns;
        *last_ns = r->time_ns;
    }
    switch (kind) {
    case CONTAINER_TYPE:
    case STATE_TYPE:
    case EVENT_TYPE:
    case VARIABLE_TYPE:
    case LINK_TYPE:
        return add_type(r, kind);
    case ENTITY_VALUE:
        return add_value(r);
    case CREATE:
        return add_container(r);
    case START_LINK:
    case END_LINK:
        return add_link_end(r, kind == END_LINK);
    case DESTROY:
        return PITH_OK;
    case OTHER:
        r->other_events++;
        return PITH_OK;
    default:
        return use(r, F_CONTAINER, "Container", &container);
    }
}

/* A last line that was cut may not be readable. */
static int settle(const struct paje_reader *r, int err)
{
    return err == PITH_ERR_DAMAGED && r->lines.at >= r->lines.size && pithi_ends_in_line(r->input) ? PITH_OK : err;
}

static int first_pass(struct paje_reader *r)
{
    struct event_def *open = NULL;
    int64_t last_ns = INT64_MIN;
    enum event_kind kind;
    int status, err = PITH_OK;
    char *line;
    for (; err == PITH_OK && (status = next_line(r, &line)) > 0; r->seq++) {
        if (*line == '%')
            err = settle(r, take_percent(r, line, &open));
        else if ((err = settle(r, cut_event(r, line, &kind))) == PITH_OK && r->lines.number)
            err = settle(r, take_definition(r, kind, &last_ns));
    }
    return err == PITH_OK && status < 0 ? PITH_ERR_MEMORY : err;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

/* The only number in a name, such as "rank-3"; -1: none, or several. */
static int64_t number_in(const char *name)
{
    int64_t number = -1;
    for (const char *c = name; *c;) {
        if (*c < '0' || *c > '9') {
            c++;
            continue;
        }
        char *end;
        unsigned long long value = strtoull(c, &end, 10);
        if (number >= 0 || value > INT32_MAX / 2)
            return -1;
        number = (int64_t)value;
        c = end;
    }
    return number;
}

/* Containers of a type like "Thread" are the threads of the container around them; every other one is a process. */
static uint32_t process_of(const struct paje_reader *r, uint32_t container)
{
    const struct container *c = &r->containers[container];
    const char *type = r->types[c->type - 1].name;
    return c->parent && (strcasestr(type, "thread") || strcasestr(type, "worker") || strcasestr(type, "core"))
               ? c->parent - 1
               : container;
}

static int is_lane(const struct paje_reader *r, uint32_t container)
{
    const struct container *c = &r->containers[container];
    return c->is_used || (r->is_own && strcmp(r->types[c->type - 1].name, "Thread") == 0);
}

/* Our own: "0.1 writer" in "rank 0 (node7)". */
static int make_own_lane(struct paje_reader *r, struct container *c)
{
    const char *host = c->parent ? strstr(r->containers[c->parent - 1].name, " (") : NULL;
    char *end, text[NAME];
    long rank = strtol(c->name, &end, 10);
    unsigned long thread = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    if (rank < 0 || rank > INT32_MAX || thread >= UINT32_MAX)
        return PITH_OK;
    c->rank = (int32_t)rank;
    if (host) {
        snprintf(text, sizeof text, "%.*s", (int)strlen(host + 2) - 1, host + 2);
        CHECK(pithi_writer_rank(r->writer, &(struct pithi_rank){.rank = c->rank, .host = text}));
    }
    return pithi_writer_lane(r->writer, c->rank, (uint32_t)thread, end + (*end == ' '), &c->lane);
}

static int make_lanes(struct paje_reader *r)
{
    struct pithi_map ranks = {0}, threads = {0}; /* process -> rank + 1; rank -> number of lanes */
    struct pithi_map taken = {0};
    int keeps = 1, err = PITH_OK;
    uint32_t next = 0;
    for (uint32_t i = 0; keeps && i < r->container_count; i++) {
        uint32_t process = is_lane(r, i) ? process_of(r, i) : UINT32_MAX;
        int64_t number = process == UINT32_MAX ? -1 : number_in(r->containers[process].name);
        if (process == UINT32_MAX)
            continue;
        uint64_t *owner = number < 0 ? NULL : pithi_map_at(&taken, (uint64_t)number);
        keeps = owner && (*owner == 0 || *owner == process + UINT64_C(1));
        if (owner)
            *owner = process + UINT64_C(1);
    }
    for (uint32_t i = 0; err == PITH_OK && i < r->container_count; i++) {
        struct container *c = &r->containers[i];
        char name[2 * NAME];
        if (!is_lane(r, i))
            continue;
        if (r->is_own) {
            err = make_own_lane(r, c);
            continue;
        }
        uint32_t process = process_of(r, i);
        uint64_t *rank = pithi_map_at(&ranks, process), *thread;
        if (!rank)
            TRY(pithi_no_memory());
        if (!*rank)
            *rank = keeps ? (uint64_t)number_in(r->containers[process].name) + 1 : ++next;
        c->rank = (int32_t)(*rank - 1);
        if (!(thread = pithi_map_at(&threads, *rank)))
            TRY(pithi_no_memory());
        snprintf(name, sizeof name, process == i ? "%s" : "%s: %s",
                 process == i ? c->name : r->containers[process].name, c->name);
        err = pithi_writer_lane(r->writer, c->rank, (uint32_t)(*thread)++, name, &c->lane);
    }
out:
    pithi_map_free(&ranks);
    pithi_map_free(&threads);
    pithi_map_free(&taken);
    return err;
}

/* ---- Links to messages ------------------------------------------------------------------------------------------- */

struct waiting {
    struct link_end *all;
    uint32_t first, count, room;
};

static int add_message(struct paje_reader *r, const struct link_end *start, const struct link_end *end)
{
    struct link_end both[2] = {*start, *end};
    uint64_t rank = (uint64_t)(uint32_t)r->containers[end->container].rank;
    return pithi_sorter_add(r->messages, &(struct pithi_sort_key){{rank, pithi_sort_time(start->time_ns), start->seq}},
                            both, sizeof both);
}

/* Ends with the same key are matched in the order of the file. */
static int match_links(struct paje_reader *r)
{
    struct waiting waiting[2] = {{0}, {0}}; /* starts, ends */
    struct pithi_sorted item;
    struct link_end end;
    uint64_t key = 0;
    int status, err = PITH_OK;
    TRY(pithi_sorter_end(r->ends));
    while (err == PITH_OK && (status = pithi_sorter_next(r->ends, &item)) == 1) {
        if (item.key.word[0] != key)
            for (int i = 0; i < 2; i++) {
                r->lone_links += waiting[i].count - waiting[i].first;
                waiting[i].first = waiting[i].count = 0;
            }
        key = item.key.word[0];
        memcpy(&end, item.data, sizeof end);
        struct waiting *partners = &waiting[!end.is_end], *same = &waiting[end.is_end];
        if (partners->first < partners->count) {
            const struct link_end *partner = &partners->all[partners->first++];
            err = add_message(r, end.is_end ? partner : &end, end.is_end ? &end : partner);
        } else if (pithi_grow(&same->all, same->count, &same->room, sizeof *same->all)) {
            same->all[same->count++] = end;
        } else {
            err = pithi_no_memory();
        }
    }
    for (int i = 0; i < 2; i++)
        r->lone_links += waiting[i].count - waiting[i].first;
    if (err == PITH_OK && status < 0)
        err = PITH_ERR_IO;
out:
    free(waiting[0].all);
    free(waiting[1].all);
    return err;
}

/* The receives of a rank are numbered in the order of sending, so that each matches its own message. */
static int number_messages(struct paje_reader *r)
{
    uint64_t rank = UINT64_MAX, posted = 0;
    struct pithi_sorted item;
    int status;
    CHECK(match_links(r));
    CHECK(pithi_sorter_end(r->messages));
    while ((status = pithi_sorter_next(r->messages, &item)) == 1) {
        struct link_end both[2];
        memcpy(both, item.data, sizeof both);
        posted = item.key.word[0] == rank ? posted + 1 : 0;
        rank = item.key.word[0];
        for (int i = 0; i < 2; i++) {
            struct message_end end = {.peer = r->containers[both[!i].container].rank,
                                      .tag = both[!both[0].has_tag].tag,
                                      .bytes = both[0].bytes ? both[0].bytes : both[1].bytes,
                                      .posted = posted};
            CHECK(pithi_sorter_add(r->numbered, &(struct pithi_sort_key){{both[i].seq}}, &end, sizeof end));
        }
    }
    if (status == 0)
        CHECK(pithi_sorter_end(r->numbered));
    if (status == 0)
        status = r->has_next = pithi_sorter_next(r->numbered, &r->next_end);
    return status < 0 ? PITH_ERR_IO : PITH_OK;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int add(struct paje_reader *r, uint32_t container, uint32_t kind, uint32_t id)
{
    return pithi_reorder_add(
        &r->reorder,
        &(struct pithlog_record){
            .time_ns = r->time_ns, .lane = r->containers[container].lane, .kind = kind, .id = id, .peer = -1});
}

static int find_stack(struct paje_reader *r, uint32_t container, uint32_t type, struct stack **stack)
{
    uint64_t *known = pithi_map_at(&r->stack_numbers, pithi_map_pair(container, type));
    if (!known || (!*known && !pithi_grow(&r->stacks, r->stack_count, &r->stack_room, sizeof *r->stacks)))
        return pithi_no_memory();
    if (!*known) {
        r->stacks[r->stack_count] = (struct stack){.next = r->containers[container].stacks};
        *known = r->containers[container].stacks = ++r->stack_count;
    }
    *stack = &r->stacks[*known - 1];
    return PITH_OK;
}

static int end_states(struct paje_reader *r, uint32_t container, struct stack *stack, uint32_t left)
{
    while (stack->count > left)
        CHECK(add(r, container, PITHLOG_LEAVE, stack->ids[--stack->count]));
    return PITH_OK;
}

static int take_state(struct paje_reader *r, enum event_kind kind)
{
    uint32_t container, type, value;
    struct stack *stack = NULL;
    CHECK(find_container(r, F_CONTAINER, "Container", &container));
    CHECK(find_type(r, STATE_TYPE, &type));
    CHECK(find_stack(r, container, type, &stack));
    if (kind == POP_STATE) {
        r->lone_pops += stack->count == 0;
        return end_states(r, container, stack, stack->count ? stack->count - 1 : 0);
    }
    if (kind != PUSH_STATE)
        CHECK(end_states(r, container, stack, 0));
    if (kind == RESET_STATE)
        return PITH_OK;
    CHECK(needs(r, F_VALUE, "Value"));
    CHECK(find_state(r, type, r->at[F_VALUE], r->at[F_VALUE], &value));
    if (!pithi_grow(&stack->ids, stack->count, &stack->room, sizeof *stack->ids))
        return pithi_no_memory();
    stack->ids[stack->count++] = r->values[value].def;
    return add(r, container, PITHLOG_ENTER, r->values[value].def);
}

static int destroy(struct paje_reader *r)
{
    uint32_t container;
    CHECK(find_container(r, F_NAME, "Name", &container));
    if (container == UINT32_MAX || !is_lane(r, container))
        return PITH_OK;
    for (uint32_t i = r->containers[container].stacks; i; i = r->stacks[i - 1].next)
        CHECK(end_states(r, container, &r->stacks[i - 1], 0));
    return PITH_OK;
}

static int take_variable(struct paje_reader *r, enum event_kind kind)
{
    struct pithlog_record record = {.time_ns = r->time_ns, .kind = PITHLOG_COUNTER, .peer = -1};
    uint32_t container, type;
    char *end;
    CHECK(find_container(r, F_CONTAINER, "Container", &container));
    CHECK(find_type(r, VARIABLE_TYPE, &type));
    CHECK(needs(r, F_VALUE, "Value"));
    double value = strtod(r->at[F_VALUE], &end);
    if (*end || end == r->at[F_VALUE])
        return wrong(r, "this is no value of a variable", r->at[F_VALUE]);
    uint64_t *known = pithi_map_at(&r->sum_numbers, pithi_map_pair(container, type));
    if (!known || (!*known && !pithi_grow(&r->sums, r->sum_count, &r->sum_room, sizeof *r->sums)))
        return pithi_no_memory();
    if (!*known) {
        r->sums[r->sum_count] = 0;
        *known = ++r->sum_count;
    }
    double *sum = &r->sums[*known - 1];
    *sum = kind == SET_VARIABLE ? value : kind == ADD_VARIABLE ? *sum + value : *sum - value;
    record.value = *sum;
    record.lane = r->containers[container].lane;
    record.id = r->types[type].def - 1;
    return pithi_reorder_add(&r->reorder, &record);
}

static int take_event(struct paje_reader *r)
{
    struct pithlog_record record = {.time_ns = r->time_ns, .kind = PITHLOG_EVENT, .peer = -1};
    unsigned char payload[2 + 65536];
    uint32_t container, type;
    CHECK(find_container(r, F_CONTAINER, "Container", &container));
    CHECK(find_type(r, EVENT_TYPE, &type));
    const struct type *t = &r->types[type];
    const char *text = r->at[F_VALUE] ? r->at[F_VALUE] : "";
    record.lane = r->containers[container].lane;
    if (t->own) {
        record.kind = t->own;
        if (t->own == PITHLOG_LOST)
            pithi_text_u64(text, &record.bytes);
        return pithi_reorder_add(&r->reorder, &record);
    }
    record.id = t->def - 1;
    size_t size = strnlen(text, sizeof payload - 3);
    memcpy(payload + 2, text, size);
    payload[2 + size] = 0;
    if (r->is_own)
        size = pithi_unescape((char *)payload + 2);
    if (*text && !(size == strlen(t->name) && memcmp(payload + 2, t->name, size) == 0)) {
        payload[0] = (unsigned char)(size >> 8);
        payload[1] = (unsigned char)size;
        record.payload = payload;
        record.payload_bytes = (uint32_t)size + 2;
    }
    return pithi_reorder_add(&r->reorder, &record);
}

/* The partners of the ends of links are known from between the passes. */
static int take_link(struct paje_reader *r, enum event_kind kind)
{
    struct message_end end;
    uint32_t container, comm = 0;
    CHECK(find_container(r, kind == END_LINK ? F_END : F_START, "container", &container));
    if (!r->has_next || r->next_end.key.word[0] != r->seq)
        return PITH_OK;
    memcpy(&end, r->next_end.data, sizeof end);
    int status = pithi_sorter_next(r->numbered, &r->next_end);
    r->has_next = status == 1;
    if (status < 0)
        return PITH_ERR_IO;
    if (r->is_own && r->at[F_VALUE] && strcmp(r->at[F_VALUE], "MPI_COMM_WORLD") != 0) { /* the communicator */
        char *name = kept(r, r->at[F_VALUE]);
        if (!name)
            return pithi_no_memory();
        int err =
            pithi_writer_comm(r->writer, &(struct pithlog_comm){.key = hash_of(1, name) | 1, .name = name}, &comm);
        free(name);
        CHECK(err);
    }
    return pithi_reorder_add(&r->reorder,
                             &(struct pithlog_record){.time_ns = r->time_ns,
                                                      .lane = r->containers[container].lane,
                                                      .kind = kind == END_LINK ? PITHLOG_RECV : PITHLOG_SEND,
                                                      .comm = comm,
                                                      .peer = end.peer,
                                                      .tag = end.tag,
                                                      .bytes = end.bytes,
                                                      .posted = kind == END_LINK ? end.posted : 0});
}

static int take_record(struct paje_reader *r, enum event_kind kind)
{
    switch (kind) {
    case DESTROY:
        return destroy(r);
    case NEW_EVENT:
        return take_event(r);
    case SET_STATE:
    case PUSH_STATE:
    case POP_STATE:
    case RESET_STATE:
        return take_state(r, kind);
    case SET_VARIABLE:
    case ADD_VARIABLE:
    case SUB_VARIABLE:
        return take_variable(r, kind);
    case START_LINK:
    case END_LINK:
        return take_link(r, kind);
    default:
        return PITH_OK;
    }
}

static int second_pass(struct paje_reader *r)
{
    enum event_kind kind;
    int status, err = PITH_OK;
    char *line;
    pithi_lines_rewind(&r->lines);
    for (r->seq = 0; err == PITH_OK && (status = next_line(r, &line)) > 0; r->seq++)
        if (*line != '%' && (err = settle(r, cut_event(r, line, &kind))) == PITH_OK)
            err = settle(r, take_record(r, kind));
    if (err == PITH_OK && status < 0)
        err = PITH_ERR_MEMORY;
    return err == PITH_OK ? pithi_reorder_end(&r->reorder) : err;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static void free_all(struct paje_reader *r)
{
    for (uint32_t i = 0; i < r->type_count; i++)
        free(r->types[i].name);
    for (uint32_t i = 0; i < r->container_count; i++)
        free(r->containers[i].name);
    for (uint32_t i = 0; i < r->stack_count; i++)
        free(r->stacks[i].ids);
    free(r->events);
    free(r->types);
    free(r->values);
    free(r->containers);
    free(r->stacks);
    free(r->sums);
    free(r->line.data);
    pithi_map_free(&r->event_numbers);
    pithi_map_free(&r->type_numbers);
    pithi_map_free(&r->value_numbers);
    pithi_map_free(&r->container_numbers);
    pithi_map_free(&r->stack_numbers);
    pithi_map_free(&r->sum_numbers);
    pithi_sorter_free(r->ends);
    pithi_sorter_free(r->messages);
    pithi_sorter_free(r->numbered);
    pithi_reorder_free(&r->reorder);
}

int pithi_paje_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct paje_reader r = {.input = input,
                            .writer = writer,
                            .lines = {.input = input, .size = input->size},
                            .reorder = {.writer = writer}};
    int err;
    TRY(pithi_sorter_new(&r.ends, MEMORY));
    TRY(pithi_sorter_new(&r.messages, MEMORY));
    TRY(pithi_sorter_new(&r.numbered, MEMORY));
    TRY(first_pass(&r));
    TRY(make_lanes(&r));
    TRY(number_messages(&r));
    TRY(second_pass(&r));
    if (pithi_ends_in_line(input))
        TRY(pithi_ends_here(writer, input, "inside a line"));
    TRY(pithi_say_count(writer, "paje_events_left_out", r.other_events));
    TRY(pithi_say_count(writer, "paje_ends_without_state", r.lone_pops));
    TRY(pithi_say_count(writer, "paje_links_without_partner", r.lone_links));
    TRY(pithi_say_count(writer, "paje_late_records", r.reorder.late));
out:
    free_all(&r);
    return err;
}

/* A file begins with definitions of events; comments may stand before. */
int pithi_paje_probe(const struct pithi_input *input)
{
    static const char start[] = "%EventDef";
    struct pithi_input quiet = {.path = input->path, .data = input->data, .size = input->size};
    struct pithi_lines lines = {.input = &quiet, .size = input->data ? input->size : 0};
    const char *line;
    size_t size;
    for (int i = 0; i < 64 && pithi_lines_next(&lines, &line, &size); i++) {
        while (size > 0 && is_blank(*line))
            line++, size--;
        if (size == 0 || *line == '#' || *line == '\r')
            continue;
        return size > strlen(start) && memcmp(line, start, strlen(start)) == 0 && is_blank(line[strlen(start)]);
    }
    return 0;
}
