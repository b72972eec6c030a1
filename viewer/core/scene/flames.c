/* flames.c - opens the functions of samples, and counts the samples of each function:
 *
 *     samples       main > solve > dot      main > solve      main > io
 *     own           dot 1, solve 1, io 1
 *     total         main 3, solve 2, dot 1, io 1
 *
 * A function that calls itself is on the stack several times, but each sample counts only once for the function: with
 * main > walk > walk, the total of walk is 1. Otherwise a recursive function could have more samples than the log. */
#include "core/scene/flames.h"

#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/cells/query.h"
#include "core/scene/hit.h"

enum { WATCH_EVERY = 256 }; /* steps */

/* Returns 1 if both logs have the same lanes. With other lanes, rows would show the functions of other threads. */
static int same_lanes(const struct pithlog *a, const struct pithlog *b)
{
    const struct pithlog_lane *x, *y;

    if (pithlog_get_info(a)->lanes != pithlog_get_info(b)->lanes)
        return 0;
    for (uint32_t i = 0; (x = pithlog_get_lane(a, i)) && (y = pithlog_get_lane(b, i)); i++)
        if (x->rank != y->rank || x->thread != y->thread)
            return 0;
    return 1;
}

/* Returns the state that has the name of an event; usually this is the definition just before the event. */
static uint32_t state_of(const struct pithlog *log, uint32_t event)
{
    const char *name = pithlog_get_def(log, event)->name;
    uint32_t defs = pithlog_get_info(log)->defs;

    /* goes backwards from the definition before the event; after the first definition, it continues with the last
     * one */
    for (uint32_t i = 1; i <= defs; i++) {
        uint32_t id = (event + defs - i) % defs;
        const struct pithlog_def *def = pithlog_get_def(log, id);
        if (def->kind == PITHLOG_STATE && strcmp(def->name, name) == 0)
            return id;
    }
    return event;
}

/* Opens the log of samples that belongs to `log`. Its states are functions, and its events are samples and call sites.
 */
int pithi_flames_open(const struct pithlog *log, const char *path, struct pithi_flames **flames)
{
    struct pithi_flames *f = pithi_alloc(1, sizeof *f);
    const struct pithlog_def *def;
    int err = pithlog_open(path, &f->log);

    *flames = NULL;
    if (!err && !same_lanes(log, f->log))
        err = PITH_ERR_USAGE;
    if (err) {
        pithi_flames_close(f);
        return err;
    }
    f->rgb = pithi_palette_make(f->log);
    f->hidden = pithi_alloc(pithlog_get_info(f->log)->defs, 1);
    f->state = pithi_alloc(pithlog_get_info(f->log)->defs, sizeof *f->state);
    for (uint32_t id = 0; (def = pithlog_get_def(f->log, id)); id++) {
        /* only functions are drawn as bars */
        f->hidden[id] = def->kind != PITHLOG_STATE;
        f->state[id] = !f->hidden[id] ? id : pithi_flames_is_site(f, id) ? UINT32_MAX : state_of(f->log, id);
    }
    *flames = f;
    return PITH_OK;
}

void pithi_flames_close(struct pithi_flames *flames)
{
    if (!flames)
        return;
    if (flames->log)
        pithlog_close(flames->log);
    free(flames->rgb);
    free(flames->hidden);
    free(flames->state);
    free(flames);
}

int pithi_flames_possible(const struct pithlog *log)
{
    const struct pithlog_def *def;

    /* An event type with another format does not count, because a conversion may have turned its payloads into text. */
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_EVENT_TYPE &&
            ((strcmp(def->name, "pith:sample") == 0 && strcmp(def->format, "cpu=%l") == 0) ||
             (strcmp(def->name, "pith:site") == 0 && strcmp(def->format, "address=%X") == 0)))
            return 1;
    return 0;
}

const char *pithi_flames_place(const struct pithi_flames *flames, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(flames->log, id);
    const char *key, *value;

    for (uint32_t i = 0; (key = pithlog_get_property(flames->log, i, &value)); i++)
        if (strncmp(key, "place ", 6) == 0 && strcmp(key + 6, def->name) == 0)
            return value;
    return def->group;
}

int pithi_flames_sums(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      const struct pithi_watch *watch, struct pithi_flames_sum *sums)
{
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    uint64_t *counted, samples = 0;
    int more, damages = 0, err = pithlog_walk_open(flames->log, &query, &walk);

    if (err)
        return err;
    counted = pithi_alloc(pithlog_get_info(flames->log)->defs, sizeof *counted);
    /* A sample is an event inside the states of all functions that were on the stack at that time. The sample counts
     * once for each function, even if the function calls itself: counted[id] is the index of the last sample that was
     * counted for function `id`. */
    for (uint32_t i = 1; !err && damages < PITHI_MOST_DAMAGES && (more = pithlog_walk_next(walk, &step)) != 0; i++) {
        damages += more < 0;
        int is_event = more > 0 && step.change == PITHLOG_HAPPENS && step.record->kind == PITHLOG_EVENT;
        /* a call site is no sample */
        if (is_event && step.to_ns < to_ns && flames->state[step.record->id] != UINT32_MAX) {
            samples++;
            sums[flames->state[step.record->id]].own++;
            for (uint32_t at = 0; at < step.depth; at++) {
                uint32_t id = step.open[at].id;
                sums[id].total += counted[id] != samples;
                counted[id] = samples;
            }
        }
        if (i % WATCH_EVERY == 0 && !pithi_go_on(watch, 0))
            err = PITH_ERR_STOPPED;
    }
    pithlog_walk_close(walk);
    free(counted);
    return err ? err : damages ? PITH_ERR_DAMAGED : PITH_OK;
}

/* Finds the function in which most samples of an interval end. Returns 1 if found, 0 if there are no samples, -1 after
 * an error. */
int pithi_flames_most(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      struct pithi_flames_most *most)
{
    struct pithi_query query = {.t0_ns = from_ns, .t1_ns = to_ns, .levels = 1, .lanes = &lane, .lane_count = 1};
    struct pithi_cells cells = {0};
    int err = pithi_query_run(flames->log, &query, &cells);

    *most = (struct pithi_flames_most){0};
    for (uint32_t id = 0; !err && id < cells.defs; id++) {
        /* Only the events of samples count: the count of a state is not a number of samples. */
        if (!flames->hidden[id] || flames->state[id] == UINT32_MAX)
            continue;
        most->all += cells.sums[id].count;
        if (cells.sums[id].count > most->samples) {
            most->samples = cells.sums[id].count;
            most->id = id;
        }
    }
    pithi_cells_free(&cells);
    /* so far the id is that of the samples' event; it becomes that of the function's state */
    if (most->samples)
        most->id = flames->state[most->id];
    return err ? -1 : most->samples > 0;
}

int pithi_flames_is_site(const struct pithi_flames *flames, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(flames->log, id);

    return def->kind == PITHLOG_EVENT_TYPE && strcmp(def->group, "call sites") == 0;
}

/* Finds the first call site in an interval. Returns 1 if found, 0 if there is none, -1 after an error. */
int pithi_flames_site(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      int64_t *time_ns, uint32_t *site)
{
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int more, found = 0;

    if (pithlog_iter_open(flames->log, &query, &iter))
        return -1;
    while (!found && (more = pithlog_iter_next(iter, &record)) == 1)
        if ((found = flames->state[record.id] == UINT32_MAX)) {
            *time_ns = record.time_ns;
            *site = record.id;
        }
    pithlog_iter_close(iter);
    return found ? 1 : more;
}

/* Returns 1 if the innermost state at time_ns has this id and began at start_ns, 0 if not, below 0 after an error. */
static int is_innermost(struct pithlog *log, uint32_t lane, int64_t time_ns, uint32_t id, int64_t start_ns)
{
    struct pithi_hit inner;
    int found = pithi_hit_state(log, lane, time_ns, time_ns + 1, PITHI_LEVELS - 1, NULL, &inner);

    return found > 0 ? inner.id == id && inner.start_ns == start_ns : found;
}

/* A call site belongs to the state that is innermost just before and just after the call site's time. If this time is
 * the state's begin or end, only one side is checked. */
int pithi_flames_site_of(const struct pithi_flames *flames, struct pithlog *log, uint32_t lane, uint32_t id,
                         int64_t from_ns, int64_t to_ns, uint32_t *site)
{
    int64_t time_ns;
    int found = pithi_flames_site(flames, lane, from_ns, to_ns, &time_ns, site);

    if (found > 0 && time_ns > from_ns)
        found = is_innermost(log, lane, time_ns - 1, id, from_ns);
    if (found > 0 && time_ns < to_ns)
        found = is_innermost(log, lane, time_ns, id, from_ns);
    return found;
}
