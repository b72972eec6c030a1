/* slog2_shadow.c - see slog2_shadow.h. */
#include "slog2/slog2_shadow.h"

#include <stdlib.h>

#include "native/map.h"

struct pithi_slog2_shadow {
    enum pithi_slog2_topology topology;
    int32_t line[2];
    uint32_t first_weight, weights; /* of a kept set */
    int64_t first_ns, last_ns;
    double sum_s[2]; /* of its vertices' times */
    uint64_t count;
};

struct pithi_slog2_weight {
    uint32_t shadow;
    int32_t category;
    double all_s, own_s;
    uint64_t count;
};

struct head {
    uint32_t shadows, weights;
};

void pithi_slog2_shadows_free(struct pithi_slog2_shadows *set)
{
    free(set->shadows);
    free(set->weights);
    pithi_lookup_free(&set->shadow_of);
    pithi_lookup_free(&set->weight_of);
    *set = (struct pithi_slog2_shadows){0};
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static int shadow_at(struct pithi_slog2_shadows *set, enum pithi_slog2_topology topology, const int32_t line[2],
                     uint32_t *index)
{
    uint64_t key = (uint64_t)topology << 62 | (uint64_t)(uint32_t)line[0] << 31 | (uint32_t)line[1];
    uint64_t *known = pithi_lookup_at(&set->shadow_of, key);
    if (!known)
        return 0;
    if (*known == 0) {
        if (!pithi_grow(&set->shadows, set->count, &set->room, sizeof *set->shadows))
            return 0;
        set->shadows[set->count++] = (struct pithi_slog2_shadow){
            .topology = topology, .line = {line[0], line[1]}, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
        *known = set->count;
    }
    *index = (uint32_t)*known - 1;
    return 1;
}

/* `from` has what is to be added: its own shadow's number is passed over. */
static int add_weight(struct pithi_slog2_shadows *set, uint32_t shadow, const struct pithi_slog2_weight *from)
{
    uint64_t *known = pithi_lookup_at(&set->weight_of, pithi_lookup_pair(shadow, (uint32_t)from->category));
    if (!known)
        return 0;
    if (*known == 0) {
        if (!pithi_grow(&set->weights, set->weight_count, &set->weight_room, sizeof *set->weights))
            return 0;
        set->weights[set->weight_count++] = (struct pithi_slog2_weight){.shadow = shadow, .category = from->category};
        *known = set->weight_count;
    }
    struct pithi_slog2_weight *weight = &set->weights[*known - 1];
    weight->all_s += from->all_s;
    weight->own_s += from->own_s;
    weight->count += from->count;
    return 1;
}

static void stretch(struct pithi_slog2_shadow *shadow, int64_t first_ns, int64_t last_ns, uint64_t count)
{
    shadow->first_ns = first_ns < shadow->first_ns ? first_ns : shadow->first_ns;
    shadow->last_ns = last_ns > shadow->last_ns ? last_ns : shadow->last_ns;
    shadow->count += count;
}

static double seconds(int64_t time_ns) { return (double)time_ns / 1e9; }
static double length_s(int64_t first_ns, int64_t last_ns)
{
    return (double)((uint64_t)last_ns - (uint64_t)first_ns) / 1e9;
}

int pithi_slog2_shadows_add(struct pithi_slog2_shadows *set, const struct pithi_slog2_drawable *d)
{
    int64_t first_ns = pithi_slog2_first_ns(d), last_ns = pithi_slog2_last_ns(d);
    struct pithi_slog2_weight weight = {.category = d->category, .count = 1};
    uint32_t index;
    if (!shadow_at(set, d->topology, d->line, &index))
        return 0;
    struct pithi_slog2_shadow *shadow = &set->shadows[index];
    stretch(shadow, first_ns, last_ns, 1);
    for (int i = 0; i < 2; i++)
        shadow->sum_s[i] += seconds(d->time_ns[i]);
    weight.all_s = length_s(first_ns, last_ns);
    weight.own_s = d->topology == PITHI_SLOG2_STATE ? seconds(d->own_ns) : weight.all_s;
    return add_weight(set, index, &weight);
}

/* ---- Kept sets --------------------------------------------------------------------------------------------------- */

static const struct pithi_slog2_shadow *shadows_of(const void *kept)
{
    return (const void *)((const unsigned char *)kept + sizeof(struct head));
}

static const struct pithi_slog2_weight *weights_of(const void *kept)
{
    return (const void *)(shadows_of(kept) + ((const struct head *)kept)->shadows);
}

static int by_shadow(const void *a, const void *b)
{
    const struct pithi_slog2_weight *x = a, *y = b;
    return x->shadow != y->shadow ? (x->shadow > y->shadow) - (x->shadow < y->shadow)
                                  : (x->category > y->category) - (x->category < y->category);
}

int pithi_slog2_shadows_keep(struct pithi_slog2_shadows *set, struct pithi_buffer *kept)
{
    struct head head = {set->count, set->weight_count};
    if (set->weight_count)
        qsort(set->weights, set->weight_count, sizeof *set->weights, by_shadow);
    for (uint32_t i = 0; i < set->weight_count; i++) {
        struct pithi_slog2_shadow *shadow = &set->shadows[set->weights[i].shadow];
        shadow->first_weight = shadow->weights++ ? shadow->first_weight : i;
    }
    kept->size = 0;
    return pithi_buffer_add(kept, &head, sizeof head) &&
           pithi_buffer_add(kept, set->shadows, set->count * sizeof *set->shadows) &&
           pithi_buffer_add(kept, set->weights, set->weight_count * sizeof *set->weights);
}

int pithi_slog2_shadows_merge(struct pithi_slog2_shadows *set, const void *kept)
{
    const struct pithi_slog2_shadow *from = shadows_of(kept);
    const struct pithi_slog2_weight *weights = weights_of(kept);
    uint32_t index;
    for (uint32_t i = 0; i < ((const struct head *)kept)->shadows; i++, from++) {
        if (!shadow_at(set, from->topology, from->line, &index))
            return 0;
        struct pithi_slog2_shadow *to = &set->shadows[index];
        stretch(to, from->first_ns, from->last_ns, from->count);
        to->sum_s[0] += from->sum_s[0];
        to->sum_s[1] += from->sum_s[1];
        for (uint32_t k = 0; k < from->weights; k++)
            if (!add_weight(set, index, &weights[from->first_weight + k]))
                return 0;
    }
    return 1;
}

/* ---- In the file ------------------------------------------------------------------------------------------------- */

enum { SHADOW_ROOM = 64, WEIGHT_SIZE = 20 };

static int write_shadow(const struct pithi_slog2_shadow *shadow, const struct pithi_slog2_weight *weights,
                        struct pithi_buffer *out)
{
    double length = length_s(shadow->first_ns, shadow->last_ns);
    uint32_t vertices = shadow->topology == PITHI_SLOG2_EVENT ? 1 : 2;
    if (!pithi_buffer_reserve(out, SHADOW_ROOM + WEIGHT_SIZE * (size_t)shadow->weights))
        return 0;
    unsigned char *p = out->data + out->size;
    p = pithi_slog2_put32(p, (uint32_t)pithi_slog2_preview(shadow->topology));
    p = pithi_slog2_put16(p, 0); /* info */
    p = pithi_slog2_put16(p, vertices);
    for (uint32_t i = 0; i < vertices; i++) {
        p = pithi_slog2_put_double(p, shadow->sum_s[i] / (double)shadow->count);
        p = pithi_slog2_put32(p, (uint32_t)shadow->line[i]);
    }
    p = pithi_slog2_put_time(p, shadow->first_ns);
    p = pithi_slog2_put_time(p, shadow->last_ns);
    p = pithi_slog2_put64(p, shadow->count);
    p = pithi_slog2_put32(p, shadow->weights);
    for (uint32_t i = 0; i < shadow->weights; i++) {
        p = pithi_slog2_put32(p, (uint32_t)weights[i].category);
        p = pithi_slog2_put_float(p, length > 0 ? weights[i].all_s / length : 0);
        p = pithi_slog2_put_float(p, length > 0 ? weights[i].own_s / length : 0);
        p = pithi_slog2_put64(p, weights[i].count);
    }
    out->size = (size_t)(p - out->data);
    return 1;
}

static double begin_of(const struct pithi_slog2_shadow *s) { return s->sum_s[0] / (double)s->count; }
static double end_of(const struct pithi_slog2_shadow *s) { return s->sum_s[1] / (double)s->count; }

/* By the time at which it is drawn; of those with one time the longer first, then by line. */
static int by_begin(const void *a, const void *b)
{
    const struct pithi_slog2_shadow *x = *(struct pithi_slog2_shadow *const *)a;
    const struct pithi_slog2_shadow *y = *(struct pithi_slog2_shadow *const *)b;
    double first_x = begin_of(x) < end_of(x) ? begin_of(x) : end_of(x);
    double first_y = begin_of(y) < end_of(y) ? begin_of(y) : end_of(y);
    double last_x = begin_of(x) + end_of(x) - first_x, last_y = begin_of(y) + end_of(y) - first_y;
    if (first_x != first_y)
        return (first_x > first_y) - (first_x < first_y);
    if (last_x != last_y)
        return (last_x < last_y) - (last_x > last_y);
    return x->line[0] != y->line[0] ? (x->line[0] > y->line[0]) - (x->line[0] < y->line[0])
                                    : (x->line[1] > y->line[1]) - (x->line[1] < y->line[1]);
}

static int write_list(const void *kept, const struct pithi_slog2_shadow **order, int states, struct pithi_buffer *out)
{
    const struct pithi_slog2_shadow *shadows = shadows_of(kept);
    uint32_t count = 0;
    int ok = pithi_buffer_reserve(out, 4);
    for (uint32_t i = 0; i < ((const struct head *)kept)->shadows; i++)
        if ((shadows[i].topology == PITHI_SLOG2_STATE) == states)
            order[count++] = &shadows[i];
    if (count)
        qsort(order, count, sizeof *order, by_begin);
    if (ok)
        out->size = (size_t)(pithi_slog2_put32(out->data + out->size, count) - out->data);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = write_shadow(order[i], weights_of(kept) + order[i]->first_weight, out);
    return ok;
}

int pithi_slog2_shadows_write(const void *kept, struct pithi_buffer *out)
{
    const struct pithi_slog2_shadow **order =
        malloc((((const struct head *)kept)->shadows + (size_t)1) * sizeof *order);
    int ok = order && write_list(kept, order, 0, out) && write_list(kept, order, 1, out);
    free(order);
    return ok;
}
