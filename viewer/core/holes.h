/* holes.h - finds where records of a lane are missing: from a LOST record, or the last record before damage, to the
 * next record. Takes what an iterator delivers with PITHLOG_OPENED. */
#ifndef PITHI_VIEW_HOLES_H
#define PITHI_VIEW_HOLES_H

#include <pithlog.h>

struct pithi_hole {
    int is_open;     /* 1: records are missing; set it when the iterator returns -1 */
    int64_t from_ns; /* since this time; set it to the start of the window at first */
};

/* Takes a record. 1: a hole from *from_ns on ends at it. */
int pithi_hole_ends(struct pithlog *log, struct pithi_hole *hole, const struct pithlog_record *record,
                    int64_t *from_ns);

/* Calls `tell` for each hole of a lane in [from_ns, to_ns). Reads all its records there. */
int pithi_holes_each(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context);
/* Calls `tell` for each hole of LOST records in the window, of some more than once. Reads only the blocks with such
 * records, and those where the window begins and where holes end. Damage is no error. */
int pithi_holes_lost(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context);

#endif
