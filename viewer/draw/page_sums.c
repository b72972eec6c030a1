/* page_sums.c - the figures of parts of the window, for selections in a page without exact times. */
#include <inttypes.h>
#include <string.h>

#include "core/stretch.h"
#include "draw/draw.h"
#include "draw/page_text.h"

/* Parts of the window. In a log of more than FEW_RECORDS, some EDGE_RECORDS of each lane are read for each part, which
 * limits the number of parts. */
enum { PARTS = 32, FEW_RECORDS = 4000000, LARGE_PARTS = 8, EDGE_RECORDS = 32768, MOST_EDGES = 20000000 };

static int count_parts(const struct pithi_draw *draw)
{
    const struct pithlog_info *info = pithlog_get_info(draw->log);
    uint64_t most = MOST_EDGES / ((uint64_t)info->lanes * EDGE_RECORDS + 1);

    return info->records <= FEW_RECORDS ? PARTS : most < 1 ? 1 : most < LARGE_PARTS ? (int)most : LARGE_PARTS;
}

void pithi_page_computing(const struct pithi_draw *draw, const struct pithi_cells *cells, struct pithi_text *text)
{
    const char *name = "no state";
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(draw->log, id)); id++)
        if (strncmp(def->name, "MPI_", 4) == 0)
            name = "computing";
    pithi_text_add(text, "computing: {name: \"%s\", exclusive: %" PRId64 "},\n", name, cells->computing_ns);
}

int pithi_page_sums(const struct pithi_draw *draw, const int *sign_of, struct pithi_text *text)
{
    double span = (double)draw->t1_ns - (double)draw->t0_ns;
    int parts = count_parts(draw), err = PITH_OK;

    for (int i = 0; i < parts && (!err || err == PITH_ERR_DAMAGED); i++) {
        struct pithi_stretch_query query = {.t0_ns = draw->t0_ns + (int64_t)(span * i / parts),
                                            .t1_ns = draw->t0_ns + (int64_t)(span * (i + 1) / parts),
                                            .rows = draw->rows,
                                            .row_count = draw->row_count,
                                            .summary = draw->summary};
        struct pithi_stretch stretch;
        err = pithi_stretch_run(draw->log, &query, &stretch);
        pithi_text_add(text, "\"");
        pithi_code_number(text, stretch.computing_ns);
        for (uint32_t id = 0; id < stretch.defs; id++) {
            const struct pithi_sum *sum = &stretch.sums[id];
            if (!sum->count || sign_of[id] < 0)
                continue;
            pithi_code_number(text, sign_of[id]);
            pithi_code_number(text, (int64_t)sum->count);
            pithi_code_number(text, sum->inclusive_ns);
            pithi_code_number(text, sum->exclusive_ns);
        }
        pithi_text_add(text, "\",\n");
        pithi_stretch_free(&stretch);
    }
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return err && err != PITH_ERR_DAMAGED ? pithi_draw_failed("%s", pithlog_error()) : 0;
}
