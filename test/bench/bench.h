/* bench.h - how a measure is told: a line on stdout for whoever watches, and one in the file that BENCH_OUT names, from
 * which report.py makes the table. README.md has the form. */
#ifndef PITH_BENCH_H
#define PITH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* `what` names the measure, once in all benches. `floor`, in the same unit: the least it could be; 0: none. `goal`:
 * "<=1.15x" (of the floor), "<=2.3" or ">=60" (of the value); "": none. */
static inline void bench_row(const char *what, double value, const char *unit, double floor, const char *goal)
{
    const char *path = getenv("BENCH_OUT");
    FILE *out = path != NULL ? fopen(path, "a") : NULL;

    printf("%-50s %11.4g %-12s", what, value, unit);
    if (floor > 0)
        printf(" floor %-8.4g", floor);
    printf(goal[0] != '\0' ? " goal %s\n" : "%s\n", goal);
    fflush(stdout);
    if (out != NULL) {
        fprintf(out, "BENCH\t%s\t%.9g\t%s\t%.9g\t%s\n", what, value, unit, floor, goal);
        fclose(out);
    }
}

#endif
