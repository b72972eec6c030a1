/* test_core_matrix.c - messages by pairs of ranks and the time waited for late ones: against what a second look at all
 * records and messages gives; tiles against sums of pairs. */
#include <stdlib.h>
#include <string.h>

#include "core/measure/matrix.h"
#include "core/raster/raster.h"
#include "core_log.h"
#include "tap.h"

enum { RANKS = 6, THREADS = 2, LANES = RANKS * THREADS, CALLS = 400, MOST = 20000, DEFS = 6 };
enum { WORK, SEND, RECV, SENDRECV, REGION };

static uint64_t seed = 5;
static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

/* ---- A log ------------------------------------------------------------------------------------------------------- */

static void add_end(struct core_log *log, uint32_t kind, uint32_t lane, int64_t now, int32_t peer, uint64_t posted)
{
    struct pithlog_record record = {.time_ns = now,
                                    .lane = lane,
                                    .kind = kind,
                                    .peer = peer,
                                    .tag = (int32_t)lane % THREADS,
                                    .comm = 0,
                                    .bytes = 1 + below(1000),
                                    .posted = posted};
    core_check(pithi_writer_add(log->writer, &record));
}

/* Rank r sends to r + 1 and, less often, r + 2; calls now and then have others inside or around them, or no message. */
static void write_lane(struct core_log *log, uint32_t lane, int32_t rank)
{
    int64_t now = below(5000);
    uint64_t posted = 0;

    for (int i = 0; i < CALLS; i++) {
        int sends = (i + rank) % 2 == 0, messages = 1 + (int)below(3);
        uint32_t call = sends ? SEND : messages == 1 ? RECV : SENDRECV;
        if (i % 50 == 3)
            core_add(log, lane, PITHLOG_ENTER, now, REGION);
        if (i % 50 == 40)
            core_add(log, lane, PITHLOG_LEAVE, now, REGION);
        core_add(log, lane, PITHLOG_ENTER, now, call);
        for (int m = 0; m < messages; m++) {
            now += below(900);
            if (m == 1 && i % 5 == 0) {
                core_add(log, lane, PITHLOG_ENTER, now, WORK);
                core_add(log, lane, PITHLOG_LEAVE, now += 3, WORK);
            }
            int32_t off = i % 7 == 0 ? 2 : 1;
            add_end(log, sends ? PITHLOG_SEND : PITHLOG_RECV, lane, now,
                    sends ? (rank + off) % RANKS : (rank + RANKS - off) % RANKS, sends ? 0 : posted++);
        }
        core_add(log, lane, PITHLOG_LEAVE, now += below(200), call);
        now += below(1000);
    }
}

static struct pithlog *make_log(void)
{
    static const char *const names[] = {"work", "MPI_Send", "MPI_Recv", "MPI_Sendrecv", "region"};
    struct core_log log;

    core_log_begin(&log);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        core_define(&log, PITHLOG_STATE, names[i], "");
    for (uint32_t lane = 0; lane < LANES; lane++)
        write_lane(&log, core_lane(&log, (int32_t)lane / THREADS, lane % THREADS, ""), (int32_t)lane / THREADS);
    return core_log_end(&log);
}

/* ---- A second look ----------------------------------------------------------------------------------------------- */

/* All calls of all lanes. */
static struct call {
    uint32_t lane, id;
    int64_t from, to, waited_sender, waited_receiver;
} calls[LANES * CALLS * 2];
static uint32_t call_count;

static void read_calls(struct pithlog *log)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_LEAVE, .flags = PITHLOG_NEST};
    struct pithlog_iter *iter;
    struct pithlog_record r;

    core_check(pithlog_iter_open(log, &query, &iter));
    while (pithlog_iter_next(iter, &r) == 1)
        if (r.id == SEND || r.id == RECV || r.id == SENDRECV)
            calls[call_count++] = (struct call){r.lane, r.id, r.start_ns, r.time_ns, 0, 0};
    pithlog_iter_close(iter);
}

/* Calls of a lane do not overlap here, and no message is at the very edge of two. */
static struct call *call_at(uint32_t lane, int64_t time_ns)
{
    for (uint32_t i = 0; i < call_count; i++)
        if (calls[i].lane == lane && calls[i].from <= time_ns && calls[i].to >= time_ns)
            return &calls[i];
    return NULL;
}

static struct pithi_pair wanted[RANKS][RANKS];
static int64_t wanted_rank_wait[RANKS], wanted_state_wait[DEFS];
static uint32_t message_count;

static void look_again(struct pithlog *log, int64_t t0, int64_t t1)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;

    memset(wanted, 0, sizeof wanted);
    for (uint32_t i = 0; i < call_count; i++)
        calls[i].waited_sender = calls[i].waited_receiver = 0;
    message_count = 0;
    core_check(pithlog_matcher_open(log, &matcher));
    while (pithlog_matcher_next(matcher, &m) == 1) {
        struct call *send = call_at(m.send_lane, m.send_ns), *recv = call_at(m.recv_lane, m.recv_ns);
        int64_t until = send->from < recv->to ? send->from : recv->to, first = m.send_ns, last = m.recv_ns;
        if (first > last)
            first = m.recv_ns, last = m.send_ns;
        if (first >= t1 || (last <= t0 && first < t0))
            continue;
        if (until > recv->from && until - recv->from > recv->waited_sender)
            recv->waited_sender = until - recv->from;
        if (until <= recv->from && send->to > recv->from && recv->from - send->from > send->waited_receiver)
            send->waited_receiver = recv->from - send->from;
        struct pithi_pair *pair = &wanted[m.send_lane / THREADS][m.recv_lane / THREADS];
        pair->count++;
        pair->bytes += m.bytes;
        pair->time_ns += m.recv_ns - m.send_ns;
        message_count++;
    }
    pithlog_matcher_close(matcher);
    memset(wanted_rank_wait, 0, sizeof wanted_rank_wait);
    memset(wanted_state_wait, 0, sizeof wanted_state_wait);
    for (uint32_t i = 0; i < call_count; i++) {
        wanted_rank_wait[calls[i].lane / THREADS] += calls[i].waited_sender + calls[i].waited_receiver;
        wanted_state_wait[calls[i].id] += calls[i].waited_sender + calls[i].waited_receiver;
    }
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static const struct pithi_pair *pair_of(const struct pithi_matrix *matrix, uint32_t from, uint32_t to)
{
    uint32_t i = 0;
    while (i < matrix->pair_count && (matrix->pairs[i].from != from || matrix->pairs[i].to != to))
        i++;
    return i < matrix->pair_count ? &matrix->pairs[i] : NULL;
}

static int same_pairs(const struct pithi_matrix *matrix)
{
    for (uint32_t from = 0; from < RANKS; from++)
        for (uint32_t to = 0; to < RANKS; to++) {
            const struct pithi_pair *pair = pair_of(matrix, from, to), *right = &wanted[from][to];
            if (!pair != !right->count || (pair && (pair->count != right->count || pair->bytes != right->bytes ||
                                                    pair->time_ns != right->time_ns)))
                return 0;
        }
    return 1;
}

static void test_sums(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0, int64_t t1,
                      const char *what)
{
    struct pithi_matrix_query query = {.t0_ns = t0, .t1_ns = t1, .comm = UINT32_MAX, .digest = digest};
    struct pithi_matrix matrix;

    look_again(log, t0, t1);
    core_check(pithi_matrix_run(log, &query, &matrix));
    OK(message_count && same_pairs(&matrix), "%s: %u messages by pairs", what, message_count);
    pithi_matrix_free(&matrix);
    query.comm = 3;
    core_check(pithi_matrix_run(log, &query, &matrix));
    OK(!matrix.pair_count, "%s: none in another communicator", what);
    pithi_matrix_free(&matrix);
}

static void test_late(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0, int64_t t1,
                      const char *what)
{
    struct pithi_matrix_query query = {.t0_ns = t0, .t1_ns = t1, .comm = UINT32_MAX, .late = 1, .digest = digest};
    struct pithi_matrix matrix;
    int64_t rank_wait[RANKS] = {0}, sender = 0, receiver = 0;
    int right = 1;

    look_again(log, t0, t1);
    core_check(pithi_matrix_run(log, &query, &matrix));
    OK(same_pairs(&matrix), "%s, with waiting: the same pairs", what);
    for (uint32_t i = 0; i < matrix.pair_count; i++) {
        rank_wait[matrix.pairs[i].to] += matrix.pairs[i].late_sender_ns;
        rank_wait[matrix.pairs[i].from] += matrix.pairs[i].late_receiver_ns;
        sender += matrix.pairs[i].late_sender_ns;
        receiver += matrix.pairs[i].late_receiver_ns;
    }
    OK(sender > 0 && receiver > 0 && memcmp(rank_wait, wanted_rank_wait, sizeof rank_wait) == 0,
       "%s, waiting by rank: %d us for senders, %d for receivers", what, (int)(sender / 1000), (int)(receiver / 1000));
    for (uint32_t id = 0; id < matrix.defs; id++)
        right &= matrix.states[id].sender_ns + matrix.states[id].receiver_ns == wanted_state_wait[id];
    OK(right, "%s, by state", what);
    pithi_matrix_free(&matrix);
}

static void test_tiles(struct pithlog *log, uint32_t width, uint32_t height)
{
    struct pithi_matrix_query query = {.t0_ns = INT64_MIN, .t1_ns = INT64_MAX, .comm = UINT32_MAX};
    struct pithi_matrix_view view = {.from0 = 1, .from1 = RANKS, .to1 = RANKS, .width = width, .height = height};
    struct pithi_matrix matrix;
    struct pithi_tiles tiles = {0};
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    uint64_t tiled = 0, lines = 0, columns = 0, all = 0;
    uint32_t wrong = 0;

    look_again(log, INT64_MIN, INT64_MAX);
    core_check(pithi_matrix_run(log, &query, &matrix));
    pithi_matrix_tiles(&matrix, &view, &tiles);
    for (uint32_t i = 0; i < tiles.lines * tiles.columns; i++)
        tiled += tiles.tiles[i].bytes;
    for (uint32_t i = 0; i < tiles.lines; i++)
        lines += tiles.by_line[i].bytes;
    for (uint32_t i = 0; i < tiles.columns; i++)
        columns += tiles.by_column[i].bytes;
    for (uint32_t from = 1; from < RANKS; from++)
        for (uint32_t to = 0; to < RANKS; to++)
            all += wanted[from][to].bytes;
    OK(tiled == all && lines == all && columns == all, "%ux%u pixels: %ux%u tiles have all", width, height,
       tiles.columns, tiles.lines);
    for (uint32_t x = 0; x < width; x++) {
        uint32_t tile = pithi_tile_at(x, tiles.columns, width);
        wrong +=
            pithi_tile_begin(tile, tiles.columns, width) > x || pithi_tile_begin(tile + 1, tiles.columns, width) <= x;
    }
    OK(!wrong, "%ux%u: a pixel is found in its tile", width, height);
    pithi_raster_prepare(&raster, (int)width, (int)height, 0x123456);
    pithi_matrix_draw(&tiles, &view, &painter);
    wrong = 0;
    for (uint32_t l = 0; l < tiles.lines; l++)
        for (uint32_t c = 0; c < tiles.columns; c++) {
            uint32_t y = pithi_tile_begin(l, tiles.lines, height), x = pithi_tile_begin(c, tiles.columns, width);
            const unsigned char *p = raster.pixels + ((size_t)y * width + x) * 3;
            int drawn = p[0] != 0x12 || p[1] != 0x34 || p[2] != 0x56;
            wrong += drawn != (tiles.tiles[l * tiles.columns + c].count > 0);
        }
    OK(!wrong, "%ux%u: those with messages are drawn", width, height);
    pithi_raster_free(&raster);
    pithi_tiles_free(&tiles);
    pithi_matrix_free(&matrix);
}

/* 10,000 ranks that speak with the next but one. */
static void test_many(void)
{
    enum { MANY = 10000 };
    struct core_log made;
    struct pithlog *log;
    struct pithi_matrix matrix;
    struct pithi_matrix_query query = {.t0_ns = 0, .t1_ns = 1000000, .comm = UINT32_MAX};
    struct pithi_matrix_view view = {.from1 = MANY, .to1 = MANY, .width = 600, .height = 600};
    struct pithi_tiles tiles = {0};
    uint64_t count = 0;

    core_log_begin(&made);
    core_define(&made, PITHLOG_STATE, "state", "");
    for (int32_t rank = 0; rank < MANY; rank++) {
        uint32_t lane = core_lane(&made, rank, 0, "");
        add_end(&made, PITHLOG_SEND, lane, 100, (rank + 2) % MANY, 0);
        add_end(&made, PITHLOG_RECV, lane, 200, (rank + MANY - 2) % MANY, 0);
    }
    log = core_log_end(&made);
    core_check(pithi_matrix_run(log, &query, &matrix));
    pithi_matrix_tiles(&matrix, &view, &tiles);
    for (uint32_t i = 0; i < tiles.lines * tiles.columns; i++)
        count += tiles.tiles[i].count;
    OK(matrix.rank_count == MANY && matrix.pair_count == count && count > 0, "10,000 ranks: %d pairs, %ux%u tiles",
       (int)count, tiles.columns, tiles.lines);
    pithi_tiles_free(&tiles);
    pithi_matrix_free(&matrix);
    pithlog_close(log);
}

int main(void)
{
    struct pithlog *log = make_log();
    int64_t end = pithlog_get_info(log)->end_ns;
    struct pithlog_digest *digest;

    read_calls(log);
    core_check(pithlog_digest_open(log, NULL, NULL, &digest));
    test_sums(log, NULL, INT64_MIN, INT64_MAX, "all");
    test_sums(log, NULL, end / 3, end / 2, "a sixth");
    test_sums(log, digest, INT64_MIN, INT64_MAX, "all, by the digest");
    test_sums(log, digest, end / 3, end / 2, "a sixth, by the digest");
    test_late(log, NULL, INT64_MIN, INT64_MAX, "all");
    test_late(log, NULL, end / 3, end / 2, "a sixth");
    test_late(log, digest, INT64_MIN, INT64_MAX, "all, by the digest");
    test_late(log, digest, end / 3, end / 2, "a sixth, by the digest");
    test_tiles(log, 97, 61);
    test_tiles(log, 7, 3);
    pithlog_digest_close(digest);
    pithlog_close(log);
    test_many();
    return tap_done();
}
