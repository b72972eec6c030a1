/* top_metrics.c - writes the page of `pith top` as metrics for Prometheus (top.h).
 *
 * The text is valid both as OpenMetrics 1.0 and in Prometheus's older text format, because the textfile collector of
 * node_exporter reads only the older format. All metrics are gauges, because the names of counters differ between the
 * two formats. The lines that only OpenMetrics has, UNIT and EOF, are comments in the older format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cause.h"
#include "base/error.h"
#include "base/open_file.h"
#include "base/out.h"
#include "base/utf8.h"
#include "tools/top.h"

/* Computes the value of a metric for a rank, or for the whole job if `rank` is NULL. */
typedef double value_of(const struct pithi_top *top, const struct pithi_top_rank *rank);

static double seconds(int64_t ns) { return (double)ns / 1e9; }

/* ---- Values ------------------------------------------------------------------------------------------------------ */

#define VALUE(name, expression)                                                                                        \
    static double name(const struct pithi_top *top, const struct pithi_top_rank *rank)                                 \
    {                                                                                                                  \
        (void)top;                                                                                                     \
        (void)rank;                                                                                                    \
        return expression;                                                                                             \
    }
VALUE(job_ranks, top->info->ranks)
VALUE(job_running, top->info->running)
VALUE(job_start, seconds(top->info->zero_unix_ns))
VALUE(job_time, seconds(top->now_ns))
VALUE(job_idle, seconds(top->now_ns > top->progress_ns ? top->now_ns - top->progress_ns : 0))
VALUE(job_records, (double)top->info->records)
VALUE(job_lost, (double)top->info->lost)
VALUE(rank_running, rank->is_running)
VALUE(rank_in_mpi, pithi_top_lane_of(top, rank)->calls > 0)
VALUE(rank_state, 1)
VALUE(rank_for, seconds(pithi_top_for_ns(top, rank)))
VALUE(rank_share, pithi_top_share(top, rank))
VALUE(rank_threads, rank->threads)
VALUE(rank_records, (double)rank->records)

/* A row for each metric, with the unit and the help text that Prometheus shows. `of` computes the value. If `of` is
 * NULL, the metric is the number of ranks in each state, which put_states writes. */
static const struct family {
    const char *name, *unit, *help;
    value_of *of;
    enum { OF_JOB, OF_STATE, OF_RANK, OF_RANK_STATE } labels;
} families[] = {
    {"pith_job_ranks", "", "Ranks of the job.", job_ranks, OF_JOB},
    {"pith_job_ranks_running", "", "Ranks whose process runs, as far as this host sees.", job_running, OF_JOB},
    {"pith_job_start_time_seconds", "seconds", "When the first process began, since 1970.", job_start, OF_JOB},
    {"pith_job_time_seconds", "seconds", "Time since then; of a job that has died, to its last record.", job_time,
     OF_JOB},
    {"pith_job_idle_seconds", "seconds", "Time since any rank has recorded anything except samples.", job_idle, OF_JOB},
    {"pith_job_records", "", "Records so far.", job_records, OF_JOB},
    {"pith_job_records_lost", "", "Records that the job could not store.", job_lost, OF_JOB},
    {"pith_state_ranks", "", "Ranks whose innermost open state is this one.", NULL, OF_STATE},
    {"pith_rank_running", "", "1: the process of the rank runs.", rank_running, OF_RANK},
    {"pith_rank_in_mpi", "", "1: the first thread of the rank is in an MPI call.", rank_in_mpi, OF_RANK},
    {"pith_rank_state", "", "1: the innermost open state of the first thread is this one.", rank_state, OF_RANK_STATE},
    {"pith_rank_state_seconds", "seconds", "For how long the rank has been in this state.", rank_for, OF_RANK},
    {"pith_rank_mpi_ratio", "ratio", "Part of the recent time that the rank spent in MPI.", rank_share, OF_RANK},
    {"pith_rank_threads", "", "Threads of the rank that have recorded.", rank_threads, OF_RANK},
    {"pith_rank_records", "", "Records of all threads of the rank so far.", rank_records, OF_RANK},
};

/* ---- Text -------------------------------------------------------------------------------------------------------- */

/* Writes a label. Control characters and bytes that are not UTF-8 become question marks. */
static void put_label(struct pithi_out *out, char before, const char *name, const char *value)
{
    size_t left = strlen(value), size;

    pithi_out_char(out, before);
    pithi_out_text(out, name);
    pithi_out_text(out, "=\"");
    for (; left > 0; value += size, left -= size) {
        size = pithi_utf8_character(value, left);
        if (size == 0) /* the byte begins no valid character */
            pithi_out_char(out, '?');
        else if (*value == '"' || *value == '\\')
            pithi_out_char(out, '\\');
        pithi_out_bytes(out, value, size);
        size += size == 0; /* skips an invalid byte */
    }
    pithi_out_char(out, '"');
}

static void put_value(struct pithi_out *out, double value)
{
    pithi_out_text(out, "} ");
    pithi_out_double(out, value);
    pithi_out_char(out, '\n');
}

static void begin(struct pithi_out *out, const struct family *family, const char *job)
{
    pithi_out_text(out, family->name);
    put_label(out, '{', "log", job);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Writes the number of ranks in each state. Different states may have the same name, so ranks are counted by name. */
static int put_states(struct pithi_out *out, const struct pithi_top *top, const struct family *family, const char *job)
{
    const char **names = malloc((top->rank_count + 1) * sizeof *names);

    if (!names)
        return pithi_no_memory();
    for (uint32_t i = 0; i < top->rank_count; i++)
        names[i] = pithi_top_state_text(top, &top->ranks[i]);
    qsort(names, top->rank_count, sizeof *names, compare_names);
    /* Equal names are neighbours, as the names are sorted. */
    for (uint32_t i = 0, end; i < top->rank_count; i = end) {
        for (end = i + 1; end < top->rank_count && strcmp(names[i], names[end]) == 0; end++)
            ;
        begin(out, family, job);
        put_label(out, ',', "state", names[i]);
        put_value(out, end - i);
    }
    free(names);
    return PITH_OK;
}

int pithi_top_metrics(const struct pithi_top *top, const char *job, FILE *file)
{
    struct pithi_out out;
    int err = PITH_OK;

    CHECK(pithi_out_open(&out, file));
    for (size_t i = 0; err == PITH_OK && i < sizeof families / sizeof *families; i++) {
        const struct family *family = &families[i];
        /* OpenMetrics demands that all lines of a metric stand together, the descriptions before the values. */
        const char *const lines[][2] = {{"# TYPE ", " gauge"}, {"# UNIT ", family->unit}, {"# HELP ", family->help}};
        for (size_t k = 0; k < 3; k++) {
            if (!*lines[k][1])
                continue;
            pithi_out_text(&out, lines[k][0]);
            pithi_out_text(&out, family->name);
            pithi_out_text(&out, k == 0 ? "" : " ");
            pithi_out_text(&out, lines[k][1]);
            pithi_out_char(&out, '\n');
        }
        if (family->labels == OF_JOB) {
            begin(&out, family, job);
            put_label(&out, ',', "program", top->info->program);
            put_value(&out, family->of(top, NULL));
        } else if (family->labels == OF_STATE) {
            err = put_states(&out, top, family, job);
        } else {
            for (uint32_t r = 0; r < top->rank_count; r++) {
                const struct pithi_top_rank *rank = &top->ranks[r];
                char number[16];
                snprintf(number, sizeof number, "%d", rank->rank);
                begin(&out, family, job);
                put_label(&out, ',', "rank", number);
                put_label(&out, ',', "host", pithlog_follow_get_lane(top->follow, rank->lane)->host);
                if (family->labels == OF_RANK_STATE)
                    put_label(&out, ',', "state", pithi_top_state_text(top, rank));
                put_value(&out, family->of(top, rank));
            }
        }
    }
    pithi_out_text(&out, "# EOF\n");
    return pithi_out_close(&out, err);
}

/* Writes a temporary file beside `path` and renames it, so that a reader sees either the old page or the new page. The
 * temporary name does not end with .prom, because node_exporter reads all files with this suffix. */
int pithi_top_metrics_file(const struct pithi_top *top, const char *job, const char *path)
{
    struct pithi_cause cause;
    struct stat status;
    char part[4096];
    FILE *file;
    int err;

    /* Refuses a device or a pipe, such as /dev/stdout, because the renaming would replace it by a file. */
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return pithi_fail(PITH_ERR_USAGE, "%s: is no regular file, and would be replaced; give another name", path);
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return pithi_fail(PITH_ERR_USAGE, "%.40s...: the name is too long", path);
    if (!(file = pithi_make_stream(part, "w")))
        return pithi_fail(PITH_ERR_IO, "%s: cannot be written: %s", path, pithi_cause_of(&cause, path, errno));
    err = pithi_top_metrics(top, job, file);
    if (fclose(file) != 0 && err == PITH_OK)
        err = PITH_ERR_IO;
    if (err == PITH_OK && rename(part, path) == 0)
        return PITH_OK;
    int error = errno;
    unlink(part);
    return err != PITH_OK && err != PITH_ERR_IO
               ? err
               : pithi_fail(PITH_ERR_IO, "%s: cannot be written: %s", path, strerror(error));
}
