/* spill_chunk.h - computes two things of a chunk that the recording process and readers need: the states open at its
 * start (struct pithi_spill_open), and check values. */
#ifndef PITHI_SPILL_CHUNK_H
#define PITHI_SPILL_CHUNK_H

#include "spill/spill.h"

/* ---- Open states ------------------------------------------------------------------------------------------------- */

void pithi_open_enter(struct pithi_spill_open *open, uint32_t id);
/* Ends the innermost open state of this id and returns 1. Returns 0 if no entry of `open` has this id, or if `above`
 * was lowered instead of an entry (struct pithi_spill_open). */
int pithi_open_leave(struct pithi_spill_open *open, uint32_t id);

/* Updates `open` by the records in [word, end). Returns the number of these records. */
uint64_t pithi_open_scan(struct pithi_spill_open *open, const uint64_t *word, const uint64_t *end);

static inline uint32_t pithi_open_id(uint32_t entry) { return entry & PITHI_WORD_ID_MASK; }
static inline uint32_t pithi_open_times(uint32_t entry) { return (entry >> 20) + 1; }

/* ---- Check values ------------------------------------------------------------------------------------------------ */

/* Returns the check value of a chunk: of its first `words` words, which begin at `begin`. */
uint64_t pithi_spill_chunk_check(const struct pithi_chunk *header, const uint64_t *begin, uint64_t words);
/* Returns the check value of a definition and its strings, which is never 0. `size_bytes`: the size of both; the member
 * def->size_bytes may still be 0. */
uint32_t pithi_spill_def_check(const struct pithi_spill_def *def, uint32_t size_bytes);

/* Returns the number of words from `begin` up to the last word that is not 0. It searches from `end` backwards. */
uint64_t pithi_spill_stored(const uint64_t *begin, const uint64_t *end);

#endif
