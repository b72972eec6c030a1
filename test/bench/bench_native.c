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

#include "error.h"
#include "native/block.h"
#include "native/chunk.h"
#include "native/segment.h"
#include "native/zip.h"

enum { RANKS = 4, STATES = 20 };

static uint64_t seed = 20240229;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed >> 11) + .5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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
    for (size_t i = 0; i < count; i++)
        if (pithi_writer_add(w, &records[i]))
            die("add");
    if (pithi_writer_finish(w))
        die("finish");
    pithi_writer_close(w);
    *s = now_s() - begin;
}

static double iterate(const char *path, const uint32_t *lanes, uint32_t lane_count, uint32_t flags, size_t *count)
{
    struct pithlog_query query = {INT64_MIN, INT64_MAX, lanes, lane_count, 0, flags};
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint64_t sum = 0;
    int status;
    if (pithlog_open(path, &log))
        die("open");
    double begin = now_s();
    if (pithlog_iter_open(log, &query, &iter))
        die("iter");
    for (*count = 0; (status = pithlog_iter_next(iter, &r)) == 1; ++*count)
        sum += (uint64_t)r.time_ns + r.id;
    if (status < 0 || sum == 1)
        die("next");
    pithlog_iter_close(iter);
    double s = now_s() - begin;
    pithlog_close(log);
    return s;
}

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
    printf("floor: 24-byte records made            %8.1f Mevents/s\n", (double)part / stored / 1e6);
    printf("floor: 24-byte records, memcpy         %8.1f Mevents/s\n", (double)part / copied / 1e6);
    printf("floor: 24-byte records, zlib -1 encode %8.1f Mevents/s  %.2f bytes/event\n", (double)part / deflated / 1e6,
           (double)packed / (double)part);
    printf("floor: 24-byte records, zlib decode    %8.1f Mevents/s\n", (double)part / inflated / 1e6);
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
                sum += !deliver ? 0 : pithi_block_take(&b, &r) ? (uint64_t)r.time_ns + r.id : 1;
            if (status < 0)
                die("block");
        }
        double s = now_s() - begin;
        printf("floor: one lane %s %8.1f Mevents/s%s\n",
               deliver ? "decoded and delivered inline" : "decoded, not delivered      ", (double)records / s / 1e6,
               sum == 1 ? "!" : "");
        pithi_block_free(&b);
        pithi_zip_free(&zip);
        free(chunk.data);
        close(fd);
    }
}

static void report(const char *what, double got, double goal, const char *unit)
{
    printf("%-38s %8.2f %s  goal %g, ratio %.2f\n", what, got, unit, goal, got / goal);
}

int main(void)
{
    char path[64];
    struct stat st;
    size_t count = getenv("BENCH_RECORDS") ? strtoull(getenv("BENCH_RECORDS"), NULL, 10) : 10000000, got;
    double s;
    snprintf(path, sizeof path, "/tmp/bench_native.%d.pith", (int)getpid());
    struct pithlog_record *records = make_records(count);
    double n = (double)count;
    printf("%zu records, entropy of the time steps %.2f bytes/event\n", count, time_entropy(records, count));
    floors(records, count);
    write_log(path, records, count, RANKS, &s);
    if (stat(path, &st) != 0)
        die("stat");
    report("size", (double)st.st_size / n, 2.3, "bytes/event");
    report("encode and write, one core", n / s / 1e6, 60, "Mevents/s");
    reading_floors(path);
    s = iterate(path, (uint32_t[]){0}, 1, 0, &got);
    report("iterate, one lane", (double)got / s / 1e6, 150, "Mevents/s");
    s = iterate(path, NULL, 0, 0, &got);
    report("iterate in time order, 4 lanes", (double)got / s / 1e6, 50, "Mevents/s");
    s = iterate(path, NULL, 0, PITHLOG_NEST, &got);
    report("the same with NEST", (double)got / s / 1e6, 50, "Mevents/s");
    int64_t start = 0;
    for (size_t i = 0; i < count; i++) { /* cut each rank's lane into 16 that run beside each other */
        uint32_t rank = (uint32_t)(i * RANKS / count), piece = (uint32_t)(i * RANKS * 16 / count) % 16;
        if (i == 0 || records[i - 1].lane != rank + RANKS * piece)
            start = records[i].time_ns;
        records[i].time_ns -= start;
        records[i].lane = rank + RANKS * piece;
    }
    write_log(path, records, count, RANKS * 16, &s);
    s = iterate(path, NULL, 0, 0, &got);
    report("iterate in time order, 64 lanes", (double)got / s / 1e6, 50, "Mevents/s");
    unlink(path);
    free(records);
    return 0;
}
