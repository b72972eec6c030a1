/* bench_native.c - how small and how fast the native format is, beside floors measured in the same process.
 *
 * The data set: 10 million records of 4 ranks, 20 states chosen unevenly and nested up to 3 deep, log-normal times
 * between records, 8.6 % of the records messages; fixed seed. BENCH_RECORDS in the environment makes it smaller.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/zip.h"
#include "bench/bench.h"
#include "common/random.h"
#include "native/block.h"
#include "native/chunk.h"
#include "native/huffman.h"
#include "native/segment.h"

enum { RANKS = 4, STATES = 20, MANY = 128 };

static double uniform(void) { return ((double)(random_u64() >> 11) + .5) / 9007199254740992.0; }

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static double now_s(void) { return bench_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9; }

static void die(const char *what)
{
    fprintf(stderr, "bench_native: %s: %s\n", what, pithlog_error());
    exit(1);
}

/* ---- The data ---------------------------------------------------------------------------------------------------- */

struct lane {
    uint32_t open[3], depth;
    uint64_t posted;
    int64_t time_ns;
};

static uint32_t uneven(uint32_t count)
{
    double u = uniform();
    return (uint32_t)((double)count * u * u);
}

/* The next record of a rank. */
static struct pithlog_record make_record(struct lane *lane, uint32_t number)
{
    struct pithlog_record r = {.lane = number, .peer = -1};
    lane->time_ns += (int64_t)exp(5.7 + normal());
    r.time_ns = lane->time_ns;
    if (uniform() < .086) {
        r.kind = uniform() < .5 ? PITHLOG_SEND : PITHLOG_RECV;
        r.peer = (int32_t)((number + 1 + uneven(RANKS - 1)) % RANKS);
        r.tag = (int32_t)uneven(4);
        r.bytes = UINT64_C(8) << uneven(14);
        if (r.kind == PITHLOG_RECV)
            r.posted = lane->posted++;
    } else if (lane->depth == 0 || (lane->depth < 3 && uniform() < .4)) {
        r.kind = PITHLOG_ENTER;
        r.id = lane->open[lane->depth++] = uneven(STATES);
    } else {
        r.kind = PITHLOG_LEAVE;
        r.id = lane->open[--lane->depth];
    }
    return r;
}

static struct pithlog_record *make_records(size_t count)
{
    struct lane lanes[RANKS] = {{{0}, 0, 0, 0}};
    struct pithlog_record *records = malloc(count * sizeof *records);
    if (!records)
        die("memory");
    random_source = 20240229;
    for (size_t i = 0; i < count; i++) /* a lane after another, as ranks encode their own */
        records[i] = make_record(&lanes[i * RANKS / count], (uint32_t)(i * RANKS / count));
    return records;
}

/* Bytes a record that the time steps alone need, coded by their frequencies. */
static double time_entropy(const struct pithlog_record *r, size_t count)
{
    enum { STEPS = 1 << 20 };
    uint32_t *seen = calloc(STEPS, sizeof *seen);
    double bits = 0;
    size_t n = 0;
    for (size_t i = 1; seen && i < count; i++) {
        int64_t step = r[i].time_ns - r[i - 1].time_ns;
        if (step >= 0 && step < STEPS) {
            seen[step]++;
            n++;
        }
    }
    for (size_t i = 0; seen && i < STEPS; i++)
        if (seen[i])
            bits += seen[i] * log2((double)n / seen[i]);
    free(seen);
    return bits / 8 / (double)n;
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static void write_log(const char *path, const struct pithlog_record *records, size_t count, uint32_t lanes, double *s)
{
    struct pithi_writer *w;
    uint32_t id, lane;
    double begin = now_s();
    if (pithi_writer_open(&w, path, -1))
        die("open");
    for (uint32_t i = 0; i < STATES; i++) {
        char name[16];
        snprintf(name, sizeof name, "state %u", i);
        struct pithlog_def def = {PITHLOG_STATE, name, "red", "user", ""};
        if (pithi_defs_add(pithi_writer_defs(w), &def, &id))
            die("defs");
    }
    for (uint32_t i = 0; i < lanes; i++)
        if (pithi_writer_lane(w, (int32_t)(i % RANKS), i / RANKS, NULL, &lane))
            die("lane");
    for (size_t i = 0; i < count; i += MANY)
        if (pithi_writer_add_many(w, &records[i], count - i < MANY ? (uint32_t)(count - i) : MANY))
            die("add");
    if (pithi_writer_finish(w))
        die("finish");
    pithi_writer_close(w);
    *s = now_s() - begin;
}

/* Asked for `helping` records at a time. */
static double iterate_once(struct pithlog *log, const struct pithlog_query *query, int helping, size_t *count)
{
    struct pithlog_iter *iter;
    static struct pithlog_record r[MANY];
    uint64_t sum = 0;
    int got;
    double begin = now_s();
    if (pithlog_iter_open(log, query, &iter))
        die("iter");
    for (*count = 0; (got = helping == 1 ? pithlog_iter_next(iter, r) : pithlog_iter_next_many(iter, r, helping)) > 0;
         *count += (size_t)got)
        for (int i = 0; i < got; i++)
            sum += (uint64_t)r[i].time_ns + r[i].id;
    if (got < 0 || sum == 1)
        die("next");
    pithlog_iter_close(iter);
    return now_s() - begin;
}

/* Million records a second over the lanes (NULL: all), the best of 3. */
static double iterate(const char *path, const uint32_t *lanes, uint32_t lane_count, uint32_t flags, int helping)
{
    const struct pithlog_query query = {INT64_MIN, INT64_MAX, lanes, lane_count, 0, flags, NULL};
    struct pithlog *log;
    double best = 0;
    if (pithlog_open(path, &log))
        die("open");
    for (int i = 0; i < 3; i++) {
        size_t count;
        double s = iterate_once(log, &query, helping, &count), rate = (double)count / s / 1e6;
        best = rate > best ? rate : best;
    }
    pithlog_close(log);
    return best;
}

static double made_rate, lane_rate; /* floors of writing and of reading, million records a second */

/* Floors: what moving and deflating plain 24-byte records costs. */
static void floors(const struct pithlog_record *records, size_t count)
{
    size_t part = count < 1000000 ? count : 1000000, size = part * 24;
    unsigned char *plain = malloc(size), *out = malloc(size);
    struct pithi_zip zip = {0};
    if (!plain || !out)
        die("memory");
    memset(plain, 1, size); /* fresh pages are no part of a floor */
    memset(out, 1, size);
    double begin = now_s();
    for (size_t i = 0; i < part; i++) {
        pithi_put64(plain + i * 24, (uint64_t)records[i].time_ns);
        pithi_put32(plain + i * 24 + 8, records[i].kind);
        pithi_put32(plain + i * 24 + 12, records[i].id);
        pithi_put64(plain + i * 24 + 16, records[i].bytes);
    }
    double stored = now_s() - begin;
    begin = now_s();
    memcpy(out, plain, size);
    double copied = now_s() - begin;
    begin = now_s();
    size_t packed = pithi_zip_pack(&zip, plain, size, out, size);
    double deflated = now_s() - begin;
    begin = now_s();
    if (!packed || !pithi_zip_unpack(&zip, out, packed, plain, size))
        die("zlib");
    double inflated = now_s() - begin;
    made_rate = (double)part / stored / 1e6;
    bench_row("24-byte records made", made_rate, "Mevents/s", 0, "");
    bench_row("24-byte records, memcpy", (double)part / copied / 1e6, "Mevents/s", 0, "");
    bench_row("24-byte records, zlib -1", (double)part / deflated / 1e6, "Mevents/s", 0, "");
    bench_row("24-byte records, zlib -1, size", (double)packed / (double)part, "bytes/event", 0, "");
    bench_row("24-byte records, inflated", (double)part / inflated / 1e6, "Mevents/s", 0, "");
    pithi_zip_free(&zip);
    free(plain);
    free(out);
}

/* Floor of reading: the first rank's blocks read, unpacked and their records made ready, but none delivered; then all
 * delivered without an iterator. What is left up to the iterator's number is choosing lanes and calls. */
static void reading_floors(const char *path)
{
    for (int deliver = 0; deliver < 2; deliver++) {
        struct pithi_block b = {.def_count = UINT32_MAX, .comm_count = UINT32_MAX};
        struct pithi_chunk_head head;
        struct pithi_buffer chunk = {0};
        struct pithi_zip zip = {0};
        struct pithlog_record r;
        struct stat st;
        const char *why;
        uint64_t records = 0, sum = 0;
        int fd = open(path, O_RDONLY), no_memory, status;
        if (fd < 0 || fstat(fd, &st) != 0)
            die("open");
        double begin = now_s();
        for (uint64_t at = 64; !pithi_chunk_read(fd, (uint64_t)st.st_size, at, &head, &chunk, &no_memory);
             at += PITHI_CHUNK_HEAD + pithi_pad8(head.size)) {
            if (head.type != PITHI_C_EVENTS || head.rank != 0)
                continue;
            if (pithi_block_load(&b, &zip, chunk.data, chunk.size, NULL, &why) != PITH_OK)
                die(why);
            records += b.head.count;
            while ((status = deliver ? pithi_block_step(&b) : pithi_block_prepare(&b)) == 1)
                if (deliver) {
                    pithi_block_take(&b, &r);
                    sum += (uint64_t)r.time_ns + r.id;
                }
            if (status < 0)
                die("block");
        }
        double s = now_s() - begin;
        lane_rate = (double)records / s / 1e6;
        bench_row(deliver ? "one lane decoded and delivered inline" : "one lane decoded, not delivered", lane_rate,
                  "Mevents/s", 0, "");
        if (deliver && sum == 0) /* (asks for the sum, so that it is made) */
            die("no records");
        pithi_block_free(&b);
        pithi_zip_free(&zip);
        free(chunk.data);
        close(fd);
    }
}

/* What huffman.c is measured against: strategies of zlib, which any column could have instead. */
static const struct codec {
    const char *name;
    int zlib;
    enum pithi_zip_strategy strategy;
} codecs[] = {
    {"huffman.c", 0, PITHI_ZIP_DEFAULT},
    {"Z_HUFFMAN_ONLY", 1, PITHI_ZIP_HUFFMAN_ONLY},
    {"Z_FIXED", 1, PITHI_ZIP_FIXED},
    {"zlib -1", 1, PITHI_ZIP_DEFAULT},
};

struct coding {
    const struct codec *codec;
    struct pithi_zip zip;
    double raw, packed, pack_s, unpack_s;
};

/* Packs and unpacks a column. */
static void code_column(struct coding *c, const unsigned char *column, size_t size)
{
    enum { ROOM = 1 << 16 };
    static unsigned char packed[ROOM + PITHI_HUFFMAN_SLACK], again[ROOM];
    size_t packed_size = 0;
    uint32_t seen[256];
    int good = size <= ROOM;
    double begin = now_s(), middle;
    if (good && c->codec->zlib) {
        packed_size = pithi_zip_pack(&c->zip, column, size, packed, ROOM);
    } else if (good) {
        pithi_histogram(column, size, seen);
        packed_size = pithi_huffman_pack(column, size, seen, packed, ROOM);
    }
    middle = now_s();
    good = packed_size > 0 && (c->codec->zlib ? pithi_zip_unpack(&c->zip, packed, packed_size, again, size)
                                              : pithi_huffman_unpack(packed, packed_size, again, size));
    c->unpack_s += now_s() - middle;
    c->pack_s += middle - begin;
    c->raw += (double)size;
    c->packed += (double)packed_size;
    if (!good || memcmp(again, column, size) != 0)
        die(c->codec->name);
}

/* The columns WHAT and TIME of the first rank's blocks, coded in each of these ways. */
static void compare_codecs(const char *path)
{
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        struct coding c = {.codec = &codecs[i], .zip = {.strategy = codecs[i].strategy}};
        struct pithi_block b = {.def_count = UINT32_MAX, .comm_count = UINT32_MAX};
        struct pithi_chunk_head head;
        struct pithi_buffer chunk = {0};
        struct stat st;
        const char *why;
        char text[64];
        int fd = open(path, O_RDONLY), no_memory;
        if (fd < 0 || fstat(fd, &st) != 0)
            die("open");
        for (uint64_t at = 64; !pithi_chunk_read(fd, (uint64_t)st.st_size, at, &head, &chunk, &no_memory);
             at += PITHI_CHUNK_HEAD + pithi_pad8(head.size)) {
            if (head.type != PITHI_C_EVENTS || head.rank != 0)
                continue;
            if (pithi_block_load(&b, &c.zip, chunk.data, chunk.size, NULL, &why) != PITH_OK)
                die(why);
            code_column(&c, b.column[PITHI_COL_WHAT].at, b.head.count);
            code_column(&c, b.column[PITHI_COL_TIME].at, b.head.count);
        }
        snprintf(text, sizeof text, "WHAT and TIME by %s, size", codecs[i].name);
        bench_row(text, 2 * c.packed / c.raw, "bytes/event", 0, "");
        snprintf(text, sizeof text, "WHAT and TIME by %s, packed", codecs[i].name);
        bench_row(text, c.raw / 2 / c.pack_s / 1e6, "Mevents/s", 0, "");
        snprintf(text, sizeof text, "WHAT and TIME by %s, unpacked", codecs[i].name);
        bench_row(text, c.raw / 2 / c.unpack_s / 1e6, "Mevents/s", 0, "");
        pithi_block_free(&b);
        pithi_zip_free(&c.zip);
        free(chunk.data);
        close(fd);
    }
}

/* Bytes of the records' columns, without heads of blocks, definitions and index. */
static uint64_t columns_size(const char *path)
{
    struct pithi_chunk_head head;
    struct pithi_block_head block;
    struct pithi_buffer chunk = {0};
    struct stat st;
    uint64_t sum = 0;
    int fd = open(path, O_RDONLY), no_memory;
    if (fd < 0 || fstat(fd, &st) != 0)
        die("open");
    for (uint64_t at = 64; !pithi_chunk_read(fd, (uint64_t)st.st_size, at, &head, &chunk, &no_memory);
         at += PITHI_CHUNK_HEAD + pithi_pad8(head.size))
        if (head.type == PITHI_C_EVENTS && pithi_block_head_get(chunk.data, chunk.size, &block))
            sum += chunk.size - PITHI_EVENTS_HEAD - (uint64_t)block.columns * PITHI_COLUMN_ENTRY;
    free(chunk.data);
    close(fd);
    return sum;
}

/* The same with times to 100 ns, as PITH_TIME_UNIT=100ns makes them. */
static void coarse_size(const char *path, size_t count)
{
    struct pithlog_record *records = make_records(count);
    struct stat st;
    double s;
    for (size_t i = 0; i < count; i++)
        records[i].time_ns -= records[i].time_ns % 100;
    write_log(path, records, count, RANKS, &s);
    if (stat(path, &st) != 0)
        die("stat");
    bench_row("size of the log, times to 100 ns", (double)st.st_size / (double)count, "bytes/event",
              time_entropy(records, count), "<=1.3");
    free(records);
}

int main(void)
{
    char path[64];
    struct stat st;
    size_t count = getenv("BENCH_RECORDS") ? strtoull(getenv("BENCH_RECORDS"), NULL, 10) : 10000000;
    double s;
    snprintf(path, sizeof path, "/tmp/bench_native.%d.pith", (int)getpid());
    struct pithlog_record *records = make_records(count);
    double n = (double)count;
    printf("%zu records\n", count);
    floors(records, count);
    struct bench_faults begun = bench_faults_begin();
    write_log(path, records, count, RANKS, &s);
    double faults = bench_faults_end(begun);
    if (stat(path, &st) != 0)
        die("stat");
    bench_row("size of the log (floor: entropy of the times)", (double)st.st_size / n, "bytes/event",
              time_entropy(records, count), "<=2.3");
    bench_row("size of its columns alone", (double)columns_size(path) / n, "bytes/event", time_entropy(records, count),
              "");
    bench_row("encode and write, page faults", faults * 1e6 / n, "/Mevents", 0, "");
    bench_row("encode and write, one core", n / s / 1e6, "Mevents/s", made_rate, ">=60");
    reading_floors(path);
    compare_codecs(path);
    const uint32_t first[] = {0};
    bench_row("iterate, one lane", iterate(path, first, 1, 0, MANY), "Mevents/s", lane_rate, ">=150");
    bench_row("iterate, one lane, a record a call", iterate(path, first, 1, 0, 1), "Mevents/s", lane_rate, "");
    bench_row("iterate in time order, 4 lanes", iterate(path, NULL, 0, 0, MANY), "Mevents/s", lane_rate, ">=50");
    bench_row("iterate in time order, 4 lanes, NEST", iterate(path, NULL, 0, PITHLOG_NEST, MANY), "Mevents/s",
              lane_rate, "");
    int64_t start = 0;
    for (size_t i = 0; i < count; i++) { /* cut each rank's lane into 16 that run beside each other */
        uint32_t rank = (uint32_t)(i * RANKS / count), piece = (uint32_t)(i * RANKS * 16 / count) % 16;
        if (i == 0 || records[i - 1].lane != rank + RANKS * piece)
            start = records[i].time_ns;
        records[i].time_ns -= start;
        records[i].lane = rank + RANKS * piece;
    }
    write_log(path, records, count, RANKS * 16, &s);
    bench_row("iterate in time order, 64 lanes", iterate(path, NULL, 0, 0, MANY), "Mevents/s", lane_rate, ">=50");
    free(records);
    coarse_size(path, count);
    unlink(path);
    return 0;
}
