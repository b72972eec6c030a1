/* clock_arm64.c - the generic timer of ARM64: by its specification one clock for all cores, running evenly. */
#if defined(__aarch64__)
#include "clock.h"

enum pithi_spill_clock pithi_clock_choose(void)
{
    pithi_clock_inline = 1;
    return PITHI_CLOCK_ARM64;
}
#else
typedef int pithi_clock_arm64_is_not_for_this_machine;
#endif
