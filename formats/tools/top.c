/* top.c - `pith top`: prints pages about a running job, as a table, as JSON or as metrics.
 *
 * `pith top LOG` reads the spill files of a running job. The job itself need not do anything for this. This is a page:
 *
 *     rank  state      for        MPI share  records
 *     3     computing  12.40 s    0.021      20411       the others wait for this one
 *     0-2   MPI_Recv   12.38 s    0.977      61108
 *
 * Rows are sorted by how likely it is that the rank keeps others waiting. In a job that hangs, most ranks are in MPI
 * and one is not; this rank outside MPI comes first. The ranks that have been in MPI for the longest time come last, as
 * most likely they only wait. If there are more ranks than lines on the terminal, ranks in the same state share a row,
 * which then has the longest of their times and the mean of their shares. */
#include "tools/top.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/shell_word.h"
#include "base/put_json.h"
#include "tools/running.h"
#include "tools/table.h"
#include "tools/tools.h"

struct asked {
    int once, json, why, metrics;
    const char *out;             /* the file for the metrics; NULL: standard output */
    int has_written;             /* 1: this process has written the file for the metrics */
    int64_t every_ns, recent_ns; /* every_ns: the time between two pages; 0: not given */
    int64_t hang_ns;             /* a page is printed only if no rank has recorded for this time; 0: in any case */
};

/* ---- A page ------------------------------------------------------------------------------------------------------ */

/* A row of the page: one rank, or all ranks in the same state. */
struct row {
    const struct pithi_top_rank *first;
    int32_t *ranks; /* ascending */
    uint32_t count, room;
    int64_t for_ns; /* the longest time that a rank of the row is in the state */
    double share;   /* the mean of the ranks' shares of time in MPI */
    uint64_t records;
};

/* Returns 1 if the rank's process has ended while other processes of the job run. After the end of the whole job,
 * returns 0 for each rank. */
static int is_gone(const struct pithi_top *top, const struct pithi_top_rank *rank)
{
    return top->info->running > 0 && !rank->is_running;
}

/* Sorts by how likely a rank keeps others waiting: first ranks that have ended; then ranks outside MPI, the longest
 * time first; then ranks in MPI, the shortest time first. */
static const struct pithi_top *sorted_top; /* what compare_rows uses, as qsort passes it no context */
static int compare_rows(const void *a, const void *b)
{
    const struct pithi_top *top = sorted_top;
    const struct row *x = a, *y = b;
    int gone = is_gone(top, y->first) - is_gone(top, x->first);
    int inside = !!pithi_top_lane_of(top, x->first)->calls - !!pithi_top_lane_of(top, y->first)->calls;

    if (gone || inside)
        return gone ? gone : inside;
    if (x->for_ns != y->for_ns)
        /* Outside MPI the rank with the longest time comes first; in MPI, the rank with the shortest time. */
        return (x->for_ns < y->for_ns) == !pithi_top_lane_of(top, x->first)->calls ? 1 : -1;
    return x->first->rank < y->first->rank ? -1 : 1;
}

static int is_alike(const struct pithi_top *top, const struct pithi_top_rank *a, const struct pithi_top_rank *b)
{
    return pithi_top_state(top, a) == pithi_top_state(top, b) && is_gone(top, a) == is_gone(top, b) &&
           !pithi_top_lane_of(top, a)->calls == !pithi_top_lane_of(top, b)->calls &&
           pithi_top_lane_of(top, a)->has_finalized == pithi_top_lane_of(top, b)->has_finalized;
}

/* Makes rows for all ranks. If there are more than `most`, ranks in the same state share a row. */
static int make_rows(const struct pithi_top *top, uint32_t most, struct row **rows, uint32_t *count)
{
    int grouped = top->rank_count > most; /* 0: each rank has a row of its own */

    *count = 0;
    *rows = calloc(top->rank_count + 1, sizeof **rows);
    if (!*rows)
        return pithi_no_memory();
    for (uint32_t i = 0; i < top->rank_count; i++) {
        uint32_t at = grouped ? 0 : *count; /* begins to search at the first row, or takes the next free row */
        while (at < *count && !is_alike(top, (*rows)[at].first, &top->ranks[i]))
            at++;
        if (at == *count)
            (*rows)[(*count)++].first = &top->ranks[i];
        struct row *row = &(*rows)[at];
        const struct pithi_top_rank *rank = &top->ranks[i];
        int64_t for_ns = pithi_top_for_ns(top, rank);
        if (!pithi_grow(&row->ranks, row->count, &row->room, sizeof *row->ranks))
            return pithi_no_memory();
        row->ranks[row->count++] = rank->rank;
        row->for_ns = for_ns > row->for_ns ? for_ns : row->for_ns;
        row->share += (pithi_top_share(top, rank) - row->share) / row->count; /* the mean of the ranks so far */
        row->records += rank->records;
    }
    sorted_top = top;
    qsort(*rows, *count, sizeof **rows, compare_rows);
    return PITH_OK;
}

static void free_rows(struct row *rows, uint32_t count)
{
    for (uint32_t i = 0; rows && i < count; i++)
        free(rows[i].ranks);
    free(rows);
}

static void put_head(const struct pithi_top *top, const struct pithi_running *running, int hangs)
{
    const struct pithlog_follow_info *info = top->info;
    char time[PITHI_NS_TEXT], still[PITHI_NS_TEXT], hang[PITHI_NS_TEXT + 64] = "";
    char ranks[64];

    if (hangs)
        snprintf(hang, sizeof hang, "no rank has recorded anything for %s; ",
                 pithi_ns_text(still, (double)(top->now_ns - top->progress_ns)));

    if (info->running == 0)
        snprintf(ranks, sizeof ranks, "%u rank%s, ended", top->rank_count, top->rank_count == 1 ? "" : "s");
    else
        snprintf(ranks, sizeof ranks, "%u of %u rank%s running", info->running, info->ranks,
                 info->ranks == 1 ? "" : "s");
    pithi_tool_say(stdout, "%s%s%s: %s%s, at %s%s, %llu records%s", info->program, *info->program ? ", " : "",
                   *info->log ? info->log : running->spill, hang, ranks, pithi_ns_text(time, (double)top->now_ns),
                   info->running == 0 ? " (the last record)" : "", (unsigned long long)info->records,
                   info->lost ? ", some lost" : "");
}

static int put_table(const struct pithi_top *top, const struct pithi_running *running, uint32_t most)
{
    struct pithi_report *table = NULL;
    struct row *rows;
    uint32_t count;
    int err = make_rows(top, most, &rows, &count);

    put_head(top, running, 0);
    if (err != PITH_OK)
        goto out;
    static const struct pithi_table_column columns[] = {
        {"rank", PITHI_CELL_TEXT, 0},       {"state", PITHI_CELL_TEXT, 0},    {"for", PITHI_CELL_TIME, 0},
        {"MPI share", PITHI_CELL_RATIO, 0}, {"records", PITHI_CELL_COUNT, 0},
    };
    uint32_t shown = count > most ? most - 1 : count; /* keeps a line free for "... and N more rows" */
    err = pithi_table_new(&table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; err == PITH_OK && i < shown; i++) {
        char ranks[PITHI_TOP_RANKS_TEXT], state[256];
        snprintf(state, sizeof state, "%s%s", is_gone(top, rows[i].first) ? "ended in " : "",
                 pithi_top_state_text(top, rows[i].first));
        pithi_table_row(table);
        pithi_table_text(table, pithi_top_ranks_text(ranks, rows[i].ranks, rows[i].count));
        pithi_table_text(table, state);
        pithi_table_number(table, rows[i].for_ns);
        pithi_table_number(table, (int64_t)(rows[i].share * 1e6));
        pithi_table_number(table, (int64_t)rows[i].records);
    }
    if (err == PITH_OK)
        err = pithi_table_print(table, stdout, PITHI_TEXT_TABS);
    pithi_table_free(table);
    if (count > shown)
        printf("... and %u more rows\n", count - shown);
out:
    free_rows(rows, count);
    return err;
}

static int put_json(const struct pithi_top *top, int why)
{
    const struct pithlog_follow_info *info = top->info;
    struct pithi_json_out j = {.is_first = 1};
    struct row *rows;
    uint32_t count;
    int err = make_rows(top, UINT32_MAX, &rows, &count); /* in JSON each rank has a row, even if there are many */

    if (err == PITH_OK)
        err = pithi_out_open(&j.out, stdout);
    if (err != PITH_OK) {
        free_rows(rows, count);
        return err;
    }
    pithi_json_put_begin(&j, NULL, '{');
    pithi_json_put_text(&j, "program", info->program);
    pithi_json_put_text(&j, "log", info->log);
    pithi_json_put_integer(&j, "now_ns", top->now_ns);
    pithi_json_put_integer(&j, "zero_unix_ns", info->zero_unix_ns);
    pithi_json_put_integer(&j, "ranks_of_job", info->ranks);
    pithi_json_put_integer(&j, "running", info->running);
    pithi_json_put_integer(&j, "last_ns", top->recent_ns);
    pithi_json_put_integer(&j, "records", (int64_t)info->records);
    pithi_json_put_integer(&j, "lost", (int64_t)info->lost);
    pithi_json_put_begin(&j, "ranks", '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        const struct pithi_top_rank *rank = row->first;
        const struct pithi_top_lane *lane = pithi_top_lane_of(top, rank);
        pithi_json_put_begin(&j, NULL, '{');
        pithi_json_put_integer(&j, "rank", rank->rank);
        pithi_json_put_text(&j, "host", pithlog_follow_get_lane(top->follow, rank->lane)->host);
        pithi_json_put_flag(&j, "running", rank->is_running);
        pithi_json_put_text(&j, "state", pithi_top_state_text(top, rank));
        pithi_json_put_flag(&j, "in_mpi", lane->calls > 0);
        pithi_json_put_integer(&j, "since_ns", lane->since_ns);
        pithi_json_put_integer(&j, "for_ns", row->for_ns);
        pithi_json_put_number(&j, "mpi_share", row->share);
        pithi_json_put_integer(&j, "threads", rank->threads);
        pithi_json_put_integer(&j, "records", (int64_t)rank->records);
        pithi_json_put_end(&j, '}');
    }
    pithi_json_put_end(&j, ']');
    if (why)
        err = pithi_top_why_json(top, &j);
    pithi_json_put_end(&j, '}');
    pithi_out_char(&j.out, '\n');
    free_rows(rows, count);
    return pithi_out_close(&j.out, err);
}

/* ---- Pages ------------------------------------------------------------------------------------------------------- */

/* Returns how many ranks fit on the terminal: two lines are for the heading, and one is left for the shell's prompt. */
static uint32_t terminal_rows(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        size.ws_row = 24; /* taken if the terminal does not give its size */
    return size.ws_row > 5 ? size.ws_row - 3 : 2;
}

static int put_page(const struct pithi_top *top, const struct pithi_running *running, struct asked *asked,
                    int on_terminal)
{
    int err;

    if (asked->out) {
        /* If the name of the log is not known, the label `log` of the metrics is the name of the folder. */
        CHECK(pithi_top_metrics_file(top, *top->info->log ? top->info->log : running->spill, asked->out));
        asked->has_written = 1;
        return PITH_OK;
    }
    if (on_terminal && !asked->json && !asked->once)
        fputs("\033[H\033[2J", stdout); /* moves to the top left corner and clears the screen */
    if (asked->metrics) {
        err = pithi_top_metrics(top, *top->info->log ? top->info->log : running->spill, stdout);
    } else if (asked->json) {
        err = put_json(top, asked->why);
    } else if (asked->why) {
        put_head(top, running, asked->hang_ns > 0);
        err = pithi_top_why_print(top);
    } else {
        err = put_table(top, running, on_terminal ? terminal_rows() : UINT32_MAX); /* a file or pipe gets all rows */
    }
    if (err == PITH_OK)
        err = pithi_tool_flush(stdout);
    return err;
}

static int watch(struct pithi_top *top, const struct pithi_running *running, struct asked *asked)
{
    int on_terminal = isatty(STDOUT_FILENO);
    /* If the output is a pipe, prints one page and ends, unless --every asks for more, so that `pith top LOG | grep x`
     * ends. */
    int once = asked->once || (asked->metrics ? !asked->out : !on_terminal && asked->every_ns == 0);
    /* The time between two pages is 15 s for a file of metrics and 2 s for a person, unless --every gives it. */
    int64_t every_ns = asked->every_ns ? asked->every_ns : asked->out ? 15000000000 : 2000000000;

    do {
        CHECK(pithi_top_look(top));
        if (top->info->finished) /* the log is written and has all records, and the folder is removed */
            return PITH_OK;
        if (asked->hang_ns == 0 || pithi_top_hangs(top, asked->hang_ns))
            CHECK(put_page(top, running, asked, on_terminal));
    } while (!once && !top->info->ended && pithi_running_nap((int)(every_ns / 1000000)));
    return PITH_OK;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int read_time(const char *command, const char *option, const char *value, void *to)
{
    int64_t *time_ns = to;

    if (pithlog_time_parse(value, time_ns))
        return pithi_tool_usage(command, "--%s: %s", option, pithlog_error());
    if (*time_ns < 100000000 || *time_ns > INT64_C(86400000000000))
        return pithi_tool_usage(command, "--%s needs a time from 100ms to a day, not '%s'", option, value);
    return 0;
}

int pithi_tool_top(int argc, char **argv)
{
    static const char *const names[] = {"LOG", NULL};
    struct asked asked = {.recent_ns = 10000000000};
    const struct pithi_option options[] = {
        {"once", 0, PITHI_FLAG, &asked.once, NULL, NULL},
        {"every", 0, PITHI_READ, &asked.every_ns, NULL, read_time},
        {"last", 0, PITHI_READ, &asked.recent_ns, NULL, read_time},
        {"json", 0, PITHI_FLAG, &asked.json, NULL, NULL},
        {"hang", 0, PITHI_READ, &asked.hang_ns, NULL, read_time},
        {"why", 0, PITHI_FLAG, &asked.why, NULL, NULL},
        {"openmetrics", 0, PITHI_FLAG, &asked.metrics, NULL, NULL},
        {"output", 'o', PITHI_TEXT, &asked.out, NULL, NULL},
        {.name = NULL},
    };

    if (pithi_tool_options(argc, argv, options) || pithi_tool_arguments(argc, argv, names))
        return 2;
    asked.why |= asked.hang_ns > 0; /* --hang implies --why */
    if (asked.metrics && (asked.json || asked.why))
        return pithi_tool_usage("top", "--openmetrics cannot be used with --json, --why or --hang");
    if (asked.out && !asked.metrics)
        return pithi_tool_usage("top", "-o is for --openmetrics; redirect other pages: pith top LOG --once >FILE");
    if (asked.metrics && !asked.out && asked.every_ns)
        return pithi_tool_usage("top", "--openmetrics --every needs a file: -o FILE");

    const char *path = argv[optind];
    struct pithi_running running;
    struct pithi_top top;
    int status = 0;
    pithi_running_watch_signals();
    if (pithi_running_find(&running, path) != PITH_OK)
        return pithi_tool_failed();
    if (pithi_top_open(&top, running.spill, asked.recent_ns) != PITH_OK) {
        pithi_top_close(&top);

        struct pithlog *log;
        char word[4096];
        if (access(running.spill, F_OK) == 0) /* if the folder exists, the error says why it cannot be read */
            return pithi_tool_failed();
        if (!*running.log || access(running.log, F_OK) != 0)
            pithi_fail(PITH_ERR_OPEN, "%s: no such job: there is no folder %s",
                       *running.log ? running.log : running.spill, running.spill);
        else if (pithlog_open(running.log, &log) == PITH_OK) { /* otherwise the error of pithlog_open is reported */
            pithlog_close(log);
            pithi_fail(PITH_ERR_OPEN, "%s: the job has ended and its log is written: `pith analyze %s`", running.log,
                       pithi_shell_word(running.log, word, sizeof word));
        }
        return pithi_tool_failed();
    }
    /* A call younger than young_ns may be about to end, so it is not taken as waiting. With --hang 200ms this limit is
     * 200 ms at most. */
    if (asked.hang_ns > 0 && asked.hang_ns < top.young_ns)
        top.young_ns = asked.hang_ns;
    if (watch(&top, &running, &asked) != PITH_OK)
        status = pithi_tool_failed();
    else if (top.info->finished)
        pithi_tool_say(stderr, "pith: %s: the job has ended and its log is written", top.info->log);
    else if (top.info->ended)
        pithi_running_tell_death(&running, top.info);
    /* Removes the file of metrics, because a monitor would take its old values as present ones. */
    if (asked.has_written && !asked.once)
        unlink(asked.out);
    pithi_top_close(&top);
    return status;
}
