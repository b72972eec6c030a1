/* fuzz_foreign_seeds.c - the ALOG and CLOG-2 files that fuzzing begins with, into the two folders named: random logs in
 * the form that fuzz_alog.c and fuzz_clog2.c read. (Those of test/golden are good seeds too.) */
#include "reader/read/format.h"
#include "common/log_model.h"

/* Of a CLOG-2 file the blocks; what follows the last record of one is cut. */
static void put_clog2(const char *from, const char *to)
{
    static unsigned char data[1 << 20];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t size = in ? fread(data, 1, sizeof data, in) : 0;
    if (!out || size < 1024 + 65536)
        exit(1);
    fputs("\3\377", out); /* big-endian, final; one block is enough */
    size = 1024 + 65536;
    while (size > 1024 && data[size - 1] == 0)
        size--;
    fwrite(data + 1024, 1, size - 1024, out);
    fclose(in);
    fclose(out);
}

static void make(const char *alog, const char *clog2, const char *name, size_t records, uint32_t lanes)
{
    struct model m = {0};
    struct pithlog *log;
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    char native[256], path[300];
    snprintf(native, sizeof native, "%s", scratch_path(name));
    model_random(&m, records, lanes);
    if (model_write(&m, native) || pithlog_open(native, &log))
        exit(1);
    snprintf(path, sizeof path, "%s/%s", alog, name);
    if (pithi_format_write(log, pithi_format_by_name("alog"), path, &how))
        exit(1);
    strcat(native, ".clog2");
    if (pithi_format_write(log, pithi_format_by_name("clog2"), native, &how))
        exit(1);
    snprintf(path, sizeof path, "%s/%s", clog2, name);
    put_clog2(native, path);
    pithlog_close(log);
    model_free(&m);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    make(argv[1], argv[2], "few", 20, 2);
    make(argv[1], argv[2], "lanes", 60, 7);
    make(argv[1], argv[2], "more", 150, 3);
    scratch_remove();
    return 0;
}
