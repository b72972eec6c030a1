/* legend.h - what the legend says, and the labels of rows. */
#ifndef PITHI_LEGEND_H
#define PITHI_LEGEND_H

#include <stddef.h>

#include "core/digest.h"
#include "core/query.h"

struct pithi_legend_entry {
    uint32_t id;
    struct pithi_sum sum;
    double share; /* exclusive time as a part of all lanes' time in the window, 0 to 1 */
};

/* The states and events that are in the window: states by exclusive time, falling, then events by count. [*count], to
 * be freed. */
struct pithi_legend_entry *pithi_legend_make(const struct pithlog *log, const struct pithi_cells *cells,
                                             int64_t span_ns, uint32_t *count);

/* A definition's name, clean (clean.h). Returns `label`. */
char *pithi_def_label(const struct pithlog *log, uint32_t id, char *label, size_t size);

/* "rank 3", "3.1 worker" (thread 1 of rank 3), "rank 3  node17" (when hosts differ), a counter's "queue [bytes]";
 * clean. */
void pithi_row_label(const struct pithlog *log, struct pithi_row row, char *label, size_t size);

/* Whose a row is, in words of the log's: "rank 3", "rank 3 thread 1", "ranks 4 to 7". */
void pithi_row_place(const struct pithlog *log, const struct pithi_row *row, char *text, size_t size);

/* 12345678 as "12 345 678" (thin spaces). */
void pithi_number_text(uint64_t number, char *text, size_t size);

#endif
