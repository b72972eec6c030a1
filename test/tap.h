/* tap.h - the few lines that a C test needs: OK(condition, "what", ...) prints a TAP line; end with
 * return tap_done(). */
#ifndef PITH_TAP_H
#define PITH_TAP_H

#include <stdio.h>

static int tap_count_, tap_failed_;

#define OK(condition, ...)                                                                                             \
    do {                                                                                                               \
        int tap_good_ = (condition) ? 1 : 0;                                                                           \
        tap_failed_ += !tap_good_;                                                                                     \
        printf("%sok %d - ", tap_good_ ? "" : "not ", ++tap_count_);                                                   \
        printf(__VA_ARGS__);                                                                                           \
        printf("\n");                                                                                                  \
        if (!tap_good_)                                                                                                \
            printf("#   %s:%d: %s\n", __FILE__, __LINE__, #condition);                                                 \
        fflush(stdout);                                                                                                \
    } while (0)

static inline int tap_done(void)
{
    printf("1..%d\n", tap_count_);
    return tap_failed_ != 0;
}

#endif
