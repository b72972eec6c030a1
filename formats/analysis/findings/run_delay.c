/* run_delay.c - how long ranks could run but had no core, from properties that each run records at its end. The
 * property
 *
 *     run_delay_ns    delay=20017 cpu=4523 time=24543 ranks=6 threads=730
 *
 * says that 6 ranks had no core for 20017 of 24543 ns, and their other threads for 730 ns. The times are sums over the
 * run and over ranks. (PITH_COUNTERS=run-delay records when ranks had no core.) Another property has the times of a
 * single rank, here rank 3:
 *
 *     run_delay_ns 3  delay=4010 threads=0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/findings.h"
#include "base/map.h"

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
        /* A comma separates the values of several logs that were merged; such a property is left out. */
        if (strcmp(key, "run_delay_ns") == 0 && !strchr(value, ','))
            *delay = (struct pithi_run_delay){number_after(value, "delay="), number_after(value, "cpu="),
                                              number_after(value, "time="), (uint32_t)number_after(value, "ranks="),
                                              fmax(0, number_after(value, "threads="))};
    return delay->time_ns >= 1 && delay->time_ns < 1e24 && delay->delay_ns >= 0 && delay->delay_ns <= delay->time_ns;
}

struct pithi_lane_run_delay *pithi_run_delay_of_lanes(const struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_lane_run_delay *of = NULL;
    struct pithi_map lanes = {0}; /* by rank: the lane of its thread 0 */
    const char *key, *value;
    uint32_t lane;

    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++) {
        if (strncmp(key, "run_delay_ns ", 13) != 0)
            continue;
        if (!of) {
            if (!(of = calloc(info->lanes + (size_t)1, sizeof *of)))
                break;
            for (uint32_t k = 0; k < info->lanes; k++)
                if (pithlog_get_lane(log, k)->thread == 0)
                    pithi_map_put(&lanes, (uint64_t)pithlog_get_lane(log, k)->rank, k);
        }
        if (pithi_map_get(&lanes, strtoull(key + 13, NULL, 10), &lane))
            of[lane] = (struct pithi_lane_run_delay){fmax(0, number_after(value, "delay=")),
                                                     fmax(0, number_after(value, "threads="))};
    }
    pithi_map_free(&lanes);
    return of;
}

const char *pithi_run_delay_others(const struct pithi_run_delay *delay)
{
    return delay->threads_ns > 0.1 * delay->delay_ns ? "other threads or programs" : "other programs";
}

void pithi_run_delay_put(const struct pithlog *log, FILE *out)
{
    struct pithi_run_delay delay;
    uint32_t cores = pithi_cores_of(log, NULL);

    if (!pithi_run_delay_find(log, &delay) || delay.delay_ns < 0.01 * delay.time_ns)
        return;
    const char *others = pithi_run_delay_others(&delay);
    fprintf(out, "  Ranks could run but had no core for %.0f %% of the time", 100 * delay.delay_ns / delay.time_ns);
    if (cores && delay.ranks > cores)
        fprintf(out, ": %u ranks on %u core%s.\n", delay.ranks, cores, cores == 1 ? "" : "s");
    else if (cores && pithlog_get_info(log)->lanes > cores)
        fprintf(out, ":\n  %u threads on %u core%s, or other programs.\n", pithlog_get_info(log)->lanes, cores,
                cores == 1 ? "" : "s");
    else if (cores)
        fprintf(out, ":%s%s ran.\n", strlen(others) > 20 ? "\n  " : " ", others); /* within 80 columns */
    else
        fprintf(out, ".\n");
}
