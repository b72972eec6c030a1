/* decimal.h - numbers as decimal text, ten times as fast as printf. */
#ifndef PITHI_DECIMAL_H
#define PITHI_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PITHI_DECIMAL_SIZE = 40 };

/* What printf's "%.*g" gives with the first precision of `least` to `most` (9 to 17) by which the value is read back
 * the same, or with `most`; always with a point. Writes less than PITHI_DECIMAL_SIZE bytes with a NUL; returns how many
 * before it. */
size_t pithi_decimal(char *out, double value, int least, int most);

extern const char pithi_digit_pairs[]; /* "00" to "99" */

/* Writes `value` so that it ends before `end`; returns where it begins. At most 20 bytes. */
static inline char *pithi_digits_before(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, pithi_digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pithi_digit_pairs + value * 2, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

#endif
