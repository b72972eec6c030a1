/* analyze_page.c - `pith analyze` for people: one page of at most 80 columns.
 *
 * The answer comes first, so that its reader can stop there: a sentence says what costs most, and a command shows
 * where. Then follow a line for each finding, and lines that say how far the analysis can be trusted. The rest of the
 * page has the findings with their causes, the efficiencies, the critical path, the iterations, the communication.
 *
 * A line that would say nothing is left out: a complete log is not called complete, and causes below 1 % of the run are
 * not listed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hybrid_model.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/out.h"
#include "native/log.h"
#include "tools/analyze.h"
#include "tools/table.h"

enum { COLUMNS = 79, WIDTH = 80, SHORT_LIST = 5 };
#define UNMATCHED 0.99 /* below this matched fraction the page prints a warning */

/* Returns the text for an edge of the window: `call` ("MPI_Init", for example) if the edge is at this call, `log_end`
 * if it is at log_ns, a begin or end of the log, else the time. */
static const char *edge(char text[32], int64_t ns, int is_call, const char *call, int64_t log_ns, const char *log_end)
{
    snprintf(text, 32, "%.6f s", (double)ns / 1e9);
    return is_call ? call : ns == log_ns ? log_end : text;
}

void pithi_findings_head(const struct pithi_findings *f, FILE *out)
{
    const struct pithlog_analysis_info *info = f->info;
    const struct pithlog_info *log = pithlog_get_info(f->log);
    char text[PITHI_NS_TEXT], from[32], to[32];
    const char *name = strrchr(f->path, '/');

    /* Prints the name without its folders, as a path may be wider than the page. */
    fprintf(out, "%s: %u rank%s", name ? name + 1 : f->path, f->ranks, f->ranks == 1 ? "" : "s");
    if (log->lanes > f->ranks)
        fprintf(out, ", %u threads", log->lanes);
    fprintf(out, ", %u host%s", f->hosts, f->hosts == 1 ? "" : "s");
    if (f->cores)
        fprintf(out, ", %u core%s", f->all_cores, f->all_cores == 1 ? "" : "s");
    if (f->cores < f->all_cores)
        fprintf(out, ", of which ranks may use %u", f->cores);
    fprintf(out, "\n%s analysed, from %s to %s\n", pithi_ns_text(text, (double)(info->to_ns - info->from_ns)),
            edge(from, info->from_ns, info->has_init, "the end of MPI_Init", log->start_ns, "the start"),
            edge(to, info->to_ns, info->has_finalize, "MPI_Finalize", log->end_ns, "the end"));
}

/* Ends the pause of a lane at end_ns, and returns how much of it lies within the interval that is analysed. *since_ns
 * is the time at which the pause began, or INT64_MAX if the lane is not paused. */
static double end_pause(const struct pithi_findings *f, uint32_t lane, int64_t *since_ns, int64_t end_ns)
{
    int64_t from_ns = *since_ns > f->info->from_ns ? *since_ns : f->info->from_ns;
    int64_t to_ns = end_ns < f->info->to_ns ? end_ns : f->info->to_ns;

    *since_ns = INT64_MAX;
    return pithlog_analysis_calls_mpi(f->analysis, lane) && to_ns > from_ns ? (double)(to_ns - from_ns) : 0;
}

/* Returns the sum of the times of all lanes in which recording was paused. */
static double paused_ns(const struct pithi_findings *f)
{
    /* Reads the whole log, as a pause may begin before the interval that is analysed. */
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_PAUSE | 1u << PITHLOG_RESUME};
    uint32_t lanes = pithlog_get_info(f->log)->lanes;
    int64_t *since_ns = malloc((lanes + (size_t)1) * sizeof *since_ns);
    struct pithlog_record record;
    struct pithlog_iter *iter;
    double sum_ns = 0;

    if (!since_ns || pithlog_iter_open(f->log, &query, &iter) != PITH_OK) {
        free(since_ns);
        return 0;
    }
    for (uint32_t i = 0; i < lanes; i++)
        since_ns[i] = INT64_MAX;
    /* A PAUSE in a lane that is already paused changes nothing. A RESUME in a lane that is not paused adds nothing. */
    while (pithlog_iter_next(iter, &record) > 0)
        if (record.kind == PITHLOG_RESUME)
            sum_ns += end_pause(f, record.lane, &since_ns[record.lane], record.time_ns);
        else if (since_ns[record.lane] == INT64_MAX)
            since_ns[record.lane] = record.time_ns;
    /* A pause without a RESUME lasts to the end of the interval. */
    for (uint32_t i = 0; i < lanes; i++)
        sum_ns += end_pause(f, i, &since_ns[i], INT64_MAX);
    pithlog_iter_close(iter);
    free(since_ns);
    return sum_ns;
}

void pithi_findings_note_short(const struct pithi_findings *f)
{
    if (f->info->is_too_short)
        pithi_tool_say(
            stderr,
            "pith: note: %s: the part without missing records is too short to judge the run: %.2g %% of the time "
            "asked for",
            f->path, 100 * f->info->part);
}

/* Breaks a text at blanks into lines of at most `width` characters. The first line begins with `indent`, each further
 * line with `more`. A word that is longer than a line has a line of its own. */
static void wrap(const char *text, size_t size, const char *indent, const char *more, size_t width, FILE *out)
{
    const char *end = text + size;
    size_t column = 0;

    for (const char *word = text; word < end; word += strspn(word, " \n")) {
        size_t length = strcspn(word, " \n");
        /* "52 %" is not broken. */
        if (word[length] == ' ' && word[length + 1] == '%' && end - word > (ptrdiff_t)length + 1)
            length += 1 + strcspn(word + length + 1, " \n");
        if (column && column + 1 + length > width) {
            fprintf(out, "\n");
            column = 0;
            indent = more;
        }
        fprintf(out, "%s%.*s", column ? " " : indent, (int)length, word);
        column += length + (column ? 1 : strlen(indent));
        word += length;
    }
    fprintf(out, "\n");
}

/* Writes each line of a text after `indent`. A line longer than WIDTH columns is broken, and its further lines are
 * indented by two more columns. */
static void put_lines(const char *indent, const char *text, FILE *out)
{
    char first[64], more[64];

    /* Each line of `text` ends with a newline, so strchr() never returns NULL. */
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        size_t size = strcspn(line, "\n"), blanks = strspn(line, " ");
        snprintf(first, sizeof first, "%s%.*s", indent, (int)blanks, line);
        snprintf(more, sizeof more, "%s  ", indent);
        if (strlen(indent) + size > WIDTH)
            wrap(line + blanks, size - blanks, first, more, WIDTH, out);
        else
            fprintf(out, "%s%.*s\n", indent, (int)size, line);
    }
}

/* Returns 1 if the log has a state whose name begins with `begin`. */
static int has_state(const struct pithlog *log, const char *begin)
{
    const struct pithlog_def *def;

    for (uint32_t i = 0; (def = pithlog_get_def(log, i)) != NULL; i++)
        if (def->kind == PITHLOG_STATE && strncmp(def->name, begin, strlen(begin)) == 0)
            return 1;
    return 0;
}

/* Returns 1 if the matched fraction of messages (or collectives) is below UNMATCHED. For none at all it returns 0, as 0
 * is not below 0. */
static int is_unmatched(uint64_t matched, uint64_t all) { return (double)matched < UNMATCHED * (double)all; }

void pithi_findings_trust(const struct pithi_findings *f, FILE *out)
{
    const struct pithi_trust *trust = &f->trust;
    const char *error = pithi_property(f->log, "clock_error_ns"); /* the most by which a clock differs from rank 0's */
    char text[PITHI_NS_TEXT];

    /* Prints a line for each kind of record that is missing in the log. For a complete log it prints none. */
    const struct pithlog_info *log = pithlog_get_info(f->log);
    uint32_t absent = pithi_findings_absent(f);
    char missing[PITHLOG_MISSING_TEXT];
    if (log->lost)
        fprintf(out, "  At least %llu record%s lost.\n", (unsigned long long)log->lost,
                log->lost == 1 ? " was" : "s were");
    pithlog_analysis_missing(f->analysis, missing);
    for (const char *line = missing; *line; line = strchr(line, '\n') + 1)
        fprintf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
    double paused = paused_ns(f);
    if (paused > 0)
        fprintf(out, "  Recording was paused for %.1f %% of all ranks' time, which counts as computing.\n",
                pithi_analysis_percent(f->analysis, paused));
    /* If the log has several threads of a rank, but no states of a wrapper that records how threads wait, says so. */
    if (log->lanes > f->ranks && !has_state(f->log, "pthread_") && !has_state(f->log, "omp:"))
        fprintf(out, "  Waiting of threads for one another is not in the log (pith run --also pthread, "
                     "--also openmp).\n");
    if (absent)
        fprintf(out, "  The log has no records of %s%u rank%s: waiting for %s counts as transfer.\n",
                log->incomplete ? "at least " : "", absent, absent == 1 ? "" : "s", absent == 1 ? "it" : "them");

    if (trust->of_messages || trust->of_collectives) {
        fprintf(out, "  Matched: ");
        if (trust->of_messages)
            fprintf(out, "%llu of %llu messages%s", (unsigned long long)trust->messages,
                    (unsigned long long)trust->of_messages, trust->of_collectives ? ", " : "");
        if (trust->of_collectives)
            fprintf(out, "%llu of %llu calls of collectives", (unsigned long long)trust->collectives,
                    (unsigned long long)trust->of_collectives);
        fprintf(out, "\n");
    }
    if (is_unmatched(trust->messages, trust->of_messages) || is_unmatched(trust->collectives, trust->of_collectives))
        fprintf(out, "  Waiting for partners that are not in the log counts as transfer.\n");
    /* If the property is a number, it is printed in a unit that fits; any other text is printed as it is. */
    if (error && *error >= '0' && *error <= '9')
        fprintf(out, "  Clock error: %s\n", pithi_ns_text(text, strtod(error, NULL)));
    else if (error) {
        /* A property may hold any bytes, so it is quoted and cut. Otherwise its control characters could act on the
         * terminal, or its length break the layout. */
        char *shown = pithi_quoted(PITHI_QUOTE_TABS, error);

        fprintf(out, "  Clock error: %.20s\n", shown ? shown : "?");
        free(shown);
    }
    if (trust->unknown_ns > 0 && f->info->lanes > 0) {
        double run_ns = (double)(f->info->to_ns - f->info->from_ns);
        /* Prints no line if both percentages are below 1 %: so little does not matter, and would only worry the
         * user. */
        double part = 100 * trust->unknown_ns / f->info->lanes / run_ns, path = 100 * trust->path_unknown_ns / run_ns;
        if (part >= 1 || path >= 1)
            fprintf(out,
                    "  Unknown: %.0f %% of the time, and %.0f %% of the critical path, is in calls whose "
                    "partners are not in the log. It counts as transfer there.\n",
                    part, path);
    }
    if (trust->has_no_messages)
        fprintf(out, "  The log does not contain messages: waiting for them is counted as transfer.\n");
    if (trust->has_no_collectives)
        fprintf(out, "  The log does not contain the members of collectives: waiting in collectives is "
                     "counted as transfer.\n");
    if (f->info->given_up)
        fprintf(out, "  %llu dependencies contradict the times and are left out (pith convert --causal).\n",
                (unsigned long long)f->info->given_up);

    /* Prints whether a replay on the fitted model of the network takes about as long as the run. If the two differ by
     * at most 2 % (PITHI_TRUSTED), the model is good enough for predictions. `off` is this difference as a fraction of
     * the run: -0.02 if the replay is 2 % shorter. */
    double replayed_run_ns = (double)(f->info->to_ns - f->info->from_ns),
           off = f->trust.replay_ns / replayed_run_ns - 1;
    const struct pithi_replay_state *worst = f->trust.worst, *after = worst + f->trust.worst_count;
    char in_log[PITHI_NS_TEXT], replay[PITHI_NS_TEXT];
    if (f->trust.replay_ns <= 0)
        return;
    if (fabs(off) < 0.0005)
        fprintf(out, "  A replay on the fitted network takes as long as the run.\n");
    else
        fprintf(out, "  A replay on the fitted network is %.1f %% %s than the run%s", 100 * fabs(off),
                off < 0 ? "shorter" : "longer", fabs(off) <= PITHI_TRUSTED ? ".\n" : ", so ");
    if (fabs(off) <= PITHI_TRUSTED)
        return;
    fprintf(out, "predictions for another network cannot be trusted%s.\n",
            f->cores && f->ranks > f->cores ? ": there are more ranks than cores" : "");
    /* Finds the state that explains the difference most. The states are sorted by their difference, the largest first;
     * states that differ in the other direction are skipped. */
    while (worst < after && (worst->replay_ns < worst->log_ns) != (off < 0))
        worst++;
    if (worst < after && worst->calls)
        fprintf(out, "  Differs most: %.*s, %s, in the replay %s.\n", PITHI_NAME_COLUMNS,
                pithi_state_text(f->log, worst->state), pithi_ns_text(in_log, worst->log_ns),
                pithi_ns_text(replay, worst->replay_ns));
}

/* Prints how far the analysis can be trusted, in lines of at most WIDTH columns. Returns 1, or 0 if there is no
 * memory. */
static int put_trust(const struct pithi_findings *f, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    int good = memory != NULL;

    if (memory) {
        pithi_findings_trust(f, memory);
        good = fclose(memory) == 0;
    }
    if (good)
        put_lines("", text, out);
    free(text);
    return good;
}

/* Returns 1 if most of the transfer time is in calls of ranks that were descheduled. */
static int is_descheduled(const struct pithi_findings *f)
{
    double transfer_ns = 0, descheduled_ns = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        transfer_ns += strcmp(f->list[i].name, "transfer") == 0 ? f->list[i].ns : 0;
        descheduled_ns += strcmp(f->list[i].name, "descheduled ranks") == 0 ? f->list[i].ns : 0;
    }
    return descheduled_ns > transfer_ns / 2;
}

/* Prints a sentence on the lowest efficiency of load balance, serialisation and transfer, and what it could save. */
void pithi_findings_lowest(const struct pithi_findings *f, FILE *out)
{
    const struct pithlog_analysis_info *info = f->info;
    const struct pithlog_finding *lack = pithi_lack_of_cores(f->analysis);
    struct pithlog_efficiency hybrid[PITHLOG_HYBRID];
    double threads = pithi_thread_wait_share(f->analysis);
    int has_threads = pithlog_analysis_hybrid(f->analysis, hybrid) > 0;

    if (f->info->is_too_short)
        return;
    /* Prints one sentence, the first that applies: on a lack of cores, which makes all other figures useless; on
     * threads; on MPI. */
    if (pithi_crowded(f->analysis))
        fprintf(out,
                "  %u %s share %u core%s: all these figures contain waiting for a core, so first\n"
                "  run as many as there are cores.\n",
                f->ranks > f->cores ? f->ranks : pithlog_get_info(f->log)->lanes,
                f->ranks > f->cores ? "ranks" : "threads", f->cores, f->cores == 1 ? "" : "s");
    else if (lack && 2 * lack->share >= 1 - info->parallel)
        fprintf(out, "  All these figures contain waiting for a core, which costs %.0f %% of the run.\n",
                100 * lack->share);
    /* The efficiency of all threads, hybrid[0], is the product of MPI's efficiency and the threads' efficiency. So
     * threads lose more than MPI does if the product is less than the square of MPI's efficiency. Example: with MPI's
     * efficiency 0.80 and the product 0.40, threads lose more, as 0.40 < 0.64. */
    else if (has_threads && hybrid[0].value < 0.95 && hybrid[0].value < info->parallel * info->parallel)
        fprintf(out,
                "  Threads are lowest: they work %.0f %% of the time, but those that call MPI\n"
                "  are outside of it %.0f %%.\n",
                100 * hybrid[0].value, 100 * info->parallel);
    else if (threads >= 0.05 && info->parallel >= 0.95)
        fprintf(out, "  Threads are lowest: those that call MPI wait %.0f %% of the time for others.\n", 100 * threads);
    else if (info->parallel >= 0.95)
        fprintf(out, "  Nothing is badly wrong: %s %.0f %% of the time.\n",
                f->ranks == 1 ? "the rank computes" : "ranks compute", 100 * (info->parallel - threads));
    else if (info->load_balance <= info->serialisation && info->load_balance <= info->transfer)
        fprintf(out,
                "  Load balance is lowest: some ranks compute longer than others. Equal shares\n"
                "  would save up to %.0f %% of the run.\n",
                /* Without imbalance each rank would compute for the mean time only: with communication efficiency 0.9
                 * and load balance 0.8 this saves 0.9 * (1 - 0.8) = 0.18 of the run. */
                100 * info->communication * (1 - info->load_balance));
    else if (info->serialisation <= info->transfer) {
        double saved = 100 * (1 - info->transfer);

        fprintf(out, "  Serialisation is lowest: ranks wait for one another in turn. A faster network\n");
        if (saved < 1)
            fprintf(out, "  would not help.\n");
        else
            fprintf(out, "  would save %.0f %% of the run at most.\n", saved);
    } else
        fprintf(out, "  Transfer is lowest: data transfer and MPI itself take %.0f %% of the run.\n  %s\n",
                100 * (1 - info->transfer),
                is_descheduled(f) ? "Most of it is in calls of ranks that did not run: see descheduled ranks."
                                  : "Send less, in larger messages, or while the program computes.");
}

void pithi_findings_ipc(const struct pithi_findings *f, FILE *out)
{
    const struct pithlog_computation *c = &f->computation;

    if (c->ipc > 0)
        fprintf(out, "  Outside MPI: %.3g instructions, %.2f per cycle (IPC), %.2f GHz.\n", c->instructions, c->ipc,
                c->cycles_a_second / 1e9);
}

static void put_tree(const struct pithlog_efficiency *all, uint32_t count, FILE *out)
{
    for (uint32_t i = 0; i < count; i++) {
        /* Names are indented by their depth in the tree; values stay in one column. */
        int blanks = 2 + 2 * (int)all[i].depth;
        fprintf(out, "%*s%-*s%5.2f  %s\n", blanks, "", 26 - blanks, all[i].name, all[i].value, all[i].meaning);
    }
}

void pithi_findings_outside(const struct pithi_findings *f, FILE *out)
{
    const struct pithlog_info *log = pithlog_get_info(f->log);
    char text[PITHI_NS_TEXT];

    if (f->info->has_init)
        fprintf(out, "  Not analysed: %s before the last rank has left MPI_Init.\n",
                pithi_ns_text(text, (double)(f->info->from_ns - log->start_ns)));
    if (f->info->has_finalize)
        fprintf(out, "  Not analysed: %s after the last rank has entered MPI_Finalize.\n",
                pithi_ns_text(text, (double)(log->end_ns - f->info->to_ns)));
}

int pithi_findings_is_listed(const struct pithlog_finding *finding) { return finding->share >= PITHI_FINDING_LISTED; }

void pithi_findings_unlisted(const struct pithi_findings *f, FILE *out)
{
    uint32_t listed = 0;

    /* Findings below 1 % are not listed, but the page says how many there are. */
    for (uint32_t i = 0; i < f->count; i++)
        listed += (uint32_t)pithi_findings_is_listed(&f->list[i]);
    if (listed < f->count)
        fprintf(out, "  %u more cost%s less than 1 %%%s (--csv has %s).\n", f->count - listed,
                f->count - listed == 1 ? "s" : "", f->count - listed == 1 ? "" : " each",
                f->count - listed == 1 ? "it" : "them");
    else if (!f->count)
        fprintf(out, "  Nothing costs %.1f %% or more.\n", 100 * PITHLOG_FINDING_LEAST);
}

void pithi_findings_sums(const struct pithi_findings *f, FILE *out)
{
    double waits = pithi_analysis_percent(f->analysis, (double)f->info->wait_ns), files = 0;
    double useful = pithi_analysis_percent(f->analysis, (double)f->info->useful_ns), moves;
    /* The analysis of MPI counts waiting for other threads as computing. The line below names this waiting separately,
     * so it is subtracted from computing here. */
    double threads = 100 * pithi_thread_wait_share(f->analysis);
    char text[160], for_threads[40] = "", of_files[40] = "";

    for (uint32_t i = 0; i < f->count; i++)
        files += strcmp(f->list[i].name, "files") == 0 ? 100 * f->list[i].share : 0;
    /* The rest of the time is data transfer and MPI itself. Rounding can make the rest less than 0. */
    moves = 100 - waits - useful - files;
    if (!f->info->has_mpi || !f->info->lanes)
        return;
    if (threads >= 0.5)
        snprintf(for_threads, sizeof for_threads, ", for threads %.0f %%", threads);
    if (files > 0)
        snprintf(of_files, sizeof of_files, ", use files %.0f %%", files);
    snprintf(text, sizeof text, "Ranks compute %.0f %% of the time, wait for others %.0f %%%s%s, move data %.0f %%.",
             useful - threads, waits, for_threads, of_files, moves > 0 ? moves : 0);
    pithi_findings_wrap(text, "", out);
}

/* Breaks a text into lines of COLUMNS characters at most. */
void pithi_findings_wrap(const char *text, const char *indent, FILE *out)
{
    wrap(text, strlen(text), indent, indent, COLUMNS, out);
}

int pithi_findings_put_communication(const struct pithi_findings *f, FILE *out)
{
    struct pithi_communication communication;
    int err = pithi_communication_find(f->analysis, &f->trust, &communication);

    if (!err)
        pithi_communication_put(&communication, out);
    pithi_communication_free(&communication);
    return err;
}

int pithi_findings_page(const struct pithi_findings *f, FILE *out)
{
    const char *incomplete = pithlog_get_info(f->log)->incomplete;

    /* Prints the answer, and the command that shows its worst instance in the viewer. */
    pithi_findings_wrap(f->answer->text, "", out);
    if (f->answer_site)
        fprintf(out, "Longest: %s.\n", f->answer_site);
    if (f->answer->ns > 0) {
        char *command = pithi_findings_command(f, &f->answer->place);
        if (command)
            fprintf(out, "  %s\n", command);
        free(command);
    }
    fprintf(out, "\n");

    pithi_findings_head(f, out);
    if (incomplete)
        fprintf(out, "  The log is incomplete: %s\n", incomplete);
    pithi_findings_sums(f, out);

    /* Prints a line for each of the first findings, leaving out findings that may be due to a lack of cores. */
    for (uint32_t i = 0, shown = 0; i < f->count && shown < SHORT_LIST; i++) {
        const struct pithlog_finding *finding = &f->list[i];
        char lane[32] = "";
        if (!pithi_findings_is_listed(finding) || pithi_finding_is_guess(f->analysis, finding))
            continue;
        shown++;
        /* A finding that is part of another one is indented below it, if the other one has a line. */
        int is_part = finding->part_of && !pithi_finding_is_guess(f->analysis, &f->list[finding->part_of - 1]);
        /* A kind of wait state occurs on many lanes, so the lane is named only for findings that are no wait states. */
        if (!finding->kind && finding->lane != UINT32_MAX)
            pithi_lane_text(f->log, finding->lane, lane);
        /* The line of a finding on computing names no state, except for a load imbalance: that can be in computing or
         * in a state, so its line always says which. */
        int has_state = finding->state != PITHLOG_COMPUTING || strcmp(finding->name, "load imbalance") == 0;
        fprintf(out, "  %5.1f %%  %s%-*s", 100 * finding->share, is_part ? "  " : "", has_state ? 18 : 0,
                finding->name);
        if (has_state)
            fprintf(out, "  %.*s", PITHI_NAME_COLUMNS, pithi_state_text(f->log, finding->state));
        fprintf(out, "%s%s\n", *lane ? "  " : "", lane);
    }

    if (f->info->has_mpi || f->trust.of_messages)
        fprintf(out, "\nHow far this can be trusted\n");
    pithi_run_delay_put(f->log, out);
    if (!put_trust(f, out))
        return pithi_no_memory();
    /* Without MPI calls and messages no waiting can be found, so the page ends after the lines on how far the analysis
     * can be trusted. */
    if (!f->info->has_mpi && !f->trust.of_messages) {
        fprintf(out, "pith stat shows where the time goes.\n");
        return pithi_tool_flush(out);
    }
    if (!f->info->has_mpi)
        fprintf(out, "\nThere are no efficiencies without MPI calls; a state that receives may wait.\n");

    /* Prints the findings with their causes. A finding that is part of another one is indented below it. */
    char text[PITHI_NS_TEXT], range[80];
    uint32_t number = 0;
    fprintf(out, "\nFindings (%% of all ranks' time; an indented one is part of the one above it, or\n"
                 "caused by it; causes: %% of the finding)\n");
    for (uint32_t i = 0; i < f->count; i++) {
        const struct pithlog_finding *finding = &f->list[i];
        const char *indent = finding->part_of ? "       " : "     ";
        if (!pithi_findings_is_listed(finding))
            continue;
        if (finding->part_of)
            fprintf(out, "     %s", "- ");
        else
            fprintf(out, "%3u. ", ++number);
        fprintf(out, "%s: %.1f %%, %s\n", finding->name, 100 * finding->share, pithi_ns_text(text, finding->ns));
        put_lines(indent, finding->text, out);
        if (f->functions[i])
            fprintf(out, "%sin %s\n", indent, f->functions[i]);
        if (f->sites[i])
            fprintf(out, "%slongest: %s\n", indent, f->sites[i]);
        if (*pithi_findings_range(f, finding, range))
            fprintf(out, "%s%s\n", indent, range);
        char *command = pithi_findings_command(f, &finding->place);
        if (command)
            fprintf(out, "%s%s\n", indent, command);
        free(command);
    }
    pithi_findings_unlisted(f, out);
    pithi_findings_outside(f, out);

    if (f->info->has_mpi && f->info->lanes) {
        struct pithlog_efficiency all[PITHLOG_EFFICIENCIES], hybrid[PITHLOG_HYBRID];

        pithlog_analysis_efficiencies(f->analysis, all);
        fprintf(out, "\nEfficiency (1 is best; POP)\n");
        put_tree(all, PITHLOG_EFFICIENCIES, out);
        put_tree(hybrid, pithlog_analysis_hybrid(f->analysis, hybrid), out);
        pithi_findings_lowest(f, out);
        pithi_findings_ipc(f, out);
    }

    uint32_t count;
    struct pithi_state_sum *sums = pithi_path_sums(f->analysis, &count);
    double run_ns = (double)(f->info->to_ns - f->info->from_ns);

    fprintf(out, "\nCritical path (it determines the run time; %% of it, which is the most that a\n"
                 "faster state can save; imbalance: time beyond the mean of all ranks)\n");
    for (uint32_t i = 0; i < count; i++) {
        double imbalance_ns = pithi_path_imbalance(f->analysis, sums[i].state, sums[i].ns);
        fprintf(out, "  ");
        pithi_state_sum_put(f->analysis, &sums[i], run_ns, out);
        /* an imbalance below 1 % of the run is not worth a line */
        if (imbalance_ns >= 0.01 * run_ns)
            fprintf(out, "    imbalance %s (%.0f %%)\n", pithi_ns_text(text, imbalance_ns),
                    100 * imbalance_ns / run_ns);
    }
    free(sums);
    CHECK(sums ? PITH_OK : pithi_no_memory());

    pithi_findings_put_iterations(f, out);
    CHECK(pithi_findings_put_communication(f, out));
    return pithi_tool_flush(out);
}
