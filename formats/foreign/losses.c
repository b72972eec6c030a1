/* losses.c - see losses.h. */
#include "foreign/losses.h"

#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "error.h"
#include "foreign/lookup.h"
#include "foreign/names.h"

#define LOSS_TEXT(name, text) [PITHI_LOSS_##name] = (text),
static const char *const texts[PITHI_LOSSES] = {PITHI_LOSS_LIST(LOSS_TEXT)};
#undef LOSS_TEXT

int pithi_losses_open(struct pithi_losses *losses, struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_lookup first_of = {0};
    int ok;
    *losses = (struct pithi_losses){.log = log,
                                    .used = calloc(info->defs + (size_t)1, 1),
                                    .first = calloc(info->lanes + (size_t)1, sizeof *losses->first),
                                    .posted = calloc(info->lanes + (size_t)1, sizeof *losses->posted)};
    ok = losses->used && losses->first && losses->posted;
    for (uint32_t i = 0; ok && i < info->lanes; i++) {
        uint64_t *first = pithi_lookup_at(&first_of, (uint32_t)pithlog_get_lane(log, i)->rank);
        ok = first != NULL;
        if (ok)
            losses->first[i] = (uint32_t)((*first = *first ? *first : i + (uint64_t)1) - 1);
    }
    pithi_lookup_free(&first_of);
    return ok ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "out of memory");
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

void pithi_losses_record(struct pithi_losses *losses, const struct pithlog_record *r, enum pithi_edge edge)
{
    uint64_t *count = losses->count;
    int has_definition = r->kind <= PITHLOG_COUNTER;
    if (has_definition && r->id < pithlog_get_info(losses->log)->defs)
        losses->used[r->id] |= 1;
    count[PITHI_LOSS_ROUNDED] += ((uint64_t)r->time_ns - (uint64_t)losses->zero_ns) % 1000 != 0;
    count[PITHI_LOSS_OPEN_START] += edge == PITHI_EDGE_START;
    count[PITHI_LOSS_OPEN_END] += edge == PITHI_EDGE_END;
    count[PITHI_LOSS_ON_COMM] += (r->kind == PITHLOG_ENTER || r->kind == PITHLOG_EVENT) && r->comm != 0;
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

/* `colours`: none are written; `kept`: all but the colour is. */
static void see_definition(uint64_t *count, const struct pithlog_def *def, int colours, int kept)
{
    /* What readers make of a name when a file has no groups. */
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
    const char *value;
    for (uint32_t i = 0; (lane = pithlog_get_lane(losses->log, i)) != NULL; i++) {
        count[PITHI_LOSS_LANE_NAMES] += lane->name && *lane->name;
        count[PITHI_LOSS_HOSTS] += lane->host && *lane->host;
        count[PITHI_LOSS_NODES] += lane->rank != (int32_t)i || lane->thread != 0;
    }
    count[PITHI_LOSS_COMMS] = pithlog_get_info(losses->log)->comms;
    count[PITHI_LOSS_COMMS] -= count[PITHI_LOSS_COMMS] > 0; /* the world */
    while (pithlog_get_property(losses->log, (uint32_t)count[PITHI_LOSS_PROPERTIES], &value))
        count[PITHI_LOSS_PROPERTIES]++;
    count[PITHI_LOSS_PROPERTIES] -= losses->kept_properties;
}

void pithi_losses_keep(struct pithi_losses *losses, const char *key)
{
    const char *found, *value;
    for (uint32_t i = 0; (found = pithlog_get_property(losses->log, i, &value)) != NULL; i++)
        losses->kept_properties += strcmp(found, key) == 0;
}

void pithi_losses_tell(struct pithi_losses *losses, const struct pithi_convert *how, uint64_t mask)
{
    losses->count[PITHI_LOSS_NO_PARTNER] = losses->ends - 2 * losses->matched;
    see_definitions(losses, mask);
    see_places(losses);
    for (int i = 0; i < PITHI_LOSSES; i++)
        if (mask >> i & 1)
            pithi_note(how, losses->count[i], texts[i]);
}
