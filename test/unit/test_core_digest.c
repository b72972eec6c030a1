/* test_core_digest.c - which arrows are shown: those in the window and between the rows shown, thinned to the
 * longest; and counters' values read from a log. */
#include <string.h>

#include "core/digest.h"
#include "core/query.h"
#include "core_log.h"
#include "tap.h"

enum { MESSAGES = 3000, LANES = 4 };

static struct pithlog_message messages[MESSAGES];
static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

static int64_t length(const struct pithlog_message *message) { return llabs(message->recv_ns - message->send_ns); }

/* In order of the earlier time, as a digest has them; some are received before they are sent (clocks err). */
static void make_messages(uint32_t kinds_of_length)
{
    int64_t now = 0;

    for (uint32_t i = 0; i < MESSAGES; i++) {
        struct pithlog_message *message = &messages[i];
        int64_t span = below(kinds_of_length);
        now += below(5);
        message->send_lane = below(LANES);
        message->recv_lane = below(LANES);
        message->send_ns = now;
        message->recv_ns = now + span;
        if (!below(10)) {
            message->send_ns = now + span;
            message->recv_ns = now;
        }
    }
}

static int is_in(const struct pithlog_message *message, int64_t t0, int64_t t1, const uint32_t *row_of_lane)
{
    int64_t first = message->send_ns < message->recv_ns ? message->send_ns : message->recv_ns;

    return first < t1 && first + length(message) >= t0 && row_of_lane[message->send_lane] != PITHI_NONE &&
           row_of_lane[message->recv_lane] != PITHI_NONE;
}

/* All kept are in the window, none twice, and none left out is longer than one kept. */
static int arrows_are_right(const struct pithi_digest *digest, int64_t t0, int64_t t1, uint32_t most)
{
    static struct pithi_arrow arrows[MESSAGES + 1];
    static unsigned char kept[MESSAGES];
    const uint32_t row_of_lane[LANES] = {0, 1, PITHI_NONE, 2};
    uint32_t total, wanted = 0, count = pithi_digest_arrows(digest, t0, t1, row_of_lane, arrows, most, &total);
    int64_t shortest = INT64_MAX, longest_left = -1;

    memset(kept, 0, sizeof kept);
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_message *message = arrows[i].message;
        if (!is_in(message, t0, t1, row_of_lane) || kept[message - messages]++ ||
            arrows[i].from_row != row_of_lane[message->send_lane] ||
            arrows[i].to_row != row_of_lane[message->recv_lane])
            return 0;
        shortest = length(message) < shortest ? length(message) : shortest;
    }
    for (uint32_t i = 0; i < MESSAGES; i++) {
        int in = is_in(&messages[i], t0, t1, row_of_lane);
        wanted += (uint32_t)in;
        if (in && !kept[i] && length(&messages[i]) > longest_left)
            longest_left = length(&messages[i]);
    }
    return (most == 0 || total == wanted) && count == (wanted < most ? wanted : most) && longest_left <= shortest;
}

static void test_arrows(void)
{
    struct pithi_digest digest = {.messages = messages, .message_count = MESSAGES};
    int right = 1;

    for (uint32_t round = 0; round < 60; round++) {
        make_messages(round % 3 ? 1 + below(1000) : 2);
        for (uint32_t i = 0; i < 20; i++) {
            int64_t t0 = below(7000) - 100;
            right &= arrows_are_right(&digest, t0, t0 + 1 + below(7000), below(3) ? below(500) : below(3));
        }
    }
    OK(right, "arrows in view, thinned to the longest");
}

static void add_value(struct core_log *log, uint32_t lane, int64_t time_ns, uint32_t id, double value)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = PITHLOG_COUNTER, .id = id, .peer = -1, .value = value};
    core_check(pithi_writer_add(log->writer, &record));
}

static void test_counters(void)
{
    struct core_log writing;
    struct pithlog *log;
    struct pithi_digest *digest;
    const struct pithi_series *series;
    struct pithi_row *rows;
    uint32_t load, heat, count;

    core_log_begin(&writing);
    load = core_define(&writing, PITHLOG_COUNTER_TYPE, "load", "");
    heat = core_define(&writing, PITHLOG_COUNTER_TYPE, "heat", "");
    core_lane(&writing, 0, 0, "");
    core_lane(&writing, 1, 0, "");
    add_value(&writing, 0, 10, heat, -3);
    add_value(&writing, 0, 20, load, 7);
    add_value(&writing, 0, 30, heat, 5);
    add_value(&writing, 1, 30, load, 0.0 / 1.0);
    log = core_log_end(&writing);
    core_check(pithi_digest_open(log, &digest));
    rows = pithi_rows_make(log, digest, &count);
    OK(count == 5 && rows[0].counter == PITHI_NONE && rows[1].counter == load && rows[2].counter == heat &&
           rows[3].lane == 1 && rows[3].counter == PITHI_NONE && rows[4].counter == load,
       "rows: each lane, its counters below it");
    series = pithi_digest_series(digest, rows[2]);
    OK(series && series->count == 2 && series->value[0] == -3 && series->time_ns[1] == 30 && series->low == -3 &&
           series->high == 5,
       "a counter's values and range");
    OK(pithi_digest_series(digest, rows[0]) == NULL, "none of a lane's own row");
    free(rows);
    pithi_digest_close(digest);
    pithlog_close(log);
}

int main(void)
{
    test_arrows();
    test_counters();
    return tap_done();
}
