/* reorder.h - puts records that come a little out of order in time into order, in bounded memory.
 *
 * A native log wants the times of a lane not to fall; foreign files promise that, but some break it (clocks corrected
 * after the fact, lines joined by hand). The window holds the last PITHI_REORDER_WINDOW records and gives out the
 * earliest, so a record may be late by that many; one that is later still is given out with its old time, and counted.
 * Records with the same time keep the order in which they came.
 */
#ifndef PITHI_REORDER_H
#define PITHI_REORDER_H

#include "pithlog.h"

enum { PITHI_REORDER_WINDOW = 131072 };

struct pithi_reorder;
/* `emit` gets the records; an error it returns is passed on. */
int pithi_reorder_new(struct pithi_reorder **reorder, int (*emit)(void *context, const struct pithlog_record *record),
                      void *context);
int pithi_reorder_add(struct pithi_reorder *reorder, const struct pithlog_record *record); /* payload copied */
int pithi_reorder_end(struct pithi_reorder *reorder);                                      /* gives out what is left */
uint64_t pithi_reorder_late(const struct pithi_reorder *reorder);
void pithi_reorder_free(struct pithi_reorder *reorder); /* NULL: nothing */

#endif
