/* clock_posix.c - machines without a counter that Pith knows: CLOCK_MONOTONIC. */
#if !defined(__x86_64__) && !defined(__aarch64__)
#include "clock.h"

enum pithi_spill_clock pithi_clock_choose(void) { return PITHI_CLOCK_NS; }
#else
typedef int pithi_clock_posix_is_not_for_this_machine;
#endif
