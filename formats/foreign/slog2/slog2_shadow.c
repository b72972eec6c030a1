/* slog2_shadow.c - the previews and the category list of a file being written.
 *
 * A shadow (slog2_shadow.h) has the means of the times of its drawables. In memory it has their sums instead, because
 * means cannot be merged. Two states from 10 to 12 s and from 16 to 17 s have the sums 26 and 29; divided by 2, the
 * sums give the means 13 and 14.5. Merged with a third state from 1 to 4 s in another node, the sums are 27 and 33;
 * divided by 3, they give 9 and 11.
 *
 * slog2_tree.c keeps sets of shadows in a temporary file. Such a kept set is a head, then the shadows, then the
 * weights. Each shadow has the index of its first weight.
 */
#include "foreign/slog2/slog2_shadow.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "foreign/names.h"
#include "native/event_numbers.h"

struct pithi_slog2_shadow {
    enum pithi_slog2_topology topology; /* for an event, the two lines are equal, and so are the two times */
    int32_t line[2];
    uint32_t first_weight, weights; /* valid in a kept set only. first_weight: index of its first weight; weights:
                                       number of its weights */
    int64_t first_ns, last_ns;      /* the box, that is, the shortest interval that contains all its drawables */
    double sum_s[2];                /* sums of the times of the first and of the second vertices */
    uint64_t count;                 /* number of drawables */
};

struct pithi_slog2_weight {
    uint32_t shadow; /* index of the shadow to which the weight belongs */
    int32_t category;
    double all_s, own_s; /* sums over the shadow's drawables of this category, in seconds. all_s: of the total times;
                            own_s: of the self times, without nested states */
    uint64_t count;
};

struct head {
    uint32_t shadows, weights;
};

void pithi_slog2_shadows_free(struct pithi_slog2_shadows *set)
{
    free(set->shadows);
    free(set->weights);
    pithi_map_free(&set->shadow_of);
    pithi_map_free(&set->weight_of);
    *set = (struct pithi_slog2_shadows){0};
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

static int shadow_at(struct pithi_slog2_shadows *set, enum pithi_slog2_topology topology, const int32_t line[2],
                     uint32_t *index)
{
    /* The key has the topology in the highest 2 bits, then two lines of 31 bits each. */
    uint64_t key = (uint64_t)topology << 62 | (uint64_t)(uint32_t)line[0] << 31 | (uint32_t)line[1];
    int fresh;
    struct pithi_slog2_shadow *shadow =
        /* `fresh` becomes 1 if there is no shadow of this topology between these lines yet */
        pithi_item_at(&set->shadow_of, key, &set->shadows, &set->count, &set->room, sizeof *shadow, &fresh);
    if (!shadow)
        return 0;
    if (fresh)
        *shadow = (struct pithi_slog2_shadow){/* first_ns and last_ns are the box of no drawable */
                                              .topology = topology,
                                              .line = {line[0], line[1]},
                                              .first_ns = INT64_MAX,
                                              .last_ns = INT64_MIN};
    *index = (uint32_t)(shadow - set->shadows);
    return 1;
}

/* Adds `from` to the weight of the same category in `shadow`; from->shadow is ignored. */
static int add_weight(struct pithi_slog2_shadows *set, uint32_t shadow, const struct pithi_slog2_weight *from)
{
    struct pithi_slog2_weight *weight =
        pithi_item_at(&set->weight_of, pithi_map_pair(shadow, (uint32_t)from->category), &set->weights,
                      &set->weight_count, &set->weight_room, sizeof *weight, NULL);
    if (!weight)
        return 0;
    weight->shadow = shadow;
    weight->category = from->category;
    weight->all_s += from->all_s;
    weight->own_s += from->own_s;
    weight->count += from->count;
    return 1;
}

static void widen(struct pithi_slog2_shadow *shadow, int64_t first_ns, int64_t last_ns, uint64_t count)
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
    widen(shadow, first_ns, last_ns, 1);
    for (int i = 0; i < 2; i++)
        shadow->sum_s[i] += seconds(d->time_ns[i]);
    weight.all_s = length_s(first_ns, last_ns);
    /* The self time of an event or an arrow is its total time, because nothing is nested inside it. */
    weight.own_s = d->topology == PITHI_SLOG2_STATE ? seconds(d->own_ns) : weight.all_s;
    return add_weight(set, index, &weight);
}

/* ---- Kept sets --------------------------------------------------------------------------------------------------- */

/* Returns the shadows of a kept set. Only this process reads a kept set, so it is in the machine's byte order. */
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
        /* The weights are sorted by shadow. So first_weight is set when the loop meets the first weight of a shadow. */
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
        widen(to, from->first_ns, from->last_ns, from->count);
        to->sum_s[0] += from->sum_s[0];
        to->sum_s[1] += from->sum_s[1];
        for (uint32_t k = 0; k < from->weights; k++)
            if (!add_weight(set, index, &weights[from->first_weight + k]))
                return 0;
    }
    return 1;
}

/* ---- Writing previews -------------------------------------------------------------------------------------------- */

/* SHADOW_ROOM: most bytes of a preview without weights; WEIGHT_SIZE: bytes of a weight */
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
    p = pithi_slog2_put16(p, 0); /* no info */
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
        /* Writes the times as ratios, that is, as fractions of the length of the box. The length is 0 if all drawables
         * happen at the same time; then the ratios are 0, too. */
        p = pithi_slog2_put_float(p, length > 0 ? weights[i].all_s / length : 0);
        p = pithi_slog2_put_float(p, length > 0 ? weights[i].own_s / length : 0);
        p = pithi_slog2_put64(p, weights[i].count);
    }
    out->size = (size_t)(p - out->data);
    return 1;
}

/* begin_of and end_of return the mean times of the first and of the second vertices of a shadow. If the clocks of ranks
 * differ, begin_of may be later than end_of for arrows. */
static double begin_of(const struct pithi_slog2_shadow *s) { return s->sum_s[0] / (double)s->count; }
static double end_of(const struct pithi_slog2_shadow *s) { return s->sum_s[1] / (double)s->count; }

/* Sorts shadows by begin. Of shadows with the same begin, the longest comes first; of the same length, the one with the
 * lower line. */
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
            order[count++] = &shadows[i]; /* `order` has room for all shadows of the set */
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

/* NAME: bytes of a name, with its NUL; LONGEST: bytes of a category without its format */
enum { NAME = 4096, LONGEST = NAME + 64 };
enum { STATE_WIDTH = 1, MESSAGE_WIDTH = 3, PREVIEW_WIDTH = 5 }; /* widths of lines, as Jumpshot draws them */
static const uint32_t OPAQUE = 0xff000000, WHITE = 0xffffffff;  /* colours as ARGB */

struct pithi_slog2_used {
    uint64_t count;
    double all_s, own_s;
};

/* A category as the file has it, without its ratios and count. */
struct category {
    int32_t number;
    const char *name, *format;
    enum pithi_slog2_topology topology;
    uint32_t argb, width;
};

int pithi_slog2_categories_open(struct pithi_slog2_categories *categories, struct pithlog *log)
{
    /* one category for messages, one for each definition, and one for large messages */
    uint32_t count = pithlog_get_info(log)->defs + 2;
    *categories = (struct pithi_slog2_categories){.log = log, .count = count};
    categories->used = calloc(count, sizeof *categories->used);
    return categories->used ? PITH_OK : pithi_no_memory();
}

void pithi_slog2_categories_free(struct pithi_slog2_categories *categories) { free(categories->used); }

int32_t pithi_slog2_message_category(const struct pithi_slog2_categories *categories, uint64_t message_bytes)
{
    /* The category of messages has sizes of 32 bits, which are signed in the file, so larger messages have the last
     * category. */
    return message_bytes > INT32_MAX ? (int32_t)categories->count - 1 : 0;
}

void pithi_slog2_categories_add(struct pithi_slog2_categories *categories, const struct pithi_slog2_drawable *drawable)
{
    struct pithi_slog2_used *used = &categories->used[drawable->category];
    double all_s = (double)((uint64_t)pithi_slog2_last_ns(drawable) - (uint64_t)pithi_slog2_first_ns(drawable)) / 1e9;
    used->count++;
    used->all_s += all_s;
    used->own_s += drawable->topology == PITHI_SLOG2_STATE ? (double)drawable->own_ns / 1e9 : all_s;
}

/* ---- Writing categories ------------------------------------------------------------------------------------------ */

static int put_string(struct pithi_buffer *bytes, const char *text, size_t size)
{
    unsigned char head[2];
    size = size < PITHI_SLOG2_STRING_MAX ? size : PITHI_SLOG2_STRING_MAX;
    pithi_slog2_put16(head, (uint32_t)size);
    return pithi_buffer_add(bytes, head, sizeof head) && pithi_buffer_add(bytes, text, size);
}

/* Copies the text of a format up to the next token into `key`, with %% as one percent sign. *token becomes the letter
 * of the token, or 0 at the end of the format. Returns the rest of the format. The calls for "n=%d s=%s!" give the keys
 * "n=", " s=" and "!" and the tokens 'd', 's' and 0. */
static const char *next_key(const char *format, char *key, size_t *size, char *token)
{
    *size = 0;
    *token = 0;
    for (; *format; format++) {
        if (format[0] == '%' && format[1] != '%') {
            *token = format[1];
            return format + 2;
        }
        format += format[0] == '%'; /* skips the second sign of %% */
        key[(*size)++] = *format;
    }
    return format;
}

/* Returns 1 if each percent sign of the format is doubled or begins a known token. */
static int can_be_followed(const char *format)
{
    for (; *format; format++)
        if (*format == '%' && *++format != '%' && pithi_token_size(*format) == 0)
            return 0;
    return 1;
}

/* Writes the keys (the text before, between and after tokens) and the types of a format. An empty format has no keys
 * and no types. */
static int put_format(struct pithi_buffer *bytes, const char *format)
{
    size_t length = strlen(format), size, tokens = 0, keys = 0;
    char *key = malloc(length + 1), *types = malloc(length + 1), token;
    unsigned char *count;
    size_t count_at = bytes->size;
    int ok = key && types && pithi_buffer_add(bytes, "\0", 2); /* two bytes for the number of keys, filled in below */
    for (int more = length > 0; ok && more; more = token != 0) {
        format = next_key(format, key, &size, &token);
        ok = put_string(bytes, key, size);
        keys++;
        if (token)
            types[tokens++] = token;
    }
    if (ok) {
        count = bytes->data + count_at;
        pithi_slog2_put16(count, (uint32_t)keys);
        ok = put_string(bytes, types, tokens);
    }
    free(key);
    free(types);
    return ok && pithi_buffer_add(bytes, "\0", 2); /* no methods */
}

static int put_category(struct pithi_buffer *bytes, const struct category *c, const struct pithi_slog2_used *used,
                        double length_s)
{
    unsigned char middle[10], end[16], *p;
    double scale = length_s > 0 ? 1 / length_s : 0; /* ratios are fractions of the time of the whole file */
    pithi_slog2_put32(middle, (uint32_t)c->number);
    if (!pithi_buffer_add(bytes, middle, 4) || !put_string(bytes, c->name, strlen(c->name)))
        return 0;
    p = pithi_slog2_put32(pithi_slog2_put32(middle, (uint32_t)c->topology), c->argb);
    p = pithi_slog2_put16(p, 1 << 8 | c->width); /* bit 8: the user may change the colour */
    p = pithi_slog2_put_float(end, used->all_s * scale);
    p = pithi_slog2_put_float(p, used->own_s * scale);
    pithi_slog2_put64(p, used->count);
    return pithi_buffer_add(bytes, middle, sizeof middle) && put_format(bytes, c->format) &&
           pithi_buffer_add(bytes, end, sizeof end);
}

/* Writes the category of definition `id`. */
static int put_definition(struct pithi_slog2_categories *categories, struct pithi_map *names, uint32_t id,
                          double length_s, struct pithi_buffer *bytes)
{
    const struct pithlog_def *def = pithlog_get_def(categories->log, id);
    int state = def->kind == PITHLOG_STATE, followed = can_be_followed(def->format), changed;
    char name[NAME];
    struct category category = {.number = (int32_t)id + 1,
                                .name = name,
                                .format = state || !followed ? "" : def->format, /* states have no payload */
                                .topology = state ? PITHI_SLOG2_STATE : PITHI_SLOG2_EVENT,
                                .argb = OPAQUE | pithlog_def_rgb(categories->log, id),
                                .width = STATE_WIDTH};
    /* The name of a state must be unique among states, that of an event among events. */
    changed = pithi_name_unique(&names[state], name, sizeof name, *def->name ? def->name : "?");
    categories->cut_names += changed > 0;
    categories->cut_formats += !state && (!followed || strlen(def->format) > PITHI_SLOG2_STRING_MAX);
    return changed >= 0 && put_category(bytes, &category, &categories->used[id + 1], length_s);
}

static int put_all(struct pithi_slog2_categories *categories, double length_s, struct pithi_buffer *bytes,
                   uint32_t *count)
{
    const struct category message = {0, "message", "msg_tag=%d, msg_size=%d", PITHI_SLOG2_ARROW, WHITE, MESSAGE_WIDTH};
    const struct category large = {(int32_t)categories->count - 1,
                                   "message of 2 GiB or more",
                                   "msg_tag=%d, msg_size=%l",
                                   PITHI_SLOG2_ARROW,
                                   WHITE,
                                   MESSAGE_WIDTH};
    struct pithi_map names[2] = {{0}, {0}};
    /* The categories of previews come first, but only of the kinds of previews that the file has. */
    static const struct category previews[PITHI_SLOG2_TOPOLOGIES] = {
        {-1, "Preview_Event", "", PITHI_SLOG2_EVENT, 0xbfffffff, PREVIEW_WIDTH},
        {-3, "Preview_State", "", PITHI_SLOG2_STATE, 0xbfffffff, PREVIEW_WIDTH},
        {-2, "Preview_Arrow", "", PITHI_SLOG2_ARROW, 0xffffff00, PREVIEW_WIDTH}};
    static const struct pithi_slog2_used none;
    /* 1: the file has drawables of this kind, and so also previews of this kind */
    int there[PITHI_SLOG2_TOPOLOGIES] = {0}, ok = 1;
    for (uint32_t i = 0; i < categories->count; i++) {
        const struct pithlog_def *def = i ? pithlog_get_def(categories->log, i - 1) : NULL;
        there[!def                         ? PITHI_SLOG2_ARROW
              : def->kind == PITHLOG_STATE ? PITHI_SLOG2_STATE
                                           : PITHI_SLOG2_EVENT] |= categories->used[i].count > 0;
    }
    for (int i = 0; ok && i < PITHI_SLOG2_TOPOLOGIES; i++)
        if (there[i]) {
            ok = put_category(bytes, &previews[i], &none, 0);
            ++*count;
        }
    for (uint32_t i = 0; ok && i < categories->count; i++) {
        if (categories->used[i].count == 0) /* categories without a drawable are left out */
            continue;
        ++*count;
        if (i == 0 || i == categories->count - 1)
            ok = put_category(bytes, i ? &large : &message, &categories->used[i], length_s);
        else
            ok = put_definition(categories, names, i - 1, length_s, bytes);
    }
    pithi_map_free(&names[0]);
    pithi_map_free(&names[1]);
    return ok;
}

int pithi_slog2_categories_write(struct pithi_slog2_categories *categories, uint64_t length_ns,
                                 struct pithi_buffer *bytes)
{
    uint32_t count = 0;
    size_t at = bytes->size;
    if (!pithi_buffer_add(bytes, "\0\0\0", 4) || !put_all(categories, (double)length_ns / 1e9, bytes, &count))
        return pithi_no_memory();
    pithi_slog2_put32(bytes->data + at, count);
    return PITH_OK;
}
