/* clock_anchor.c - ticks and the system's clocks at one moment. The same on all machines. */
#include "clock.h"
#include "pith.h"

int pithi_clock_inline;

uint64_t pithi_ticks(void) { return pithi_clock_inline ? pith_ticks_() : (uint64_t)pithi_clock_ns(CLOCK_MONOTONIC); }

void pithi_clock_anchor(struct pithi_anchor *anchor)
{
    uint64_t best = UINT64_MAX;
    int i;
    for (i = 0; i < 4; i++) {
        uint64_t before = pithi_ticks(), after;
        int64_t mono = pithi_clock_ns(CLOCK_MONOTONIC);
        after = pithi_ticks();
        if (after - before < best) {
            best = after - before;
            anchor->ticks = before + best / 2;
            anchor->mono_ns = mono;
        }
    }
    best = UINT64_MAX;
    for (i = 0; i < 4; i++) { /* REALTIME as of the anchor's moment */
        int64_t before = pithi_clock_ns(CLOCK_MONOTONIC), real = pithi_clock_ns(CLOCK_REALTIME);
        uint64_t width = (uint64_t)(pithi_clock_ns(CLOCK_MONOTONIC) - before);
        if (width < best) {
            best = width;
            anchor->real_ns = real - (before + (int64_t)(width / 2)) + anchor->mono_ns;
        }
    }
    if (!pithi_clock_inline) /* ticks are CLOCK_MONOTONIC: exactly so */
        anchor->ticks = (uint64_t)anchor->mono_ns;
}
