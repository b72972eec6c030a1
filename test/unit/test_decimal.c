/* test_decimal.c - numbers as text: the same bytes as printf, for numbers of every size and number of digits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/random.h"
#include "tap.h"
#include "base/decimal.h"

static int same(double value, int least, int most)
{
    char got[PITHI_DECIMAL_SIZE], wanted[64];
    for (int precision = least; precision <= most; precision++) {
        snprintf(wanted, sizeof wanted, "%.*g", precision, value);
        if (strtod(wanted, NULL) == value)
            break;
    }
    size_t size = pithi_decimal(got, value, least, most);
    if (strcmp(got, wanted) == 0 && size == strlen(wanted))
        return 1;
    printf("# %a: %s, not %s\n", value, got, wanted);
    return 0;
}

static int all_same(double value)
{
    return same(value, 15, 17) && same(value, 17, 17) && same((double)(float)value, 9, 9) && same(-value, 15, 17);
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_random(void)
{
    int wrong = 0;
    for (int i = 0; i < 100000; i++)
        wrong += !all_same(from_bits(random_u64() >> 1));
    OK(wrong == 0, "random bits");
    for (int i = 0; i < 200000; i++)
        wrong += !all_same((double)random_u64() * pow(2, -(double)(random_u64() % 80)));
    OK(wrong == 0, "random numbers of ordinary size");
    for (int i = 0; i < 200000; i++)
        wrong += !all_same((double)(random_u64() % 10000000000) / pow(10, (double)(random_u64() % 12)));
    OK(wrong == 0, "numbers with few decimals");
}

static void test_edges(void)
{
    static const double some[] = {0,
                                  0.5,
                                  1,
                                  1.5,
                                  10,
                                  99.99,
                                  0.1,
                                  0.2,
                                  0.3,
                                  1.0 / 3,
                                  2.0 / 3,
                                  1e15,
                                  1e16,
                                  1e22,
                                  1e23,
                                  5e-324,
                                  1.7976931348623157e308,
                                  9007199254740993.0,
                                  123456789012345678.0};
    int wrong = 0;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        wrong += !all_same(some[i]);
    OK(wrong == 0, "some numbers");
    for (int power = -8; power <= 18; power++)
        for (int step = -3; step <= 3; step++) {
            double ten = pow(10, power), two = pow(2, 3 * power), from_ten = ten, from_two = two;
            for (int i = 0; i < abs(step); i++) {
                from_ten = nextafter(from_ten, step < 0 ? 0 : HUGE_VAL);
                from_two = nextafter(from_two, step < 0 ? 0 : HUGE_VAL);
            }
            wrong += !all_same(from_ten) + !all_same(from_two) + !all_same(ten - pow(10, power - 16)) +
                     !all_same(ten * 0.99999999999999995) + !all_same(two * 3);
        }
    OK(wrong == 0, "about powers of ten and of two");
    OK(same(HUGE_VAL, 15, 17) && same(-HUGE_VAL, 17, 17), "infinity");
}

int main(void)
{
    test_random();
    test_edges();
    return tap_done();
}
