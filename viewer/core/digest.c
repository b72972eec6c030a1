/* digest.c - messages and counters of an open log; see digest.h. */
#include "core/digest.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/query.h"

static int64_t length(const struct pithlog_message *message)
{
    int64_t span = message->recv_ns - message->send_ns;
    return span < 0 ? -span : span;
}

static int64_t earlier(const struct pithlog_message *message)
{
    return message->send_ns < message->recv_ns ? message->send_ns : message->recv_ns;
}

static int64_t later(const struct pithlog_message *message)
{
    return message->send_ns < message->recv_ns ? message->recv_ns : message->send_ns;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = earlier(a), y = earlier(b);
    return (x > y) - (x < y);
}

static int by_length_falling(const void *a, const void *b)
{
    int64_t x = length(a), y = length(b);
    return (x < y) - (x > y);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The shorter half goes when there is no more room: what is left is what a thinned picture would show anyway. */
static void drop_short_messages(struct pithi_digest *digest)
{
    qsort(digest->messages, digest->message_count, sizeof *digest->messages, by_length_falling);
    digest->messages_left_out += digest->message_count - PITHI_DIGEST_MESSAGES / 2;
    digest->message_count = PITHI_DIGEST_MESSAGES / 2;
}

static int read_messages(struct pithlog *log, struct pithi_digest *digest)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int more, damages = 0, err = pithlog_matcher_open(log, &matcher);

    if (err)
        return err;
    while ((more = pithlog_matcher_next(matcher, &message)) != 0 && damages < PITHI_MOST_DAMAGES) {
        if (more < 0) {
            damages++;
            continue;
        }
        if (digest->message_count >= PITHI_DIGEST_MESSAGES)
            drop_short_messages(digest);
        digest->messages = pithi_grow(digest->messages, &digest->message_capacity, digest->message_count + 1,
                                      sizeof *digest->messages);
        digest->messages[digest->message_count++] = message;
    }
    pithlog_matcher_close(matcher);
    if (digest->message_count)
        qsort(digest->messages, digest->message_count, sizeof *digest->messages, by_time);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

static struct pithi_series *series_for(struct pithi_digest *digest, uint32_t lane, uint32_t counter)
{
    struct pithi_series *series;

    for (uint32_t i = digest->series_count; i-- > 0;)
        if (digest->series[i].row.lane == lane && digest->series[i].row.counter == counter)
            return &digest->series[i];
    digest->series =
        pithi_grow(digest->series, &digest->series_capacity, digest->series_count + 1, sizeof *digest->series);
    series = &digest->series[digest->series_count++];
    memset(series, 0, sizeof *series);
    series->row.lane = lane;
    series->row.counter = counter;
    return series;
}

static void add_value(struct pithi_series *series, int64_t time_ns, double value)
{
    if (value != value)
        return;
    series->time_ns = pithi_grow(series->time_ns, &series->time_capacity, series->count + 1, sizeof *series->time_ns);
    series->value = pithi_grow(series->value, &series->value_capacity, series->count + 1, sizeof *series->value);
    series->time_ns[series->count] = time_ns;
    series->value[series->count++] = value;
    if (value < series->low)
        series->low = value;
    if (value > series->high)
        series->high = value;
}

static int has_counters(const struct pithlog *log)
{
    for (uint32_t id = 0; id < pithlog_get_info(log)->defs; id++)
        if (pithlog_get_def(log, id)->kind == PITHLOG_COUNTER_TYPE)
            return 1;
    return 0;
}

static int by_row(const void *a, const void *b)
{
    const struct pithi_row *x = &((const struct pithi_series *)a)->row, *y = &((const struct pithi_series *)b)->row;

    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->counter > y->counter) - (x->counter < y->counter);
}

static int read_counters(struct pithlog *log, struct pithi_digest *digest)
{
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_COUNTER};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int more, damages = 0, err;

    if (!has_counters(log))
        return PITH_OK;
    err = pithlog_iter_open(log, &query, &iter);
    if (err)
        return err;
    while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0;
        if (more == 1)
            add_value(series_for(digest, record.lane, record.id), record.time_ns, record.value);
    }
    pithlog_iter_close(iter);
    if (digest->series_count)
        qsort(digest->series, digest->series_count, sizeof *digest->series, by_row);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

const struct pithi_series *pithi_digest_series(const struct pithi_digest *digest, struct pithi_row row)
{
    for (uint32_t i = 0; digest && i < digest->series_count; i++)
        if (digest->series[i].row.lane == row.lane && digest->series[i].row.counter == row.counter)
            return &digest->series[i];
    return NULL;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

int pithi_digest_open(struct pithlog *log, struct pithi_digest **digest)
{
    int err, counters_err;

    *digest = pithi_alloc(1, sizeof **digest);
    err = read_messages(log, *digest);
    counters_err = read_counters(log, *digest);
    err = err ? err : counters_err;
    if (err && err != PITH_ERR_DAMAGED) {
        pithi_digest_close(*digest);
        *digest = NULL;
    }
    return err;
}

void pithi_digest_close(struct pithi_digest *digest)
{
    if (!digest)
        return;
    for (uint32_t i = 0; i < digest->series_count; i++) {
        free(digest->series[i].time_ns);
        free(digest->series[i].value);
    }
    free(digest->series);
    free(digest->messages);
    free(digest);
}

struct pithi_row *pithi_rows_make(const struct pithlog *log, const struct pithi_digest *digest, uint32_t *count)
{
    uint32_t lanes = pithlog_get_info(log)->lanes, next = 0, series = digest ? digest->series_count : 0;
    struct pithi_row *rows = pithi_alloc((size_t)lanes + series, sizeof *rows);

    *count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        rows[*count].lane = lane;
        rows[(*count)++].counter = PITHI_NONE;
        for (; next < series && digest->series[next].row.lane == lane; next++)
            rows[(*count)++] = digest->series[next].row;
    }
    return rows;
}

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

static int arrows_by_place(const void *a, const void *b)
{
    const struct pithlog_message *x = ((const struct pithi_arrow *)a)->message;
    const struct pithlog_message *y = ((const struct pithi_arrow *)b)->message;
    return (x > y) - (x < y);
}

static void swap(struct pithi_arrow *a, struct pithi_arrow *b)
{
    struct pithi_arrow kept = *a;
    *a = *b;
    *b = kept;
}

/* Brings the `most` longest to the front, in any order (Hoare's "Find", 1961): arrows come by the hundred thousand,
 * sorting them would be felt. */
static uint32_t keep_longest(struct pithi_arrow *arrows, uint32_t count, uint32_t most)
{
    uint32_t from = 0, to = count;

    while (count > most && to - from > 1) {
        int64_t pivot = length(arrows[from + (to - from) / 2].message);
        uint32_t i = from, j = to - 1;
        while (i <= j) {
            while (length(arrows[i].message) > pivot)
                i++;
            while (length(arrows[j].message) < pivot)
                j--;
            if (i > j)
                break;
            swap(&arrows[i++], &arrows[j]);
            if (j-- == 0)
                break;
        }
        /* Now [from, j] are at least, [i, to) at most as long as the pivot. */
        if (j != UINT32_MAX && most <= j && j + 1 < to)
            to = j + 1;
        else if (most >= i && i > from)
            from = i;
        else
            break;
    }
    return count < most ? count : most;
}

uint32_t pithi_digest_arrows(const struct pithi_digest *digest, int64_t t0_ns, int64_t t1_ns,
                             const uint32_t *row_of_lane, struct pithi_arrow *arrows, uint32_t most, uint32_t *total)
{
    struct pithi_arrow *found = pithi_alloc((size_t)most * 2 + 1, sizeof *found);
    uint32_t count = 0;

    *total = 0;
    for (uint32_t i = 0; digest && most && i < digest->message_count; i++) {
        const struct pithlog_message *message = &digest->messages[i];
        if (earlier(message) >= t1_ns)
            break;
        if (later(message) < t0_ns || row_of_lane[message->send_lane] == PITHI_NONE ||
            row_of_lane[message->recv_lane] == PITHI_NONE)
            continue;
        if (count == most * 2)
            count = keep_longest(found, count, most);
        found[count].message = message;
        found[count].from_row = row_of_lane[message->send_lane];
        found[count++].to_row = row_of_lane[message->recv_lane];
        ++*total;
    }
    count = keep_longest(found, count, most);
    if (count)
        qsort(found, count, sizeof *found, arrows_by_place);
    memcpy(arrows, found, count * sizeof *found);
    free(found);
    return count;
}
