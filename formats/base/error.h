/* error.h - errors in formats/: functions return an enum pith_err, and the text is kept per thread. */
#ifndef PITHI_ERROR_H
#define PITHI_ERROR_H

#include "pithlog.h"

/* Sets the text of pithlog_error() and returns `err`: return pithi_fail(PITH_ERR_DAMAGED, "%s: ...", ...). Replaces
 * control characters by '?', so that no name from a file reaches a terminal unchanged. */
int pithi_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
int pithi_no_memory(void); /* PITH_ERR_MEMORY, "out of memory" */

/* Returns from the function with the error of an expression, if it fails. For functions with nothing to release. */
#define CHECK(expression)                                                                                              \
    do {                                                                                                               \
        int failed_ = (expression);                                                                                    \
        if (failed_ != PITH_OK)                                                                                        \
            return failed_;                                                                                            \
    } while (0)

/* On failure, stores the error in the local `err` and goes to label `out`, which releases what the function holds. */
#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        err = (expression);                                                                                            \
        if (err != PITH_OK)                                                                                            \
            goto out;                                                                                                  \
    } while (0)

#endif
