/* wait_sums.c - sums wait states by kind and MPI function, and finds the longest. */
#include "core/wait_sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/axis.h"
#include "core/legend.h"
#include "core/memory.h"

static int64_t length_of(const struct pithlog_wait_state *wait) { return wait->to_ns - wait->from_ns; }

/* Of equally long ones, the first in time, then the one on the lowest lane. */
static int is_longer(const struct pithlog_wait_state *a, const struct pithlog_wait_state *b)
{
    if (length_of(a) != length_of(b))
        return length_of(a) > length_of(b);
    return a->from_ns != b->from_ns ? a->from_ns < b->from_ns : a->lane < b->lane;
}

static int by_time(const void *a, const void *b)
{
    const struct pithi_wait_sum *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->state > y->state) - (x->state < y->state);
}

struct pithi_wait_sum *pithi_wait_sums_make(const struct pithlog *log, const struct pithlog_analysis *analysis,
                                            uint32_t *count)
{
    const struct pithlog_analysis_info *info = pithlog_analysis_get_info(analysis);
    uint32_t defs = pithlog_get_info(log)->defs, all = PITHLOG_WAIT_KINDS * defs;
    struct pithi_wait_sum *sums = pithi_alloc(all, sizeof *sums);
    double time_ns = (double)info->lanes * ((double)info->to_ns - (double)info->from_ns);
    const struct pithlog_wait_state *waits;

    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++) {
        size_t many = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < many; i++) {
            struct pithi_wait_sum *sum = &sums[waits[i].kind * defs + waits[i].state];
            sum->kind = waits[i].kind;
            sum->state = waits[i].state;
            sum->count++;
            sum->ns += length_of(&waits[i]);
            if (!sum->longest || is_longer(&waits[i], sum->longest))
                sum->longest = &waits[i];
        }
    }
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (sums[i].count) {
            sums[*count] = sums[i];
            sums[*count].share = time_ns > 0 ? (double)sums[i].ns / time_ns : 0;
            ++*count;
        }
    qsort(sums, *count, sizeof *sums, by_time);
    return sums;
}

const struct pithlog_wait_state **pithi_waits_longest(const struct pithlog *log,
                                                      const struct pithlog_analysis *analysis, uint32_t kind,
                                                      uint32_t most, uint32_t *count)
{
    const struct pithlog_wait_state **longest = pithi_alloc(most + (size_t)1, sizeof *longest), *waits;

    *count = 0;
    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++) {
        size_t many = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < many; i++) {
            uint32_t low = 0, high = *count;
            if (waits[i].kind != kind || (*count == most && !is_longer(&waits[i], longest[most - 1])))
                continue;
            while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                if (is_longer(longest[middle], &waits[i]))
                    low = middle + 1;
                else
                    high = middle;
            }
            memmove(longest + low + 1, longest + low, (*count - low) * sizeof *longest);
            longest[low] = &waits[i];
            *count += *count < most;
        }
    }
    return longest;
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

void pithi_wait_sum_name(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size)
{
    char state[128];

    pithi_def_label(log, sum->state, state, sizeof state);
    snprintf(text, size, "%s in %s", pithlog_wait_kind_name(sum->kind), state);
}

static void place_of(const struct pithlog *log, uint32_t lane, char *text, size_t size)
{
    pithi_row_place(log, &(struct pithi_row){.lane = lane, .counter = PITHI_NONE}, text, size);
}

void pithi_wait_sum_text(const struct pithlog *log, const struct pithi_wait_sum *sum, char *text, size_t size)
{
    const struct pithlog_wait_state *longest = sum->longest;
    char time[32], length[32], at[32], place[64], cause[64], count[40];

    pithi_duration_text(sum->ns, time, sizeof time);
    pithi_duration_text(length_of(longest), length, sizeof length);
    pithi_time_text(longest->from_ns, length_of(longest) / 100 + 1, at, sizeof at);
    place_of(log, longest->lane, place, sizeof place);
    place_of(log, longest->cause_lane, cause, sizeof cause);
    pithi_number_text(sum->count, count, sizeof count);
    snprintf(text, size, "%s, %.1f %%, %s time%s; longest: %s waits %s for %s at %s", time, sum->share * 100, count,
             &"s"[sum->count == 1], place, length, cause, at);
}
