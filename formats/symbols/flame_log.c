/* flame_log.c - makes a log from samples. flame_log.h says what this log shows, with an example.
 *
 * For each lane, the stack of the functions that are open in the new log is kept. A sample usually has the same
 * outermost functions as the sample before. From the first difference on, the functions of the sample before are left,
 * and those of the new sample are entered:
 *
 *     open    main solve dot          main and solve are shared
 *     now     main solve norm  ->     leave dot at the time of the last sample, enter norm at begin_of()
 *
 * The writer must get the records of a lane in time order. But functions begin before the sample in which they are
 * first seen, at the earliest at the sample before. So the call sites between two samples wait in a list. When the next
 * sample comes, the begin of its functions is known, and the call sites are written in time order with them.
 */
#include "symbols/flame_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/pair_map.h"
#include "native/defs.h"
#include "native/segment.h"
#include "symbols/sample_names.h"

struct stack {
    uint32_t *functions, count, room; /* outermost first */
};

/* A call site that waits until the next sample, because the functions of that sample may begin before it. */
struct waiting_site {
    int64_t time_ns; /* of the call */
    uint32_t id;     /* definition in the written log */
};

struct flame_lane {
    struct stack open;                         /* the open functions */
    struct waiting_site *sites;                /* [site_count] */
    uint32_t site_count, site_room, sites_put; /* sites_put: number of sites that are written already */
    struct pithi_sample_last last;             /* the sample before */
    uint32_t number;                           /* of the lane in the new log */
};

struct pithi_flame_log {
    struct pithlog *log; /* the log of the samples */
    int has_samples;
    struct pithi_sample_names *names; /* finds the functions */
    struct pithi_writer *writer;      /* of the log that is made */
    struct flame_lane *lanes;         /* [lanes of `log`] */
    uint32_t *states, state_room;     /* 1 + id of each function's state; 0: not defined yet */
    uint32_t no_core;                 /* 1 + id of the state [no core]; 0: not defined yet */
    struct pithi_pair_map places;     /* from (function, line) of a call site to its number */
    uint32_t *sites, site_room;       /* id of the event of each call site, by the number of the call site */
    struct stack now;                 /* the functions of the sample that is being added */
    struct pithi_sample sample;
};

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static int has_name(const struct pithi_defs *defs, const char *name)
{
    uint32_t id;

    return pithi_defs_find(defs, PITHLOG_STATE, name, &id);
}

static int state_of(struct pithi_flame_log *f, uint32_t function, uint32_t *id)
{
    if (function >= f->state_room) {
        uint32_t room = 2 * function + 256;
        if (!pithi_resize(&f->states, f->state_room, room, sizeof *f->states))
            return pithi_no_memory();
        f->state_room = room;
    }
    if (!f->states[function]) {
        /* Defines the state of a function, and right after it the event for its samples, so that the event's id is the
         * state's id + 1. If another function has the same name, the place of the function is added to the name. */
        const struct pithi_function *of = pithi_function_get(f->names, function);
        const char *slash = strrchr(of->module, '/');
        struct pithi_defs *defs = pithi_writer_defs(f->writer);
        char name[600], place[300], key[620], colour[8];
        struct pithlog_def def = {
            .kind = PITHLOG_STATE, .name = name, .colour = colour, .group = slash ? slash + 1 : of->module};
        uint32_t event;

        pithi_function_place(of, place, sizeof place);
        snprintf(name, sizeof name, "%.290s", of->name);
        if (has_name(defs, name))
            snprintf(name, sizeof name, "%.290s (%s)", of->name, place);
        for (uint32_t n = 2; has_name(defs, name); n++)
            snprintf(name, sizeof name, "%.290s (%s, %u)", of->name, place, n);
        snprintf(colour, sizeof colour, "#%06x", pithi_function_rgb(function));
        CHECK(pithi_defs_add(defs, &def, &f->states[function]));
        def.kind = PITHLOG_EVENT_TYPE;
        def.group = "samples";
        CHECK(pithi_defs_add(defs, &def, &event));
        snprintf(key, sizeof key, "place %s", name);
        CHECK(of->source ? pithi_defs_property(defs, key, place) : PITH_OK);
        f->states[function]++;
    }
    *id = f->states[function] - 1;
    return PITH_OK;
}

/* ---- Call sites -------------------------------------------------------------------------------------------------- */

static int take_site(struct pithi_flame_log *f, struct flame_lane *lane, const struct pithlog_record *r,
                     uint64_t address)
{
    const struct pithi_place *place;
    uint32_t before = f->places.count, number = 0;

    CHECK(pithi_sample_place(f->names, r, address, 1, &place));
    CHECK(pithi_pair_number(&f->places, place->function, (uint64_t)place->line, &number));
    if (f->places.count > before) {
        if (!pithi_grow(&f->sites, number, &f->site_room, sizeof *f->sites))
            return pithi_no_memory();
        const char *slash = place->source ? strrchr(place->source, '/') : NULL;
        const char *function = pithi_function_get(f->names, place->function)->name;
        char name[600];
        const struct pithlog_def def = {
            .kind = PITHLOG_EVENT_TYPE, .name = name, .colour = "gray50", .group = "call sites"};
        if (place->source)
            snprintf(name, sizeof name, "in %.290s (%.280s:%d)", function, slash ? slash + 1 : place->source,
                     place->line);
        else
            snprintf(name, sizeof name, "in %.290s", function);
        CHECK(pithi_defs_add(pithi_writer_defs(f->writer), &def, &f->sites[number]));
    }
    if (!pithi_grow(&lane->sites, lane->site_count, &lane->site_room, sizeof *lane->sites))
        return pithi_no_memory();
    lane->sites[lane->site_count++] = (struct waiting_site){r->time_ns, f->sites[number]};
    return PITH_OK;
}

/* Writes the waiting call sites up to time_ns, then `record` (NULL: none). */
static int put_record(struct pithi_flame_log *f, struct flame_lane *lane, int64_t time_ns,
                      const struct pithlog_record *record)
{
    for (; lane->sites_put < lane->site_count && lane->sites[lane->sites_put].time_ns <= time_ns; lane->sites_put++) {
        const struct waiting_site *site = &lane->sites[lane->sites_put];
        const struct pithlog_record event = {
            .time_ns = site->time_ns, .lane = lane->number, .kind = PITHLOG_EVENT, .id = site->id, .peer = -1};
        CHECK(pithi_writer_add(f->writer, &event));
    }
    if (lane->sites_put == lane->site_count)
        lane->sites_put = lane->site_count = 0;
    return record ? pithi_writer_add(f->writer, record) : PITH_OK;
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

static int push(struct stack *stack, uint32_t function)
{
    if (!pithi_grow(&stack->functions, stack->count, &stack->room, sizeof *stack->functions))
        return pithi_no_memory();
    stack->functions[stack->count++] = function;
    return PITH_OK;
}

static int put(struct pithi_flame_log *f, struct flame_lane *lane, uint32_t kind, uint32_t function, int64_t time_ns)
{
    struct pithlog_record record = {.time_ns = time_ns, .lane = lane->number, .kind = kind, .peer = -1};

    CHECK(state_of(f, function, &record.id));
    record.id += kind == PITHLOG_EVENT;
    return put_record(f, lane, time_ns, &record);
}

/* Ends the open functions at depth `depth` and deeper, at the time of the last sample that had them. */
static int end_functions(struct pithi_flame_log *f, struct flame_lane *lane, uint32_t depth)
{
    while (lane->open.count > depth)
        CHECK(put(f, lane, PITHLOG_LEAVE, lane->open.functions[--lane->open.count], lane->last.time_ns));
    return PITH_OK;
}

/* Returns the time at which those functions begin that the new sample has and the sample before did not have. length_ns
 * is the time that the new sample stands for, passed_ns is the time since the sample before. If length_ns is at least
 * half of passed_ns, the functions begin at the sample before. Otherwise the thread had no core for most of the time,
 * and the functions begin length_ns before the new sample. */
static int64_t begin_of(const struct pithi_flame_log *f, const struct flame_lane *lane, const struct pithlog_record *r)
{
    int64_t length_ns = pithi_sample_length(f->names, r, &f->sample, &lane->last).ns;
    int64_t least_ns = lane->last.seen ? lane->last.time_ns : pithlog_get_lane(f->log, r->lane)->first_ns;
    int64_t passed_ns = r->time_ns - least_ns;

    if (length_ns >= passed_ns || (lane->last.seen && length_ns >= passed_ns - length_ns))
        return least_ns;
    return r->time_ns - length_ns;
}

/* Adds a sample or a call site. A frame of a sample may have several functions, inlined into each other. The stack
 * `now` gets all functions of the sample, outermost first, and is compared with the stack `open` of the lane. */
int pithi_flame_log_take(void *context, const struct pithlog_record *r)
{
    struct pithi_flame_log *f = context;
    struct flame_lane *lane = &f->lanes[r->lane];
    struct pithi_inlined in;
    int64_t begin_ns;
    uint64_t site;
    uint32_t same = 0;

    if (pithi_site_read(f->names, r, &site)) {
        CHECK(take_site(f, lane, r, site));
        return f->has_samples ? PITH_OK : put_record(f, lane, r->time_ns, NULL);
    }
    if (!pithi_sample_read(f->names, r, &f->sample))
        return PITH_OK;
    f->now.count = 0;
    for (uint32_t i = f->sample.count; i > 0; i--) {
        CHECK(pithi_sample_functions(f->names, r, &f->sample, i - 1, &in));
        for (uint32_t k = 0; k < in.count; k++)
            CHECK(push(&f->now, in.functions[k]));
    }
    while (same < f->now.count && same < lane->open.count && f->now.functions[same] == lane->open.functions[same])
        same++;
    CHECK(end_functions(f, lane, same));
    begin_ns = begin_of(f, lane, r);
    /* From the last sample to begin_ns, the thread had no core. This time gets the state [no core]; otherwise it would
     * count for the innermost function that stays open. */
    const struct pithlog_def def = {
        .kind = PITHLOG_STATE, .name = "[no core]", .colour = "#d9d9d9", .group = "samples"};
    struct pithlog_record record = {
        .time_ns = lane->last.time_ns, .lane = lane->number, .kind = PITHLOG_ENTER, .peer = -1};

    if (lane->last.seen && lane->open.count && begin_ns > lane->last.time_ns) {
        if (!f->no_core) {
            CHECK(pithi_defs_add(pithi_writer_defs(f->writer), &def, &f->no_core));
            f->no_core++;
        }
        record.id = f->no_core - 1;
        CHECK(put_record(f, lane, record.time_ns, &record));
        record.kind = PITHLOG_LEAVE;
        record.time_ns = begin_ns;
        CHECK(put_record(f, lane, begin_ns, &record));
    }
    for (uint32_t i = same; i < f->now.count; i++) {
        CHECK(put(f, lane, PITHLOG_ENTER, f->now.functions[i], begin_ns));
        CHECK(push(&lane->open, f->now.functions[i]));
    }
    if (f->now.count)
        CHECK(put(f, lane, PITHLOG_EVENT, f->now.functions[f->now.count - 1], r->time_ns));
    lane->last = (struct pithi_sample_last){f->sample.cpu_ns, r->time_ns, 1};
    return PITH_OK;
}

/* ---- The log ----------------------------------------------------------------------------------------------------- */

int pithi_flame_log_begin(struct pithi_flame_log *f, struct pithi_writer *writer)
{
    uint32_t count = pithlog_get_info(f->log)->lanes;

    f->writer = writer;
    if (!(f->lanes = calloc(count + (size_t)1, sizeof *f->lanes)))
        return pithi_no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(f->log, i);
        struct pithi_rank rank = {.rank = lane->rank, .host = lane->host};
        CHECK(pithi_writer_rank(f->writer, &rank));
        CHECK(pithi_writer_lane(f->writer, lane->rank, lane->thread, lane->name, &f->lanes[i].number));
    }
    return PITH_OK;
}

int pithi_flame_log_end(struct pithi_flame_log *f)
{
    for (uint32_t i = 0; i < pithlog_get_info(f->log)->lanes; i++) {
        CHECK(end_functions(f, &f->lanes[i], 0));
        CHECK(put_record(f, &f->lanes[i], INT64_MAX, NULL));
    }
    return PITH_OK;
}

int pithi_flame_log_open(struct pithlog *log, struct pithi_flame_log **flame)
{
    int err = (*flame = calloc(1, sizeof **flame)) ? PITH_OK : pithi_no_memory();

    if (err)
        return err;
    (*flame)->log = log;
    (*flame)->has_samples = pithi_samples_in(log) & PITHI_HAS_SAMPLES;
    return pithi_sample_names_open(log, PITHI_NEED_ANY, &(*flame)->names);
}

void pithi_flame_log_close(struct pithi_flame_log *f)
{
    if (!f)
        return;
    pithi_sample_names_close(f->names);
    for (uint32_t i = 0; f->lanes && i < pithlog_get_info(f->log)->lanes; i++) {
        free(f->lanes[i].open.functions);
        free(f->lanes[i].sites);
    }
    free(f->places.slots);
    free(f->sites);
    free(f->lanes);
    free(f->states);
    free(f->now.functions);
    free(f);
}
