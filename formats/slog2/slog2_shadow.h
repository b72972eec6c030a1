/* slog2_shadow.h - previews of a SLOG-2 file being written: what a viewer draws of a node that it has not read.
 *
 * One shadow stands for all events, all states or all arrows of a subtree between the same lines. Its vertices are the
 * means of theirs, its box holds them all, and weights tell how much each category has of it: of two states "a" of 2 s
 * and 1 s in a shadow from 10 s to 20 s, "a" has the ratio (2 + 1) / 10 = 0.3. What is inside other states is in the
 * inclusive ratio and not in the exclusive one. */
#ifndef PITHI_SLOG2_SHADOW_H
#define PITHI_SLOG2_SHADOW_H

#include "foreign/lookup.h"
#include "native/bytes.h"
#include "slog2/slog2_layout.h"

/* A drawable to be written. */
struct pithi_slog2_drawable {
    enum pithi_slog2_topology topology;
    int32_t category;
    int32_t line[2]; /* an event's and a state's are equal */
    int64_t time_ns[2];
    int64_t own_ns; /* of a state: without the states inside */
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

/* Those of a node. All zero is an empty set. */
struct pithi_slog2_shadows {
    struct pithi_slog2_shadow *shadows;
    uint32_t count, room;
    struct pithi_slog2_weight *weights;
    uint32_t weight_count, weight_room;
    struct pithi_lookup shadow_of, weight_of;
};

void pithi_slog2_shadows_free(struct pithi_slog2_shadows *set);
/* All three give 0 when there is no memory. */
int pithi_slog2_shadows_add(struct pithi_slog2_shadows *set, const struct pithi_slog2_drawable *drawable);
/* To keep a set, as bytes of our own, and to add a kept one to another. A kept set is aligned to 8 bytes. */
int pithi_slog2_shadows_keep(struct pithi_slog2_shadows *set, struct pithi_buffer *kept);
int pithi_slog2_shadows_merge(struct pithi_slog2_shadows *set, const void *kept);
/* A kept set as it stands in the file: both its lists. */
int pithi_slog2_shadows_write(const void *kept, struct pithi_buffer *out);

#endif
