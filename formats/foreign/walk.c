/* walk.c - reads the records of a log for writers of foreign formats, and makes states nest. */
#include "foreign/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/colour.h"
#include "base/error.h"
#include "base/map.h"
#include "foreign/names.h"
#include "native/defs.h"
#include "reader/iter.h"

int pithi_walk_open(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how)
{
    return pithi_walk_open_lanes(walk, log, how, NULL, 0);
}

int pithi_walk_open_lanes(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how,
                          const uint32_t *lanes, uint32_t count)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_query query = {.lanes = lanes, .lane_count = count, .flags = PITHLOG_NEST | PITHLOG_CLIP};

    *walk = (struct pithi_walk){.from_ns = info->start_ns, .to_ns = info->end_ns};
    if (how && how->from_ns > walk->from_ns)
        walk->from_ns = how->from_ns;
    if (how && how->to_ns < walk->to_ns)
        walk->to_ns = how->to_ns;
    if (walk->from_ns > walk->to_ns) /* an empty window is not an error */
        walk->to_ns = walk->from_ns;
    query.from_ns = walk->from_ns;
    query.to_ns = walk->to_ns;
    return pithlog_iter_open(log, &query, &walk->iter);
}

enum pithi_edge pithi_edge_of(enum pithi_iter_part part)
{
    return part == PITHI_PART_BEFORE   ? PITHI_EDGE_START
           : part == PITHI_PART_AFTER  ? PITHI_EDGE_END
           : part == PITHI_PART_WITHIN ? PITHI_EDGE_NONE
                                       : PITHI_EDGE_HOLE;
}

int pithi_walk_next(struct pithi_walk *walk, struct pithlog_record *record)
{
    int status;

    while ((status = pithlog_iter_next(walk->iter, record)) == 1) {
        enum pithi_iter_part part = pithi_iter_part(walk->iter);
        if (part == PITHI_PART_HOLE) /* the state goes on: it is one in the other file */
            continue;
        if (record->kind == PITHLOG_LEAVE && record->depth == UINT32_MAX) {
            if (walk->losses)
                walk->losses->count[PITHI_LOSS_UNMATCHED]++;
            continue;
        }
        if (record->time_ns < walk->from_ns)
            record->time_ns = walk->from_ns;
        if (walk->losses)
            pithi_losses_record(walk->losses, record, pithi_edge_of(part));
        return 1;
    }
    return status;
}

void pithi_walk_close(struct pithi_walk *walk)
{
    pithlog_iter_close(walk->iter);
    walk->iter = NULL;
}

int pithi_each_record(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each)
{
    struct pithi_nest nest = {
        .begin = each->enter, .end = each->leave, .context = each->context, .losses = each->losses};
    struct pithi_walk walk;
    struct pithlog_record r;
    int err, status = 0, ok = !each->enter || pithi_nest_open(&nest, pithlog_get_info(log)->lanes);

    TRY(pithi_walk_open(&walk, log, how));
    walk.losses = each->losses;
    if (each->begin)
        each->begin(each->context, walk.from_ns);
    while (ok && !*each->failed && (status = pithi_walk_next(&walk, &r)) == 1) {
        if (!each->enter || r.kind > PITHLOG_LEAVE)
            ok = each->put(each->context, &r);
        else if (r.kind == PITHLOG_ENTER)
            ok = pithi_nest_enter(&nest, r.lane, r.id, r.time_ns);
        else
            pithi_nest_leave(&nest, r.lane, r.id, r.time_ns);
    }
    if (!ok)
        err = pithi_no_memory();
    pithi_walk_close(&walk);
    if (err == PITH_OK && status < 0)
        err = PITH_ERR_DAMAGED;
out:
    pithi_nest_close(&nest);
    return err;
}

static int in_window(const struct pithi_convert *how, int64_t time_ns)
{
    return time_ns >= how->from_ns && time_ns <= how->to_ns;
}

int pithi_each_message(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;
    uint64_t number = 0;
    int status = 0;

    CHECK(pithlog_matcher_open(log, &matcher));
    while (!*each->failed && (status = pithlog_matcher_next(matcher, &m)) == 1)
        if (in_window(how, m.send_ns) && in_window(how, m.recv_ns))
            each->message(each->context, &m, ++number);
    if (each->losses)
        each->losses->matched = number;
    pithlog_matcher_close(matcher);
    return status < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_nest_open(struct pithi_nest *nest, uint32_t lanes)
{
    nest->lanes = calloc(lanes + (size_t)1, sizeof *nest->lanes);
    nest->lane_count = lanes;
    return nest->lanes != NULL;
}

void pithi_nest_close(struct pithi_nest *nest)
{
    for (uint32_t i = 0; nest->lanes && i < nest->lane_count; i++)
        free(nest->lanes[i].ids);
    free(nest->lanes);
    nest->lanes = NULL;
}

int pithi_nest_enter(struct pithi_nest *nest, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct pithi_nest_lane *l = &nest->lanes[lane];
    if (!pithi_grow(&l->ids, l->count, &l->room, sizeof *l->ids))
        return 0;
    l->ids[l->count++] = id;
    if (nest->begin)
        nest->begin(nest->context, lane, id, time_ns);
    return 1;
}

void pithi_nest_leave(struct pithi_nest *nest, uint32_t lane, uint32_t id, int64_t time_ns)
{
    struct pithi_nest_lane *l = &nest->lanes[lane];
    uint32_t at = l->count;
    while (at > 0 && l->ids[at - 1] != id)
        at--;
    if (at-- == 0)
        return;
    for (uint32_t i = l->count; nest->end && i > at; i--)
        nest->end(nest->context, lane, l->ids[i - 1], time_ns);
    l->count--;
    memmove(l->ids + at, l->ids + at + 1, (l->count - at) * sizeof *l->ids);
    for (uint32_t i = at; nest->begin && i < l->count; i++)
        nest->begin(nest->context, lane, l->ids[i], time_ns);
    if (nest->losses)
        nest->losses->count[PITHI_LOSS_SPLIT] += l->count - at;
}

/* ---- Losses ------------------------------------------------------------------------------------------------------ */

/* Counts losses of records during a walk, and losses of definitions, lanes and properties at its end. */

#define LOSS_TEXT(name, text) [PITHI_LOSS_##name] = (text),
static const char *const texts[PITHI_LOSSES] = {PITHI_LOSS_LIST(LOSS_TEXT)};
#undef LOSS_TEXT

int pithi_losses_open(struct pithi_losses *losses, struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_map first_of = {0};
    int ok;
    *losses = (struct pithi_losses){.log = log,
                                    .used = calloc(info->defs + (size_t)1, 1),
                                    .first = calloc(info->lanes + (size_t)1, sizeof *losses->first),
                                    .stack_ids = {UINT32_MAX, UINT32_MAX},
                                    .posted = calloc(info->lanes + (size_t)1, sizeof *losses->posted)};
    ok = losses->used && losses->first && losses->posted;
    for (uint32_t i = 0; ok && i < info->lanes; i++) {
        uint64_t *first = pithi_map_at(&first_of, (uint32_t)pithlog_get_lane(log, i)->rank);
        ok = first != NULL;
        if (ok)
            losses->first[i] = (uint32_t)((*first = *first ? *first : i + (uint64_t)1) - 1);
    }
    for (uint32_t i = 0; i < info->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, "pith:sample") == 0)
            losses->stack_ids[0] = i;
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, "pith:site") == 0)
            losses->stack_ids[1] = i;
    }
    pithi_map_free(&first_of);
    return ok ? PITH_OK : pithi_no_memory();
}

void pithi_losses_close(struct pithi_losses *losses)
{
    free(losses->used);
    free(losses->first);
    free(losses->posted);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

void pithi_losses_zero(struct pithi_losses *losses, int64_t zero_ns)
{
    losses->zero_ns = zero_ns;
    losses->count[PITHI_LOSS_ORIGIN] = zero_ns < 0 ? 0 - (uint64_t)zero_ns : (uint64_t)zero_ns;
}

static void see_message(struct pithi_losses *losses, const struct pithlog_record *r)
{
    uint64_t *count = losses->count, *posted = &losses->posted[losses->first[r->lane]];
    if (r->kind == PITHLOG_RECV) {
        count[PITHI_LOSS_POSTED] += r->posted < *posted;
        *posted = r->posted < *posted ? *posted : r->posted + 1;
        count[PITHI_LOSS_EMPTY_RECVS] += r->peer < 0;
    }
    losses->ends += r->kind == PITHLOG_SEND || r->peer >= 0;
    count[PITHI_LOSS_MESSAGE_COMMS] += r->peer >= 0 && r->comm != 0;
    count[PITHI_LOSS_THREADS] += r->peer >= 0 && losses->first[r->lane] != r->lane;
}

static int is_stack(const struct pithi_losses *losses, uint32_t id)
{
    return id == losses->stack_ids[0] || id == losses->stack_ids[1];
}

void pithi_losses_record(struct pithi_losses *losses, const struct pithlog_record *r, enum pithi_edge edge)
{
    uint64_t *count = losses->count;
    int has_definition = r->kind <= PITHLOG_COUNTER;
    if (has_definition && r->id < pithlog_get_info(losses->log)->defs)
        losses->used[r->id] |= 1;
    count[PITHI_LOSS_ROUNDED] += ((uint64_t)r->time_ns - (uint64_t)losses->zero_ns) % 1000 != 0;
    count[PITHI_LOSS_OPEN_START] += edge == PITHI_EDGE_START;
    count[PITHI_LOSS_OPEN_END] += edge == PITHI_EDGE_END;
    count[PITHI_LOSS_OPEN_HOLE] += edge == PITHI_EDGE_HOLE && r->kind == PITHLOG_LEAVE;
    count[PITHI_LOSS_ON_COMM] += (r->kind == PITHLOG_ENTER || r->kind == PITHLOG_EVENT) && r->comm != 0;
    count[PITHI_LOSS_STACKS] += r->kind == PITHLOG_EVENT && is_stack(losses, r->id);
    count[PITHI_LOSS_PAYLOADS] += r->kind == PITHLOG_EVENT && r->payload_bytes > 0;
    count[PITHI_LOSS_COUNTERS] += r->kind == PITHLOG_COUNTER;
    count[PITHI_LOSS_COLLS] += r->kind == PITHLOG_COLL;
    count[PITHI_LOSS_COMM_RECORDS] += r->kind == PITHLOG_COMM_CREATE || r->kind == PITHLOG_COMM_FREE;
    count[PITHI_LOSS_PAUSES] += r->kind == PITHLOG_PAUSE || r->kind == PITHLOG_RESUME;
    count[PITHI_LOSS_LOST] += r->kind == PITHLOG_LOST;
    if (r->kind == PITHLOG_SEND || r->kind == PITHLOG_RECV)
        see_message(losses, r);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

void pithi_losses_colour(struct pithi_losses *losses, uint32_t id, const char *written)
{
    const char *colour = pithlog_get_def(losses->log, id)->colour;
    uint32_t rgb, other;
    if (!*colour || strcmp(colour, written) == 0 ||
        (pithi_colour_parse(colour, &rgb) && pithi_colour_parse(written, &other) && rgb == other))
        return;
    losses->count[*written ? PITHI_LOSS_COLOURS_CHANGED : PITHI_LOSS_COLOURS]++;
}

/* `colours`: colours are not written; `kept`: everything but the colour is written. */
static void see_definition(uint64_t *count, const struct pithlog_def *def, int colours, int kept)
{
    /* readers derive this group from the name if a file has no groups */
    const char *made = def->kind == PITHLOG_STATE ? pithi_name_group(def->name) : "user";
    count[PITHI_LOSS_GROUPS] += strcmp(def->group, made) != 0;
    count[PITHI_LOSS_COLOURS] += (uint64_t)(colours && *def->colour);
    count[PITHI_LOSS_FORMATS] += !kept && def->kind == PITHLOG_EVENT_TYPE && *def->format;
    count[PITHI_LOSS_UNITS] += def->kind == PITHLOG_COUNTER_TYPE && *def->format;
}

static void see_definitions(struct pithi_losses *losses, uint64_t mask)
{
    uint64_t *count = losses->count;
    int colours = mask & PITHI_LOSES(COLOURS) && !(mask & PITHI_LOSES(COLOURS_CHANGED));
    const struct pithlog_def *def;
    for (uint32_t id = 0; (def = pithlog_get_def(losses->log, id)) != NULL; id++) {
        if (def->kind == PITHLOG_COUNTER_TYPE && mask & PITHI_LOSES(COUNTER_DEFS) && !(losses->used[id] & PITHI_KEPT))
            count[PITHI_LOSS_COUNTER_DEFS]++;
        else if (mask & PITHI_LOSES(UNUSED) && !losses->used[id])
            count[PITHI_LOSS_UNUSED]++;
        else
            see_definition(count, def, colours, losses->used[id] & PITHI_KEPT);
    }
}

static void see_places(struct pithi_losses *losses)
{
    uint64_t *count = losses->count;
    const struct pithlog_lane *lane;
    const char *key, *value;
    for (uint32_t i = 0; (lane = pithlog_get_lane(losses->log, i)) != NULL; i++) {
        count[PITHI_LOSS_LANE_NAMES] += lane->name && *lane->name;
        count[PITHI_LOSS_HOSTS] += lane->host && *lane->host;
        count[PITHI_LOSS_NODES] += lane->rank != (int32_t)i || lane->thread != 0;
    }
    count[PITHI_LOSS_COMMS] = pithlog_get_info(losses->log)->comms;
    count[PITHI_LOSS_COMMS] -= count[PITHI_LOSS_COMMS] > 0; /* without the world */
    for (uint32_t i = 0; (key = pithlog_get_property(losses->log, i, &value)) != NULL; i++)
        count[PITHI_LOSS_PROPERTIES] += !pithi_is_code_name(key); /* these are lost with STACKS */
    count[PITHI_LOSS_PROPERTIES] -= losses->kept_properties;
}

void pithi_losses_keep(struct pithi_losses *losses, const char *key)
{
    const char *found, *value;
    for (uint32_t i = 0; (found = pithlog_get_property(losses->log, i, &value)) != NULL; i++)
        losses->kept_properties += strcmp(found, key) == 0;
}

void pithi_losses_tell(struct pithi_losses *losses, const struct pithi_convert *how)
{
    losses->count[PITHI_LOSS_NO_PARTNER] = losses->ends - 2 * losses->matched;
    see_definitions(losses, how->loses);
    see_places(losses);
    for (int i = 0; i < PITHI_LOSSES; i++)
        if (how->loses >> i & 1)
            pithi_note(how, losses->count[i], texts[i]);
}
