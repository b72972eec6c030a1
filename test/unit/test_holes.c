/* test_holes.c - the messages of a log with a damaged block. Each must be in the undamaged log, and each message
 * whose two ends are certain must be found. Each block of a log is damaged in turn (under a sanitizer every other). */
#include "analysis/correct/causal_edges.h"
#include "analysis/waits/pairs.h"
#include "base/bytes.h"
#include "native/block.h"
#include "native/chunk.h"
#include "common/log_model.h"
#include "common/quick_or_full.h"
#include "tap.h"

enum { MOST_MESSAGES = 200000, RANKS = 4, LANES = RANKS * 3, PATHS = RANKS * RANKS * 2, MOST_TIMES = 400000 };

/* Messages of the undamaged log. The size of each message is its index, from 1. */
static struct pithlog_message whole[MOST_MESSAGES];
static uint32_t whole_count;

/* The damaged copy, and the times from which records of its ranks are missing. */
static struct pithlog *damaged;
static int64_t known_ns[RANKS];

struct seen {
    uint32_t count, wrong;
    uint64_t sends_left, recvs_left;
};

static uint32_t rank_of(uint32_t lane) { return lane / 3; }

static void look_at(struct seen *seen, const struct pithlog_message *m)
{
    seen->count++;
    seen->wrong += m->bytes == 0 || m->bytes > whole_count || memcmp(m, &whole[m->bytes], sizeof *m) != 0;
}

/* Damage is what this test is about. */
static void must_or_damaged(int err)
{
    if (err != PITH_ERR_DAMAGED)
        must(err);
}

/* ---- The log ----------------------------------------------------------------------------------------------------- */

/* Records of a lane that are lost, by their times; lane LANES: none. */
static struct {
    uint32_t lane;
    int64_t from_ns, to_ns;
    int is_told;
} lost = {.lane = LANES};

/* A state with a send or receive in it. */
static void add_end(struct model *m, uint32_t lane, int64_t time_ns, int is_recv, uint32_t peer, int32_t tag,
                    uint64_t bytes, uint64_t posted)
{
    struct pithlog_record r = {.time_ns = time_ns, .lane = lane, .kind = PITHLOG_ENTER, .id = 1, .peer = -1};
    if (lane == lost.lane && time_ns >= lost.from_ns && time_ns < lost.to_ns) {
        if (!lost.is_told++)
            model_add(m, &(struct pithlog_record){
                             .time_ns = lost.from_ns, .lane = lane, .kind = PITHLOG_LOST, .peer = -1, .bytes = 9});
        return;
    }
    model_add(m, &r);
    r.time_ns += 2;
    r.kind = PITHLOG_LEAVE;
    model_add(m, &(struct pithlog_record){.time_ns = time_ns + 1,
                                          .lane = lane,
                                          .kind = is_recv ? PITHLOG_RECV : PITHLOG_SEND,
                                          .peer = (int32_t)peer,
                                          .tag = tag,
                                          .bytes = bytes,
                                          .posted = posted});
    model_add(m, &r);
}

/* Four ranks with two threads send and receive, with up to 100 messages under way. `lanes`: more ranks, with nothing to
 * say, so that the lanes are read in groups. */
static void write_whole(const char *path, uint32_t steps, uint32_t lanes)
{
    static uint32_t queue[PATHS][MOST_MESSAGES / 8], first[PATHS], end[PATHS];
    static int64_t sent_ns[MOST_MESSAGES];
    static uint32_t sent_lane[MOST_MESSAGES];
    uint64_t posted[RANKS] = {0};
    struct model m = {0};
    uint32_t sent = 0;
    int64_t time_ns = 1000;

    memset(whole, 0, sizeof whole);
    memset(first, 0, sizeof first);
    memset(end, 0, sizeof end);
    whole_count = 0;
    for (uint32_t step = 0; step < steps; step++, time_ns += 4) {
        uint32_t at = random_below(PATHS), from = at / 8, to = at / 2 % 4;
        if (random_below(2) && first[at] == end[at]) {
            uint32_t number = queue[at][end[at]++] = ++sent;
            sent_lane[number] = from * 3 + random_below(2);
            sent_ns[number] = time_ns + 1;
            add_end(&m, sent_lane[number], time_ns, 0, to, (int32_t)at % 2, number, 0);
        } else if (first[at] == end[at] || (random_below(3) == 0 && end[at] - first[at] < 100)) {
            continue;
        } else {
            uint32_t number = queue[at][first[at]++], lane = to * 3 + random_below(2);
            whole[number] = (struct pithlog_message){.send_lane = sent_lane[number],
                                                     .recv_lane = lane,
                                                     .send_ns = sent_ns[number],
                                                     .recv_ns = time_ns + 1,
                                                     .tag = (int32_t)at % 2,
                                                     .bytes = number};
            add_end(&m, lane, time_ns, 1, from, (int32_t)at % 2, number, posted[to]++);
        }
    }
    whole_count = sent;
    for (uint32_t lane = LANES; lane < lanes; lane++)
        model_add(&m, &(struct pithlog_record){.time_ns = time_ns, .lane = lane, .kind = PITHLOG_ENTER, .peer = -1});
    if (model_write(&m, path))
        must(PITH_ERR_IO);
    model_free(&m);
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

static int is_known(uint32_t lane, int64_t time_ns) { return time_ns <= known_ns[rank_of(lane)]; }

static uint32_t count_known(void)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= whole_count; i++)
        count += whole[i].bytes && is_known(whole[i].send_lane, whole[i].send_ns) &&
                 is_known(whole[i].recv_lane, whole[i].recv_ns);
    return count;
}

static void count_ends(uint64_t *sends, uint64_t *recvs)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int more;
    *sends = *recvs = 0;
    must_or_damaged(pithlog_iter_open(damaged, &query, &iter));
    while ((more = pithlog_iter_next(iter, &r)) != 0)
        *(r.kind == PITHLOG_SEND ? sends : recvs) += more > 0;
    pithlog_iter_close(iter);
}

/* ---- Messages that are found ------------------------------------------------------------------------------------ */

static struct seen by_matcher(void)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    struct seen seen = {0};
    int more;
    must_or_damaged(pithlog_matcher_open(damaged, &matcher));
    while ((more = pithlog_matcher_next(matcher, &message)) != 0)
        if (more > 0)
            look_at(&seen, &message);
    pithlog_matcher_unmatched(matcher, &seen.sends_left, &seen.recvs_left);
    pithlog_matcher_close(matcher);
    return seen;
}

static struct seen by_digest(void)
{
    static struct pithlog_message found[MOST_MESSAGES];
    struct pithlog_digest_window all = {INT64_MIN, INT64_MAX, NULL};
    struct pithlog_digest *digest;
    struct seen seen = {0};
    uint32_t count;
    uint64_t total;
    must_or_damaged(pithlog_digest_open(damaged, NULL, NULL, &digest));
    must_or_damaged(pithlog_digest_messages(digest, &all, found, MOST_MESSAGES, &count, &total));
    for (uint32_t i = 0; i < count; i++)
        look_at(&seen, &found[i]);
    seen.sends_left = pithlog_digest_get_info(digest)->sends_left;
    seen.recvs_left = pithlog_digest_get_info(digest)->recvs_left;
    pithlog_digest_close(digest);
    return seen;
}

static void take_wait(void *seen, const struct pithlog_wait *wait) { look_at(seen, &wait->message); }

static struct seen by_waits(void)
{
    struct pithlog_waits_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct seen seen = {0};
    must_or_damaged(pithlog_waits(damaged, &query, take_wait, &seen));
    return seen;
}

/* Of a log that can be read: what compensation and causal correction find. */
static struct seen by_partners(void)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
    struct pithi_partners *partners;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    struct seen seen = {0};
    must_or_damaged(pithi_partners_open(damaged, &partners));
    must_or_damaged(pithlog_iter_open(damaged, &query, &iter));
    while (pithlog_iter_next(iter, &r) > 0) {
        struct pithi_sent sent = {
            .done = 1, .lane = r.lane, .time_ns = (double)r.time_ns, .before_ns = (double)r.bytes};
        if (r.kind == PITHLOG_SEND)
            *pithi_partners_sent(partners, pithi_partners_send(partners, r.lane)) = sent;
        else if (pithi_partners_recv(partners, r.lane, &sent) > 0)
            look_at(&seen, &(struct pithlog_message){.send_lane = sent.lane,
                                                     .recv_lane = r.lane,
                                                     .send_ns = (int64_t)sent.time_ns,
                                                     .recv_ns = r.time_ns,
                                                     .tag = r.tag,
                                                     .bytes = (uint64_t)sent.before_ns});
    }
    pithlog_iter_close(iter);
    pithi_partners_close(partners);
    return seen;
}

/* The times of all ends differ. */
static struct seen by_edges(void)
{
    static uint32_t received[MOST_TIMES];
    struct pithi_edges edges;
    struct seen seen = {0};
    memset(received, 0, sizeof received);
    for (uint32_t i = 1; i <= whole_count; i++)
        if (whole[i].bytes)
            received[whole[i].recv_ns / 4] = i;
    must_or_damaged(pithi_edges_collect(&edges, damaged));
    for (uint32_t rank = 0; rank < edges.ranks; rank++)
        for (uint32_t i = 0; i < edges.count[rank]; i++) {
            const struct pithi_edge *recv = &edges.edges[edges.first[rank] + i];
            if (recv->kind != PITHI_EDGE_RECV || recv->partner == PITHI_NO_PARTNER)
                continue;
            seen.count++;
            seen.wrong += whole[received[recv->time_ns / 4]].send_ns != edges.edges[recv->partner].time_ns;
        }
    pithi_edges_free(&edges);
    return seen;
}

/* ---- Each block damaged ------------------------------------------------------------------------------------------ */

struct result {
    uint32_t blocks, wrong, missing, miscounted, shown;
};

static void check_moved(struct result *result)
{
    struct seen partners = by_partners(), edges = by_edges();
    result->wrong += partners.wrong + edges.wrong;
    result->missing += partners.count != count_known() || edges.count != count_known();
}

/* `is_readable`: no block is damaged. */
static void check_copy(struct result *result, int is_readable)
{
    struct seen matched = by_matcher(), digest = by_digest(), waits = by_waits();
    uint64_t sends, recvs;
    count_ends(&sends, &recvs);
    result->blocks++;
    result->wrong += matched.wrong + digest.wrong + waits.wrong;
    result->shown += matched.count;
    result->missing += matched.count != count_known() || digest.count != count_known();
    result->miscounted += matched.count + matched.sends_left != sends || matched.count + matched.recvs_left != recvs ||
                          digest.count + digest.sends_left != sends || digest.count + digest.recvs_left != recvs;
    if (is_readable)
        check_moved(result);
}

/* The last records of all lanes; of lane `hole`, that before the block that begins at `hole_ns`. In a log with a new
 * index, nobody knows whether a lane went on. */
static void find_known(const int64_t *before_ns, const int64_t *last_ns, uint32_t hole, int is_indexed)
{
    for (uint32_t rank = 0; rank < RANKS; rank++)
        known_ns[rank] = INT64_MAX;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        int64_t ns = lane == hole ? before_ns[lane] : is_indexed ? INT64_MAX : last_ns[lane];
        if (lane % 3 < 2 && ns < known_ns[rank_of(lane)])
            known_ns[rank_of(lane)] = ns;
    }
}

/* `cut`: bytes cut off the end, so that the index is made anew and passes over the damaged block. */
static struct result damage_each(const char *path, size_t cut)
{
    struct result result = {0};
    uint32_t block_count = 0, every = fewer_sanitized(2, 1);
    int64_t before_ns[LANES], last_ns[LANES];
    char copy[200];
    size_t size;
    unsigned char *data = read_whole_file(path, &size);
    struct pithi_chunk_head head;
    struct pithi_block_head block;

    snprintf(copy, sizeof copy, "%s.copy", path);
    for (uint32_t i = 0; i < LANES; i++)
        before_ns[i] = INT64_MIN;
    must_or_damaged(pithlog_open(path, &damaged));
    for (uint32_t i = 0, lane; i < pithlog_get_info(damaged)->lanes; i++)
        if ((lane = (uint32_t)pithlog_get_lane(damaged, i)->rank * 3 + pithlog_get_lane(damaged, i)->thread) < LANES)
            last_ns[lane] = pithlog_get_lane(damaged, i)->last_ns;
    pithlog_close(damaged);
    for (size_t at = PITHI_HEADER_SIZE; pithi_chunk_head_get(data, size, at, &head);
         at = (at + 32 + head.size + 7) / 8 * 8) {
        unsigned char *payload = data + at + 32;
        if (head.type != PITHI_C_EVENTS || head.rank >= RANKS || !pithi_block_head_get(payload, head.size, &block))
            continue;
        uint32_t lane = (uint32_t)head.rank * 3 + block.thread;
        if (block_count++ % every == 0) {
            find_known(before_ns, last_ns, lane, cut == 0);
            payload[head.size / 2] ^= 0x10;
            write_whole_file(copy, data, size - cut);
            payload[head.size / 2] ^= 0x10;
            must_or_damaged(pithlog_open(copy, &damaged));
            check_copy(&result, cut > 0);
            pithlog_close(damaged);
        }
        before_ns[lane] = block.last_ns;
    }
    free(data);
    return result;
}

static void test_each(const char *path, size_t cut, const char *name)
{
    struct result r = damage_each(path, cut);
    OK(r.blocks >= 8 && r.wrong == 0 && r.shown > 10000, "%s, %u blocks damaged: each of %u messages is one", name,
       r.blocks, r.shown);
    OK(r.missing == 0, "and all that are known are there");
    OK(r.miscounted == 0, "the other ends are counted");
}

/* A LOST record stands where the records are missing. */
static void test_lost(const char *path)
{
    struct result r = {0};
    lost.from_ns = 100000;
    lost.to_ns = 102000;
    for (lost.lane = 0; lost.lane < LANES; lost.lane++) {
        if (lost.lane % 3 == 2)
            continue;
        lost.is_told = 0;
        write_whole(path, 100000, LANES);
        must_or_damaged(pithlog_open(path, &damaged));
        find_known(NULL, NULL, LANES, 1);
        known_ns[rank_of(lost.lane)] = lost.from_ns;
        check_copy(&r, 1);
        pithlog_close(damaged);
    }
    OK(r.blocks == 8 && r.wrong == 0 && r.shown > 50000, "records lost in 8 lanes: each of %u messages is one",
       r.shown);
    OK(r.missing == 0 && r.miscounted == 0, "and all that are known are there, and the other ends are counted");
}

int main(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s", scratch_path("whole.pith"));
    setenv("XDG_CACHE_HOME", scratch_path("cache"), 1);

    write_whole(path, 300000, LANES);
    must_or_damaged(pithlog_open(path, &damaged));
    struct seen sound = by_matcher();
    find_known(NULL, NULL, LANES, 1);
    OK(sound.count == count_known() && sound.wrong == 0 && sound.count > 20000, "%u messages", sound.count);
    pithlog_close(damaged);
    test_each(path, 0, "with its index");
    test_each(path, 8, "with a new index");
    write_whole(path, 40000, 300);
    test_each(path, 0, "of 300 lanes");
    test_each(path, 8, "of 300 lanes with a new index");
    test_lost(path);
    scratch_remove();
    return tap_done();
}
