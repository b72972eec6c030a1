/* analyze_html.c - `pith analyze --html`: writes the page of the analysis for a browser, in one file that needs no
 * other file. The page is also well-formed XML. All text from the log is escaped.
 *
 * The file has no script and loads nothing, as people send it by mail, attach it to a bug report and open it where
 * there is no network. Two functions write into the file: `put` writes markup and numbers; pithi_out_quoted writes and
 * escapes all text that comes from the log. So a name such as "a<b>" never becomes markup.
 *
 * The picture shows the worst wait state, with half its length before and after: a wait state from 10 to 12 s is drawn
 * from 9 to 13 s. `pith draw` makes the picture, as the programs of formats/ are built without cairo. If `pith draw` is
 * not installed, the page has no picture. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/open_file.h"
#include "base/out.h"
#include "tools/analyze.h"
#include "tools/outfile.h"
#include "tools/table.h"

struct html {
    struct pithi_out out;
    const struct pithi_findings *f;
    const struct pithlog_finding *shown; /* the finding in the picture */
    const char *what_if;
    char *communication; /* the section on communication as text; empty: none */
    char *picture;       /* an SVG; NULL: none */
};

static const char style[] =
    ":root { --paper: #fff; --panel: #f4f6f8; --edge: #c9d0d8; --text: #1f2933; --faint: #5c6975; --bar: #0b6bcb; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #171b20; --panel: #20262c; --edge: #3a434c;\n"
    "  --text: #dde3e9; --faint: #93a0ac; --bar: #5aa9f5; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0 auto; max-width: 1120px; padding: 14px 16px 24px; background: var(--paper); color: var(--text);\n"
    "  font: 14px/1.45 \"DejaVu Sans\", Verdana, sans-serif; overflow-wrap: anywhere; }\n"
    "h1 { font-size: 20px; margin: 0; }\n"
    "h2 { font-size: 16px; margin: 22px 0 4px; }\n"
    "p { margin: 4px 0; white-space: pre-line; }\n"
    ".faint { color: var(--faint); }\n"
    ".answer { font-size: 1.2em; }\n"
    "table { border-collapse: collapse; margin: 8px 0; width: 100%; }\n"
    "th, td { padding: 5px 14px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--edge); }\n"
    "th { color: var(--faint); font-weight: normal; }\n"
    ".number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    ".name { white-space: nowrap; }\n"
    ".state { min-width: 90px; }\n"
    ".depth1 { padding-left: 16px; } .depth2 { padding-left: 32px; }\n"
    ".share { min-width: 104px; }\n"
    ".bar { display: block; width: 90px; height: 10px; margin-top: 5px; background: var(--panel);\n"
    "  border: 1px solid var(--edge); }\n"
    ".bar span { display: block; height: 100%; background: var(--bar); }\n"
    ".text, pre { white-space: pre-wrap; } .text { font-size: 13px; }\n"
    "code, pre { font: 12px/1.45 \"DejaVu Sans Mono\", monospace; background: var(--panel); }\n"
    "code { padding: 1px 4px; } pre { padding: 6px 8px; margin: 4px 0; }\n"
    "figure { margin: 10px 0; width: fit-content; background: #fff; }\n"
    "figure svg { display: block; max-width: 100%; height: auto; }\n"
    "@media (max-width: 640px) {\n"
    "  table, tbody { display: block; } thead { display: none; }\n"
    "  tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 6px 0; border-bottom: 1px solid var(--edge); }\n"
    "  th, td { border: 0; padding-top: 1px; padding-bottom: 1px; } .wide { flex-basis: 100%; }\n"
    "  .name, .state { flex-basis: 100%; } .efficiencies .name { flex-basis: 150px; }\n"
    "}\n"
    "@media print {\n"
    "  :root { --paper: #fff; --panel: #fff; --edge: #999; --text: #000; --faint: #444; --bar: #444; }\n"
    "  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }\n"
    "  body { max-width: none; padding: 0; font-size: 10pt; } .text, code { font-size: 8pt; } tr, figure { "
    "break-inside: avoid; }\n"
    "  h2 { break-after: avoid; }\n"
    "}\n";

/* ---- Writing text and markup ------------------------------------------------------------------------------------- */

/* Writes markup and numbers. It does not escape, so it must not be used for text from the log. */
__attribute__((format(printf, 2, 3))) static void put(struct html *h, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pithi_out_text(&h->out, text);
}

/* Writes the lines of a text, escaped, each without its first `indent` blanks. */
static void put_lines(struct html *h, const char *text, size_t bytes, size_t indent)
{
    char *copy = strndup(text, bytes), *rest = copy, *line;

    if (!copy && !h->out.failed)
        h->out.failed = ENOMEM;
    for (int i = 0; rest && (line = strsep(&rest, "\n")) != NULL; i++) {
        size_t blanks = strspn(line, " ");
        if (i && (rest || *line))
            pithi_out_char(&h->out, '\n');
        pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, line + (blanks < indent ? blanks : indent));
    }
    free(copy);
}

/* Adds an element `tag` with the text that `print` writes. If `tag` is "pre", blanks at the begin of lines are kept.
 * Adds nothing if `print` writes nothing. */
static void put_printed(struct html *h, const char *tag, void (*print)(const struct pithi_findings *f, FILE *out))
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (stream)
        print(h->f, stream);
    if ((!stream || fclose(stream) != 0) && !h->out.failed)
        h->out.failed = ENOMEM;
    else if (text && size) {
        size_t empty = strspn(text, "\n");
        put(h, "<%s>", tag);
        put_lines(h, text + empty, size - empty, strcmp(tag, "pre") == 0 ? 0 : size);
        put(h, "</%s>\n", tag);
    }
    free(text);
}

static void put_paragraph(struct html *h, void (*print)(const struct pithi_findings *f, FILE *out))
{
    put_printed(h, "p", print);
}

static void put_bar(struct html *h, double percent)
{
    double width = percent < 0 ? 0 : percent > 100 ? 100 : percent;
    put(h, "<td class=\"share\"><span class=\"bar\"><span style=\"width: %.1f%%\"></span></span></td>", width);
}

static void put_name(struct html *h, const char *class, const char *name)
{
    put(h, "<td class=\"%s\">", class);
    pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, name);
    put(h, "</td>");
}

/* ---- Parts of the page ------------------------------------------------------------------------------------------- */

static void put_run_delay(const struct pithi_findings *f, FILE *out) { pithi_run_delay_put(f->log, out); }

static void put_tree(struct html *h, const struct pithlog_efficiency *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(h, "<tr><td class=\"name depth%d\">%s</td>", (int)all[i].depth, all[i].name);
        put_bar(h, 100 * all[i].value);
        put(h, "<td class=\"number\">%.2f</td><td class=\"wide faint\">%s</td></tr>\n", all[i].value, all[i].meaning);
    }
}

static void put_findings(struct html *h)
{
    char time[PITHI_NS_TEXT], range[80];

    uint32_t listed = 0;
    for (uint32_t i = 0; i < h->f->count; i++)
        listed += (uint32_t)pithi_findings_is_listed(&h->f->list[i]);
    put(h, "<h2>Findings</h2>\n<p>By the time they cost, in %% of all ranks' time.</p>\n");
    if (listed)
        put(h, "<table class=\"findings\">\n<thead><tr><th>finding</th><th class=\"share\"></th><th "
               "class=\"number\">share</th><th class=\"number\">cost</th><th>what</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < h->f->count; i++) {
        const struct pithlog_finding *finding = &h->f->list[i];
        double percent = 100 * finding->share;
        if (!pithi_findings_is_listed(finding))
            continue;
        put(h, "<tr>");
        put_name(h, finding->part_of ? "name depth1" : "name", finding->name);
        put_bar(h, percent);
        put(h, "<td class=\"number\">%.1f %%</td><td class=\"number\">%s</td><td class=\"wide\"><div class=\"text\">",
            percent, pithi_ns_text(time, finding->ns));
        put_lines(h, finding->text, strlen(finding->text), 0);
        if (h->f->functions[i]) {
            put(h, "\nin ");
            pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, h->f->functions[i]);
        }
        if (h->f->sites[i]) {
            put(h, "\nlongest: ");
            pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, h->f->sites[i]);
        }
        if (*pithi_findings_range(h->f, finding, range))
            put(h, "\n%s", range);
        put(h, "</div>");
        char *command = pithi_findings_command(h->f, &finding->place);
        if (command) {
            put(h, "<code>");
            pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, command);
            put(h, "</code>");
        }
        free(command);
        put(h, "</td></tr>\n");
    }
    if (listed)
        put(h, "</tbody>\n</table>\n<p class=\"faint\">An indented finding is part of the one above it, or "
               "caused by it.</p>\n");
    put_paragraph(h, pithi_findings_unlisted);
    put_paragraph(h, pithi_findings_outside);
}

static void put_path(struct html *h)
{
    double length = (double)(h->f->info->to_ns - h->f->info->from_ns);
    uint32_t count;
    struct pithi_state_sum *sums = pithi_path_sums(h->f->analysis, &count);
    char text[PITHI_NS_TEXT], place[64];

    if (!sums && !h->out.failed)
        h->out.failed = ENOMEM;
    put(h,
        "<h2>Critical path</h2>\n<p>It determines the run time; a state can save at most its share. Imbalance is its "
        "time beyond the mean of all ranks.</p>\n");
    if (count)
        put(h, "<table class=\"path\">\n<thead><tr><th>state</th><th class=\"share\"></th><th class=\"number\">share"
               "</th><th class=\"number\">time</th><th "
               "class=\"number\">imbalance</th><th>rank</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < count; i++) {
        FILE *stream = fmemopen(place, sizeof place, "w");
        if (!stream) {
            h->out.failed = h->out.failed ? h->out.failed : ENOMEM;
            break;
        }
        pithi_state_sum_place(h->f->analysis, &sums[i], stream);
        fclose(stream);
        put(h, "<tr>");
        put_name(h, "state", pithi_state_text(h->f->log, sums[i].state));
        put_bar(h, 100 * sums[i].ns / length);
        double imbalance_ns = pithi_path_imbalance(h->f->analysis, sums[i].state, sums[i].ns);
        put(h, "<td class=\"number\">%.0f %%</td><td class=\"number\">%s</td>", 100 * sums[i].ns / length,
            pithi_ns_text(text, sums[i].ns));
        put(h, "<td class=\"number\">%s</td><td>%s</td></tr>\n",
            imbalance_ns > 0 ? pithi_ns_text(text, imbalance_ns) : "", place);
    }
    if (count)
        put(h, "</tbody>\n</table>\n");
    free(sums);
}

/* Writes the page. pithi_outfile_print calls this function. */
static int print_page(void *context, FILE *file)
{
    struct html *h = context;

    CHECK(pithi_out_open(&h->out, file));

    const char *slash = strrchr(h->f->path, '/'), *name = slash ? slash + 1 : h->f->path;
    const struct pithlog_info *info = pithlog_get_info(h->f->log);
    put(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>");
    pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, name);
    put(h, ": analysis</title>\n<style>\n");
    pithi_out_text(&h->out, style);
    put(h, "</style>\n</head>\n<body>\n<h1>");
    pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, name);
    put(h, "</h1>\n<p class=\"answer\">");
    pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, h->f->answer->text);
    if (h->f->answer_site) {
        put(h, " Longest: ");
        pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, h->f->answer_site);
        put(h, ".");
    }
    put(h, "</p>\n");
    put_paragraph(h, pithi_findings_head);
    put_paragraph(h, pithi_findings_sums);
    put_paragraph(h, put_run_delay);
    put_paragraph(h, pithi_findings_trust);
    if (info->incomplete) {
        put(h, "<p>The log is not complete: ");
        pithi_out_quoted(&h->out, PITHI_QUOTE_HTML, info->incomplete);
        put(h, "</p>\n");
    }

    if (!h->f->info->has_mpi)
        put(h, "<p>The log has no MPI calls, so there are no efficiencies; every state may wait.</p>\n");
    put_findings(h);
    if (h->f->info->has_mpi && h->f->info->lanes) {
        struct pithlog_efficiency all[PITHLOG_EFFICIENCIES], hybrid[PITHLOG_HYBRID];

        pithlog_analysis_efficiencies(h->f->analysis, all);
        put(h, "<h2>Efficiency</h2>\n");
        if (!h->f->info->is_too_short)
            put_paragraph(h, pithi_findings_lowest);
        if (h->f->computation.ipc > 0)
            put_paragraph(h, pithi_findings_ipc);
        put(h, "<table class=\"efficiencies\">\n<thead><tr><th>efficiency (POP)</th><th></th><th class=\"number\">1 is "
               "best</th><th>is</th></tr></thead>\n<tbody>\n");
        put_tree(h, all, PITHLOG_EFFICIENCIES);
        put_tree(h, hybrid, pithlog_analysis_hybrid(h->f->analysis, hybrid));
        put(h, "</tbody>\n</table>\n");
    }
    if (h->picture) {
        put(h, "<figure>\n");
        pithi_out_text(&h->out, h->picture);
        put(h, "</figure>\n");
    }
    put_path(h);
    put(h, "<h2>Iterations</h2>\n");
    put_printed(h, "pre", pithi_findings_put_iterations);
    if (*h->communication) {
        put(h, "<h2>Communication</h2>\n<pre>");
        put_lines(h, h->communication + 1, strlen(h->communication + 1), 0);
        put(h, "</pre>\n");
    }
    if (h->what_if) {
        put(h, "<h2>What if</h2>\n<pre>");
        put_lines(h, h->what_if, strlen(h->what_if), 0);
        put(h, "</pre>\n");
    }
    put(h, "<p class=\"faint\">Made by pith analyze " PITH_VERSION
           ". <code>pith analyze --explain</code> explains the terms, <code>pith view</code> shows the run.</p>\n"
           "</body>\n</html>\n");
    return pithi_out_close(&h->out, PITH_OK);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

enum { MOST_LANES = 16 }; /* if the log has more lanes, only the two lanes of the wait state are drawn */

/* Runs a program and discards its output. Returns 0 if the program succeeded. */
static int run(const char *path, char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    for (int fd = 1; fd <= 2; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, path, &actions, NULL, argv, environ) == 0)
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

/* Draws the worst wait state of a finding, with half its length before and after. Returns an SVG, malloc'ed, or NULL if
 * `pith draw` is not installed or failed; then the page has no picture. */
static char *draw(const struct pithi_findings *f, const struct pithlog_finding *finding)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    const struct pithlog_wait_state *worst = finding->worst;
    const struct pithlog_lane *waits = pithlog_get_lane(f->log, worst->lane);
    const struct pithlog_lane *cause = pithlog_get_lane(f->log, worst->cause_lane);
    int64_t from_ns, to_ns;
    char from[64], to[64], title[128], lanes[64], folder[4096], *out = NULL, *svg = NULL, *program;
    const char *tmp = getenv("TMPDIR");

    pithi_findings_around(f, &finding->place, &from_ns, &to_ns);
    snprintf(from, sizeof from, "%.9fs", (double)from_ns / 1e9);
    snprintf(to, sizeof to, "%.9fs", (double)to_ns / 1e9);
    snprintf(title, sizeof title, "Worst: %s", finding->name);
    snprintf(lanes, sizeof lanes, "%d.%u,%d.%u", (int)waits->rank, (unsigned)waits->thread, (int)cause->rank,
             (unsigned)cause->thread);
    char *argv[] = {"draw",    (char *)f->path,
                    "--waits", "--critical-path",
                    "--from",  from,
                    "--to",    to,
                    "--size",  "900",
                    "--title", title,
                    "-o",      NULL,
                    NULL,      NULL,
                    NULL};
    const int named = 13, lanes_at = 14;

    snprintf(folder, sizeof folder, "%s/pith-analyze.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!(program = pithi_tool_program("draw")) || access(program, X_OK) != 0 || !mkdtemp(folder)) {
        free(program);
        return NULL;
    }
    if (info->lanes > MOST_LANES) {
        argv[lanes_at] = "--lanes";
        argv[lanes_at + 1] = lanes;
    }
    if (asprintf(&out, "%s/worst.svg", folder) < 0)
        out = NULL;
    argv[named] = out;
    /* The page takes the <svg> element unchanged, so the file must begin with it. */
    FILE *file = out && run(program, argv) == 0 ? pithi_open_whole(out) : NULL;
    size_t capacity = 0;
    if (file && (getdelim(&svg, &capacity, 0, file) <= 0 || strncmp(svg, "<svg", 4) != 0)) {
        free(svg);
        svg = NULL;
    }
    if (file)
        fclose(file);
    if (out)
        unlink(out);
    rmdir(folder);
    free(out);
    free(program);
    return svg;
}

int pithi_findings_html(const struct pithi_findings *f, const char *path, const char *what_if)
{
    struct html h = {.f = f, .what_if = what_if};
    size_t size;
    FILE *stream = open_memstream(&h.communication, &size);
    int err = stream ? pithi_findings_put_communication(f, stream) : PITH_OK;

    /* h.communication is now empty, or has an empty line and the section on communication as `pith analyze` prints
     * it */
    if ((!stream || fclose(stream) != 0 || !h.communication) && !err)
        err = pithi_no_memory();
    if (err) {
        free(h.communication);
        return err;
    }
    for (uint32_t i = 0; i < f->count && !h.shown; i++)
        h.shown = f->list[i].worst ? &f->list[i] : NULL;
    if (h.shown)
        h.picture = draw(f, h.shown);
    err = pithi_outfile_print("analyze", path, print_page, &h);
    free(h.picture);
    free(h.communication);
    return err;
}
