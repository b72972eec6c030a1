/* decimal.c - converts doubles to decimals with exact integers.
 *
 * A double is m / 2^s. For values from 0.0001 to 10^15, s is between 3 and 66. The first n digits are m * 10^p / 2^s,
 * rounded, where p = n - 1 - (power of ten of the first digit). All these integers are below 2^120, so the result is
 * exact. The n digits read back as the same double if their distance to the double is less than half the distance
 * between the double and the next one. That is the case if the error of rounding m * 10^p / 2^s, in units of 2^-s, is
 * less than 10^p / 2.
 *
 * 0.1 is m / 2^56 with m = 7205759403792794. For 15 digits p is 15, and m * 10^15 / 2^56 is 100000000000000 with a rest
 * of 4 * 10^14, which is less than 10^15 / 2: "0.1".
 *
 * 0.1 + 0.2 has the m of 5404319552844596 and s = 54. For 15 digits the rest is 8 * 10^14, which is too much. For 16
 * digits it is 8 * 10^15, which is too much as well. Only 17 digits distinguish it from 0.3: "0.30000000000000004".
 *
 * All other values and ties are converted by printf, and so is every value on machines without integers of 128 bits.
 * This gives the right result, too, but is ten times slower, because the value is printed with 15, 16 and 17 digits
 * until the text reads back as the same double.
 */
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char pithi_digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                 "25262728293031323334353637383940414243444546474849"
                                 "50515253545556575859606162636465666768697071727374"
                                 "75767778798081828384858687888990919293949596979899";

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;
enum { IS_WIDE = 1 };
#else
typedef uint64_t wide;
enum { IS_WIDE = 0 };
#endif

/* A double as mantissa / 2^shift. `power`: the first decimal digit of the double stands for 10^power. */
struct parts {
    uint64_t mantissa;
    int shift, power;
};

/* Splits a double into its parts and returns 1. Returns 0 if the value is not from 0.0001 to 10^15. */
static int take_apart(double value, struct parts *parts)
{
    static const double powers[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                    1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t bits;
    int power = 0;
    if (!IS_WIDE || !(value >= powers[0] && value < powers[19]))
        return 0;
    while (value >= powers[power + 1])
        power++;
    memcpy(&bits, &value, sizeof bits);
    parts->mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    parts->shift = 1075 - (int)(bits >> 52);
    parts->power = power - 4;
    return 1;
}

/* 10^n, n to 20. */
static wide power_of_ten(int n)
{
    static const uint64_t powers[] = {1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000};
    return n <= 18 ? powers[n] : (wide)powers[18] * powers[n - 18];
}

enum { NO, YES, UNSURE };

/* Computes the first `count` digits as a number. Returns YES if the digits read back as the same double, NO if they do
 * not, UNSURE if only printf can decide. */
static int round_to(const struct parts *parts, int count, uint64_t *digits)
{
    int p = count - 1 - parts->power;
    wide ten = power_of_ten(p), all = parts->mantissa * ten, rest = all & (((wide)1 << parts->shift) - 1);
    wide half = (wide)1 << (parts->shift - 1);
    uint64_t whole = (uint64_t)(all >> parts->shift);
    int up = rest > half || (rest == half && (whole & 1));
    wide away = up ? ((wide)1 << parts->shift) - rest : rest;
    *digits = whole + (uint64_t)up;
    if (*digits == (uint64_t)power_of_ten(count))
        return UNSURE; /* rounded up to one more digit: rare */
    if (away == 0)
        return YES;
    if (parts->mantissa == UINT64_C(1) << 52 || 2 * away == ten)
        return UNSURE; /* a power of two (the double below is nearer than the one above), or a tie */
    return 2 * away < ten ? YES : NO;
}

/* Writes `count` digits as a decimal whose first digit stands for 10^power, without zeros at the end. */
static size_t lay_out(char *out, uint64_t digits, int count, int power)
{
    char text[24], *to = out;
    pithi_digits_before(text + count, digits);
    while (count > 1 && text[count - 1] == '0')
        count--;
    int whole = power + 1 < 0 ? 0 : power + 1;
    if (whole == 0) {
        *to++ = '0';
    } else {
        for (int i = 0; i < whole; i++)
            *to++ = i < count ? text[i] : '0';
    }
    if (count > whole) {
        *to++ = '.';
        for (int i = power + 1; i < 0; i++)
            *to++ = '0';
        memcpy(to, text + whole, (size_t)(count - whole));
        to += count - whole;
    }
    *to = 0;
    return (size_t)(to - out);
}

/* Does the work of pithi_decimal by exact integers. Returns 0 if printf must do it. */
static size_t quick(char *out, double value, int least, int most)
{
    struct parts parts;
    uint64_t digits;
    int negative = value < 0;
    if (!take_apart(negative ? -value : value, &parts) || parts.power >= least)
        return 0;
    for (int count = least; count <= most; count++) {
        int same = round_to(&parts, count, &digits);
        if (same == UNSURE)
            return 0;
        if (same == NO && count < most)
            continue;
        *out = '-';
        return (size_t)negative + lay_out(out + negative, digits, count, parts.power);
    }
    return 0;
}

size_t pithi_decimal(char *out, double value, int least, int most)
{
    size_t size = quick(out, value, least, most);
    if (size)
        return size;
    for (int precision = least; precision <= most; precision++) {
        size = (size_t)snprintf(out, PITHI_DECIMAL_SIZE, "%.*g", precision, value);
        if (precision < most && strtod(out, NULL) == value)
            break;
    }
    /* Any other character is the decimal sign of the program's locale. */
    for (char *c = out; *c; c++)
        if (!strchr("0123456789+-einfa", *c))
            *c = '.';
    return size;
}

const char *pithi_scaled_text(char text[PITHI_NS_TEXT], double value, double step, const char *const *units, int last)
{
    double magnitude = value < 0 ? -value : value;
    int unit = 0;

    while (unit < last && magnitude >= step * 0.99995) {
        magnitude /= step;
        value /= step;
        unit++;
    }
    int decimals = unit == 0 ? 0 : magnitude < 9.9995 ? 3 : magnitude < 99.995 ? 2 : magnitude < 999.95 ? 1 : 0;
    snprintf(text, PITHI_NS_TEXT, "%.*f %s", decimals, value, units[unit]);
    return text;
}

const char *pithi_ns_text(char text[PITHI_NS_TEXT], double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return pithi_scaled_text(text, ns, 1000, units, 3);
}
