/* analyze.c - `pith analyze`: reads the options, prints the findings as a table, and computes the what-ifs.
 *
 * A what-if is a replay of the run with a change. It is compared with a replay without the change, not with the run, so
 * that the error that both replays have does not count as an effect of the change:
 *
 *     the run 10.0 s, its replay 10.2 s, the replay with half the latency 9.7 s      9.7 / 10.2: -4.9 %, not -3.0 %
 *
 * For a change of the network, a model of the network (a latency and a bandwidth) is first fitted to the log, and the
 * model is changed. If a replay on the unchanged model is far from the run, the model does not hold for this run, and a
 * note below the predictions says so. */
#include "tools/analyze.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/out.h"
#include "base/shell_word.h"
#include "tools/outfile.h"
#include "tools/progress.h"
#include "tools/stat.h"
#include "tools/table.h"
#include "tools/tools.h"

enum { WHAT_IF_MOST = 64 }; /* the most --what-if options */

struct asked {
    struct pithi_window_words words;
    struct pithi_asked_query where;
    enum pithi_text_style style;
    int with_waits, only_answer, no_commands;
    int scaling; /* enum pithi_scaling */
    const char *explain, *iterations, *html, *json_file;
    const char *what_ifs[WHAT_IF_MOST];
    uint32_t what_if_count;
};

/* --what-if may be given several times, so its values are gathered. */
static int add_what_if(const char *command, const char *option, const char *value, void *to)
{
    struct asked *asked = to;

    if (asked->what_if_count == WHAT_IF_MOST)
        return pithi_tool_usage(command, "--%s can be given at most %d times", option, WHAT_IF_MOST);
    asked->what_ifs[asked->what_if_count++] = value;
    return 0;
}

static int read_options(int argc, char **argv, struct asked *asked)
{
    static const char *const names[] = {"LOG", NULL};
    const struct pithi_option options[] = {
        {"waits", 0, PITHI_FLAG, &asked->with_waits, NULL, NULL},
        {"answer", 0, PITHI_FLAG, &asked->only_answer, NULL, NULL},
        {"what-if", 0, PITHI_READ, asked, NULL, add_what_if},
        {"explain", 0, PITHI_TEXT, &asked->explain, NULL, NULL},
        {"scaling", 0, PITHI_WORD, &asked->scaling, "strong weak", NULL},
        {"iterations", 0, PITHI_TEXT, &asked->iterations, NULL, NULL},
        {"html", 0, PITHI_TEXT, &asked->html, NULL, NULL},
        {"json-file", 0, PITHI_TEXT, &asked->json_file, NULL, NULL},
        {"no-commands", 0, PITHI_FLAG, &asked->no_commands, NULL, NULL},
        PITHI_WINDOW_OPTIONS(&asked->words),
        PITHI_WHERE_OPTION(&asked->where),
        PITHI_STYLE_OPTIONS(&asked->style),
        {.name = NULL},
    };

    if (pithi_tool_options(argc, argv, options))
        return 2;
    /* Several logs are compared, and analyze_compare.c prints the result; most options apply only to one log. */
    if (argc - optind > PITHI_COMPARE_MOST)
        return pithi_tool_usage(argv[0], "at most %d logs can be compared, not %d", PITHI_COMPARE_MOST, argc - optind);
    if (argc - optind > 1 && (asked->with_waits || asked->only_answer || asked->explain || asked->iterations ||
                              asked->what_if_count || asked->html || asked->json_file))
        return pithi_tool_usage(argv[0], "--answer, --waits, --explain, --iterations, --what-if, --html and "
                                         "--json-file need a single log");
    if (asked->only_answer &&
        /* --answer prints one sentence for scripts, so it has no other form */
        (asked->explain || asked->what_if_count || asked->html || asked->style != PITHI_TEXT_TABS))
        return pithi_tool_usage(argv[0], "--answer cannot be used with --explain, --what-if, --html, --csv or --json");
    if (asked->html && (asked->explain || asked->style != PITHI_TEXT_TABS))
        return pithi_tool_usage(argv[0], "--html cannot be used with --csv, --json or --explain");
    if (asked->json_file && (asked->only_answer || asked->explain || asked->what_if_count || asked->html ||
                             asked->style != PITHI_TEXT_TABS))
        return pithi_tool_usage(argv[0], "--json-file cannot be used with --answer, --explain, --what-if, --html, "
                                         "--csv or --json");
    if (argc - optind > 1)
        return 0;
    if (asked->scaling)
        return pithi_tool_usage(argv[0], "--scaling needs several logs");
    return pithi_tool_arguments(argc, argv, names);
}

/* ---- A log ------------------------------------------------------------------------------------------------------- */

int pithi_findings_open(struct pithi_findings *f, const char *path, const struct pithi_window_words *words,
                        const struct pithlog_filter *filter)
{
    struct pithlog_analyze_query query = {INT64_MIN, INT64_MAX, pithi_progress_part, NULL};
    int err;

    *f = (struct pithi_findings){.path = path};
    TRY(pithi_tool_open("analyze", path, &f->log));
    TRY(pithi_tool_leave_added(&f->log));
    TRY(pithi_window_find(f->log, words, &query.from_ns, &query.to_ns));
    TRY(pithi_tool_filter(&f->log, filter));
    pithi_progress_begin_part("analyze", pithlog_get_info(f->log)->bytes);
    /* For a damaged log this call returns PITH_ERR_DAMAGED and still gives an analysis of the readable records. The
     * command prints this analysis, and the error after it. */
    err = pithlog_analyze(f->log, &query, &f->analysis);
    pithi_progress_end();
    if (f->analysis)
        f->info = pithlog_analysis_get_info(f->analysis);
    /* If the interval is empty, there is nothing to analyse: sets an error that says why it is empty. */
    if (f->analysis && f->info->to_ns <= f->info->from_ns)
        err = pithi_findings_none(f, err == PITH_ERR_DAMAGED);
    else if (err == PITH_OK) /* In a damaged log it is unknown in which states the threads' counters grew. */
        err = pithlog_analysis_computation(f->analysis, &f->computation);
out:
    return err;
}

int pithi_findings_make(struct pithi_findings *f)
{
    char text[800];
    int err = PITH_OK;

    CHECK(pithi_findings_gather(f));
    /* functions[i] says, for a load imbalance, in which functions its overloaded rank computed longer. This text comes
     * from samples; in a log without samples it is missing, which is no error. */
    if (!(f->functions = calloc(f->count + (size_t)1, sizeof *f->functions)))
        return pithi_no_memory();
    /* A failure does not end the loop. In each case an entry is NULL or a string, so pithi_findings_close can free all
     * entries. */
    for (uint32_t i = 0; i < f->count; i++) {
        const struct pithlog_finding *finding = &f->list[i];
        if (strcmp(finding->name, "load imbalance") != 0 ||
            pithi_stat_longer(f->log, finding->lane, f->info->from_ns, f->info->to_ns, text, sizeof text) != PITH_OK ||
            !*text)
            continue;
        if (!(f->functions[i] = strdup(text)))
            err = pithi_no_memory();
    }
    return err;
}

void pithi_findings_close(struct pithi_findings *f)
{
    for (uint32_t i = 0; f->functions && i < f->count; i++)
        free(f->functions[i]);
    free(f->functions);
    for (uint32_t i = 0; f->sites && i < f->count; i++)
        free(f->sites[i]);
    free(f->sites);
    free(f->answer_site);
    pithi_trust_end(f->trusting, NULL);
    pithlog_analysis_free(f->analysis);
    if (f->log)
        pithlog_close(f->log);
}

int pithi_findings_find_answer(struct pithi_findings *f) { return pithlog_analysis_answer(f->analysis, &f->answer); }

/* Waits for the replay that shows how far the analysis can be trusted. Called last, so that other work is done while
 * the replay runs. */
static int find_trust(struct pithi_findings *f)
{
    struct pithi_trusting *trusting = f->trusting;

    f->trusting = NULL;
    return trusting ? pithi_trust_end(trusting, &f->trust) : pithi_no_memory();
}

/* Prints the findings as a table for programs. A cell without a value is empty. */
static int print_csv(struct pithi_findings *f, FILE *out)
{
    static const struct pithi_table_column columns[] = {{"finding", PITHI_CELL_TEXT, 0},
                                                        {"cost", PITHI_CELL_TIME, 0},
                                                        {"share", PITHI_CELL_RATIO, 0},
                                                        {"rank", PITHI_CELL_COUNT, 0},
                                                        {"other", PITHI_CELL_COUNT, 0},
                                                        {"from", PITHI_CELL_TIME, 0},
                                                        {"to", PITHI_CELL_TIME, 0},
                                                        {"function", PITHI_CELL_TEXT, 0},
                                                        {"first_iteration", PITHI_CELL_COUNT, 0},
                                                        {"last_iteration", PITHI_CELL_COUNT, 0},
                                                        {"command", PITHI_CELL_TEXT, 0}};
    struct pithi_report *table = NULL;
    int err;

    pithi_findings_note_short(f);
    TRY(pithi_findings_find_iterations(f));
    TRY(pithi_table_new(&table, columns, sizeof columns / sizeof *columns));
    for (uint32_t i = 0; i < f->count; i++) {
        const struct pithlog_finding_place *place = &f->list[i].place;
        const uint32_t lanes[] = {place->lane, place->other};
        /* `command` is NULL if memory is short; then its cell is empty. */
        char *command = pithi_findings_command(f, place);
        pithi_table_row(table);
        pithi_table_text(table, f->list[i].name);
        pithi_table_number(table, (int64_t)f->list[i].ns);
        /* The table takes a ratio in millionths. */
        pithi_table_number(table, (int64_t)(f->list[i].share * 1e6));
        for (int k = 0; k < 2; k++)
            if (lanes[k] != UINT32_MAX)
                pithi_table_number(table, pithlog_get_lane(f->log, lanes[k])->rank);
            else
                pithi_table_skip(table);
        pithi_table_number(table, place->from_ns);
        pithi_table_number(table, place->to_ns);
        pithi_table_text(table, f->functions[i] ? f->functions[i] : "");
        size_t iterations[2], costly;
        int has = pithi_finding_iterations(f->analysis, &f->list[i], &iterations[0], &iterations[1], &costly) == 1;
        for (int k = 0; k < 2; k++)
            if (has)
                pithi_table_number(table, (int64_t)iterations[k] + 1);
            else
                pithi_table_skip(table);
        pithi_table_text(table, command ? command : "");
        free(command);
    }
    TRY(pithi_table_print(table, out, PITHI_TEXT_CSV));
out:
    pithi_table_free(table);
    return err;
}

/* ---- What if ----------------------------------------------------------------------------------------------------- */

/* Reads "balanced", "network=ideal", "network=latency", or how many times faster something is: "network=4", "STATE=2",
 * "STATE@RANK=2". For example "MPI_Send@3=2": calls of MPI_Send on rank 3 take half as long. */
static int parse_what_if(const struct pithi_findings *f, const char *text, struct pithlog_what_if *what)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    /* Takes the last '=', as the name of a state may contain another one. */
    const char *value = strrchr(text, '='), *at;
    struct pithi_nearest nearest;
    char name[256], *end;
    double times;

    *what = (struct pithlog_what_if){.network = 1, .state = PITHLOG_COMPUTING, .lane = UINT32_MAX, .factor = 1};
    if (strcmp(text, "balanced") == 0) {
        what->is_balanced = 1;
        return 0;
    }
    if (!value || (size_t)(value - text) >= sizeof name)
        return pithi_tool_usage("analyze",
                                "--what-if %s: must be balanced, network=ideal, network=latency, network=K, "
                                "STATE=K or STATE@RANK=K; K: so many times faster",
                                text);
    snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    times = strtod(value + 1, &end);
    if (strcmp(name, "network") == 0 && strcmp(value + 1, "ideal") == 0) {
        what->network = 0;
        return 0;
    }
    if (strcmp(name, "network") == 0 && strcmp(value + 1, "latency") == 0) {
        what->is_fitted = 1;
        return 0;
    }
    if (end == value + 1 || *end || !(times > 0))
        return pithi_tool_usage("analyze", "--what-if %s: '%s' must be %sa number above 0: so many times faster", text,
                                value + 1, strcmp(name, "network") == 0 ? "ideal, latency or " : "");
    if (strcmp(name, "network") == 0) {
        what->is_fitted = 1;
        /* 4 times faster: a quarter of the latency, and a quarter of the time per byte */
        what->network = what->bytes = 1 / times;
        return 0;
    }
    what->factor = 1 / times;
    if ((at = strrchr(name, '@')) != NULL) {
        long rank = strtol(at + 1, &end, 10);
        /* The first lane of that rank is its main thread. */
        for (uint32_t i = 0; end != at + 1 && !*end && i < info->lanes && what->lane == UINT32_MAX; i++)
            if (pithlog_get_lane(f->log, i)->rank == rank)
                what->lane = i;
        if (what->lane == UINT32_MAX)
            return pithi_tool_usage("analyze", "--what-if %s: the log has no rank '%s'", text, at + 1);
        name[at - name] = 0;
    }
    if (strcmp(name, "computing") == 0)
        return 0;
    for (uint32_t i = 0; i < info->defs; i++)
        if (pithlog_get_def(f->log, i)->kind == PITHLOG_STATE && strcmp(pithlog_get_def(f->log, i)->name, name) == 0) {
            what->state = i; /* the name is unique among states */
            return 0;
        }
    pithi_tool_nearest_state(&nearest, f->log, name);
    pithi_nearest_try(&nearest, "network");
    pithi_nearest_try(&nearest, "computing");
    return pithi_tool_usage("analyze", "--what-if %s: the log has no state '%s'%s", text, name,
                            pithi_nearest_ask(&nearest));
}

/* Prints the predicted run time with each change, beside the time of a replay without a change. A change of the network
 * changes the model of the network that was fitted to the log. */
static int print_what_ifs(const struct pithi_findings *f, const struct asked *asked, FILE *out)
{
    struct pithlog_what_if what = {.network = 1, .factor = 1}, unchanged = what;
    double replayed[2] = {0, 0}, predicted, run_ns = (double)(f->info->to_ns - f->info->from_ns);
    int status, is_longer = 0, err = PITH_OK;

    double unknown = f->trust.unknown_ns / ((double)f->info->lanes * run_ns);
    /* Checks all what-ifs before it computes the first: a replay may take long. */
    for (uint32_t i = 0; i < asked->what_if_count; i++)
        if ((status = parse_what_if(f, asked->what_ifs[i], &what)) != 0)
            return -status;
    /* Calls whose partners are not in the log take a time that cannot be predicted. If this is much of the time,
     * refuses to predict. */
    if (unknown > PITHI_UNKNOWN_MOST)
        return pithi_fail(PITH_ERR_UNSUPPORTED,
                          "%s: no prediction: %.0f %% of the time is in calls whose partners are not in the log",
                          f->path, 100 * unknown);
    fprintf(out, "%s", asked->style == PITHI_TEXT_JSON ? "{\"what_ifs\":[" : "");
    for (uint32_t i = 0; !err && i < asked->what_if_count; i++) {
        parse_what_if(f, asked->what_ifs[i], &what);
        /* At most two replays without a change are needed: one as recorded, one on the fitted network. Each is made
         * when it is first needed. */
        int fitted = unchanged.is_fitted = what.is_fitted;
        unchanged.bytes = 1;
        err = replayed[fitted] > 0 ? PITH_OK : pithlog_analysis_what_if(f->analysis, &unchanged, &replayed[fitted]);
        err = err ? err : pithlog_analysis_what_if(f->analysis, &what, &predicted);
        if (!err && asked->style == PITHI_TEXT_JSON) {
            char *quoted = pithi_quoted(PITHI_QUOTE_JSON, asked->what_ifs[i]);
            fprintf(out, "%s{\"change\":%s,\"predicted_ns\":%.3f,\"replayed_ns\":%.3f,\"measured_ns\":%.0f}",
                    i == 0 ? "" : ",", quoted ? quoted : "null", predicted, replayed[fitted], run_ns);
            free(quoted);
        } else if (!err)
            fprintf(out, "%-24s %12.6f s, %+.1f %% (%s: %.6f s, measured: %.6f s)\n", asked->what_ifs[i],
                    /* The prediction is compared with the replay, not with the run, so that the replay's own error does
                     * not count as an effect. */
                    predicted / 1e9, replayed[fitted] > 0 ? (predicted / replayed[fitted] - 1) * 100 : 0,
                    fitted ? "fitted network" : "replayed unchanged", replayed[fitted] / 1e9, run_ns / 1e9);
        is_longer |= !err && what.is_balanced && predicted > 1.01 * replayed[fitted];
    }
    if (asked->style == PITHI_TEXT_JSON) {
        fprintf(out, "]}\n");
        return err;
    }
    if (!err && is_longer)
        fprintf(out, "Balanced takes longer: a rank gets work while others wait for it, or ranks wait where\n"
                     "the log does not show for whom. So this is no prediction.\n");
    if (!err && pithi_crowded(f->analysis))
        fprintf(out, "Ranks share cores: the times contain waiting for a core, also after the change.\n");
    /* The fitted network is a model with a latency and a bandwidth. If a replay on this model does not take about as
     * long as the run, the model is wrong for this run. */
    if (!err && replayed[1] > 0 && fabs(replayed[1] / run_ns - 1) > PITHI_TRUSTED)
        fprintf(out,
                "The fitted network does not explain this run: its replay is %.0f %% %s.\n"
                "Its predictions cannot be trusted.\n",
                100 * fabs(replayed[1] / run_ns - 1), replayed[1] < run_ns ? "shorter" : "longer");
    return err;
}

/* Writes the page for a browser, with the what-ifs, to the file of --html. */
static int write_html(struct pithi_findings *f, const struct asked *asked)
{
    char *what_if = NULL;
    size_t size;
    FILE *lines = NULL;
    int err;

    /* What-ifs are printed into memory first: the page needs them as text, and an error must come before the file is
     * made. */
    if (asked->what_if_count && !(lines = open_memstream(&what_if, &size)))
        return pithi_no_memory();
    err = pithi_findings_find_iterations(f);
    if (!err)
        err = pithi_findings_find_answer(f);
    if (!err)
        err = find_trust(f);
    if (!err && lines)
        err = print_what_ifs(f, asked, lines);
    if (lines && fclose(lines) != 0 && !err)
        err = pithi_no_memory();
    if (!err)
        err = pithi_findings_find_sites(f, 1);
    if (!err)
        err = pithi_findings_html(f, asked->html, what_if);
    free(what_if);
    return err;
}

/* --json-file writes the findings as JSON to a file; the page for people still goes to standard output. This struct is
 * the context that pithi_outfile_print passes to print_json. */
struct json_file {
    const struct pithi_findings *findings;
    int with_waits;
};

static int print_json(void *context, FILE *out)
{
    const struct json_file *file = context;

    return pithi_findings_json(file->findings, out, file->with_waits);
}

/* Analyses one log and prints it as `asked` says. Returns the exit status. */
static int analyze(const char *path, const struct asked *asked, FILE *out)
{
    struct pithi_findings findings = {0};
    int damaged, err;
    char said[512];

    damaged = pithi_findings_open(&findings, path, &asked->words, asked->where.filter);
    if (damaged != PITH_ERR_DAMAGED || !findings.analysis)
        TRY(damaged);
    /* The error on the damage is printed last. Its text is copied here, as the next call that fails would overwrite
     * it. */
    snprintf(said, sizeof said, "%s", pithlog_error());
    findings.iterations_of = asked->iterations;
    findings.no_commands = asked->no_commands;
    if (asked->html || asked->what_if_count ||
        !(asked->only_answer || asked->explain || asked->style == PITHI_TEXT_CSV))
        findings.trusting = pithi_trust_begin(findings.analysis);
    TRY(pithi_findings_make(&findings));
    if (asked->html)
        TRY(write_html(&findings, asked));
    else if (asked->what_if_count) {
        TRY(find_trust(&findings));
        TRY(print_what_ifs(&findings, asked, out));
    } else if (asked->only_answer) {
        TRY(pithi_findings_find_iterations(&findings));
        TRY(pithi_findings_find_answer(&findings));
        fputs(findings.answer->text, out);
        fflush(out); /* the rest takes longer; a caller that stops this process early has at least this sentence */
        TRY(pithi_findings_find_sites(&findings, 0));
        if (findings.answer_site)
            fprintf(out, " Longest: %s.", findings.answer_site);
        fprintf(out, "\n");
    } else if (asked->explain) {
        TRY(pithi_findings_find_iterations(&findings));
        TRY(pithi_findings_find_answer(&findings));
        TRY(pithi_findings_find_sites(&findings, 0));
        /* The function returns 2 for a usage error that it has printed. The minus makes it negative, so that `out` does
         * not print an error again. */
        TRY(-pithi_findings_explain(&findings, asked->explain, out));
    } else if (asked->style == PITHI_TEXT_CSV)
        TRY(print_csv(&findings, out));
    else {
        TRY(pithi_findings_find_iterations(&findings));
        TRY(pithi_findings_find_answer(&findings));
        TRY(find_trust(&findings));
        TRY(pithi_findings_find_sites(&findings, 1));
        TRY(asked->style == PITHI_TEXT_JSON ? pithi_findings_json(&findings, out, asked->with_waits)
                                            : pithi_findings_page(&findings, out));
        if (asked->json_file) {
            struct json_file file = {&findings, asked->with_waits};
            TRY(pithi_outfile_print("analyze", asked->json_file, print_json, &file));
        }
    }
    err = damaged ? pithi_fail(damaged, "%s", said) : PITH_OK;
out:
    /* Prints a positive error here. A negative one is a usage error that has been printed already. */
    if (err > 0)
        pithi_tool_failed();
    pithi_findings_close(&findings);
    return err;
}

int pithi_tool_analyze(int argc, char **argv)
{
    struct asked asked = {0};
    int err, status = read_options(argc, argv, &asked);

    if (status) {
        pithlog_filter_free(asked.where.filter);
        return status;
    }
    struct pithi_compare_query query = {argv + optind, (uint32_t)(argc - optind),
                                        &asked.words,  asked.where.filter,
                                        asked.style,   (enum pithi_scaling)asked.scaling};
    err = query.count > 1 ? pithi_compare(&query, stdout) : analyze(argv[optind], &asked, stdout);
    pithlog_filter_free(asked.where.filter);
    return err < 0 ? -err : err != PITH_OK;
}
