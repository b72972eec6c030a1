/* own.h - what recording costs this thread: each library that compensates has a file for it. */
#ifndef PITHI_OWN_H
#define PITHI_OWN_H

#include <stdint.h>

/* Costs are known from now on: measures them. */
void pithi_own_begin(void);
/* So far, in ns. */
int64_t pithi_own_ns(void);
/* What was spent beside, by PITH_COMPENSATE itself, or by a template that does more: adds to it. */
void pithi_own_add(int64_t ns);
/* The log is told of what was added, and of the delay where it has changed otherwise; before a call of the library, as
 * pith:own tells what was spent before it. Libraries without a log do nothing. */
void pithi_own_tell(void);
void pithi_own_tell_delay(int64_t delay_ns);
/* A fact for the log. */
void pithi_own_fact(const char *key, const char *value);

#endif
