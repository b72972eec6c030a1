/* thread_counters.c - sums of the counters of threads, by state. */
#include "analysis/thread_counters.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "base/error.h"
#include "native/stack.h"

enum { MOST_DAMAGES = 1000 };

/* The last value of a counter on a lane. */
struct last {
    double value;
    int64_t time_ns;
    int is_known;
};

struct lanes {
    struct pithi_stack *open; /* [lanes] */
    struct last *last;        /* [lanes][count] */
    uint32_t *place;          /* [definitions]: of a counter, 1 + its place in `counters`; else 0 */
    uint32_t count;
    unsigned char *is_call;                /* [definitions] */
    const struct pithlog_query *computing; /* counts only outside MPI calls, within these times; NULL: everything */
};

/* More counters than a recorder writes are left out: sums take room for each of them and each definition. */
enum { MOST = 64 };

static int is_thread_counter(const struct pithlog_def *def)
{
    return def->kind == PITHLOG_COUNTER_TYPE &&
           strncmp(def->name, PITHI_THREAD_COUNTER, strlen(PITHI_THREAD_COUNTER)) == 0;
}

/* The part of [from_ns, to_ns] in which the lane computes; its state does not change in between. */
static double computing_part(const struct lanes *lanes, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    const struct pithi_stack *open = &lanes->open[lane];
    const struct pithlog_query *part = lanes->computing;
    int64_t begin_ns = from_ns > part->from_ns ? from_ns : part->from_ns;
    int64_t end_ns = to_ns < part->to_ns ? to_ns : part->to_ns;

    for (uint32_t i = 0; i < open->count; i++)
        if (lanes->is_call[open->states[i].id])
            return 0;
    if (from_ns == to_ns)
        return begin_ns <= end_ns;
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)(to_ns - from_ns) : 0;
}

static void count(const struct pithi_counter_sums *sums, const struct lanes *lanes, const struct pithlog_record *r)
{
    uint32_t place = lanes->place[r->id] - 1;
    const struct pithi_stack *open = &lanes->open[r->lane];
    struct last *last = &lanes->last[(size_t)r->lane * sums->count + place];
    uint32_t state = open->count && !lanes->computing ? open->states[open->count - 1].id : sums->states;
    double part = 1;

    if (last->is_known && lanes->computing)
        part = computing_part(lanes, r->lane, last->time_ns, r->time_ns);
    if (last->is_known && r->value > last->value)
        sums->sums[(size_t)place * (sums->states + 1u) + state] += part * (r->value - last->value);
    *last = (struct last){r->value, r->time_ns, 1};
    sums->records[r->lane]++;
}

static int take(const struct pithi_counter_sums *sums, const struct lanes *lanes, const struct pithlog_record *r)
{
    struct pithi_open_state ended;
    uint32_t depth;

    if (r->lane >= lanes->count || r->id >= sums->states)
        return PITH_OK;
    /* States above this depth ended in a damaged part. */
    if (r->kind == PITHLOG_ENTER && lanes->open[r->lane].count > r->depth)
        lanes->open[r->lane].count = r->depth;
    if (r->kind == PITHLOG_ENTER && !pithi_stack_enter(&lanes->open[r->lane], r->id, r->time_ns))
        return pithi_no_memory();
    if (r->kind == PITHLOG_LEAVE)
        pithi_stack_leave(&lanes->open[r->lane], r->id, r->time_ns, &ended, &depth);
    if (r->kind == PITHLOG_COUNTER && lanes->place[r->id])
        count(sums, lanes, r);
    return PITH_OK;
}

static int read_all(struct pithlog *log, const struct pithlog_query *part, const struct pithi_counter_sums *sums,
                    const struct lanes *lanes)
{
    struct pithlog_query query = *part;
    struct pithlog_record records[128];
    struct pithlog_iter *iter;
    int err, more, damages = 0;

    query.kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_COUNTER;
    query.flags = PITHLOG_NEST | PITHLOG_CLIP;
    if (lanes->computing) {
        query.from_ns = INT64_MIN;
        query.to_ns = INT64_MAX;
    }
    CHECK(pithlog_iter_open(log, &query, &iter));
    err = PITH_OK;
    while (!err && damages < MOST_DAMAGES &&
           (more = pithlog_iter_next_many(iter, records, sizeof records / sizeof *records)) != 0) {
        damages += more < 0;
        for (int i = 0; i < more && !err; i++)
            err = take(sums, lanes, &records[i]);
    }
    pithlog_iter_close(iter);
    return err;
}

static int make(struct pithlog *log, const struct pithlog_query *part, int is_computing,
                struct pithi_counter_sums *sums)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct lanes lanes = {.count = info->lanes, .computing = is_computing ? part : NULL};
    int err;

    *sums = (struct pithi_counter_sums){.states = info->defs};
    if (!(lanes.place = calloc(info->defs + (size_t)1, sizeof *lanes.place)))
        return pithi_no_memory();
    for (uint32_t i = 0; i < info->defs; i++)
        if (sums->count < MOST && is_thread_counter(pithlog_get_def(log, i)))
            lanes.place[i] = ++sums->count;
    if (!sums->count) {
        free(lanes.place);
        return PITH_OK;
    }
    sums->counters = calloc(sums->count, sizeof *sums->counters);
    sums->records = calloc(info->lanes + (size_t)1, sizeof *sums->records);
    sums->sums = calloc(sums->count, (info->defs + (size_t)1) * sizeof *sums->sums);
    lanes.open = calloc(info->lanes + (size_t)1, sizeof *lanes.open);
    lanes.last = calloc(info->lanes + (size_t)1, sums->count * sizeof *lanes.last);
    lanes.is_call = calloc(info->defs + (size_t)1, 1);
    if (!lanes.is_call || !sums->counters || !sums->records || !sums->sums || !lanes.open || !lanes.last) {
        err = pithi_no_memory();
        goto out;
    }
    for (uint32_t i = 0; i < info->defs; i++) {
        if (lanes.place[i])
            sums->counters[lanes.place[i] - 1] = i;
        lanes.is_call[i] = pithi_mpi_call_traits(pithlog_get_def(log, i)) != 0;
    }
    err = read_all(log, part, sums, &lanes);
out:
    for (uint32_t i = 0; lanes.open && i < info->lanes; i++)
        free(lanes.open[i].states);
    free(lanes.open);
    free(lanes.last);
    free(lanes.place);
    free(lanes.is_call);
    if (err)
        pithi_counter_sums_free(sums);
    return err;
}

int pithi_counter_sums_make(struct pithlog *log, const struct pithlog_query *part, struct pithi_counter_sums *sums)
{
    return make(log, part, 0, sums);
}

int pithi_counter_sums_computing(struct pithlog *log, const struct pithlog_query *part, struct pithi_counter_sums *sums)
{
    return make(log, part, 1, sums);
}

void pithi_counter_sums_free(struct pithi_counter_sums *sums)
{
    free(sums->counters);
    free(sums->records);
    free(sums->sums);
    *sums = (struct pithi_counter_sums){0};
}

const double *pithi_counter_sums_of(const struct pithlog *log, const struct pithi_counter_sums *sums, const char *name)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (strcmp(pithlog_get_def(log, sums->counters[i])->name, name) == 0)
            return sums->sums + (size_t)i * (sums->states + 1u);
    return NULL;
}
