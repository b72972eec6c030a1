/* fuzz_clog1.c - any bytes as a CLOG file of MPE 1: recognised or refused, read into a log, and that log is sound. */
#include "foreign/formats.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_clog1_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = "fuzz.clog", .data = data, .size = size};
    fuzz_sum += (uint64_t)pithi_clog1_probe(&input);
    fuzz_sound(make, &input);
    return 0;
}
