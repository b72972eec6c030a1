/* analyze_compare.c - `pith analyze A B ...`: how a program scales, from several of its logs.
 *
 * Whether scaling is strong or weak is found from the *work* that all ranks together do outside MPI. Time is a bad
 * measure of work where ranks share cores. Example: the same computation of 10 s with 2 and with 8 ranks, on 2 cores:
 *
 *     2 ranks: 5 s each outside MPI, sum 10 s      8 ranks: 5 s each outside MPI, sum 40 s
 *
 * The sum grows by the same factor as the number of ranks, as if scaling were weak, but three quarters of the 40 s are
 * waiting for a core. So work is measured by instructions or by CPU time, if all logs have the counters. Otherwise the
 * cores' number times the run time is an upper limit of the work: 2 cores x 5 s = 10 s. If scaling is strong even when
 * each run is taken to have done this much work, it is strong; otherwise the logs do not show which scaling it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thread_counters.h"
#include "base/decimal.h"
#include "base/error.h"
#include "native/log.h"
#include "tools/analyze.h"
#include "tools/table.h"
#include "tools/tools.h"

enum { LOGS_BESIDE = 5 }; /* the most logs side by side in a table */

struct run {
    char letter; /* the name of the run in the text */
    const char *path;
    char program[64];      /* "": unknown */
    uint32_t ranks, cores; /* cores: the number on all hosts; 0: unknown */
    struct pithlog_analysis_info info;
    double cpu_ns;                   /* CPU time outside MPI of all ranks; below 0: not known */
    double speedup, scaling, global; /* `scaling` is the computation scaling */
    double all_threads, threads;     /* efficiencies of the threads; 0 if all threads call MPI */
    struct pithlog_computation computation;
    double instruction_scaling, ipc_scaling, frequency_scaling; /* factors of `scaling`; 0: not known */
    double gigahertz;                                           /* cycles of a core a second / 1e9; 0: unknown */
    double short_part; /* the fraction of the run that the known part is, if that is too short to judge the run; else
                          0 */
};

struct compare {
    const struct pithi_compare_query *query;
    struct run *runs;
    uint32_t count, reference, largest; /* reference, largest: indexes of the runs with the fewest and most ranks */
    int has_holes;                      /* 1: records of a log are missing, so run times cannot be compared */
    enum pithi_scaling scaling;         /* PITHI_SCALING_FIND: all runs have the same number of ranks */
    int is_unknown;                     /* 1: the logs do not show whether scaling is strong or weak */
    double more_ranks, more_useful;     /* ranks and time outside MPI of `largest`, divided by those of `reference` */
    struct pithi_findings findings[2];  /* the two logs that were added last */
};

static double run_ns(const struct run *run) { return (double)(run->info.to_ns - run->info.from_ns); }

/* ---- Scaling ----------------------------------------------------------------------------------------------------- */

static int shares_cores(const struct run *run) { return run->cores && run->info.lanes > run->cores; }

enum work { INSTRUCTIONS, CPU_TIME, TIME, CORES };

static double work_of(const struct run *run, enum work measure)
{
    double useful_ns = (double)run->info.useful_ns, cores_ns = run->cores * run_ns(run);

    return measure == INSTRUCTIONS                                         ? run->computation.instructions
           : measure == CPU_TIME                                           ? run->cpu_ns
           : measure == CORES && shares_cores(run) && cores_ns < useful_ns ? cores_ns
                                                                           : useful_ns;
}

/* Fits the exponent k of work ~ ranks^k, with a curve through the reference. Ideally k is 0 with strong scaling and 1
 * with weak scaling, so a k above 1/2 is taken as weak scaling. */
static enum pithi_scaling fit_scaling(const struct compare *c, enum work measure)
{
    const struct run *from = &c->runs[c->reference];
    double products = 0, squares = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        double ranks = log((double)c->runs[i].info.lanes / from->info.lanes);
        products += ranks * log(fmax(work_of(&c->runs[i], measure), 1) / fmax(work_of(from, measure), 1));
        squares += ranks * ranks;
    }
    return squares == 0 ? PITHI_SCALING_FIND : products > squares / 2 ? PITHI_SCALING_WEAK : PITHI_SCALING_STRONG;
}

static enum pithi_scaling find_scaling(struct compare *c)
{
    int has_instructions = 1, has_cpu_time = 1, some_share = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        has_instructions &= c->runs[i].computation.instructions > 0;
        has_cpu_time &= c->runs[i].cpu_ns >= 0;
        some_share |= shares_cores(&c->runs[i]);
    }
    if (has_instructions || has_cpu_time || !some_share)
        return fit_scaling(c, has_instructions ? INSTRUCTIONS : has_cpu_time ? CPU_TIME : TIME);
    enum pithi_scaling most = fit_scaling(c, CORES);
    c->is_unknown = most == PITHI_SCALING_WEAK || (most && shares_cores(&c->runs[c->reference]));
    return c->is_unknown ? PITHI_SCALING_FIND : most;
}

/* ---- Ratios ------------------------------------------------------------------------------------------------------ */

/* A ratio that the table shows of each run: its name in output for programs (`column`), its label in text for people,
 * and the offset of its value in struct run. The value of an optional ratio is 0 if it is not known. */
static const struct ratio {
    const char *column, *label;
    size_t offset;
    int is_optional, is_factor; /* is_factor: one of the factors whose product is the global efficiency */
} ratios[] = {
    {"speedup", "speedup", offsetof(struct run, speedup), 1, 0},
    {"global_efficiency", "global efficiency", offsetof(struct run, global), 1, 0},
    {"computation_scaling", "  computation scaling", offsetof(struct run, scaling), 1, 1},
    {"instruction_scaling", "    instructions", offsetof(struct run, instruction_scaling), 1, 0},
    {"ipc_scaling", "    IPC", offsetof(struct run, ipc_scaling), 1, 0},
    {"frequency_scaling", "    frequency", offsetof(struct run, frequency_scaling), 1, 0},
    {"parallel", "  parallel", offsetof(struct run, info.parallel), 0, 0},
    {"load_balance", "    load balance", offsetof(struct run, info.load_balance), 0, 1},
    {"communication", "    communication", offsetof(struct run, info.communication), 0, 0},
    {"serialisation", "      serialisation", offsetof(struct run, info.serialisation), 0, 1},
    {"transfer", "      transfer", offsetof(struct run, info.transfer), 0, 1},
    {"all_threads", "all threads", offsetof(struct run, all_threads), 1, 0}, /* parallel * threads */
    {"threads", "  threads", offsetof(struct run, threads), 1, 0},
    {"ipc", "IPC", offsetof(struct run, computation.ipc), 1, 0},
    {"gigahertz", "GHz", offsetof(struct run, gigahertz), 1, 0},
};
enum { RATIOS = sizeof ratios / sizeof *ratios };

static double number_of(const struct run *run, const struct ratio *ratio)
{
    return *(const double *)((const char *)run + ratio->offset);
}

static int is_known(const struct run *run, const struct ratio *ratio)
{
    return !ratio->is_optional || number_of(run, ratio) > 0;
}

/* ---- For programs ------------------------------------------------------------------------------------------------ */

static int has_changes(const struct compare *c) { return c->count == 2 && !c->has_holes; }

static int put_for_programs(struct compare *c, FILE *out)
{
    enum { BEFORE = 4 }; /* the number of columns before the ratios */
    struct pithi_table_column columns[BEFORE + RATIOS] = {{"log", PITHI_CELL_TEXT, 0},
                                                          {"ranks", PITHI_CELL_COUNT, 0},
                                                          {"run", PITHI_CELL_TIME, 0},
                                                          {"useful", PITHI_CELL_TIME, 0}};
    const char *scaling = c->is_unknown                        ? "unknown"
                          : c->scaling == PITHI_SCALING_WEAK   ? "weak"
                          : c->scaling == PITHI_SCALING_STRONG ? "strong"
                                                               : "none";
    struct pithi_report *runs = NULL;
    int is_json = c->query->style == PITHI_TEXT_JSON, err;

    for (size_t k = 0; k < RATIOS; k++)
        columns[BEFORE + k] = (struct pithi_table_column){ratios[k].column, PITHI_CELL_RATIO, 0};
    TRY(pithi_table_new(&runs, columns, BEFORE + RATIOS));
    for (uint32_t i = 0; i < c->count; i++) {
        const struct run *run = &c->runs[i];
        pithi_table_row(runs);
        pithi_table_text(runs, run->path);
        pithi_table_number(runs, run->ranks);
        pithi_table_number(runs, run->info.to_ns - run->info.from_ns);
        pithi_table_number(runs, run->info.useful_ns);
        for (size_t k = 0; k < RATIOS; k++)
            if (is_known(run, &ratios[k]))
                pithi_table_number(runs, llround(1e6 * number_of(run, &ratios[k])));
            else
                pithi_table_skip(runs);
    }
    if (is_json)
        fprintf(out, "{\"scaling\":\"%s\",\"reference\":%u,\"logs\":", scaling, c->reference);
    TRY(pithi_table_print(runs, out, c->query->style));
    if (is_json)
        fprintf(out, ",\"changes\":%s", has_changes(c) ? "" : "[]\n");
    else if (has_changes(c))
        fprintf(out, "\n"); /* an empty line between two tables */
    if (has_changes(c))
        TRY(pithi_changes_print(c->findings, out, c->query->style));
    if (is_json)
        fprintf(out, "}\n");
out:
    pithi_table_free(runs);
    return err;
}

/* ---- For people -------------------------------------------------------------------------------------------------- */

static void put_scaling(const struct compare *c, FILE *out)
{
    for (uint32_t i = 0; i < c->count; i++)
        pithi_tool_say(out, "%c  %s", c->runs[i].letter, c->runs[i].path);
    for (uint32_t first = 0; first < c->count; first += LOGS_BESIDE) {
        uint32_t end = c->count - first < LOGS_BESIDE ? c->count : first + LOGS_BESIDE;
        char text[PITHI_NS_TEXT];
        fprintf(out, "\n%-24s", "Scaling (1 is best; POP)");
        for (uint32_t i = first; i < end; i++)
            fprintf(out, "%11c", c->runs[i].letter);
        fprintf(out, "\n  %-22s", "ranks");
        for (uint32_t i = first; i < end; i++)
            fprintf(out, "%11u", c->runs[i].ranks);
        fprintf(out, "\n  %-22s", "run time");
        for (uint32_t i = first; i < end; i++)
            fprintf(out, "%11s", pithi_ns_text(text, run_ns(&c->runs[i])));
        for (size_t k = 0; k < RATIOS; k++) {
            int some = 0;
            for (uint32_t i = 0; i < c->count; i++)
                some |= is_known(&c->runs[i], &ratios[k]);
            if (!some)
                continue;
            fprintf(out, "\n  %-22s", ratios[k].label);
            for (uint32_t i = first; i < end; i++)
                if (is_known(&c->runs[i], &ratios[k]))
                    fprintf(out, "%11.2f", number_of(&c->runs[i], &ratios[k]));
                else
                    fprintf(out, "%11s", "-");
        }
        fprintf(out, "\n");
    }
    for (uint32_t i = 1; i < c->count; i++)
        if (*c->runs[0].program && *c->runs[i].program && strcmp(c->runs[0].program, c->runs[i].program) != 0) {
            fprintf(out, "  A is of the program %s, %c of %s.\n", c->runs[0].program, c->runs[i].letter,
                    c->runs[i].program);
            break;
        }
    for (uint32_t i = 0; i < c->count; i++)
        if (c->runs[i].info.gaps)
            fprintf(out,
                    "  Records of %c are missing: the figures are of its longest part without a hole, and\n"
                    "  the run times cannot be compared.\n",
                    c->runs[i].letter);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->runs[i].short_part > 0)
            fprintf(out, "  The part of %c is too short to judge the run: %.2g %% of the time asked for.\n",
                    c->runs[i].letter, 100 * c->runs[i].short_part);
    for (uint32_t i = 0; i < c->count; i++)
        if (shares_cores(&c->runs[i]))
            fprintf(out, "  %c: %u ranks share %u core%s; its computing contains time without a core.\n",
                    c->runs[i].letter, c->runs[i].info.lanes, c->runs[i].cores, c->runs[i].cores == 1 ? "" : "s");
    if (c->is_unknown)
        fprintf(out, "  Strong or weak scaling? These logs do not say, because ranks shared cores.\n"
                     "  Give --scaling strong or weak, or record with PITH_COUNTERS=task-clock.\n");
    else if (c->more_ranks > 1 && !c->has_holes) {
        fprintf(out, "  %s scaling (%s): %.3g times the ranks, %.3g times the computing.\n",
                c->scaling == PITHI_SCALING_WEAK ? "Weak" : "Strong", c->query->scaling ? "--scaling" : "found",
                c->more_ranks, c->more_useful);

        /* Names the factor of the global efficiency that falls most from the run with the fewest ranks to the one with
         * the most ranks. Names no factor if ranks share cores, because the lack of cores lowers each factor. */
        const struct run *from = &c->runs[c->reference], *to = &c->runs[c->largest];
        const struct ratio *worst = NULL;
        double lowest = 1;
        for (size_t i = 0; i < RATIOS; i++) {
            double before = number_of(from, &ratios[i]), change = before > 0 ? number_of(to, &ratios[i]) / before : 1;
            if (!ratios[i].is_factor || change >= lowest)
                continue;
            worst = &ratios[i];
            lowest = change;
        }
        if (to->global < from->global - 0.01 && shares_cores(to))
            fprintf(out, "  Global efficiency falls from %.2f to %.2f, with more ranks than cores.\n", from->global,
                    to->global);
        else if (to->global < from->global - 0.01 && worst)
            fprintf(out, "  Global efficiency falls from %.2f to %.2f.\n  Largest loss: %s, %.2f to %.2f.\n",
                    from->global, to->global, worst->label + strspn(worst->label, " "), number_of(from, worst),
                    number_of(to, worst));
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

/* Sets run->cpu_ns, the CPU time outside MPI, from the counter of CPU time. In a log without this counter, it is the
 * time outside MPI minus the time without a core, if a counter has this time. */
static int find_cpu_time(const struct pithi_findings *f, struct run *run)
{
    struct pithlog_query part = {.from_ns = f->info->from_ns, .to_ns = f->info->to_ns};
    struct pithi_counter_sums sums = {0};
    uint32_t all = pithlog_get_info(f->log)->lanes, *lanes, counted = 0;
    int err;

    run->cpu_ns = -1;
    part.lanes = lanes = malloc((all + (size_t)1) * sizeof *lanes);
    if (!lanes)
        return pithi_no_memory();
    for (uint32_t i = 0; i < all; i++)
        if (pithlog_analysis_calls_mpi(f->analysis, i))
            lanes[part.lane_count++] = i;
    err = part.lane_count ? pithi_counter_sums_computing(f->log, &part, &sums) : PITH_OK;
    for (uint32_t i = 0; !err && sums.count && i < part.lane_count; i++)
        counted += sums.records[lanes[i]] > 0;
    if (!err && counted && counted == part.lane_count) {
        const double *cpu = pithi_counter_sums_of(f->log, &sums, PITHI_COUNTER_CPU);
        const double *no_core = pithi_counter_sums_of(f->log, &sums, PITHI_COUNTER_NO_CORE);
        run->cpu_ns = cpu       ? cpu[sums.states]
                      : no_core ? fmax((double)run->info.useful_ns - no_core[sums.states], 0)
                                : -1;
    }
    pithi_counter_sums_free(&sums);
    free(lanes);
    return err;
}

/* Analyses log `i` and fills c->runs[i]. Returns PITH_OK or an error. If parts of the log could not be read, returns
 * PITH_ERR_DAMAGED, whose message it has printed. */
static int add_run(struct compare *c, struct pithi_findings *f, uint32_t i)
{
    struct pithlog_efficiency hybrid[PITHLOG_HYBRID];
    struct run *run = &c->runs[i];
    int err = pithi_findings_open(f, c->query->paths[i], c->query->words, c->query->filter);

    if (err && (err != PITH_ERR_DAMAGED || !f->analysis))
        return err;
    if (err)
        pithi_tool_failed();
    *run = (struct run){.letter = (char)('A' + i),
                        .path = f->path,
                        .ranks = pithlog_get_info(f->log)->ranks,
                        .cores = pithi_cores_of(f->log, NULL),
                        .info = *f->info,
                        .computation = f->computation,
                        .short_part = f->info->is_too_short ? f->info->part : 0,
                        .gigahertz = f->computation.cycles_a_second / 1e9};
    const char *program = pithi_property(f->log, "program");
    snprintf(run->program, sizeof run->program, "%s", program ? program : "");
    if (c->query->style != PITHI_TEXT_TABS)
        pithi_findings_note_short(f);
    if (!f->info->has_mpi || f->info->lanes == 0)
        return pithi_fail(PITH_ERR_USAGE, "%s: no MPI calls; compare its states with pith diff", f->path);
    int failed = find_cpu_time(f, run);
    if (failed)
        return failed;
    if (pithlog_analysis_hybrid(f->analysis, hybrid)) {
        run->all_threads = hybrid[0].value;
        run->threads = hybrid[2].value;
    }
    return err;
}

int pithi_compare(const struct pithi_compare_query *query, FILE *out)
{
    struct compare c = {.query = query, .count = query->count};
    int damaged = PITH_OK, err = PITH_OK;

    if (!(c.runs = calloc(c.count, sizeof *c.runs)))
        TRY(pithi_no_memory());
    for (uint32_t i = 0; i < c.count; i++) {
        struct pithi_findings *f = &c.findings[i % 2]; /* the last two logs stay open, for pithi_changes_print */
        if (i >= 2)
            pithi_findings_close(f);
        err = add_run(&c, f, i);
        if (err != PITH_ERR_DAMAGED || !f->analysis)
            TRY(err);
        damaged = err ? err : damaged;
        c.has_holes |= c.runs[i].info.gaps > 0;
    }

    /* Computes the computation scaling and the global efficiency as the POP project defines them. For strong and weak
     * scaling, speedup = (ratio of ranks) * (ratio of global efficiencies). */
    for (uint32_t i = 1; i < c.count; i++) {
        c.reference = c.runs[i].info.lanes < c.runs[c.reference].info.lanes ? i : c.reference;
        c.largest = c.runs[i].info.lanes > c.runs[c.largest].info.lanes ? i : c.largest;
    }
    const struct run *from = &c.runs[c.reference], *to = &c.runs[c.largest];
    c.more_ranks = (double)to->info.lanes / from->info.lanes;
    c.more_useful = (double)to->info.useful_ns / fmax((double)from->info.useful_ns, 1);
    c.scaling = c.query->scaling ? c.query->scaling : find_scaling(&c);
    for (uint32_t i = 0; i < c.count && !c.has_holes && !c.is_unknown; i++) {
        struct run *run = &c.runs[i];
        double work = c.scaling == PITHI_SCALING_WEAK ? (double)run->info.lanes / from->info.lanes : 1;
        run->speedup = work * run_ns(from) / run_ns(run);
        run->scaling = work * (double)from->info.useful_ns / fmax((double)run->info.useful_ns, 1);
        run->global = run->scaling * run->info.parallel;
        if (from->computation.ipc > 0 && run->computation.ipc > 0) {
            run->instruction_scaling = work * from->computation.instructions / run->computation.instructions;
            run->ipc_scaling = run->computation.ipc / from->computation.ipc;
            run->frequency_scaling = run->computation.cycles_a_second / from->computation.cycles_a_second;
        }
    }

    if (query->style != PITHI_TEXT_TABS)
        TRY(put_for_programs(&c, out));
    else
        put_scaling(&c, out);
    if (query->style == PITHI_TEXT_TABS && has_changes(&c))
        TRY(pithi_changes_print(c.findings, out, query->style));
    TRY(pithi_tool_flush(out));
out:
    if (err)
        pithi_tool_failed();
    pithi_findings_close(&c.findings[0]);
    pithi_findings_close(&c.findings[1]);
    free(c.runs);
    return err ? err : damaged;
}
