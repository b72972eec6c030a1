/* draw_main.c - `pith draw`: reads the options, opens the log and has the picture drawn.
 *
 * The order of the steps decides what a picture shows. The options are applied first. Then the words of -e run, which
 * begin with the result of the options and may change it: `--from 1 --to 2 -e in` shows 1.25 to 1.75 s. If a web page
 * is made, this program then puts the log into it, and the browser draws. For a picture, the log is analyzed last,
 * because this takes longest, and only if the picture shows some of the analysis. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/nearest.h"
#include "core/scene/figure.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/rows/words.h"
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

int pithi_draw_find(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size);

    if (length < 0 || (size_t)length + strlen(name) + sizeof "/../../" > size)
        return pithi_draw_failed("/proc/self/exe: %s", strerror(length < 0 ? errno : ENAMETOOLONG));
    path[length] = 0;
    strcat(strcpy(strrchr(path, '/'), "/../../"), name);
    return 0;
}

static char damage[512];

void pithi_draw_damaged(void)
{
    if (*damage)
        return;
    snprintf(damage, sizeof damage, "%s", pithlog_error());
    pithi_draw_failed("%s (the rest is drawn)", damage);
}

const char *pithi_draw_damage(void) { return damage; }

static int set_window(struct pithi_draw *draw)
{
    int64_t t0, t1;

    pithi_whole_window(draw->log, &t0, &t1);
    draw->t0_ns = t0;
    draw->t1_ns = t1;
    if ((draw->from && pithlog_time_find(draw->log, draw->from, PITHLOG_EDGE_BEGIN, &draw->t0_ns)) ||
        (draw->to && pithlog_time_find(draw->log, draw->to, PITHLOG_EDGE_END, &draw->t1_ns)))
        return pithi_draw_failed("%s", pithlog_error());
    if (draw->t0_ns >= draw->t1_ns)
        return pithi_draw_failed("%s: nothing to draw from %.9g s to %.9g s; the log goes from %.9g s to %.9g s",
                                 draw->log_path, (double)draw->t0_ns / 1e9, (double)draw->t1_ns / 1e9, (double)t0 / 1e9,
                                 (double)t1 / 1e9);
    const struct pithlog_info *info = pithlog_get_info(draw->log);
    if (info->records && (draw->t0_ns > info->end_ns || draw->t1_ns < info->start_ns))
        fprintf(stderr, "pith: note: %s: no record lies in the window; the log covers %.9f s to %.9f s\n",
                draw->log_path, (double)info->start_ns / 1e9, (double)info->end_ns / 1e9);
    return 0;
}

/* A log with more records than this is drawn from its summary alone, as reading all records would take seconds. */
enum { RIGHT_RECORDS = 20000000 };

static int is_text(const struct pithi_draw *draw) { return draw->kind == PITHI_DRAW_TEXT; }

/* Shows the progress on a terminal: reading the messages of a large log, or analyzing it, takes some seconds. */
static int show_progress(void *what, double part)
{
    static time_t shown;
    time_t now = time(NULL);

    if (now != shown && part > 0 && part < 1)
        fprintf(stderr, "\r%s %.0f %% ", (const char *)what, part * 100);
    shown = now;
    return 0;
}

static void end_progress(void) { fprintf(stderr, "\r                           \r"); }

/* Finds the iterations of the program. Returns 0, or an exit status after it has printed a message. */
static int find_iterations(struct pithi_draw *draw)
{
    uint32_t state = UINT32_MAX;
    struct pithi_nearest nearest;
    int err;

    if (draw->iterations_of && (state = pithi_state_named(draw->log, draw->iterations_of)) == UINT32_MAX)
        return pithi_draw_failed("%s: --iterations: there is no state %s%s", draw->log_path, draw->iterations_of,
                                 pithi_nearest_name(&nearest, draw->log, draw->iterations_of, 1));
    err = pithlog_analysis_iterations(draw->analysis, state, &draw->found);
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    else if (err)
        return pithi_draw_failed("%s", pithlog_error());
    for (size_t i = 0; i < draw->found->count; i++)
        if (draw->found->all[i].from_ns >= draw->t0_ns && draw->found->all[i].from_ns < draw->t1_ns)
            return 0;
    if (draw->found->count)
        return pithi_draw_failed("%s: no iteration begins from %.9g s to %.9g s", draw->log_path,
                                 (double)draw->t0_ns / 1e9, (double)draw->t1_ns / 1e9);
    return pithi_draw_failed(draw->iterations_of ? "%s: %s does not begin and end between MPI_Init and MPI_Finalize"
                                                 : "%s: no iterations found; --iterations=STATE names a repeated state",
                             draw->log_path, draw->iterations_of);
}

/* Analyzes the whole log, if wait states, the critical path or iterations are drawn. Returns 0, or 1 after a
 * message. */
static int analyze(struct pithi_draw *draw)
{
    static char analyzing[] = "looking for wait states";
    int err, shows = isatty(STDERR_FILENO);
    struct pithlog_analyze_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .progress = shows ? show_progress : NULL, .context = analyzing};

    if (!draw->waits && !draw->path && !draw->findings && !draw->iterations)
        return 0;
    err = pithlog_analyze(draw->log, &query, &draw->analysis);
    if (shows)
        end_progress();
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    if (err && err != PITH_ERR_DAMAGED)
        return pithi_draw_failed("%s", pithlog_error());
    return draw->iterations ? find_iterations(draw) : 0;
}

/* Opens the log and reads what each picture needs. Returns 0, or an exit status after it has printed a message. */
static int read_log(struct pithi_draw *draw)
{
    const struct pithlog_info *info;
    int err;

    if (pithlog_open(draw->log_path, &draw->log))
        return pithi_draw_failed("%s", pithlog_error());
    info = pithlog_get_info(draw->log);
    if (!info->complete)
        fprintf(stderr, "pith: note: %s: incomplete: %s\n", draw->log_path, info->incomplete);
    pithi_interruptions_read(draw->log,
                             &draw->interruptions); /* if the log is damaged, gets the holes that can be read */
    /* Reads the messages if the picture has arrows, which all but text have, or if --stats counts messages. */
    int shows = isatty(STDERR_FILENO);
    err = PITH_OK;
    if (!is_text(draw) || draw->stats) {
        static char reading[] = "reading messages";
        err = pithlog_digest_open(draw->log, shows ? show_progress : NULL, reading, &draw->digest);
        if (shows)
            end_progress();
    }
    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    else if (err)
        return pithi_draw_failed("%s", pithlog_error());
    else if (info->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(draw->log, &draw->summary); /* if this fails, records are read instead */
    if (info->records > RIGHT_RECORDS)
        draw->care = PITHI_NEAR;
    draw->hidden = pithi_alloc(info->defs, 1);
    pithi_draw_hide_tool_events(draw);
    draw->rgb = pithi_alloc(info->defs, sizeof *draw->rgb);
    if (pithi_palette_fill(draw->log, draw->summary, draw->palette, draw->rgb) == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return 0;
}

static int draw_log(struct pithi_draw *draw)
{
    int status = read_log(draw);

    if (!status)
        status = set_window(draw);
    if (!status)
        status = pithi_draw_rows(draw, draw->lanes);
    if (!status && draw->unfold)
        status = pithi_draw_unfold(draw);
    if (!status)
        status = pithi_draw_words(draw);
    if (!status)
        status = pithi_draw_read_shown(draw);
    if (!status && draw->kind == PITHI_DRAW_HTML) /* the browser does the steps below */
        return pithi_draw_log_page(draw);
    if (!status)
        status = pithi_draw_find_depths(draw);
    if (!status)
        status = analyze(draw);
    if (status)
        return status;
    if (draw->grey)
        pithi_palette_grey(draw->rgb, pithlog_get_info(draw->log)->defs);
    return is_text(draw) ? pithi_draw_terminal(draw) : pithi_draw_picture(draw);
}

int main(int argc, char **argv)
{
    struct pithi_draw draw = {0};
    int status;

    /* A file that exceeds a size limit raises SIGXFSZ. If the signal is ignored, the write fails instead, and the
     * partial file is removed. */
    signal(SIGXFSZ, SIG_IGN);
    status = pithi_draw_options(&draw, argc, argv);
    if (status)
        return status < 0 ? 0 : status;
    status = draw.log_path ? draw_log(&draw) : pithi_draw_viewer(&draw);
    pithi_draw_free(&draw);
    return status;
}
