/* otf2_write_defs.c - writes the definitions. otf2-print needs references that ascend from 0 without a gap and refer
 * only to earlier definitions. Communicators refer to locations, and locations contain the counts of their events. So
 * communicators are written after the events.
 *
 * The reference of a location may be any number. It contains the rank and the thread, as in Score-P: thread 1 of rank 3
 * is 1 * 2^32 + 3 = 4294967299. So a reader finds the rank and the thread of a lane, whatever the name of the lane is.
 *
 * Facts for which OTF2 has no place (colours, formats of payloads) become properties of the root of the system tree,
 * such as "colour of state solve". Other tools show or ignore these properties; Pith's reader uses them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text_fields.h"
#include "foreign/names.h"
#include "foreign/otf2/otf2_library.h"
#include "foreign/otf2/otf2_writer.h"
#include "native/log.h"

#define DEFINE OTF2_PUT_DEF

enum { GROUP_LOCATIONS, GROUP_WORLD, GROUPS };
enum { TREE_ROOT = 0 }; /* reference of the root node */

OTF2_StringRef pithi_otf2_put_string(struct otf2_writer *w, const char *text)
{
    DEFINE(String, w->strings, text);
    return w->strings++;
}

/* Writes a string, or finds the number of a string that was written recently. The table is small, so a new text
 * replaces the text that has the same slot. */
OTF2_StringRef pithi_otf2_put_text(struct otf2_writer *w, const char *text)
{
    struct otf2_text *slot = &w->texts[(pithi_hash_text(PITHI_HASH, text) >> 1) % OTF2_TEXTS];

    if (slot->text && strcmp(slot->text, text) == 0)
        return slot->ref;
    free(slot->text);
    slot->text = strdup(text);
    slot->ref = pithi_otf2_put_string(w, text);
    return slot->ref;
}

uint64_t pithi_otf2_location(const struct pithlog_lane *lane)
{
    return pithi_map_pair(lane->thread, (uint32_t)lane->rank);
}

/* ---- States, events, counters ------------------------------------------------------------------------------------ */

static void put_property(struct otf2_writer *w, const char *key, const char *value)
{
    OTF2_AttributeValue text = {.stringRef = pithi_otf2_put_text(w, value)};
    DEFINE(SystemTreeNodeProperty, TREE_ROOT, pithi_otf2_put_text(w, key), OTF2_TYPE_STRING, text);
}

/* Adds a property such as "colour of state solve". */
static void put_note(struct otf2_writer *w, const char *what, const struct pithlog_def *def, const char *value)
{
    static const char *const kinds[] = {"state", "event", "counter"};
    char *key;

    if (!*value)
        return;
    if (asprintf(&key, "%s of %s %s", what, kinds[def->kind], def->name) < 0) {
        w->no_memory = 1;
        return;
    }
    put_property(w, key, value);
    free(key);
}

static void put_region(struct otf2_writer *w, uint32_t id, const struct pithlog_def *def)
{
    OTF2_StringRef name = pithi_otf2_put_text(w, def->name), none = pithi_otf2_put_text(w, "");

    /* The collective operation of the state is looked up once here, for all its calls. */
    w->written[id].operation = pithi_otf2_operation(def->name);
    DEFINE(Region, w->written[id].ref, name, name, none, pithi_otf2_role(def->name, def->group),
           pithi_otf2_paradigm(def->name, def->group), OTF2_REGION_FLAG_NONE, none, 0, 0);
}

uint32_t pithi_otf2_put_parameter(struct otf2_writer *w, const char *name, OTF2_ParameterType type)
{
    OTF2_StringRef string = pithi_otf2_put_text(w, name);

    DEFINE(Parameter, w->parameters, string, type);
    return w->parameters++;
}

/* An event with a single whole number becomes a parameter of that type. All other events become string parameters. */
static void put_event_type(struct otf2_writer *w, uint32_t id, const struct pithlog_def *def)
{
    static const OTF2_ParameterType types[] = {OTF2_PARAMETER_TYPE_STRING, OTF2_PARAMETER_TYPE_INT64,
                                               OTF2_PARAMETER_TYPE_UINT64};
    char token = pithi_token_single(def->format);

    w->written[id].value = token && strchr("hdl", token)  ? OTF2_VALUE_INT
                           : token && strchr("xX", token) ? OTF2_VALUE_UINT
                                                          : OTF2_VALUE_TEXT;
    pithi_otf2_put_parameter(w, def->name, types[w->written[id].value]);
}

static void put_metric(struct otf2_writer *w, uint32_t id, const struct pithlog_def *def)
{
    OTF2_MetricMemberRef ref = w->written[id].ref;
    OTF2_StringRef name = pithi_otf2_put_text(w, def->name), none = pithi_otf2_put_text(w, "");

    /* The metric has one member, whose events give its value at a moment (ABSOLUTE_POINT). The unit is the format of
     * the counter. */
    DEFINE(MetricMember, ref, name, none, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE,
           OTF2_BASE_DECIMAL, 0, pithi_otf2_put_text(w, def->format));
    DEFINE(MetricClass, ref, 1, &ref, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
}

static int put_state_groups(struct otf2_writer *w, OTF2_GroupRef ref)
{
    uint64_t *members = malloc((w->def_count + (size_t)1) * sizeof *members);
    char *done = calloc(w->def_count + (size_t)1, 1);
    int ok = members && done;

    /* Makes one group for each group name of the log. It contains all states with this group name. */
    for (uint32_t first = 0; ok && first < w->def_count; first++) {
        const struct pithlog_def *of = pithlog_get_def(w->log, first), *def;
        uint32_t count = 0;
        if (of->kind != PITHLOG_STATE || done[first])
            continue;
        for (uint32_t id = first; (def = pithlog_get_def(w->log, id)); id++)
            if (def->kind == PITHLOG_STATE && strcmp(def->group, of->group) == 0) {
                members[count++] = w->written[id].ref;
                done[id] = 1;
            }
        DEFINE(Group, ref++, pithi_otf2_put_text(w, of->group), OTF2_GROUP_TYPE_REGIONS,
               pithi_otf2_paradigm("", of->group), OTF2_GROUP_FLAG_NONE, count, members);
    }
    free(members);
    free(done);
    return ok;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

static void put_group(struct otf2_writer *w, OTF2_GroupRef ref, OTF2_StringRef name, OTF2_GroupType type,
                      const uint64_t *members, uint32_t count)
{
    DEFINE(Group, ref, name, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members);
}

/* Numbers the members of a group, because messages refer to their partners by these numbers. Ranks that the log does
 * not have get no number, because they are also left out of the group in the archive. Returns 0 if memory runs out. */
static int learn_members(struct otf2_writer *w, uint32_t key, const int32_t *ranks, int32_t size)
{
    uint32_t count = 0;

    for (int32_t i = 0; i < size; i++) {
        uint64_t *place = NULL;
        if (!pithi_map_find(&w->ranks, (uint32_t)ranks[i])) {
            w->strangers++;
            continue;
        }
        if (!(place = pithi_map_at(&w->members, pithi_map_pair(key, (uint32_t)ranks[i]))))
            return 0;
        *place = ++count;
    }
    return 1;
}

static int put_members(struct otf2_writer *w, OTF2_GroupRef ref, const int32_t *ranks, int32_t size)
{
    uint64_t *members = malloc(((size_t)size + 1) * sizeof *members);
    uint32_t count = 0;

    if (!members)
        return 0;
    for (int32_t i = 0; i < size; i++) {
        const uint64_t *place = pithi_map_find(&w->ranks, (uint32_t)ranks[i]);
        if (place)
            members[count++] = *place - 1;
    }
    put_group(w, ref, pithi_otf2_put_text(w, ""), OTF2_GROUP_TYPE_COMM_GROUP, members, count);
    free(members);
    return 1;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_otf2_put_definitions(struct otf2_writer *w)
{
    w->written = calloc(w->def_count + (size_t)1, sizeof *w->written);
    if (!w->written)
        return 0;
    DEFINE(Paradigm, OTF2_PARADIGM_USER, pithi_otf2_put_text(w, "user"), OTF2_PARADIGM_CLASS_PROCESS);
    DEFINE(Paradigm, OTF2_PARADIGM_MPI, pithi_otf2_put_text(w, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    static void (*const put[])(struct otf2_writer * w, uint32_t id,
                               const struct pithlog_def *def) = {put_region, put_event_type, put_metric};
    const struct pithlog_def *def;
    uint32_t next[3] = {0};
    /* Each kind has its own references, so region 0, metric 0 and parameter 0 can be three definitions. */
    for (uint32_t id = 0; (def = pithlog_get_def(w->log, id)); id++) {
        w->written[id].ref = next[def->kind]++;
        put[def->kind](w, id, def);
    }
    w->regions = next[PITHLOG_STATE];
    pithi_otf2_contexts_open(w);
    /* Numbers the ranks and the members of communicators, because groups and messages refer to these numbers. */
    const struct pithlog_lane *lane;
    for (uint32_t i = 0; (lane = pithlog_get_lane(w->log, i)); i++) {
        uint64_t *place = pithi_map_at(&w->ranks, (uint32_t)lane->rank);
        if (!place)
            return 0;
        /* The value is the number of the rank among all ranks of the log, + 1. w->ranks.count already includes the new
         * entry. */
        *place = *place ? *place : w->ranks.count;
    }
    const struct pithlog_comm *comm;
    for (uint32_t i = 1; (comm = pithlog_get_comm(w->log, i)); i++) {
        if (!learn_members(w, i, comm->world_ranks, comm->size))
            return 0;
        if (comm->remote_size > 0 &&
            !learn_members(w, otf2_remote(i), comm->world_ranks + comm->size, comm->remote_size))
            return 0;
    }
    return 1;
}

/* ---- Places, written after the events ---------------------------------------------------------------------------- */

/* Returns the node of a host, which is made at its first use. Ranks of an unknown host are placed below the root. */
static OTF2_SystemTreeNodeRef put_host(struct otf2_writer *w, struct pithi_map *hosts, const char *host)
{
    uint64_t *node;

    if (!*host)
        return TREE_ROOT;
    if (!(node = pithi_map_at(hosts, (pithi_hash_text(PITHI_HASH, host) >> 1)))) {
        w->no_memory = 1;
        return TREE_ROOT;
    }
    if (*node == 0) {
        *node = hosts->count;
        DEFINE(SystemTreeNode, (OTF2_SystemTreeNodeRef)*node, pithi_otf2_put_text(w, host),
               pithi_otf2_put_text(w, "node"), TREE_ROOT);
        DEFINE(SystemTreeNodeDomain, (OTF2_SystemTreeNodeRef)*node, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
    return (OTF2_SystemTreeNodeRef)*node;
}

int pithi_otf2_put_places(struct otf2_writer *w, const struct pithi_walk *window)
{
    /* + 1, so that the interval contains its last record */
    uint64_t length = window->to_ns < 0 ? 1 : (uint64_t)window->to_ns + 1;
    OTF2_GroupRef group = GROUPS;
    /* The start of the log in ns since 1970, or "undefined" if the log does not say when it started. */
    const char *start = pithi_property(w->log, "start_unix_s");
    int64_t ns;
    uint64_t realtime = start && pithi_text_seconds(start, &ns) && ns > 0 ? (uint64_t)ns : OTF2_UNDEFINED_TIMESTAMP;

    DEFINE(ClockProperties, 1000000000, w->shift, length, realtime);
    OTF2_StringRef machine = pithi_otf2_put_text(w, "machine");
    DEFINE(SystemTreeNode, TREE_ROOT, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    if (pithlog_get_info(w->log)->lanes) {
        struct pithi_map hosts = {0};
        const struct pithlog_lane *lane;
        int64_t rank = -1;
        uint32_t process = UINT32_MAX;
        char name[32];
        for (uint32_t i = 0; (lane = pithlog_get_lane(w->log, i)); i++) {
            /* A new rank becomes a process on the node of its host. */
            if (lane->rank != rank) {
                OTF2_SystemTreeNodeRef node = put_host(w, &hosts, lane->host);
                rank = lane->rank;
                snprintf(name, sizeof name, "MPI Rank %" PRId32, lane->rank);
                DEFINE(LocationGroup, ++process, pithi_otf2_put_text(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                       OTF2_UNDEFINED_LOCATION_GROUP);
            }
            char generic[32];
            snprintf(generic, sizeof generic, lane->thread ? "Thread %" PRIu32 : "Master thread", lane->thread);
            DEFINE(Location, pithi_otf2_location(lane), pithi_otf2_put_text(w, *lane->name ? lane->name : generic),
                   OTF2_LOCATION_TYPE_CPU_THREAD, w->events[i], process);
        }
        pithi_map_free(&hosts);
    } else {
        /* Readers expect at least one location, so a log without lanes gets a dummy. */
        DEFINE(LocationGroup, 0, pithi_otf2_put_text(w, "nobody"), OTF2_LOCATION_GROUP_TYPE_PROCESS, TREE_ROOT,
               OTF2_UNDEFINED_LOCATION_GROUP);
        DEFINE(Location, 0, pithi_otf2_put_text(w, "nothing"), OTF2_LOCATION_TYPE_METRIC, 0, 0);
    }

    /* Properties of the root keep facts for which OTF2 has no place. */
    const struct pithlog_def *def;
    const char *key, *value;
    /* `kinds` keeps the order in which states, events and counters were defined, as a letter for each definition: "sse"
     * is two states and an event. */
    char *kinds = malloc(w->def_count + (size_t)1);
    w->no_memory |= !kinds;
    for (uint32_t id = 0; kinds && id < w->def_count; id++)
        kinds[id] = "sec"[pithlog_get_def(w->log, id)->kind];
    if (kinds) {
        kinds[w->def_count] = 0;
        put_property(w, "kinds of definitions", kinds);
    }
    free(kinds);
    for (uint32_t i = 0; (key = pithlog_get_property(w->log, i, &value)); i++)
        put_property(w, key, value);
    for (uint32_t id = 0; (def = pithlog_get_def(w->log, id)); id++) {
        put_note(w, "colour", def, def->colour);
        /* "user" is left out, because the reader assumes it */
        if (def->kind != PITHLOG_STATE && strcmp(def->group, "user") != 0)
            put_note(w, "group", def, def->group);
        if (def->kind == PITHLOG_EVENT_TYPE)
            put_note(w, "payload", def, def->format);
    }

    /* The first group lists the locations of the MPI ranks. All other groups refer to members by their index in this
     * list. */
    uint64_t *members = malloc((w->ranks.count + (size_t)1) * sizeof *members);
    const struct pithlog_lane *lane;
    uint32_t count = 0;
    int32_t rank = -1;

    if (!members)
        return 0;
    for (uint32_t i = 0; (lane = pithlog_get_lane(w->log, i)); i++)
        if (lane->rank != rank) {
            members[count++] = pithi_otf2_location(lane);
            rank = lane->rank;
        }
    OTF2_StringRef world = pithi_otf2_put_text(w, "MPI_COMM_WORLD");
    put_group(w, GROUP_LOCATIONS, pithi_otf2_put_text(w, "MPI ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS, members, count);
    /* the world has all ranks, in order */
    for (uint32_t i = 0; i < count; i++)
        members[i] = i;
    put_group(w, GROUP_WORLD, world, OTF2_GROUP_TYPE_COMM_GROUP, members, count);
    DEFINE(Comm, 0, world, GROUP_WORLD, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    free(members);

    const struct pithlog_comm *comm;
    for (uint32_t i = 1; (comm = pithlog_get_comm(w->log, i)); i++) {
        /* The flag says that events show when communicators are made and freed, so it is set only if the log has such
         * records. */
        OTF2_CommFlag flags = w->comm_events ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
        /* a communicator with unknown members gets the group of the world */
        OTF2_GroupRef own = comm->size ? group++ : GROUP_WORLD;
        OTF2_StringRef name = pithi_otf2_put_text(w, comm->name);

        w->unknown += comm->size == 0;
        if (comm->size && !put_members(w, own, comm->world_ranks, comm->size))
            return 0;
        if (comm->remote_size == 0) {
            DEFINE(Comm, i, name, own, 0, flags);
            continue;
        }
        if (!put_members(w, group, comm->world_ranks + comm->size, comm->remote_size))
            return 0;
        DEFINE(InterComm, i, name, own, group++, 0, flags);
    }
    return put_state_groups(w, group);
}
