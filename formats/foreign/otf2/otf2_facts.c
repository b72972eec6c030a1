/* otf2_facts.c - turns regions, parameters and metrics into states, events and counters; adds properties. If Pith wrote
 * the archive, all definitions are added in their order. Otherwise only those are added that an event uses, because
 * other tools define hundreds that no event uses.
 *
 * `id` in a row is the id of the definition + 1, so that 0 in a new row means "none yet". A metric instance measures
 * something other than the location that recorded it (a node, a switch); the name of that thing is added to the
 * counter's name: "power (node7)".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "foreign/otf2/otf2_library.h"
#include "foreign/otf2/otf2_reader.h"

int pithi_otf2_own_id(struct otf2_reader *r, enum pithlog_def_kind kind, const char *name, const char *format,
                      uint32_t *id)
{
    struct pithlog_def def = {kind, name, "", kind == PITHLOG_STATE ? "measurement" : "user", format};
    def.group = strncmp(name, "pith:", 5) == 0 ? "pith" : def.group;
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, id);
}

static int add_noted(struct otf2_reader *r, struct pithlog_def *def, const char *kind, uint32_t *id)
{
    char what[64];

    snprintf(what, sizeof what, "colour of %s ", kind);
    def->colour = pithi_otf2_defs_note(&r->defs, what, def->name);
    snprintf(what, sizeof what, "group of %s ", kind);
    const char *group = pithi_otf2_defs_note(&r->defs, what, def->name);
    def->group = *group ? group : def->group;
    int err = pithi_defs_add(pithi_writer_defs(r->writer), def, id);
    ++*id;
    return err;
}

int pithi_otf2_state_id(struct otf2_reader *r, struct otf2_region *region, uint32_t *id)
{
    int err = PITH_OK;

    if (!region->id) { /* the first event of the region */
        const char *name = pithi_otf2_defs_string(&r->defs, region->name);
        const struct otf2_group *group =
            region->group ? pithi_otf2_table_get(&r->defs.groups, region->group - 1) : NULL;
        struct pithlog_def def = {PITHLOG_STATE, name, "", pithi_otf2_group(name, region->paradigm, region->role), ""};
        if (group) /* If the user chose a group, it is used. Otherwise the name, paradigm and role decide. */
            def.group = pithi_otf2_defs_string(&r->defs, group->name);
        err = add_noted(r, &def, "state", &region->id);
    }
    *id = region->id - 1; /* region->id is the definition + 1 */
    return err;
}

int pithi_otf2_event_id(struct otf2_reader *r, struct otf2_parameter *parameter, uint32_t *id)
{
    int err = PITH_OK;

    if (!parameter->id) {
        const char *name = pithi_otf2_defs_string(&r->defs, parameter->name);
        /* In an archive that Pith wrote, a property has the format of the payload. In other archives an event has one
         * value. */
        parameter->format = r->own ? pithi_otf2_defs_note(&r->defs, "payload of event ", name)
                            : parameter->type == OTF2_PARAMETER_TYPE_STRING ? "%s"
                                                                            : "%l";
        struct pithlog_def def = {PITHLOG_EVENT_TYPE, name, "", "user", parameter->format};
        err = add_noted(r, &def, "event", &parameter->id);
    }
    *id = parameter->id - 1;
    return err;
}

static const char *scope_name(const struct otf2_defs *defs, const struct otf2_metric *instance)
{
    /* a scope of any other kind is a node of the system tree */
    const struct otf2_table *table = instance->scope_kind == OTF2_SCOPE_LOCATION         ? &defs->locations
                                     : instance->scope_kind == OTF2_SCOPE_LOCATION_GROUP ? &defs->processes
                                     : instance->scope_kind == OTF2_SCOPE_GROUP          ? &defs->groups
                                                                                         : &defs->nodes;
    const void *row = pithi_otf2_table_get(table, instance->scope);
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;

    if (row && table == &defs->locations)
        name = ((const struct otf2_location *)row)->name;
    else if (row && table == &defs->processes)
        name = ((const struct otf2_process *)row)->name;
    else if (row && table == &defs->groups)
        name = ((const struct otf2_group *)row)->name;
    else if (row)
        name = ((const struct otf2_node *)row)->name;
    return pithi_otf2_defs_string(defs, name);
}

int pithi_otf2_counter_id(struct otf2_reader *r, struct otf2_metric *metric, uint32_t index, uint32_t *id,
                          double *factor)
{
    const struct otf2_metric *class =
        /* the members of an instance are in its class */
        metric->of == OTF2_UNDEFINED_METRIC ? metric : pithi_otf2_table_get(&r->defs.metrics, metric->of);
    const struct otf2_member *member =
        class && index < class->count ? pithi_otf2_table_get(&r->defs.members, class->members[index]) : NULL;
    int err = PITH_OK;

    *id = UINT32_MAX; /* no such member */
    if (!member)
        return PITH_OK;
    if (!metric->ids && !(metric->ids = calloc(class->count + (size_t)1, sizeof *metric->ids)))
        return pithi_no_memory();
    if (!metric->ids[index]) {
        struct pithlog_def def = {PITHLOG_COUNTER_TYPE, pithi_otf2_defs_string(&r->defs, member->name), "", "user",
                                  pithi_otf2_defs_string(&r->defs, member->unit)};
        char *longer = NULL;
        /* An instance measures something other than the location that recorded it. The name of that thing is added to
         * the counter's name. */
        if (metric->of != OTF2_UNDEFINED_METRIC) {
            if (asprintf(&longer, "%s (%s)", def.name, scope_name(&r->defs, metric)) < 0)
                return pithi_no_memory();
            def.name = longer; /* the writer copies it */
        }
        err = add_noted(r, &def, "counter", &metric->ids[index]);
        free(longer);
    }
    *id = metric->ids[index] - 1;
    *factor = member->factor;
    return err;
}

/* ---- Archives of Pith -------------------------------------------------------------------------------------------- */

static int is_note(const char *key)
{
    static const char *const notes[] = {"colour of ", "group of ", "payload of ", "kinds of definitions"};

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strncmp(key, notes[i], strlen(notes[i])) == 0)
            return 1;
    return 0;
}

int pithi_otf2_facts_make(struct otf2_reader *r)
{
    const char *kinds = r->own ? pithi_otf2_defs_note(&r->defs, "kinds of definitions", "") : "";
    uint64_t next[3] = {0};
    uint32_t index;

    const struct otf2_property *property = OTF2_ROWS(r->defs.properties, const struct otf2_property);
    struct pithi_defs *defs = pithi_writer_defs(r->writer);
    int has_start = 0;
    char text[32];
    for (uint32_t i = 0; i < r->defs.properties.count; i++) {
        /* Properties that only tell the reader how to read the archive are left out of the log. */
        const char *key = pithi_otf2_defs_string(&r->defs, property[i].name);
        if (r->own && is_note(key))
            continue;
        has_start |= strcmp(key, "start_unix_s") == 0;
        CHECK(pithi_defs_property(defs, key, pithi_otf2_defs_string(&r->defs, property[i].value)));
    }
    /* The archive's clock has the start of the log in ns since 1970. The property of the log has it in seconds. */
    if (!has_start && r->defs.realtime != OTF2_UNDEFINED_TIMESTAMP) {
        snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, r->defs.realtime / 1000000000,
                 r->defs.realtime % 1000000000);
        CHECK(pithi_defs_property(defs, "start_unix_s", text));
    }
    if (!r->own && r->defs.sample_s > 0 && r->defs.sample_s < 1e6) { /* 1e6 s are 11 days: no sensible interval */
        snprintf(text, sizeof text, "%.0f", r->defs.sample_s * 1e9);
        CHECK(pithi_defs_property(defs, "sample_ns", text));
        CHECK(pithi_defs_property(defs, "sample_clock", "wall")); /* OTF2 does not have the CPU time of a sample */
    }
    /* In OTF2, states, events and counters are in separate tables. `kinds`, for example "sse", is the order in which
     * the log had them: a letter for each definition. */
    for (; *kinds; kinds++) {
        struct otf2_region *region = *kinds == 's' ? pithi_otf2_table_get(&r->defs.regions, next[0]++) : NULL;
        struct otf2_parameter *parameter = *kinds == 'e' ? pithi_otf2_table_get(&r->defs.parameters, next[1]++) : NULL;
        struct otf2_metric *metric = *kinds == 'c' ? pithi_otf2_table_get(&r->defs.metrics, next[2]++) : NULL;
        double factor;
        if (region)
            CHECK(pithi_otf2_state_id(r, region, &index));
        if (metric)
            CHECK(pithi_otf2_counter_id(r, metric, 0, &index, &factor));
        if (parameter)
            CHECK(pithi_otf2_event_id(r, parameter, &index));
    }
    for (uint32_t i = 0; r->own && i < r->defs.comms.count; i++)
        CHECK(pithi_otf2_comm_index(r, &OTF2_ROWS(r->defs.comms, struct otf2_comm)[i], &index));
    return PITH_OK;
}
