/* epochs.c - matches MPI_Win_post with MPI_Win_start, MPI_Win_complete with MPI_Win_wait, and locks with earlier locks.
 *
 *     origin   MPI_Win_start 10-31                     late post from 10 to 30
 *     target   MPI_Win_post 30-31
 *
 *     rank 1   MPI_Win_lock 5-6    MPI_Win_unlock 40-42
 *     rank 2   MPI_Win_lock 10-43                      lock contention from 10 to 40
 *
 * For a pair of a target and an origin, the n-th post of the target that includes the origin belongs to the n-th start
 * of the origin that includes the target. MPI lets neither rank run ahead by more than one (MPI 4.1, 12.5.2), so two
 * calls are kept for each pair.
 *
 * MPI_Win_lock_all is a shared lock of all members. It is kept once for the rank, not for each target. */
#include "analysis/waits/epochs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "native/log.h"

enum what { NOTHING, POST, START, COMPLETE, WAIT, EXCLUSIVE, SHARED, UNLOCK, LOCK_ALL, UNLOCK_ALL, FLUSH_ALL };
enum {
    RANK_BITS = 22,
    ACCESSED_MOST = 64,   /* most targets that are kept for a later call that waits for them */
    LOCKED_MOST = 4096,   /* MPI_Win_lock_all waits for no rank of a window with more members */
    EXCLUSIVE_MOST = 4096 /* most exclusive locks kept while a rank holds MPI_Win_lock_all; when full, the older half is
                             dropped */
};
#define NO_RANK UINT32_MAX

/* A pair of a target and an origin of a window. */
struct pair {
    uint32_t posts, starts, completes, waits, seen; /* seen: number of the last post that the origin waited for */
    struct pithi_epoch_call post[2], complete[2];
    int64_t lock_ns;  /* begin of the origin's last call that locked the target */
    int is_exclusive; /* 1: the origin's last lock is exclusive */
};

/* A lock that a rank held: the begin of the call that asked for the lock, and the call that released it, with its
 * end. */
struct holder {
    int64_t lock_ns, end_ns; /* ns since the log's start */
    struct pithi_epoch_call unlock;
};

/* A rank of a window: the other ranks of its epochs, and its lock. */
struct member {
    uint32_t *targets, *origins, target_count, origin_count;
    struct holder last;            /* the last rank that had this rank's lock */
    struct holder exclusive;       /* the last rank that had this rank's lock exclusively */
    int was_locked, was_exclusive; /* 1: `last`, `exclusive` are set */
    int64_t lock_all_ns;           /* begin of the rank's own MPI_Win_lock_all */
};

/* The locks by MPI_Win_lock_all on a window. */
struct window {
    uint32_t open;  /* number of ranks that hold such a lock now */
    int was_locked; /* 1: `last` is set */
    struct holder last;
    struct holder *exclusive; /* exclusive locks released while a rank held MPI_Win_lock_all */
    uint32_t count, room;
};

/* Data of the open call of a lane, from its events. */
struct open {
    enum what what;
    uint32_t comm, rank, target;
    uint32_t reached;                        /* target of the access, lock or flush; NO_RANK: none */
    uint32_t accessed[ACCESSED_MOST], count; /* targets of the lane's accesses so far, each one once */
};

struct pithi_epochs {
    const struct pithlog *log;
    uint32_t id, target_id, access_id; /* ids of the events; UINT32_MAX: not in the log */
    struct pithi_map pair_map, member_map, window_map;
    struct pair *pairs;
    struct member *members;
    struct window *windows;
    uint32_t pair_count, pair_room, member_count, member_room, window_count, window_room;
    struct open *open; /* [lanes] */
};

int pithi_epochs_open(const struct pithlog *log, struct pithi_epochs **epochs)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_epochs found = {.log = log, .id = UINT32_MAX, .target_id = UINT32_MAX, .access_id = UINT32_MAX};

    *epochs = NULL;
    for (uint32_t i = 0; i < info->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        if (def->kind != PITHLOG_EVENT_TYPE)
            continue;
        found.id = strcmp(def->name, PITHI_EPOCH) == 0 ? i : found.id;
        found.target_id = strcmp(def->name, PITHI_TARGET) == 0 ? i : found.target_id;
        found.access_id = strcmp(def->name, PITHI_ACCESS) == 0 ? i : found.access_id;
    }
    if (found.id == UINT32_MAX && found.target_id == UINT32_MAX && found.access_id == UINT32_MAX)
        return PITH_OK;
    struct pithi_epochs *e = *epochs = calloc(1, sizeof *e);
    if (!e)
        return pithi_no_memory();
    *e = found;
    e->open = calloc(info->lanes + (size_t)1, sizeof *e->open);
    for (uint32_t i = 0; e->open && i < info->lanes; i++)
        e->open[i].reached = NO_RANK;
    return e->open ? PITH_OK : pithi_no_memory();
}

void pithi_epochs_close(struct pithi_epochs *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; i < e->member_count; i++) {
        free(e->members[i].targets);
        free(e->members[i].origins);
    }
    for (uint32_t i = 0; i < e->window_count; i++)
        free(e->windows[i].exclusive);
    free(e->windows);
    pithi_map_free(&e->window_map);
    pithi_map_free(&e->pair_map);
    pithi_map_free(&e->member_map);
    free(e->pairs);
    free(e->members);
    free(e->open);
    free(e);
}

static struct pair *pair_of(struct pithi_epochs *e, uint32_t comm, uint32_t target, uint32_t origin)
{
    uint64_t key = (uint64_t)comm << 2 * RANK_BITS | (uint64_t)target << RANK_BITS | origin;

    return pithi_item_at(&e->pair_map, key, &e->pairs, &e->pair_count, &e->pair_room, sizeof *e->pairs, NULL);
}

static struct member *member_of(struct pithi_epochs *e, uint32_t comm, uint32_t rank)
{
    return pithi_item_at(&e->member_map, pithi_map_pair(comm, rank), &e->members, &e->member_count, &e->member_room,
                         sizeof *e->members, NULL);
}

static struct window *window_of(struct pithi_epochs *e, uint32_t comm)
{
    return pithi_item_at(&e->window_map, comm, &e->windows, &e->window_count, &e->window_room, sizeof *e->windows,
                         NULL);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* Returns the text at *at of a payload, sets *length, and moves *at behind the text. If the payload is damaged, returns
 * NULL and sets *length to UINT32_MAX. */
static const char *text_at(const struct pithlog_record *r, uint32_t *at, uint32_t *length)
{
    const unsigned char *bytes = r->payload;

    *length = UINT32_MAX;
    if (*at + 2 > r->payload_bytes || *at + 2 + (uint32_t)(bytes[*at] << 8 | bytes[*at + 1]) > r->payload_bytes)
        return NULL;
    *length = (uint32_t)(bytes[*at] << 8 | bytes[*at + 1]);
    *at += 2 + *length;
    return (const char *)bytes + *at - *length;
}

static enum what what_of(const char *text, uint32_t length)
{
    static const char *const names[] = {"",       "post",   "start",    "complete",   "wait",     "exclusive",
                                        "shared", "unlock", "lock_all", "unlock_all", "flush_all"};

    for (int i = POST; i <= FLUSH_ALL; i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return (enum what)i;
    return NOTHING;
}

/* Sets *ranks to an array of the numbers in a text such as "1,2,5". The caller frees it. Returns 0 if there is no
 * memory. */
static int read_ranks(const char *text, uint32_t length, uint32_t **ranks, uint32_t *count)
{
    uint32_t room = 0, rank = 0;
    int has_digit = 0;

    *ranks = NULL;
    *count = 0;
    for (uint32_t i = 0; i <= length; i++) {
        if (i < length && text[i] >= '0' && text[i] <= '9' && rank < 1u << RANK_BITS) {
            rank = rank * 10 + (uint32_t)(text[i] - '0');
            has_digit = 1;
        } else {
            if (has_digit && rank < 1u << RANK_BITS) {
                if (!pithi_grow(ranks, *count, &room, sizeof **ranks)) {
                    free(*ranks);
                    return 0;
                }
                (*ranks)[(*count)++] = rank;
            }
            rank = 0;
            has_digit = 0;
        }
    }
    return 1;
}

/* Takes a call that posts or starts an epoch with `ranks`, and takes over this array. For a pair of ranks, post n
 * belongs to start n, whichever comes first. So posts and starts are only counted. Each pair keeps its last two posts,
 * at the index that is the lowest bit of their number. Returns 0 if there is no memory. */
static int begin_epoch(struct pithi_epochs *e, struct open *open, const struct pithi_epoch_call *call, uint32_t *ranks,
                       uint32_t count)
{
    struct member *self = member_of(e, open->comm, open->rank);
    int is_post = open->what == POST, good = self != NULL;

    for (uint32_t i = 0; good && i < count; i++) {
        struct pair *pair =
            is_post ? pair_of(e, open->comm, open->rank, ranks[i]) : pair_of(e, open->comm, ranks[i], open->rank);
        good = pair != NULL;
        if (good && is_post)
            pair->post[++pair->posts & 1] = *call;
        else if (good)
            pair->starts++;
    }
    if (!good) {
        free(ranks);
        return 0;
    }
    uint32_t **list = is_post ? &self->origins : &self->targets;
    free(*list);
    *list = ranks;
    *(is_post ? &self->origin_count : &self->target_count) = count;
    return 1;
}

/* Takes an event that names the target of the call. */
static void take_target(const struct pithi_epochs *e, const struct pithlog_record *r, struct open *open)
{
    uint32_t i = 0;

    if (r->payload_bytes < 8)
        return;
    open->reached = pithi_get_be32((const unsigned char *)r->payload + 4);
    if (r->id != e->access_id || open->reached >= 1u << RANK_BITS)
        return;
    while (i < open->count && open->accessed[i] != open->reached)
        i++;
    if (i == open->count && open->count < ACCESSED_MOST)
        open->accessed[open->count++] = open->reached;
}

static int begin_lock_all(struct pithi_epochs *e, const struct open *open, const struct pithi_epoch_call *call)
{
    struct window *window = window_of(e, open->comm);
    struct member *self = window ? member_of(e, open->comm, open->rank) : NULL;

    if (!self)
        return 0;
    window->open++;
    self->lock_all_ns = call->begin_ns;
    return 1;
}

int pithi_epochs_event(struct pithi_epochs *e, const struct pithlog_record *r, const struct pithi_epoch_call *call)
{
    struct open *open = &e->open[r->lane];
    uint32_t at = 0, length, count, *ranks;
    const char *text;
    struct pair *pair = NULL;
    struct member *self;
    int32_t rank = pithlog_get_lane(e->log, r->lane)->rank;

    if (r->id == e->target_id || r->id == e->access_id)
        take_target(e, r, open);
    if (r->id != e->id || rank < 0 || rank >= 1 << RANK_BITS || r->comm >= 1u << (64 - 2 * RANK_BITS))
        return 1;
    text = text_at(r, &at, &length);
    open->what = text ? what_of(text, length) : NOTHING;
    open->comm = r->comm;
    open->rank = (uint32_t)rank;
    if (!text || !(text = text_at(r, &at, &length)))
        return 1;
    if (!read_ranks(text, length, &ranks, &count))
        return 0;
    if (open->what == POST || open->what == START)
        return begin_epoch(e, open, call, ranks, count);
    int good = 1;
    if (open->what == LOCK_ALL) {
        open->count = 0; /* earlier accesses have been ended by MPI_Win_unlock_all or a fence */
        good = begin_lock_all(e, open, call);
    } else if (open->what >= EXCLUSIVE && open->what <= UNLOCK) {
        open->target = count ? ranks[0] : 0;
        open->what = count ? open->what : NOTHING;
        good = !count || (pair = pair_of(e, r->comm, open->target, open->rank)) != NULL;
        if (pair && open->what != UNLOCK) {
            pair->lock_ns = call->begin_ns;
            pair->is_exclusive = open->what == EXCLUSIVE;
        }
    } else if (open->what == COMPLETE) {
        good = (self = member_of(e, r->comm, open->rank)) != NULL;
        for (uint32_t i = 0; good && i < self->target_count; i++)
            if ((good = (pair = pair_of(e, r->comm, self->targets[i], open->rank)) != NULL))
                pair->complete[++pair->completes & 1] = *call;
    }
    free(ranks);
    return good;
}

/* ---- Needs ------------------------------------------------------------------------------------------------------- */

/* Reports the wait of one of two locks for the other. The two exclude each other, and the release of `before` ended
 * first. Normally the rank of `before` also held the lock first, and `own` waited for the release. But a rank that
 * loses its core in MPI_Win_unlock ends that call late. Then the order is reversed: the rank of `before` was still
 * waiting in an access when `own` began to unlock. If each rank was waiting when the other one began to unlock, the
 * lock whose call began first was held first. */
static void need_lock(const struct pithi_epoch_client *client, const struct holder *own, const struct holder *before)
{
    int64_t own_ns = own->unlock.begin_ns, before_ns = before->unlock.begin_ns;

    if (own->unlock.lane == before->unlock.lane || own_ns <= before->lock_ns || before_ns <= own->lock_ns)
        return; /* both are of one lane, or one lock was being released when the call for the other began */
    int waited = client->accesses(client->context, own->unlock.lane, before_ns);
    int was_first = own_ns < before->end_ns && client->accesses(client->context, before->unlock.lane, own_ns);
    if (was_first && (!waited || own->lock_ns < before->lock_ns))
        client->need(client->context, before->unlock.lane, PITHLOG_LOCK_CONTENTION, &own->unlock);
    else if (waited)
        client->need(client->context, own->unlock.lane, PITHLOG_LOCK_CONTENTION, &before->unlock);
}

/* Keeps the release that began last, because it decides how long the next rank waited. Releases are taken in the order
 * of their ends, so a release taken later may have begun earlier. */
static void keep_last(struct holder *last, int *has_last, const struct holder *own)
{
    if (!*has_last || own->unlock.begin_ns > last->unlock.begin_ns)
        *last = *own;
    *has_last = 1;
}

/* Takes the release of a lock. The rank of the lock may have waited for locks that were released before:
 *
 *     exclusive    waits for any earlier lock of this target, and for MPI_Win_lock_all, which locks all targets
 *     shared       waits only for an earlier exclusive lock
 *
 * While some rank holds MPI_Win_lock_all, exclusive locks are kept, because the release of MPI_Win_lock_all is compared
 * with them. Returns 0 if there is no memory. */
static int leave_lock(struct pithi_epochs *e, const struct open *open, const struct pithi_epoch_client *client,
                      const struct pithi_epoch_call *unlock, int64_t end_ns)
{
    struct pair *pair = pair_of(e, open->comm, open->target, open->rank);
    struct member *target = member_of(e, open->comm, open->target);
    struct window *window = window_of(e, open->comm);

    if (!pair || !target || !window)
        return 0;
    struct holder own = {pair->lock_ns, end_ns, *unlock};
    if (pair->is_exclusive && target->was_locked)
        need_lock(client, &own, &target->last);
    else if (target->was_exclusive)
        need_lock(client, &own, &target->exclusive);
    if (pair->is_exclusive && window->was_locked)
        need_lock(client, &own, &window->last);
    keep_last(&target->last, &target->was_locked, &own);
    if (!pair->is_exclusive)
        return 1;
    keep_last(&target->exclusive, &target->was_exclusive, &own);
    if (window->count == EXCLUSIVE_MOST)
        memmove(window->exclusive, window->exclusive + EXCLUSIVE_MOST / 2,
                (window->count = EXCLUSIVE_MOST / 2) * sizeof *window->exclusive);
    if (window->open && !pithi_grow(&window->exclusive, window->count, &window->room, sizeof *window->exclusive))
        return 0;
    if (window->open)
        window->exclusive[window->count++] = own;
    return 1;
}

static int leave_lock_all(struct pithi_epochs *e, const struct open *open, const struct pithi_epoch_client *client,
                          const struct pithi_epoch_call *unlock, int64_t end_ns)
{
    struct window *window = window_of(e, open->comm);
    const struct member *self = member_of(e, open->comm, open->rank);

    if (!window || !self)
        return 0;
    struct holder own = {self->lock_all_ns, end_ns, *unlock};
    for (uint32_t i = 0; i < window->count; i++)
        need_lock(client, &own, &window->exclusive[i]);
    keep_last(&window->last, &window->was_locked, &own);
    window->open -= window->open > 0;
    window->count = window->open ? window->count : 0;
    return 1;
}

/* Finds the first call of the target `rank` after since_ns, which lets the access go on. Sets *last to this call if it
 * is later than *last, so that *last is in the end the latest such call of all targets. */
static void reach(const struct pithi_epoch_client *client, int64_t since_ns, uint32_t own, uint32_t rank,
                  struct pithi_epoch_call *last, int *found)
{
    struct pithi_epoch_call call;

    if (rank == own || rank == NO_RANK || !client->first_call(client->context, rank, since_ns, &call))
        return;
    if (!*found || call.begin_ns > last->begin_ns || (call.begin_ns == last->begin_ns && call.lane < last->lane))
        *last = call;
    *found = 1;
}

/* Reports that the call waits until its targets call MPI.
 *
 * If the MPI library has no progress thread, an access is served when its target calls MPI:
 *
 *     target   computes 0-50, MPI_Barrier 50-60
 *     origin   MPI_Win_flush 20-52                     wait for progress from 20 to 50
 *
 * If the flush had ended at 40, no call of the target would have begun by then, so no call would be found. In this case
 * the library served the access without the target. */
static void need_progress(const struct pithi_epochs *e, const struct pithi_epoch_call *call, struct open *open,
                          const struct pithi_epoch_client *client)
{
    uint32_t own = (uint32_t)pithlog_get_lane(e->log, call->lane)->rank;
    const struct pithlog_comm *comm = open->what == LOCK_ALL ? pithlog_get_comm(e->log, open->comm) : NULL;
    struct pithi_epoch_call last;
    int found = 0;

    for (int i = 0; comm && comm->size <= LOCKED_MOST && i < comm->size; i++)
        reach(client, call->begin_ns, own, (uint32_t)comm->world_ranks[i], &last, &found);
    if (open->what == UNLOCK_ALL || open->what == FLUSH_ALL) {
        for (uint32_t i = 0; i < open->count; i++)
            reach(client, call->begin_ns, own, open->accessed[i], &last, &found);
        open->count = 0;
    }
    reach(client, call->begin_ns, own, open->reached, &last, &found);
    if (found)
        client->need(client->context, call->lane, PITHLOG_WAIT_FOR_PROGRESS, &last);
    open->reached = NO_RANK;
}

int pithi_epochs_leave(struct pithi_epochs *e, const struct pithi_epoch_call *call, int64_t end_ns,
                       const struct pithi_epoch_client *client)
{
    struct open *open = &e->open[call->lane];
    enum what what = open->what;
    uint32_t lane = call->lane;

    need_progress(e, call, open, client);
    open->what = NOTHING;
    if (!what)
        return 1;
    if (what == UNLOCK)
        return leave_lock(e, open, client, call, end_ns);
    if (what == UNLOCK_ALL)
        return leave_lock_all(e, open, client, call, end_ns);
    struct member *self = member_of(e, open->comm, open->rank);
    if (!self)
        return 0;
    for (uint32_t i = 0; (what == START || what == COMPLETE) && i < self->target_count; i++) {
        struct pair *pair = pair_of(e, open->comm, self->targets[i], open->rank);
        if (!pair)
            return 0;
        if (pair->posts < pair->starts || pair->seen == pair->starts)
            continue;
        pair->seen = pair->starts;
        client->need(client->context, lane, PITHLOG_LATE_POST, &pair->post[pair->starts & 1]);
    }
    for (uint32_t i = 0; what == WAIT && i < self->origin_count; i++) {
        struct pair *pair = pair_of(e, open->comm, open->rank, self->origins[i]);
        if (!pair)
            return 0;
        if (pair->completes > pair->waits)
            client->need(client->context, lane, PITHLOG_EARLY_WAIT, &pair->complete[++pair->waits & 1]);
    }
    if (what == COMPLETE)
        self->target_count = 0;
    if (what == WAIT)
        self->origin_count = 0;
    return 1;
}
