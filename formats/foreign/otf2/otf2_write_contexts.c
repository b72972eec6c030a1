/* otf2_write_contexts.c - writes states and samples as calling contexts: nodes of a tree, each a region under its
 * caller. An archive of OTF2 has either calling contexts or plain Enter and Leave events. A log without samples becomes
 * Enter and Leave events.
 *
 * The context of a state is below the context of the state around it. The functions of a sample are below the states
 * that are open. For example, in state "solve":
 *
 *     enter solve | sample solve > main > step | sample solve > main > step > exp | leave solve
 *
 * The unwind distance of an event is the number of regions entered since the previous event, plus 1. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "foreign/otf2/otf2_writer.h"
#include "native/log.h"

void pithi_otf2_contexts_open(struct otf2_writer *w)
{
    int wall;
    int64_t period_ns = pithi_sample_timing(w->log, &wall);

    w->contexts.used = w->losses.stack_ids[0] != UINT32_MAX && w->how->naming.functions != NULL;
    if (!w->contexts.used)
        return;
    OTF2_PUT_DEF(Paradigm, OTF2_PARADIGM_SAMPLING, pithi_otf2_put_text(w, "sampling"), OTF2_PARADIGM_CLASS_PROCESS);
    OTF2_PUT_DEF(InterruptGenerator, 0, pithi_otf2_put_text(w, wall ? "wall-clock time" : "CPU time"),
                 OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, (uint64_t)period_ns);
}

void pithi_otf2_contexts_close(struct otf2_writer *w)
{
    pithi_map_free(&w->contexts.functions);
    pithi_map_free(&w->contexts.known);
    free(w->contexts.list);
}

/* Returns the context of `region` below `parent`. Both are references + 1; parent 0 is the root. */
static uint32_t context_below(struct otf2_writer *w, uint32_t parent, OTF2_RegionRef region)
{
    struct otf2_contexts *c = &w->contexts;
    uint64_t *known = pithi_map_at(&c->known, pithi_map_pair(parent, region));

    if (known && *known)
        return (uint32_t)*known;
    if (!known || !pithi_grow(&c->list, c->count, &c->room, sizeof *c->list)) {
        w->no_memory = 1;
        return parent;
    }
    OTF2_PUT_DEF(CallingContext, c->count, region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                 parent ? parent - 1 : OTF2_UNDEFINED_CALLING_CONTEXT);
    c->list[c->count] = (struct otf2_node_above){parent, parent ? c->list[parent - 1].depth + 1 : 1};
    *known = ++c->count;
    return c->count;
}

static uint32_t unwind_distance(const struct otf2_contexts *c, uint32_t before, uint32_t now)
{
    uint32_t entered = 0;

    while (before != now) {
        uint32_t depth = now ? c->list[now - 1].depth : 0;
        if (before && c->list[before - 1].depth > depth) {
            before = c->list[before - 1].parent;
            continue;
        }
        if (before && c->list[before - 1].depth == depth)
            before = c->list[before - 1].parent;
        now = c->list[now - 1].parent;
        entered++;
    }
    return entered + 1;
}

void pithi_otf2_put_enter(struct otf2_writer *w, struct otf2_lane *lane, uint64_t time, OTF2_RegionRef region)
{
    uint32_t context;

    if (!w->contexts.used) {
        OTF2_PUT_EVENT(Enter, time, region);
        return;
    }
    context = context_below(w, lane->open, region);
    if (w->no_memory)
        return;
    OTF2_PUT_EVENT(CallingContextEnter, time, context - 1, unwind_distance(&w->contexts, lane->last, context));
    lane->open = lane->last = context;
}

void pithi_otf2_put_leave(struct otf2_writer *w, struct otf2_lane *lane, uint64_t time, OTF2_RegionRef region)
{
    if (!w->contexts.used) {
        OTF2_PUT_EVENT(Leave, time, region);
        return;
    }
    if (!lane->open)
        return;
    OTF2_PUT_EVENT(CallingContextLeave, time, lane->open - 1);
    lane->open = lane->last = w->contexts.list[lane->open - 1].parent;
}

static OTF2_RegionRef function_region(struct otf2_writer *w, const char *name)
{
    uint64_t *region = pithi_map_at(&w->contexts.functions, pithi_hash_text(PITHI_HASH, name) >> 1);

    if (!region) {
        w->no_memory = 1;
        return 0;
    }
    if (!*region) {
        OTF2_StringRef text = pithi_otf2_put_text(w, name), none = pithi_otf2_put_text(w, "");
        OTF2_PUT_DEF(Region, w->regions, text, text, none, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                     OTF2_REGION_FLAG_NONE, none, 0, 0);
        *region = ++w->regions;
    }
    return (OTF2_RegionRef)(*region - 1);
}

void pithi_otf2_put_sample(struct otf2_writer *w, struct otf2_lane *lane, uint64_t time, const struct pithlog_record *r)
{
    const char *functions = NULL;
    char *text, *rest, *name;
    uint32_t context = lane->open;

    if (w->contexts.used && r->id == w->losses.stack_ids[0])
        functions = w->how->naming.functions(w->how->naming.context, r);
    w->sites += w->how->naming.functions && r->id == w->losses.stack_ids[1];
    if (!functions || !*functions)
        return;
    if (!(text = rest = strdup(functions))) {
        w->no_memory = 1;
        return;
    }
    while (!w->no_memory && (name = strsep(&rest, ";")))
        context = context_below(w, context, function_region(w, name));
    free(text);
    if (w->no_memory)
        return;
    OTF2_PUT_EVENT(CallingContextSample, time, context - 1, unwind_distance(&w->contexts, lane->last, context), 0);
    lane->last = context;
}
