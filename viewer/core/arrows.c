/* arrows.c - chooses the messages of a picture: the longest become arrows, the others form bundles. */
#include "core/arrows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* A bundle joins messages whose ends lie in the same BUNDLE_COLUMNS columns. If there are many messages, bundles are
 * made from a sample of about BUNDLED_MESSAGES. Places more than FAR columns outside the window are not distinguished.
 * If the sample has fewer than FEW messages a bundle, their number is chance; then the bundles are made wider, at most
 * WIDER times. */
enum { BUNDLE_COLUMNS = 3, BUNDLED_MESSAGES = 40000, MOVING_MESSAGES = 4000, FAR = 20000, FEW = 4, WIDER = 3 };
/* The most messages to read for the exact numbers of a bundle under the pointer. */
enum { MOST_LOOKED_AT = 200000 };

/* ---- Bundles ----------------------------------------------------------------------------------------------------- */

struct bundling {
    const struct pithi_arrows_query *query;
    struct pithi_bundle *bundles;
    uint32_t count, bundle_room;
    uint32_t *slots; /* [slot_count] bundle + 1, 0: free */
    uint32_t slot_count, messages, step;
    int one_counts; /* 1: a bundle takes the place of a random message; the means of wide bundles would form a comb */
};

static double column_of(const struct pithi_arrows_query *query, int64_t time_ns)
{
    double part = ((double)time_ns - (double)query->t0_ns) / ((double)query->t1_ns - (double)query->t0_ns);
    double column = part * query->width;
    return column < -FAR ? -FAR : column > FAR + query->width ? FAR + query->width : column;
}

static int32_t place_of(double column, uint32_t step) { return (int32_t)((column + FAR) / step); }

static int is_same(const struct pithi_bundle *a, const struct pithi_bundle *b)
{
    return a->from_row == b->from_row && a->to_row == b->to_row && a->places[0] == b->places[0] &&
           a->places[1] == b->places[1];
}

static uint32_t *slot_of(struct bundling *b, const struct pithi_bundle *like)
{
    uint64_t hash = ((uint64_t)like->from_row << 32 | like->to_row) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= (uint64_t)(uint32_t)like->places[0] << 32 | (uint32_t)like->places[1];
    hash *= UINT64_C(0xd6e8feb86659fd93);
    uint32_t at = (uint32_t)(hash >> 40) & (b->slot_count - 1);

    while (b->slots[at] && !is_same(&b->bundles[b->slots[at] - 1], like))
        at = (at + 1) & (b->slot_count - 1);
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
        *slot_of(b, &b->bundles[i]) = i + 1;
}

/* Chooses `more` with the probability more->count / count, so that each message of a bundle is equally likely to give
 * the bundle its place. A hash makes the choice repeatable. */
static int is_chosen(const struct pithi_bundle *more, double count)
{
    uint64_t hash = ((uint64_t)more->from_row << 32 | more->to_row) ^ (uint64_t)(int64_t)(more->x0 * 64) << 16;
    hash = (hash ^ hash >> 29) * UINT64_C(0xd6e8feb86659fd93);
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(hash >> 40) / (double)(1 << 24) * count < more->count;
}

static uint64_t length_of(const struct pithlog_message *message)
{
    return (uint64_t)llabs(message->recv_ns - message->send_ns);
}

static void take_numbers(struct pithi_bundle *bundle, const struct pithi_bundle *more)
{
    if (!bundle->count || length_of(&more->longest) > length_of(&bundle->longest))
        bundle->longest = more->longest;
    bundle->count += more->count;
    bundle->bytes += more->bytes;
    bundle->mean_ns += (more->mean_ns - bundle->mean_ns) * (more->count / bundle->count);
}

/* Adds the messages of `more` to the bundle with the same rows and places. */
static void add_bundle(struct bundling *b, const struct pithi_bundle *more)
{
    struct pithi_bundle *bundle;
    uint32_t *slot;
    double share;

    make_room(b);
    slot = slot_of(b, more);
    if (!*slot) {
        b->bundles = pithi_view_grow(b->bundles, &b->bundle_room, b->count + 1, sizeof *b->bundles);
        b->bundles[b->count] = (struct pithi_bundle){
            .from_row = more->from_row, .to_row = more->to_row, .places = {more->places[0], more->places[1]}};
        *slot = ++b->count;
    }
    bundle = &b->bundles[*slot - 1];
    take_numbers(bundle, more);
    if (b->one_counts && !is_chosen(more, bundle->count))
        return;
    share = b->one_counts ? 1 : more->count / bundle->count;
    bundle->x0 += (more->x0 - bundle->x0) * share;
    bundle->x1 += (more->x1 - bundle->x1) * share;
}

/* A message as a bundle of one. */
static struct pithi_bundle bundle_of(const struct pithi_arrows_query *query, const struct pithlog_message *message,
                                     uint32_t step)
{
    struct pithi_bundle one = {.from_row = query->row_of_lane[message->send_lane],
                               .to_row = query->row_of_lane[message->recv_lane],
                               .x0 = column_of(query, message->send_ns),
                               .x1 = column_of(query, message->recv_ns),
                               .count = 1,
                               .bytes = (double)message->bytes,
                               .mean_ns = (double)message->recv_ns - (double)message->send_ns,
                               .longest = *message};

    one.places[0] = place_of(one.x0, step);
    one.places[1] = place_of(one.x1, step);
    return one;
}

static void bundle_message(void *context, const struct pithlog_message *message)
{
    struct bundling *b = context;
    struct pithi_bundle one = bundle_of(b->query, message, b->step);

    add_bundle(b, &one);
    b->messages++;
}

static void end_bundling(struct bundling *b)
{
    free(b->slots);
    free(b->bundles);
}

/* Doubles the width of the bundles. */
static void widen(struct bundling *b)
{
    struct bundling wider = {.query = b->query, .step = b->step * 2, .messages = b->messages, .one_counts = 1};

    for (uint32_t i = 0; i < b->count; i++) {
        b->bundles[i].places[0] /= 2;
        b->bundles[i].places[1] /= 2;
        add_bundle(&wider, &b->bundles[i]);
    }
    end_bundling(b);
    *b = wider;
}

/* ---- Cover ------------------------------------------------------------------------------------------------------- */

/* Bundles are about BUNDLE_PIXELS wide, and are not made wider in time than this part of the window. */
enum { BUNDLE_PIXELS = 2, WIDEST_PART = 6 };

/* The pixels of the part of a line that is in the window, one for each step along its longer axis. */
static double line_pixels(const struct pithi_arrows_query *query, double x0, double x1, uint32_t from, uint32_t to)
{
    double low = fmin(x0, x1), high = fmax(x0, x1), seen = fmin(high, query->width) - fmax(low, 0);
    double down = fabs((double)from - (double)to) * query->row_height;

    if (seen < 0)
        return 0;
    return fmax(seen, high > low ? down * (seen / (high - low)) : down) + 1;
}

static double area_of(const struct pithi_arrows_query *query)
{
    return query->width * query->row_height * query->row_count;
}

static double bundles_cover(const struct bundling *b)
{
    double pixels = 0;

    for (uint32_t i = 0; i < b->count && area_of(b->query) > 0; i++) {
        const struct pithi_bundle *bundle = &b->bundles[i];
        pixels += BUNDLE_PIXELS * line_pixels(b->query, bundle->x0, bundle->x1, bundle->from_row, bundle->to_row);
    }
    return pixels > 0 ? pixels / area_of(b->query) : 0;
}

static double arrow_cover(const struct pithi_arrows_query *query, const struct pithi_arrow *arrow)
{
    double pixels = line_pixels(query, column_of(query, arrow->message->send_ns),
                                column_of(query, arrow->message->recv_ns), arrow->from_row, arrow->to_row);
    return area_of(query) > 0 ? pixels / area_of(query) : 0;
}

static int by_length(const void *a, const void *b)
{
    const struct pithi_arrow *x = a, *y = b;
    uint64_t p = length_of(x->message), q = length_of(y->message);

    if (p != q)
        return p < q ? 1 : -1;
    return (x->message > y->message) - (x->message < y->message);
}

static int by_time(const void *a, const void *b)
{
    const struct pithi_arrow *x = a, *y = b;
    return (x->message > y->message) - (x->message < y->message);
}

/* Keeps the longest arrows, as many as cover `most` of the picture, in their order. Returns what they cover. */
static double keep_longest(const struct pithi_arrows_query *query, struct pithi_arrows *arrows, double most)
{
    double cover = 0;
    uint32_t kept = 0;

    if (arrows->count)
        qsort(arrows->items, arrows->count, sizeof *arrows->items, by_length);
    for (double more; kept < arrows->count; kept++, cover += more) {
        more = arrow_cover(query, &arrows->items[kept]);
        if (cover + more > most)
            break;
    }
    if (kept)
        qsort(arrows->items, kept, sizeof *arrows->items, by_time);
    arrows->count = kept;
    return cover;
}

/* ---- The bundles of a picture ------------------------------------------------------------------------------------ */

/* Breaks ties, so that the same log always gives the same picture, to the byte. */
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
    struct bundling b = {.query = query, .step = BUNDLE_COLUMNS};
    uint64_t looked_at = query->moving ? MOVING_MESSAGES : BUNDLED_MESSAGES;
    /* When only some lanes are shown, most messages that are read belong to other lanes. */
    uint64_t most = arrows->total <= looked_at ? UINT64_MAX : window->lanes ? 8 * looked_at : looked_at;
    double weight;
    int err = pithlog_digest_sample(digest, window, most, bundle_message, &b, &weight);

    for (int i = 0; i < WIDER && weight > 1 && b.count && b.messages / b.count < FEW; i++)
        widen(&b);
    while (bundles_cover(&b) > PITHI_ARROWS_COVER / 2 && b.step * WIDEST_PART < query->width)
        widen(&b);
    arrows->cover += bundles_cover(&b);
    if (b.count)
        qsort(b.bundles, b.count, sizeof *b.bundles, by_count);
    for (uint32_t i = 0; i < b.count; i++) {
        b.bundles[i].count *= weight;
        b.bundles[i].bytes *= weight;
    }
    arrows->bundles = b.bundles;
    arrows->bundle_count = b.count;
    arrows->sampled = weight > 1;
    arrows->step = b.step;
    b.bundles = NULL;
    end_bundling(&b);
    return err;
}

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

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
    double cover = 0;
    int err;

    arrows->messages = pithi_alloc(query->most, sizeof *arrows->messages);
    err = pithlog_digest_messages(digest, window, arrows->messages, query->most, &arrows->count, &arrows->total);
    arrows->items = pithi_alloc(arrows->count, sizeof *arrows->items);
    for (uint32_t i = 0; i < arrows->count; i++) {
        arrows->items[i].message = &arrows->messages[i];
        arrows->items[i].from_row = query->row_of_lane[arrows->messages[i].send_lane];
        arrows->items[i].to_row = query->row_of_lane[arrows->messages[i].recv_lane];
        cover += arrow_cover(query, &arrows->items[i]);
    }
    arrows->cover = cover;
    if (err || !query->most || (arrows->total <= query->most && cover <= PITHI_ARROWS_COVER))
        return err;
    if (cover > PITHI_ARROWS_COVER / 2)
        arrows->cover = keep_longest(query, arrows, PITHI_ARROWS_COVER / 4);
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

/* ---- Exact numbers of a bundle ----------------------------------------------------------------------------------- */

struct looking {
    const struct pithi_arrows_query *query;
    const struct pithi_bundle *bundle;
    uint32_t step;
    struct pithi_bundle sum;
};

static void look_at(void *context, const struct pithlog_message *message)
{
    struct looking *looking = context;
    struct pithi_bundle one = bundle_of(looking->query, message, looking->step);

    if (is_same(&one, looking->bundle))
        take_numbers(&looking->sum, &one);
}

static int64_t time_of(const struct pithi_arrows_query *query, double column)
{
    double part = column < 0 ? 0 : column / query->width;
    double time = (double)query->t0_ns + part * ((double)query->t1_ns - (double)query->t0_ns);
    return time < (double)query->t1_ns ? (int64_t)time : query->t1_ns - 1;
}

int pithi_arrows_look(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      const struct pithi_arrows *arrows, const struct pithi_bundle *bundle, struct pithi_bundle *exact)
{
    struct looking looking = {.query = query, .bundle = bundle, .step = arrows->step};
    /* Reads only the columns in which the messages of the bundle are sent. */
    double first = (double)bundle->places[0] * arrows->step - FAR;
    struct pithlog_digest_window window = {.from_ns = time_of(query, first) - 1,
                                           .to_ns = time_of(query, first + arrows->step) + 1};
    unsigned char *lanes = pithi_alloc(query->lane_count, 1);
    double weight;
    int err;

    for (uint32_t lane = 0; lane < query->lane_count; lane++)
        lanes[lane] = query->row_of_lane[lane] == bundle->from_row || query->row_of_lane[lane] == bundle->to_row;
    window.lanes = lanes;
    err = pithlog_digest_sample(digest, &window, MOST_LOOKED_AT, look_at, &looking, &weight);
    free(lanes);
    if (err || !looking.sum.count)
        return -1;
    *exact = *bundle;
    exact->count = looking.sum.count * weight;
    exact->bytes = looking.sum.bytes * weight;
    exact->mean_ns = looking.sum.mean_ns;
    exact->longest = looking.sum.longest;
    return weight > 1;
}

void pithi_arrows_free(struct pithi_arrows *arrows)
{
    free(arrows->messages);
    free(arrows->items);
    free(arrows->bundles);
    memset(arrows, 0, sizeof *arrows);
}
