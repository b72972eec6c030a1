/* time_table.c - makes the report: the table of sums over all processes, and the file for scripts.
 *
 *     function        calls      total s   share     mean us      min us      max us   messages          bytes
 *     MPI_Allreduce     200     0.412345  12.50%    2061.725      11.200    8012.400        200           1600
 *
 * The sums are added up as the processes' blocks come, one after the other. The lines of each process (`details`) come
 * after the table, so until the table is written they go to a temporary file. Therefore memory grows with the number of
 * processes only by a struct pithi_time_rank each. */
#include "job_time.h"

#include "base/launcher.h"
#include "base/open_file.h"
#include "base/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_SHOWN = 16 }; /* with more ranks, only the ranks with the least and the most time are shown */

struct pithi_time_report {
    int added;                   /* blocks added so far */
    struct pithi_time_row *rows; /* sums over all processes */
    uint32_t count, room;
    struct pithi_time_rank *by_rank; /* [ranks] */
    FILE *details, *pairs;           /* temporary files: each process's table, and its partners; NULL: not wanted */
    char *name;                      /* PITH_TIME_FILE; NULL: no file */
    char *part;                      /* the file's name until it is complete */
    FILE *file;
    const struct pithi_time_writer *writer; /* NULL: the text for people */
};

static void complain(const struct pithi_time_report *report)
{
    pithi_say("PITH_TIME_FILE: %s: %s; the table goes to standard error", report->name, strerror(errno));
}

/* Returns the file name of PITH_TIME_FILE; NULL if there is none. Processes of MPI_Comm_spawn are a job of their own,
 * which must not overwrite the first job's file: app.csv, app.spawned-4711.csv. */
static char *file_name(void)
{
    const char *name = secure_getenv("PITH_TIME_FILE");
    char *made;

    if (!name || !*name)
        return NULL;
    if (!pithi_time_is_spawned)
        return strdup(name);
    /* The insertion is before the suffix, because the suffix chooses the format. */
    const char *slash = strrchr(name, '/'), *suffix = strrchr(slash ? slash : name, '.');
    int stem = (int)(suffix ? suffix - name : (long)strlen(name));
    return asprintf(&made, "%.*s.spawned-%ld%s", stem, name, (long)getpid(), name + stem) < 0 ? NULL : made;
}

struct pithi_time_report *pithi_time_report_begin(int ranks)
{
    struct pithi_time_report *report = calloc(1, sizeof *report);
    char *name = file_name();

    if (!report || !(report->by_rank = calloc((size_t)ranks, sizeof *report->by_rank))) {
        free(report);
        free(name);
        return NULL;
    }
    /* The file is written under another name first, so that a reader never finds half a report. */
    if (name) {
        report->name = name;
        report->writer = pithi_time_writer_find(name);
        report->part = malloc(strlen(name) + 6);
        if (report->part) {
            sprintf(report->part, "%s.part", name);
            report->file = pithi_make_stream(report->part, "w");
        }
        if (!report->file)
            complain(report);
    }
    if (report->file && report->writer)
        report->writer->begin(report->file, ranks);
    if (report->file && !report->writer)
        report->details = tmpfile();
    if (pithi_time_partners)
        report->pairs = tmpfile();
    return report;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static struct pithi_time_row *find_row(struct pithi_time_report *report, const struct pithi_time_row *like)
{
    /* There are a few dozen functions, so a linear search is fast enough. */
    for (uint32_t i = 0; i < report->count; i++)
        if (report->rows[i].function == like->function && !strcmp(report->rows[i].comm, like->comm))
            return &report->rows[i];
    if (report->count == report->room) {
        uint32_t room = report->room ? 2 * report->room : 64;
        struct pithi_time_row *wider = realloc(report->rows, room * sizeof *wider);
        if (!wider)
            return NULL;
        report->rows = wider;
        report->room = room;
    }
    struct pithi_time_row *row = &report->rows[report->count++];
    memset(row, 0, sizeof *row);
    row->function = like->function;
    memcpy(row->comm, like->comm, sizeof row->comm);
    return row;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void put_heading(FILE *out, int width)
{
    fprintf(out, "%-*s %10s %12s", width, "function", "calls", "total s");
    if (pithi_time_delays)
        fprintf(out, " %13s", "compensated s");
    fprintf(out, " %7s %11s %11s %11s %10s %14s%s\n", "share", "mean us", "min us", "max us", "messages", "bytes",
            pithi_time_by_comm ? "  communicator" : "");
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void put_row(FILE *out, int width, const struct pithi_time_row *row, double run_s)
{
    fprintf(out, "%-*s %10llu %12.6f", width, pithi_time_names[row->function], (unsigned long long)row->calls,
            row->total_s);
    if (pithi_time_delays)
        fprintf(out, " %13.6f", row->compensated_s);
    fprintf(out, " %6.2f%% %11.3f %11.3f %11.3f %10llu %14llu", percent(row->total_s, run_s),
            1e6 * row->total_s / (double)row->calls, 1e6 * row->least_s, 1e6 * row->most_s,
            (unsigned long long)row->messages, (unsigned long long)row->bytes);
    fprintf(out, "%s%s\n", *row->comm ? "  " : "", row->comm);
}

static int width_of(const struct pithi_time_row *rows, uint32_t count)
{
    int width = 8;

    for (uint32_t i = 0; i < count; i++) {
        int size = (int)strlen(pithi_time_names[rows[i].function]);
        if (size > width)
            width = size;
    }
    return width;
}

static int by_time(const void *a, const void *b)
{
    const struct pithi_time_row *x = a, *y = b;

    if (x->total_s != y->total_s)
        return x->total_s < y->total_s ? 1 : -1;
    /* Rows with equal times are ordered by the function's index, so that the order is the same in each run. */
    return x->function - y->function;
}

static void copy(FILE *out, FILE *from)
{
    char piece[4096];
    size_t size;

    rewind(from);
    while ((size = fread(piece, 1, sizeof piece, from)) > 0)
        fwrite(piece, 1, size, out);
}

void pithi_time_report_add(struct pithi_time_report *report, int rank, const struct pithi_time_block *block)
{
    report->by_rank[rank] = block->rank;
    report->added++;
    for (uint32_t i = 0; i < block->rank.row_count; i++) {
        struct pithi_time_row *row = find_row(report, &block->rows[i]);
        if (row) {
            /* The first block with calls sets the minimum. */
            if (!row->calls || block->rows[i].least_s < row->least_s)
                row->least_s = block->rows[i].least_s;
            if (block->rows[i].most_s > row->most_s)
                row->most_s = block->rows[i].most_s;
            row->calls += block->rows[i].calls;
            row->messages += block->rows[i].messages;
            row->bytes += block->rows[i].bytes;
            row->total_s += block->rows[i].total_s;
            row->compensated_s += block->rows[i].compensated_s;
        }
    }
    if (report->file && report->writer)
        report->writer->rank(report->file, rank, block);
    if (report->details) {
        int width = width_of(block->rows, block->rank.row_count);

        fprintf(report->details, "\nrank %d\n", rank);
        put_heading(report->details, width);
        for (uint32_t i = 0; i < block->rank.row_count; i++)
            put_row(report->details, width, &block->rows[i], block->rank.run_s);
    }
    if (report->pairs) {
        for (uint32_t i = 0; i < block->rank.pair_count; i++)
            fprintf(report->pairs, "%8d %8d %10llu %14llu\n", rank, block->pairs[i].peer,
                    (unsigned long long)block->pairs[i].messages, (unsigned long long)block->pairs[i].bytes);
    }
}

static void put_table(FILE *out, struct pithi_time_report *report)
{
    double run_s = 0, mpi_s = 0;
    int width = width_of(report->rows, report->count);

    for (int r = 0; r < report->added; r++) {
        run_s += report->by_rank[r].run_s;
        mpi_s += report->by_rank[r].mpi_s;
    }
    fprintf(out, "pith: MPI calls of %d rank%s in %.6f s, of which they took %.2f%%\n\n", report->added,
            report->added == 1 ? "" : "s", run_s / report->added, percent(mpi_s, run_s));
    if (report->count)
        qsort(report->rows, report->count, sizeof *report->rows, by_time);
    put_heading(out, width);
    for (uint32_t i = 0; i < report->count; i++)
        put_row(out, width, &report->rows[i], run_s);
    /* One line for each rank; if there are many ranks, only for the ranks with the least and the most time in MPI. */
    int least = 0, most = 0;

    /* Ranks are compared by the share of MPI in each rank's own run time, because run times may differ. */
    for (int r = 0; r < report->added; r++) {
        double share = percent(report->by_rank[r].mpi_s, report->by_rank[r].run_s);
        if (share < percent(report->by_rank[least].mpi_s, report->by_rank[least].run_s))
            least = r;
        if (share > percent(report->by_rank[most].mpi_s, report->by_rank[most].run_s))
            most = r;
    }
    fprintf(out, "\n%8s %10s %12s", "rank", "calls", "MPI s");
    if (pithi_time_delays)
        fprintf(out, " %13s", "compensated s");
    fprintf(out, " %7s %12s", "share", "run s");
    if (pithi_time_delays)
        fprintf(out, " %13s %12s", "compensated s", "delay s");
    fprintf(out, " %10s %14s\n", "messages", "bytes");
    for (int r = 0; r < report->added; r++) {
        if (report->added <= RANKS_SHOWN || r == least || r == most) {
            const struct pithi_time_rank *rank = &report->by_rank[r];
            fprintf(out, "%8d %10llu %12.6f", r, (unsigned long long)rank->calls, rank->mpi_s);
            if (pithi_time_delays)
                fprintf(out, " %13.6f", rank->compensated_s);
            fprintf(out, " %6.2f%% %12.6f", percent(rank->mpi_s, rank->run_s), rank->run_s);
            if (pithi_time_delays)
                fprintf(out, " %13.6f %12.6f", rank->run_s - rank->delay_s, rank->delay_s);
            fprintf(out, " %10llu %14llu\n", (unsigned long long)rank->messages, (unsigned long long)rank->bytes);
        }
    }
    if (report->added > RANKS_SHOWN)
        fprintf(out, "%8s (of %d ranks those with the least and the most)\n", "", report->added);
    if (report->pairs) {
        fprintf(out, "\n%8s %8s %10s %14s\n", "from", "to", "messages", "bytes");
        copy(out, report->pairs);
    }
    if (report->details)
        copy(out, report->details);
}

/* Returns 1 if the report is in its file; 0 if the text must go to standard error, because there is no file or it could
 * not be written. */
static int close_file(struct pithi_time_report *report)
{
    if (!report->file)
        return 0;
    if (report->writer)
        report->writer->end(report->file);
    else
        put_table(report->file, report);
    /* A full disk may show only now. */
    int bad = ferror(report->file);
    bad |= fclose(report->file) != 0;
    if (bad || rename(report->part, report->name)) {
        complain(report);
        remove(report->part);
        return 0;
    }
    return !report->writer || pithi_is_quiet();
}

void pithi_time_report_end(struct pithi_time_report *report)
{
    if (!close_file(report)) {
        /* Writes the table in one piece, so that the output of other ranks rarely cuts it. */
        char *text = NULL;
        size_t size = 0;
        if (!pithi_no_stderr) {
            FILE *out = open_memstream(&text, &size);

            put_table(out ? out : stderr, report);
            if (out && fclose(out) == 0) {
                fflush(stderr);
                fwrite(text, 1, size, stderr);
            }
            free(text);
        }
    }
    if (report->details)
        fclose(report->details);
    if (report->pairs)
        fclose(report->pairs);
    free(report->part);
    free(report->name);
    free(report->rows);
    free(report->by_rank);
    free(report);
}
