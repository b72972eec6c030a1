/* lengths.c - collects the durations of the instances of a state. If there are very many, instances of nearly the same
 * duration share an entry.
 *
 * A histogram, a median and "the longest" need all durations sorted. That is done exactly for up to PITHI_LENGTHS_EXACT
 * instances. Beyond that, durations go into buckets whose width grows with the duration, 1,024 for each power of two:
 *
 *     5,000 ns is between 2^12 and 2^13, where a bucket is 4 ns wide: it shares a bucket with 5,001 to 5,003 ns
 *
 * So a value read from buckets is wrong by less than 0.1 %, whatever the durations are, and 55,296 buckets are enough
 * for all durations. Count and sum of a bucket are exact, and so is the instance that stands for it, the longest. */
#include "core/measure/lengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/measure/matrix.h"
#include "core/measure/messages.h"
#include "core/cells/query.h"

/* Buckets of rounded durations: each value below 2 * FINE has its own bucket; above that, each power of two is divided
 * into FINE buckets. */
enum { FINE_BITS = 10, FINE = 1 << FINE_BITS, BUCKETS = (64 - FINE_BITS) * FINE, CELL_BITS = 6 };
enum { WATCH_EVERY = 16384 /* steps */, MOST_DAMAGES = 10000 };

struct gathering {
    const struct pithi_lengths_query *query; /* the caller's */
    struct pithi_length_list *list;          /* the result */
    /* [BUCKETS] used once there are too many instances to keep each; NULL: not yet */
    struct pithi_length *buckets;
    uint32_t *slots; /* [slot_count] hash of the cells; 0: free, else index of a cell + 1 */
    uint32_t slot_count;
};

/* ---- Gathering --------------------------------------------------------------------------------------------------- */

/* Returns the bucket of a length. Each value below 2^(bits + 1) has its own bucket; above that, each power of two is
 * divided into 2^bits buckets. */
static uint32_t bucket_of(int64_t length, uint32_t bits)
{
    uint64_t value = length < 0 ? 0 : (uint64_t)length;

    if (value < UINT64_C(2) << bits)
        return (uint32_t)value;
    /* `shift`: the number of bits that are dropped, so that bits + 1 bits are left */
    uint32_t shift = 63 - bits - (uint32_t)__builtin_clzll(value);
    return ((shift + 1) << bits) + (uint32_t)(value >> shift & ((UINT64_C(1) << bits) - 1));
}

/* Adds an instance to a bucket or cell. The longest instance stands for all of them. */
static void add_to(struct pithi_length *bucket, const struct pithi_length *instance)
{
    struct pithi_length before = *bucket;

    if (!before.count || instance->length_ns > before.length_ns)
        *bucket = *instance;
    bucket->count = before.count + 1;
    bucket->total_ns = before.total_ns + instance->length_ns;
}

uint32_t pithi_length_place(const struct pithi_length_list *list, const struct pithi_length *length,
                            enum pithi_lengths_over over, uint32_t count)
{
    if (over == PITHI_OVER_LANES)
        return pithi_tile_at(list->place[length->lane], count, list->lane_count);
    if (length->start_ns <= list->t0_ns)
        return 0;
    /* the end of the window belongs to the last place */
    double part = ((double)length->start_ns - (double)list->t0_ns) / ((double)list->t1_ns - (double)list->t0_ns);
    uint32_t place = (uint32_t)(part * count);
    return place < count ? place : count - 1;
}

static uint32_t places_of(const struct gathering *gathering)
{
    uint32_t lanes = gathering->list->lane_count;

    return gathering->query->over == PITHI_OVER_LANES && lanes < PITHI_LENGTH_PLACES ? lanes : PITHI_LENGTH_PLACES;
}

/* Returns the slot of the cell to which an instance belongs; if there is no such cell yet, the free slot for it. */
static uint32_t slot_of(const struct gathering *gathering, const struct pithi_length *instance)
{
    const struct pithi_length_list *list = gathering->list;
    enum pithi_lengths_over over = gathering->query->over;
    uint32_t place = pithi_length_place(list, instance, over, places_of(gathering));
    uint32_t bucket = bucket_of(instance->length_ns, CELL_BITS), last = gathering->slot_count - 1;

    /* a free slot ends the search; at most half of the slots are taken */
    for (uint32_t slot = (place * 4097 + bucket) * UINT32_C(2654435761) >> 7 & last;; slot = (slot + 1) & last) {
        const struct pithi_length *cell = &list->cells[gathering->slots[slot] - 1];
        if (!gathering->slots[slot] || (bucket_of(cell->length_ns, CELL_BITS) == bucket &&
                                        pithi_length_place(list, cell, over, places_of(gathering)) == place))
            return slot;
    }
}

static void add_rounded(struct gathering *gathering, const struct pithi_length *instance)
{
    struct pithi_length_list *list = gathering->list;

    add_to(&gathering->buckets[bucket_of(instance->length_ns, FINE_BITS)], instance);
    if (gathering->query->over == PITHI_OVER_NOTHING)
        return;
    /* half full: the table doubles, and all cells get new slots */
    if (list->cell_count >= gathering->slot_count / 2) {
        free(gathering->slots);
        gathering->slot_count = gathering->slot_count ? 2 * gathering->slot_count : 1 << 12;
        gathering->slots = pithi_alloc(gathering->slot_count, sizeof *gathering->slots);
        for (uint32_t i = 0; i < list->cell_count; i++)
            gathering->slots[slot_of(gathering, &list->cells[i])] = i + 1;
    }
    uint32_t slot = slot_of(gathering, instance);
    if (!gathering->slots[slot]) {
        list->cells = pithi_view_grow(list->cells, &list->cell_capacity, list->cell_count + 1, sizeof *list->cells);
        list->cells[list->cell_count] = (struct pithi_length){0};
        gathering->slots[slot] = ++list->cell_count;
    }
    add_to(&list->cells[gathering->slots[slot] - 1], instance);
}

/* Adds an instance, whose length_ns is set. */
static void add(struct gathering *gathering, struct pithi_length instance)
{
    struct pithi_length_list *list = gathering->list;
    int64_t length = instance.length_ns;

    instance.total_ns = length;
    instance.count = 1;
    if (length < list->min_ns)
        list->min_ns = length;
    if (length > list->max_ns)
        list->max_ns = length;
    if (list->exact && list->count == PITHI_LENGTHS_EXACT) {
        /* There are too many instances to keep each. From now on, a bucket counts the instances of nearly the same
         * length, and the longest of them stands for all. */
        gathering->buckets = pithi_alloc(BUCKETS, sizeof *gathering->buckets);
        for (uint32_t i = 0; i < list->count; i++)
            add_rounded(gathering, &list->items[i]);
        list->count = 0;
        list->exact = 0;
    }
    if (!list->exact) {
        add_rounded(gathering, &instance);
        return;
    }
    list->items = pithi_view_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = instance;
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

/* Returns 1 if, after the step, an instance of the query's state that began before the end of the window is still open
 * or may still come. */
static int reaches_in(const struct pithi_lengths_query *query, const struct pithlog_step *step)
{
    /* a state that begins with this step is not in step->open yet */
    if (step->change == PITHLOG_BEGINS && step->record->start_ns < query->t1_ns)
        return 1; /* whatever its id: after a hole, the states inside it, also open since before t1, begin next */
    for (uint32_t i = 0; i < step->depth; i++)
        if (step->open[i].id == query->state && step->open[i].start_ns < query->t1_ns)
            return 1;
    return 0;
}

/* Adds the instances of a lane. Walks on after the window until all instances that reach into the window have ended. */
static int walk_lane(struct pithlog *log, struct gathering *gathering, uint32_t lane, uint32_t number)
{
    const struct pithi_lengths_query *query = gathering->query;
    struct pithlog_query asked = {
        .from_ns = query->t0_ns, .to_ns = pithlog_get_info(log)->end_ns, .lanes = &lane, .lane_count = 1};
    double span = (double)(asked.to_ns - query->t0_ns) + 1;
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, damages = 0, err;

    if (!pithlog_get_lane(log, lane)->records)
        return PITH_OK;
    if ((err = pithlog_walk_open(log, &asked, &walk)) != PITH_OK)
        return err;
    for (uint64_t i = 1; (status = pithlog_walk_next(walk, &step)) != 0; i++) {
        if (status < 0 && ++damages == MOST_DAMAGES)
            break;
        if (status < 0)
            continue;
        /* an instance counts if it begins before the end of the window, even if it ends later */
        if (step.change == PITHLOG_ENDS && step.open[step.at].id == query->state &&
            step.open[step.at].start_ns < query->t1_ns)
            add(gathering, (struct pithi_length){.length_ns = step.to_ns - step.open[step.at].start_ns,
                                                 .start_ns = step.open[step.at].start_ns,
                                                 .end_ns = step.to_ns,
                                                 .lane = lane,
                                                 .peer = lane});
        /* stops after the window, as soon as all instances that began before its end have ended */
        if (step.to_ns >= query->t1_ns && !reaches_in(query, &step))
            break;
        if (i % WATCH_EVERY == 0 &&
            !pithi_go_on(&query->watch, (number + (double)(step.to_ns - query->t0_ns) / span) / query->lane_count))
            break;
    }
    pithlog_walk_close(walk);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void take_message(void *context, const struct pithlog_message *message)
{
    struct gathering *gathering = context;

    int64_t size = message->bytes < INT64_MAX ? (int64_t)message->bytes : INT64_MAX;
    int sizes = gathering->query->state == PITHI_MESSAGE_SIZES;

    if (gathering->list->place[message->send_lane] != UINT32_MAX &&
        gathering->list->place[message->recv_lane] != UINT32_MAX)
        add(gathering, (struct pithi_length){.length_ns = sizes ? size : message->recv_ns - message->send_ns,
                                             .start_ns = message->send_ns,
                                             .end_ns = message->recv_ns,
                                             .lane = message->send_lane,
                                             .peer = message->recv_lane,
                                             .bytes = message->bytes,
                                             .tag = message->tag});
}

/* ---- The list ---------------------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const struct pithi_length *x = a, *y = b;

    if (x->length_ns != y->length_ns)
        return x->length_ns < y->length_ns ? -1 : 1;
    if (x->start_ns != y->start_ns) /* so that the n-th longest is always the same instance */
        return x->start_ns > y->start_ns ? -1 : 1;
    return x->lane > y->lane ? -1 : x->lane < y->lane;
}

int pithi_lengths_run(struct pithlog *log, const struct pithi_lengths_query *query, struct pithi_length_list *list)
{
    struct gathering gathering = {.query = query, .list = list};
    int err = PITH_OK;

    memset(list, 0, sizeof *list);
    list->exact = 1;
    list->min_ns = INT64_MAX;
    list->max_ns = INT64_MIN;
    list->t0_ns = query->t0_ns;
    list->t1_ns = query->t1_ns;
    list->lane_count = query->lane_count;
    list->place = pithi_alloc(pithlog_get_info(log)->lanes, sizeof *list->place);
    memset(list->place, 0xff, pithlog_get_info(log)->lanes * sizeof *list->place);
    for (uint32_t i = 0; i < query->lane_count; i++)
        list->place[query->lanes[i]] = i;
    int is_messages = query->state == PITHI_MESSAGES || query->state == PITHI_MESSAGE_SIZES;
    if (is_messages)
        err = pithi_messages_each(log, query->digest, query->t0_ns, query->t1_ns, &query->watch, take_message,
                                  &gathering);
    for (uint32_t i = 0;
         !is_messages && i < query->lane_count && pithi_go_on(&query->watch, (double)i / query->lane_count); i++) {
        int lane_err = walk_lane(log, &gathering, query->lanes[i], i);
        err = err ? err : lane_err;
    }
    if (gathering.buckets) {
        for (uint32_t i = 0; i < BUCKETS; i++) {
            const struct pithi_length *bucket = &gathering.buckets[i];
            if (!bucket->count)
                continue;
            list->items = pithi_view_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
            list->items[list->count] = *bucket;
            list->items[list->count++].length_ns = (int64_t)llround((double)bucket->total_ns / (double)bucket->count);
        }
        /* The first and last entry keep the exact minimum and maximum. */
        list->items[0].length_ns = list->min_ns;
        list->items[list->count - 1].length_ns = list->max_ns;
        free(gathering.buckets);
        free(gathering.slots);
        if (list->cell_count)
            qsort(list->cells, list->cell_count, sizeof *list->cells, by_length);
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_length);
    else
        list->min_ns = list->max_ns = 0;
    return err;
}

void pithi_lengths_free(struct pithi_length_list *list)
{
    free(list->items);
    free(list->cells);
    free(list->place);
    memset(list, 0, sizeof *list);
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

uint32_t pithi_lengths_first(const struct pithi_length *items, uint32_t count, int64_t length_ns)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (items[middle].length_ns < length_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t first_from(const struct pithi_length_list *list, int64_t length_ns)
{
    return pithi_lengths_first(list->items, list->count, length_ns);
}

static uint32_t end_of(const struct pithi_length_list *list, int64_t high_ns)
{
    return high_ns == INT64_MAX ? list->count : first_from(list, high_ns + 1);
}

static int64_t rank_of(const struct pithi_length *items, uint32_t from, uint32_t to, uint64_t count, double part)
{
    uint64_t wanted = (uint64_t)ceil(part * (double)count), seen = 0;

    for (uint32_t i = from; i < to; i++)
        if ((seen += items[i].count) >= wanted)
            return items[i].length_ns;
    return 0;
}

struct pithi_spread pithi_lengths_spread(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns)
{
    uint32_t from = first_from(list, low_ns), to = end_of(list, high_ns);
    const struct pithi_length *items = list->items;
    struct pithi_spread spread = {0};
    double squares = 0;

    if (from >= to)
        return spread;
    for (uint32_t i = from; i < to; i++) {
        spread.count += items[i].count;
        spread.total_ns += items[i].total_ns;
    }
    spread.mean_ns = (double)spread.total_ns / (double)spread.count;
    for (uint32_t i = from; i < to; i++) {
        double off = (double)items[i].length_ns - spread.mean_ns;
        squares += off * off * (double)items[i].count;
    }
    spread.deviation_ns = sqrt(squares / (double)spread.count);
    spread.min_ns = items[from].length_ns;
    spread.max_ns = items[to - 1].length_ns;
    spread.median_ns = rank_of(items, from, to, spread.count, 0.5);
    spread.p95_ns = rank_of(items, from, to, spread.count, 0.95);
    return spread;
}

int64_t pithi_lengths_edge(int64_t low_ns, int64_t high_ns, int logarithmic, double part)
{
    double low = (double)low_ns, span = (double)high_ns + 1 - low;

    if (!logarithmic || high_ns <= 0)
        return low_ns + (int64_t)(span * part);
    /* Values of 0 or less have no logarithm, so they belong to the first bin. */
    low = low < 1 ? 1 : low;
    return (int64_t)ceil(low * pow(((double)high_ns + 1) / low, part) - 1e-9);
}

uint32_t pithi_lengths_bins(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns, int logarithmic,
                            uint32_t count, struct pithi_bin *bins)
{
    uint32_t at = first_from(list, low_ns);

    if (high_ns < low_ns)
        return 0;
    if ((uint64_t)(high_ns - low_ns) < count)
        count = (uint32_t)(high_ns - low_ns) + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct pithi_bin *bin = &bins[i];
        *bin = (struct pithi_bin){.from_ns = i ? bins[i - 1].to_ns : low_ns};
        bin->to_ns = i + 1 == count ? high_ns + 1 : pithi_lengths_edge(low_ns, high_ns, logarithmic, (i + 1.0) / count);
        for (; at < list->count && list->items[at].length_ns < bin->to_ns; at++) {
            bin->count += list->items[at].count;
            bin->total_ns += list->items[at].total_ns;
        }
    }
    return count;
}

const struct pithi_length *pithi_lengths_nth(const struct pithi_length_list *list, int64_t low_ns, int64_t high_ns,
                                             uint32_t number)
{
    uint32_t from = first_from(list, low_ns), to = end_of(list, high_ns);

    return from < to && number < to - from ? &list->items[to - 1 - number] : NULL;
}
