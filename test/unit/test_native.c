/* test_native.c - what is written into a native log comes back: every kind, every field, extreme values. */
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/zip.h"
#include "native/huffman.h"
#include "reader/read/check.h"
#include "reader/read/native.h"
#include "common/log_model.h"
#include "tap.h"

static void say(void *context, const char *text)
{
    (void)context;
    printf("# %s\n", text);
}

/* Reads lane by lane and compares with the model; the number of records that differ, -1 on errors. */
static long differences(const struct model *m, struct pithlog *log)
{
    long wrong = 0;
    for (uint32_t lane = 0; lane < m->lanes; lane++) {
        struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
        struct pithlog_iter *iter;
        struct pithlog_record r;
        if (pithlog_iter_open(log, &query, &iter))
            return -1;
        for (size_t i = 0; i < m->count; i++)
            if (m->records[i].lane == lane) {
                wrong += pithlog_iter_next(iter, &r) != 1;
                model_number_comm(log, &r);
                wrong += !same_record(&r, &m->records[i]);
            }
        wrong += pithlog_iter_next(iter, &r) != 0;
        pithlog_iter_close(iter);
    }
    return wrong;
}

static void round_trip(struct model *m, const char *what)
{
    const char *path = scratch_path("round.pith");
    struct pithlog *log = NULL;
    uint64_t records = 0;
    OK(model_write(m, path) == PITH_OK, "%s: written", what);
    OK(pithlog_open(path, &log) == PITH_OK, "%s: opens", what);
    if (!log) {
        printf("# %s\n", pithlog_error());
        return;
    }
    const struct pithlog_info *info = pithlog_get_info(log);
    OK(info->complete && info->records == m->count && info->lanes == m->lanes, "%s: counts", what);
    long wrong = differences(m, log);
    OK(wrong == 0, "%s: every record as it was (%ld differ)", what, wrong);
    pithlog_close(log);
    OK(pithi_check(path, say, NULL, &records) == 0 && records == m->count, "%s: check finds no damage", what);
    model_free(m);
}

static void test_random(void)
{
    struct model m = {0};
    model_random(&m, 120000, 3);
    round_trip(&m, "many blocks");
    model_random(&m, 30000, 600);
    round_trip(&m, "many lanes");
    model_random(&m, 0, 4);
    round_trip(&m, "lanes without records");
    round_trip(&m, "nothing at all");
}

static void test_extremes(void)
{
    static const int64_t times[] = {INT64_MIN,  INT64_MIN + 1, -1,        0,        0, 1, 7, 8,
                                    1000000007, INT64_MAX - 1, INT64_MAX, INT64_MAX};
    static const uint64_t numbers[] = {0, 1, 127, 128, UINT32_MAX, INT64_MAX, UINT64_MAX};
    static const double values[] = {0, -0.0, 1e-320, INFINITY, -INFINITY, 1.7976931348623157e308};
    static const int32_t small[] = {0, -1, INT32_MIN, INT32_MAX};
    struct model m = {0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = times[i], .kind = PITHLOG_PAUSE, .peer = -1});
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t n = numbers[i], k = numbers[(i * 3 + 2) % 7];
        model_add(&m, &(struct pithlog_record){.time_ns = INT64_MAX,
                                               .kind = PITHLOG_RECV,
                                               .peer = small[i % 4],
                                               .tag = small[(i + 1) % 4],
                                               .bytes = n,
                                               .posted = k,
                                               .comm = 3});
        model_add(&m,
                  &(struct pithlog_record){
                      .time_ns = INT64_MAX, .kind = PITHLOG_COLL, .peer = small[i % 4], .bytes = k, .got_bytes = n});
        model_add(&m, &(struct pithlog_record){.time_ns = INT64_MAX,
                                               .kind = PITHLOG_SEND,
                                               .peer = small[(i + 2) % 4],
                                               .tag = small[i % 4],
                                               .bytes = n});
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = INT64_MAX,
                                               .kind = PITHLOG_COUNTER,
                                               .peer = -1,
                                               .id = MODEL_STATES + MODEL_EVENTS,
                                               .value = values[i]});
    round_trip(&m, "extreme values");

    static unsigned char big[1 << 20];
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (unsigned char)random_u64();
    for (uint32_t i = 0; i < 40; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = i,
                                               .kind = PITHLOG_EVENT,
                                               .id = MODEL_STATES,
                                               .peer = -1,
                                               .payload = big,
                                               .payload_bytes = i == 20  ? sizeof big
                                                                : i == 3 ? 0
                                                                         : 65535});
    round_trip(&m, "large payloads");
    for (int64_t i = 0; i < 40000; i++) /* microseconds: a unit of 1000 */
        model_add(&m, &(struct pithlog_record){
                          .time_ns = i * i % 7 * 1000 + i * 8000, .kind = PITHLOG_ENTER + i % 2, .peer = -1});
    round_trip(&m, "coarse clock");
}

/* More definitions than a byte can tell apart, used in one block. */
static void test_many_defs(void)
{
    const char *path = scratch_path("defs.pith");
    struct pithi_writer *w;
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint32_t lane, id, wrong = 0;
    OK(pithi_writer_open(&w, path, -1) == 0 && pithi_writer_lane(w, 7, 9, "lane", &lane) == 0, "a log of one odd lane");
    for (uint32_t i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "state %u", i);
        struct pithlog_def def = {PITHLOG_STATE, name, NULL, NULL, NULL};
        wrong += pithi_defs_add(pithi_writer_defs(w), &def, &id) != 0 || id != i;
        r = (struct pithlog_record){.time_ns = i, .lane = lane, .kind = PITHLOG_ENTER, .id = i, .peer = -1};
        wrong += pithi_writer_add(w, &r) != 0;
        r.kind = PITHLOG_LEAVE;
        wrong += pithi_writer_add(w, &r) != 0;
    }
    r = (struct pithlog_record){.lane = lane, .kind = PITHLOG_ENTER, .id = 3000, .peer = -1};
    OK(pithi_writer_add(w, &r) == PITH_ERR_USAGE, "a record of no definition is refused");
    r = (struct pithlog_record){.lane = lane + 1, .kind = PITHLOG_PAUSE, .peer = -1};
    OK(pithi_writer_add(w, &r) == PITH_ERR_USAGE, "a record of no lane is refused");
    r = (struct pithlog_record){.lane = lane, .kind = PITHLOG_LOST + 1, .peer = -1};
    OK(pithi_writer_add(w, &r) == PITH_ERR_USAGE, "a record of no kind is refused");
    OK(pithi_writer_finish(w) == 0, "finish");
    pithi_writer_close(w);
    OK(pithlog_open(path, &log) == 0, "opens");
    pithlog_iter_open(log, NULL, &iter);
    for (uint32_t i = 0; i < 6000; i++)
        wrong += pithlog_iter_next(iter, &r) != 1 || r.id != i / 2 || r.kind != PITHLOG_ENTER + i % 2;
    OK(wrong == 0 && pithlog_iter_next(iter, &r) == 0, "3000 states in a block");
    OK(pithlog_get_info(log)->states == 3000 && pithlog_get_info(log)->defs == 3000, "counted");
    OK(pithlog_get_lane(log, 0)->rank == 7 && pithlog_get_lane(log, 0)->thread == 9 && !pithlog_get_lane(log, 1) &&
           strcmp(pithlog_get_lane(log, 0)->name, "lane") == 0,
       "the lane");
    OK(strcmp(pithlog_get_def(log, 2999)->name, "state 2999") == 0 && !pithlog_get_def(log, 3000), "definitions");
    pithlog_iter_close(iter);
    pithlog_close(log);
    OK(pithi_check(path, say, NULL, NULL) == 0, "check");
}

static void test_descriptions(void)
{
    const char *path = scratch_path("descriptions.pith");
    int32_t members[] = {5, 2, 1000000, 0}, got = 0;
    struct pithi_writer *w;
    struct pithlog *log;
    uint32_t lane, a, b, c;
    const char *value;
    pithi_writer_open(&w, path, -1);
    struct pithi_rank rank = {.rank = 2, .host = "node2.example", .pid = UINT64_MAX};
    pithi_writer_rank(w, &rank);
    pithi_writer_lane(w, 2, 1, NULL, &lane);
    pithi_writer_lane(w, 1, 0, "early", &lane);
    pithi_writer_lane(w, 1, 0, "late", &lane);
    pithi_writer_lane(w, 2, 0, "", &lane);
    pithi_writer_comm(w, &(struct pithlog_comm){.key = UINT64_MAX}, &a);
    pithi_writer_comm(
        w, &(struct pithlog_comm){.key = 5, .name = "inter", .size = 3, .remote_size = 1, .world_ranks = members}, &b);
    pithi_writer_comm(w, &(struct pithlog_comm){.key = UINT64_MAX, .name = "named later"}, &c);
    pithi_defs_property(pithi_writer_defs(w), "program", "one");
    pithi_defs_property(pithi_writer_defs(w), "mpi", "none");
    pithi_defs_property(pithi_writer_defs(w), "program", "two\nlines");
    OK(a == c && a != b, "a communicator is known by its key");
    OK(pithi_writer_finish(w) == 0, "finish");
    pithi_writer_close(w);
    OK(pithlog_open(path, &log) == 0, "opens");
    OK(pithlog_get_info(log)->ranks == 2 && pithlog_get_info(log)->lanes == 3, "ranks and lanes");
    OK(strcmp(pithlog_get_lane(log, 0)->name, "late") == 0, "the last name of a lane holds");
    OK(pithlog_get_lane(log, 1)->thread == 0 && pithlog_get_lane(log, 2)->thread == 1, "lanes are sorted");
    OK(strcmp(pithlog_get_lane(log, 2)->host, "node2.example") == 0, "host");
    OK(pithlog_get_lane(log, 0)->first_ns > pithlog_get_lane(log, 0)->last_ns, "no record: first > last");
    for (uint32_t i = 0; i < pithlog_get_info(log)->comms; i++) {
        const struct pithlog_comm *comm = pithlog_get_comm(log, i);
        if (comm->key == 5)
            got += comm->size == 3 && comm->remote_size == 1 && !memcmp(comm->world_ranks, members, sizeof members) &&
                   strcmp(comm->name, "inter") == 0;
        if (comm->key == UINT64_MAX)
            got += strcmp(comm->name, "named later") == 0 && comm->size == 0;
        if (comm->key == 0)
            got += i == 0;
    }
    OK(got == 3 && pithlog_get_info(log)->comms == 3, "communicators, the world first");
    OK(strcmp(pithlog_get_property(log, 0, &value), "program") == 0 && strcmp(value, "two\nlines") == 0, "properties");
    OK(pithlog_get_property(log, 2, &value) == NULL, "no more properties");
    pithlog_close(log);
}

/* ---- As the ranks do it: segments made apart, put into one file -------------------------------------------------- */

struct memory {
    unsigned char *data;
    size_t size;
};

static int to_memory(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct memory *m = context;
    m->data = realloc(m->data, m->size + size);
    memcpy(m->data + m->size, data, size);
    *offset = m->size;
    m->size += size;
    return PITH_OK;
}

static void test_segments(void)
{
    enum { RANKS = 5 };
    const char *path = scratch_path("segments.pith");
    unsigned char header[PITHI_HEADER_SIZE], footer[PITHI_FOOTER_SIZE], head[PITHI_RANK_ENTRY_SIZE];
    struct pithi_totals sum = {.start_ns = INT64_MAX, .end_ns = INT64_MIN}, t;
    struct pithi_segment *segments[RANKS];
    struct memory memory[RANKS] = {{0}};
    struct pithi_defs *defs;
    void *chunk;
    size_t size;
    uint32_t id, lane, comm, local;
    FILE *f = fopen(path, "wb");
    int wrong = 0;
    pithi_defs_new(&defs);
    pithi_defs_add(defs, &(struct pithlog_def){.name = "work"}, &id);
    int32_t members[] = {0, 1, 2, 3, 4};
    struct pithlog_comm everybody = {.key = 77, .name = "all", .size = RANKS, .world_ranks = members};
    pithi_defs_host(defs, "host");
    wrong += pithi_defs_comm(defs, &everybody, 0) != 0;
    for (int r = 0; r < RANKS; r++)
        for (int k = 0; k < r; k++)
            pithi_defs_comm(defs, &(struct pithlog_comm){.key = 100 + (uint64_t)(r * 10 + k)}, 0);
    pithi_file_header(header, NULL);
    pithi_defs_chunk(defs, &chunk, &size);
    fwrite(header, 1, sizeof header, f);
    fwrite(chunk, 1, size, f);
    uint64_t base = sizeof header + size;
    for (int32_t r = 0; r < RANKS; r++) {
        struct pithi_sink sink = {to_memory, &memory[r]};
        struct pithi_rank rank = {.rank = r, .host = "host", .pid = 100};
        wrong += pithi_segment_open(&segments[r], &rank, &sink) != 0;
        pithi_segment_lane(segments[r], 0, NULL, &lane);
        for (int k = 0; k < r; k++) /* the same communicator has other numbers on other ranks */
            pithi_segment_comm(segments[r], &(struct pithlog_comm){.key = 100 + (uint64_t)(r * 10 + k)}, &local);
        everybody.size = r ? 0 : RANKS;
        pithi_segment_comm(segments[r], &everybody, &comm);
        for (int64_t i = 0; i < 20000; i++) {
            struct pithlog_record rec = {.time_ns = i * 10 + r,
                                         .lane = lane,
                                         .kind = PITHLOG_COLL,
                                         .comm = comm,
                                         .peer = -1,
                                         .bytes = (uint64_t)i};
            wrong += pithi_segment_add(segments[r], &rec) != 0;
        }
        wrong += pithi_segment_finish(segments[r]) != 0;
        size_t before = memory[r].size;
        wrong += pithi_segment_index(segments[r], base, defs) != 0;
        wrong += memory[r].size - before != pithi_segment_index_size(segments[r]);
        fwrite(memory[r].data, 1, memory[r].size, f);
        pithi_segment_totals(segments[r], &t);
        sum.records += t.records;
        sum.lanes += t.lanes;
        sum.start_ns = t.start_ns < sum.start_ns ? t.start_ns : sum.start_ns;
        sum.end_ns = t.end_ns > sum.end_ns ? t.end_ns : sum.end_ns;
        base += memory[r].size;
    }
    pithi_rank_table_head(RANKS, head, &size);
    fwrite(head, 1, size, f);
    uint64_t at = sizeof header;
    free(chunk);
    pithi_defs_chunk(defs, &chunk, &size);
    at += size;
    for (int32_t r = 0; r < RANKS; r++) {
        pithi_rank_entry(segments[r], at, defs, head);
        fwrite(head, 1, sizeof head, f);
        at += memory[r].size;
        pithi_segment_free(segments[r]);
        free(memory[r].data);
    }
    pithi_file_footer(sizeof header, base, RANKS, &sum, footer);
    fwrite(footer, 1, sizeof footer, f);
    fclose(f);
    free(chunk);
    pithi_defs_free(defs);

    struct pithlog *log = NULL;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    OK(wrong == 0, "segments are made");
    OK(pithlog_open(path, &log) == 0 && pithlog_get_info(log)->complete, "segments of %d ranks in one file", RANKS);
    if (!log)
        return;
    pithlog_iter_open(log, NULL, &iter);
    uint32_t all = UINT32_MAX;
    for (int64_t i = 0; i < 100000; i++) {
        wrong += pithlog_iter_next(iter, &r) != 1 || r.time_ns != i / 5 * 10 + i % 5 || r.lane != i % 5;
        all = all == UINT32_MAX ? r.comm : all;
        wrong += r.comm != all;
    }
    OK(wrong == 0, "merged in order of time, the communicator united");
    OK(pithlog_get_comm(log, all)->key == 77 && pithlog_get_comm(log, all)->size == RANKS, "with its members");
    OK(pithlog_get_info(log)->comms == 2 + 10, "and no other united");
    OK(pithlog_get_comm(log, 0)->size == RANKS, "the world of a whole log has the ranks there are");
    pithlog_iter_close(iter);
    pithlog_close(log);
    OK(pithi_check(path, say, NULL, NULL) == 0, "check");
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static int exists(const char *path) { return access(path, F_OK) == 0; }

static void test_files(void)
{
    char path[256], part[300];
    struct pithi_writer *w;
    struct model m = {0};
    struct pithlog *log = NULL;
    snprintf(path, sizeof path, "%s", scratch_path("files.pith"));
    snprintf(part, sizeof part, "%s.part", path);
    pithi_writer_open(&w, path, -1);
    OK(exists(part) && !exists(path), "while written it is called .part");
    pithi_writer_close(w);
    OK(!exists(part) && !exists(path), "nothing is left without finish");
    OK(pithi_writer_open(&w, scratch_path("."), -1) == PITH_ERR_OPEN && strstr(pithlog_error(), "directory"),
       "a directory: %s", pithlog_error());
    OK(pithi_writer_open(&w, scratch_path("no/such/a.pith"), -1) == PITH_ERR_OPEN && !w, "no such folder: %s",
       pithlog_error());

    int full = open("/dev/full", O_WRONLY), err;
    uint32_t lane;
    model_random(&m, 200000, 1);
    err = pithi_writer_open(&w, "full", full);
    if (!err)
        err = model_define(w);
    if (!err)
        err = pithi_writer_lane(w, 0, 0, NULL, &lane);
    for (size_t i = 0; !err && i < m.count; i++)
        err = pithi_writer_add(w, &m.records[i]);
    if (!err)
        err = pithi_writer_finish(w);
    OK(err == PITH_ERR_IO && strstr(pithlog_error(), "full: byte 0: cannot write: No space"), "disk full: %s",
       pithlog_error());
    OK(pithi_writer_finish(w) == PITH_ERR_IO, "and still when asked again");
    pithi_writer_close(w);
    close(full);
    model_free(&m);

    OK(pithlog_open(path, &log) == PITH_ERR_OPEN && !log && strstr(pithlog_error(), path), "%s", pithlog_error());
    OK(pithlog_open(scratch_path("."), &log) == PITH_ERR_OPEN && !log, "%s", pithlog_error());
    FILE *f = fopen(path, "w");
    fclose(f);
    OK(pithlog_open(path, &log) == PITH_ERR_FORMAT && strstr(pithlog_error(), "byte 0"), "%s", pithlog_error());
    f = fopen(path, "w");
    fputs("no log at all", f);
    fclose(f);
    OK(pithlog_open(path, &log) == PITH_ERR_FORMAT && strstr(pithlog_error(), "not a log of any known format"), "%s",
       pithlog_error());
    /* Where addresses have 32 bits, it is opened as well, but cannot be mapped. */
    OK(truncate(path, (off_t)5 << 30) == 0 && pithlog_open(path, &log) != PITH_OK &&
           strstr(pithlog_error(), sizeof(void *) == 4 ? "cannot be mapped: File too large" : "not a log of any known"),
       "of 5 GiB: %s", pithlog_error());
    unlink(path);
}

/* A version that does not exist yet is refused, not guessed at. */
static void test_version(void)
{
    unsigned char header[PITHI_HEADER_SIZE] = {0};
    struct pithlog *log;
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("version.pith"));
    pithi_file_header(header, NULL);
    header[8] = 2;
    FILE *f = fopen(path, "wb");
    fwrite(header, 1, sizeof header, f);
    fclose(f);
    OK(pithlog_open(path, &log) == PITH_ERR_DAMAGED, "a header that its CRC does not fit: %s", pithlog_error());
    uint32_t crc = pithi_crc(header, 60);
    for (int i = 0; i < 4; i++)
        header[60 + i] = (unsigned char)(crc >> 8 * i);
    f = fopen(path, "wb");
    fwrite(header, 1, sizeof header, f);
    fclose(f);
    OK(pithlog_open(path, &log) == PITH_ERR_UNSUPPORTED, "a later version: %s", pithlog_error());
}

static void test_copy(void)
{
    const char *path = scratch_path("copy.pith");
    char copy[256];
    struct pithi_convert how = {.from_ns = 100000, .to_ns = 900000};
    struct model m = {0};
    struct pithlog *log, *again;
    struct pithlog_record a, b;
    struct pithlog_iter *i, *k;
    uint64_t count = 0, wrong = 0;
    model_random(&m, 20000, 7);
    model_write(&m, path);
    snprintf(copy, sizeof copy, "%s2", path);
    FILE *f = fopen(copy, "w+b");
    OK(pithlog_open(path, &log) == 0 && pithi_native_write(log, f, &how) == 0, "a window is written");
    fclose(f);
    OK(pithlog_open(copy, &again) == 0, "and opens");
    struct pithlog_query query = {100000, 900000, NULL, 0, ~(1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE), 0, NULL};
    pithlog_iter_open(log, &query, &i);
    pithlog_iter_open(again, &query, &k);
    while (pithlog_iter_next(i, &a) == 1 && ++count) {
        wrong += pithlog_iter_next(k, &b) != 1;
        model_number_comm(log, &a);
        model_number_comm(again, &b);
        if (b.kind == PITHLOG_SEND || b.kind == PITHLOG_RECV) { /* ends of messages that the window cuts: copy.c */
            a.peer = b.peer == -1 ? -1 : a.peer;
            a.posted = b.posted;
        }
        if (b.kind == PITHLOG_LOST) /* the copy says how many states ended: test_lost_numbers.c */
            a.got_bytes = b.got_bytes;
        wrong += !same_record(&a, &b);
    }
    OK(count > 1000 && wrong == 0 && pithlog_iter_next(k, &b) == 0, "with the same records");
    OK(pithlog_get_info(again)->start_ns >= 100000 && pithlog_get_info(again)->end_ns <= 900000, "inside the window");
    pithlog_iter_close(i);
    pithlog_iter_close(k);
    pithlog_close(log);
    pithlog_close(again);
    model_free(&m);
}

/* ---- The Huffman coder ------------------------------------------------------------------------------------------- */

static int huffman_round(const unsigned char *data, size_t size, size_t *packed)
{
    unsigned char *out = malloc(size + 1024), *back = malloc(size + 1);
    uint32_t seen[256];
    pithi_histogram(data, size, seen);
    *packed = pithi_huffman_pack(data, size, seen, out, size + 1000);
    unsigned char *exact = malloc(*packed + 1); /* of its exact size, so that a sanitizer sees reads behind it */
    memcpy(exact, out, *packed);
    int good = *packed && pithi_huffman_unpack(exact, *packed, back, size) && memcmp(back, data, size) == 0;
    good = good && !pithi_huffman_unpack(exact, *packed - 1, back, size);
    good = good && (size < 40 || !pithi_huffman_unpack(exact, *packed, back, size - 40));
    good = good && pithi_huffman_pack(data, size, seen, out, *packed - 1) == 0;
    for (int i = 0; i < 300; i++) { /* damaged: any answer, no harm */
        memcpy(exact, out, *packed);
        size_t part = i % 2 || *packed < 142 ? *packed : 142; /* the head, at most */
        exact[random_below((uint32_t)part)] ^= (unsigned char)(1u << random_below(8));
        pithi_huffman_unpack(exact, *packed, back, size);
    }
    free(out);
    free(back);
    free(exact);
    return good;
}

static void test_huffman(void)
{
    enum { SIZE = 20000 };
    static unsigned char data[SIZE];
    size_t packed;
    memset(data, 'x', SIZE);
    OK(huffman_round(data, SIZE, &packed) && packed == 15 + SIZE / 8, "one byte only: a bit each");
    data[7] = 'y';
    OK(huffman_round(data, SIZE, &packed) && packed == 15 + SIZE / 8, "two");
    for (int i = 0; i < SIZE; i++)
        data[i] = (unsigned char)random_u64();
    OK(huffman_round(data, SIZE, &packed) && packed < 142 + SIZE * 1.02, "noise");
    for (int i = 0; i < SIZE; i++) /* weights so uneven that the best tree would be too deep */
        data[i] = (unsigned char)__builtin_ctzll(random_u64() | UINT64_C(1) << 40);
    OK(huffman_round(data, SIZE, &packed) && packed < 142 + SIZE * 2.05 / 8, "uneven: %zu bytes for 2 bits each",
       packed);
    for (int i = 0; i < SIZE; i++) /* the four parts have codes of different lengths */
        data[i] = i < SIZE / 3 ? 'x' : (unsigned char)random_u64();
    OK(huffman_round(data, SIZE, &packed), "uneven parts");
    int wrong = 0;
    for (size_t n = 1; n < 40; n++)
        wrong += !huffman_round(data, n, &packed);
    OK(wrong == 0, "short ones");
    uint32_t none[256] = {0};
    OK(pithi_huffman_pack(data, 0, none, data, SIZE) == 0 && !pithi_huffman_unpack(data, 0, data, 0), "none");
}

int main(void)
{
    test_random();
    test_extremes();
    test_many_defs();
    test_descriptions();
    test_segments();
    test_files();
    test_version();
    test_copy();
    test_huffman();
    scratch_remove();
    return tap_done();
}
