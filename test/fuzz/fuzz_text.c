/* fuzz_text.c - any text as lines of `pith print`: recognised or refused, read into a log, and that log is sound. */
#include "foreign/text/printer.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_text_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = "fuzz.txt", .data = data, .size = size};
    fuzz_sum += (uint64_t)pithi_text_probe(&input);
    fuzz_sound(make, &input);
    return 0;
}
