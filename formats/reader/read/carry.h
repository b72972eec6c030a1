/* carry.h - what a part of a log needs from outside the part: the events that name the code of its samples and call
 * sites.
 *
 * There are two kinds of such events (native/SPEC.md, "Samples"). pith:module says which addresses belong to which file
 * of code; a rank records it mostly in MPI_Init. pith:code says which code was made at run time; a rank records it at
 * the end of its records. A part of a log without these events would have addresses without names. */
#ifndef PITHI_CARRY_H
#define PITHI_CARRY_H

#include "pithlog.h"

struct pithi_carry;

/* Begins the search for events outside a part of the log. The part has the window and the filter of `part`, and the
 * lanes whose entry in `kept` is 1. If `kept` is NULL, the part has the lanes of `part`, and only events on these lanes
 * are found. The arguments must stay valid. *carry is NULL if the log has no events of code. */
int pithi_carry_open(struct pithlog *log, const struct pithlog_query *part, const unsigned char *kept,
                     struct pithi_carry **carry);
/* Delivers the next event that names code and lies outside the part. The record gets the time at which the part begins;
 * if its lane is not in the part, it gets the first lane of its rank in the part. Returns 1; 0 if there are no more; -1
 * on an error: records of one lane are damaged, and the next call continues. The payload is valid until the next
 * call. */
int pithi_carry_next(struct pithi_carry *carry, struct pithlog_record *record);
void pithi_carry_close(struct pithi_carry *carry); /* NULL is allowed */

#endif
