/* arrows.c - the messages of a picture; see arrows.h. */
#include "core/arrows.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Columns of a bundle; messages looked at for them; far out of the window places are not told apart. Of a sample, how
 * often so few messages are in the same columns is chance, and says nothing: then bundles are made wider, some times.
 * */
enum { BUNDLE_COLUMNS = 3, BUNDLED_MESSAGES = 40000, FAR = 20000, FEW = 4, WIDER = 3 };

/* ---- Bundles ----------------------------------------------------------------------------------------------------- */

struct bundling {
    const struct pithi_arrows_query *query;
    struct pithi_bundle *bundles;
    int32_t (*places)[2]; /* of each bundle: its ends, in steps of BUNDLE_COLUMNS */
    uint32_t count, bundle_room, place_room;
    uint32_t *slots; /* [slot_count] bundle + 1, 0: free */
    uint32_t slot_count, messages;
    int one_counts; /* 1: a bundle is where one of it is, by chance: wide ones in their middles would be a comb */
};

static double column_of(const struct pithi_arrows_query *query, int64_t time_ns)
{
    double part = ((double)time_ns - (double)query->t0_ns) / ((double)query->t1_ns - (double)query->t0_ns);
    double column = part * query->width;
    return column < -FAR ? -FAR : column > FAR + query->width ? FAR + query->width : column;
}

static int32_t place_of(double column) { return (int32_t)((column + FAR) / BUNDLE_COLUMNS); }

static uint32_t *slot_of(struct bundling *b, uint32_t from_row, uint32_t to_row, int32_t from, int32_t to)
{
    uint64_t hash = ((uint64_t)from_row << 32 | to_row) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ ((uint64_t)(uint32_t)from << 32 | (uint32_t)to)) * UINT64_C(0xd6e8feb86659fd93);
    uint32_t at = (uint32_t)(hash >> 40) & (b->slot_count - 1);

    for (; b->slots[at]; at = (at + 1) & (b->slot_count - 1)) {
        const struct pithi_bundle *bundle = &b->bundles[b->slots[at] - 1];
        const int32_t *places = b->places[b->slots[at] - 1];
        if (bundle->from_row == from_row && bundle->to_row == to_row && places[0] == from && places[1] == to)
            break;
    }
    return &b->slots[at];
}

static void make_room(struct bundling *b)
{
    uint32_t count = b->slot_count ? b->slot_count * 2 : 4096;

    if (b->count * 2 < b->slot_count)
        return;
    free(b->slots);
    b->slots = pithi_alloc(count, sizeof *b->slots);
    b->slot_count = count;
    for (uint32_t i = 0; i < b->count; i++)
        *slot_of(b, b->bundles[i].from_row, b->bundles[i].to_row, b->places[i][0], b->places[i][1]) = i + 1;
}

/* By chance, as often as `more` has part in `count`: so each of a bundle may become the one where it is. */
static int is_chosen(const struct pithi_bundle *more, double count)
{
    uint64_t hash = ((uint64_t)more->from_row << 32 | more->to_row) ^ (uint64_t)(int64_t)(more->x0 * 64) << 16;
    hash = (hash ^ hash >> 29) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(hash >> 40) / (double)(1 << 24) * count < more->count;
}

/* More messages at a place: `more` has their rows, count and columns. */
static void add_bundle(struct bundling *b, const struct pithi_bundle *more, int32_t from, int32_t to)
{
    struct pithi_bundle *bundle;
    uint32_t *slot;
    double share;

    make_room(b);
    slot = slot_of(b, more->from_row, more->to_row, from, to);
    if (!*slot) {
        b->bundles = pithi_grow(b->bundles, &b->bundle_room, b->count + 1, sizeof *b->bundles);
        b->places = pithi_grow(b->places, &b->place_room, b->count + 1, sizeof *b->places);
        b->bundles[b->count] = (struct pithi_bundle){.from_row = more->from_row, .to_row = more->to_row};
        b->places[b->count][0] = from;
        b->places[b->count][1] = to;
        *slot = ++b->count;
    }
    bundle = &b->bundles[*slot - 1];
    bundle->count += more->count;
    if (b->one_counts && !is_chosen(more, bundle->count))
        return;
    share = b->one_counts ? 1 : more->count / bundle->count;
    bundle->x0 += (more->x0 - bundle->x0) * share;
    bundle->x1 += (more->x1 - bundle->x1) * share;
}

static void bundle_message(void *context, const struct pithlog_message *message)
{
    struct bundling *b = context;
    struct pithi_bundle one = {.from_row = b->query->row_of_lane[message->send_lane],
                               .to_row = b->query->row_of_lane[message->recv_lane],
                               .x0 = column_of(b->query, message->send_ns),
                               .x1 = column_of(b->query, message->recv_ns),
                               .count = 1};

    add_bundle(b, &one, place_of(one.x0), place_of(one.x1));
    b->messages++;
}

static void end_bundling(struct bundling *b)
{
    free(b->slots);
    free(b->places);
    free(b->bundles);
}

/* Twice as wide. */
static void widen(struct bundling *b)
{
    struct bundling wider = {.query = b->query, .messages = b->messages, .one_counts = 1};

    for (uint32_t i = 0; i < b->count; i++)
        add_bundle(&wider, &b->bundles[i], b->places[i][0] / 2, b->places[i][1] / 2);
    end_bundling(b);
    *b = wider;
}

/* All alike come in the same order each time: pictures are the same to the byte. */
static int by_count(const void *a, const void *b)
{
    const struct pithi_bundle *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->x0 != y->x0)
        return x->x0 < y->x0 ? -1 : 1;
    if (x->from_row != y->from_row)
        return x->from_row < y->from_row ? -1 : 1;
    if (x->to_row != y->to_row)
        return x->to_row < y->to_row ? -1 : 1;
    return (x->x1 > y->x1) - (x->x1 < y->x1);
}

static int load_bundles(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                        const struct pithlog_digest_window *window, struct pithi_arrows *arrows)
{
    struct bundling b = {.query = query};
    /* Of some lanes most that is read is others'. */
    uint64_t most = arrows->total <= BUNDLED_MESSAGES ? UINT64_MAX
                    : window->lanes                   ? 8 * BUNDLED_MESSAGES
                                                      : BUNDLED_MESSAGES;
    double weight;
    int err = pithlog_digest_sample(digest, window, most, bundle_message, &b, &weight);

    for (int i = 0; i < WIDER && weight > 1 && b.count && b.messages / b.count < FEW; i++)
        widen(&b);
    if (b.count)
        qsort(b.bundles, b.count, sizeof *b.bundles, by_count);
    for (uint32_t i = 0; i < b.count; i++)
        b.bundles[i].count *= weight;
    arrows->bundles = b.bundles;
    arrows->bundle_count = b.count;
    b.bundles = NULL;
    end_bundling(&b);
    return err;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

/* [lane_count] which lanes are shown; NULL: all. */
static unsigned char *lanes_shown(const struct pithi_arrows_query *query)
{
    unsigned char *shown = pithi_alloc(query->lane_count, 1);
    uint32_t count = 0;

    for (uint32_t lane = 0; lane < query->lane_count; lane++) {
        shown[lane] = query->row_of_lane[lane] != PITHI_NONE;
        count += shown[lane];
    }
    if (count == query->lane_count) {
        free(shown);
        return NULL;
    }
    return shown;
}

static int load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                const struct pithlog_digest_window *window, struct pithi_arrows *arrows)
{
    int err;

    arrows->messages = pithi_alloc(query->most, sizeof *arrows->messages);
    err = pithlog_digest_messages(digest, window, arrows->messages, query->most, &arrows->count, &arrows->total);
    arrows->items = pithi_alloc(arrows->count, sizeof *arrows->items);
    for (uint32_t i = 0; i < arrows->count; i++) {
        arrows->items[i].message = &arrows->messages[i];
        arrows->items[i].from_row = query->row_of_lane[arrows->messages[i].send_lane];
        arrows->items[i].to_row = query->row_of_lane[arrows->messages[i].recv_lane];
    }
    if (!err && query->most && arrows->total > query->most)
        err = load_bundles(digest, query, window, arrows);
    return err;
}

int pithi_arrows_load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      struct pithi_arrows *arrows)
{
    struct pithlog_digest_window window = {.from_ns = query->t0_ns, .to_ns = query->t1_ns};
    unsigned char *shown;
    int err;

    if (!digest || !query->width)
        return PITH_OK;
    window.lanes = shown = lanes_shown(query);
    err = load(digest, query, &window, arrows);
    if (err)
        pithi_arrows_free(arrows);
    free(shown);
    return err;
}

void pithi_arrows_free(struct pithi_arrows *arrows)
{
    free(arrows->messages);
    free(arrows->items);
    free(arrows->bundles);
    memset(arrows, 0, sizeof *arrows);
}
