/* clock_turns.c - see clock_turns.h. */
#include "clock_turns.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "host_clocks.h"
#include "moment.h"

#define FIRST_NS 100000000

static struct {
    int begun, follow;
    int64_t every_ns, begin_ns, last_ns; /* last: when clocks were compared */
    uint64_t taken, next;
} turns;

void pithi_turns_begin(int64_t every_ns)
{
    int64_t now_ns = pithi_clock_ns(CLOCK_MONOTONIC);
    turns.begun = 1;
    turns.every_ns = every_ns;
    turns.begin_ns = turns.last_ns = now_ns;
    turns.taken = 0;
    turns.next = pithi_host_clocks_several() ? 1 : UINT64_MAX;
}

void pith_clocks_follow(void) { turns.follow = 1; }

/* From one comparison to the next. 0: there is none. */
static int64_t interval_ns(void)
{
    int64_t so_far_ns = turns.last_ns - turns.begin_ns;
    if (turns.every_ns > 0 || !turns.follow)
        return turns.every_ns;
    return so_far_ns > FIRST_NS ? so_far_ns : FIRST_NS;
}

/* Rank 0: whether it is due, and when to ask again. */
static void decide(uint64_t decision[2])
{
    int64_t now_ns = pithi_clock_ns(CLOCK_MONOTONIC), left_ns, wait_ns = interval_ns();
    double each_ns = (double)(now_ns - turns.begin_ns) / (double)turns.taken, ahead;
    if (wait_ns == 0)
        return;
    decision[0] = now_ns - turns.last_ns >= wait_ns;
    if (decision[0] != 0)
        turns.last_ns = now_ns;
    left_ns = turns.last_ns + interval_ns() - now_ns;
    ahead = each_ns > 0 ? (double)left_ns / each_ns / 2 : 1;
    if (ahead > (double)turns.taken)
        ahead = (double)turns.taken;
    decision[1] = turns.taken + (ahead > 1 ? (uint64_t)ahead : 1);
}

int pithi_turns_take(const struct pith_transport *t)
{
    uint64_t decision[2] = {0, UINT64_MAX};
    if (++turns.taken < turns.next)
        return 0;
    if (t->rank == 0)
        decide(decision);
    if (t->bcast(t->context, 0, decision, sizeof decision) != 0)
        decision[1] = UINT64_MAX;
    turns.next = decision[1];
    return decision[0] != 0;
}

/* ---- Without a log ----------------------------------------------------------------------------------------------- */

static int64_t asked_ns(int rank)
{
    const char *value = getenv("PITH_SYNC");
    int64_t ns = value != NULL && *value != '\0' ? pithi_moment_ns(value, 1000000000) : 0;
    if (ns < 0 && rank == 0)
        fprintf(stderr, "pith: PITH_SYNC=%s: not " PITHI_MOMENT_WORDS "; taken as not given\n", value);
    return ns > 0 ? ns : 0;
}

int pith_clocks_turn(const struct pith_transport *t)
{
    if (!turns.begun)
        pithi_turns_begin(asked_ns(t->rank));
    return pithi_turns_take(t) && pithi_host_clocks_sync(t) == 0;
}
