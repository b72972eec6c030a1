/* error.h - how code in formats/ reports what went wrong: an enum pith_err is returned, the text is kept per thread. */
#ifndef PITHI_ERROR_H
#define PITHI_ERROR_H

#include "pithlog.h"

/* Sets the text that pithlog_error() returns and gives `err` back: return pithi_fail(PITH_ERR_DAMAGED, "%s: ...", ...).
 * Control characters in the result are replaced by '?', so that no name from a file reaches a terminal raw. */
int pithi_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs an expression that gives an enum pith_err; on failure goes to the label `out` with it in the local `err`. */
#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        err = (expression);                                                                                            \
        if (err != PITH_OK)                                                                                            \
            goto out;                                                                                                  \
    } while (0)

#endif
