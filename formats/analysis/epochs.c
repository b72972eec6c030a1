/* epochs.c - matches posts with starts, ends of accesses with waits, and locks with each other.
 *
 * Post number n of a target that includes an origin belongs to start number n of the origin that includes the target:
 * MPI lets neither run ahead by more than one (MPI 4.1, 12.5.2). So two calls are kept for each pair of ranks. */
#include "analysis/epochs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "native/log.h"

enum what { NOTHING, POST, START, COMPLETE, WAIT, EXCLUSIVE, SHARED, UNLOCK };
enum { RANK_BITS = 22 };

/* A target and an origin of a window. */
struct pair {
    uint32_t posts, starts, completes, waits, seen; /* seen: the last post that a call of the origin has waited for */
    struct pithi_epoch_call post[2], complete[2];
    int64_t lock_ns; /* begin of the origin's lock */
    int is_exclusive;
};

/* A rank of a window: the other ranks of its epochs, and its lock. */
struct member {
    uint32_t *targets, *origins, target_count, origin_count;
    struct pithi_epoch_call unlock; /* of the last rank that had its lock */
    int was_locked, was_exclusive;
};

/* The event in the open call of a lane. */
struct open {
    enum what what;
    uint32_t comm, rank, target;
};

struct pithi_epochs {
    const struct pithlog *log;
    uint32_t id; /* of the event */
    struct pithi_map pair_map, member_map;
    struct pair *pairs;
    struct member *members;
    uint32_t pair_count, pair_room, member_count, member_room;
    struct open *open; /* [lanes] */
};

int pithi_epochs_open(const struct pithlog *log, struct pithi_epochs **epochs)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    uint32_t id = 0;

    *epochs = NULL;
    while (id < info->defs && (pithlog_get_def(log, id)->kind != PITHLOG_EVENT_TYPE ||
                               strcmp(pithlog_get_def(log, id)->name, PITHI_EPOCH) != 0))
        id++;
    if (id == info->defs)
        return PITH_OK;
    struct pithi_epochs *e = *epochs = calloc(1, sizeof *e);
    if (e) {
        *e = (struct pithi_epochs){.log = log, .id = id};
        e->open = calloc(info->lanes + (size_t)1, sizeof *e->open);
    }
    return e && e->open ? PITH_OK : pithi_no_memory();
}

void pithi_epochs_close(struct pithi_epochs *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; i < e->member_count; i++) {
        free(e->members[i].targets);
        free(e->members[i].origins);
    }
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

/* ---- Events ------------------------------------------------------------------------------------------------------ */

/* The next text of a payload; *length is UINT32_MAX if it is damaged. */
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
    static const char *const names[] = {"", "post", "start", "complete", "wait", "exclusive", "shared", "unlock"};

    for (int i = POST; i <= UNLOCK; i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return (enum what)i;
    return NOTHING;
}

/* Reads "1,2,5". 0: no memory. */
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

int pithi_epochs_event(struct pithi_epochs *e, const struct pithlog_record *r, const struct pithi_epoch_call *call)
{
    struct open *open = &e->open[r->lane];
    uint32_t at = 0, length, count, *ranks;
    const char *text;
    struct pair *pair = NULL;
    struct member *self;
    int32_t rank = pithlog_get_lane(e->log, r->lane)->rank;

    if (r->id != e->id || rank < 0 || rank >= 1 << RANK_BITS || r->comm >= 1u << (64 - 2 * RANK_BITS))
        return 1;
    text = text_at(r, &at, &length);
    *open = (struct open){text ? what_of(text, length) : NOTHING, r->comm, (uint32_t)rank, 0};
    if (!text || !(text = text_at(r, &at, &length)))
        return 1;
    if (!read_ranks(text, length, &ranks, &count))
        return 0;
    if (open->what == POST || open->what == START)
        return begin_epoch(e, open, call, ranks, count);
    int good = 1;
    if (open->what >= EXCLUSIVE) {
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

static int leave_lock(struct pithi_epochs *e, uint32_t lane, const struct open *open,
                      void (*need)(void *context, uint32_t lane, uint32_t kind, const struct pithi_epoch_call *by),
                      void *context, const struct pithi_epoch_call *unlock)
{
    struct pair *pair = pair_of(e, open->comm, open->target, open->rank);
    struct member *target = member_of(e, open->comm, open->target);

    if (!pair || !target)
        return 0;
    if (target->was_locked && (target->was_exclusive || pair->is_exclusive) && target->unlock.lane != lane &&
        target->unlock.begin_ns > pair->lock_ns)
        need(context, lane, PITHLOG_LOCK_CONTENTION, &target->unlock);
    target->unlock = *unlock;
    target->was_locked = 1;
    target->was_exclusive = pair->is_exclusive;
    return 1;
}

int pithi_epochs_leave(struct pithi_epochs *e, const struct pithi_epoch_call *call,
                       void (*need)(void *context, uint32_t lane, uint32_t kind, const struct pithi_epoch_call *by),
                       void *context)
{
    struct open open = e->open[call->lane];
    struct member *self = open.what ? member_of(e, open.comm, open.rank) : NULL;
    uint32_t lane = call->lane;

    e->open[lane].what = NOTHING;
    if (!open.what)
        return 1;
    if (!self)
        return 0;
    if (open.what == UNLOCK)
        return leave_lock(e, lane, &open, need, context, call);
    for (uint32_t i = 0; (open.what == START || open.what == COMPLETE) && i < self->target_count; i++) {
        struct pair *pair = pair_of(e, open.comm, self->targets[i], open.rank);
        if (!pair)
            return 0;
        if (pair->posts < pair->starts || pair->seen == pair->starts)
            continue;
        pair->seen = pair->starts;
        need(context, lane, PITHLOG_LATE_POST, &pair->post[pair->starts & 1]);
    }
    for (uint32_t i = 0; open.what == WAIT && i < self->origin_count; i++) {
        struct pair *pair = pair_of(e, open.comm, open.rank, self->origins[i]);
        if (!pair)
            return 0;
        if (pair->completes > pair->waits)
            need(context, lane, PITHLOG_EARLY_WAIT, &pair->complete[++pair->waits & 1]);
    }
    if (open.what == COMPLETE)
        self->target_count = 0;
    if (open.what == WAIT)
        self->origin_count = 0;
    return 1;
}
