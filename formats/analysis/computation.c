/* computation.c - what ranks compute outside MPI, by their hardware counters: POP's instructions, IPC and frequency. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/thread_counters.h"
#include "base/error.h"

static int has_counter(const struct pithlog *log, const char *name)
{
    const struct pithlog_def *def;

    for (uint32_t i = 0; (def = pithlog_get_def(log, i)); i++)
        if (def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, name) == 0)
            return 1;
    return 0;
}

/* A log may have any values; no processor counts more, and ratios of these are numbers. */
static int is_sane(double sum) { return sum >= 1 && sum <= 1e24; }

int pithlog_analysis_computation(const struct pithlog_analysis *a, struct pithlog_computation *computation)
{
    struct pithlog *log = a->graph.log;
    uint32_t all = pithlog_get_info(log)->lanes, *lanes;
    struct pithlog_query part = {.from_ns = a->info.from_ns, .to_ns = a->info.to_ns};
    struct pithi_counter_sums sums = {0};
    const double *instructions, *cycles;
    int err;

    *computation = (struct pithlog_computation){0};
    if (!has_counter(log, PITHI_COUNTER_INSTRUCTIONS) || !has_counter(log, PITHI_COUNTER_CYCLES))
        return PITH_OK;
    part.lanes = lanes = malloc((all + (size_t)1) * sizeof *lanes);
    if (!lanes)
        return pithi_analysis_no_memory(a);
    for (uint32_t i = 0; i < all; i++)
        if (pithlog_analysis_calls_mpi(a, i))
            lanes[part.lane_count++] = i;
    if (part.lane_count)
        TRY(pithi_counter_sums_computing(log, &part, &sums));
    instructions = pithi_counter_sums_of(log, &sums, PITHI_COUNTER_INSTRUCTIONS);
    cycles = pithi_counter_sums_of(log, &sums, PITHI_COUNTER_CYCLES);
    err = PITH_OK;
    if (instructions && cycles && is_sane(instructions[sums.states]) && is_sane(cycles[sums.states]) &&
        a->info.useful_ns > 0)
        *computation = (struct pithlog_computation){
            .instructions = instructions[sums.states],
            .ipc = instructions[sums.states] / cycles[sums.states],
            .cycles_a_second = cycles[sums.states] / ((double)a->info.useful_ns / 1e9),
        };
out:
    pithi_counter_sums_free(&sums);
    free(lanes);
    return err;
}
