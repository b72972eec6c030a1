/* arrows.c - chooses the messages of a picture, and draws them: the longest become arrows, the others form bundles.
 *
 * Ten thousand lines hide the bars and each other, and nothing can be read from them. A bundle is one line with a
 * number: 12 messages that row 3 sends in columns 30 to 32, and that row 4 receives in columns 60 to 62, are one bundle
 * "12" (BUNDLE_COLUMNS is 3). If all bundles still cover too much, they join 6 columns, then 12 and so on. The messages
 * with the longest latency stay arrows, because users look for those.
 *
 * 1e7 messages cannot be read for each picture. Then bundles are made from one message in 8, 64 ..., and their numbers
 * are multiplied by 8, 64 ...; a bundle under the pointer is counted exactly. */
#include "core/scene/arrows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/scene/plot.h"

/* A bundle joins messages whose ends lie in the same BUNDLE_COLUMNS columns. If there are many messages, bundles are
 * made from a sample of about BUNDLED_MESSAGES, or MOVING_MESSAGES while the view moves. Places more than FAR columns
 * outside the view are not distinguished. If the sample has fewer than FEW messages per bundle, the numbers of messages
 * in bundles depend mostly on chance, so bundles are made wider, at most WIDER times. */
enum { BUNDLE_COLUMNS = 3, BUNDLED_MESSAGES = 40000, MOVING_MESSAGES = 4000, FAR = 20000, FEW = 4, WIDER = 3 };
/* The most arrows that are drawn in addition to bundles while the view moves. They are the longest messages. */
enum { MOVING_ARROWS = 500 };
/* The most messages to read for the exact numbers of a bundle under the pointer. */
enum { MOST_LOOKED_AT = 200000 };

/* ---- Bundles ----------------------------------------------------------------------------------------------------- */

struct bundling {
    const struct pithi_arrows_query *query;
    struct pithi_bundle *bundles;
    uint32_t count, bundle_room;
    uint32_t *slots; /* [slot_count] index of a bundle + 1; 0: free */
    uint32_t slot_count, messages, step;
    /* 1: a bundle is drawn at the place of one of its messages, chosen at random, because wide bundles at the means of
     * their messages would be evenly spaced, like a comb */
    int one_counts;
};

/* Returns the column of a time, also outside the picture, but not further than FAR, so that it fits an int. */
static double column_of(const struct pithi_arrows_query *query, int64_t time_ns)
{
    double part = ((double)time_ns - (double)query->t0_ns) / ((double)query->t1_ns - (double)query->t0_ns);
    double column = part * query->width;
    return column < -FAR ? -FAR : column > FAR + query->width ? FAR + query->width : column;
}

/* Returns the place of a column, in units of `step` columns. FAR is added, so that places are not negative. With a step
 * of 3, columns 1 to 3 have the same place. */
static int32_t place_of(double column, uint32_t step) { return (int32_t)((column + FAR) / step); }

/* Returns 1 if `a` and `b` have the same rows and places, so that they are one bundle. */
static int is_same(const struct pithi_bundle *a, const struct pithi_bundle *b)
{
    return a->from_row == b->from_row && a->to_row == b->to_row && a->places[0] == b->places[0] &&
           a->places[1] == b->places[1];
}

/* Returns the slot of the bundle with the rows and places of `like`, or a free slot. At most half of the slots are
 * taken. */
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

static uint64_t length_of(const struct pithlog_message *message)
{
    return (uint64_t)llabs(message->recv_ns - message->send_ns);
}

/* Adds the numbers of `more` to a bundle: sums, the mean weighted by count, and the longest message. */
static void take_numbers(struct pithi_bundle *bundle, const struct pithi_bundle *more)
{
    if (!bundle->count || length_of(&more->longest) > length_of(&bundle->longest))
        bundle->longest = more->longest;
    bundle->count += more->count;
    bundle->bytes += more->bytes;
    /* the mean moves towards the new mean by the share of new messages: 3 messages of 10 us and one of 30 us have a
     * mean of 15 us */
    bundle->mean_ns += (more->mean_ns - bundle->mean_ns) * (more->count / bundle->count);
}

/* Adds the messages of `more` to the bundle with the same rows and places. */
static void add_bundle(struct bundling *b, const struct pithi_bundle *more)
{
    struct pithi_bundle *bundle;
    uint32_t *slot;
    double share;

    /* The table of slots grows before it is more than half full. */
    if (b->count * 2 >= b->slot_count) {
        free(b->slots);
        b->slot_count = b->slot_count ? b->slot_count * 2 : 4096;
        b->slots = pithi_alloc(b->slot_count, sizeof *b->slots);
        for (uint32_t i = 0; i < b->count; i++)
            *slot_of(b, &b->bundles[i]) = i + 1;
    }
    slot = slot_of(b, more);
    if (!*slot) {
        b->bundles = pithi_view_grow(b->bundles, &b->bundle_room, b->count + 1, sizeof *b->bundles);
        b->bundles[b->count] = *more;
        *slot = ++b->count;
        return;
    }
    bundle = &b->bundles[*slot - 1];
    take_numbers(bundle, more);
    /* With one_counts, the bundle stays where it is, unless `more` is chosen. */
    if (b->one_counts) {
        /* Chooses `more` with the probability more->count / count, so that each message of a bundle is equally likely
         * to give the bundle its place. A hash makes the choice repeatable. */
        uint64_t hash = ((uint64_t)more->from_row << 32 | more->to_row) ^ (uint64_t)(int64_t)(more->x0 * 64) << 16;
        hash = (hash ^ hash >> 29) * UINT64_C(0xd6e8feb86659fd93);
        hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
        if (!((double)(hash >> 40) / (double)(1 << 24) * bundle->count < more->count))
            return;
    }
    share = b->one_counts ? 1 : more->count / bundle->count;
    bundle->x0 += (more->x0 - bundle->x0) * share;
    bundle->x1 += (more->x1 - bundle->x1) * share;
}

/* Returns a message as a bundle of one message. */
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

/* Doubles the width of the bundles.
 * Two neighbouring places become one: 10 and 11 are place 5 of the wider bundles. */
static void widen(struct bundling *b)
{
    struct bundling wider = {.query = b->query, .step = b->step * 2, .messages = b->messages, .one_counts = 1};

    for (uint32_t i = 0; i < b->count; i++) {
        b->bundles[i].places[0] /= 2;
        b->bundles[i].places[1] /= 2;
        add_bundle(&wider, &b->bundles[i]);
    }
    free(b->slots);
    free(b->bundles);
    *b = wider;
}

/* ---- Cover ------------------------------------------------------------------------------------------------------- */

/* BUNDLE_PIXELS: about the width of a bundle's line. WIDEST_PART: bundles are made wider only while they join less than
 * a sixth of the window's columns. */
enum { BUNDLE_PIXELS = 2, WIDEST_PART = 6 };

/* Counts the pixels of a line in the window: one for each step along its longer axis. */
static double line_pixels(const struct pithi_arrows_query *query, double x0, double x1, uint32_t from, uint32_t to)
{
    double low = fmin(x0, x1), high = fmax(x0, x1), seen = fmin(high, query->width) - fmax(low, 0);
    double down = fabs((double)from - (double)to) * query->row_height;

    /* outside the picture */
    if (seen < 0)
        return 0;
    /* a flat line has a pixel in each column, a steep one in each line of pixels */
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

/* Sorts by length, longest first. Equally long messages keep the order of their addresses, which is that of time. */
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

/* Keeps the longest arrows that together cover at most the fraction `most` of the picture, in order of time. Returns
 * the fraction that they cover. */
static double keep_longest(const struct pithi_arrows_query *query, struct pithi_arrows *arrows, double most)
{
    double cover = 0;
    uint32_t kept = 0;

    if (arrows->count)
        qsort(arrows->items, arrows->count, sizeof *arrows->items, by_length);
    /* `more` is the fraction that this arrow covers. The first arrow that is too much ends the list: no shorter arrow
     * takes its place. */
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

/* Sorts the bundle with the most messages first. The order of equal bundles is fixed, too, so that the same log always
 * gives the same picture, to the byte. */
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

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

static int load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                const struct pithlog_digest_window *window, struct pithi_arrows *arrows)
{
    uint32_t most = query->moving && query->most > MOVING_ARROWS ? MOVING_ARROWS : query->most;
    double cover = 0;
    int err;

    /* the longest messages become arrows; they are found without reading the others */
    arrows->messages = pithi_alloc(query->most, sizeof *arrows->messages);
    err = pithlog_digest_messages(digest, window, arrows->messages, most, &arrows->count, &arrows->total);
    /* The first read was limited to `most` messages. If there is room for all messages, reads all of them, and all
     * become arrows. */
    if (!err && arrows->total > most && arrows->total <= query->most)
        err = pithlog_digest_messages(digest, window, arrows->messages, query->most, &arrows->count, &arrows->total);
    arrows->items = pithi_alloc(arrows->count, sizeof *arrows->items);
    for (uint32_t i = 0; i < arrows->count; i++) {
        arrows->items[i].message = &arrows->messages[i];
        arrows->items[i].from_row = query->row_of_lane[arrows->messages[i].send_lane];
        arrows->items[i].to_row = query->row_of_lane[arrows->messages[i].recv_lane];
        cover += arrow_cover(query, &arrows->items[i]);
    }
    arrows->cover = cover;
    /* If all messages are arrows and do not cover too much, no bundles are needed. */
    if (err || !query->most || (arrows->total <= query->most && cover <= PITHI_ARROWS_COVER))
        return err;
    /* If the arrows alone cover more than half of the limit, keeps only the longest arrows, so that there is room for
     * bundles. */
    if (cover > PITHI_ARROWS_COVER / 2)
        arrows->cover = keep_longest(query, arrows, PITHI_ARROWS_COVER / 4);
    struct bundling b = {.query = query, .step = BUNDLE_COLUMNS};
    uint64_t looked_at = query->moving ? MOVING_MESSAGES : BUNDLED_MESSAGES;
    /* When only some lanes are shown, most messages in the sample belong to other lanes. So the sample is 8 times as
     * large. */
    uint64_t sampled = arrows->total <= looked_at ? UINT64_MAX : window->lanes ? 8 * looked_at : looked_at;
    double weight;
    err = pithlog_digest_sample(digest, window, sampled, bundle_message, &b, &weight);
    /* In a sample of one message in 8, a bundle of one message may stand for 8 messages or for very few. So bundles are
     * made wider, until they have FEW messages on average. */
    for (int i = 0; i < WIDER && weight > 1 && b.count && b.messages / b.count < FEW; i++)
        widen(&b);
    while (bundles_cover(&b) > PITHI_ARROWS_COVER / 2 && b.step * WIDEST_PART < query->width)
        widen(&b);
    arrows->cover += bundles_cover(&b);
    if (b.count)
        qsort(b.bundles, b.count, sizeof *b.bundles, by_count);
    /* in a sample of one message in 8, each message stands for 8 */
    for (uint32_t i = 0; i < b.count; i++) {
        b.bundles[i].count *= weight;
        b.bundles[i].bytes *= weight;
    }
    arrows->bundles = b.bundles;
    arrows->bundle_count = b.count;
    arrows->sampled = weight > 1;
    arrows->step = b.step;
    free(b.slots);
    return err;
}

int pithi_arrows_load(const struct pithlog_digest *digest, const struct pithi_arrows_query *query,
                      struct pithi_arrows *arrows)
{
    struct pithlog_digest_window window = {.from_ns = query->t0_ns, .to_ns = query->t1_ns};
    unsigned char *shown;
    uint32_t count = 0;
    int err;

    if (!digest || !query->width)
        return PITH_OK;
    /* The digest is asked only for messages between lanes that are shown. */
    shown = pithi_alloc(query->lane_count, 1);
    for (uint32_t lane = 0; lane < query->lane_count; lane++) {
        shown[lane] = query->row_of_lane[lane] != PITHI_NONE;
        count += shown[lane];
    }
    window.lanes = count < query->lane_count ? shown : NULL; /* NULL: all */
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

/* Counts a message if it belongs to the bundle that is looked at. Other messages in the same columns may belong to
 * other bundles. */
static void look_at(void *context, const struct pithlog_message *message)
{
    struct looking *looking = context;
    struct pithi_bundle one = bundle_of(looking->query, message, looking->step);

    if (is_same(&one, looking->bundle))
        take_numbers(&looking->sum, &one);
}

/* Returns the time of a column, the inverse of column_of, within the query's interval. */
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

    /* reads only messages that these two rows send or receive */
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

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

/* Returns the messages to draw: with a message filter, only those that it selects. */
static const struct pithlog_digest *messages_of(const struct pithi_plot *plot)
{
    return plot->picked ? plot->picked : plot->digest;
}

/* Returns query->row_of_lane, which the caller frees. */
static uint32_t *arrows_query(const struct pithi_plot *plot, struct pithi_arrows_query *query)
{
    uint32_t *row_of_lane = pithi_rows_of_lanes(plot->log, plot->rows, plot->row_count);

    *query = (struct pithi_arrows_query){.t0_ns = plot->t0_ns,
                                         .t1_ns = plot->t1_ns,
                                         .width = plot->width,
                                         .row_of_lane = row_of_lane,
                                         .lane_count = pithlog_get_info(plot->log)->lanes,
                                         .most = plot->most_arrows,
                                         .moving = plot->moving,
                                         .row_height = plot->arrows_single ? 0 : plot->row_height,
                                         .row_count = plot->row_count};
    return row_of_lane;
}

void pithi_plot_find_arrows(struct pithi_plot *plot)
{
    struct pithi_arrows_query query;
    uint32_t *row_of_lane;

    pithi_arrows_free(&plot->arrows);
    if (plot->no_messages)
        return;
    row_of_lane = arrows_query(plot, &query);
    pithi_arrows_load(messages_of(plot), &query, &plot->arrows);
    free(row_of_lane);
}

void pithi_plot_load_arrows(struct pithi_plot *plot)
{
    pithi_plot_find_arrows(plot);
    pithi_graphs_free(plot->graphs);
    plot->graphs = pithi_graphs_load(plot);
}

int pithi_plot_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, struct pithi_bundle *exact)
{
    struct pithi_arrows_query query;
    uint32_t *row_of_lane = arrows_query(plot, &query);
    int status = pithi_arrows_look(messages_of(plot), &query, &plot->arrows, bundle, exact);

    free(row_of_lane);
    return status;
}

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

static double middle_of(const struct pithi_plot *plot, uint32_t row)
{
    double top, height;

    pithi_plot_bar(plot->row_height, 0, &top, &height);
    return pithi_plot_row_top(plot, row) + top + floor(height / 2) + 0.5;
}

/* Sets ends[] to x and y of the send, and x and y of the receive. */
void pithi_plot_arrow_ends(const struct pithi_plot *plot, const struct pithi_arrow *arrow, double ends[4])
{
    ends[0] = pithi_plot_x(plot, arrow->message->send_ns);
    ends[1] = middle_of(plot, arrow->from_row);
    ends[2] = pithi_plot_x(plot, arrow->message->recv_ns);
    ends[3] = middle_of(plot, arrow->to_row);
}

/* Clips a line to x in [low, high]. Returns 0 if nothing is left. Ends of arrows may be a billion pixels away, but
 * cairo's coordinates have only 24 bits before the point. The slope stays, so the visible part of the line does not
 * change. */
static int shorten(double ends[4], double low, double high)
{
    double slope = ends[2] != ends[0] ? (ends[3] - ends[1]) / (ends[2] - ends[0]) : 0;

    if ((ends[0] < low && ends[2] < low) || (ends[0] > high && ends[2] > high))
        return 0;
    for (int i = 0; i < 4; i += 2) {
        double x = ends[i] < low ? low : ends[i] > high ? high : ends[i];
        ends[i + 1] += slope * (x - ends[i]);
        ends[i] = x;
    }
    return 1;
}

/* ---- While the view moves -------------------------------------------------------------------------------------- */

/* While the view moves, arrows have at most this number of pixels in a picture, and so have bundles. Painting these
 * pixels takes about a millisecond. */
enum { MOVING_PIXELS = 100000 };

/* Counts the pixels of all arrows, to decide how many of them a moving picture has. */
static double arrow_pixels(const struct pithi_plot *plot)
{
    double ends[4], pixels = 0;

    for (uint32_t i = 0; i < plot->arrows.count; i++) {
        pithi_plot_arrow_ends(plot, &plot->arrows.items[i], ends);
        if (shorten(ends, plot->x, plot->x + plot->width))
            pixels += fmax(fabs(ends[2] - ends[0]), fabs(ends[3] - ends[1]));
    }
    return pixels;
}

/* Returns 1 if this arrow is drawn while the view moves. Compares a hash of the message with `share`, so successive
 * pictures have the same arrows, and no arrow flickers. */
static int is_drawn(const struct pithi_arrow *arrow, double share)
{
    const struct pithlog_message *message = arrow->message;
    uint64_t mixed = ((uint64_t)message->send_ns ^ (uint64_t)message->recv_ns << 1 ^ message->send_lane) *
                     UINT64_C(0x9e3779b97f4a7c15);

    return (double)(mixed >> 11) < share * 0x1p53;
}

/* ---- Single arrows ----------------------------------------------------------------------------------------------- */

/* Draws the head of an arrow. Returns 0 and draws nothing if the arrow is too short, or if there are so many arrows
 * that heads would only hide the bars. */
static int draw_head(const struct pithi_plot *plot, const struct pithi_painter *painter, const double ends[4],
                     double alpha)
{
    double x = ends[2], y = ends[3], dx = x - ends[0], dy = y - ends[1], length = sqrt(dx * dx + dy * dy);
    double size = fmin(plot->row_height / 4, 6 * pithi_theme_scale());

    if (length < 2 * size || size < 2 || plot->arrows.cover > PITHI_ARROWS_COVER)
        return 0;
    /* (dx, dy): along the head, `size` long; the head reaches 0.4 of this to each side */
    dx *= size / length;
    dy *= size / length;
    double xs[3] = {x, x - dx - dy * 0.4, x - dx + dy * 0.4};
    double ys[3] = {y, y - dy + dx * 0.4, y - dy - dx * 0.4};
    painter->triangle(painter->context, xs, ys, PITHI_RGB_ARROW, alpha);
    return 1;
}

/* First all lines are drawn, then all heads, because cairo's painter collects successive lines. */
enum part { LINES, HEADS };

/* Sets [*from, *to) to the columns of the picture that an arrow crosses; an upright arrow crosses one. Returns 0 if the
 * arrow crosses none. */
static int columns_of(const struct pithi_plot *plot, const struct pithi_arrow *arrow, uint32_t *from, uint32_t *to)
{
    double ends[4], low, high;

    pithi_plot_arrow_ends(plot, arrow, ends);
    low = (ends[0] < ends[2] ? ends[0] : ends[2]) - plot->x;
    high = (ends[0] < ends[2] ? ends[2] : ends[0]) - plot->x + 1;
    if (high <= 0 || low >= plot->width)
        return 0;
    *from = low > 0 ? (uint32_t)low : 0;
    *to = high < plot->width ? (uint32_t)high : plot->width;
    return *from < *to;
}

/* ---- Crowds ------------------------------------------------------------------------------------------------------ */

/* How much of each gap between two rows the arrows cover, by column; 1 is the full height of the gap. If there are very
 * many rows, several adjacent gaps count as one. */
struct crowd {
    uint32_t gaps, width;
    double *cover; /* [gaps * (width + 2)] sum over the columns to the left; NULL: no memory */
};

enum { MOST_GAPS = 256 };

/* Returns the index of the gap below a row; gap 0 is between row 0 and row 1. */
static uint32_t gap_of_row(const struct pithi_plot *plot, const struct crowd *crowd, uint32_t row)
{
    return (uint32_t)((uint64_t)row * crowd->gaps / plot->row_count);
}

/* Finds the gaps [*first, *last] that an arrow crosses; at least one. */
static void gaps_of(const struct pithi_plot *plot, const struct crowd *crowd, const struct pithi_arrow *arrow,
                    uint32_t *first, uint32_t *last)
{
    uint32_t low = arrow->from_row < arrow->to_row ? arrow->from_row : arrow->to_row;
    uint32_t high = arrow->from_row < arrow->to_row ? arrow->to_row : arrow->from_row;

    *first = gap_of_row(plot, crowd, low);
    *last = gap_of_row(plot, crowd, high > low ? high - 1 : high);
}

static struct crowd measure_crowd(const struct pithi_plot *plot, double share)
{
    struct crowd crowd = {.gaps = plot->row_count < MOST_GAPS ? plot->row_count : MOST_GAPS, .width = plot->width};

    crowd.cover = calloc(crowd.gaps * ((size_t)crowd.width + 2) + 1, sizeof *crowd.cover);
    for (uint32_t i = 0; crowd.cover && i < plot->arrows.count; i++) {
        const struct pithi_arrow *arrow = &plot->arrows.items[i];
        uint32_t from, to, first, last;
        if (!is_drawn(arrow, share) || !columns_of(plot, arrow, &from, &to))
            continue;
        gaps_of(plot, &crowd, arrow, &first, &last);
        /* A steep line covers the full height of its column; a flat line covers one pixel of each column. `part` is the
         * fraction of the gap's height that the line covers in one column: a line across 10 columns covers a tenth in
         * each of them. */
        double part = fmax(1 / plot->row_height, 1.0 / (to - from)) * crowd.gaps / fmax(plot->row_count, crowd.gaps);
        for (uint32_t gap = first; gap <= last; gap++) {
            double *cover = crowd.cover + (size_t)gap * (crowd.width + 2);
            /* Stores only the ends: adds `part` at the first column and subtracts it behind the last. The loop below
             * sums these up. */
            cover[from] += part;
            cover[to] -= part;
        }
    }
    for (uint32_t gap = 0; crowd.cover && gap < crowd.gaps; gap++) {
        /* `now` is the cover of a column; `sum` is the sum over all columns before it. So the mean over any columns
         * needs only the difference of two sums. */
        double *cover = crowd.cover + (size_t)gap * (crowd.width + 2), now = 0, sum = 0;
        for (uint32_t x = 0; x <= crowd.width; x++) {
            now += cover[x];
            cover[x] = sum;
            sum += now;
        }
    }
    return crowd;
}

/* Arrows are faint, so that states stay visible. Arrows that reach into the selection are dark. (The viewer's window
 * draws the arrows of the state under the pointer itself, over the picture.) */
#define FAINT 0.3
#define DARK 0.85 /* alpha of arrows that reach into the selection */

static double plain_alpha(const struct pithi_plot *plot, const struct pithlog_message *message)
{
    int64_t first = message->send_ns < message->recv_ns ? message->send_ns : message->recv_ns;
    int64_t last = message->send_ns < message->recv_ns ? message->recv_ns : message->send_ns;

    return first < plot->lit_to_ns && last >= plot->lit_from_ns && plot->lit_from_ns < plot->lit_to_ns ? DARK : FAINT;
}

/* Returns the alpha of an arrow. An arrow gets fainter as more arrows surround it. */
static double arrow_alpha(const struct pithi_plot *plot, const struct pithi_arrow *arrow, const struct crowd *crowd)
{
    uint32_t from, to, first, last;
    double around = 0, alpha;

    if (!crowd->cover || !columns_of(plot, arrow, &from, &to))
        return plain_alpha(plot, arrow->message);
    gaps_of(plot, crowd, arrow, &first, &last);
    while (to - from < 9 && (from > 0 || to < plot->width)) { /* a steep arrow crosses too few columns */
        from -= from > 0;
        to += to < plot->width;
    }
    for (uint32_t gap = first; gap <= last; gap++) {
        const double *cover = crowd->cover + (size_t)gap * (crowd->width + 2);
        around += (cover[to] - cover[from]) / ((to - from) * (last - first + 1.0));
    }
    alpha = plain_alpha(plot, arrow->message) / (1 + 2 * around);
    return alpha < 0.02 ? 0.02 : alpha;
}

/* ---- Bundles ----------------------------------------------------------------------------------------------------- */

/* All bundles together may cover this fraction of the rows; if they cover more, each bundle is drawn fainter. To limit
 * the time, the largest bundles are drawn until their lines have MOST_PIXELS pixels, but at least LEAST_LINES
 * bundles. */
#define MOST_COVER 0.2
/* MOVING_LINES: instead of LEAST_LINES while the view moves. MOST_WIDTH: pixels, of the line of the largest bundle. */
enum { MOST_PIXELS = 600000, MOST_WIDTH = 2, LEAST_LINES = 500, MOVING_LINES = 50 };

static double bundle_ends(const struct pithi_plot *plot, const struct pithi_bundle *bundle, double ends[4])
{
    ends[0] = plot->x + bundle->x0;
    ends[1] = middle_of(plot, bundle->from_row);
    ends[2] = plot->x + bundle->x1;
    ends[3] = middle_of(plot, bundle->to_row);
    if (!shorten(ends, plot->x, plot->x + plot->width))
        return 0;
    return fmax(fabs(ends[2] - ends[0]), fabs(ends[3] - ends[1])) + 1;
}

/* Returns the weight of a bundle, which decides its width and darkness. The weight grows with the logarithm of the
 * number of messages; the largest bundle has 1. */
static double bundle_weight(const struct pithi_plot *plot, const struct pithi_bundle *bundle)
{
    double most = plot->arrows.bundles[0].count;
    return most > 1 ? log(bundle->count) / log(most) : 0;
}

static int bundle_width(const struct pithi_plot *plot, const struct pithi_bundle *bundle)
{
    int width = bundle->count < 4 ? 1 : 1 + (int)(bundle_weight(plot, bundle) * (MOST_WIDTH - 1) + 0.5);
    return width > 1 + plot->row_height / 6 ? 1 : width;
}

static double bundle_alpha(const struct pithi_plot *plot, const struct pithi_bundle *bundle)
{
    return 0.1 + 0.18 * bundle_weight(plot, bundle);
}

uint32_t pithi_bundles_drawn(const struct pithi_plot *plot, double *fade)
{
    double area = plot->width * plot->row_height * plot->row_count, pixels = 0, cover = 0, ends[4];
    uint32_t least = plot->moving ? MOVING_LINES : LEAST_LINES, most = plot->moving ? MOVING_PIXELS : MOST_PIXELS, i;

    for (i = 0; i < plot->arrows.bundle_count && (i < least || pixels < most); i++) {
        const struct pithi_bundle *bundle = &plot->arrows.bundles[i];
        double length = bundle_ends(plot, bundle, ends) * bundle_width(plot, bundle);
        pixels += length;
        cover += length * bundle_alpha(plot, bundle);
    }
    *fade = cover > MOST_COVER * area ? MOST_COVER * area / cover : 1;
    return i;
}

int pithi_bundle_look(const struct pithi_plot *plot, const struct pithi_bundle *bundle, double fade,
                      struct pithi_bundle_look *look)
{
    look->width = bundle_width(plot, bundle);
    look->alpha = fmax(bundle_alpha(plot, bundle) * fade, 0.03);
    return bundle_ends(plot, bundle, look->ends) > 0;
}

/* Draws the smallest bundles first, so that large bundles are on top. */
static void draw_bundles(const struct pithi_plot *plot, const struct pithi_painter *painter, enum part part)
{
    struct pithi_bundle_look look;
    double fade;

    for (uint32_t i = pithi_bundles_drawn(plot, &fade); i-- > 0;) {
        if (!pithi_bundle_look(plot, &plot->arrows.bundles[i], fade, &look))
            continue;
        if (part == HEADS)
            draw_head(plot, painter, look.ends, fmin(look.alpha * 1.5, 1));
        /* Draws lines side by side, one pixel apart, across the main direction of the bundle. */
        const double *ends = look.ends;
        int steep = fabs(ends[3] - ends[1]) > fabs(ends[2] - ends[0]);
        for (int line = 0; part == LINES && line < look.width; line++) {
            double off = line - (look.width - 1) / 2.0, x = steep ? off : 0, y = steep ? 0 : off;
            painter->line(painter->context, ends[0] + x, ends[1] + y, ends[2] + x, ends[3] + y, PITHI_RGB_ARROW,
                          look.alpha);
        }
    }
}

/* ---- Numbers of bundles ------------------------------------------------------------------------------------------ */

/* Font size and row height in pixels at scale 1; maximum number of labels. */
enum { NUMBER_TEXT = 10, NUMBER_ROW = 15, MOST_NUMBERS = 80 };

struct box {
    double left, top, right, bottom; /* in pixels */
};

static int is_free(const struct box *boxes, uint32_t count, const struct box *box)
{
    for (uint32_t i = 0; i < count; i++)
        if (box->left < boxes[i].right && boxes[i].left < box->right && box->top < boxes[i].bottom &&
            boxes[i].top < box->bottom)
            return 0;
    return 1;
}

void pithi_bundle_numbers_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    struct pithi_font font = {.size = NUMBER_TEXT * pithi_theme_scale()};
    struct pithi_bundle_look look;
    struct box boxes[MOST_NUMBERS];
    uint32_t count = 0, drawn;
    double fade;

    if (!painter->text || pithi_arrows_left_out(plot) || plot->row_height < NUMBER_ROW * pithi_theme_scale())
        return;
    drawn = pithi_bundles_drawn(plot, &fade);
    for (uint32_t i = 0; i < drawn && count < MOST_NUMBERS && plot->arrows.bundles[i].count >= 1.5; i++) {
        double messages = plot->arrows.bundles[i].count;
        char text[24];
        if (!pithi_bundle_look(plot, &plot->arrows.bundles[i], fade, &look))
            continue;
        if (messages < 9999.5)
            snprintf(text, sizeof text, "%.0f", messages);
        else
            snprintf(text, sizeof text, messages < 9999500 ? "%.0fk" : "%.0fM",
                     messages / (messages < 9999500 ? 1e3 : 1e6));
        /* Puts the number in the middle of the bundle's line, but between two rows, so that it covers no name of a
         * state. */
        double wide = look.ends[2] - look.ends[0], tall = look.ends[3] - look.ends[1];
        double rows = fabs(tall) / plot->row_height;
        double part = lround(rows) % 2 == 0 && rows >= 1 ? 0.5 + 0.5 / rows : 0.5;
        double x = look.ends[0] + part * wide, y = look.ends[1] + part * tall;
        double half = painter->text_width(painter->context, font, text) / 2 + 2, high = font.size * 0.6;
        struct box box = {x - half, y - high, x + half, y + high};
        if (box.left < plot->x || box.right > plot->x + plot->width || !is_free(boxes, count, &box))
            continue;
        boxes[count++] = box;
        painter->rect(painter->context, box.left, box.top, box.right - box.left, box.bottom - box.top, PITHI_RGB_PAPER,
                      0.8);
        painter->text(painter->context, x, y + font.size * 0.36, PITHI_CENTRE, font, PITHI_RGB_ARROW, text);
    }
}

/* ---- The whole picture ------------------------------------------------------------------------------------------- */

/* A cover clearly differs from the limit if it is this many times as large, or as small. */
#define CLEARLY 1.25

int pithi_arrows_left_out(const struct pithi_plot *plot)
{
    static const double limits[] = {[PITHI_NONE_BEFORE] = PITHI_ARROWS_COVER,
                                    [PITHI_DRAWN_BEFORE] = PITHI_ARROWS_COVER * CLEARLY,
                                    [PITHI_LEFT_OUT_BEFORE] = PITHI_ARROWS_COVER / CLEARLY};
    return plot->arrows_auto && plot->arrows.cover > limits[plot->arrows_before];
}

enum pithi_arrows_before pithi_arrows_done(const struct pithi_plot *plot)
{
    if (!plot->digest || !plot->most_arrows || !plot->arrows_auto)
        return PITHI_NONE_BEFORE;
    return pithi_arrows_left_out(plot) ? PITHI_LEFT_OUT_BEFORE : PITHI_DRAWN_BEFORE;
}

int pithi_arrows_crowded(const struct pithi_plot *plot)
{
    return plot->arrows.bundle_count || arrow_pixels(plot) > MOVING_PIXELS;
}

void pithi_arrows_draw(const struct pithi_plot *plot, const struct pithi_painter *painter)
{
    if (pithi_arrows_left_out(plot))
        return;
    double pixels = plot->moving ? arrow_pixels(plot) : 0;
    double share = pixels > MOVING_PIXELS ? MOVING_PIXELS / pixels : 1;
    struct crowd crowd = measure_crowd(plot, share);

    for (enum part part = LINES; part <= HEADS; part++) {
        draw_bundles(plot, painter, part);
        for (uint32_t i = 0; i < plot->arrows.count; i++) {
            const struct pithi_arrow *arrow = &plot->arrows.items[i];
            double low = plot->x - 100, high = plot->x + plot->width + 100, ends[4];
            pithi_plot_arrow_ends(plot, arrow, ends);
            if (!is_drawn(arrow, share) || !shorten(ends, low, high))
                continue;
            double alpha = arrow_alpha(plot, arrow, &crowd);
            if (part == LINES) {
                painter->line(painter->context, ends[0], ends[1], ends[2], ends[3], PITHI_RGB_ARROW, alpha);
                continue;
            }
            if (!draw_head(plot, painter, ends, alpha))
                continue;
            /* An arrow between lanes with different clocks has an error bar at its head, `reach` pixels to each side,
             * if the possible error of the clocks is large enough to be seen. */
            double x = pithi_plot_x(plot, arrow->message->recv_ns);
            int64_t error_ns = pithlog_clock_error(plot->log, arrow->message->send_lane, arrow->message->recv_lane);
            double reach = (double)error_ns * plot->width / ((double)plot->t1_ns - (double)plot->t0_ns);
            double bar[4] = {x - reach, ends[3], x + reach, ends[3]};
            if (error_ns > 0 && reach > 1 && shorten(bar, low, high))
                painter->line(painter->context, bar[0], ends[3], bar[2], ends[3], PITHI_RGB_ARROW, alpha);
        }
    }
    free(crowd.cover);
}
