/* lane_delay.c - keeps the costs and open states of one lane (lane_delay.h).
 *
 *     delay 100; enter at 1000, own cost 10; next record at 1004      1000 becomes 900
 *                                                                     only 4 of the 10 fit in: the delay is
 *                                                                     104, and 1004 becomes 900, too
 *
 * A cost never counts for more than the elapsed time, so records keep their order. */
#include "analysis/correct/lane_delay.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

void pithi_delay_free(struct pithi_delay *d) { free(d->open); }

void pithi_lane_delay_begin(struct pithi_delay *d, int64_t time_ns, double x_ns)
{
    d->begun = 1;
    d->now_ns = time_ns;
    d->x_ns = x_ns;
    d->out_ns = (double)time_ns - x_ns;
}

static void add(struct pithi_delay *d, double own_ns)
{
    d->x_ns += own_ns;
    d->own_ns += own_ns;
}

void pithi_delay_to(struct pithi_delay *d, int64_t time_ns)
{
    double passed = (double)(time_ns - d->now_ns), own = d->pending_ns < passed ? d->pending_ns : passed;
    if (time_ns <= d->now_ns)
        return;
    add(d, own);
    d->pending_ns = 0;
    d->unclaimed_ns += passed - own;
    d->now_ns = time_ns;
}

/* Adds the cost since the last pith:own, which is at most the elapsed time. A lane's first pith:own only sets the value
 * to count from. This value is 0, or more if the log lacks earlier values. */
void pithi_delay_tell(struct pithi_delay *d, double total_ns)
{
    double more = d->told ? total_ns - d->told_ns : 0;
    d->told = 1;
    d->told_ns = total_ns;
    if (total_ns == 0)
        return;
    if (more > 0)
        add(d, more < d->unclaimed_ns ? more : d->unclaimed_ns);
    d->unclaimed_ns = 0;
}

void pithi_delay_tell_before(struct pithi_delay *d, double total_ns, int64_t since_ns)
{
    double free_ns = (double)since_ns - d->cost.ns[PITHLOG_LEAVE] - d->cost.ns[PITHLOG_OWN_CALL];
    double more = total_ns - d->told_ns - (free_ns > 0 ? free_ns : 0);
    more = more < d->unclaimed_ns ? more : d->unclaimed_ns;
    if (!d->told || more <= 0)
        return;
    add(d, more);
    d->told_ns += more;
    d->unclaimed_ns -= more;
}

void pithi_delay_tell_state(struct pithi_delay *d, const struct pithi_open *left)
{
    double more = (double)(d->now_ns - left->begin_ns) - (d->own_ns - left->own_ns);
    if (more <= 0)
        return;
    add(d, more);
    d->unclaimed_ns -= more < d->unclaimed_ns ? more : d->unclaimed_ns;
}

void pithi_lane_delay_set(struct pithi_delay *d, double before_ns)
{
    double now = (double)d->now_ns;
    d->x_ns = before_ns < now ? now - before_ns : 0;
}

double pithi_delay_out(struct pithi_delay *d)
{
    double out = (double)d->now_ns - d->x_ns;
    if (out > d->out_ns)
        d->out_ns = out;
    return d->out_ns;
}

/* A wrapper costs more than its records. This further cost of the whole call is added at the call's end. */
void pithi_delay_cost(struct pithi_delay *d, uint32_t kind, int wrapped)
{
    if (kind < PITHLOG_OWN_COSTS)
        d->pending_ns += d->cost.ns[kind];
    if (kind == PITHLOG_LEAVE && wrapped)
        d->pending_ns += d->cost.ns[PITHLOG_OWN_CALL];
}

int pithi_delay_enter(struct pithi_delay *d, uint32_t state)
{
    if (!pithi_grow(&d->open, d->open_count, &d->open_room, sizeof *d->open))
        return -1;
    d->open[d->open_count++] = (struct pithi_open){.state = state,
                                                   .part = {.coll = UINT32_MAX},
                                                   .begin_ns = d->now_ns,
                                                   .before_ns = pithi_delay_out(d),
                                                   .own_ns = d->own_ns};
    return 0;
}

void pithi_delay_leave(struct pithi_delay *d, uint32_t at, struct pithi_open *left)
{
    *left = d->open[at];
    if (at < --d->open_count)
        memmove(&d->open[at], &d->open[at + 1], (d->open_count - at) * sizeof *d->open);
}
