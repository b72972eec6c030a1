/* causal.c - runs the passes of causal.h in order and writes the corrected log. */
#include "analysis/causal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/causal_edges.h"
#include "base/error.h"
#include "native/log.h"
#include "reader/copy.h"
#include "reader/native.h"

#define LONGEST (INT64_C(1) << 56) /* two years: sums of times cannot overflow */

struct moving {
    struct pithi_edges *edges;
    uint32_t *at; /* [ranks] */
    int64_t largest_ns;
    struct pithi_causal_report *report;
};

static int64_t move(void *context, const struct pithlog_record *r)
{
    struct moving *m = context;
    uint32_t rank = pithi_log_rank_of(m->edges->log, r->lane);
    int64_t by_ns = pithi_edges_shift(m->edges, rank, r, &m->at[rank]);
    if (by_ns > m->largest_ns)
        m->largest_ns = by_ns;
    return by_ns;
}

void pithi_causal_text(const struct pithi_causal_report *report, char *text, size_t size)
{
    int used;
    if (report->largest_ns == 0)
        used = snprintf(text, size, "no time was moved");
    else
        used = snprintf(text, size, "%llu messages and %llu collectives were backwards; times moved by up to %lld ns",
                        (unsigned long long)report->messages, (unsigned long long)report->collectives,
                        (long long)report->largest_ns);
    if (report->given_up > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; %llu not mended, their matches contradict each other",
                 (unsigned long long)report->given_up);
}

static int fill(void *context, struct pithi_writer *writer)
{
    struct moving *m = context;
    struct pithi_copy what = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .move = move, .move_context = m};
    char text[256];
    CHECK(pithi_log_copy(m->edges->log, writer, &what));
    m->report->largest_ns = m->largest_ns;
    pithi_causal_text(m->report, text, sizeof text);
    return pithi_defs_property(pithi_writer_defs(writer), "causal", text);
}

static int make_log(struct pithi_edges *edges, struct pithlog **mended, struct pithi_causal_report *report)
{
    struct moving m = {.edges = edges, .at = calloc(edges->ranks + (size_t)1, sizeof *m.at), .report = report};
    if (!m.at)
        return pithi_no_memory();
    int err = pithi_native_temporary("the mended log (see TMPDIR)", fill, &m, mended);
    free(m.at);
    return err;
}

int pithi_causal(struct pithlog *log, struct pithlog **mended, struct pithi_causal_report *report)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_edges edges = {0};
    int err, moved;
    *mended = NULL;
    *report = (struct pithi_causal_report){0};
    if (info->records == 0)
        return PITH_OK;
    if (info->start_ns < -4 * LONGEST * 8 || info->end_ns > 4 * LONGEST * 8 || info->end_ns - info->start_ns > LONGEST)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: its times span more than two years", log->path);
    TRY(pithi_edges_collect(&edges, log));
    moved = pithi_edges_replay(&edges, &report->collectives, &report->given_up);
    if (moved < 0) {
        err = -moved;
        goto out;
    }
    report->messages = edges.messages;
    if (moved) {
        pithi_edges_smooth(&edges);
        TRY(make_log(&edges, mended, report));
    }
out:
    pithi_edges_free(&edges);
    return err;
}
