/* fuzz_otf2.c - any bytes as an archive of OTF2: refused, or read into a log, and that log is sound.
 *
 * The input is a list of files: a byte with the place in `names` below, two bytes with the size (low first), the bytes.
 * libotf2 wants real files, so they are written into a folder of this process. Where it is missing all is refused. */
#include <sys/stat.h>

#include "foreign/otf2/otf2_probe.h"
#include "fuzz/fuzz_log.h"

static const char *const names[] = {"traces.def",    "traces/0.evt",  "traces/0.def",  "traces/1.evt",
                                    "traces/1.def",  "traces/2.evt",  "traces/2.def",  "traces/70.evt",
                                    "traces/70.def", "traces/71.evt", "traces/71.def", "traces/72.evt",
                                    "traces/72.def", "traces/80.evt", "traces/80.def"};
enum { NAMES = sizeof names / sizeof *names };

/* The anchor is always the same: with another one libotf2 asks for any amount of memory, which stops a fuzzer. */
static const uint8_t anchor[] = {0x03, 0x42, 0x4f, 0x54, 0x46, 0x32, 0x00, 0x03, 0x02, 0x03, 0x00, 0x02, 0x00, 0x00,
                                 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00,
                                 0x01, 0x01, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x7e, 0x00, 0x00, 0x00,
                                 0x00, 0x00, 0x00, 0x00, 0x00, 0x50, 0x69, 0x74, 0x68, 0x20, 0x30, 0x2e, 0x31, 0x2e,
                                 0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf5, 0xfc, 0x03, 0x7a, 0xfa, 0x3d, 0xec,
                                 0xa6, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x01, 0x00};

static char folder[64];

/* libotf2 forgets files that it could not read, and asks for as much memory as a file says. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0:allocator_may_return_null=1"; }

static void clean(void)
{
    char path[128];

    for (int i = 0; i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
}

static void remove_folder(void)
{
    char path[128];

    clean();
    snprintf(path, sizeof path, "%s/traces.otf2", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/traces", folder);
    rmdir(path);
    rmdir(folder);
}

static void make_folder(void)
{
    char path[128];

    snprintf(folder, sizeof folder, "%s/pith-fuzz-otf2-%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
             (long)getpid());
    snprintf(path, sizeof path, "%s/traces", folder);
    if (mkdir(folder, 0700) != 0 || mkdir(path, 0700) != 0) {
        perror(folder);
        exit(1);
    }
    atexit(remove_folder);
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        exit(1);
}

static void write_files(const uint8_t *data, size_t size)
{
    write_file("traces.otf2", anchor, sizeof anchor);
    for (size_t at = 0; at + 3 <= size;) {
        size_t length = data[at + 1] | (size_t)data[at + 2] << 8;
        const char *name = names[data[at] % NAMES];
        at += 3;
        length = length < size - at ? length : size - at;
        write_file(name, data + at, length);
        at += length;
    }
}

static int make(struct pithi_writer *writer, void *input) { return pithi_otf2_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = folder};

    if (!*folder)
        make_folder();
    clean();
    write_files(data, size);
    if (pithi_otf2_probe(&input))
        fuzz_sound(make, &input);
    return 0;
}
