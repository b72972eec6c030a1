/* check.h - verifying a log, for `pith check`. */
#ifndef PITHI_CHECK_H
#define PITHI_CHECK_H

#include <stdint.h>

/* Reads all of a log and calls `say` (may be NULL) with a line for each damage: file, offset, cause. A native log is
 * verified in every part: CRCs, index against blocks, times, ids, open states, totals, nothing between the chunks;
 * of others all is read. Returns the number of damages; -1 when it cannot be opened at all, with pithlog_error().
 * *records (may be NULL) is the number of good records. Cost: as iterating over everything. */
int pithi_check(const char *path, void (*say)(void *context, const char *text), void *context, uint64_t *records);
/* The same, with `progress` told now and then of the part done, from 0 to 1; what it gives back is not looked at. */
int pithi_check_watched(const char *path, void (*say)(void *context, const char *text), void *context,
                        int (*progress)(void *context, double part), uint64_t *records);

#endif
