/* definitions.h - names and ids of states, events and counters; communicators, threads' names and properties.
 *
 * Definitions are kept in memory, since the same name must give the same id, and are stored in the spill file at once,
 * so that the file can be read whenever the process dies. */
#ifndef PITHI_DEFINITIONS_H
#define PITHI_DEFINITIONS_H

#include <stdint.h>

/* Under the guard: stores all definitions in a new spill file. */
void pithi_defs_write_all(void);
/* Called when a forked child or the process's next log begins: the next definition goes into a new spill file. Names
 * and ids stay as they are. */
void pithi_defs_forked(void);

/* Under the guard: returns a counter's id, like pith_counter_define. */
uint32_t pithi_defs_counter(const char *name, const char *unit);

/* Returns the name or group in this process that is nearest to a misspelt one; excluded names count, too. Returns NULL
 * if none is near. */
const char *pithi_defs_nearest(const char *misspelt);

/* Under the guard: stores a sync point of clock number `clock`; also after recording, while the spill file exists. */
struct pithi_sync;
void pithi_defs_sync(uint32_t clock, const struct pithi_sync *point);

/* In a process that PITH_RANKS excludes: adds its properties of event numbers (spill_numbers.h), because other
 * processes may have recorded these numbers. */
struct pithi_defs;
int pithi_defs_said(struct pithi_defs *set);

#endif
