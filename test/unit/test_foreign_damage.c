/* test_foreign_damage.c - files of other formats overwritten anywhere, cut anywhere: an error that names the file, or a
 * log which is sound; never a crash (run it under the sanitizers, too). */
#include "alog/alog.h"
#include "clog2/clog2.h"
#include "native/check.h"
#include "native_model.h"
#include "picl/picl.h"
#include "tap.h"
#include "text/text_lines.h"

enum { WINDOW = 64, STEP = 16, FILLS = 4 };

/* As the format writes it, on the heap, as long as it is: what is read beyond its end is seen by a sanitizer. */
struct file {
    unsigned char *data;
    size_t size, used; /* used: up to the last byte that is not 0 */
    int (*read)(const struct pithi_input *input, struct pithi_writer *writer);
    uint64_t records;
};

static struct file make(const char *format, int (*read)(const struct pithi_input *, struct pithi_writer *))
{
    struct file f = {.read = read};
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct model m = {0};
    struct pithlog *log;
    char native[256], path[256];
    snprintf(native, sizeof native, "%s", scratch_path("model.pith"));
    snprintf(path, sizeof path, "%s", scratch_path(format));
    model_random(&m, 60, 4);
    if (model_write(&m, native) || pithlog_open(native, &log) ||
        pithi_format_write(log, pithi_format_by_name(format), path, &how))
        exit(1);
    pithlog_close(log);
    model_free(&m);
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0)
        exit(1);
    f.size = (size_t)ftell(in);
    f.data = malloc(f.size);
    rewind(in);
    if (fread(f.data, 1, f.size, in) != f.size)
        exit(1);
    fclose(in);
    for (f.used = f.size; f.used > 0 && f.data[f.used - 1] == 0;)
        f.used--;
    return f;
}

/* What came of one: it was read (with how many records), or refused; well or badly. */
struct outcome {
    uint64_t records;
    int read, wrong;
};

static struct outcome read_file(const struct file *f, const unsigned char *data, size_t size)
{
    struct pithi_input input = {"damaged", data, size};
    struct outcome o = {0};
    struct pithi_writer *writer;
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("made.pith"));
    if (pithi_writer_open(&writer, path, -1) != PITH_OK)
        exit(1);
    o.read = f->read(&input, writer) == PITH_OK;
    if (!o.read)
        o.wrong = strncmp(pithlog_error(), "damaged: ", 9) != 0;
    else
        o.wrong = pithi_writer_finish(writer) != PITH_OK || pithi_check(path, NULL, NULL, &o.records) != 0;
    pithi_writer_close(writer);
    return o;
}

/* The next place to damage: what is not used of a block is passed over in greater steps. */
static size_t next_window(const struct file *f, size_t at)
{
    size_t end = at + STEP;
    while (end < f->used && f->data[end] == 0 && end - at < 1000)
        end++;
    return end - at < 1000 ? at + STEP : end;
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
    OK(windows > 250 && read > windows / 20, "%s: %d windows overwritten, %d can be read", format, (int)windows,
       (int)read);
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

/* Numbers that nobody would have written: names no memory is asked for, and lanes that cost little. */
static void test_numbers(void)
{
    struct file f = {.read = pithi_alog_read};
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

int main(void)
{
    struct file alog = make("alog", pithi_alog_read), clog2 = make("clog2", pithi_clog2_read);
    struct file text = make("txt", pithi_text_read), picl = make("trf", pithi_picl_read);
    test_windows("alog", &alog);
    test_cuts("alog", &alog);
    test_windows("clog2", &clog2);
    test_cuts("clog2", &clog2);
    test_windows("text", &text);
    test_cuts("text", &text);
    test_windows("picl", &picl);
    test_cuts("picl", &picl);
    test_numbers();
    free(text.data);
    free(picl.data);
    free(alog.data);
    free(clog2.data);
    scratch_remove();
    return tap_done();
}
