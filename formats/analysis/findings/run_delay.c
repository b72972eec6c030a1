/* run_delay.c - how long ranks could run but had no core, by what each run records at its end. The property
 *
 *     run_delay_ns    delay=20017 cpu=4523 time=24543 ranks=6 threads=730
 *
 * says that 6 ranks had no core for 20017 of 24543 ns, and their other threads for 730 ns. It is a
 * sum over the run: PITH_COUNTERS=run-delay says when. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings.h"

static double number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    return at ? strtod(at + strlen(word), NULL) : 0;
}

int pithi_run_delay_find(const struct pithlog *log, struct pithi_run_delay *delay)
{
    const char *key, *value;

    *delay = (struct pithi_run_delay){0};
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "run_delay_ns") == 0)
            *delay = (struct pithi_run_delay){number_after(value, "delay="), number_after(value, "cpu="),
                                              number_after(value, "time="), (uint32_t)number_after(value, "ranks="),
                                              fmax(0, number_after(value, "threads="))};
    return delay->time_ns >= 1 && delay->time_ns < 1e24 && delay->delay_ns >= 0 && delay->delay_ns <= delay->time_ns;
}

void pithi_run_delay_put(const struct pithlog *log, FILE *out)
{
    struct pithi_run_delay delay;
    uint32_t cores = pithi_cores_of(log, NULL);

    if (!pithi_run_delay_find(log, &delay) || delay.delay_ns < 0.01 * delay.time_ns)
        return;
    fprintf(out, "  Ranks could run but had no core for %.0f %% of the time", 100 * delay.delay_ns / delay.time_ns);
    if (cores && delay.ranks > cores)
        fprintf(out, ": %u ranks on %u core%s.\n", delay.ranks, cores, cores == 1 ? "" : "s");
    else
        fprintf(out, cores ? ": other programs ran.\n" : ".\n");
}
