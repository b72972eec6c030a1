/* spill_time.c - fits the clock of a process: computes spans from its anchors (spill_time.h). It reads no files.
 *
 * A span converts by ns + (ticks - span.ticks) * scale / 2^44, in integers of 128 bits. Floating point would not do: a
 * double has 53 bits, and two records a few ns apart in a run of days would get times in the wrong order.
 *
 *     0.3846 ns a tick is scale 6,766,225,401,698 (1000 / 2600 * 2^44, rounded)
 *
 * The time of an anchor may be late, because the process may be interrupted between reading the ticks and reading the
 * clock. If two anchors are close together, such a delay makes a large error of the slope between them. Therefore an
 * anchor is left out if it is closer than NEAR_NS to the one before. Before the first and after the last anchor, the
 * slope of the longest base line is used (spill_time.h). */
#include "spill/spill_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

#define NEAR_NS 1000000 /* an anchor is left out if it is closer than this to the one before */
#define SLOPE_MIN 1e-4  /* ns per tick: a 10 THz counter */
#define SLOPE_MAX 1e6   /* ns per tick: a 1 kHz counter */

static int by_ticks(const void *a, const void *b)
{
    const struct pithi_anchor *left = a, *right = b;
    return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

/* Returns the slope between two anchors in ns per tick, or 0 if it is not plausible. */
static double slope(const struct pithi_anchor *from, const struct pithi_anchor *to)
{
    double value;
    if (to->ticks <= from->ticks || to->mono_ns <= from->mono_ns)
        return 0;
    value = ((double)to->mono_ns - (double)from->mono_ns) / (double)(to->ticks - from->ticks);
    return value >= SLOPE_MIN && value <= SLOPE_MAX ? value : 0;
}

void pithi_anchor_longest(struct pithi_anchor_pair *best, const struct pithi_anchor_pair *other)
{
    if (slope(&other->first, &other->last) == 0)
        return;
    if (slope(&best->first, &best->last) == 0 ||
        other->last.ticks - other->first.ticks > best->last.ticks - best->first.ticks)
        *best = *other;
}

static struct pithi_span span_at(const struct pithi_anchor *anchor, double ns_per_tick)
{
    struct pithi_span span = {anchor->ticks, anchor->mono_ns,
                              (uint64_t)(ns_per_tick * (double)(UINT64_C(1) << PITHI_SCALE_BITS) + 0.5)};
    return span;
}

struct pithi_anchor_pair pithi_spill_base(const struct pithi_spill_page *page)
{
    return (struct pithi_anchor_pair){page->first, page->ahead_ns != 0 ? page->parted[0] : page->last};
}

/* Adds the spans of a counter that parted from CLOCK_MONOTONIC. The last span so far begins at page->parted[0], which
 * is the last anchor that agreed. A new span begins at page->parted[1] and applies to all later ticks. If the counter
 * jumped ahead between these two anchors, records just before the jump stay on the span of parted[0], and another new
 * span that ends at parted[1] is for the records just after the jump. */
static void add_parted(struct pithi_spill_time *time, const struct pithi_spill_page *page, double mean)
{
    const struct pithi_anchor *last = &page->parted[0], *now = &page->parted[1];
    double passed_ns = (double)pithi_ns_apart(now->mono_ns, last->mono_ns);
    int64_t ahead_ns = page->ahead_ns > 0 ? page->ahead_ns : page->ahead_ns > INT64_MIN ? -page->ahead_ns : INT64_MAX;
    if (now->ticks <= last->ticks || passed_ns <= 0)
        return;
    if ((double)(now->ticks - last->ticks) * mean > 2 * passed_ns) {
        struct pithi_anchor again = {now->ticks - (uint64_t)(passed_ns / mean), last->mono_ns, 0};
        time->spans[time->count++] = span_at(&again, mean);
    } else if (slope(last, now) != 0) {
        time->spans[time->count - 1] = span_at(last, slope(last, now));
    }
    time->spans[time->count++] = span_at(now, slope(now, &page->parted[2]));
    /* If the counter jumped ahead, a record between the two anchors is misplaced by at most the time between them. If
     * the counter went back, a record may be misplaced by the whole step, because a thread that has not recorded for
     * long may have records with ticks from before the step. */
    time->parted_ns = page->ahead_ns > 0 && (double)ahead_ns > passed_ns ? (int64_t)passed_ns : ahead_ns;
    time->error_ns = time->parted_ns > time->error_ns ? time->parted_ns : time->error_ns;
}

int pithi_time_fit(struct pithi_spill_time *time, const struct pithi_spill_page *page, struct pithi_anchor *anchors,
                   uint32_t count, const struct pithi_anchor_pair *base)
{
    const struct pithi_anchor *parted = page->ahead_ns != 0 ? page->parted : NULL;
    double mean = 1; /* ns per tick, if there is no base line */
    uint32_t i, kept = 0;

    *time = (struct pithi_spill_time){.spans = calloc((size_t)count + 4, sizeof *time->spans), .error_ns = 100};
    if (time->spans == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clock of a process");
    if (page->clock != PITHI_CLOCK_NS && count > 0) {
        struct pithi_anchor_pair longest;
        qsort(anchors, count, sizeof *anchors, by_ticks);
        /* leaves out anchors that were taken after the counter parted */
        while (parted != NULL && count > 1 && anchors[count - 1].ticks > parted[0].ticks)
            count--;
        for (i = 0; i < count; i++)
            if (kept == 0 || (slope(&anchors[kept - 1], &anchors[i]) != 0 &&
                              (uint64_t)pithi_ns_apart(anchors[i].mono_ns, anchors[kept - 1].mono_ns) >= NEAR_NS))
                anchors[kept++] = anchors[i];
        longest.first = anchors[0];
        longest.last = anchors[kept - 1];
        if (kept == 1 && count > 1) /* in a short run, a poor slope is better than none */
            longest.last = anchors[count - 1];
        if (base != NULL)
            pithi_anchor_longest(&longest, base);
        mean = slope(&longest.first, &longest.last);
        if (mean == 0)
            mean = 1;
        for (i = 0; i + 1 < kept; i++)
            time->spans[time->count++] = span_at(&anchors[i], slope(&anchors[i], &anchors[i + 1]));
        time->spans[time->count++] = span_at(&anchors[kept - 1], mean);
        /* The error of the fit is the largest distance of an anchor from the line between its neighbours. */
        double worst = 100;
        for (uint32_t k = 1; k + 1 < kept; k++) {
            double line_ns =
                (double)(anchors[k].ticks - anchors[k - 1].ticks) * slope(&anchors[k - 1], &anchors[k + 1]);
            double error = line_ns - (double)pithi_ns_apart(anchors[k].mono_ns, anchors[k - 1].mono_ns);
            worst = error > worst ? error : -error > worst ? -error : worst;
        }
        time->error_ns = worst < 9e18 ? (int64_t)worst : INT64_MAX;
        if (parted != NULL) {
            if (anchors[kept - 1].ticks < parted[0].ticks)
                time->spans[time->count++] = span_at(&parted[0], mean);
            add_parted(time, page, mean);
        }
    } else {
        struct pithi_anchor zero = {0, 0, 0};
        time->spans[time->count++] = span_at(&zero, 1);
    }
    time->spans[time->count].ticks = UINT64_MAX;
    time->ticks_per_s = 1e9 / mean;
    return PITH_OK;
}

void pithi_clock_text(const struct pithi_spill_page *page, const struct pithi_spill_time *time, char *text, size_t size)
{
    if (page->clock == PITHI_CLOCK_NS)
        snprintf(text, size, "clock_gettime");
    else
        snprintf(text, size, "%s %.6g GHz", page->clock == PITHI_CLOCK_TSC ? "tsc" : "cntvct", time->ticks_per_s / 1e9);
}

void pithi_clock_parted_text(const struct pithi_spill_page *page, int64_t shift_ns, char *text, size_t size)
{
    int64_t at_ns = pithi_ns_sum(page->parted[1].mono_ns, shift_ns);
    text[0] = '\0';
    if (page->ahead_ns != 0)
        snprintf(text, size, "at %.9f s the counter was %.9g s %s CLOCK_MONOTONIC; later times are by clock_gettime",
                 (double)at_ns / 1e9, (page->ahead_ns > 0 ? 1e-9 : -1e-9) * (double)page->ahead_ns,
                 page->ahead_ns > 0 ? "ahead of" : "behind");
}

void pithi_time_free(struct pithi_spill_time *time)
{
    free(time->spans);
    time->spans = NULL;
    time->count = 0;
}

/* ---- The clock now ----------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
static uint64_t counter(void) { return __builtin_ia32_rdtsc(); }
enum { COUNTER = PITHI_CLOCK_TSC };
#elif defined(__aarch64__)
static uint64_t counter(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
enum { COUNTER = PITHI_CLOCK_ARM64 };
#else
static uint64_t counter(void) { return 0; }
enum { COUNTER = PITHI_CLOCK_NS };
#endif

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int pithi_spill_is_here(const struct pithi_spill_page *page)
{
    char id[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL)
        return 0;
    if (fgets(id, sizeof id, file) != NULL)
        id[strcspn(id, "\n")] = '\0';
    fclose(file);
    return id[0] != '\0' && strcmp(id, page->boot_id) == 0;
}

/* If CLOCK_REALTIME and CLOCK_MONOTONIC have moved apart by more than this, the machine has slept (or its clock was
 * set, which looks the same), because only CLOCK_REALTIME counts the time slept. */
#define APART_NS 1000000000.0

int pithi_spill_now(const struct pithi_spill_page *page, struct pithi_anchor *now)
{
    uint64_t before;
    double apart;
    if (page->clock != COUNTER || page->clock == PITHI_CLOCK_NS || page->ahead_ns != 0 || !pithi_spill_is_here(page))
        return 0;
    before = counter();
    now->mono_ns = clock_ns(CLOCK_MONOTONIC);
    now->ticks = before + (counter() - before) / 2;
    now->real_ns = clock_ns(CLOCK_REALTIME);
    apart = ((double)now->real_ns - (double)page->first.real_ns) - ((double)now->mono_ns - (double)page->first.mono_ns);
    return apart > -APART_NS && apart < APART_NS;
}
