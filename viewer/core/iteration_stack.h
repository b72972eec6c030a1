/* iteration_stack.h - the iterations of a program, one below the other, aligned at their starts.
 *
 * Each iteration is a band: a plot of its time, whose width is its part of the longest one's. */
#ifndef PITHI_ITERATION_STACK_H
#define PITHI_ITERATION_STACK_H

#include <stddef.h>

#include "core/plot.h"

struct pithi_iteration_stack {
    const struct pithlog_iterations *all; /* the caller's */
    int64_t longest_ns;                   /* given, or 0: of those in the stack */
    double pitch;                         /* pixels from band to band */
    struct pithi_plot *bands;             /* [count] */
    uint32_t *chosen;                     /* [count] indices into all->all */
    uint32_t count;
};

/* Chooses at most `most` of the iterations that begin in [t0, t1): if there are more, the slow ones and others, evenly.
 * [*count], in time order, to be freed. */
uint32_t *pithi_iteration_stack_choose(const struct pithlog_iterations *all, int64_t t0_ns, int64_t t1_ns,
                                       uint32_t most, uint32_t *count);
/* Loads a band for each of stack->chosen. `like` has the log, the rows and the look of all bands, the place of the
 * first one and the width of the longest; messages are not drawn. 0 or an enum pith_err; after PITH_ERR_DAMAGED the
 * readable part can be drawn. */
int pithi_iteration_stack_load(struct pithi_iteration_stack *stack, const struct pithi_plot *like);
void pithi_iteration_stack_draw(const struct pithi_iteration_stack *stack, const struct pithi_painter *painter);
/* Frees the bands and `chosen`. */
void pithi_iteration_stack_free(struct pithi_iteration_stack *stack);

/* "12" and "4.1 ms" */
void pithi_iteration_label(const struct pithlog_iterations *all, uint32_t index, char *text, size_t size);
/* Why it is slow: "+1.2 ms refine on rank 3"; "" if it is not among the slowest. */
void pithi_iteration_reason(const struct pithlog *log, const struct pithlog_iterations *all, uint32_t index, char *text,
                            size_t size);
/* 1: it is slow. */
int pithi_iteration_is_slow(const struct pithlog_iterations *all, uint32_t index);

#endif
