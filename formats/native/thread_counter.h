/* thread_counter.h - the names of the counters that the system keeps for each thread (native/SPEC.md, "Counters of
 * threads"). */
#ifndef PITHI_THREAD_COUNTER_H
#define PITHI_THREAD_COUNTER_H

/* A counter's definition is named PITHI_THREAD_COUNTER followed by the counter's name in PITH_COUNTERS. */
#define PITHI_THREAD_COUNTER "thread:"
#define PITHI_COUNTER_CPU PITHI_THREAD_COUNTER "task-clock"
#define PITHI_COUNTER_NO_CORE PITHI_THREAD_COUNTER "run-delay"
#define PITHI_COUNTER_INSTRUCTIONS PITHI_THREAD_COUNTER "instructions"
#define PITHI_COUNTER_CYCLES PITHI_THREAD_COUNTER "cycles"

#endif
