/* definitions.h - names and ids of states, events and counters; communicators, threads' names and properties.
 *
 * What was defined is kept in memory (the same name must give the same id) and stored in the spill file at once, so
 * that the file explains itself whenever the process dies. */
#ifndef PITHI_DEFINITIONS_H
#define PITHI_DEFINITIONS_H

#include <stdint.h>

/* Under the guard: stores all definitions in a spill file that was just made. */
void pithi_defs_write_all(void);
/* In a forked child: names and ids stay, the file is gone. */
void pithi_defs_forked(void);

/* Under the guard: a sync point, of the clock of this number. Also when recording is over and its file still there. */
struct pithi_sync;
void pithi_defs_sync(uint32_t clock, const struct pithi_sync *point);

/* Of a process whose own records are left out (PITH_RANKS): what it said of numbers (spill_numbers.h), which others may
 * have recorded. */
struct pithi_defs;
int pithi_defs_said(struct pithi_defs *set);

#endif
