/* test_scratch.c - what is in memory of scratch memory: bounded also where a pass reads far apart, and what is not in a
 * file is counted for all that let their pages go together. */
#include "base/scratch.h"

#include <stdio.h>
#include <unistd.h>

#include "tap.h"

enum { PART = 8 << 20, PARTS = 16, APART = 64 << 10, PASSED = 1 << 10, SWEEPS = 3 };
enum { MOST = 72 << 20 }; /* what may be in memory, with what comes there between two looks */

/* Bytes of the process in memory that are not of a file, if `of_files` is 0; else those that are. */
static size_t resident(int of_files)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    unsigned long long all = 0, files = 0;

    if (!statm || fscanf(statm, "%*u %llu %llu", &all, &files) != 2)
        all = files = 0;
    if (statm)
        fclose(statm);
    return (size_t)(of_files ? files : all - files) * (size_t)sysconf(_SC_PAGESIZE);
}

static void test_far_apart(void)
{
    struct pithi_scratch scratch = pithi_scratch_of_lanes(1);
    char *parts[PARTS];
    size_t most = 0, sum = 0;
    int good = 1;

    for (int i = 0; i < PARTS && good; i++) {
        good = (parts[i] = pithi_scratch_get(&scratch, PART)) != NULL;
        for (size_t at = 0; at < PART && good; at += 4096) {
            parts[i][at] = 1;
            pithi_scratch_passed(&scratch, 4096);
        }
    }
    OK(good, "128 MiB are taken");
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < PARTS && good; i++)
            for (size_t at = 0; at < PART; at += APART) {
                size_t here = resident(1);
                sum += (size_t)parts[i][at];
                most = here > most ? here : most;
                pithi_scratch_passed(&scratch, PASSED);
            }
    OK(sum == (size_t)SWEEPS * PARTS * (PART / APART), "what was stored is read");
    OK(most <= MOST, "a pass that reads far apart has %zu MiB of them in memory, at most 72", most >> 20);
    pithi_scratch_free(&scratch);
}

static void test_together(void)
{
    enum { BESIDE = 8, BYTES = 7 << 20 };
    struct pithi_scratch first = pithi_scratch_of_lanes(1), beside[BESIDE];
    size_t before = resident(0);
    int good = 1;

    for (int i = 0; i < BESIDE; i++) {
        beside[i] = pithi_scratch_beside(&first);
        char *got = pithi_scratch_get(&beside[i], BYTES);
        good = good && got;
        for (size_t at = 0; at < BYTES && got; at += 4096)
            got[at] = 1;
    }
    size_t grown = resident(0) - before;
    OK(good && grown <= 2 * BYTES, "eight that belong together have %zu KiB without a file, at most 14 MiB",
       grown >> 10);
    for (int i = 0; i < BESIDE; i++)
        pithi_scratch_free(&beside[i]);
    char *got = pithi_scratch_get(&first, BYTES);
    before = resident(0);
    for (size_t at = 0; at < BYTES && got; at += 4096)
        got[at] = 1;
    OK(got && resident(0) - before > BYTES / 2, "memory that was given back is used again");
    pithi_scratch_free(&first);
}

int main(void)
{
    test_far_apart();
    test_together();
    return tap_done();
}
