/* spill_numbers.h - events that were recorded only by a number (in MPE's API): what a number means is known only when
 * the descriptions of all processes have been collected.
 *
 * If a process records a number that it has not described, it defines an event "event 600" for it ("event 600 info" for
 * the number with a payload), in a separate group. The set of the definitions of all processes has properties with the
 * meanings of numbers (event_numbers.h); a process's own description takes precedence. Example: rank 0 describes 600
 * and 601 as the begin and end of the state Broadcast, and rank 1 records "event 600", "event 601". In the log, rank 1
 * enters and leaves Broadcast.
 */
#ifndef PITHI_SPILL_NUMBERS_H
#define PITHI_SPILL_NUMBERS_H

#include "native/event_numbers.h"
#include "native/segment.h"
#include "spill/spill_walk.h"

#define PITHI_NUMBERS_GROUP "MPE, not described"

/* In the map from ids of a process to ids of the log, an id of the log from PITHI_NUMBER_ID on is no id: it stands for
 * the item with index id - PITHI_NUMBER_ID in the array of struct pithi_spill_number. */
#define PITHI_NUMBER_ID UINT32_C(0x80000000)

/* The meaning of a number in the log. */
struct pithi_spill_number {
    uint32_t kind;      /* PITHLOG_ENTER, LEAVE, EVENT; 0: the user excluded the state or event from recording */
    uint32_t id;        /* of the state or event */
    uint32_t info;      /* id of the event for payloads of the state */
    int is_text;        /* 1: the payload has no format; it becomes a string in the log */
    const char *format; /* of the payload; belongs to the set. NULL: no process has described the number */
};

/* First step: adds the definitions of a process, except numbers that this process has described. */
int pithi_spill_numbers_own(const struct pithi_spill *spill, struct pithi_defs *defs);

/* Second step: adds the descriptions by a process to the set. Call it for all processes before pithi_spill_numbers_map,
 * because a process may use numbers that a later process describes. */
int pithi_spill_numbers_said(const struct pithi_spill *spill, struct pithi_defs *defs);

/* Third step, once for the set of all processes: removes numbers that a process has described, and adds the events for
 * their payloads. A number that no process has described becomes the event "event N", with or without payload. */
int pithi_spill_numbers_settle(struct pithi_defs *defs);

/* Last step: makes the map from ids of the process to ids of the set, and the meanings of the numbers. After
 * pithi_spill_numbers_settle it adds no definitions to the set. The caller frees *map and *numbers. */
int pithi_spill_numbers_map(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t **map,
                            struct pithi_spill_number **numbers);

/* For a running process, which may still make definitions: the meanings that pithi_spill_numbers_more has collected,
 * all zero at first. pithi_spill_numbers_more extends the map: it fills in entries that are UINT32_MAX, and adds
 * numbers. */
struct pithi_spill_numbers {
    struct pithi_spill_number *all;
    uint32_t count, room;
};
int pithi_spill_numbers_more(const struct pithi_spill *spill, struct pithi_defs *defs, uint32_t *map,
                             struct pithi_spill_numbers *numbers);

#endif
