/* draw_figure.c - makes the figure that the options and the words of -e describe, and reads what the figure needs
 * besides the records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "draw/draw.h"

/* ---- Reading for the figure -------------------------------------------------------------------------------------- */

int pithi_draw_read_shown(struct pithi_draw *draw)
{
    static const struct pithi_watch watch;
    int64_t unix_ns;
    int err;

    if (draw->shows_time_of_day && !pithlog_wall_clock(draw->log, &unix_ns, &draw->clock_ns))
        return pithi_draw_failed("%s: this log does not know when it was recorded", draw->log_path);
    if (draw->shows_notes) {
        char *path = pithi_notes_path(draw->log_path), why[1024];
        int failed = pithi_notes_read(&draw->notes, path, why, sizeof why);
        free(path);
        if (failed)
            return pithi_draw_failed("%s", why);
    }
    if (!draw->shows_core_waits)
        return 0;
    if (!pithi_core_waits_possible(draw->log))
        return pithi_draw_failed("%s: does not tell when threads had no core; record with PITH_COUNTERS=run-delay",
                                 draw->log_path);
    if (draw->kind == PITHI_DRAW_TEXT) {
        fprintf(stderr, "pith: note: texts do not show the time without a core\n");
        return 0;
    }
    err = pithi_core_waits_read(draw->log, &watch, &draw->core_waits);
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return err && err != PITH_ERR_DAMAGED ? pithi_draw_failed("%s", pithlog_error()) : 0;
}

void pithi_draw_free(struct pithi_draw *draw)
{
    free(draw->rgb);
    free(draw->own_rgb);
    free(draw->hidden);
    free(draw->script);
    free(draw->rows);
    free(draw->grouped);
    free(draw->list);
    pithi_draw_labels_free(draw);
    pithi_flames_close(draw->flames);
    if (draw->tree)
        pithi_rows_close(draw->tree);
    pithi_interruptions_free(&draw->interruptions);
    pithi_notes_free(&draw->notes);
    pithi_core_waits_free(&draw->core_waits);
    pithlog_analysis_free(draw->analysis);
    pithlog_digest_close(draw->picked);
    pithlog_digest_close(draw->digest);
    pithlog_summary_close(draw->summary);
    pithlog_close(draw->log);
}

/* ---- The figure -------------------------------------------------------------------------------------------------- */

enum { DEFAULT_WIDTH = 1200, MOST_ARROWS = 4000, RANGES_HEIGHT = 130 };

const char *pithi_draw_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

struct pithi_figure pithi_draw_figure(const struct pithi_draw *draw)
{
    return (struct pithi_figure){.title = draw->title ? draw->title : pithi_draw_base_name(draw->log_path),
                                 .plot = {.log = draw->log,
                                          .digest = draw->digest,
                                          .picked = draw->picked,
                                          .lit_from_ns = draw->lit_from_ns,
                                          .lit_to_ns = draw->lit_to_ns,
                                          .interruptions = &draw->interruptions,
                                          .analysis = draw->analysis,
                                          .notes = &draw->notes,
                                          .note_texts = 1,
                                          .core_waits = draw->core_waits.lane_count ? &draw->core_waits : NULL,
                                          .waits = draw->waits,
                                          .path = draw->path,
                                          .names = !draw->no_names,
                                          .summary = draw->summary,
                                          .care = draw->care,
                                          .rgb = draw->rgb,
                                          .hidden = draw->hidden,
                                          .t0_ns = draw->t0_ns,
                                          .t1_ns = draw->t1_ns,
                                          .clock_ns = draw->clock_ns,
                                          .flames = draw->flames,
                                          .rows = draw->rows,
                                          .row_count = draw->row_count,
                                          .most_arrows = MOST_ARROWS,
                                          .arrows_auto = !draw->all_arrows},
                                 .width = draw->width ? draw->width : DEFAULT_WIDTH,
                                 .height = draw->height,
                                 .row_height = draw->row_height,
                                 .per = draw->per,
                                 .place = draw->legend,
                                 .no_arrows = draw->no_arrows,
                                 .stats = draw->stats,
                                 .findings = draw->findings,
                                 .iterations = draw->found,
                                 .ranges = {.height = draw->ranges ? RANGES_HEIGHT : 0}};
}
