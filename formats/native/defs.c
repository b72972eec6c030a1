/* defs.c - a set of definitions and properties, and its bytes (the payload of a DEFS chunk).
 *
 * A definition is identified by its kind and name. Each rank numbers its own definitions. The set of a job gives equal
 * definitions one number, and each rank's numbers are translated when its segment is written:
 *
 *     rank 0      0 compute, 1 MPI_Send                ids in the log  0, 1
 *     rank 1      0 compute, 1 MPI_Recv                                0, 2
 *
 * The first rank that adds a definition also decides its colour, group and format. A set only grows, because records
 * may already contain any id that was given out. (pithi_defs_remove is for sets that are still being put together,
 * before any record has an id from them.) */
#include "native/defs.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "native/event_numbers.h"

/* ---- Hosts and communicators ------------------------------------------------------------------------------------- */

/* The tables of hosts and communicators of a log. Host 0 is "", for lanes whose host is unknown; communicator 0 is the
 * world, with the key 0. */

int pithi_places_begin(struct pithi_places *places)
{
    uint32_t index;
    return pithi_places_host(places, "", &index) &&
           pithi_places_comm(places, &(struct pithlog_comm){.name = "MPI_COMM_WORLD"}, 0, &index);
}

void pithi_places_free(struct pithi_places *places)
{
    for (uint32_t i = 0; i < places->host_count; i++)
        free(places->hosts[i]);
    for (uint32_t i = 0; i < places->comm_count; i++)
        free(places->comms[i].name);
    free(places->hosts);
    free(places->comms);
    pithi_map_free(&places->host_map);
    pithi_map_free(&places->comm_map);
    *places = (struct pithi_places){0};
}

/* ---- Hosts ------------------------------------------------------------------------------------------------------- */

/* Returns 1 if the host was found, and sets *index; else returns 0, and sets *key to a key that is free for it. Two
 * names may have one hash: the second one then has the next number as its key. */
static int find_host(const struct pithi_places *places, const char *host, uint64_t *key, uint32_t *index)
{
    for (*key = pithi_hash_text(PITHI_HASH, host); pithi_map_get(&places->host_map, *key, index); ++*key)
        if (strcmp(places->hosts[*index], host) == 0)
            return 1;
    return 0;
}

int pithi_places_find_host(const struct pithi_places *places, const char *host, uint32_t *index)
{
    uint64_t key;
    return find_host(places, host, &key, index);
}

int pithi_places_host(struct pithi_places *places, const char *host, uint32_t *index)
{
    uint64_t key;
    if (find_host(places, host, &key, index))
        return 1;
    /* All that can fail comes before the host is counted, so a failure leaves the table as it was. */
    char *copy = strdup(host);
    if (!copy || !pithi_grow(&places->hosts, places->host_count, &places->host_room, sizeof *places->hosts) ||
        !pithi_map_put(&places->host_map, key, places->host_count)) {
        free(copy);
        return 0;
    }
    *index = places->host_count;
    places->hosts[places->host_count++] = copy;
    return 1;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

int pithi_places_find_comm(const struct pithi_places *places, uint64_t key, uint32_t *index)
{
    return pithi_map_get(&places->comm_map, key, index);
}

/* Finds or adds a communicator by its key, which all members know. The last name that is not empty counts, as a program
 * may name a communicator late. The first size counts, with the rank that gave it (`teller`). */
int pithi_places_comm(struct pithi_places *places, const struct pithlog_comm *comm, int32_t teller, uint32_t *index)
{
    if (!pithi_places_find_comm(places, comm->key, index)) {
        uint64_t key = comm->key;
        char *name = strdup("");
        if (!name || !pithi_grow(&places->comms, places->comm_count, &places->comm_room, sizeof *places->comms) ||
            !pithi_map_put(&places->comm_map, key, places->comm_count)) {
            free(name);
            return 0;
        }
        *index = places->comm_count;
        places->comms[places->comm_count++] = (struct pithi_place_comm){.key = key, .name = name};
    }
    struct pithi_place_comm *c = &places->comms[*index];
    if (comm->name && *comm->name && strcmp(comm->name, c->name) != 0) {
        char *name = strdup(comm->name);
        if (!name)
            return 0;
        free(c->name);
        c->name = name;
    }
    if (comm->size > 0 && c->size == 0) {
        c->size = comm->size;
        c->remote_size = comm->remote_size;
        c->teller = teller;
    }
    return 1;
}

/* ---- As bytes ---------------------------------------------------------------------------------------------------- */

/* Appends the tables to `out`. Returns 0 if there is no memory. */
static int pack_places(const struct pithi_places *places, struct pithi_buffer *out)
{
    int ok = pithi_buffer_varint(out, places->host_count);
    /* Strings have their size in front, and numbers are varints: 7 bits in each byte. */
    for (uint32_t i = 0; ok && i < places->host_count; i++)
        ok = pithi_buffer_string(out, places->hosts[i]);
    ok = ok && pithi_buffer_varint(out, places->comm_count);
    for (uint32_t i = 0; ok && i < places->comm_count; i++) {
        const struct pithi_place_comm *c = &places->comms[i];
        unsigned char key[8];
        pithi_put64(key, c->key);
        ok = pithi_buffer_add(out, key, sizeof key) && pithi_buffer_string(out, c->name) &&
             pithi_buffer_varint(out, (uint32_t)c->size) && pithi_buffer_varint(out, (uint32_t)c->remote_size) &&
             pithi_buffer_varint(out, pithi_zigzag(c->teller));
    }
    return ok;
}

/* unpack_host and unpack_comm read one entry each and return the byte after it, or NULL with *err: damage or no
 * memory. */
static const unsigned char *unpack_host(struct pithi_places *places, const unsigned char *p, const unsigned char *end,
                                        int *err)
{
    char *host = NULL;
    uint32_t index;
    *err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_string(p, end, &host)))
        return NULL;
    *err = pithi_places_host(places, host, &index) ? PITH_OK : PITH_ERR_MEMORY;
    free(host);
    return *err == PITH_OK ? p : NULL;
}

static const unsigned char *unpack_comm(struct pithi_places *places, const unsigned char *p, const unsigned char *end,
                                        int *err)
{
    struct pithlog_comm comm = {0};
    uint64_t size, remote, teller;
    char *name = NULL;
    uint32_t index;
    *err = PITH_ERR_DAMAGED;
    if (end - p < 8)
        return NULL;
    comm.key = pithi_get64(p);
    if (!(p = pithi_get_string(p + 8, end, &name)))
        return NULL;
    if ((p = pithi_get_varint(p, end, &size)) && (p = pithi_get_varint(p, end, &remote)) &&
        (p = pithi_get_varint(p, end, &teller)) && size <= INT32_MAX && remote <= INT32_MAX && teller <= UINT32_MAX) {
        comm.name = name;
        comm.size = (int32_t)size;
        comm.remote_size = (int32_t)remote;
        *err = pithi_places_comm(places, &comm, (int32_t)pithi_unzigzag(teller), &index) ? PITH_OK : PITH_ERR_MEMORY;
    }
    free(name);
    return *err == PITH_OK ? p : NULL;
}

struct property {
    char *key, *value; /* malloc'ed */
};

struct pithi_defs {
    struct pithlog_def *defs; /* the strings of each are one allocation that begins with its name */
    uint32_t count, room;
    struct property *properties; /* [property_count] in order of adding */
    uint32_t property_count, property_room;
    uint32_t *slots; /* hash of (kind, name): id + 1, 0 = free */
    uint32_t slot_count;
    uint32_t *property_slots; /* by key; twice as many as there is room for properties */
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
    uint64_t hash = pithi_hash_bytes(PITHI_HASH ^ (uint32_t)kind, name, size);
    return (uint32_t)(hash ^ hash >> 32);
}

/* Returns the slot that has (kind, name), or the free slot that would get it. At most half of the slots are taken, so
 * the search ends at a free one. */
static uint32_t *find(const struct pithi_defs *s, int kind, const struct pithi_slice *name)
{
    uint32_t at = hash_of(kind, name->text, name->size) & (s->slot_count - 1);
    while (s->slots[at]) {
        const struct pithlog_def *d = &s->defs[s->slots[at] - 1];
        if ((int)d->kind == kind && strncmp(d->name, name->text, name->size) == 0 && d->name[name->size] == '\0')
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

/* Doubles the room. The slots are filled anew, since the slot of a definition depends on the number of slots. */
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

/* Adds a definition, or finds the existing one with this kind and name, which keeps its colour, group and format.
 * `text` holds name, colour, group and format. */
static int add(struct pithi_defs *s, enum pithlog_def_kind kind, const struct pithi_slice text[4], uint32_t *id)
{
    /* Grows before the search, because growing moves the slots. */
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
            s->defs[kept++] = s->defs[i]; /* definitions after a removed one get a lower id */
    }
    if (kept == s->count)
        return;
    /* Fills all slots anew: with open addressing, an entry cannot be removed alone, because the search for another
     * entry may pass over its slot. */
    s->count = kept;
    memset(s->slots, 0, s->slot_count * sizeof *s->slots);
    fill_slots(s);
}

/* Returns the slot that has the key, or the free slot that would get it. */
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

/* Sets a property. If the key exists, its value only changes if `replace` is set. If the value is replaced, the key
 * stays in the same memory. */
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

int pithi_defs_new_property(struct pithi_defs *s, const char *key, const char *value)
{
    return set_property(s, key, value, 0);
}

/* If several ranks have a property, the last value counts. But a property with MPE's numbers of a state or an event
 * keeps its first value. */
int pithi_defs_property_of_many(struct pithi_defs *s, const char *key, const char *value)
{
    int32_t numbers[2];
    return set_property(s, key, value, pithi_event_numbers(key, numbers) == 0);
}

/* ---- As bytes ---------------------------------------------------------------------------------------------------- */

/* A log with the state "solve" of group "user", no properties, one host without a name and the world of one rank:
 *
 *     00 01                                the first id, the number of definitions
 *     00 05 s o l v e 00 04 u s e r 00     kind (a state), name, colour "", group, format ""
 *     00                                   no properties
 *     01 00                                one host, ""
 *     01 00 00 00 00 00 00 00 00           one communicator, with the key 0
 *     0e M P I _ C O M M _ W O R L D 01 00 00     its name, size 1, no remote group, described by rank 0 */
int pithi_defs_pack_from(const struct pithi_defs *s, uint32_t first, void **data, size_t *size)
{
    struct pithi_buffer out = {0};
    int ok = pithi_buffer_varint(&out, first) && pithi_buffer_varint(&out, s->count - first);
    for (uint32_t i = first; ok && i < s->count; i++) {
        const struct pithlog_def *d = &s->defs[i];
        ok = pithi_buffer_varint(&out, (uint64_t)d->kind) && pithi_buffer_string(&out, d->name) &&
             pithi_buffer_string(&out, d->colour) && pithi_buffer_string(&out, d->group) &&
             pithi_buffer_string(&out, d->format);
    }
    ok = ok && pithi_buffer_varint(&out, s->property_count);
    for (uint32_t i = 0; ok && i < s->property_count; i++)
        ok = pithi_buffer_string(&out, s->properties[i].key) && pithi_buffer_string(&out, s->properties[i].value);
    /* Only a whole set has hosts and communicators. Bytes that begin with a later id have two empty tables instead. */
    ok = ok &&
         (first == 0 ? pack_places(&s->places, &out) : pithi_buffer_varint(&out, 0) && pithi_buffer_varint(&out, 0));
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

/* Reads one definition and adds it to the set. Returns the byte after it; or NULL, with the reason in *err. */
static const unsigned char *unpack_def(struct pithi_defs *s, const unsigned char *p, const unsigned char *end,
                                       uint32_t *id, int *err)
{
    struct pithi_slice text[4];
    uint64_t kind;
    *err = PITH_ERR_DAMAGED;
    /* A definition of an unknown kind, from a later version, cannot be skipped, as its size is not known. */
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
        n > (uint64_t)(end - p) / 5) /* a definition has at least five bytes */
        goto out;
    if (!(map = malloc((size_t)(n ? n : 1) * sizeof *map))) { /* malloc(0) may return NULL */
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
    /* Entries have no stated size: each host and communicator is read from where the one before it ended. */
    uint64_t entries;
    err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_varint(p, end, &entries)))
        goto out;
    /* In a damaged file, `entries` may be any number; the loop then fails where the bytes end. */
    for (uint64_t i = 0; i < entries; i++)
        if (!(p = unpack_host(&s->places, p, end, &err)))
            goto out;
    err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_varint(p, end, &entries)))
        goto out;
    for (uint64_t i = 0; i < entries; i++)
        if (!(p = unpack_comm(&s->places, p, end, &err)))
            goto out;
    /* The results are set only now, so that a caller sees nothing of a damaged part. */
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

/* ---- Incomplete logs --------------------------------------------------------------------------------------------- */

const char *pithi_incomplete_reason(const struct pithi_defs *defs)
{
    const char *key, *value;
    for (uint32_t i = 0; (key = pithi_defs_get_property(defs, i, &value)) != NULL; i++)
        if (strcmp(key, PITHI_INCOMPLETE) == 0)
            return value;
    return NULL;
}

int pithi_incomplete(struct pithi_defs *defs, const char *format, ...)
{
    /* Several reasons are joined: "rank 3 has no file; the file ends early". The earlier reasons get at most half of
     * `text`, so that the last reason has room. */
    const char *before = pithi_incomplete_reason(defs);
    char text[1024];
    int used = before ? snprintf(text, sizeof text / 2, "%s; ", before) : 0;
    if (used >= (int)sizeof text / 2) /* no more reasons are added */
        return PITH_OK;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
    va_end(arguments);
    return pithi_defs_property(defs, PITHI_INCOMPLETE, text);
}
