/* fuzz_picl.c - any text as PICL: recognised or refused, read into a log, and that log is sound. */
#include "foreign/picl/picl.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_picl_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = "fuzz.trf", .data = data, .size = size};
    fuzz_sum += (uint64_t)pithi_picl_probe(&input);
    fuzz_sound(make, &input);
    return 0;
}
