/* slog2_categories.h - categories of a SLOG-2 file being written: one for each definition that is used, numbered from 1
 * on as these are; 0 for messages, and the last for such of 2 GiB and more, whose size needs another token. */
#ifndef PITHI_SLOG2_CATEGORIES_H
#define PITHI_SLOG2_CATEGORIES_H

#include "slog2/slog2_shadow.h"

struct pithi_slog2_used; /* what was drawn of a category */

struct pithi_slog2_categories {
    struct pithlog *log;
    struct pithi_slog2_used *used;
    uint32_t count; /* of numbers */
    uint64_t cut_names, cut_formats;
};

int pithi_slog2_categories_open(struct pithi_slog2_categories *categories, struct pithlog *log);
void pithi_slog2_categories_free(struct pithi_slog2_categories *categories);
int32_t pithi_slog2_message_category(const struct pithi_slog2_categories *categories, uint64_t message_bytes);
/* Counts a drawable for the ratios. */
void pithi_slog2_categories_add(struct pithi_slog2_categories *categories, const struct pithi_slog2_drawable *drawable);
/* The map as it stands in the file, which lasts `length_ns`. */
int pithi_slog2_categories_write(struct pithi_slog2_categories *categories, uint64_t length_ns,
                                 struct pithi_buffer *bytes);

#endif
