/* draw_main.c - `pith draw`: opens the log, sees what is asked for, has it drawn. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/figure.h"
#include "core/memory.h"
#include "core/palette.h"
#include "core/words.h"
#include "core/work.h"
#include "draw/draw.h"

int pithi_draw_failed(const char *format, ...)
{
    va_list args;

    fputs("pith: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 1;
}

void pithi_draw_damaged(void)
{
    static int said;

    if (!said)
        pithi_draw_failed("%s (the rest is drawn)", pithlog_error());
    said = 1;
}

/* "--from init": 0, or 1 after a message. */
static int find_work(struct pithi_draw *draw)
{
    int64_t from, to;

    if (!draw->from_init && !draw->to_finalize)
        return 0;
    pithi_work_window(draw->log, &from, &to);
    if (draw->from_init && from == INT64_MIN)
        return pithi_draw_failed("%s: --from init: there is no MPI_Init in this log", draw->log_path);
    if (draw->to_finalize && to == INT64_MIN)
        return pithi_draw_failed("%s: --to finalize: there is no MPI_Finalize in this log", draw->log_path);
    if (draw->from_init)
        draw->t0_ns = from;
    if (draw->to_finalize)
        draw->t1_ns = to;
    return 0;
}

static int set_window(struct pithi_draw *draw)
{
    int64_t t0, t1;

    if (find_work(draw))
        return 1;
    pithi_whole_window(draw->log, &t0, &t1);
    if (!draw->has_from)
        draw->t0_ns = t0;
    if (!draw->has_to)
        draw->t1_ns = t1;
    if (draw->t0_ns >= draw->t1_ns)
        return pithi_draw_failed("%s: nothing to draw from %.9g s to %.9g s; the log goes from %.9g s to %.9g s",
                                 draw->log_path, (double)draw->t0_ns / 1e9, (double)draw->t1_ns / 1e9, (double)t0 / 1e9,
                                 (double)t1 / 1e9);
    return 0;
}

/* Of larger logs a picture by the summary alone is made: to read all records would take seconds. */
enum { RIGHT_RECORDS = 20000000 };

static int is_text(const struct pithi_draw *draw) { return draw->kind == PITHI_DRAW_TEXT; }

/* Messages are read for some seconds the first time that a large log is drawn: said on a terminal. */
static int tell_progress(void *context, double part)
{
    static time_t told;
    time_t now = time(NULL);

    (void)context;
    if (now != told && part > 0 && part < 1)
        fprintf(stderr, "\rreading messages %.0f %% ", part * 100);
    told = now;
    return 0;
}

static int read_digest(struct pithi_draw *draw)
{
    int err, tell = isatty(STDERR_FILENO);

    if (is_text(draw) && !draw->stats)
        return PITH_OK;
    err = pithlog_digest_open(draw->log, tell ? tell_progress : NULL, NULL, &draw->digest);
    if (tell)
        fprintf(stderr, "\r                      \r");
    return err;
}

/* What must be read of the log before anything is asked of it. */
static int read_log(struct pithi_draw *draw)
{
    const struct pithlog_info *info;
    int err;

    if (pithlog_open(draw->log_path, &draw->log))
        return pithi_draw_failed("%s", pithlog_error());
    info = pithlog_get_info(draw->log);
    if (!info->complete)
        fprintf(stderr, "pith: note: %s: incomplete: %s\n", draw->log_path, info->incomplete);
    pithi_gaps_read(draw->log, &draw->gaps); /* of a damaged log those that can be read */
    err = read_digest(draw);
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    else if (err)
        return pithi_draw_failed("%s", pithlog_error());
    else if (info->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(draw->log, &draw->summary); /* without it, all is read */
    if (info->records > RIGHT_RECORDS)
        draw->care = PITHI_NEAR;
    draw->hidden = pithi_alloc(info->defs, 1);
    pithi_draw_set_hidden(draw, PITHI_ASIDE, 1);
    draw->rgb = pithi_alloc(info->defs, sizeof *draw->rgb);
    if (pithi_palette_fill(draw->log, draw->summary, draw->palette, draw->rgb) == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return 0;
}

static int draw_log(struct pithi_draw *draw)
{
    int status = read_log(draw);

    if (!status)
        status = pithi_draw_rows(draw, draw->lanes);
    if (!status)
        status = set_window(draw);
    if (!status)
        status = pithi_draw_words(draw);
    if (status)
        return status;
    if (draw->grey)
        pithi_palette_grey(draw->rgb, pithlog_get_info(draw->log)->defs);
    if (is_text(draw))
        return pithi_draw_terminal(draw);
    return draw->kind == PITHI_DRAW_HTML ? pithi_draw_page(draw) : pithi_draw_picture(draw);
}

int main(int argc, char **argv)
{
    struct pithi_draw draw = {0};
    int status;

    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of writing: nothing half-written stays */
    status = pithi_draw_options(&draw, argc, argv);
    if (status)
        return status < 0 ? 0 : status;
    status = draw_log(&draw);
    free(draw.rgb);
    free(draw.hidden);
    free(draw.script);
    free(draw.rows);
    free(draw.grouped);
    pithi_draw_labels_free(&draw);
    if (draw.tree)
        pithi_rows_close(draw.tree);
    pithi_gaps_free(&draw.gaps);
    pithlog_digest_close(draw.digest);
    pithlog_summary_close(draw.summary);
    pithlog_close(draw.log);
    return status;
}
