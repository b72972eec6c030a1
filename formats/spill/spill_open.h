/* spill_open.h - the states open at one moment of a lane (struct pithi_spill_open): taken through records by the
 * process that gives up a chunk, read by whoever reads what is left. */
#ifndef PITHI_SPILL_OPEN_H
#define PITHI_SPILL_OPEN_H

#include "spill/spill.h"

void pithi_open_enter(struct pithi_spill_open *open, uint32_t id);
/* 1; 0: no such state is open. */
int pithi_open_leave(struct pithi_spill_open *open, uint32_t id);

/* Takes `open` through the records in [word, end). Gives how many there are. */
uint64_t pithi_open_scan(struct pithi_spill_open *open, const uint64_t *word, const uint64_t *end);

static inline uint32_t pithi_open_id(uint32_t entry) { return entry & PITHI_WORD_ID_MASK; }
static inline uint32_t pithi_open_times(uint32_t entry) { return (entry >> 20) + 1; }

#endif
