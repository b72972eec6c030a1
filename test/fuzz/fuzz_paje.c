/* fuzz_paje.c - any text as a trace of Paje: recognised or refused, read into a log, and that log is sound. */
#include "foreign/formats.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_paje_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = "fuzz.trace", .data = data, .size = size};
    fuzz_sum += (uint64_t)pithi_paje_probe(&input);
    fuzz_sound(make, &input);
    return 0;
}
