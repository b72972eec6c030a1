/* test_slog2.c - SLOG-2 files that nobody would write: a tree that leads back to itself, numbers that count more than
 * is there, ratios that are no numbers, composites, lines that nobody knows. Each is refused with its place or read. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "foreign/formats.h"
#include "foreign/slog2/slog2_layout.h"
#include "reader/read/check.h"
#include "tap.h"

enum { ROOM = 1 << 20, STATE = 7, EVENT = 8, ARROW = 9 };

/* A file under the hand: parts are put one behind the other, places written down in the header. */
static unsigned char file[ROOM], *at;
static char path[] = "/tmp/test_slog2.XXXXXX";

static void put8(uint32_t v) { at = pithi_put_be(at, v, 1); }
static void put16(uint32_t v) { at = pithi_slog2_put16(at, v); }
static void put32(uint32_t v) { at = pithi_slog2_put32(at, v); }
static void put_time(double v) { at = pithi_slog2_put_double(at, v); }

static void put_text(const char *text)
{
    put16((uint32_t)strlen(text));
    memcpy(at, text, strlen(text));
    at += strlen(text);
}

static size_t begin(void)
{
    memset(file, 0, sizeof file);
    at = file;
    put_text(PITHI_SLOG2_VERSION);
    put16(2);
    put32(65536);
    at = file + PITHI_SLOG2_HEADER;
    return PITHI_SLOG2_HEADER;
}

/* The place of what stands from `from` on, in the header. */
static void place(size_t in_header, size_t from)
{
    pithi_slog2_put_place(file + in_header, (struct pithi_slog2_place){from, (uint32_t)((size_t)(at - file) - from)});
}

static void put_category(int32_t number, uint32_t topology, const char *key)
{
    put32((uint32_t)number);
    put_text("thing");
    put32(topology);
    put32(0xffff0000);
    put16(0x0101);
    put16(*key != 0);
    if (*key)
        put_text(key);
    put16(*key != 0);
    if (*key)
        put8('d');
    put16(0);
    at = pithi_slog2_put_float(at, NAN);
    at = pithi_slog2_put_float(at, INFINITY);
    at = pithi_slog2_put64(at, UINT64_MAX);
}

/* Three categories; as many lines as ranks. */
static uint32_t lines = 2;
static void put_tables(void)
{
    size_t from = (size_t)(at - file);
    put32(3);
    put_category(STATE, PITHI_SLOG2_STATE, "n=");
    put_category(EVENT, PITHI_SLOG2_EVENT, "");
    put_category(ARROW, PITHI_SLOG2_ARROW, "msg_size=");
    place(24, from);
    from = (size_t)(at - file);
    put32(1);
    put_text("Process View");
    put32(1);
    put_text("world_rank");
    put32(lines);
    for (uint32_t i = 0; i < lines; i++) {
        put32(i);
        put32(i);
    }
    put16(0);
    place(48, from);
}

static void put_primitive(uint32_t category, uint32_t vertices, double t0, uint32_t l0, double t1, uint32_t l1)
{
    put32(category);
    put16(0);
    put16(vertices);
    for (uint32_t i = 0; i < vertices; i++) {
        put_time(i ? t1 : t0);
        put32(i ? l1 : l0);
    }
}

/* A node with the drawables that `fill` puts: its states alone. */
static size_t put_node(uint32_t depth, uint32_t number, uint32_t count, void (*fill)(void))
{
    size_t from = (size_t)(at - file);
    unsigned char *size;
    put_time(0);
    put_time(9);
    put16(depth);
    put32(number);
    at = pithi_slog2_put64(at, from);
    size = at;
    put32(0);
    put32(0);
    put32(count);
    if (fill)
        fill();
    put32(0);
    pithi_slog2_put32(size, (uint32_t)((size_t)(at - file) - from));
    return from;
}

static void put_entry(uint32_t depth, uint32_t number, size_t from, uint32_t size)
{
    put16(depth);
    put32(number);
    put_time(0);
    put_time(9);
    at = pithi_slog2_put_place(at, (struct pithi_slog2_place){from, size});
}

static void put_directory(uint32_t depth, size_t from)
{
    uint32_t size = (uint32_t)((size_t)(at - file) - from);
    size_t directory = (size_t)(at - file);
    put32(1);
    put_entry(depth, 0, from, size);
    place(72, directory);
}

/* ---- What comes of it -------------------------------------------------------------------------------------------- */

static int status;
static uint64_t records;
static uint32_t lanes;
static char error[512];

static void read_it(void)
{
    struct pithi_writer *writer;
    size_t size = (size_t)(at - file);
    unsigned char *copy = malloc(size);
    struct pithi_input input = {.path = "a.slog2", .data = memcpy(copy, file, size), .size = size};
    records = 0;
    pithi_writer_open(&writer, path, -1);
    status = pithi_slog2_read(&input, writer);
    snprintf(error, sizeof error, "%s", status ? pithlog_error() : "");
    struct pithlog *log;
    if (status == PITH_OK && (pithi_writer_finish(writer) || pithlog_open(path, &log)))
        status = -1;
    if (status == PITH_OK) {
        const struct pithlog_info *info = pithlog_get_info(log);
        lanes = info->lanes;
        snprintf(error, sizeof error, "%s", info->complete ? "" : info->incomplete);
        if (pithi_check(path, NULL, NULL, &records) != (info->complete ? 0 : 1)) /* that it is incomplete, no more */
            status = -1;
        pithlog_close(log);
    }
    pithi_writer_close(writer);
    unlink(path);
    free(copy);
}

static void refused(const char *cause)
{
    read_it();
    OK(status == PITH_ERR_DAMAGED && strstr(error, cause) && strncmp(error, "a.slog2: byte ", 14) == 0, "refused: %s",
       error);
}

/* `missing`: why the log is incomplete, "": it is not. */
static void is_read(uint64_t count, const char *missing, const char *what)
{
    read_it();
    OK(status == PITH_OK && records == count && !*missing == !*error && strstr(error, missing), "%s: %d records, %s",
       what, (int)records, error);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void one_state(void)
{
    put8(0);
    put_primitive(STATE, 2, 1, 0, 2, 0);
}

static void odd_things(void)
{
    static const double times[] = {NAN, INFINITY, -INFINITY, 1e300, 1e10};
    for (int i = 0; i < 5; i++) {
        put8(0);
        put_primitive(STATE, 2, 0, 0, times[i], 0);
    }
    put8(0); /* ends before it begins: taken the other way round */
    put_primitive(STATE, 2, 5, 0, 4, 0);
    put8(0); /* a line that no map has */
    put_primitive(STATE, 2, 5, 99, 6, 99);
    put8(0); /* no vertices, one, three; a category that no map has, a preview's */
    put_primitive(EVENT, 0, 0, 0, 0, 0);
    put8(0);
    put_primitive(ARROW, 1, 3, 0, 0, 0);
    put8(0);
    put_primitive(STATE, 3, 3, 0, 4, 0);
    put8(0);
    put_primitive(1000, 1, 3, 1, 0, 0);
    put8(0);
    put_primitive((uint32_t)-1, 1, 3, 1, 0, 0);
}

static void composites(void)
{
    put8(1); /* on one line: two parts and the whole */
    put32(STATE);
    put16(4);
    put32(42);
    put16(2);
    put_primitive(STATE, 2, 1, 0, 2, 0);
    put_primitive(STATE, 2, 3, 0, 4, 0);
    put8(1); /* on two: the parts alone */
    put32(STATE);
    put16(0);
    put16(2);
    put_primitive(STATE, 2, 5, 0, 6, 0);
    put_primitive(STATE, 2, 5, 1, 6, 1);
    put8(1); /* of nothing */
    put32(STATE);
    put16(0);
    put16(0);
}

static void whole_file(uint32_t depth, uint32_t count, void (*fill)(void))
{
    size_t from = begin();
    put_node(depth, 0, count, fill);
    put_directory(depth, from);
    put_tables();
}

/* The same node twice; a node that has another in it. */
static void test_loops(void)
{
    for (size_t shift = 0; shift < 60; shift += 59) {
        size_t from = begin(), size, directory;
        put_node(0, 0, 1, one_state);
        size = (size_t)(at - file) - from;
        put_node(1, 0, 1, one_state);
        directory = (size_t)(at - file);
        put32(2);
        put_entry(0, 0, from, (uint32_t)size);
        put_entry(1, 0, from + shift, (uint32_t)size);
        place(72, directory);
        put_tables();
        refused("two nodes of the tree overlap");
    }
}

/* Each count, told as more than there is. */
static void test_counts(void)
{
    static const uint32_t counts[] = {0x7fffffff, 0x80000000, 0xffffffff, 1000};
    for (int i = 0; i < 4; i++) {
        whole_file(0, counts[i], one_state);
        is_read(2, "records are missing", "drawables counted too high: those that are there");
        whole_file(0, 1, one_state);
        uint64_t tables = pithi_slog2_number(&(struct pithi_slog2_bytes){file, 24, 32, 0}, 8);
        pithi_slog2_put32(file + tables, counts[i]);
        refused("too early");
        whole_file(0, 1, one_state);
        uint64_t maps = pithi_slog2_number(&(struct pithi_slog2_bytes){file, 48, 56, 0}, 8);
        pithi_slog2_put32(file + maps, counts[i]);
        refused("line map");
        whole_file(0, 1, one_state);
        pithi_slog2_put32(file + maps + 4 + 2 + 12, counts[i]); /* columns */
        refused("line map");
        whole_file(0, 1, one_state);
        pithi_slog2_put32(file + maps + 4 + 2 + 12 + 4 + 12, counts[i]); /* rows */
        refused("line map");
        whole_file(0, 1, one_state);
        uint64_t directory = pithi_slog2_number(&(struct pithi_slog2_bytes){file, 72, 80, 0}, 8);
        pithi_slog2_put32(file + directory, counts[i]);
        refused("directory has more nodes");
    }
}

static void test_places(void)
{
    static const size_t places[] = {24, 48, 72};
    for (int i = 0; i < 3; i++) {
        whole_file(0, 1, one_state);
        pithi_slog2_put_place(file + places[i], (struct pithi_slog2_place){UINT64_MAX - 3, 10});
        is_read(2, "the file is cut", "a table beyond the end");
        whole_file(0, 1, one_state);
        pithi_slog2_put32(file + places[i] + 8, UINT32_MAX);
        is_read(2, "the file is cut", "a table beyond the end");
    }
}

/* Lines cost 8 bytes each in the file, and lanes some thousand in memory. */
static void test_lines(void)
{
    whole_file(0, 1, one_state);
    is_read(2, "", "two lines");
    OK(lanes == 2, "both are lanes, though one has nothing");
    lines = 100000;
    whole_file(0, 1, one_state);
    is_read(2, "", "very many lines, and next to nothing on them");
    OK(lanes == 1, "the one that has something is a lane");
    lines = 2;
}

int main(void)
{
    int fd = mkstemp(path);
    close(fd);
    whole_file(0, 1, one_state);
    is_read(2, "", "a state");
    whole_file(32767, 1, one_state);
    is_read(2, "", "at a depth that no tree has");
    whole_file(0, 12, odd_things);
    is_read(2 + 2 + 1 + 2, "no known line or time", "what makes no sense is passed over");
    whole_file(0, 3, composites);
    is_read(6 + 1 + 4, "", "composites: parts, and the whole with its info");
    test_loops();
    test_counts();
    test_places();
    test_lines();
    return tap_done();
}
