/* passed.h - memory of a large file while it is read from its start to its end: what was read is given back, so that a
 * reader's memory does not grow with the file. It may still be looked at; then it is read from the file again. */
#ifndef PITHI_PASSED_H
#define PITHI_PASSED_H

#include "format.h"

enum { PITHI_PASSED_STEP = 4 << 20 };

void pithi_passed_drop(const struct pithi_input *input, size_t *passed, size_t at);

/* Tells that the reader stands at byte `at`. *passed is the caller's, 0 at first: up to where all was given back. */
static inline void pithi_passed(const struct pithi_input *input, size_t *passed, size_t at)
{
    if (at - *passed >= PITHI_PASSED_STEP) /* also when it goes on, or begins anew, at a lower byte */
        pithi_passed_drop(input, passed, at);
}

#endif
