/* test_foreign_damage.c - files of all formats that are read and written, overwritten anywhere, cut anywhere, with
 * numbers at their extremes and lines in another order: an error that names the file, or a log which is sound; never a
 * crash (run it under the sanitizers, too). Native logs and spill files: test_damage.c, test_spill_damage.c. */
#include "foreign/formats.h"
#include "reader/read/check.h"
#include "common/log_model.h"
#include "common/quick_or_full.h"
#include "tap.h"

enum { WINDOW = 64, STEP = 16, FILLS = 4 };

/* As the format writes it, on the heap, as long as it is: what is read beyond its end is seen by a sanitizer. */
struct file {
    char path[256];
    unsigned char *data;
    size_t size, used; /* used: up to the last byte that is not 0 */
    int (*read)(const struct pithi_input *input, struct pithi_writer *writer);
    int is_text;
    uint64_t records;
};

static void load(struct file *f)
{
    FILE *in = fopen(f->path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        exit(1);
    f->size = (size_t)ftell(in);
    f->data = malloc(f->size);
    rewind(in);
    if (fread(f->data, 1, f->size, in) != f->size)
        exit(1);
    fclose(in);
    for (f->used = f->size; f->used > 0 && f->data[f->used - 1] == 0;)
        f->used--;
    f->is_text = memchr(f->data, 0, f->size) == NULL;
}

static struct file make(const struct pithi_format *format)
{
    struct file f = {.read = format->read};
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct model m = {0};
    struct pithlog *log;
    char native[256];
    snprintf(native, sizeof native, "%s", scratch_path("model.pith"));
    snprintf(f.path, sizeof f.path, "%s", scratch_path(format->name));
    model_random(&m, 60, 4);
    model_without_holes(&m);
    if (model_write(&m, native) || pithlog_open(native, &log) || pithi_format_write(log, format, f.path, &how))
        exit(1);
    pithlog_close(log);
    model_free(&m);
    load(&f);
    return f;
}

/* A number as its four bytes, the most significant first. */
static unsigned char *put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    return at + 4;
}

/* CLOG-1 is not written; test/golden/clog1_make.py makes one with everything in it. */
static struct file make_clog1(void)
{
    enum { BLOCK = 1024, BLOCKS = 3 };
    struct file f = {.read = pithi_clog1_read, .size = BLOCK * BLOCKS};
    unsigned char *at = f.data = calloc(BLOCKS, BLOCK);
    uint32_t n = 0;
    snprintf(f.path, sizeof f.path, "clog1");
    for (int block = 0; block < BLOCKS; block++, at = f.data + block * BLOCK) {
        for (; at + 80 < f.data + (block + 1) * BLOCK; n++) {
            uint32_t type = n % 8 + 1, words = (uint32_t[]){8, 6, 6, 4, 6, 14, 12, 2}[type - 1];
            at = put(put(at, 0x3f000000 + n), 0); /* a time */
            at = put(put(put(put(at, type), 3 + words / 2), n % 3), 0);
            for (uint32_t word = 0; word < words; word++)
                at = put(at, word < 3 ? 500 + n % 5 + word % 2 : word > 3 ? 0x61620000 : 1);
        }
        at = put(put(at, 0x3ff00000), 0);
        at = put(put(put(put(at, block < BLOCKS - 1 ? UINT32_MAX : UINT32_MAX - 1), 3), 0), 0);
        f.used = (size_t)(at - f.data);
    }
    return f;
}

/* What came of one: it was read (with how many records), or refused; well or badly. */
struct outcome {
    uint64_t records;
    int read, wrong;
};

/* The log made of the file is whole; of a cut file it says that it is incomplete, and nothing else is wrong. */
static int is_sound(const char *path, uint64_t *records)
{
    struct pithlog *log;
    if (pithlog_open(path, &log) != PITH_OK)
        return 0;
    int complete = pithlog_get_info(log)->complete;
    pithlog_close(log);
    return pithi_check(path, NULL, NULL, records) == (complete ? 0 : 1);
}

static struct outcome read_file(const struct file *f, const unsigned char *data, size_t size)
{
    struct pithi_input input = {.path = f->path, .data = data, .size = size};
    struct outcome o = {0};
    struct pithi_writer *writer;
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("made.pith"));
    if (pithi_writer_open(&writer, path, -1) != PITH_OK)
        exit(1);
    o.read = f->read(&input, writer) == PITH_OK;
    if (!o.read)
        o.wrong = strncmp(pithlog_error(), f->path, strlen(f->path)) != 0; /* or of one beside it */
    else
        o.wrong = pithi_writer_finish(writer) != PITH_OK || !is_sound(path, &o.records);
    pithi_writer_close(writer);
    return o;
}

/* The next place to damage: what is not used of a block is passed over in greater steps. */
static size_t next_window(const struct file *f, size_t at)
{
    const size_t step = fewer_sanitized(2 * STEP, STEP);
    size_t end = at + step;
    while (end < f->used && f->data[end] == 0 && end - at < 1000)
        end++;
    return end - at < 1000 ? at + step : end;
}

static void test_windows(const char *format, struct file *f)
{
    static const unsigned char fills[] = {0, 0xff, '9', 0};
    unsigned char saved[WINDOW];
    uint64_t windows = 0, read = 0, wrong = 0, more = 0;
    f->records = read_file(f, f->data, f->size).records;
    OK(f->records > 30, "%s: %zu bytes, %d records", format, f->used, (int)f->records);
    for (size_t at = 0; at < f->used; at = next_window(f, at)) {
        size_t n = f->size - at < WINDOW ? f->size - at : WINDOW;
        memcpy(saved, f->data + at, n);
        for (int fill = 0; fill < FILLS; fill++) {
            for (size_t i = 0; i < n; i++)
                f->data[at + i] = fill == FILLS - 1 ? (unsigned char)random_u64() : fills[fill];
            struct outcome o = read_file(f, f->data, f->size);
            windows++;
            read += (uint64_t)o.read;
            wrong += (uint64_t)o.wrong;
            more += o.records > 2 * f->records;
        }
        memcpy(f->data + at, saved, n);
    }
    OK(windows > fewer_sanitized(120, 250) && read > windows / 100, "%s: %d windows overwritten, %d can be read",
       format, (int)windows, (int)read);
    OK(wrong == 0, "%s: each is refused with the file's name, or its log is sound", format);
    OK(more == 0, "%s: damage makes no records", format);
}

static void test_cuts(const char *format, struct file *f)
{
    uint64_t cuts = 0, wrong = 0, falls = 0, before = 0;
    for (size_t size = 0; size < f->used; size += size < 8192 ? 7 : 501, cuts++) {
        unsigned char *data = malloc(size ? size : 1);
        memcpy(data, f->data, size);
        struct outcome o = read_file(f, data, size);
        wrong += (uint64_t)o.wrong;
        if (o.read) {
            falls += o.records < before;
            before = o.records;
        }
        free(data);
    }
    OK(wrong == 0 && before > f->records / 2, "%s: %d cuts, each a log or an error", format, (int)cuts);
    OK(falls == 0, "%s: with the more records the more there is", format);
}

/* Each number of the file once at an extreme. */
static void test_extremes(const char *format, struct file *f)
{
    static const uint32_t values[] = {0x7fffffff, 0x80000000, 0xffffffff, 0xffffff7f, 1};
    uint64_t wrong = 0, count = 0;
    for (size_t at = 0; at + 4 <= f->used; at += 4, count++) {
        unsigned char saved[4];
        memcpy(saved, f->data + at, 4);
        put(f->data + at, values[random_u64() % 5]);
        wrong += (uint64_t)read_file(f, f->data, f->size).wrong;
        memcpy(f->data + at, saved, 4);
    }
    OK(wrong == 0 && count > 100, "%s: %d numbers at their extremes", format, (int)count);
}

static int is_number(unsigned char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; }

static void test_text_extremes(const char *format, struct file *f)
{
    static const char *const values[] = {
        "-1", "99999999999999999999", "2147483648", "-9223372036854775808", "1e308", "nan", "", "18446744073709551615"};
    uint64_t wrong = 0, count = 0;
    char *text = malloc(f->size + 32);
    for (size_t at = 0; at < f->size; at++) {
        size_t end = at;
        while (end < f->size && is_number(f->data[end]))
            end++;
        if (end == at)
            continue;
        const char *value = values[random_u64() % 8];
        size_t length = strlen(value), size = f->size - (end - at) + length;
        memcpy(text, f->data, at);
        memcpy(text + at, value, length);
        memcpy(text + at + length, f->data + end, f->size - end);
        unsigned char *exact = memcpy(malloc(size), text, size);
        wrong += (uint64_t)read_file(f, exact, size).wrong;
        free(exact);
        count++;
        at = end;
    }
    free(text);
    OK(wrong == 0 && count > 100, "%s: %d numbers at their extremes", format, (int)count);
}

/* All lines in the opposite order, and in none: times that fall, ends before starts, uses before definitions. */
static void test_line_order(const char *format, struct file *f)
{
    uint64_t wrong = 0;
    for (int round = 0; round < 50; round++) {
        unsigned char *data = malloc(f->size);
        size_t used = 0, end = f->size, room = f->size;
        for (size_t at = f->size; at-- > 0;) {
            if (at > 0 && f->data[at - 1] != '\n')
                continue;
            size_t size = end - at;
            int last = round > 0 && random_u64() % 2; /* to the end, or behind what is there */
            memcpy(last ? data + (room -= size) : data + used, f->data + at, size);
            used += last ? 0 : size;
            end = at;
        }
        wrong += (uint64_t)read_file(f, data, f->size).wrong;
        free(data);
    }
    OK(wrong == 0, "%s: lines in other orders", format);
}

/* Numbers that nobody would have written: names no memory is asked for, and lanes that cost little. */
static void test_numbers(void)
{
    struct file f = {.path = "numbers", .read = pithi_format_by_name("alog")->read};
    size_t room = 1 << 20, used = 0;
    char *text = malloc(room);
    struct outcome o;
    used += (size_t)snprintf(text, room, "-3 0 0 2000000000 0 0\n");
    for (int i = 0; i < 20000; i++)
        used += (size_t)snprintf(text + used, room - used, "1 %d 0 0 0 %d\n", i, i);
    o = read_file(&f, (unsigned char *)text, used);
    OK(o.read && !o.wrong && o.records == 20000, "alog: 20000 processes with a record each");
    used = (size_t)snprintf(text, room, "-1 0 0 0 0 0 x\n1 999999999 0 0 0 1\n");
    o = read_file(&f, (unsigned char *)text, used);
    OK(!o.wrong, "alog: a process number beyond reason");
    free(text);
}

static void store(const char *path, const unsigned char *data, size_t size)
{
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0)
        exit(1);
}

/* The files beside it, which stand in the folder. */
static void test_beside(const struct pithi_format *format, struct file *f)
{
    uint64_t wrong = 0, count = 0;
    for (const char *word = format->beside; word && *word; word += strspn(word, " ")) {
        struct file beside = {0};
        int length = (int)strcspn(word, " ");
        snprintf(beside.path, sizeof beside.path, "%.200s.%.*s", f->path, length, word);
        load(&beside);
        for (size_t at = 0; at < beside.size; at += 4 * STEP, count += 2) {
            size_t n = beside.size - at < WINDOW ? beside.size - at : WINDOW;
            store(beside.path, beside.data, at);
            wrong += (uint64_t)read_file(f, f->data, f->size).wrong;
            unsigned char *data = memcpy(malloc(beside.size), beside.data, beside.size);
            for (size_t i = 0; i < n; i++)
                data[at + i] = (unsigned char)(count % 4 ? 31 * i + 7 * at : (size_t)'9');
            store(beside.path, data, beside.size);
            wrong += (uint64_t)read_file(f, f->data, f->size).wrong;
            free(data);
        }
        store(beside.path, beside.data, beside.size);
        free(beside.data);
        word += length;
    }
    if (format->beside)
        OK(wrong == 0 && count > 20, "%s: files beside it damaged in %d ways", format->name, (int)count);
}

static void test_all(const char *format, struct file *f)
{
    test_windows(format, f);
    test_cuts(format, f);
    if (f->is_text) {
        test_text_extremes(format, f);
        test_line_order(format, f);
    } else {
        test_extremes(format, f);
    }
    free(f->data);
}

int main(void)
{
    for (const struct pithi_format *format = pithi_formats; format->name; format++) {
        if (!format->read || !format->write || strcmp(format->name, "native") == 0)
            continue;
        struct file f = make(format);
        test_beside(format, &f);
        test_all(format->name, &f);
    }
    struct file clog1 = make_clog1();
    test_all("clog1", &clog1);
    test_numbers();
    scratch_remove();
    return tap_done();
}
