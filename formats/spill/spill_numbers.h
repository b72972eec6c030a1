/* spill_numbers.h - events that were recorded by their number alone (MPE's API): what they are is known when the
 * descriptions of all processes are together.
 *
 * A process records a number that it has not described under an event of the name "event 600", or with a payload "event
 * 600 info", in a group of its own. The set of definitions of all processes has properties that tell what numbers mean
 * (event_numbers.h); what a process said itself goes before that. Example: rank 0 describes 600 and 601 as the state
 * Broadcast, rank 1 records "event 600", "event 601": in the log it enters and leaves Broadcast.
 */
#ifndef PITHI_SPILL_NUMBERS_H
#define PITHI_SPILL_NUMBERS_H

#include "event_numbers.h"
#include "native/segment.h"
#include "spill/spill_walk.h"

#define PITHI_NUMBERS_GROUP "MPE, not described"

/* Ids in a walk's map from here on are indices of its numbers. */
#define PITHI_NUMBER_ID UINT32_C(0x80000000)

/* What a number is in the log. */
struct pithi_spill_number {
    uint32_t kind;      /* PITHLOG_ENTER, LEAVE, EVENT; 0: left out by the user */
    uint32_t id;        /* of the state or event */
    uint32_t info;      /* the event of a state's payloads */
    int is_text;        /* the payload has no format, and becomes a string of the log's */
    const char *format; /* of the payload; the set's. NULL: nobody has described the number */
};

/* The definitions of a process that it can put into the set by itself: all but numbers that it has described. */
int pithi_spill_numbers_own(const struct pithi_spill *spill, struct pithi_defs *defs);

/* What a process has described, for those who come before it: to be called for all processes before the first map. */
int pithi_spill_numbers_said(const struct pithi_spill *spill, struct pithi_defs *defs);

/* In the set of all: numbers that are described go, events of payloads come, and others are "event N" in either case.
 */
int pithi_spill_numbers_settle(struct pithi_defs *defs);

/* The map from ids of the process to those of the set, and what the numbers among them are. A set that was settled gets
 * nothing new. Both are the caller's to free. */
int pithi_spill_numbers_map(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t **map,
                            struct pithi_spill_number **numbers);

/* The same for a process that goes on: those entries of the map that are UINT32_MAX are looked at, and numbers added.
 */
struct pithi_spill_numbers {
    struct pithi_spill_number *all;
    uint32_t count, room;
};
int pithi_spill_numbers_more(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t *map,
                             struct pithi_spill_numbers *numbers);

#endif
