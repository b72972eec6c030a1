/* slog2_categories.c - see slog2_categories.h. */
#include "slog2/slog2_categories.h"

#include <stdlib.h>

#include "error.h"
#include "foreign/names.h"

enum { NAME = 4096, LONGEST = NAME + 64 };
enum { STATE_WIDTH = 1, MESSAGE_WIDTH = 3, PREVIEW_WIDTH = 5 };
static const uint32_t OPAQUE = 0xff000000, WHITE = 0xffffffff;

struct pithi_slog2_used {
    uint64_t count;
    double all_s, own_s;
};

/* What stands before the ratios. */
struct category {
    int32_t number;
    const char *name, *format;
    enum pithi_slog2_topology topology;
    uint32_t argb, width;
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

int pithi_slog2_categories_open(struct pithi_slog2_categories *categories, struct pithlog *log)
{
    uint32_t count = pithlog_get_info(log)->defs + 2;
    *categories = (struct pithi_slog2_categories){.log = log, .count = count};
    categories->used = calloc(count, sizeof *categories->used);
    return categories->used ? PITH_OK : no_memory();
}

void pithi_slog2_categories_free(struct pithi_slog2_categories *categories) { free(categories->used); }

int32_t pithi_slog2_message_category(const struct pithi_slog2_categories *categories, uint64_t message_bytes)
{
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

/* ---- In the file ------------------------------------------------------------------------------------------------- */

static int put_string(struct pithi_buffer *bytes, const char *text, size_t size)
{
    unsigned char head[2];
    size = size < PITHI_SLOG2_STRING_MAX ? size : PITHI_SLOG2_STRING_MAX;
    pithi_slog2_put16(head, (uint32_t)size);
    return pithi_buffer_add(bytes, head, sizeof head) && pithi_buffer_add(bytes, text, size);
}

/* The text up to the next token, in which %% is a percent sign: *token is that token, 0 at the end. Returns what is
 * behind it. */
static const char *next_key(const char *format, char *key, size_t *size, char *token)
{
    *size = 0;
    *token = 0;
    for (; *format; format++) {
        if (format[0] == '%' && format[1] != '%') {
            *token = format[1];
            return format + 2;
        }
        format += format[0] == '%';
        key[(*size)++] = *format;
    }
    return format;
}

/* Whether each percent sign begins a token or is doubled. */
static int can_be_followed(const char *format)
{
    for (; *format; format++)
        if (*format == '%' && *++format != '%' && pithi_token_size(*format) == 0)
            return 0;
    return 1;
}

/* Keys and types: text before, between and behind tokens; of a format without anything none. */
static int put_format(struct pithi_buffer *bytes, const char *format)
{
    size_t length = strlen(format), size, tokens = 0, keys = 0;
    char *key = malloc(length + 1), *types = malloc(length + 1), token;
    unsigned char *count;
    size_t count_at = bytes->size;
    int ok = key && types && pithi_buffer_add(bytes, "\0", 2);
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
    double scale = length_s > 0 ? 1 / length_s : 0;
    pithi_slog2_put32(middle, (uint32_t)c->number);
    if (!pithi_buffer_add(bytes, middle, 4) || !put_string(bytes, c->name, strlen(c->name)))
        return 0;
    p = pithi_slog2_put32(pithi_slog2_put32(middle, (uint32_t)c->topology), c->argb);
    p = pithi_slog2_put16(p, 1 << 8 | c->width); /* its colour may be changed */
    p = pithi_slog2_put_float(end, used->all_s * scale);
    p = pithi_slog2_put_float(p, used->own_s * scale);
    pithi_slog2_put64(p, used->count);
    return pithi_buffer_add(bytes, middle, sizeof middle) && put_format(bytes, c->format) &&
           pithi_buffer_add(bytes, end, sizeof end);
}

/* Category of definition `id`. */
static int put_definition(struct pithi_slog2_categories *categories, struct pithi_lookup *names, uint32_t id,
                          double length_s, struct pithi_buffer *bytes)
{
    const struct pithlog_def *def = pithlog_get_def(categories->log, id);
    int state = def->kind == PITHLOG_STATE, followed = can_be_followed(def->format), changed;
    char name[NAME];
    struct category category = {.number = (int32_t)id + 1,
                                .name = name,
                                .format = state || !followed ? "" : def->format,
                                .topology = state ? PITHI_SLOG2_STATE : PITHI_SLOG2_EVENT,
                                .argb = OPAQUE | pithlog_def_rgb(categories->log, id),
                                .width = STATE_WIDTH};
    changed = pithi_name_unique(&names[state], name, sizeof name, *def->name ? def->name : "?");
    categories->cut_names += changed > 0;
    categories->cut_formats += !state && (!followed || strlen(def->format) > PITHI_SLOG2_STRING_MAX);
    return changed >= 0 && put_category(bytes, &category, &categories->used[id + 1], length_s);
}

/* Those of previews, of each kind that there is. */
static int put_previews(const struct pithi_slog2_categories *categories, struct pithi_buffer *bytes, uint32_t *count)
{
    static const struct category previews[PITHI_SLOG2_TOPOLOGIES] = {
        {-1, "Preview_Event", "", PITHI_SLOG2_EVENT, 0xbfffffff, PREVIEW_WIDTH},
        {-3, "Preview_State", "", PITHI_SLOG2_STATE, 0xbfffffff, PREVIEW_WIDTH},
        {-2, "Preview_Arrow", "", PITHI_SLOG2_ARROW, 0xffffff00, PREVIEW_WIDTH}};
    static const struct pithi_slog2_used none;
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
    return ok;
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
    struct pithi_lookup names[2] = {{0}, {0}};
    int ok = put_previews(categories, bytes, count);
    for (uint32_t i = 0; ok && i < categories->count; i++) {
        if (categories->used[i].count == 0)
            continue;
        ++*count;
        if (i == 0 || i == categories->count - 1)
            ok = put_category(bytes, i ? &large : &message, &categories->used[i], length_s);
        else
            ok = put_definition(categories, names, i - 1, length_s, bytes);
    }
    pithi_lookup_free(&names[0]);
    pithi_lookup_free(&names[1]);
    return ok;
}

int pithi_slog2_categories_write(struct pithi_slog2_categories *categories, uint64_t length_ns,
                                 struct pithi_buffer *bytes)
{
    uint32_t count = 0;
    size_t at = bytes->size;
    if (!pithi_buffer_add(bytes, "\0\0\0", 4) || !put_all(categories, (double)length_ns / 1e9, bytes, &count))
        return no_memory();
    pithi_slog2_put32(bytes->data + at, count);
    return PITH_OK;
}
