/* spill_numbers.h - events that were recorded only by their number (MPE's API): their meaning is known when the
 * descriptions of all processes have been collected.
 *
 * A process records a number that it has not described as an event "event 600", or with a payload as "event 600 info",
 * in a separate group. Properties in the set of definitions of all processes give the meaning of numbers
 * (event_numbers.h); a process's own description takes precedence. Example: rank 0 describes 600 and 601 as the state
 * Broadcast, rank 1 records "event 600", "event 601": in the log, rank 1 enters and leaves Broadcast.
 */
#ifndef PITHI_SPILL_NUMBERS_H
#define PITHI_SPILL_NUMBERS_H

#include "native/event_numbers.h"
#include "native/segment.h"
#include "spill/spill_walk.h"

#define PITHI_NUMBERS_GROUP "MPE, not described"

/* In the map of a walk, an id from here on stands for number id - PITHI_NUMBER_ID of the walk's numbers. */
#define PITHI_NUMBER_ID UINT32_C(0x80000000)

/* The meaning of a number in the log. */
struct pithi_spill_number {
    uint32_t kind;      /* PITHLOG_ENTER, LEAVE, EVENT; 0: the user excluded it */
    uint32_t id;        /* of the state or event */
    uint32_t info;      /* the event of a state's payloads */
    int is_text;        /* 1: the payload has no format; it becomes a string in the log */
    const char *format; /* of the payload; belongs to the set. NULL: no process has described the number */
};

/* Adds the definitions of a process that do not depend on others: all except numbers that it has described. */
int pithi_spill_numbers_own(const struct pithi_spill *spill, struct pithi_defs *defs);

/* Adds the descriptions of a process to the set. Call it for all processes before the first map, because a process may
 * use numbers that a later one describes. */
int pithi_spill_numbers_said(const struct pithi_spill *spill, struct pithi_defs *defs);

/* In the set of all processes: removes numbers that are described and adds the events of their payloads. Numbers that
 * no process has described become "event N" with or without payload. */
int pithi_spill_numbers_settle(struct pithi_defs *defs);

/* Makes the map from ids of the process to ids of the set, and the meanings of the numbers. A settled set gets no new
 * definitions. The caller frees both. */
int pithi_spill_numbers_map(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t **map,
                            struct pithi_spill_number **numbers);

/* The meanings that pithi_spill_numbers_more collects; all zero at first. That function extends the map of a running
 * process, which may define more: it fills in entries of the map that are UINT32_MAX, and adds numbers. */
struct pithi_spill_numbers {
    struct pithi_spill_number *all;
    uint32_t count, room;
};
int pithi_spill_numbers_more(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t *map,
                             struct pithi_spill_numbers *numbers);

#endif
