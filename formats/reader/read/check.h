/* check.h - verifies a log, for `pith check`. */
#ifndef PITHI_CHECK_H
#define PITHI_CHECK_H

#include <stdint.h>

/* Reads a whole log and calls `say` (may be NULL) with a line for each damage: file, offset, cause. In a native log, it
 * verifies everything: CRCs, times, ids, open states, totals, that the index agrees with the blocks, and that no bytes
 * lie between chunks. A log of another format is only read to its end. Returns the number of damages; -1, with
 * pithlog_error(), if the log cannot be opened. *records (may be NULL): the number of good records. Takes about as long
 * as iterating over all records. */
int pithi_check(const char *path, void (*say)(void *context, const char *text), void *context, uint64_t *records);
/* Like pithi_check; calls `progress` from time to time with the fraction that is done, from 0 to 1, and ignores its
 * result. */
int pithi_check_watched(const char *path, void (*say)(void *context, const char *text), void *context,
                        int (*progress)(void *context, double part), uint64_t *records);

#endif
