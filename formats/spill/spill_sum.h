/* spill_sum.h - check values of chunks and definitions: for the process that fills a spill file, and for the reader
 * that verifies it. */
#ifndef PITHI_SPILL_SUM_H
#define PITHI_SPILL_SUM_H

#include "spill/spill.h"

/* A sum of words that depends on their order. `seed` is what must be the same besides. Costs some 0.1 ns a word. */
uint64_t pithi_spill_sum(const uint64_t *words, uint64_t count, uint64_t seed);

/* The check value of a chunk whose first `words` words begin at `begin`. */
uint64_t pithi_spill_chunk_check(const struct pithi_chunk *header, const uint64_t *begin, uint64_t words);
/* That of a definition with what follows it; `size_bytes` may still be 0 in the record itself. Never 0. */
uint32_t pithi_spill_def_check(const struct pithi_spill_def *def, uint32_t size_bytes);

/* How many words there are from `begin` to the last one that is not 0. Cost: the words of 0 behind it. */
uint64_t pithi_spill_stored(const uint64_t *begin, const uint64_t *end);

#endif
