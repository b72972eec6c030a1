/* hang.h - reports who waits for whom, if the job makes no progress (PITH_HANG) or at a signal. */
#ifndef PITHI_HANG_H
#define PITHI_HANG_H

#include <stdint.h>

/* The time between two looks. */
int64_t pithi_hang_pause(void);
/* Between pithi_listener_enter and pithi_listener_leave, by the listener: a report if no rank has recorded anything for
 * PITH_HANG; only in one process of the job. Ends the job after it if PITH_HANG says so. */
void pithi_hang_look(void);
/* The same report, at once. */
void pithi_hang_report(void);

#endif
