/* thread_counters.c - sums of the counters of threads, by state: by how much a value exceeds the lane's value before is
 * added to the state that is innermost at the value. thread_counters.h has an example. */
#include "analysis/thread_counters.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "analysis/waits/records.h"
#include "base/error.h"

/* The last value of a counter on a lane. */
struct last {
    double value;    /* as recorded */
    int64_t time_ns; /* when it was recorded */
    int is_known;    /* 1: the lane has had a value */
};

struct summing {
    struct pithi_counter_sums *sums;       /* [count] the result */
    struct last *last;                     /* [lanes][count] */
    uint32_t *place;                       /* [definitions]: 1 + index of the counter in `counters`; 0: none */
    unsigned char *is_call;                /* [definitions] */
    const struct pithlog_query *computing; /* sum only computing within these times; NULL: sum everything */
};

/* At most MOST counters are summed, because each takes a sum for each definition. A recorder writes fewer. */
enum { MOST = 64 };

static int is_thread_counter(const struct pithlog_def *def)
{
    return def->kind == PITHLOG_COUNTER_TYPE &&
           strncmp(def->name, PITHI_THREAD_COUNTER, strlen(PITHI_THREAD_COUNTER)) == 0;
}

/* Returns the fraction of [from_ns, to_ns] that counts as computing. The lane's state does not change in this
 * interval. */
static double computing_part(const struct summing *s, const struct pithlog_step *step, int64_t from_ns, int64_t to_ns)
{
    const struct pithlog_query *part = s->computing;
    int64_t begin_ns = from_ns > part->from_ns ? from_ns : part->from_ns;
    int64_t end_ns = to_ns < part->to_ns ? to_ns : part->to_ns;

    for (uint32_t i = 0; i < step->depth; i++)
        if (s->is_call[step->open[i].id])
            return 0;
    /* An interval without length counts as a whole if it lies in the window. */
    if (from_ns == to_ns)
        return begin_ns <= end_ns;
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)(to_ns - from_ns) : 0;
}

static int take_counter(void *context, const struct pithlog_step *step)
{
    const struct summing *s = context;
    struct pithi_counter_sums *sums = s->sums;
    const struct pithlog_record *r = step->record;

    if (step->change != PITHLOG_HAPPENS || r->kind != PITHLOG_COUNTER || !s->place[r->id])
        return PITH_OK;
    uint32_t place = s->place[r->id] - 1;
    struct last *last = &s->last[(size_t)r->lane * sums->count + place];
    /* The last sum is for the time outside all states. If only computing is summed, all of it is added there, because
     * it is not summed by state. */
    uint32_t state = step->depth && !s->computing ? step->open[step->depth - 1].id : sums->states;
    double part = last->is_known && s->computing ? computing_part(s, step, last->time_ns, r->time_ns) : 1;

    /* A lower value than before is not added, because it is the first value of another thread, which took over the
     * lane. */
    if (last->is_known && r->value > last->value)
        sums->sums[(size_t)place * (sums->states + 1u) + state] += part * (r->value - last->value);
    *last = (struct last){r->value, r->time_ns, 1};
    sums->records[r->lane]++;
    return PITH_OK;
}

static int make(struct pithlog *log, const struct pithlog_query *part, int is_computing,
                struct pithi_counter_sums *sums)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct summing summing = {.sums = sums, .computing = is_computing ? part : NULL};
    struct pithi_reading reading = {.take = take_counter, .context = &summing};
    /* For computing, all records are read, because the value before the window is needed. */
    struct pithlog_query query = {.from_ns = is_computing ? INT64_MIN : part->from_ns,
                                  .to_ns = is_computing ? INT64_MAX : part->to_ns,
                                  .lanes = part->lanes,
                                  .lane_count = part->lane_count,
                                  .kinds = 1u << PITHLOG_COUNTER};
    int err;

    *sums = (struct pithi_counter_sums){.states = info->defs};
    if (!(summing.place = calloc(info->defs + (size_t)1, sizeof *summing.place)))
        return pithi_no_memory();
    for (uint32_t i = 0; i < info->defs; i++)
        if (sums->count < MOST && is_thread_counter(pithlog_get_def(log, i)))
            summing.place[i] = ++sums->count;
    if (!sums->count) {
        free(summing.place);
        return PITH_OK;
    }
    /* `last` is indexed by lane and counter, `sums` by counter and state. */
    sums->counters = calloc(sums->count, sizeof *sums->counters);
    sums->records = calloc(info->lanes + (size_t)1, sizeof *sums->records);
    sums->sums = calloc(sums->count, (info->defs + (size_t)1) * sizeof *sums->sums);
    summing.last = calloc(info->lanes + (size_t)1, sums->count * sizeof *summing.last);
    summing.is_call = calloc(info->defs + (size_t)1, 1);
    if (!summing.is_call || !sums->counters || !sums->records || !sums->sums || !summing.last) {
        err = pithi_no_memory();
        goto out;
    }
    for (uint32_t i = 0; i < info->defs; i++) {
        if (summing.place[i])
            sums->counters[summing.place[i] - 1] = i;
        summing.is_call[i] = pithi_mpi_call_traits(pithlog_get_def(log, i)) != 0;
    }
    err = pithi_read_steps(log, &query, &reading);
    /* With damage, the sums are those of the readable part. */
    err = err == PITH_ERR_DAMAGED ? PITH_OK : err;
out:
    free(summing.last);
    free(summing.place);
    free(summing.is_call);
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
