/* with_lanes.c - copies a log and adds lanes for wait states and the critical path. */
#include "analysis/with_lanes.h"

#include <string.h>

#include "base/error.h"
#include "reader/read/copy.h"
#include "reader/read/native.h"

struct adding {
    struct pithlog *log;                 /* not owned */
    struct pithlog_analysis *analysis;   /* of this log */
    struct pithi_writer *writer;         /* gets the copy and the new lanes */
    uint32_t states[PITHLOG_WAIT_KINDS]; /* definition of each kind; [0]: the critical path */
};

static int define(struct adding *a)
{
    static const char *const colours[PITHLOG_WAIT_KINDS] = {
        [0] = "#c00000",
#define WAIT_KIND(kind, name, colour, is, try, meaning) [PITHLOG_##kind] = colour,
#include "analysis/wait_kinds.def"
#undef WAIT_KIND
    };
    int err = PITH_OK;

    for (uint32_t kind = 0; err == PITH_OK && kind < PITHLOG_WAIT_KINDS; kind++) {
        struct pithlog_def def = {.kind = PITHLOG_STATE,
                                  .name = kind ? pithlog_wait_kind_name(kind) : "critical path",
                                  .colour = colours[kind],
                                  .group = "analysis",
                                  .format = ""};
        err = pithi_defs_add(pithi_writer_defs(a->writer), &def, &a->states[kind]);
    }
    return err;
}

static int add_state(struct adding *a, uint32_t lane, uint32_t state, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_record record = {.lane = lane, .kind = PITHLOG_ENTER, .id = state, .time_ns = from_ns, .peer = -1};
    int err = pithi_writer_add(a->writer, &record);

    record.kind = PITHLOG_LEAVE;
    record.time_ns = to_ns;
    return err ? err : pithi_writer_add(a->writer, &record);
}

static int add_lanes(struct adding *a)
{
    const struct pithlog_path_part *parts;
    const struct pithlog_wait_state *waits;
    size_t part_count = pithlog_analysis_path(a->analysis, &parts);
    uint32_t lane;
    int err = PITH_OK;

    for (uint32_t i = 0; i < pithlog_get_info(a->log)->lanes; i++) {
        const struct pithlog_lane *of = pithlog_get_lane(a->log, i);
        size_t count = pithlog_analysis_waits(a->analysis, i, &waits);
        for (size_t k = 0; k < count; k++) {
            if (k == 0)
                TRY(pithi_writer_lane(a->writer, of->rank, PITHI_WAITING_THREAD + of->thread, "waiting", &lane));
            TRY(add_state(a, lane, a->states[waits[k].kind], waits[k].from_ns, waits[k].to_ns));
        }
    }
    for (size_t k = 0; k < part_count; k++) {
        const struct pithlog_lane *of = pithlog_get_lane(a->log, parts[k].lane);
        TRY(pithi_writer_lane(a->writer, of->rank, PITHI_PATH_THREAD + of->thread, "critical path", &lane));
        TRY(add_state(a, lane, a->states[0], parts[k].from_ns, parts[k].to_ns));
    }
out:
    return err;
}

static int fill(void *context, struct pithi_writer *writer)
{
    struct pithi_copy what = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct adding *a = context;

    a->writer = writer;
    CHECK(pithi_log_copy(a->log, writer, &what));
    CHECK(define(a));
    return add_lanes(a);
}

int pithi_with_lanes(struct pithlog *log, struct pithlog **with)
{
    struct pithlog_analyze_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct adding a = {.log = log};
    int err, damaged = pithlog_analyze(log, &query, &a.analysis);

    *with = NULL;
    if (damaged && damaged != PITH_ERR_DAMAGED)
        return damaged;
    err = pithi_native_temporary("the log with its analysis (see TMPDIR)", fill, &a, with);
    pithlog_analysis_free(a.analysis);
    return err;
}
