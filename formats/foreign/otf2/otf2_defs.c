/* otf2_defs.c - the callbacks that copy libotf2's definitions into tables, because libotf2 does not keep them.
 *
 * In an archive, definitions refer to each other by number, and in any order:
 *
 *     Region 12: name = String 40, role = POINT2POINT, paradigm = MPI
 *     String 40: "MPI_Send"
 *     Group 3:   type = REGIONS, members = 12, 13
 *
 * So a callback only copies: it adds a row to the table of its kind, with references as they are. `places` finds a row
 * by its number: region 12 -> index of the row + 1. References are looked up only when events need them, because then
 * all rows exist. A table moves when it grows, so a pointer to a row is valid only until the next row of its kind is
 * added. */
#include "foreign/otf2/otf2_defs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"

void *pithi_otf2_table_get(const struct otf2_table *table, uint64_t ref)
{
    /* UINT64_MAX means "undefined" in libotf2, so no row has this reference */
    uint64_t *place = ref == UINT64_MAX ? NULL : pithi_map_find(&table->places, ref);
    return place ? table->rows + (*place - 1) * table->row_size : NULL;
}

/* Adds a row that is zero except for its reference. Returns NULL if memory runs out, or if the row exists; in the
 * second case *there becomes 1. */
static void *table_add(struct otf2_table *table, uint64_t ref, int *there)
{
    uint64_t *place = ref == UINT64_MAX ? NULL : pithi_map_at(&table->places, ref);

    *there = ref == UINT64_MAX || (place && *place);
    if (!place || *place || !pithi_grow(&table->rows, table->count, &table->room, table->row_size))
        return NULL;
    *place = ++table->count;
    char *row = table->rows + (*place - 1) * table->row_size;
    memset(row, 0, table->row_size);
    memcpy(row, &ref, sizeof ref); /* each struct of a row begins with `ref` */
    return row;
}

const char *pithi_otf2_defs_string(const struct otf2_defs *defs, uint64_t ref)
{
    const struct otf2_string *string = pithi_otf2_table_get(&defs->strings, ref);
    return string ? string->text : "";
}

static uint64_t hash_of(const char *first, const char *second)
{
    return pithi_hash_text(pithi_hash_text(PITHI_HASH, first), second) >> 1;
}

const char *pithi_otf2_defs_note(const struct otf2_defs *defs, const char *what, const char *name)
{
    const uint64_t *place = pithi_map_find(&defs->notes, hash_of(what, name));
    const struct otf2_property *property =
        place ? &OTF2_ROWS(defs->properties, const struct otf2_property)[*place - 1] : NULL;
    const char *key = property ? pithi_otf2_defs_string(defs, property->name) : "";
    size_t size = strlen(what);

    /* The text is compared, too, because two names may have the same hash. */
    return property && strncmp(key, what, size) == 0 && strcmp(key + size, name) == 0
               ? pithi_otf2_defs_string(defs, property->value)
               : "";
}

/* ---- Callbacks of libotf2 ---------------------------------------------------------------------------------------- */

/* Adds a row to a table, and sets `made` to it. If the row exists, or memory runs out, the macro returns from the
 * callback. */
#define NEW_ROW(table, ref)                                                                                            \
    struct otf2_defs *defs = data;                                                                                     \
    int there;                                                                                                         \
    void *made = table_add(&defs->table, ref, &there);                                                                 \
    if (!made)                                                                                                         \
    return there ? OTF2_CALLBACK_SUCCESS : no_memory(defs)

static OTF2_CallbackCode no_memory(struct otf2_defs *defs)
{
    defs->no_memory = 1;
    return OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_ClockProperties(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                            uint64_t realtime)
{
    /* `length`, the length of the trace, is not used: the records show it */
    struct otf2_defs *defs = data;
    (void)length;
    defs->ticks_a_second = resolution;
    defs->offset = offset;
    defs->realtime = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_String(void *data, OTF2_StringRef self, const char *text)
{
    NEW_ROW(strings, self);
    struct otf2_string *row = made;
    row->text = strdup(text ? text : "");
    return row->text ? OTF2_CALLBACK_SUCCESS : no_memory(defs);
}

static OTF2_CallbackCode on_SystemTreeNode(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                           OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    NEW_ROW(nodes, self);
    struct otf2_node *row = made;
    row->name = name;
    row->class_name = class_name;
    row->parent = parent;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_SystemTreeNodeProperty(void *data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name,
                                                   OTF2_Type type, OTF2_AttributeValue value)
{
    const struct otf2_node *of = pithi_otf2_table_get(&((struct otf2_defs *)data)->nodes, node);
    /* Keeps only the properties of the root of the system tree, which apply to the whole archive. Properties of other
     * nodes describe hosts and sockets. */
    if (type != OTF2_TYPE_STRING || (of && of->parent != OTF2_UNDEFINED_SYSTEM_TREE_NODE))
        return OTF2_CALLBACK_SUCCESS;
    NEW_ROW(properties, defs->properties.count);
    struct otf2_property *row = made;
    row->name = name;
    row->value = value.stringRef;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_LocationGroup(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                          OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                          OTF2_LocationGroupRef creator)
{
    NEW_ROW(processes, self);
    struct otf2_process *row = made;
    row->name = name;
    row->type = type;
    row->node = node;
    row->creator = creator;
    row->rank = -1; /* set when the ranks are known (otf2_places.c) */
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef process)
{
    NEW_ROW(locations, self);
    struct otf2_location *row = made;
    row->name = name;
    row->type = type;
    row->process = process;
    row->events = events;
    row->last_ns = INT64_MIN; /* before any record */
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Region(void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t first, uint32_t last)
{
    (void)description, (void)flags, (void)file, (void)first, (void)last;
    NEW_ROW(regions, self);
    struct otf2_region *row = made;
    row->name = name != OTF2_UNDEFINED_STRING ? name : canonical; /* without a name, takes the name of the symbol */
    row->paradigm = paradigm;
    row->role = role;
    return OTF2_CALLBACK_SUCCESS;
}

/* Returns 0, 1 or 2: how likely it is that the members of a group of this paradigm are the ranks of MPI. It is most
 * likely for MPI, then for other libraries with processes. Paradigms of threads have such groups, too. */
static int ranks_likely(OTF2_Paradigm paradigm)
{
    return paradigm == OTF2_PARADIGM_MPI
               ? 2
               : paradigm == OTF2_PARADIGM_SHMEM || paradigm == OTF2_PARADIGM_GASPI || paradigm == OTF2_PARADIGM_UPC;
}

static int copy_members(struct otf2_group *row, uint32_t count, const uint64_t *members)
{
    free(row->members);
    row->count = count;
    row->members = malloc((count + (size_t)1) * sizeof *members);
    if (row->members && count)
        memcpy(row->members, members, count * sizeof *members);
    return row->members != NULL;
}

static OTF2_CallbackCode on_Group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    struct otf2_group *ranks = &((struct otf2_defs *)data)->ranks;
    (void)flags;
    /* The group that lists the locations of the ranks is kept in defs->ranks and not in the table of groups, because
     * eztrace uses its reference again for another group. */
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
        /* Keeps the group that was found before, if it is at least as likely to list the ranks of MPI. */
        if (ranks_likely(paradigm) <= (ranks->members ? ranks_likely(ranks->paradigm) : 0))
            return OTF2_CALLBACK_SUCCESS;
        ranks->paradigm = paradigm;
        return copy_members(ranks, count, members) ? OTF2_CALLBACK_SUCCESS : no_memory(data);
    }
    NEW_ROW(groups, self);
    struct otf2_group *row = made;
    row->name = name;
    row->type = type;
    row->paradigm = paradigm;
    return copy_members(row, count, members) ? OTF2_CALLBACK_SUCCESS : no_memory(defs);
}

/* Returns base^exponent, or 1 if the exponent is out of the range of a double. */
static double power(double base, int64_t exponent)
{
    double result = 1;

    if (exponent < -308 || exponent > 308)
        return 1;
    for (int64_t i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        result *= base;
    return exponent < 0 ? 1 / result : result;
}

static OTF2_CallbackCode on_MetricMember(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                         OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
                                         OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
    (void)description, (void)type, (void)mode, (void)value_type;
    NEW_ROW(members, self);
    struct otf2_member *row = made;
    row->name = name;
    row->unit = unit;
    /* If values are in ms, the unit is "s", the base 10 and the exponent -3, so the factor is 0.001. */
    row->factor = power(base == OTF2_BASE_BINARY ? 2 : 10, exponent);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_MetricClass(void *data, OTF2_MetricRef self, uint8_t count,
                                        const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                        OTF2_RecorderKind recorder)
{
    (void)occurrence, (void)recorder;
    NEW_ROW(metrics, self);
    struct otf2_metric *row = made;
    /* A class has the undefined reference here; an instance has the reference of its class. */
    row->of = OTF2_UNDEFINED_METRIC;
    row->count = count;
    row->members = malloc((count + (size_t)1) * sizeof *members);
    row->ids = calloc(count + (size_t)1, sizeof *row->ids); /* 0: no counter yet */
    if (!row->members || !row->ids)
        return no_memory(defs);
    memcpy(row->members, members, count * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_MetricInstance(void *data, OTF2_MetricRef self, OTF2_MetricRef metric,
                                           OTF2_LocationRef recorder, OTF2_MetricScope kind, uint64_t scope)
{
    (void)recorder;
    NEW_ROW(metrics, self);
    struct otf2_metric *row = made;
    row->of = metric;
    row->scope_kind = kind;
    row->scope = scope;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_InterComm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                      OTF2_GroupRef remote, OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)common, (void)flags;
    NEW_ROW(comms, self);
    struct otf2_comm *row = made;
    row->name = name;
    row->group = group; /* only the reference: the group may be defined later */
    row->remote = remote;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    /* A communicator with one group has the same kind of row as an intercommunicator, but no remote group. */
    return on_InterComm(data, self, name, group, OTF2_UNDEFINED_GROUP, parent, flags);
}

static OTF2_CallbackCode on_RmaWin(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                   OTF2_RmaWinFlag flags)
{
    (void)name, (void)flags;
    NEW_ROW(windows, self);
    ((struct otf2_window *)made)->comm = comm;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
{
    NEW_ROW(parameters, self);
    struct otf2_parameter *row = made;
    row->name = name;
    row->type = type;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_CallingContext(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                           OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent)
{
    (void)source;
    NEW_ROW(contexts, self);
    struct otf2_context *row = made;
    row->region = region;
    row->parent = parent;
    return OTF2_CALLBACK_SUCCESS;
}

/* Stores the interval between samples in seconds, if the generator takes samples by time. A generator that takes
 * samples by a counter has no such interval. */
static OTF2_CallbackCode on_InterruptGenerator(void *data, OTF2_InterruptGeneratorRef self, OTF2_StringRef name,
                                               OTF2_InterruptGeneratorMode mode, OTF2_Base base, int64_t exponent,
                                               uint64_t period)
{
    struct otf2_defs *defs = data;
    (void)self, (void)name;
    if (mode == OTF2_INTERRUPT_GENERATOR_MODE_TIME && defs->sample_s == 0) /* the first generator decides */
        defs->sample_s = (double)period * power(base == OTF2_BASE_BINARY ? 2 : 10, exponent);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_otf2_defs_read(struct otf2_defs *defs, const struct pithi_otf2 *otf2, OTF2_Reader *reader, const char *path)
{
    /* Ticks of 1 ns are assumed until the properties of the clock come. */
    *defs = (struct otf2_defs){.ticks_a_second = 1000000000, .realtime = OTF2_UNDEFINED_TIMESTAMP};
    defs->strings.row_size = sizeof(struct otf2_string);
    defs->nodes.row_size = sizeof(struct otf2_node);
    defs->properties.row_size = sizeof(struct otf2_property);
    defs->processes.row_size = sizeof(struct otf2_process);
    defs->locations.row_size = sizeof(struct otf2_location);
    defs->regions.row_size = sizeof(struct otf2_region);
    defs->groups.row_size = sizeof(struct otf2_group);
    defs->comms.row_size = sizeof(struct otf2_comm);
    defs->windows.row_size = sizeof(struct otf2_window);
    defs->members.row_size = sizeof(struct otf2_member);
    defs->metrics.row_size = sizeof(struct otf2_metric);
    defs->parameters.row_size = sizeof(struct otf2_parameter);
    defs->contexts.row_size = sizeof(struct otf2_context);

    OTF2_GlobalDefReader *global = otf2->Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = otf2->GlobalDefReaderCallbacks_New();
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint64_t count;
    if (global && callbacks) {
/* registers on_String by OTF2_GlobalDefReaderCallbacks_SetStringCallback, and so on */
#define SET(name) otf2->GlobalDefReaderCallbacks_Set##name##Callback(callbacks, on_##name);
        PITHI_OTF2_GLOBAL_DEFS(SET)
#undef SET
        otf2->Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, defs);
        code = otf2->Reader_ReadAllGlobalDefinitions(reader, global, &count);
    }
    otf2->GlobalDefReaderCallbacks_Delete(callbacks);
    if (defs->no_memory) /* reports the callback's error, as libotf2 only reports "interrupted" */
        return pithi_no_memory();
    if (!global || !callbacks || code != OTF2_SUCCESS)
        return pithi_otf2_fail(PITH_ERR_DAMAGED, path, "its definitions cannot be read", code);

    if (defs->ticks_a_second == 0)
        return pithi_fail(PITH_ERR_DAMAGED, "%s: its clock has 0 ticks a second", path);
    /* Stores in each region the first group that contains it. */
    const struct otf2_group *group = OTF2_ROWS(defs->groups, const struct otf2_group);
    for (uint32_t i = 0; i < defs->groups.count; i++)
        for (uint32_t k = 0; group[i].type == OTF2_GROUP_TYPE_REGIONS && k < group[i].count; k++) {
            struct otf2_region *region = pithi_otf2_table_get(&defs->regions, group[i].members[k]);
            if (region && !region->group)
                region->group = group[i].ref + 1; /* + 1: 0 is a region without a group */
        }
    const struct otf2_property *property = OTF2_ROWS(defs->properties, const struct otf2_property);
    for (uint32_t i = 0; i < defs->properties.count; i++) {
        uint64_t *place = pithi_map_at(&defs->notes, hash_of(pithi_otf2_defs_string(defs, property[i].name), ""));
        if (!place)
            CHECK(pithi_no_memory());
        *place = *place ? *place : i + (uint64_t)1; /* of properties with the same name, the first decides */
    }
    return PITH_OK;
}

static void table_free(struct otf2_table *table)
{
    pithi_map_free(&table->places);
    free(table->rows);
}

void pithi_otf2_defs_free(struct otf2_defs *defs)
{
    for (uint32_t i = 0; i < defs->strings.count; i++)
        free(OTF2_ROWS(defs->strings, struct otf2_string)[i].text);
    for (uint32_t i = 0; i < defs->groups.count; i++)
        free(OTF2_ROWS(defs->groups, struct otf2_group)[i].members);
    for (uint32_t i = 0; i < defs->metrics.count; i++) {
        free(OTF2_ROWS(defs->metrics, struct otf2_metric)[i].members);
        free(OTF2_ROWS(defs->metrics, struct otf2_metric)[i].ids);
    }
    free(defs->ranks.members);
    pithi_map_free(&defs->notes);
    table_free(&defs->strings);
    table_free(&defs->nodes);
    table_free(&defs->properties);
    table_free(&defs->processes);
    table_free(&defs->locations);
    table_free(&defs->regions);
    table_free(&defs->groups);
    table_free(&defs->comms);
    table_free(&defs->windows);
    table_free(&defs->members);
    table_free(&defs->metrics);
    table_free(&defs->parameters);
    table_free(&defs->contexts);
}
