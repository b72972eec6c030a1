/* compute.h - stands for real computing: keeps the processor busy for a set time, and shows it as a state of that name.
 * On a machine with fewer cores than ranks it gives way to the other ranks, so that each of them has its time all the
 * same. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <pith.h>
#include <sched.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void compute(const char *state, double ms)
{
    uint32_t id = pith_state_define(state, NULL);
    double end = now_ms() + ms;

    pith_begin(id);
    while (now_ms() < end)
        sched_yield();
    pith_end(id);
}

#endif
