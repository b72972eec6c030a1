/* flames.c - see flames.h. */
#include "core/flames.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"
#include "core/query.h"

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
    for (uint32_t id = 0; (def = pithlog_get_def(f->log, id)); id++)
        f->hidden[id] = def->kind != PITHLOG_STATE;
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
    free(flames);
}

int pithi_flames_possible(const struct pithlog *log)
{
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, "pith:sample") == 0)
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

/* The state with the name of an event. */
static uint32_t state_of(const struct pithi_flames *flames, uint32_t event)
{
    const struct pithlog_def *def, *of = pithlog_get_def(flames->log, event);

    for (uint32_t id = 0; (def = pithlog_get_def(flames->log, id)); id++)
        if (def->kind == PITHLOG_STATE && strcmp(def->name, of->name) == 0)
            return id;
    return event;
}

int pithi_flames_most(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      struct pithi_flames_most *most)
{
    struct pithi_query query = {.t0_ns = from_ns, .t1_ns = to_ns, .levels = 1, .lanes = &lane, .lane_count = 1};
    struct pithi_cells cells = {0};
    int err = pithi_query_run(flames->log, &query, &cells);

    *most = (struct pithi_flames_most){0};
    for (uint32_t id = 0; !err && id < cells.defs; id++) {
        if (!flames->hidden[id])
            continue;
        most->all += cells.sums[id].count;
        if (cells.sums[id].count > most->samples) {
            most->samples = cells.sums[id].count;
            most->id = id;
        }
    }
    pithi_cells_free(&cells);
    if (most->samples)
        most->id = state_of(flames, most->id);
    return err ? -1 : most->samples > 0;
}
