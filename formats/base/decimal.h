/* decimal.h - numbers as decimal text, ten times as fast as printf. */
#ifndef PITHI_DECIMAL_H
#define PITHI_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PITHI_DECIMAL_SIZE = 40 }; /* bytes of a number as text, with its NUL */

/* Writes `value` like printf's "%.*g", with the smallest precision from `least` to `most` (9 to 17) that reads back as
 * the same value, else `most`. The decimal sign is a point in every locale. Writes less than PITHI_DECIMAL_SIZE bytes
 * with a NUL; returns the length without the NUL. */
size_t pithi_decimal(char *out, double value, int least, int most);

extern const char pithi_digit_pairs[]; /* "00" to "99" */

/* Writes `value` so that its last digit is just before `end`, at most 20 bytes, without a NUL; returns its first
 * digit. */
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

/* Writes a number for people to `text`, with four digits and a unit: "12.35 ms". Returns `text`. For pithi_scaled_text,
 * each of the `units` is `step` times the unit before, and `last` is the index of the last unit. */
enum { PITHI_NS_TEXT = 32 };
const char *pithi_scaled_text(char text[PITHI_NS_TEXT], double value, double step, const char *const *units, int last);
const char *pithi_ns_text(char text[PITHI_NS_TEXT], double ns);

#endif
