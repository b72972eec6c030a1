/* bench.h - how a measure is told: a line on stdout for whoever watches, and one in the file that BENCH_OUT names, from
 * which report.py makes the table. README.md has the form. */
#ifndef PITH_BENCH_H
#define PITH_BENCH_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* Page faults of this thread between begin and end. (getrusage also counts pages that madvise makes without a fault;
 * it is used where perf_event_open is not allowed.) */
struct bench_faults {
    int fd;
    long before;
};

static inline struct bench_faults bench_faults_begin(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_PAGE_FAULTS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct bench_faults){(int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0),
                                 usage.ru_minflt + usage.ru_majflt};
}

static inline double bench_faults_end(struct bench_faults faults)
{
    struct rusage usage;
    uint64_t count = 0;
    getrusage(RUSAGE_SELF, &usage);
    if (faults.fd < 0 || read(faults.fd, &count, sizeof count) != sizeof count)
        count = (uint64_t)(usage.ru_minflt + usage.ru_majflt - faults.before);
    if (faults.fd >= 0)
        close(faults.fd);
    return (double)count;
}

#endif
