/* walk.c - the steps of a log for writers of foreign formats, states that nest, and losses (what a format cannot hold).
 *
 * In a native log a state may end while a state inside it is open. Most formats need nested states. For these formats
 * the inner state is cut in two. All times stay right, but there is one more end and one more begin (the loss SPLIT):
 *
 *     0 enter A   10 enter B   20 leave A   30 leave B
 *     written     A 0 to 20 with B 10 to 20 inside; B 20 to 30
 *
 * Each loss is counted where it happens and reported once at the end, in the same words by all writers. */
#include "foreign/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/colour.h"
#include "base/error.h"
#include "base/map.h"
#include "foreign/names.h"
#include "native/defs.h"
#include "native/layout.h"
#include "native/log.h"
#include "reader/read/carry.h"

int pithi_walk_open(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how)
{
    return pithi_walk_open_lanes(walk, log, how, NULL, 0);
}

int pithi_walk_open_lanes(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how,
                          const uint32_t *lanes, uint32_t count)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_query query = {.lanes = lanes, .lane_count = count, .kinds = UINT32_MAX};

    const int64_t most_ns = (INT64_C(1) << 61) - 1000000; /* 73 years, less 1 ms for formats that round up */
    *walk = (struct pithi_walk){.from_ns = info->start_ns, .to_ns = info->end_ns};
    if (how && how->from_ns > walk->from_ns)
        walk->from_ns = how->from_ns;
    if (how && how->to_ns < walk->to_ns)
        walk->to_ns = how->to_ns;
    query.from_ns = walk->from_ns;
    query.to_ns = walk->to_ns; /* if to_ns is before from_ns, the log has nothing in the window, which is no error */
    if (walk->to_ns < walk->from_ns)
        walk->to_ns = walk->from_ns;
    /* Refuses times beyond most_ns and windows longer than most_ns. Formats count times in seconds, microseconds or
     * ticks, often from the first record, and their readers refuse such times. */
    if (info->records && (walk->from_ns < -most_ns || walk->to_ns > most_ns || walk->to_ns - walk->from_ns > most_ns))
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: its times are too far apart for this format", log->path);
    if (walk->from_ns > info->start_ns || walk->to_ns < info->end_ns)
        CHECK(pithi_carry_open(log, &query, NULL, &walk->carry));
    return pithlog_walk_open(log, &query, &walk->steps);
}

int pithi_walk_next(struct pithi_walk *walk, struct pithlog_step *step)
{
    int status;

    while ((status = pithi_carry_next(walk->carry, &walk->made)) != 0)
        if (status == 1) { /* ignores damage (-1) here, because it is reported when the steps come to it */
            *step = (struct pithlog_step){.lane = walk->made.lane,
                                          .from_ns = walk->made.time_ns,
                                          .to_ns = walk->made.time_ns,
                                          .change = PITHLOG_HAPPENS,
                                          .record = &walk->made};
            return 1;
        }
    pithi_carry_close(walk->carry);
    walk->carry = NULL;
    while ((status = pithlog_walk_next(walk->steps, step)) == 1) {
        if (step->change > PITHLOG_ENDS && step->change != PITHLOG_HAPPENS)
            continue;
        /* Leaves out a LEAVE of a state that is not open. */
        if (step->change == PITHLOG_HAPPENS && step->record->kind == PITHLOG_LEAVE) {
            if (walk->losses)
                walk->losses->count[PITHI_LOSS_UNMATCHED]++;
            continue;
        }
        if (step->why) {
            walk->made =
                step->record
                    ? *step->record
                    : (struct pithlog_record){
                          .lane = step->lane, .kind = PITHLOG_LEAVE, .id = step->open[step->at].id, .peer = -1};
            walk->made.time_ns = step->to_ns;
            step->record = &walk->made;
            if (walk->losses) {
                /* Counts states that begin or end here, although their own ENTER or LEAVE record is not here. */
                struct pithi_losses *losses = walk->losses;
                int ends = step->change == PITHLOG_ENDS;
                losses->count[PITHI_LOSS_OPEN_START] += !ends && step->why & PITHLOG_AT_EDGE;
                losses->count[PITHI_LOSS_OPEN_END] += ends && step->why & PITHLOG_AT_EDGE;
                losses->count[PITHI_LOSS_OPEN_HOLE] += ends && step->why & PITHLOG_AT_HOLE;
                losses->count[PITHI_LOSS_DISCARDED] += (step->why & PITHLOG_DISCARDED) != 0;
            }
        }
        if (walk->losses)
            pithi_losses_record(walk->losses, step->record);
        return 1;
    }
    return status;
}

void pithi_walk_close(struct pithi_walk *walk)
{
    pithi_carry_close(walk->carry);
    pithlog_walk_close(walk->steps);
    walk->steps = NULL;
}

/* Returns 1 if the state step->open[i] must nest with the state that ends in this step. */
static int must_nest(const struct pithi_nest *nest, const struct pithlog_step *step, uint32_t i)
{
    uint32_t id = step->open[i].id, ending = step->why & PITHLOG_DISCARDED ? id : step->open[step->at].id;
    return !nest->is_apart || !nest->is_apart(nest->context, id, ending);
}

void pithi_nest_step(const struct pithi_nest *nest, const struct pithlog_step *step)
{
    uint32_t at = step->at, inside = at + 1;
    if (step->change == PITHLOG_BEGINS) {
        nest->begin(nest->context, step->lane, step->record->id, step->to_ns);
        return;
    }
    if (step->why & PITHLOG_DISCARDED) {
        /* If too many states are open, half of them are discarded, the innermost of these first, each in a step of its
         * own (native/stack.h). The first of these steps ends all of them here; the others do nothing. If instead each
         * step cut the states inside its state in two, this would make millions of ends and begins. */
        if (inside < PITHI_OPEN_OUTER + PITHI_OPEN_FORGOTTEN)
            return;
        at = PITHI_OPEN_OUTER;
    }
    for (uint32_t i = step->depth; i-- > at;)
        if (must_nest(nest, step, i))
            nest->end(nest->context, step->lane, step->open[i].id, step->to_ns);
    for (uint32_t i = inside; i < step->depth; i++)
        if (must_nest(nest, step, i)) {
            nest->begin(nest->context, step->lane, step->open[i].id, step->to_ns);
            nest->losses->count[PITHI_LOSS_SPLIT]++;
        }
}

int pithi_each_record(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each)
{
    const struct pithi_nest nest = {
        .begin = each->enter, .end = each->leave, .context = each->context, .losses = each->losses};
    struct pithi_walk walk;
    struct pithlog_step step;
    int status = 0, ok = 1;

    CHECK(pithi_walk_open(&walk, log, how));
    walk.losses = each->losses;
    if (each->begin)
        each->begin(each->context, walk.from_ns);
    while (ok && !*each->failed && (status = pithi_walk_next(&walk, &step)) == 1) {
        if (!each->enter || step.change == PITHLOG_HAPPENS)
            ok = each->put(each->context, &step);
        else
            pithi_nest_step(&nest, &step);
    }
    pithi_walk_close(&walk);
    return !ok ? pithi_no_memory() : status < 0 ? PITH_ERR_DAMAGED : PITH_OK;
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

/* ---- Losses ------------------------------------------------------------------------------------------------------ */

/* The functions below count losses of records during a walk, and losses of definitions, lanes and properties at the end
 * of the walk. */

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

/* Returns 1 if a time changes when it is written as seconds in a double and read back. Times below 52 days never
 * change. */
static int changes_as_seconds(int64_t time_ns)
{
    const int64_t exact_ns = INT64_C(1) << 52;
    if (time_ns > -exact_ns && time_ns < exact_ns)
        return 0;
    return (int64_t)((double)time_ns / 1e9 * 1e9 + (time_ns < 0 ? -0.5 : 0.5)) != time_ns;
}

void pithi_losses_record(struct pithi_losses *losses, const struct pithlog_record *r)
{
    uint64_t *count = losses->count;
    if (r->kind <= PITHLOG_COUNTER && r->id < pithlog_get_info(losses->log)->defs)
        losses->used[r->id] |= 1;
    count[PITHI_LOSS_SECONDS] += (uint64_t)changes_as_seconds(r->time_ns);
    count[PITHI_LOSS_ROUNDED] += ((uint64_t)r->time_ns - (uint64_t)losses->zero_ns) % 1000 != 0;
    switch (r->kind) {
    case PITHLOG_ENTER:
        count[PITHI_LOSS_ON_COMM] += r->comm != 0;
        break;
    case PITHLOG_EVENT:
        count[PITHI_LOSS_ON_COMM] += r->comm != 0;
        count[PITHI_LOSS_STACKS] += r->id == losses->stack_ids[0] || r->id == losses->stack_ids[1];
        count[PITHI_LOSS_PAYLOADS] += r->payload_bytes > 0;
        break;
    case PITHLOG_COUNTER:
        count[PITHI_LOSS_COUNTERS]++;
        break;
    case PITHLOG_SEND:
    case PITHLOG_RECV: {
        uint64_t *posted = &losses->posted[losses->first[r->lane]];
        if (r->kind == PITHLOG_RECV) {
            /* Counts a receive that was posted before a receive that has already ended. A format without numbers of
             * posting loses this order. */
            count[PITHI_LOSS_POSTED] += r->posted < *posted;
            *posted = r->posted < *posted ? *posted : r->posted + 1;
            count[PITHI_LOSS_EMPTY_RECVS] += r->peer < 0;
        }
        losses->ends += r->kind == PITHLOG_SEND || r->peer >= 0;
        count[PITHI_LOSS_MESSAGE_COMMS] += r->peer >= 0 && r->comm != 0;
        count[PITHI_LOSS_THREADS] += r->peer >= 0 && losses->first[r->lane] != r->lane;
        break;
    }
    case PITHLOG_COLL:
        count[PITHI_LOSS_COLLS]++;
        break;
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        count[PITHI_LOSS_COMM_RECORDS]++;
        break;
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
        count[PITHI_LOSS_PAUSES]++;
        break;
    case PITHLOG_LOST:
        count[PITHI_LOSS_LOST]++;
        break;
    default:
        break;
    }
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

void pithi_losses_keep(struct pithi_losses *losses, const char *key)
{
    const char *found, *value;
    for (uint32_t i = 0; (found = pithlog_get_property(losses->log, i, &value)) != NULL; i++)
        losses->kept_properties += strcmp(found, key) == 0;
}

void pithi_losses_keep_sampling(struct pithi_losses *losses)
{
    pithi_losses_keep(losses, "sample_ns");
    if (pithi_property(losses->log, "sample_ns"))
        pithi_losses_keep(losses, "sample_clock");
}

void pithi_losses_tell(struct pithi_losses *losses, const struct pithi_convert *how)
{
    uint64_t *count = losses->count;
    int colours = how->loses & PITHI_LOSES(COLOURS) && !(how->loses & PITHI_LOSES(COLOURS_CHANGED));
    count[PITHI_LOSS_NO_PARTNER] = losses->ends - 2 * losses->matched;
    /* The walk has counted losses of records. Losses of definitions, lanes and properties are counted here. */
    const struct pithlog_def *def;
    for (uint32_t id = 0; (def = pithlog_get_def(losses->log, id)) != NULL; id++) {
        int kept = losses->used[id] & PITHI_KEPT; /* not 0: the file has the definition, except perhaps its colour */
        if (def->kind == PITHLOG_COUNTER_TYPE && how->loses & PITHI_LOSES(COUNTER_DEFS) && !kept) {
            count[PITHI_LOSS_COUNTER_DEFS]++;
        } else if (how->loses & PITHI_LOSES(UNUSED) && !losses->used[id]) {
            count[PITHI_LOSS_UNUSED]++;
        } else {
            /* `made` is the group that readers make from the name if a format has no groups. Another group is lost. */
            const char *made = def->kind == PITHLOG_STATE ? pithi_name_group(def->name) : "user";
            count[PITHI_LOSS_GROUPS] += strcmp(def->group, made) != 0;
            count[PITHI_LOSS_COLOURS] += (uint64_t)(colours && *def->colour);
            count[PITHI_LOSS_FORMATS] += !kept && def->kind == PITHLOG_EVENT_TYPE && *def->format;
            count[PITHI_LOSS_UNITS] += def->kind == PITHLOG_COUNTER_TYPE && *def->format;
        }
    }
    const struct pithlog_lane *lane;
    const char *key, *value;
    for (uint32_t i = 0; (lane = pithlog_get_lane(losses->log, i)) != NULL; i++) {
        count[PITHI_LOSS_LANE_NAMES] += lane->name && *lane->name;
        count[PITHI_LOSS_HOSTS] += lane->host && *lane->host;
        count[PITHI_LOSS_NODES] += lane->rank != (int32_t)i || lane->thread != 0;
    }
    count[PITHI_LOSS_COMMS] = pithlog_get_info(losses->log)->comms;
    count[PITHI_LOSS_COMMS] -= count[PITHI_LOSS_COMMS] > 0; /* does not count MPI_COMM_WORLD */
    for (uint32_t i = 0; (key = pithlog_get_property(losses->log, i, &value)) != NULL; i++)
        count[PITHI_LOSS_PROPERTIES] += !pithi_is_code_name(key); /* names of functions count as STACKS */
    count[PITHI_LOSS_PROPERTIES] -= losses->kept_properties;
    for (int i = 0; i < PITHI_LOSSES; i++)
        if (how->loses >> i & 1)
            pithi_note(how, count[i], texts[i]);
}
