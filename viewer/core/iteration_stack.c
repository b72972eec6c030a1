/* iteration_stack.c - chooses iterations, and draws them one below the other. */
#include "core/iteration_stack.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/axis.h"
#include "core/legend.h"
#include "core/memory.h"

static int64_t length_of(const struct pithlog_iteration *iteration) { return iteration->to_ns - iteration->from_ns; }

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t *pithi_iteration_stack_choose(const struct pithlog_iterations *all, int64_t t0_ns, int64_t t1_ns,
                                       uint32_t most, uint32_t *count)
{
    uint32_t *chosen = pithi_alloc(most + (size_t)1, sizeof *chosen), *seen;
    uint32_t seen_count = 0, slow = 0;

    seen = pithi_alloc(all->count + 1, sizeof *seen);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->all[i].from_ns >= t0_ns && all->all[i].from_ns < t1_ns)
            seen[seen_count++] = i;
    *count = 0;
    for (size_t i = 0; i < all->slow_count && slow < most / 2 && seen_count > most; i++)
        if (bsearch(&all->slow[i].index, seen, seen_count, sizeof *seen, by_index))
            chosen[slow++] = all->slow[i].index;
    qsort(chosen, slow, sizeof *chosen, by_index);
    /* The others: each first one of `wanted` equal parts of those that are not chosen yet. */
    uint32_t others = seen_count - slow, wanted = others < most - slow ? others : most - slow, other = 0;
    *count = slow;
    for (uint32_t i = 0; i < seen_count && wanted; i++) {
        if (bsearch(&seen[i], chosen, slow, sizeof *chosen, by_index))
            continue;
        if (!other || (uint64_t)other * wanted / others != ((uint64_t)other - 1) * wanted / others)
            chosen[(*count)++] = seen[i];
        other++;
    }
    qsort(chosen, *count, sizeof *chosen, by_index);
    free(seen);
    return chosen;
}

int pithi_iteration_stack_load(struct pithi_iteration_stack *stack, const struct pithi_plot *like)
{
    int err = PITH_OK;

    for (uint32_t i = 0; i < stack->count; i++) {
        int64_t ns = length_of(&stack->all->all[stack->chosen[i]]);
        stack->longest_ns = ns > stack->longest_ns ? ns : stack->longest_ns;
    }
    stack->bands = pithi_alloc(stack->count, sizeof *stack->bands);
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct pithlog_iteration *iteration = &stack->all->all[stack->chosen[i]];
        double part = (double)length_of(iteration) / (double)stack->longest_ns;
        struct pithi_plot *band = &stack->bands[i];
        *band = (struct pithi_plot){.log = like->log,
                                    .rgb = like->rgb,
                                    .t0_ns = iteration->from_ns,
                                    .t1_ns = iteration->to_ns + (length_of(iteration) == 0),
                                    .rows = like->rows,
                                    .row_count = like->row_count,
                                    .hidden = like->hidden,
                                    .flames = like->flames,
                                    .core_waits = like->core_waits,
                                    .x = like->x,
                                    .y = like->y + i * stack->pitch,
                                    .width = (uint32_t)fmax(floor(like->width * part + 0.5), 1),
                                    .row_height = like->row_height,
                                    .gaps = like->gaps,
                                    .summary = like->summary,
                                    .care = like->care,
                                    .analysis = like->analysis,
                                    .waits = like->waits,
                                    .path = like->path};
        int band_err = pithi_plot_load(band);
        err = err && err != PITH_ERR_DAMAGED ? err : band_err ? band_err : err;
    }
    return err;
}

void pithi_iteration_stack_draw(const struct pithi_iteration_stack *stack, const struct pithi_painter *painter)
{
    struct pithi_painter one = *painter;

    one.ground = NULL; /* a plot would lay it over the other bands */
    for (uint32_t i = 0; i < stack->count; i++)
        pithi_plot_draw(&stack->bands[i], &one);
}

void pithi_iteration_stack_free(struct pithi_iteration_stack *stack)
{
    for (uint32_t i = 0; stack->bands && i < stack->count; i++)
        pithi_plot_free(&stack->bands[i]);
    free(stack->bands);
    free(stack->chosen);
    *stack = (struct pithi_iteration_stack){0};
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

void pithi_iteration_label(const struct pithlog_iterations *all, uint32_t index, char *text, size_t size)
{
    char length[32];

    pithi_duration_text(length_of(&all->all[index]), length, sizeof length);
    snprintf(text, size, "%" PRIu32 "  %s", index + 1, length);
}

int pithi_iteration_is_slow(const struct pithlog_iterations *all, uint32_t index)
{
    for (size_t i = 0; i < all->slow_count; i++)
        if (all->slow[i].index == index)
            return 1;
    return 0;
}

void pithi_iteration_reason(const struct pithlog *log, const struct pithlog_iterations *all, uint32_t index, char *text,
                            size_t size)
{
    char more[32], name[128], place[64];

    *text = 0;
    for (size_t i = 0; i < all->slow_count && i < PITHLOG_SLOW_MOST; i++) {
        const struct pithlog_slow_iteration *slow = &all->slow[i];
        if (slow->index != index || slow->difference_ns <= 0)
            continue;
        pithi_duration_text(slow->difference_ns, more, sizeof more);
        pithi_row_place(log, &(struct pithi_row){.lane = slow->lane, .counter = PITHI_NONE}, place, sizeof place);
        if (slow->kind || slow->state == PITHLOG_COMPUTING)
            snprintf(name, sizeof name, "%s", slow->kind ? pithlog_wait_kind_name(slow->kind) : "computing");
        else
            pithi_def_label(log, slow->state, name, sizeof name);
        snprintf(text, size, "+%s %s on %s", more, name, place);
    }
}
