/* fuzz_chrome.c - any text as a trace of chrome://tracing: recognised or refused, read into a log, and that log is
 * sound. */
#include "foreign/formats.h"
#include "fuzz/fuzz_log.h"

static int make(struct pithi_writer *writer, void *input) { return pithi_chrome_read(input, writer); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = "fuzz.json", .data = data, .size = size};
    fuzz_sum += (uint64_t)pithi_chrome_probe(&input);
    fuzz_sound(make, &input);
    return 0;
}
