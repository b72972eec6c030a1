/* carry.h - what a part of a log needs of the rest: the events that name the code of its samples and call sites.
 *
 * A rank says with pith:module which file has which addresses, mostly in MPI_Init, and with pith:code at the end of its
 * records what code was made at run time (native/SPEC.md, "Samples"). A part without them would have addresses without
 * names. */
#ifndef PITHI_CARRY_H
#define PITHI_CARRY_H

#include "pithlog.h"

struct pithi_carry;

/* The part: the window and the filter of `part`, and the lanes whose entry in `kept` is 1. `kept` NULL: the lanes of
 * `part`, and only what lies on them. The arguments must stay valid. *carry is NULL if the log has no such event. */
int pithi_carry_open(struct pithlog *log, const struct pithlog_query *part, const unsigned char *kept,
                     struct pithi_carry **carry);
/* The next such event outside the part. Its time is the start of the part, its lane the first one of its rank there. 1;
 * 0: no more; -1: a damaged part of a lane, call again. Its payload is valid until the next call. */
int pithi_carry_next(struct pithi_carry *carry, struct pithlog_record *record);
void pithi_carry_close(struct pithi_carry *carry); /* NULL: nothing happens */

#endif
