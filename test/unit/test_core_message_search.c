/* test_core_message_search.c - messages by how long they took, size, tag and partner: against all that the matcher
 * tells, step by step in both directions, and counted. */
#include <string.h>

#include "core/measure/messages.h"
#include "core_log.h"
#include "tap.h"

enum { LANES = 5, MESSAGES = 3000, COLUMNS = 37 };

static struct pithlog_message all[MESSAGES]; /* in order of time, lane, and how long they take */
static uint32_t all_count;
static uint64_t seed = 11;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

static int by_place(const void *a, const void *b)
{
    const struct pithlog_message *x = a, *y = b;
    int64_t order[3] = {x->send_ns - y->send_ns, (int64_t)x->send_lane - y->send_lane,
                        (x->recv_ns - x->send_ns) - (y->recv_ns - y->send_ns)};

    for (int i = 0; i < 3; i++)
        if (order[i])
            return order[i] < 0 ? -1 : 1;
    return 0;
}

static void add(struct core_log *writing, uint32_t kind, uint32_t lane, uint32_t peer, int64_t time_ns, int32_t tag,
                uint64_t bytes)
{
    static uint64_t posted[LANES];
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = kind, .peer = (int32_t)peer, .tag = tag, .bytes = bytes};

    record.posted = kind == PITHLOG_RECV ? posted[lane]++ : 0;
    core_check(pithi_writer_add(writing->writer, &record));
}

static struct pithlog *random_log(void)
{
    struct core_log writing;
    struct pithlog *log;
    struct pithlog_matcher *matcher;
    int64_t now = 100;

    core_log_begin(&writing);
    for (int32_t rank = 0; rank < LANES; rank++)
        core_lane(&writing, rank, 0, "");
    for (int32_t i = 0; i < MESSAGES; i++) {
        uint32_t from = below(LANES), to = below(LANES), bytes = below(1000);
        add(&writing, PITHLOG_SEND, from, to, now, i % 7, bytes);
        now += 1 + (below(3) ? below(20) : below(3000));
        add(&writing, PITHLOG_RECV, to, from, now, i % 7, bytes);
    }
    log = core_log_end(&writing);
    core_check(pithlog_matcher_open(log, &matcher));
    while (all_count < MESSAGES && pithlog_matcher_next(matcher, &all[all_count]) == 1)
        all_count++;
    pithlog_matcher_close(matcher);
    qsort(all, all_count, sizeof *all, by_place);
    return log;
}

static int fits(const struct pithi_search *search, const struct pithlog_message *message)
{
    int64_t took_ns = message->recv_ns - message->send_ns;
    int chosen = 0;

    for (uint32_t i = 0; i < search->lane_count; i++)
        chosen |= search->lanes[i] == message->send_lane;
    return chosen && took_ns >= search->min_ns && took_ns <= search->max_ns && message->bytes >= search->min_bytes &&
           message->bytes <= search->max_bytes && (search->tag == PITHI_ANY_TAG || message->tag == search->tag) &&
           (search->peer < 0 || (int32_t)message->recv_lane == search->peer);
}

/* All hits one after the other are those that fit, and no other. */
static int walk(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                int backward)
{
    struct pithi_scan_position at = backward ? (struct pithi_scan_position){INT64_MAX, UINT32_MAX, 0}
                                             : (struct pithi_scan_position){INT64_MIN, 0, 0};
    struct pithi_found found;

    for (uint32_t i = 0; i < all_count; i++) {
        const struct pithlog_message *wanted = &all[backward ? all_count - 1 - i : i];
        if (!fits(search, wanted))
            continue;
        if (pithi_message_search(log, digest, search, backward, at, &found) != 1 ||
            found.at.time_ns != wanted->send_ns || found.end_ns != wanted->recv_ns || found.lane != wanted->send_lane ||
            found.bytes != wanted->bytes || found.tag != wanted->tag || found.peer != (int32_t)wanted->recv_lane)
            return 0;
        at = found.at;
    }
    return pithi_message_search(log, digest, search, backward, at, &found) == 0;
}

static int counts_are_right(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search)
{
    int64_t t0_ns = 5000, t1_ns = all[all_count - 1].send_ns - 5000;
    uint64_t counts[COLUMNS] = {0}, wanted[COLUMNS] = {0};

    for (uint32_t i = 0; i < all_count; i++)
        if (fits(search, &all[i]) && all[i].send_ns >= t0_ns && all[i].send_ns < t1_ns)
            wanted[(uint32_t)((double)(all[i].send_ns - t0_ns) / (double)(t1_ns - t0_ns) * COLUMNS)]++;
    return pithi_message_count(log, digest, search, t0_ns, t1_ns, counts, COLUMNS) == 0 &&
           memcmp(counts, wanted, sizeof counts) == 0;
}

static void check(struct pithlog *log, const struct pithlog_digest *digest, const struct pithi_search *search,
                  const char *what)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all_count; i++)
        count += (uint32_t)fits(search, &all[i]);
    OK(count > 0 && walk(log, digest, search, 0), "%s: %u, one after the other", what, count);
    OK(walk(log, digest, search, 1), "%s: and back", what);
    OK(counts_are_right(log, digest, search), "%s: counted", what);
}

static int stop(void *context, double part)
{
    (void)context;
    return part >= 0;
}

int main(void)
{
    struct pithlog *log = random_log();
    struct pithlog_digest *digest;
    uint32_t lanes[LANES] = {0, 1, 2, 3, 4};
    struct pithi_search search = {.kinds = 1u << PITHLOG_SEND,
                                  .max_ns = INT64_MAX,
                                  .max_bytes = UINT64_MAX,
                                  .tag = PITHI_ANY_TAG,
                                  .peer = -1,
                                  .lanes = lanes,
                                  .lane_count = LANES};
    struct pithi_found found;

    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    OK(all_count == MESSAGES, "%u messages", all_count);
    search.min_ns = 1000;
    check(log, digest, &search, "slow ones");
    search.max_ns = 1100;
    check(log, digest, &search, "from 1 to 1.1 us");
    search.min_ns = 0, search.max_ns = 10;
    search.min_bytes = 100, search.max_bytes = 300;
    check(log, digest, &search, "quick ones of some size");
    search.max_ns = INT64_MAX, search.peer = 3, search.tag = 2;
    check(log, digest, &search, "to a rank, with a tag");
    search.lane_count = 2, lanes[0] = 1, lanes[1] = 4;
    check(log, digest, &search, "from two ranks");
    search.min_ns = 1 << 20, search.stopped = stop;
    OK(pithi_message_search(log, digest, &search, 0, (struct pithi_scan_position){INT64_MIN, 0, 0}, &found) == 0,
       "stopped");
    pithlog_digest_close(digest);
    pithlog_close(log);
    return tap_done();
}
