/* fuzz.h - what a fuzz entry defines (libFuzzer's name). It must come back from any input; the value is 0. */
#ifndef PITH_FUZZ_H
#define PITH_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
