/* left.c - follows the program's objects (left.h), and reports at the end those that remain.
 *
 *     line 12: MPI_Isend(..., &r)      made: entry {key of r, site 5, count 1}
 *     line 20: MPI_Wait(&r)            the handle becomes MPI_REQUEST_NULL: the entry is removed
 *     MPI_Finalize                     the remaining entries are added up by site:
 *         rank 2: 1 request of MPI_Isend at solve.c:12 never completed
 *
 * Tables have a fixed size and come from mmap, because this code runs inside MPI calls, where the program may have no
 * memory left or its allocator may be in use. With MAP_NORESERVE, pages that are never touched cost nothing. */
#include "left.h"

#include "agree.h"
#include "nested.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- call sites -------------------------------------------------------------------------------------------------- */

/* Sites have numbers; 0 means no site. The numbers 1 to PITHI_LEFT_KINDS stand for the kinds of objects: if the table
 * is full, a new site gets the number of its kind, and reports print "a call that was not kept". */
enum { SITES = 4096, SLOTS = 2 * SITES }; /* half of the slots stay free, so each search ends */
struct site {
    const void *address;
    const char *name; /* the MPI function, from pithi_check_names; NULL: the site stands for a kind of objects */
    enum pithi_left_kind kind;
};
static struct site sites[SITES];
static uint32_t slots[SLOTS], site_count = PITHI_LEFT_KINDS + 1; /* slots: site numbers by hash of the site; atomic */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;       /* taken to add a site; reading needs no lock */

/* Returns a hash: the upper half of the product depends on all bits of `value`. */
static uint32_t mix(uint64_t value) { return (uint32_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 32); }

/* Returns the slot of a site, or the free slot where the site would go. */
static uint32_t *slot_of(const struct site *wanted)
{
    uint32_t at = mix((uint64_t)(uintptr_t)wanted->address ^ (uint64_t)(uintptr_t)wanted->name << 24 ^ wanted->kind), n;

    for (;; at++) {
        if (!(n = __atomic_load_n(&slots[at % SLOTS], __ATOMIC_ACQUIRE)))
            break;
        const struct site *site = &sites[n];
        if (site->address == wanted->address && site->name == wanted->name && site->kind == wanted->kind)
            break;
    }
    return &slots[at % SLOTS];
}

/* Adds a site and returns its number. A program has few sites, so this function is soon no longer called. */
static uint32_t add_site(const struct site *wanted)
{
    pthread_mutex_lock(&naming);
    uint32_t *slot = slot_of(wanted), number = *slot; /* not 0 if another thread has just added this site */
    if (!number && site_count < SITES) {
        number = site_count++;
        sites[number] = *wanted;
        __atomic_store_n(slot, number, __ATOMIC_RELEASE); /* last, as readers take no lock */
    }
    pthread_mutex_unlock(&naming);
    return number ? number : 1 + wanted->kind;
}

/* Returns the number of the call site of this thread's present call. */
static uint32_t site_here(enum pithi_left_kind kind, const void *address)
{
    const struct site wanted = {address, pithi_check_now()->name, kind};
    uint32_t number = __atomic_load_n(slot_of(&wanted), __ATOMIC_ACQUIRE);

    return number ? number : add_site(&wanted);
}

/* Returns the kind of a site's objects. The first sites stand for the kinds themselves. */
static enum pithi_left_kind kind_of(uint32_t site)
{
    return site <= PITHI_LEFT_KINDS ? (enum pithi_left_kind)(site - 1) : sites[site].kind;
}

/* Returns 1 if the program itself made this thread's present call, and the call is checked. */
static int counts(void) { return pithi_self.recorded && pithi_check_now()->caller; }

/* ---- open objects ------------------------------------------------------------------------------------------------ */

/* MOST: the most entries; BUCKETS: how many lists of entries; HINTS: how many slots for hints, by variable */
enum { MOST = 1 << 20, BUCKETS = 1 << 18, HINTS = 1 << 16 };
struct entry {
    uint64_t key;
    uint32_t site, count; /* site: the call site's number; count: how many objects of the handle this site made */
    uint32_t next;        /* next entry in the bucket, the newest first, or in the list of unused entries; 0: none */
    uint32_t is_guess;    /* 1: an object of this handle was freed, but its site was only guessed */
};
static struct entry *entries; /* [0] is not used; NULL: not mapped */
static uint32_t *buckets;     /* for each bucket, the number of its first entry */
static uint64_t *hints;       /* for a variable: its address << 12 | the site that last stored a handle in it */
static uint32_t made_entries = 1, unused;
static int is_without_memory; /* 1: mapping failed once, and is not tried again */
/* How many requests are open: if none is, calls that complete requests need not take the lock. Atomic. */
static int64_t open_requests;
static int64_t unfollowed; /* number of objects for which there was no free entry */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Static_assert(SITES == 1 << 12, "a hint has 12 bits for the site");

static int is_request(enum pithi_left_kind kind) { return kind == PITHI_LEFT_REQUEST || kind == PITHI_LEFT_PERSISTENT; }

/* Returns the key of a handle, which includes the kind, because handles of different kinds may have the same bits.
 * Returns 0 if `is_own` is 0, that is, if the handle is predefined or null. */
static uint64_t key_of(enum pithi_left_kind kind, uint64_t handle, int is_own)
{
    return is_own ? handle << 4 | (is_request(kind) ? PITHI_LEFT_REQUEST : kind) | UINT64_C(1) << 63 : 0;
}

#define HANDLE(type, ...)                                                                                              \
    {                                                                                                                  \
        type is = *(const type *)where;                                                                                \
        return key_of(kind, (uint64_t)(uintptr_t)is, __VA_ARGS__);                                                     \
    }
/* Returns the key of the handle in the variable at `where`; 0 for a null or predefined handle, which need not be
 * freed. */
static uint64_t key_at(enum pithi_left_kind kind, const void *where)
{
    switch (kind) {
    case PITHI_LEFT_REQUEST:
    case PITHI_LEFT_PERSISTENT:
        HANDLE(MPI_Request, is != MPI_REQUEST_NULL)
    case PITHI_LEFT_COMM:
        HANDLE(MPI_Comm, is != MPI_COMM_NULL && is != MPI_COMM_WORLD && is != MPI_COMM_SELF)
    case PITHI_LEFT_TYPE:
        HANDLE(MPI_Datatype, is != MPI_DATATYPE_NULL)
    case PITHI_LEFT_WINDOW:
        HANDLE(MPI_Win, is != MPI_WIN_NULL)
    case PITHI_LEFT_FILE:
        HANDLE(MPI_File, is != MPI_FILE_NULL)
    case PITHI_LEFT_GROUP:
        HANDLE(MPI_Group, is != MPI_GROUP_NULL && is != MPI_GROUP_EMPTY)
    case PITHI_LEFT_OP:
        HANDLE(MPI_Op, is != MPI_OP_NULL)
    case PITHI_LEFT_INFO:
        HANDLE(MPI_Info, is != MPI_INFO_NULL && is != MPI_INFO_ENV)
    case PITHI_LEFT_MATCHED:
        HANDLE(MPI_Message, is != MPI_MESSAGE_NULL && is != MPI_MESSAGE_NO_PROC)
    default:
        return 0;
    }
}

static uint32_t *bucket_of(uint64_t key) { return &buckets[mix(key) % BUCKETS]; }

/* Returns the slot for the hint of a variable. Neighbouring variables have different slots. */
static uint64_t *hint_of(const void *where) { return &hints[(uintptr_t)where / sizeof(int) % HINTS]; }

/* Maps the tables when the first object is entered. Returns 0 if there is no memory. The caller holds the lock. */
static int has_memory(void)
{
    if (entries || is_without_memory)
        return entries != NULL;
    buckets = pages(BUCKETS * sizeof *buckets);
    hints = pages(HINTS * sizeof *hints);
    if (buckets && hints)
        entries = pages(MOST * sizeof *entries);
    is_without_memory = !entries;
    return entries != NULL;
}

/* Returns a new entry, which it puts at the front of the key's bucket; NULL if the table is full. The caller holds the
 * lock. */
static struct entry *new_entry(uint64_t key, uint32_t site)
{
    uint32_t number = unused;

    if (number) /* reuses an entry that is free again */
        unused = entries[number].next;
    else if (made_entries < MOST)
        number = made_entries++;
    else
        return NULL;
    uint32_t *bucket = bucket_of(key);
    entries[number] = (struct entry){.key = key, .site = site, .next = *bucket};
    *bucket = number;
    return &entries[number];
}

/* Counts an object that a site made and that has the handle of `key`. `where`: the program's variable with the handle;
 * NULL: unknown. The caller holds the lock. */
static void open_locked(uint64_t key, uint32_t site, const void *where)
{
    struct entry *entry = NULL;

    if (has_memory()) {
        /* Looks for an entry of this handle and site. */
        for (uint32_t at = *bucket_of(key); at && !entry; at = entries[at].next)
            if (entries[at].key == key && entries[at].site == site)
                entry = &entries[at];
        if (!entry)
            entry = new_entry(key, site);
    }
    if (!entry) {
        unfollowed++; /* for the report */
        return;
    }
    entry->count++;
    if (where)
        *hint_of(where) = (uint64_t)(uintptr_t)where << 12 | site;
    if (is_request(kind_of(site)))
        __atomic_add_fetch(&open_requests, 1, __ATOMIC_RELAXED);
}

/* Removes an object that has the handle of `key`. Returns the object's site; 0 if the handle is unknown. `where`: as in
 * open_locked. The caller holds the lock. */
static uint32_t close_locked(uint64_t key, const void *where)
{
    uint32_t *newest = NULL, *at, hinted = 0, same = 0; /* `newest`: the link to the entry that loses an object */

    if (!entries)
        return 0;
    if (where && *hint_of(where) >> 12 == (uint64_t)(uintptr_t)where)
        hinted = *hint_of(where) % SITES;
    for (at = bucket_of(key); *at; at = &entries[*at].next) {
        if (entries[*at].key != key)
            continue;
        same++;
        if (!newest || entries[*at].site == hinted) /* the newest entry, or better the entry with the hint's site */
            newest = at;
    }
    if (!newest)
        return 0;
    struct entry *entry = &entries[*newest];
    uint32_t site = entry->site, number = *newest;
    if (site == hinted)
        *hint_of(where) = 0;
    if (same > 1 && site != hinted) /* several sites and no hint: the choice is a guess */
        for (uint32_t i = *bucket_of(key); i; i = entries[i].next)
            entries[i].is_guess |= entries[i].key == key;
    if (--entry->count == 0) {
        *newest = entry->next;
        entry->next = unused;
        unused = number;
    }
    if (is_request(kind_of(site)))
        __atomic_sub_fetch(&open_requests, 1, __ATOMIC_RELAXED);
    return site;
}

/* Returns `where`, or NULL if a binding of another language made the call, because such a binding may pass a copy of
 * the program's variable. */
static const void *own_variable(const void *where)
{
    const void *caller = pithi_check_now()->caller;

    return pithi_source_address(caller) == caller ? where : NULL;
}

/* See left.h. The call has stored the handle in the program's variable `where`. */
void pithi_left_made(int result, enum pithi_left_kind kind, const void *where)
{
    uint64_t key = result == MPI_SUCCESS && counts() ? key_at(kind, where) : 0;

    if (!key)
        return;
    const void *caller = pithi_check_now()->caller, *address = pithi_source_address(caller);
    uint32_t site = site_here(kind, address);
    pthread_mutex_lock(&lock);
    open_locked(key, site, address == caller ? where : NULL);
    pthread_mutex_unlock(&lock);
}

/* Enters the derived datatypes among those that MPI_Type_get_contents returned, because their handles are new, and the
 * program must free them. */
void pithi_left_contents(int result, MPI_Datatype of, MPI_Count room, const MPI_Datatype *types)
{
    if (result != MPI_SUCCESS || !counts())
        return;
    MPI_Count count = pithi_type_parts(of);
    for (MPI_Count i = 0; i < count && i < room; i++)
        if (pithi_type_parts(types[i]))
            pithi_left_made(result, PITHI_LEFT_TYPE, &types[i]);
}

/* Removes the object before the call, because once the call has freed the handle, another thread may get this handle
 * for a new object. */
uint32_t pithi_left_freeing(enum pithi_left_kind kind, const void *where)
{
    uint64_t key = where && counts() ? key_at(kind, where) : 0;
    uint32_t site;

    if (!key)
        return 0;
    where = own_variable(where);
    pthread_mutex_lock(&lock);
    site = close_locked(key, where);
    pthread_mutex_unlock(&lock);
    return site;
}

/* If the call failed, the object still exists, so it is entered again with its old site. */
void pithi_left_freed(int result, uint32_t freeing, enum pithi_left_kind kind, const void *where)
{
    uint64_t key = result != MPI_SUCCESS && freeing ? key_at(kind, where) : 0;

    if (!key)
        return;
    pthread_mutex_lock(&lock);
    open_locked(key, freeing, NULL);
    pthread_mutex_unlock(&lock);
}

/* Copies the requests before a call that may complete them; without open requests it does nothing. */
void pithi_left_await(struct pithi_left_awaited *awaited, MPI_Count count, const MPI_Request *requests)
{
    awaited->count = 0;
    if (!__atomic_load_n(&open_requests, __ATOMIC_RELAXED) || !requests || count <= 0 || !counts())
        return;
    size_t bytes = (size_t)count * sizeof *requests;
    awaited->before = bytes <= sizeof awaited->few ? awaited->few : pages(bytes); /* pages: for more than 64 requests */
    if (!awaited->before)
        return;
    memcpy(awaited->before, requests, bytes);
    awaited->count = count;
    awaited->requests = requests;
}

/* Removes the requests that the call has set to MPI_REQUEST_NULL, because these are complete. */
void pithi_left_awaited(struct pithi_left_awaited *awaited)
{
    if (!awaited->count)
        return;
    int is_own = own_variable(awaited) != NULL; /* no binding made the call, so the array is the program's */
    pthread_mutex_lock(&lock);
    for (MPI_Count i = 0; i < awaited->count; i++) {
        const MPI_Request *now = &awaited->requests[i];
        uint64_t key = *now == MPI_REQUEST_NULL ? key_at(PITHI_LEFT_REQUEST, &awaited->before[i]) : 0;
        if (key)
            close_locked(key, is_own ? now : NULL);
    }
    pthread_mutex_unlock(&lock);
    if (awaited->before != awaited->few)
        munmap(awaited->before, (size_t)awaited->count * sizeof *awaited->before);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* The call sites of the last sends, by communicator, peer and tag. If sends from several call sites have the same
 * communicator, peer and tag, it is unknown which of these sends was not received (is_guess). */
enum { SENDS = 1 << 14 }; /* slots; a later send may take the slot of an earlier send */
struct sent {
    uint64_t comm;           /* the communicator's handle */
    int32_t peer, tag;       /* as in the call */
    uint32_t site, is_guess; /* site: as in struct entry; is_guess: 1: several call sites sent with these three */
};
static struct sent *sends;

/* Returns the slot of a send, by hash. A later send with the same slot replaces the earlier send. */
static struct sent *sent_of(uint64_t comm, int peer, int tag)
{
    uint64_t value = comm ^ (uint64_t)(uint32_t)peer << 32 ^ (uint64_t)(uint32_t)tag << 8;

    return &sends[mix(value) % SENDS];
}

/* Notes a send. All sends are noted, because which of them are not received is only known in MPI_Finalize. */
void pithi_left_sending(MPI_Comm comm, int peer, int tag)
{
    const uint64_t handle = (uint64_t)(uintptr_t)comm;

    if (peer < 0 || !counts())
        return;
    uint32_t site = site_here(PITHI_LEFT_SENT, pithi_source_address(pithi_check_now()->caller));
    pthread_mutex_lock(&lock);
    if (sends || (sends = pages(SENDS * sizeof *sends))) {
        struct sent *sent = sent_of(handle, peer, tag);
        int is_same = sent->site && sent->comm == handle && sent->peer == peer && sent->tag == tag;
        uint32_t is_guess = is_same && (sent->is_guess || sent->site != site);
        *sent = (struct sent){handle, peer, tag, site, is_guess};
    }
    pthread_mutex_unlock(&lock);
}

/* A message that nobody received: its receiver has found it with MPI_Iprobe. */
struct found {
    uint64_t team;   /* id of the communicator's team */
    int32_t to, tag; /* to: the receiver's rank in the communicator */
    int32_t place;   /* the sender's rank in the shadow of MPI_COMM_WORLD */
};
enum { MOST_FOUND = 1024 }; /* the most messages that a process finds */
struct search {
    const struct pithi_team *world; /* the team of all processes; NULL: none */
    struct found *found;            /* [count] messages whose senders must be informed */
    int count;
    int64_t *left;  /* [sites] number of objects or messages */
    char *is_guess; /* [sites] 1: at least one of `left` is a guess */
    uint64_t team;  /* for `compare`: the id of the team to look for */
    MPI_Comm comm;  /* what `compare` found: this team's communicator */
};

/* Counts a message that this process sent and nobody received, at the call site of the send. `comm`: MPI_COMM_NULL if
 * the communicator is unknown. */
static void add_sent(struct search *search, MPI_Comm comm, int peer, int tag)
{
    const uint64_t handle = (uint64_t)(uintptr_t)comm;
    const struct sent *sent = sends && comm != MPI_COMM_NULL ? sent_of(handle, peer, tag) : NULL;
    uint32_t site = 1 + PITHI_LEFT_SENT; /* used if the site is unknown: another send may have taken the slot */

    if (sent && sent->site && sent->comm == handle && sent->peer == peer && sent->tag == tag) {
        site = sent->site;
        search->is_guess[site] |= sent->is_guess != 0;
    }
    search->left[site]++;
}

/* Calls `visit` with each open communicator of the program. */
static void each_comm(struct search *search, void (*visit)(struct search *search, MPI_Comm comm))
{
    visit(search, MPI_COMM_WORLD);
    visit(search, MPI_COMM_SELF);
    for (uint32_t i = 1; entries && i < made_entries; i++)
        if (entries[i].count && kind_of(entries[i].site) == PITHI_LEFT_COMM)
            /* Gets the handle back from the key (see key_of), by removing the highest bit and the kind. */
            visit(search, (MPI_Comm)(uintptr_t)(entries[i].key << 1 >> 5));
}

/* Looks for unreceived messages on a communicator, without receiving them. Finds at most one message of each sender,
 * because MPI shows only the first. */
static void probe(struct search *search, MPI_Comm comm)
{
    const struct pithi_team *team = pithi_team_of_comm(comm), *world = search->world;
    int is_there = 0;
    MPI_Status status;

    if (!team || REAL(MPI_Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &status) != MPI_SUCCESS || !is_there)
        return;
    int senders = team->entry->remote_size ? team->entry->remote_size : team->entry->size;
    for (int i = 0; i < senders && search->count < MOST_FOUND; i++) {
        if (REAL(MPI_Iprobe)(i, MPI_ANY_TAG, comm, &is_there, &status) != MPI_SUCCESS || !is_there)
            continue;
        int place = pithi_handle_peer(team->entry, i); /* the sender's rank, in MPI_COMM_WORLD and its shadow */
        if (!world || world->shadow == MPI_COMM_NULL || place == world->rank)
            add_sent(search, comm, team->entry->rank, status.MPI_TAG);
        else if (place < 0)
            add_sent(search, MPI_COMM_NULL, 0, 0);
        else
            search->found[search->count++] = (struct found){team->id, team->entry->rank, status.MPI_TAG, place};
    }
}

/* Stores the communicator in search->comm if it is that of the team search->team. A team has the same id in all
 * processes, while handles differ. */
static void compare(struct search *search, MPI_Comm comm)
{
    const struct pithi_team *team = pithi_team_of_comm(comm);

    if (team && team->id == search->team && team->shadow != MPI_COMM_NULL)
        search->comm = comm;
}

/* Each receiver informs the senders of the messages that it found, because only the senders know the call sites. Does
 * nothing if no process has found a message. */
static void tell_senders(struct search *search)
{
    MPI_Comm shadow = search->world->shadow;
    int any = 0, mine = 0;

    /* Usually, no process has found a message. */
    if (REAL(MPI_Allreduce)(&search->count, &any, 1, MPI_INT, MPI_MAX, shadow) != MPI_SUCCESS || !any)
        return;
    int *told = pages((size_t)search->world->size * sizeof *told);
    MPI_Request *requests = pages(MOST_FOUND * sizeof *requests);
    int good = told && requests, all = 0;
    /* If a process has no memory, all processes stop here, because otherwise the others would wait for it. */
    REAL(MPI_Allreduce)(&good, &all, 1, MPI_INT, MPI_MIN, shadow);
    if (!all)
        return;
    for (int i = 0; i < search->count; i++)
        told[search->found[i].place]++; /* how many of search->found are for each process */
    REAL(MPI_Reduce_scatter_block)(told, &mine, 1, MPI_INT, MPI_SUM, shadow); /* how many this process will receive */
    for (int i = 0; i < search->count; i++)
        REAL(MPI_Isend)
    (&search->found[i], sizeof *search->found, MPI_BYTE, search->found[i].place, PITHI_LEFT_TAG_FOUND, shadow,
     &requests[i]);
    for (; mine > 0; mine--) {
        struct found found;
        REAL(MPI_Recv)(&found, sizeof found, MPI_BYTE, MPI_ANY_SOURCE, PITHI_LEFT_TAG_FOUND, shadow, MPI_STATUS_IGNORE);
        search->team = found.team;
        search->comm = MPI_COMM_NULL;
        each_comm(search, compare);
        add_sent(search, search->comm, found.to, found.tag);
    }
    for (int i = 0; i < search->count; i++)
        REAL(MPI_Wait)(&requests[i], MPI_STATUS_IGNORE);
    munmap(told, (size_t)search->world->size * sizeof *told);
    munmap(requests, MOST_FOUND * sizeof *requests);
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* What a process reports about one call site. A line can be sent as bytes, because the fields have fixed sizes and all
 * processes have the same architecture. */
struct line {
    int32_t kind, is_guess;
    int64_t count;              /* number of objects */
    char name[40];              /* the MPI function; "": the call site was not kept */
    struct pithi_source source; /* the call site */
};
/* What a process sends to the first process before its lines. */
struct told {
    int32_t lines, rank; /* lines: how many lines follow; rank: the sender's rank */
    /* more_lines: how many lines were left out; unfollowed: for how many objects the table had no room */
    int64_t more_lines, unfollowed;
};
/* A line of the job's report: a call site, with the objects that it made in all processes. */
struct sum {
    struct line line;
    int *ranks; /* the processes that reported this site, by rank in MPI_COMM_WORLD, increasing */
    int count;  /* length of `ranks` */
};
enum { MOST_LINES = 1000, MOST_SUMS = 200 }; /* MOST_LINES: lines of a process; MOST_SUMS: lines of the job */

static int is_same(const struct line *one, const struct line *other)
{
    return one->kind == other->kind && one->source.offset == other->source.offset && !strcmp(one->name, other->name) &&
           !strcmp(one->source.module, other->source.module);
}

/* Adds one process's lines to the job's lines. Returns the number of lines for which there was no room. */
static int merge(struct sum *sums, int *count, const struct line *lines, int line_count, int rank, int processes)
{
    int lost = 0;

    for (int i = 0; i < line_count; i++) {
        struct sum *sum = sums;
        while (sum < sums + *count && !is_same(&sum->line, &lines[i]))
            sum++; /* if several processes report a site, it still gets one line */
        if (sum == sums + *count) {
            if (*count == MOST_SUMS || !(sum->ranks = pages((size_t)processes * sizeof *sum->ranks))) {
                lost++;
                continue;
            }
            sum->line = lines[i];
            sum->line.count = 0;
            ++*count;
        }
        sum->line.count += lines[i].count;
        sum->line.is_guess |= lines[i].is_guess;
        sum->ranks[sum->count++] = rank; /* increasing, because `report` merges by rank */
    }
    return lost;
}

/* Prints, for example, "pith check: ranks 0-3: 4 requests of MPI_Isend at solve.c:12 never completed". */
static void say_sum(const struct sum *sum)
{
    static const struct {
        const char *one, *end;
    } texts[PITHI_LEFT_KINDS] = {{"request", "never completed"},  {"persistent request", "never freed"},
                                 {"communicator", "never freed"}, {"datatype", "never freed"},
                                 {"window", "never freed"},       {"file", "never closed"},
                                 {"group", "never freed"},        {"operation", "never freed"},
                                 {"info object", "never freed"},  {"matched message", "never received"},
                                 {"message", "never received"}};
    const struct line *line = &sum->line;
    char ranks[256], place[256] = "", at[320] = "", text[1024];

    pithi_check_ranks(sum->ranks, sum->count, ranks, sizeof ranks);
    if (*line->name)
        pithi_source_print(&line->source, place, sizeof place);
    if (*place)
        snprintf(at, sizeof at, " at %s", place);
    snprintf(
        text, sizeof text, "pith check: %s%s: %s%lld %s%s of %s%s %s%s\n", pithi_where_prefix, ranks,
        line->kind == PITHI_LEFT_SENT ? "at least " : "", (long long)line->count, texts[line->kind].one,
        line->count == 1 ? "" : "s", *line->name ? line->name : "a call that was not kept", at, texts[line->kind].end,
        !line->is_guess                 ? ""
        : line->kind == PITHI_LEFT_SENT ? " (which call: a guess, because several send to this rank with this tag)"
                                        : " (which call: a guess, because MPI gave several calls the same handle)");
    pithi_check_say(text);
}

/* In the first process, receives the lines of one process after the other and prints the report. In the other
 * processes, sends the lines. */
static void report(const struct pithi_team *world, struct line *lines, const struct told *own, struct sum *sums)
{
    int processes = world ? world->size : 1, sum_count = 0;
    MPI_Comm shadow = world ? world->shadow : MPI_COMM_NULL;
    struct told *told = NULL;
    int64_t lost = own->more_lines, more = own->unfollowed;
    char text[256];

    if (shadow != MPI_COMM_NULL) {
        int good = 1;
        if (world->rank == 0)
            good = (told = pages((size_t)processes * sizeof *told)) != NULL;
        REAL(MPI_Bcast)(&good, 1, MPI_INT, 0, shadow); /* if rank 0 has no memory, no process may gather */
        if (!good)
            return;
        REAL(MPI_Gather)(own, sizeof *own, MPI_BYTE, told, sizeof *own, MPI_BYTE, 0, shadow);
        if (world->rank != 0) {
            if (own->lines)
                REAL(MPI_Send)(lines, own->lines * (int)sizeof *lines, MPI_BYTE, 0, PITHI_LEFT_TAG_LINES, shadow);
            return;
        }
    }
    lost += merge(sums, &sum_count, lines, own->lines, own->rank, processes);
    for (int i = 1; told && i < processes; i++) {
        lost += told[i].more_lines;
        more += told[i].unfollowed;
        if (!told[i].lines)
            continue; /* sends nothing */
        REAL(MPI_Recv)
        (lines, MOST_LINES * (int)sizeof *lines, MPI_BYTE, i, PITHI_LEFT_TAG_LINES, shadow, MPI_STATUS_IGNORE);
        lost += merge(sums, &sum_count, lines, told[i].lines, told[i].rank, processes);
    }
    for (int kind = 0; kind < PITHI_LEFT_KINDS; kind++) /* prints the lines in the order of kinds */
        for (int i = 0; i < sum_count; i++)
            if (sums[i].line.kind == kind)
                say_sum(&sums[i]);
    if (lost) {
        snprintf(text, sizeof text, "pith check: and %lld more such call sites\n", (long long)lost);
        pithi_check_say(text);
    }
    if (more) {
        snprintf(text, sizeof text, "pith check: %lld more objects were not followed: see pith-collcheck(7)\n",
                 (long long)more);
        pithi_check_say(text);
    }
}

/* See left.h. */
void pithi_left_report(const struct pithi_team *world)
{
    static int64_t left[SITES];
    static char is_guess[SITES];
    struct search search = {
        .world = world, .found = pages(MOST_FOUND * sizeof *search.found), .left = left, .is_guess = is_guess};
    struct line *lines = pages(MOST_LINES * sizeof *lines);
    struct sum *sums = pages(MOST_SUMS * sizeof *sums);
    int good = search.found && lines && sums, all = good;

    if (world && world->shadow != MPI_COMM_NULL)
        REAL(MPI_Allreduce)(&good, &all, 1, MPI_INT, MPI_MIN, world->shadow);
    if (!all)
        return; /* if a process has no memory, there is no report */
    for (uint32_t i = 1; entries && i < made_entries; i++) {
        left[entries[i].site] += entries[i].count;
        is_guess[entries[i].site] |= entries[i].count && entries[i].is_guess;
    }
    each_comm(&search, probe);
    if (world && world->shadow != MPI_COMM_NULL)
        tell_senders(&search);
    struct told own = {.rank = pithi_where_rank, .unfollowed = unfollowed};
    int count = 0;

    for (uint32_t i = 1; i < site_count; i++) {
        if (!left[i])
            continue;
        if (count == MOST_LINES) {
            ++own.more_lines;
            continue;
        }
        struct line *line = &lines[count++];
        *line = (struct line){.kind = (int32_t)kind_of(i), .is_guess = is_guess[i], .count = left[i]};
        if (!sites[i].name)
            continue;
        snprintf(line->name, sizeof line->name, "%s", sites[i].name);
        pithi_source_of(sites[i].address, &line->source);
    }
    own.lines = count;
    report(world, lines, &own, sums);
}
