/* defs.c - a set of definitions and properties, and its bytes (the payload of a DEFS chunk). */
#include "native/defs.h"

#include "error.h"
#include "event_numbers.h"
#include "native/bytes.h"

struct property {
    char *key, *value;
};

struct pithi_defs {
    struct pithlog_def *defs; /* the strings of each are ours, in one piece of memory that begins with its name */
    uint32_t count, room;
    struct property *properties;
    uint32_t property_count, property_room;
    uint32_t *slots; /* hash of (kind, name): id + 1, 0 = free */
    uint32_t slot_count;
    uint32_t *property_slots; /* the same of keys; twice as many as there is room for properties */
    struct pithi_places places;
};

int pithi_defs_new(struct pithi_defs **defs)
{
    *defs = calloc(1, sizeof **defs);
    if (*defs && pithi_places_begin(&(*defs)->places))
        return PITH_OK;
    pithi_defs_free(*defs);
    *defs = NULL;
    return pithi_fail(PITH_ERR_MEMORY, "no memory for definitions");
}

static void free_def(struct pithlog_def *d) { free((char *)(uintptr_t)d->name); }

void pithi_defs_free(struct pithi_defs *defs)
{
    if (!defs)
        return;
    for (uint32_t i = 0; i < defs->count; i++)
        free_def(&defs->defs[i]);
    for (uint32_t i = 0; i < defs->property_count; i++) {
        free(defs->properties[i].key);
        free(defs->properties[i].value);
    }
    free(defs->defs);
    free(defs->properties);
    free(defs->slots);
    free(defs->property_slots);
    pithi_places_free(&defs->places);
    free(defs);
}

uint32_t pithi_defs_count(const struct pithi_defs *defs) { return defs->count; }

const struct pithlog_def *pithi_defs_get(const struct pithi_defs *defs, uint32_t id)
{
    return id < defs->count ? &defs->defs[id] : NULL;
}

const char *pithi_defs_get_property(const struct pithi_defs *defs, uint32_t index, const char **value)
{
    if (index >= defs->property_count)
        return NULL;
    if (value)
        *value = defs->properties[index].value;
    return defs->properties[index].key;
}

struct pithi_places *pithi_defs_places(struct pithi_defs *defs) { return &defs->places; }

int pithi_defs_host(struct pithi_defs *defs, const char *host)
{
    uint32_t index;
    return pithi_places_host(&defs->places, host ? host : "", &index)
               ? PITH_OK
               : pithi_fail(PITH_ERR_MEMORY, "no memory for the names of hosts");
}

int pithi_defs_comm(struct pithi_defs *defs, const struct pithlog_comm *comm, int32_t teller)
{
    uint32_t index;
    return pithi_places_comm(&defs->places, comm, teller, &index)
               ? PITH_OK
               : pithi_fail(PITH_ERR_MEMORY, "no memory for communicators");
}

static uint32_t hash_of(int kind, const char *name, size_t size)
{
    uint32_t h = 2166136261u ^ (uint32_t)kind;
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

static int is_same(const char *string, const struct pithi_slice *text)
{
    return strncmp(string, text->text, text->size) == 0 && string[text->size] == '\0';
}

/* The slot where (kind, name) is or belongs. */
static uint32_t *find(const struct pithi_defs *s, int kind, const struct pithi_slice *name)
{
    uint32_t at = hash_of(kind, name->text, name->size) & (s->slot_count - 1);
    while (s->slots[at]) {
        const struct pithlog_def *d = &s->defs[s->slots[at] - 1];
        if ((int)d->kind == kind && is_same(d->name, name))
            break;
        at = (at + 1) & (s->slot_count - 1);
    }
    return &s->slots[at];
}

/* Puts all definitions into empty slots. */
static void fill_slots(struct pithi_defs *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct pithi_slice name = pithi_slice(s->defs[i].name);
        *find(s, (int)s->defs[i].kind, &name) = i + 1;
    }
}

static int grow(struct pithi_defs *s)
{
    uint32_t room = s->room ? s->room * 2 : 64;
    struct pithlog_def *defs = realloc(s->defs, room * sizeof *defs);
    if (!defs)
        return 0;
    s->defs = defs;
    uint32_t *slots = calloc((size_t)room * 2, sizeof *slots);
    if (!slots)
        return 0;
    free(s->slots);
    s->slots = slots;
    s->slot_count = room * 2;
    s->room = room;
    fill_slots(s);
    return 1;
}

static char *copy_of(const char *s) { return strdup(s ? s : ""); }

/* Copies `from` to *at as a string. */
static const char *put_string(char **at, const struct pithi_slice *from)
{
    char *begin = *at;
    if (from->size)
        memcpy(begin, from->text, from->size);
    begin[from->size] = '\0';
    *at += from->size + 1;
    return begin;
}

/* text: name, colour, group, format. */
static int add(struct pithi_defs *s, enum pithlog_def_kind kind, const struct pithi_slice text[4], uint32_t *id)
{
    if (s->count == s->room && !grow(s))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for definitions");
    uint32_t *slot = find(s, (int)kind, &text[0]);
    if (*slot == 0) {
        char *at = malloc(text[0].size + text[1].size + text[2].size + text[3].size + 4);
        if (!at)
            return pithi_fail(PITH_ERR_MEMORY, "no memory for definitions");
        struct pithlog_def *d = &s->defs[s->count++];
        d->kind = kind;
        d->name = put_string(&at, &text[0]);
        d->colour = put_string(&at, &text[1]);
        d->group = put_string(&at, &text[2]);
        d->format = put_string(&at, &text[3]);
        *slot = s->count;
    }
    *id = *slot - 1;
    return PITH_OK;
}

int pithi_defs_add(struct pithi_defs *s, const struct pithlog_def *def, uint32_t *id)
{
    const struct pithi_slice text[4] = {pithi_slice(def->name), pithi_slice(def->colour), pithi_slice(def->group),
                                        pithi_slice(def->format)};
    return add(s, def->kind, text, id);
}

int pithi_defs_find(const struct pithi_defs *s, enum pithlog_def_kind kind, const char *name, uint32_t *id)
{
    struct pithi_slice text = pithi_slice(name);
    uint32_t slot = s->slot_count ? *find(s, (int)kind, &text) : 0;
    *id = slot - 1;
    return slot != 0;
}

void pithi_defs_remove(struct pithi_defs *s, const unsigned char *gone, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (i < count && gone[i])
            free_def(&s->defs[i]);
        else
            s->defs[kept++] = s->defs[i];
    }
    if (kept == s->count)
        return;
    s->count = kept;
    memset(s->slots, 0, s->slot_count * sizeof *s->slots);
    fill_slots(s);
}

/* The slot where the key is or belongs. */
static uint32_t *find_property(const struct pithi_defs *s, const char *key)
{
    uint32_t mask = s->property_room * 2 - 1, at = hash_of(0, key, strlen(key)) & mask;
    while (s->property_slots[at] && strcmp(s->properties[s->property_slots[at] - 1].key, key) != 0)
        at = (at + 1) & mask;
    return &s->property_slots[at];
}

static int grow_properties(struct pithi_defs *s)
{
    uint32_t room = s->property_room ? s->property_room * 2 : 16;
    struct property *properties = realloc(s->properties, room * sizeof *properties);
    if (!properties)
        return 0;
    s->properties = properties;
    uint32_t *slots = calloc((size_t)room * 2, sizeof *slots);
    if (!slots)
        return 0;
    free(s->property_slots);
    s->property_slots = slots;
    s->property_room = room;
    for (uint32_t i = 0; i < s->property_count; i++)
        *find_property(s, s->properties[i].key) = i + 1;
    return 1;
}

/* If `replace` is set, `value` replaces the value that the key has. */
static int set_property(struct pithi_defs *s, const char *key, const char *value, int replace)
{
    if (s->property_count == s->property_room && !grow_properties(s))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for properties");
    uint32_t *slot = find_property(s, key);
    if (*slot && !replace)
        return PITH_OK;
    struct property p = {*slot ? s->properties[*slot - 1].key : copy_of(key), copy_of(value)};
    if (!p.key || !p.value) {
        free(*slot ? NULL : p.key);
        free(p.value);
        return pithi_fail(PITH_ERR_MEMORY, "no memory for properties");
    }
    if (*slot)
        free(s->properties[*slot - 1].value);
    else
        *slot = ++s->property_count;
    s->properties[*slot - 1] = p;
    return PITH_OK;
}

int pithi_defs_property(struct pithi_defs *s, const char *key, const char *value)
{
    return set_property(s, key, value, 1);
}

int pithi_defs_property_of_many(struct pithi_defs *s, const char *key, const char *value)
{
    int32_t numbers[2];
    return set_property(s, key, value, pithi_event_numbers(key, numbers) == 0);
}

/* ---- As bytes ---------------------------------------------------------------------------------------------------- */

static int pack_def(struct pithi_buffer *out, const struct pithlog_def *d)
{
    return pithi_buffer_varint(out, (uint64_t)d->kind) && pithi_buffer_string(out, d->name) &&
           pithi_buffer_string(out, d->colour) && pithi_buffer_string(out, d->group) &&
           pithi_buffer_string(out, d->format);
}

int pithi_defs_pack_from(const struct pithi_defs *s, uint32_t first, void **data, size_t *size)
{
    struct pithi_buffer out = {0};
    int ok = pithi_buffer_varint(&out, first) && pithi_buffer_varint(&out, s->count - first);
    for (uint32_t i = first; ok && i < s->count; i++)
        ok = pack_def(&out, &s->defs[i]);
    ok = ok && pithi_buffer_varint(&out, s->property_count);
    for (uint32_t i = 0; ok && i < s->property_count; i++)
        ok = pithi_buffer_string(&out, s->properties[i].key) && pithi_buffer_string(&out, s->properties[i].value);
    ok = ok && (first == 0 ? pithi_places_pack(&s->places, &out)
                           : pithi_buffer_varint(&out, 0) && pithi_buffer_varint(&out, 0));
    if (!ok) {
        free(out.data);
        return pithi_fail(PITH_ERR_MEMORY, "no memory for definitions");
    }
    *data = out.data;
    *size = out.size;
    return PITH_OK;
}

int pithi_defs_pack(const struct pithi_defs *s, void **data, size_t *size)
{
    return pithi_defs_pack_from(s, 0, data, size);
}

/* One definition of the bytes into the set. */
static const unsigned char *unpack_def(struct pithi_defs *s, const unsigned char *p, const unsigned char *end,
                                       uint32_t *id, int *err)
{
    struct pithi_slice text[4];
    uint64_t kind;
    *err = PITH_ERR_DAMAGED;
    if ((p = pithi_get_varint(p, end, &kind)) && kind > PITHLOG_COUNTER_TYPE)
        p = NULL;
    for (int i = 0; p && i < 4; i++)
        p = pithi_get_slice(p, end, &text[i]);
    if (p)
        *err = add(s, (enum pithlog_def_kind)kind, text, id);
    return *err == PITH_OK ? p : NULL;
}

static const unsigned char *unpack_property(struct pithi_defs *s, const unsigned char *p, const unsigned char *end,
                                            int *err)
{
    char *text[2] = {0};
    *err = PITH_ERR_DAMAGED;
    for (int i = 0; p && i < 2; i++)
        p = pithi_get_string(p, end, &text[i]);
    if (p)
        *err = pithi_defs_property_of_many(s, text[0], text[1]);
    free(text[0]);
    free(text[1]);
    return *err == PITH_OK ? p : NULL;
}

int pithi_defs_unpack_from(struct pithi_defs *s, const void *data, size_t size, uint32_t *first, uint32_t *count,
                           uint32_t **ids)
{
    const unsigned char *p = data, *end = p + size;
    uint64_t from, n, properties;
    uint32_t *map = NULL;
    int err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_varint(p, end, &from)) || !(p = pithi_get_varint(p, end, &n)) || from > UINT32_MAX / 2 ||
        n > (uint64_t)(end - p) / 5) /* five bytes a definition at least */
        goto out;
    if (!(map = malloc((size_t)(n ? n : 1) * sizeof *map))) {
        err = PITH_ERR_MEMORY;
        goto out;
    }
    for (uint64_t i = 0; i < n; i++)
        if (!(p = unpack_def(s, p, end, &map[i], &err)))
            goto out;
    err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_varint(p, end, &properties)))
        goto out;
    for (uint64_t i = 0; i < properties; i++)
        if (!(p = unpack_property(s, p, end, &err)))
            goto out;
    if (!pithi_places_unpack(&s->places, p, end, &err))
        goto out;
    *first = (uint32_t)from;
    *count = (uint32_t)n;
    if (ids) {
        *ids = map;
        map = NULL;
    }
    err = PITH_OK;
out:
    free(map);
    return err == PITH_ERR_DAMAGED ? pithi_fail(err, "the definitions make no sense") : err;
}

int pithi_defs_unpack(struct pithi_defs *s, const void *data, size_t size, uint32_t **ids)
{
    uint32_t first, count;
    return pithi_defs_unpack_from(s, data, size, &first, &count, ids);
}
