/* definitions.c - the table of definitions, and definition records in the spill file.
 *
 * The table gives the id of a name, such as that of the state `compute`; a signal handler may search the table. A
 * definition record in the spill file gives readers the name of an id, and is stored before any record with this id:
 *
 *     PITHI_D_STATE, id 1, "compute", "", "user", ""        16 + 8 + 1 + 5 + 1 = 31 bytes, rounded up to 32
 *
 * The record's size is stored last, so a process that dies in between leaves a record of size 0, where readers end the
 * chunk.
 *
 * A name that the user left out (PITH_SKIP) has an entry in the table, too, with an id that is never recorded. So the
 * user's list is searched only once, even if the program defines the name a thousand times. */
#include "definitions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/hash.h"
#include "buffer.h"
#include "calibrate.h"
#include "chunks.h"
#include "native/event_numbers.h"
#include "pith.h"
#include "pith_tool.h"
#include "session.h"
#include "spill/spill_chunk.h"
#include "spill/spill_numbers.h"

/* ---- Records in the spill file ----------------------------------------------------------------------------------- */

static struct {
    char *next, *end;  /* place of the next record in the current chunk of definitions; the chunk's end */
    uint32_t next_seq; /* `seq` of the next chunk of definitions */
} chunk;               /* under the guard */

/* Begins a chunk for definitions that has room for `size` bytes. Returns 0 if the file has no more room. */
static int make_chunk(size_t size)
{
    uint64_t bytes = size + sizeof(struct pithi_chunk), usual = pithi_spill_definitions_bytes(&pithi_session.file);
    struct pithi_chunk *made;
    /* A definition that is larger than a usual chunk gets a chunk of its own, of whole pages. */
    bytes = bytes <= usual ? usual : pithi_spill_whole_pages(bytes);
    made = pithi_chunk_definitions(chunk.next_seq, bytes);
    if (made == NULL)
        return 0;
    chunk.next_seq++;
    chunk.next = (char *)(made + 1);
    chunk.end = (char *)made + bytes;
    return 1;
}

/* A piece of a definition record. */
struct piece {
    const void *data;
    size_t size;
};

/* Stores a record, its size last. Under the guard; does nothing without a spill file. */
static void store(uint16_t type, uint32_t id, const struct piece *pieces, unsigned count)
{
    struct pithi_spill_def *def;
    size_t size = sizeof *def;
    unsigned i;
    char *at;

    /* After the end of recording, only sync points of clocks are stored, because they are measured for the log being
     * written. */
    if (pithi_session.file.page == NULL || (pithi_session.state == PITHI_OVER && type != PITHI_D_SYNC))
        return;
    for (i = 0; i < count; i++)
        size += pieces[i].size;
    size = (size + 7) & ~(size_t)7;
    /* Without room the definition counts as one lost record. */
    if (size > UINT32_MAX || (size > (size_t)(chunk.end - chunk.next) && !make_chunk(size))) {
        pithi_lost_add(1);
        return;
    }
    def = (void *)chunk.next;
    def->type = type;
    def->id = id;
    at = chunk.next + sizeof *def;
    for (i = 0; i < count; i++) {
        if (pieces[i].size > 0)
            memcpy(at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
    }
    chunk.next += size;
    /* The check value covers the record except its size, which is stored after the check value. */
    def->check = pithi_spill_def_check(def, (uint32_t)size);
    __atomic_store_n(&def->size_bytes, (uint32_t)size, __ATOMIC_RELEASE);
    __atomic_add_fetch(&pithi_session.file.page->definitions, 1, __ATOMIC_RELEASE);
}

static struct piece text(const char *string)
{
    struct piece piece = {string != NULL ? string : "", string != NULL ? strlen(string) + 1 : 1};
    return piece;
}

/* ---- The table: entries in order of ids, found by a hash of kind and name ---------------------------------------- */

struct entry {
    struct entry *chain; /* the next entry in the same bucket */
    uint64_t hash;
    uint32_t id;
    uint16_t type;
    char *name, *colour, *group, *format; /* in the same allocation as the entry */
};

static struct entry *first_buckets[256], **buckets = first_buckets; /* their number is a power of two */
/* bucket_count: number of buckets; chained: number of entries in them, at most bucket_count */
static size_t bucket_count = 256, chained;
static struct entry **entries; /* all entries, by id; [0] is unused */
static uint32_t entry_count, entry_room;

static uint64_t hash_of(uint16_t type, const char *name)
{
    uint64_t hash = pithi_hash_text(PITHI_HASH ^ type, name);
    return hash ^ hash >> 32;
}

static void store_entry(uint32_t id)
{
    const struct entry *entry = entries[id];
    struct piece pieces[4] = {text(entry->name), text(entry->colour), text(entry->group), text(entry->format)};
    store(entry->type, id, pieces, 4);
}

enum { ARENA_BYTES = 65536 }; /* a block of text at a time */

/* Returns memory for the table, which is never freed, because handlers may hold the names. Returns NULL if there is no
 * memory. A signal handler that interrupted malloc may define a state, so the memory comes from the system. The first
 * part is static, so that a process without address space can still define its states. */
static void *take(size_t size)
{
    static char first[ARENA_BYTES] __attribute__((aligned(16)));
    static char *next = first;
    static size_t left = sizeof first;
    void *taken;

    size = (size + 15) & ~(size_t)15;
    if (size > left) {
        size_t room = size > ARENA_BYTES ? size : ARENA_BYTES;
        char *more = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return NULL;
        next = more;
        left = room;
    }
    taken = next;
    next += size;
    left -= size;
    return taken;
}

static char *append(char **at, const char *string)
{
    char *begin = *at;
    size_t size = strlen(string) + 1;
    memcpy(begin, string, size);
    *at += size;
    return begin;
}

_Static_assert(PITH_LEFT_OUT_ == PITHI_WORD_ID_MAX + 1 && PITH_LEFT_OUT_ <= PITHI_WORD_ID_MASK,
               "pith.h keeps the id for what is left out that spill.h does");

/* Makes room for one more id. */
static int widen(void)
{
    uint32_t room = entry_room == 0 ? 256 : entry_room * 2;
    struct entry **more;
    if (entry_count + 1 < entry_room)
        return 1;
    more = take(room * sizeof(struct entry *));
    if (more == NULL)
        return 0;
    if (entries != NULL)
        memcpy(more, entries, entry_room * sizeof(struct entry *));
    entries = more;
    entry_room = room;
    return 1;
}

static void chain(struct entry *entry)
{
    struct entry **bucket;
    if (chained == bucket_count) {
        /* Doubles the buckets, so that look-ups stay fast with many names. Without memory, the chains get longer. The
         * old buckets are not freed, because a handler may be going through them. */
        size_t count = bucket_count * 2, b;
        struct entry **more = take(count * sizeof(struct entry *)), *moved, *next;
        if (more != NULL) {
            for (b = 0; b < bucket_count; b++)
                for (moved = buckets[b]; moved != NULL; moved = next) {
                    next = moved->chain;
                    moved->chain = more[moved->hash & (count - 1)];
                    more[moved->hash & (count - 1)] = moved;
                }
            buckets = more;
            bucket_count = count;
        }
    }
    bucket = &buckets[entry->hash & (bucket_count - 1)];
    entry->chain = *bucket;
    *bucket = entry;
    chained++;
}

/* Returns the id of a new entry, or 0. An excluded entry is stored too, with the id PITH_LEFT_OUT_, so that the same
 * name gives the same answer. */
static uint32_t add_entry(uint16_t type, uint64_t hash, const char *const strings[4])
{
    /* The group of MPE's event numbers is always stored: their names become known later, and the merge then applies
     * PITH_ONLY and PITH_SKIP to them. */
    int selected = strcmp(strings[2], PITHI_NUMBERS_GROUP) == 0 || pith_selected(strings[0], strings[2]);
    struct entry *entry;
    char *at;
    size_t size = sizeof *entry;
    int i;

    /* Does everything that can fail first, so that no entry is half made if there is no memory. */
    if (selected && (entry_count >= PITHI_WORD_ID_MAX || !widen()))
        return 0;
    for (i = 0; i < 4; i++)
        size += strlen(strings[i]) + 1;
    entry = take(size);
    if (entry == NULL)
        return 0;
    at = (char *)(entry + 1);
    entry->hash = hash;
    entry->type = type;
    entry->name = append(&at, strings[0]);
    entry->colour = append(&at, strings[1]);
    entry->group = append(&at, strings[2]);
    entry->format = append(&at, strings[3]);
    chain(entry);
    entry->id = PITH_LEFT_OUT_;
    if (selected) {
        entries[++entry_count] = entry;
        entry->id = entry_count;
    }
    return entry->id;
}

/* Returns the number of edits (insert, delete, replace) between two names, ignoring case: Levenshtein's distance. */
static unsigned edits_between(const char *a, const char *b)
{
    unsigned row[64], size = (unsigned)strlen(b), i, j;
    if (size >= 64)
        return 64;
    for (j = 0; j <= size; j++)
        row[j] = j;
    for (i = 1; *a != '\0'; i++, a++) {
        /* One row of the table is enough: `diagonal` keeps the value that is overwritten. */
        unsigned diagonal = row[0];
        row[0] = i;
        for (j = 1; j <= size; j++) {
            unsigned best = diagonal + (tolower((unsigned char)*a) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[size];
}

const char *pithi_defs_nearest(const char *misspelt)
{
    const char *nearest = NULL;
    unsigned best = 3; /* names with 3 or more edits are no suggestion */
    size_t i;
    for (i = 0; i < bucket_count; i++)
        for (const struct entry *entry = buckets[i]; entry != NULL; entry = entry->chain)
            for (int group = 0; group < 2; group++) {
                const char *name = group ? entry->group : entry->name;
                unsigned edits = strncmp(name, "pith:", 5) != 0 ? edits_between(misspelt, name) : best;
                if (edits < best && edits < strlen(misspelt)) {
                    best = edits;
                    nearest = name;
                }
            }
    return nearest;
}

/* Returns the id of the entry with this type and name; 0 if there is none. */
static uint32_t find(uint16_t type, uint64_t hash, const char *name)
{
    const struct entry *entry;
    for (entry = buckets[hash & (bucket_count - 1)]; entry != NULL; entry = entry->chain)
        if (entry->hash == hash && entry->type == type && strcmp(entry->name, name) == 0)
            return entry->id;
    return 0;
}

/* Under the guard: returns the id of a definition, which is added if it is new. `strings` holds name, colour, group and
 * format. */
static uint32_t find_or_add(uint16_t type, const char *const strings[4])
{
    uint64_t hash = hash_of(type, strings[0]);
    uint32_t id = find(type, hash, strings[0]);
    if (id == 0) {
        id = add_entry(type, hash, strings);
        if (PITH_ID_IN_(id))
            store_entry(id);
    }
    return id;
}

/* Returns the id of a definition, which is added if it is new. Returns 0 if there is no name or no memory, or if the
 * caller is a handler that interrupted code under the guard. */
static uint32_t define(uint16_t type, const char *name, const char *colour, const char *group, const char *format)
{
    const char *strings[4] = {name, colour != NULL ? colour : "", group != NULL ? group : "",
                              format != NULL ? format : ""};
    struct pithi_guard guard;
    uint32_t id;

    if (name == NULL || *name == '\0' || !pithi_guard_enter(&guard))
        return 0;
    pithi_session_start();
    id = find_or_add(type, strings);
    pithi_guard_leave(&guard);
    return id;
}

uint32_t pithi_defs_counter(const char *name, const char *unit)
{
    const char *strings[4] = {name, "", "system", unit};
    return find_or_add(PITHI_D_COUNTER, strings);
}

uint32_t pith_state_define_group(const char *name, const char *colour, const char *group)
{
    uint32_t id = define(PITHI_D_STATE, name, colour, group, NULL);
    /* The end of a wrapped call has a cost of its own in the thread's sum. */
    if (group != NULL && strncmp(group, "MPI", 3) == 0)
        pithi_own_sum_wrapped(id);
    return id;
}

uint32_t pith_state_define(const char *name, const char *colour)
{
    return define(PITHI_D_STATE, name, colour, "user", NULL);
}

uint32_t pith_event_define_group(const char *name, const char *colour, const char *format, const char *group)
{
    return define(PITHI_D_EVENT, name, colour, group, format);
}

uint32_t pith_event_define(const char *name, const char *colour, const char *format)
{
    return define(PITHI_D_EVENT, name, colour, "user", format);
}

uint32_t pith_counter_define(const char *name, const char *unit)
{
    return define(PITHI_D_COUNTER, name, NULL, "user", unit);
}

/* ---- Communicators, threads, properties -------------------------------------------------------------------------- */

/* In communicators up to this size every member stores the list of members, in case the file of the communicator's rank
 * 0 is lost. With PITH_RANKS every member stores it, whatever the size. */
#define MEMBERS_ALL_STORE 64

/* Communicators in use, for the next log of this process (pith_job_again). */
struct kept_comm {
    struct kept_comm *next;
    uint32_t id;
    size_t size;   /* bytes of `record` */
    char record[]; /* of `size` bytes */
};
static struct kept_comm *kept_comms; /* under the guard */

/* Makes the pieces of the record of `comm`; without its members if `members` is 0. */
static void comm_pieces(const struct pith_comm *comm, int members, struct pithi_spill_comm *head,
                        struct piece pieces[4])
{
    *head = (struct pithi_spill_comm){comm->key, comm->rank, comm->size, comm->remote_size, 0};
    /* The members are unknown, or not wanted. */
    if (!members || comm->world_ranks == NULL || comm->size < 0)
        head->size = head->remote_size = 0;
    if (comm->remote_ranks == NULL || comm->remote_size < 0 || head->size == 0)
        head->remote_size = 0;
    pieces[0] = (struct piece){head, sizeof *head};
    pieces[1] = (struct piece){comm->world_ranks, (size_t)head->size * sizeof(int32_t)};
    pieces[2] = (struct piece){comm->remote_ranks, (size_t)head->remote_size * sizeof(int32_t)};
    pieces[3] = text(comm->name);
}

uint32_t pith_comm_define(const struct pith_comm *comm)
{
    static uint32_t count;
    struct pithi_spill_comm head;
    struct pithi_guard guard;
    struct piece pieces[4];
    uint32_t id = 0;

    if (!pith_messages())
        return PITH_LEFT_OUT_;
    if (!pithi_guard_enter(&guard))
        return 0;
    pithi_session_start();
    if (count < PITHI_WORD_ID_MAX)
        id = ++count;
    /* Readers need the list of one member only. If the list is short, all members store it, in case that member's file
     * is lost. */
    comm_pieces(comm, comm->rank == 0 || comm->size <= MEMBERS_ALL_STORE || pithi_session.settings.ranks != NULL, &head,
                pieces);
    if (id != 0) {
        store(PITHI_D_COMM, id, pieces, 4);
        /* Long lists are not kept, because they would cost memory for the whole run. */
        comm_pieces(comm, comm->size + (int64_t)comm->remote_size <= MEMBERS_ALL_STORE, &head, pieces);
        /* Keeps the record for the next log (pith_job_again). Without memory the communicator is missing in that log.
         */
        struct kept_comm *kept;
        size_t size = 0, at = 0;
        unsigned piece;
        for (piece = 0; piece < 4; piece++)
            size += pieces[piece].size;
        kept = malloc(sizeof *kept + size);
        if (kept != NULL) {
            for (piece = 0; piece < 4; at += pieces[piece++].size)
                if (pieces[piece].size > 0)
                    memcpy(kept->record + at, pieces[piece].data, pieces[piece].size);
            kept->id = id;
            kept->size = size;
            kept->next = kept_comms;
            kept_comms = kept;
        }
    }
    pithi_guard_leave(&guard);
    if (id != 0)
        pithi_record(PITHI_W_COMM_CREATE, id, NULL, 0);
    return id;
}

void pith_comm_free(uint32_t comm)
{
    if (!pith_messages())
        return;
    pithi_record(PITHI_W_COMM_FREE, comm, NULL, 0);
    struct pithi_guard guard;
    struct kept_comm **at = &kept_comms, *gone;
    if (!pithi_guard_enter(&guard))
        return;
    while (*at != NULL && (*at)->id != comm)
        at = &(*at)->next;
    gone = *at;
    if (gone != NULL)
        *at = gone->next;
    pithi_guard_leave(&guard);
    free(gone);
}

/* Stores everything that was defined before into a new spill file: at the start, and for a further log of this process.
 */
void pithi_defs_write_all(void)
{
    uint32_t id;
    for (id = 1; id <= entry_count; id++)
        store_entry(id);
    const struct kept_comm *kept;
    for (kept = kept_comms; kept != NULL; kept = kept->next) {
        struct piece piece = {kept->record, kept->size};
        store(PITHI_D_COMM, kept->id, &piece, 1);
    }
}

static void store_text(uint16_t type, uint32_t id, const char *first, const char *second)
{
    struct piece pieces[2] = {text(first), text(second)};
    struct pithi_guard guard;
    if (!pithi_guard_enter(&guard))
        return;
    pithi_session_start();
    store(type, id, pieces, 2);
    pithi_guard_leave(&guard);
}

void pith_comm_name(uint32_t comm, const char *name)
{
    if (pith_messages())
        store_text(PITHI_D_COMM_NAME, comm, name, NULL);
}

/* Properties of MPE's event numbers (spill_numbers.h), in the order in which they were set. They are kept in case
 * PITH_RANKS excludes this process, whose spill file is then removed. */
static struct said {
    struct said *next;
    const char *value; /* stored after the key */
    char key[];
} * said, **said_end = &said; /* under the guard */

static void keep_said(const char *key, const char *value)
{
    size_t key_size = strlen(key) + 1, value_size = strlen(value) + 1;
    struct said *now = malloc(sizeof *now + key_size + value_size);
    struct pithi_guard guard;
    if (now == NULL || !pithi_guard_enter(&guard)) {
        free(now);
        return;
    }
    now->value = memcpy(memcpy(now->key, key, key_size) + key_size, value, value_size);
    now->next = NULL;
    *said_end = now;
    said_end = &now->next;
    pithi_guard_leave(&guard);
}

void pith_property(const char *key, const char *value)
{
    int32_t numbers[2];
    if (key == NULL || *key == '\0')
        return;
    /* MPE describes each of its states and events by a property whose key has the event numbers. */
    if (value != NULL && pithi_event_numbers(key, numbers))
        keep_said(key, value);
    store_text(PITHI_D_PROPERTY, 0, key, value);
}

/* If this process has defined a state or event with the name `name` followed by `more`, adds the definition to
 * `set`. Returns PITH_OK or an error. */
static int add_to(struct pithi_defs *set, uint16_t type, const char *name, const char *more)
{
    char whole[1024];
    uint32_t id;
    if (snprintf(whole, sizeof whole, "%s%s", name, more) >= (int)sizeof whole)
        return PITH_OK;
    id = find(type, hash_of(type, whole), whole);
    if (!PITH_ID_IN_(id))
        return PITH_OK;
    const struct entry *entry = entries[id];
    const struct pithlog_def def = {type == PITHI_D_STATE ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, entry->name,
                                    entry->colour, entry->group, entry->format};
    return pithi_defs_add(set, &def, &id);
}

int pithi_defs_said(struct pithi_defs *set)
{
    int32_t numbers[2];
    int err = PITH_OK;
    for (const struct said *each = said; each != NULL; each = each->next) {
        int is_state = pithi_event_numbers(each->key, numbers) == 2;
        TRY(pithi_defs_property(set, each->key, each->value));
        TRY(add_to(set, is_state ? PITHI_D_STATE : PITHI_D_EVENT, each->value, ""));
        if (is_state)
            TRY(add_to(set, PITHI_D_EVENT, each->value, " info"));
    }
out:
    return err;
}

/* Called in a forked child, and in a process that begins another log, because the new spill file has no chunk of
 * definitions yet. */
void pithi_defs_forked(void)
{
    memset(&chunk, 0, sizeof chunk);
    said = NULL; /* the list is not freed, because malloc may be unusable in a forked child */
    said_end = &said;
}

void pithi_defs_sync(uint32_t clock, const struct pithi_sync *point)
{
    struct piece piece = {point, sizeof *point};
    store(PITHI_D_SYNC, clock, &piece, 1);
}

static void name_thread(const char *name)
{
    char cut[256];
    uint32_t lane;
    size_t length;
    length = strnlen(name, sizeof cut - 1);
    while (length == sizeof cut - 1 && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--; /* does not split a UTF-8 character */
    memcpy(cut, name, length);
    cut[length] = '\0';
    lane = pithi_buffer_lane_own();
    if (lane != PITHI_SPILL_DEFS)
        store_text(PITHI_D_THREAD, lane, cut, NULL);
}

static __thread int is_named __attribute__((tls_model("initial-exec"))); /* 1: the program has named this thread */

void pith_thread_name(const char *name)
{
    if (name == NULL)
        return;
    is_named = 1;
    name_thread(name);
}

void pith_thread_name_default(const char *name)
{
    if (!is_named)
        name_thread(name);
}
