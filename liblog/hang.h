/* hang.h - reports who waits for whom, if the job makes no progress (PITH_HANG) or at a signal. */
#ifndef PITHI_HANG_H
#define PITHI_HANG_H

#include <stdint.h>

/* Returns the time in ns between two calls of pithi_hang_look. */
int64_t pithi_hang_pause(void);
/* Looks whether the job hangs. The listener calls it between pithi_listener_enter and pithi_listener_leave. If no rank
 * has recorded anything for PITH_HANG, one process of the job prints a report, and ends the job if PITH_HANG has
 * ",abort". */
void pithi_hang_look(void);
/* Prints the report at once, in the calling process. */
void pithi_hang_report(void);

#endif
