/* fuzz_slog2.c - any bytes as a SLOG-2 file: recognised or refused, read into a log, and that log is sound. The version
 * is put right first, which a fuzzer would seldom hit. */
#include "foreign/formats.h"
#include "foreign/slog2/slog2_layout.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_slog2_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    struct pithi_input input = {.path = "fuzz.slog2", .data = copy, .size = size};
    memcpy(copy, data, size);
    if (size >= PITHI_SLOG2_HEADER)
        memcpy(pithi_slog2_put16(copy, strlen(PITHI_SLOG2_VERSION)), PITHI_SLOG2_VERSION, strlen(PITHI_SLOG2_VERSION));
    fuzz_sum += (uint64_t)pithi_slog2_probe(&input);
    fuzz_sound(make, &input);
    free(copy);
    return 0;
}
