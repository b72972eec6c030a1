/* clock.h - ticks, the cheapest clock of this machine; boot ids, which show whether processes share a clock; times in
 * text.
 *
 * pith.h reads the counter of x86-64 and ARM64 inline. If that counter cannot be trusted, ticks are the nanoseconds of
 * CLOCK_MONOTONIC, and records take a path with a call. On x86-64 the counter is trusted if it has one rate in all
 * power states, and either the kernel lists it as a clock, or CLOCK_MONOTONIC is read without a system call. Without a
 * system call, the C library can compute CLOCK_MONOTONIC only from the counter of the core that it runs on, so the
 * counter and CLOCK_MONOTONIC agree on all cores. This second test trusts the counter in virtual machines that list
 * only kvm-clock or Hyper-V's clock.
 *
 * The counter and CLOCK_MONOTONIC may part later, that is, stop agreeing: if the machine sleeps, or if the virtual
 * machine moves to another host. So each anchor is compared with earlier ones. Example: 0.4 ns a tick so far, and since
 * the last anchor
 *
 *     2,500,000 ticks and 1,000,300 ns: 300 ns apart, which is the error of an anchor
 *     2,500,000 ticks and 61,000,000 ns: the counter has lost 60 ms
 *
 * If the counter and CLOCK_MONOTONIC are apart by more than 1 us plus 0.05 % of the time (NTP may slew by that),
 * recording continues with CLOCK_MONOTONIC. Ticks keep their unit, because they are computed from CLOCK_MONOTONIC along
 * a line. The line begins at the counter's value or, if the counter has gone back, at the value that the counter should
 * have. The spill file's page has that line, and readers convert ticks with it (formats/spill/spill_time.h).
 *
 * clock.h and clock.c use no other part of liblog, so libraries that keep no log can take them from libpith.a.
 */
#ifndef PITHI_CLOCK_H
#define PITHI_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/wide.h"
#include "spill/spill.h"

/* The values of PITH_CLOCK. */
enum pithi_clock_wanted { PITHI_WANT_SAFE, PITHI_WANT_COUNTER, PITHI_WANT_MONOTONIC, PITHI_WANT_INVALID };
enum pithi_clock_wanted pithi_clock_wanted(void);

/* Chooses the clock, once in a process. Call it before anything is recorded, in any thread. It takes some us. */
enum pithi_spill_clock pithi_clock_choose(void);
/* Under the guard, before the first anchor of a spill file: forgets the anchors of an earlier file. */
void pithi_clock_begin(void);
/* 1: ticks are the counter that pith.h reads inline. Atomic; may become 0 under the guard. */
extern int pithi_clock_inline;

static inline int64_t pithi_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t pithi_ticks(void);
/* A line by which ticks are computed from CLOCK_MONOTONIC: `scale` / 2^32 ticks each ns. If `scale` is 0, ticks are
 * nanoseconds. */
struct pithi_clock_line {
    uint64_t ticks; /* the line begins at these ticks, which are mono_ns of CLOCK_MONOTONIC */
    int64_t mono_ns;
    uint64_t scale;
};
extern struct pithi_clock_line pithi_clock_line;
static inline uint64_t pithi_ticks_at(int64_t mono_ns)
{
    uint64_t passed_ns = (uint64_t)(mono_ns - pithi_clock_line.mono_ns);
    if (__builtin_expect(pithi_clock_line.scale == 0, 1))
        return (uint64_t)mono_ns;
    return pithi_clock_line.ticks + pithi_mul_shift(passed_ns, pithi_clock_line.scale, 32);
}
/* Reads the counter and the two clocks at about one moment: of four tries, the anchor is the try whose readings are
 * closest together. */
void pithi_clock_anchor(struct pithi_anchor *anchor);
/* Under the guard: makes an anchor and compares it with earlier ones. Returns 0; or 1 if the counter and
 * CLOCK_MONOTONIC no longer agree. In that case the caller stops all threads from reading the counter inline
 * (pithi_buffer_stop_all), and then calls pithi_clock_part with this anchor. */
int pithi_clock_anchor_next(struct pithi_anchor *anchor);
/* Changes the clock: from now on, ticks are computed from CLOCK_MONOTONIC. Begins pithi_clock_line at `anchor`, and
 * stores the line in the spill file's page. `latest` is the highest ticks that a thread has recorded. If the counter
 * has gone back, sets the ticks of `anchor` to the value that the counter should have. */
void pithi_clock_part(struct pithi_anchor *anchor, uint64_t latest, struct pithi_spill_page *page);

/* Writes the boot id, different for each machine and each boot, to `id`; "" if it is unknown. Processes with the same
 * id share a clock. */
void pithi_boot_id(char *id, size_t size);

#define PITHI_MOMENT_WORDS "a time such as 2, 0.25, 10s or 500ms"

/* Reads "2", "0.25", "10s" or "500ms" and returns the time in ns; `plain_ns` is the unit of a number without a unit.
 * Returns -1 if the text is invalid. */
int64_t pithi_moment_ns(const char *value, int64_t plain_ns);

#endif
