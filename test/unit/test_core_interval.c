/* test_core_interval.c - what is in an interval: against sums made nanosecond by nanosecond from all records, for
 * rows of one lane and of several, with and without a summary. */
#include <stdlib.h>
#include <string.h>

#include "core/measure/interval.h"
#include "core_log.h"
#include "tap.h"

enum { LANES = 4, STATES = 3, DEEPEST = 5, RECORDS = 900, SPAN = 40000 };

static uint64_t seed = 17;
static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

/* For each lane and nanosecond: the states open, outermost first. */
static uint8_t stack[LANES][SPAN][DEEPEST + 1]; /* [0]: how many */
static struct {
    uint32_t lane, id;
    int64_t from, to;
} instances[LANES * RECORDS];
static uint32_t instance_count;
static struct pithi_traffic traffic_of[LANES][SPAN];

static void add_message(struct core_log *log, uint32_t kind, uint32_t lane, int64_t now, int32_t peer, uint64_t posted)
{
    struct pithlog_record record = {
        .time_ns = now, .lane = lane, .kind = kind, .peer = peer, .tag = 1, .bytes = 10, .posted = posted};
    core_check(pithi_writer_add(log->writer, &record));
    struct pithi_traffic *traffic = &traffic_of[lane][now];
    traffic->sent += kind == PITHLOG_SEND;
    traffic->sent_bytes += kind == PITHLOG_SEND ? record.bytes : 0;
    traffic->received += kind == PITHLOG_RECV && peer >= 0;
    traffic->received_bytes += kind == PITHLOG_RECV && peer >= 0 ? record.bytes : 0;
}

static void write_lane(struct core_log *log, uint32_t lane)
{
    uint32_t open[DEEPEST], depth = 0;
    uint64_t posted = 0;
    int64_t now = 0;

    for (uint32_t i = 0; i < RECORDS; i++) {
        int64_t next = now + below(40);
        for (int64_t t = now; t < next; t++) {
            stack[lane][t][0] = (uint8_t)depth;
            for (uint32_t d = 0; d < depth; d++)
                stack[lane][t][d + 1] = (uint8_t)instances[open[d]].id;
        }
        now = next;
        if (i % 9 == 3 && lane < 2 && i % 27 != 3)
            add_message(log, PITHLOG_SEND, lane, now, (int32_t)lane + 2, 7);
        if (i % 9 == 3 && lane > 1) /* now and then a receive without a message */
            add_message(log, PITHLOG_RECV, lane, now, i % 27 == 3 ? -1 : (int32_t)lane - 2, posted++);
        if (depth && (depth == DEEPEST || below(2) || i + depth + 1 >= RECORDS)) {
            instances[open[--depth]].to = now;
            core_add(log, lane, PITHLOG_LEAVE, now, instances[open[depth]].id);
        } else if (i + depth + 2 < RECORDS) {
            instances[instance_count].lane = lane;
            instances[instance_count].id = below(STATES);
            instances[instance_count].from = now;
            core_add(log, lane, PITHLOG_ENTER, now, instances[instance_count].id);
            open[depth++] = instance_count++;
        }
    }
}

static struct pithlog *make_log(void)
{
    struct core_log log;
    char name[24];

    core_log_begin(&log);
    for (int i = 0; i < STATES; i++) {
        snprintf(name, sizeof name, "state%d", i);
        core_define(&log, PITHLOG_STATE, name, "");
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        write_lane(&log, core_lane(&log, (int32_t)lane, 0, ""));
    return core_log_end(&log);
}

static void brute(uint32_t lane, int64_t t0, int64_t t1, struct pithi_sum *sums)
{
    for (uint32_t i = 0; i < instance_count; i++)
        sums[instances[i].id].count += instances[i].lane == lane && instances[i].from < t1 && instances[i].to >= t0;
    for (int64_t t = t0; t < t1; t++) {
        const uint8_t *open = stack[lane][t];
        uint32_t seen = 0;
        for (uint32_t d = 1; d <= open[0]; d++) {
            sums[open[d]].total_ns += !(seen >> open[d] & 1);
            seen |= 1u << open[d];
        }
        if (open[0])
            sums[open[open[0]]].self_ns++;
    }
}

static int same_sum(struct pithi_sum a, struct pithi_sum b)
{
    return a.count == b.count && a.total_ns == b.total_ns && a.self_ns == b.self_ns;
}

static int row_is(const struct pithi_interval *interval, uint32_t row, const struct pithi_sum *wanted)
{
    for (uint32_t id = 0; id < STATES; id++) {
        struct pithi_sum found = {0};
        for (uint32_t i = 0; i < interval->count; i++)
            if (interval->entries[i].row == row && interval->entries[i].id == id)
                found = interval->entries[i].sum;
        if (!same_sum(found, wanted[id]))
            return 0;
    }
    return 1;
}

static struct pithlog_digest *digest;

static void test_interval(struct pithlog *log, struct pithlog_summary *summary, int64_t t0, int64_t t1,
                          const char *what)
{
    static const uint32_t group[] = {1, 3};
    const struct pithi_row rows[] = {{.lane = 0},
                                     {.kind = PITHI_ROW_COUNTER, .lane = 0, .counter = 2},
                                     {.lane = 1, .lanes = group, .lane_count = 2},
                                     {.lane = 2}};
    struct pithi_interval_query query = {.t0_ns = t0, .t1_ns = t1, .rows = rows, .row_count = 4, .summary = summary};
    struct pithi_interval interval;
    struct pithi_traffic traffic, wanted = {0};
    struct pithi_sum sums[3][STATES] = {{{0}}}, all[STATES] = {{0}};
    uint32_t same = 0;

    brute(0, t0, t1, sums[0]);
    brute(1, t0, t1, sums[1]);
    brute(3, t0, t1, sums[1]);
    brute(2, t0, t1, sums[2]);
    for (uint32_t lane = 0; lane < LANES; lane++)
        brute(lane, t0, t1, all);
    core_check(pithi_interval_run(log, &query, &interval));
    OK(row_is(&interval, 0, sums[0]) && row_is(&interval, 3, sums[2]), "%s: rows of a lane", what);
    OK(row_is(&interval, 2, sums[1]), "%s: a row of two", what);
    for (uint32_t id = 0; id < STATES; id++)
        same += same_sum(interval.sums[id], all[id]);
    OK(same == STATES && interval.lanes == LANES, "%s: all rows, the counter's left out", what);
    pithi_interval_free(&interval);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (int64_t t = t0; t < t1; t++) {
            wanted.sent += traffic_of[lane][t].sent;
            wanted.sent_bytes += traffic_of[lane][t].sent_bytes;
            wanted.received += traffic_of[lane][t].received;
            wanted.received_bytes += traffic_of[lane][t].received_bytes;
        }
    core_check(pithi_traffic_run(log, &query, &traffic));
    OK(memcmp(&traffic, &wanted, sizeof traffic) == 0, "%s: messages (%d sent)", what, (int)traffic.sent);
    query.digest = digest;
    core_check(pithi_traffic_run(log, &query, &traffic));
    OK(memcmp(&traffic, &wanted, sizeof traffic) == 0 && !pithlog_digest_get_info(digest)->sends_left &&
           !pithlog_digest_get_info(digest)->recvs_left,
       "%s: messages, with a digest", what);
}

int main(void)
{
    struct pithlog *log = make_log();
    struct pithlog_summary *summary;

    core_check(pithlog_summary_open(log, &summary));
    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    for (int i = 0; i < 2; i++) {
        struct pithlog_summary *used = i ? summary : NULL;
        test_interval(log, used, 0, 17000, i ? "all, by a summary" : "all, by records");
        test_interval(log, used, 4001, 7003, i ? "a part, by a summary" : "a part, by records");
        for (int n = 0; n < 6; n++) {
            int64_t t0 = below(12000);
            test_interval(log, used, t0, t0 + 100 + below(3000), i ? "any, by a summary" : "any, by records");
        }
        test_interval(log, used, 5000, 5001, i ? "a nanosecond, by a summary" : "a nanosecond, by records");
    }
    pithlog_digest_close(digest);
    pithlog_summary_close(summary);
    pithlog_close(log);
    return tap_done();
}
