/* must.h - ends a test program with a message if a condition does not hold. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define must(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno));                      \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
