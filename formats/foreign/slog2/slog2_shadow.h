/* slog2_shadow.h - previews ("shadows") and categories of a SLOG-2 file being written. A viewer draws the preview of a
 * node instead of the node while it has not read that node.
 *
 * One shadow represents all events on a line, all states on a line, or all arrows between two lines, in the subtree of
 * a node. It has one or two vertices, as each of the events, states or arrows has. The time of a vertex is the mean of
 * the times of this vertex in all of them. The box of the shadow is the shortest interval that contains all of them.
 * Its weights say which fraction of the box each category takes. For example, if the box of a shadow is 10 s to 20 s
 * and it has two states "a" of 2 s and 1 s, "a" has the ratio (2 + 1) / 10 = 0.3. A weight has a ratio of total time
 * and a ratio of self time; only the first includes the time of nested states.
 *
 * Each definition in use has a category, numbered from 1 in the order of definition; category 0 is for messages. The
 * last category is for messages of 2 GiB and more, whose size needs a token of 8 bytes. */
#ifndef PITHI_SLOG2_SHADOW_H
#define PITHI_SLOG2_SHADOW_H

#include "base/bytes.h"
#include "base/map.h"
#include "foreign/slog2/slog2_layout.h"

/* A drawable to be written. */
struct pithi_slog2_drawable {
    enum pithi_slog2_topology topology;
    int32_t category;
    int32_t line[2]; /* of the two vertices; both are equal for an event or a state */
    int64_t time_ns[2];
    int64_t own_ns; /* states: self time, without nested states */
    const void *info;
    uint32_t info_size;
};

static inline int64_t pithi_slog2_first_ns(const struct pithi_slog2_drawable *d)
{
    return d->time_ns[0] < d->time_ns[1] ? d->time_ns[0] : d->time_ns[1];
}
static inline int64_t pithi_slog2_last_ns(const struct pithi_slog2_drawable *d)
{
    return d->time_ns[0] < d->time_ns[1] ? d->time_ns[1] : d->time_ns[0];
}

struct pithi_slog2_shadow;
struct pithi_slog2_weight;

/* The shadows of a node. A set in which all members are zero is empty. */
struct pithi_slog2_shadows {
    struct pithi_slog2_shadow *shadows;
    uint32_t count, room;
    struct pithi_slog2_weight *weights;
    uint32_t weight_count, weight_room;
    struct pithi_map shadow_of, weight_of;
};

void pithi_slog2_shadows_free(struct pithi_slog2_shadows *set);
/* Adds a drawable to the shadows of its node. This function and the next three return 0 if memory runs out. */
int pithi_slog2_shadows_add(struct pithi_slog2_shadows *set, const struct pithi_slog2_drawable *drawable);
/* pithi_slog2_shadows_keep makes the bytes of a set for a temporary file. pithi_slog2_shadows_merge adds such a kept
 * set, whose bytes must be aligned to 8 bytes, to another set. */
int pithi_slog2_shadows_keep(struct pithi_slog2_shadows *set, struct pithi_buffer *kept);
int pithi_slog2_shadows_merge(struct pithi_slog2_shadows *set, const void *kept);
/* Appends the two lists of a kept set, shadows of events and arrows and shadows of states, in the file's format. */
int pithi_slog2_shadows_write(const void *kept, struct pithi_buffer *out);

struct pithi_slog2_used; /* count and times of the drawables of a category */

struct pithi_slog2_categories {
    struct pithlog *log;
    struct pithi_slog2_used *used;
    uint32_t count; /* number of categories */
    uint64_t cut_names, cut_formats;
};

int pithi_slog2_categories_open(struct pithi_slog2_categories *categories, struct pithlog *log);
void pithi_slog2_categories_free(struct pithi_slog2_categories *categories);
int32_t pithi_slog2_message_category(const struct pithi_slog2_categories *categories, uint64_t message_bytes);
/* Counts a drawable for the category's ratios. */
void pithi_slog2_categories_add(struct pithi_slog2_categories *categories, const struct pithi_slog2_drawable *drawable);
/* Writes the list of categories in the file's format. `length_ns` is the time that the file covers. */
int pithi_slog2_categories_write(struct pithi_slog2_categories *categories, uint64_t length_ns,
                                 struct pithi_buffer *bytes);

#endif
