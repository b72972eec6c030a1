/* fuzz_paraver.c - any text as a trace of Paraver; what stands behind a NUL is its .pcf, and behind another its .row.
 * Recognised or refused, read into a log, and that log is sound. */
#include "foreign/paraver/paraver.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_paraver_read(input, writer); }

static void beside(const char *path, const char *suffix, const uint8_t *data, size_t size)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", path, suffix);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        exit(1);
}

static void remove_beside(const char *path, const char *suffix)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", path, suffix);
    unlink(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char stem[64], path[80];
    const uint8_t *end = data + size, *pcf = size ? memchr(data, 0, size) : NULL;
    const uint8_t *row = pcf ? memchr(pcf + 1, 0, (size_t)(end - pcf - 1)) : NULL;
    snprintf(stem, sizeof stem, "/dev/shm/fuzz-paraver-%d", (int)getpid());
    snprintf(path, sizeof path, "%s.prv", stem);
    struct pithi_input input = {.path = path, .data = data, .size = pcf ? (size_t)(pcf - data) : size};
    if (pcf)
        beside(stem, "pcf", pcf + 1, (size_t)((row ? row : end) - pcf - 1));
    if (row)
        beside(stem, "row", row + 1, (size_t)(end - row - 1));
    fuzz_sum += (uint64_t)pithi_paraver_probe(&input);
    fuzz_sound(make, &input);
    remove_beside(stem, "pcf");
    remove_beside(stem, "row");
    return 0;
}
