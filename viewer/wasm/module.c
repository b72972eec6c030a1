/* module.c - holds the log of a web page (only one at a time), and draws its picture by the drawing core (viewer/core).
 * The picture must look like that of `pith draw`, so both use figure.c.
 *
 * By a flag the page says how soon it needs a picture. The flag decides how exactly a large log is drawn (figure_of):
 *
 *     COARSE    from the sketch, a small file beside the log, before the page has the log's records
 *     QUICK     from summaries and less exactly, while the user drags
 *     NEAR      from summaries and as exactly as they allow, without reading records
 *     no flag   exactly if the log has up to 20,000,000 records; otherwise from summaries, except for the sums in the
 *               legend, for which records are read
 *
 * Lengths are in units of the page. A picture has `scale` pixels for each unit: at scale 2, a bar of 10 units is 20
 * pixels high, and a line of one unit is drawn twice, side by side.
 *
 * Functions return JSON in memory that stays valid until the next call. In JSON, times are texts, because a number of
 * JavaScript is exact only up to 2^53, and 2^53 ns are only 104 days. */
#include "wasm/module.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pithlog.h>
#include <pithlog_findings.h>

#include "base/far.h"
#include "base/put_json.h"
#include "core/cells/memory.h"
#include "core/measure/search.h"
#include "core/measure/interval.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "core/rows/words.h"
#include "core/scene/axis.h"
#include "core/scene/figure.h"
#include "core/scene/hit.h"
#include "core/scene/waiting.h"
#include "draw/draw.h"
#include "wasm/module_page.h"

enum { EXACT_RECORDS = 20000000, REACH = 4 };

static struct {
    struct pithi_draw draw; /* log, rows and options, as in `pith draw` */
    char *title;            /* NULL: the name of the log */
    double label_width;     /* width of the labels of all rows; < 0: not known */
    int has_figure;
    struct pithi_figure figure;
    uint32_t first;          /* index of the figure's first row among the log's rows */
    uint32_t *words, *strip; /* [height][width] pixels: `words` of the picture, `strip` of the overview */
    int width, height;
    char damage[512];
    int has_interruptions;     /* 1: draw.interruptions have been read */
    int has_sketch, is_coarse; /* 1: draw.summary comes from a sketch; 1: pictures are drawn from the sketch */
} now;

/* What the page knows about the log that it opens next (pithi_module_known). */
static struct {
    int is_known, has_interruptions;
    int64_t from_ns, to_ns; /* the interval of the program's work (MPI_Init to MPI_Finalize) */
} known;

static char error[2048];
static char *answer, *room;
static size_t answer_size;

const char *pithi_module_error(void) { return error; }

static const char *failed(void)
{
    snprintf(error, sizeof error, "%s", pithlog_error());
    return NULL;
}

static void note_damage(void)
{
    if (!*now.damage)
        snprintf(now.damage, sizeof now.damage, "%s", pithlog_error());
}

void *pithi_module_room(uint32_t size)
{
    free(room);
    room = malloc(size ? size : 1);
    return room;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* Begins a JSON answer in memory. Returns 1, or 0 if there is no memory; then it has set the error. */
static int begin(struct pithi_json_out *json, char **text, size_t *size)
{
    FILE *file;

    free(*text);
    *text = NULL;
    *json = (struct pithi_json_out){.is_first = 1};
    file = open_memstream(text, size);
    if (file && pithi_out_open(&json->out, file) == PITH_OK)
        return 1;
    snprintf(error, sizeof error, "out of memory");
    return 0;
}

static const char *end(struct pithi_json_out *json, char **text)
{
    FILE *file = json->out.file;
    int err = pithi_out_close(&json->out, PITH_OK);

    if (fclose(file) == 0 && !err)
        return *text;
    snprintf(error, sizeof error, "out of memory");
    return NULL;
}

static void put_time(struct pithi_json_out *json, const char *name, int64_t time_ns)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, time_ns);
    pithi_json_put_text(json, name, text);
}

/* Adds a text to an array of JSON, unless the text is empty. */
static void put_line(struct pithi_json_out *json, const char *text)
{
    if (!*text)
        return;
    pithi_json_put_comma(json);
    pithi_out_quoted(&json->out, PITHI_QUOTE_JSON, text);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static void forget_figure(void)
{
    if (now.has_figure)
        pithi_figure_free(&now.figure);
    now.has_figure = 0;
}

static void close_log(void)
{
    free((char *)now.draw.log_path);
    forget_figure();
    pithi_draw_free(&now.draw);
    free(now.title);
    free(now.words);
    free(now.strip);
    memset(&now, 0, sizeof now);
}

static void give_colours(void)
{
    pithi_draw_give_colours(&now.draw);
    if (now.draw.grey)
        pithi_palette_grey(now.draw.rgb, pithlog_get_info(now.draw.log)->defs);
}

/* Closes the summary if the log is small, because then its records are read as fast as the summary. */
static void drop_small_summary(void)
{
    if (pithlog_get_info(now.draw.log)->records >= PITHI_SUMMARY_RECORDS)
        return;
    pithlog_summary_close(now.draw.summary);
    now.draw.summary = NULL;
}

/* Stops using the sketch, so that from now on pictures are drawn from the log itself. */
static void leave_sketch(void)
{
    if (!now.is_coarse)
        return;
    pithi_far_coarse(0);
    now.is_coarse = 0;
    drop_small_summary();
}

/* Opens the log and reads what every picture needs. Returns 0 after an error. */
static int read_log(const char *path)
{
    const struct pithlog_info *info;
    int err = pithlog_open_watched(path, pithi_page_progress, NULL, &now.draw.log);

    if (err)
        return 0;
    info = pithlog_get_info(now.draw.log);
    now.draw.log_path = strdup(path);
    err = pithlog_digest_open(now.draw.log, pithi_page_progress, NULL, &now.draw.digest);
    if (err == PITH_ERR_DAMAGED)
        note_damage();
    else if (err)
        return 0;
    pithi_far_coarse(known.is_known);

    /* Opens the summary if the log is large. For a small log the summary is opened only if the page has a sketch, from
     * which the summary then comes. If the summary cannot be opened, records are read instead. */
    if (pithlog_get_info(now.draw.log)->records >= PITHI_SUMMARY_RECORDS || pithi_far_is_coarse())
        pithlog_summary_open(now.draw.log, &now.draw.summary);
    now.is_coarse = now.has_sketch = pithi_far_is_coarse();
    if (!now.is_coarse)
        drop_small_summary();

    now.draw.hidden = pithi_alloc(info->defs, 1);
    now.draw.rgb = pithi_alloc(info->defs, sizeof *now.draw.rgb);
    give_colours();
    pithi_draw_hide_tool_events(&now.draw);
    pithi_whole_window(now.draw.log, &now.draw.t0_ns, &now.draw.t1_ns);
    return 1;
}

/* Returns JSON with facts about the log, and with what is shown of it. */
static const char *facts(void)
{
    const struct pithlog_info *info = pithlog_get_info(now.draw.log);
    struct pithi_json_out json;
    int64_t t0, t1, work0, work1;

    pithi_whole_window(now.draw.log, &t0, &t1);
    if (known.is_known)
        work0 = known.from_ns, work1 = known.to_ns;
    else
        pithi_work_window(now.draw.log, &work0, &work1);
    if (!begin(&json, &answer, &answer_size))
        return NULL;
    pithi_json_put_begin(&json, NULL, '{');
    pithi_json_put_text(&json, "format", info->format);
    pithi_json_put_integer(&json, "ranks", info->ranks);
    pithi_json_put_integer(&json, "lanes", info->lanes);
    pithi_json_put_number(&json, "records", (double)info->records);
    pithi_json_put_number(&json, "messages", (double)info->messages);
    pithi_json_put_number(&json, "lost", (double)info->lost);
    pithi_json_put_flag(&json, "large", now.draw.summary != NULL);
    pithi_json_put_flag(&json, "sketched", now.is_coarse);
    put_time(&json, "from", t0);
    put_time(&json, "to", t1);
    put_time(&json, "work_from", work0);
    put_time(&json, "work_to", work1);

    const struct pithi_draw *draw = &now.draw;
    put_time(&json, "view_from", draw->t0_ns);
    put_time(&json, "view_to", draw->t1_ns);
    if (draw->lit_from_ns < draw->lit_to_ns) {
        put_time(&json, "select_from", draw->lit_from_ns);
        put_time(&json, "select_to", draw->lit_to_ns);
    }
    pithi_json_put_flag(&json, "waits", draw->waits);
    pithi_json_put_flag(&json, "path", draw->path);
    pithi_json_put_flag(&json, "findings", draw->findings);
    pithi_json_put_flag(&json, "arrows", !draw->no_arrows);
    pithi_json_put_flag(&json, "all_arrows", draw->all_arrows);
    pithi_json_put_flag(&json, "names", !draw->no_names);
    pithi_json_put_integer(&json, "row_height", (uint32_t)draw->row_height);
    pithi_json_put_integer(&json, "rows", draw->row_count);
    pithi_json_put_begin(&json, "notes", '[');
    for (uint32_t i = 0; i < draw->notes.count; i++) {
        pithi_json_put_begin(&json, NULL, '{');
        put_time(&json, "time", draw->notes.items[i].time_ns);
        pithi_json_put_text(&json, "text", draw->notes.items[i].text);
        pithi_json_put_end(&json, '}');
    }
    pithi_json_put_end(&json, ']');

    if (info->incomplete)
        pithi_json_put_text(&json, "incomplete", info->incomplete);
    if (*now.damage)
        pithi_json_put_text(&json, "damage", now.damage);

    static const char *const kinds[] = {"state", "event", "counter"};
    char label[256];
    pithi_json_put_begin(&json, "defs", '[');
    for (uint32_t id = 0; id < pithlog_get_info(now.draw.log)->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(now.draw.log, id);
        pithi_json_put_begin(&json, NULL, '{');
        pithi_json_put_text(&json, "name", pithi_def_label(now.draw.log, id, label, sizeof label));
        pithi_json_put_text(&json, "kind",
                            kinds[def->kind == PITHLOG_STATE        ? 0
                                  : def->kind == PITHLOG_EVENT_TYPE ? 1
                                                                    : 2]);
        pithi_json_put_text(&json, "group", pithi_state_group(def));
        pithi_json_put_integer(&json, "rgb", now.draw.rgb[id]);
        pithi_json_put_flag(&json, "hidden", now.draw.hidden[id]);
        pithi_json_put_end(&json, '}');
    }
    pithi_json_put_end(&json, ']');

    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

const char *pithi_module_open(const char *path)
{
    close_log();
    *error = '\0';
    if (!read_log(path))
        failed();
    else if (!pithi_draw_rows(&now.draw, NULL)) {
        pithi_draw_flames(&now.draw);
        return facts();
    }
    close_log();
    return NULL;
}

void pithi_module_known(int64_t from_ns, int64_t to_ns, int has_interruptions)
{
    known.is_known = from_ns < to_ns;
    known.from_ns = from_ns;
    known.to_ns = to_ns;
    known.has_interruptions = has_interruptions;
}

void pithi_module_clock(int64_t clock_ns) { now.draw.clock_ns = clock_ns; }

void pithi_module_grey(void)
{
    now.draw.grey = 1;
    if (now.draw.log)
        give_colours();
}

void pithi_module_title(const char *title)
{
    free(now.title);
    now.title = strdup(title);
    now.draw.title = now.title;
}

const char *pithi_module_words(const char *text)
{
    struct pithi_draw *draw = &now.draw;
    const char *script[] = {text};

    snprintf(error, sizeof error, "no log is open");
    if (!draw->log)
        return NULL;
    *error = '\0';
    forget_figure(); /* it has the rows from before the words, which may change the rows */
    now.label_width = -1;
    draw->script = script;
    draw->script_count = 1;
    int status = pithi_draw_words(draw);
    draw->script = NULL;
    draw->script_count = 0;
    if (!status)
        status = pithi_draw_find_depths(draw);
    if (!status)
        status = pithi_draw_read_shown(draw);
    return status ? NULL : facts();
}

/* ---- Functions that viewer/draw calls ---------------------------------------------------------------------------- */

int pithi_draw_failed(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error, sizeof error, format, args);
    va_end(args);
    return 1;
}

void pithi_draw_damaged(void) { note_damage(); }

/* Opens the functions of samples and the call sites. If the page has them, they are in a file beside the log. */
int pithi_draw_flames(struct pithi_draw *draw)
{
    if (!draw->flames && pithi_flames_possible(draw->log))
        pithi_flames_open(draw->log, "functions.pith", &draw->flames);
    return 0;
}

/* ---- What is shown ----------------------------------------------------------------------------------------------- */

void pithi_module_theme(const char *name)
{
    pithi_theme_choose(name);
    if (now.draw.log)
        give_colours();
}

void pithi_module_hide(uint32_t id, int is_hidden)
{
    if (now.draw.log && id < pithlog_get_info(now.draw.log)->defs)
        now.draw.hidden[id] = is_hidden != 0;
}

/* ---- The painter ------------------------------------------------------------------------------------------------- */

/* The context of the painter, which paints shapes and texts on a raster with `scale` pixels per unit. */
struct onto {
    struct pithi_raster raster;
    struct pithi_painter painter;
    double scale, clip[4]; /* clip[2] < 0: none */
};

static void onto_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    struct onto *o = context;
    double s = o->scale;
    o->painter.rect(o->painter.context, x * s, y * s, width * s, height * s, rgb, alpha);
}

static void onto_line(void *context, double x0, double y0, double x1, double y1, uint32_t rgb, double alpha)
{
    struct onto *o = context;
    double s = o->scale;
    int wide = (int)fmax(round(s), 1), is_steep = fabs(y1 - y0) > fabs(x1 - x0);

    /* A line of the raster is one pixel wide. If a unit has more pixels, several lines are drawn side by side. */
    for (int i = 0; i < wide; i++) {
        double by = i - (wide - 1) / 2.0, dx = is_steep ? by : 0, dy = is_steep ? 0 : by;
        o->painter.line(o->painter.context, x0 * s + dx, y0 * s + dy, x1 * s + dx, y1 * s + dy, rgb, alpha);
    }
}

static void onto_triangle(void *context, const double x[3], const double y[3], uint32_t rgb, double alpha)
{
    struct onto *o = context;
    double xs[3], ys[3];
    for (int i = 0; i < 3; i++) {
        xs[i] = x[i] * o->scale;
        ys[i] = y[i] * o->scale;
    }
    o->painter.triangle(o->painter.context, xs, ys, rgb, alpha);
}

static void onto_clip(void *context, double x, double y, double width, double height)
{
    struct onto *o = context;
    double s = o->scale;
    memcpy(o->clip, (double[]){x, y, width, height}, sizeof o->clip);
    o->painter.clip(o->painter.context, x * s, y * s, width < 0 ? -1 : width * s, height * s);
}

/* Paints a text on the raster: blends its mask of [height][width] bytes with the colour `rgb`, only in the columns
 * [from, to) of the raster. */
static void blend(const struct pithi_raster *raster, const struct pithi_page_mask *mask, int left, int top,
                  uint32_t rgb, int from, int to)
{
    for (int y = 0; y < mask->height; y++) {
        if (top + y < 0 || top + y >= raster->height)
            continue;
        const unsigned char *cover = mask->cover + (size_t)y * (size_t)mask->width;
        uint32_t *line = raster->words + (size_t)(top + y) * (size_t)raster->width;
        for (int x = left < from ? from - left : 0; x < mask->width && left + x < to; x++) {
            uint32_t weight = cover[x] + (cover[x] >> 7), was = line[left + x]; /* weight: 0 to 256 */
            uint32_t red_blue = ((was & 0xff00ff) * (256 - weight) + (rgb & 0xff00ff) * weight) >> 8 & 0xff00ff;
            line[left + x] = red_blue | (((was & 0xff00) * (256 - weight) + (rgb & 0xff00) * weight) >> 8 & 0xff00);
        }
    }
}

static void onto_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                      const char *text)
{
    struct onto *o = context;
    double s = o->scale, width = anchor == PITHI_LEFT ? 0 : pithi_page_text_width(font, text);
    int from = 0, to = o->raster.width;
    struct pithi_page_mask mask;

    x = round((x - (anchor == PITHI_CENTRE ? width / 2 : width)) * s);
    y = round(y * s);
    if (o->clip[2] >= 0) {
        from = (int)fmin(fmax(round(o->clip[0] * s), 0), to);
        to = (int)fmin(fmax(round((o->clip[0] + o->clip[2]) * s), 0), to);
    }
    if (fabs(x) > INT16_MAX || fabs(y) > INT16_MAX)
        return;
    if (font.rimmed && pithi_page_text_mask(font, text, s, 1, &mask))
        blend(&o->raster, &mask, (int)x - mask.x, (int)y - mask.y, font.rim, from, to);
    if (pithi_page_text_mask(font, text, s, 0, &mask))
        blend(&o->raster, &mask, (int)x - mask.x, (int)y - mask.y, rgb, from, to);
}

static double onto_text_width(void *context, struct pithi_font font, const char *text)
{
    (void)context;
    return pithi_page_text_width(font, text);
}

/* Turns pixels 0x00RRGGBB into the four bytes that a canvas has for a pixel: red, green, blue, and 255 for opaque. */
static void to_canvas(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = 0xff000000 | (words[i] & 0xff) << 16 | (words[i] & 0xff00) | (words[i] >> 16 & 0xff);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* Returns the figure that `pith draw` would make of this interval, without a legend. */
static struct pithi_figure figure_of(int64_t t0_ns, int64_t t1_ns, double width, double height, uint32_t flags)
{
    int exact = pithlog_get_info(now.draw.log)->records <= EXACT_RECORDS;
    struct pithi_figure figure = pithi_draw_figure(&now.draw);

    figure.plot.waits = (flags & PITHI_MODULE_WAITS) != 0;
    figure.plot.path = (flags & PITHI_MODULE_PATH) != 0;
    figure.plot.names = !(flags & PITHI_MODULE_NO_NAMES);
    figure.plot.care = now.is_coarse                ? PITHI_COARSE
                       : flags & PITHI_MODULE_QUICK ? PITHI_QUICK
                       : flags & PITHI_MODULE_NEAR  ? PITHI_NO_RECORDS
                       : exact                      ? PITHI_EXACT
                                                    : PITHI_NEAR;
    figure.plot.moving = (flags & PITHI_MODULE_QUICK) != 0;
    figure.plot.arrows_auto = !(flags & PITHI_MODULE_ALL_ARROWS);
    figure.plot.lit_from_ns = figure.plot.lit_to_ns = 0; /* no selection is drawn here, as the page draws it */
    figure.plot.note_texts = 0;
    figure.plot.t0_ns = t0_ns;
    figure.plot.t1_ns = t1_ns;
    figure.width = width;
    figure.height = height;
    figure.place = PITHI_LEGEND_NONE;
    figure.no_arrows = (flags & PITHI_MODULE_NO_ARROWS) != 0;
    figure.findings = 0;
    return figure;
}

const uint32_t *pithi_module_draw(int64_t t0_ns, int64_t t1_ns, double width, double height, double scale,
                                  uint32_t flags, uint32_t first, double row_height)
{
    struct onto onto = {.scale = scale, .clip = {0, 0, -1, -1}};
    struct pithi_painter painter = (struct pithi_painter){.context = &onto,
                                                          .rect = onto_rect,
                                                          .line = onto_line,
                                                          .triangle = onto_triangle,
                                                          .clip = onto_clip,
                                                          .text = onto_text,
                                                          .text_width = onto_text_width};
    int err;

    snprintf(error, sizeof error, "no log is open");
    if (!now.draw.log)
        return NULL;
    forget_figure();
    if (!(flags & PITHI_MODULE_QUICK)) {
        /* Reads pauses and lost records, which a quick picture may leave out. If the log is damaged, gets those that
         * can be read. */
        if (!now.has_interruptions && (!known.is_known || known.has_interruptions))
            pithi_interruptions_read(now.draw.log, &now.draw.interruptions);
        now.has_interruptions = 1;
    }
    if (!(flags & PITHI_MODULE_COARSE) || !(flags & PITHI_MODULE_QUICK))
        leave_sketch();
    now.figure = figure_of(t0_ns, t1_ns > t0_ns ? t1_ns : t0_ns + 1, width, height, flags);
    now.figure.density = scale;
    now.first = 0;
    if (row_height > 0) {
        /* Draws only as many rows as fit, from the row `first` on. */
        uint32_t fit = pithi_figure_rows_fit(now.figure.height, row_height), all = now.draw.row_count;

        now.first = first < all ? first : all - 1;
        now.figure.plot.rows = now.draw.rows + now.first;
        now.figure.plot.row_count = fit < all - now.first ? fit : all - now.first;
        now.figure.row_height = row_height;
        if (now.label_width < 0)
            now.label_width = pithi_figure_label_width(now.draw.log, now.draw.rows, all, &painter);
        now.figure.least_label_width = now.label_width;
    }
    err = pithi_figure_load(&now.figure, &painter);
    now.has_figure = 1;
    if (err == PITH_ERR_DAMAGED) {
        note_damage();
    } else if (err) {
        if (err == PITH_ERR_USAGE)
            snprintf(error, sizeof error, "%" PRIu32 " rows do not fit in this size", now.draw.row_count);
        else
            failed();
        forget_figure();
        return NULL;
    }
    int wide = (int)lround(now.figure.width * scale), high = (int)lround(now.figure.height * scale);
    if (!now.words || wide != now.width || high != now.height) {
        free(now.words);
        now.words = malloc((size_t)wide * (size_t)high * sizeof *now.words);
    }
    now.width = wide;
    now.height = high;
    if (!now.words) {
        snprintf(error, sizeof error, "out of memory");
        return NULL;
    }
    pithi_raster_grounded(&onto.raster, now.words, now.width, now.height, NULL); /* NULL: without a background, as the
                                                                                  * figure paints one */
    onto.painter = pithi_raster_painter(&onto.raster);
    pithi_figure_draw(&now.figure, &painter);
    pithi_raster_free(&onto.raster);
    to_canvas(now.words, (size_t)now.width * (size_t)now.height);
    return now.words;
}

/* Returns 1 if the plot can be drawn from the sketch. For this there must be a sketch, and the plot must show the
 * interval of the sketch, from MPI_Init to MPI_Finalize, with at most a pixel of difference at each end. */
static int is_sketched(const struct pithi_plot *plot)
{
    double pixel = ((double)plot->t1_ns - (double)plot->t0_ns) / plot->width;

    return now.has_sketch && plot->summary && fabs((double)known.from_ns - (double)plot->t0_ns) <= pixel &&
           fabs((double)known.to_ns - (double)plot->t1_ns) <= pixel;
}

const uint32_t *pithi_module_overview(uint32_t width, uint32_t height)
{
    struct pithi_raster raster = {0};
    struct pithi_groups groups = {0};
    struct pithi_plot plot = {.log = now.draw.log,
                              .rgb = now.draw.rgb,
                              .hidden = now.draw.hidden,
                              .flames = now.draw.flames,
                              .summary = now.draw.summary,
                              .width = width};

    snprintf(error, sizeof error, "no log is open");
    if (!now.draw.log)
        return NULL;
    pithi_whole_window(now.draw.log, &plot.t0_ns, &plot.t1_ns);
    plot.care = now.draw.summary ? PITHI_QUICK : PITHI_EXACT;
    pithi_groups_make(now.draw.rows, now.draw.row_count, (now.draw.row_count + height - 1) / height, &groups);
    plot.rows = groups.rows;
    plot.row_count = groups.count;
    plot.row_height = (double)height / plot.row_count;
    pithi_far_coarse(is_sketched(&plot)); /* the sketch is exact enough for a strip of 30 pixels */
    if (pithi_plot_load(&plot) == PITH_ERR_DAMAGED)
        note_damage();
    pithi_far_coarse(now.is_coarse);
    free(now.strip);
    now.strip = pithi_alloc((size_t)width * height, sizeof *now.strip);
    pithi_raster_onto(&raster, now.strip, (int)width, (int)height, PITHI_RGB_PAPER);
    struct pithi_painter painter = pithi_raster_painter(&raster);
    pithi_plot_draw(&plot, &painter);
    pithi_raster_free(&raster);
    pithi_plot_free(&plot);
    pithi_groups_free(&groups);
    to_canvas(now.strip, (size_t)width * height);
    return now.strip;
}

const char *pithi_module_picture(void)
{
    struct pithi_json_out json;
    const struct pithi_figure *figure = &now.figure;

    if (!now.has_figure || !begin(&json, &answer, &answer_size))
        return NULL;
    pithi_json_put_begin(&json, NULL, '{');
    pithi_json_put_integer(&json, "width", now.width);
    pithi_json_put_integer(&json, "height", now.height);
    pithi_json_put_number(&json, "left", figure->plot.x);
    pithi_json_put_number(&json, "top", figure->plot.y);
    pithi_json_put_number(&json, "wide", figure->plot_width);
    pithi_json_put_number(&json, "bottom", figure->axis_y);
    if (*now.damage)
        pithi_json_put_text(&json, "damage", now.damage);
    pithi_json_put_flag(&json, "coarse", now.is_coarse);
    pithi_json_put_integer(&json, "first", now.first);
    pithi_json_put_integer(&json, "rows", figure->row_count);
    pithi_json_put_number(&json, "row_height", figure->plot.row_height);
    if (pithi_arrows_left_out(&figure->plot))
        pithi_json_put_number(&json, "cover", fmin(figure->plot.arrows.cover, 1));
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

/* The entry of the legend for the time outside all states: this time, and its share of the whole time. */
struct rest {
    int64_t ns;
    double share;
};

/* Returns the entries of the legend for an interval that is not that of the picture, sorted by self time. Sets *rest to
 * the time outside all states. */
static struct pithi_legend_entry *other_entries(int64_t t0_ns, int64_t t1_ns, uint32_t *count, struct rest *rest)
{
    struct pithi_interval_query query = {.t0_ns = t0_ns,
                                         .t1_ns = t1_ns,
                                         .rows = now.draw.rows,
                                         .row_count = now.draw.row_count,
                                         .summary = now.draw.summary,
                                         .digest = now.draw.digest};
    struct pithi_interval interval = {0};
    int err = pithi_interval_run(now.draw.log, &query, &interval);
    struct pithi_cells cells = {.sums = interval.sums, .lanes = interval.lanes, .defs = interval.defs};
    struct pithi_legend_entry *entries = NULL;

    if (err == PITH_ERR_DAMAGED)
        note_damage();
    if (!err || err == PITH_ERR_DAMAGED)
        entries = pithi_legend_make(now.draw.log, &cells, t1_ns - t0_ns, count);
    *rest = (struct rest){interval.computing_ns, pithi_legend_share(&cells, t1_ns - t0_ns, interval.computing_ns)};
    if (!entries)
        failed();
    pithi_interval_free(&interval);
    return entries;
}

/* Writes a time of the log to `text`: as date and time of day if the clock of the log is known, else as time since the
 * log's time 0. */
static void one_time(int64_t time_ns, int64_t resolution_ns, char *text, size_t size)
{
    if (now.draw.clock_ns)
        pithi_date_text(now.draw.clock_ns + time_ns, resolution_ns, text, size);
    else
        pithi_time_text(time_ns, resolution_ns, text, size);
}

const char *pithi_module_legend(int64_t t0_ns, int64_t t1_ns)
{
    struct pithi_json_out json;
    struct pithi_legend_entry *entries;
    const struct pithi_plot *plot = &now.figure.plot;
    char from[64], to[64], length[48], text[192];
    struct rest rest;
    uint32_t count;

    snprintf(error, sizeof error, "no log is open");
    if (!now.draw.log || t1_ns <= t0_ns)
        return NULL;
    if (now.has_figure && t0_ns == plot->t0_ns && t1_ns == plot->t1_ns && plot->rows == now.draw.rows &&
        plot->row_count == now.draw.row_count && plot->care != PITHI_NO_RECORDS) {
        entries = pithi_legend_make(now.draw.log, &plot->cells, t1_ns - t0_ns, &count);
        rest = (struct rest){plot->cells.computing_ns,
                             pithi_legend_share(&plot->cells, t1_ns - t0_ns, plot->cells.computing_ns)};
    } else if (!(entries = other_entries(t0_ns, t1_ns, &count, &rest))) {
        return NULL;
    }
    if (!begin(&json, &answer, &answer_size)) {
        free(entries);
        return NULL;
    }
    one_time(t0_ns, (t1_ns - t0_ns) / 1000, from, sizeof from);
    one_time(t1_ns, (t1_ns - t0_ns) / 1000, to, sizeof to);
    pithi_duration_text(t1_ns - t0_ns, length, sizeof length);
    snprintf(text, sizeof text, "%s to %s, %s", from, to, length);
    pithi_json_put_begin(&json, NULL, '{');
    pithi_json_put_text(&json, "time", text);
    pithi_json_put_text(&json, "length", length);

    char rest_text[48];
    pithi_json_put_begin(&json, "rest", '{');
    pithi_json_put_text(&json, "name", "computing");
    pithi_duration_text(rest.ns, rest_text, sizeof rest_text);
    pithi_json_put_text(&json, "self", rest_text);
    put_time(&json, "self_ns", rest.ns);
    pithi_json_put_number(&json, "share", rest.share);
    pithi_json_put_end(&json, '}');

    pithi_json_put_begin(&json, "entries", '[');
    for (uint32_t i = 0; i < count; i++) {
        char time[48];

        pithi_json_put_begin(&json, NULL, '{');
        pithi_json_put_integer(&json, "id", entries[i].id);
        pithi_json_put_integer(&json, "rgb", now.draw.rgb[entries[i].id]);
        pithi_json_put_number(&json, "count", (double)entries[i].sum.count);
        pithi_duration_text(entries[i].sum.total_ns, time, sizeof time);
        pithi_json_put_text(&json, "total", time);
        pithi_duration_text(entries[i].sum.self_ns, time, sizeof time);
        pithi_json_put_text(&json, "self", time);
        put_time(&json, "total_ns", entries[i].sum.total_ns);
        put_time(&json, "self_ns", entries[i].sum.self_ns);
        pithi_json_put_number(&json, "share", entries[i].share);
        pithi_json_put_end(&json, '}');
    }
    free(entries);
    pithi_json_put_end(&json, ']');
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

/* ---- What lies at a place ---------------------------------------------------------------------------------------- */

static void put_interval(struct pithi_json_out *json, int64_t from_ns, int64_t to_ns)
{
    put_time(json, "from", from_ns);
    put_time(json, "to", to_ns);
}

static const char *time_text(int64_t time_ns, char text[64])
{
    const struct pithi_plot *plot = &now.figure.plot;

    memcpy(text, "at ", 4);
    one_time(time_ns, (plot->t1_ns - plot->t0_ns) / 1000, text + 3, 61);
    return text;
}

static void put_duration(struct pithi_json_out *json, const char *format, int64_t ns)
{
    char took[48], text[96];

    pithi_duration_text(ns, took, sizeof took);
    snprintf(text, sizeof text, format, took);
    put_line(json, text);
}

static void put_message(struct pithi_json_out *json, const struct pithlog_message *message)
{
    const struct pithlog_lane *from = pithlog_get_lane(now.draw.log, message->send_lane),
                              *to = pithlog_get_lane(now.draw.log, message->recv_lane);
    char text[128], bytes[48], at[64];

    put_interval(json, message->send_ns, message->recv_ns);
    pithi_json_put_begin(json, "lines", '[');
    snprintf(text, sizeof text, "message from rank %d to rank %d", (int)from->rank, (int)to->rank);
    put_line(json, text);
    pithi_number_text(message->bytes, bytes, sizeof bytes);
    snprintf(text, sizeof text, "%s bytes, tag %d", bytes, (int)message->tag);
    put_line(json, text);
    put_line(json, time_text(message->send_ns, at));
    put_duration(json, "took %s", message->recv_ns - message->send_ns);
    pithi_json_put_end(json, ']');
}

static void put_bundle(struct pithi_json_out *json, const struct pithi_bundle *bundle)
{
    const struct pithi_plot *plot = &now.figure.plot;
    char text[200], from[64], to[64], count[48];

    pithi_row_place(now.draw.log, &plot->rows[bundle->from_row], from, sizeof from);
    pithi_row_place(now.draw.log, &plot->rows[bundle->to_row], to, sizeof to);
    put_interval(json, bundle->longest.send_ns, bundle->longest.recv_ns);
    pithi_json_put_begin(json, "lines", '[');
    pithi_number_text((uint64_t)llround(bundle->count), count, sizeof count);
    snprintf(text, sizeof text, "%s%s messages", plot->arrows.sampled ? "about " : "", count);
    put_line(json, text);
    snprintf(text, sizeof text, "from %s to %s", from, to);
    put_line(json, text);
    put_duration(json, "%s on average", llround(bundle->mean_ns));
    pithi_json_put_end(json, ']');
}

/* Writes the wait state of a hit (the state at the place that the user points at), and the rank that it waits for. */
static void put_wait(struct pithi_json_out *json, const struct pithi_hit *hit)
{
    const struct pithlog_wait_state *wait =
        now.draw.analysis ? pithi_wait_of(now.draw.analysis, hit->lane, hit->id, hit->start_ns, hit->end_ns) : NULL;
    char took[48], text[160];

    if (!wait)
        return;
    pithi_duration_text(wait->to_ns - wait->from_ns, took, sizeof took);
    snprintf(text, sizeof text, "waits %s for rank %d (%s)", took,
             (int)pithlog_get_lane(now.draw.log, wait->cause_lane)->rank, pithlog_wait_kind_name(wait->kind));
    put_line(json, text);
}

/* Writes the place in the program from which the hit was called. */
static void put_site(struct pithi_json_out *json, const struct pithi_hit *hit)
{
    char name[640], text[660];
    uint32_t site;

    if (!now.draw.flames ||
        pithi_flames_site_of(now.draw.flames, now.draw.log, hit->lane, hit->id, hit->start_ns, hit->end_ns, &site) != 1)
        return;
    snprintf(text, sizeof text, "called %s", pithi_def_label(now.draw.flames->log, site, name, sizeof name));
    put_line(json, text);
}

static void put_state(struct pithi_json_out *json, const struct pithi_row *row, const struct pithi_hit *hit,
                      int64_t time_ns)
{
    char label[256], place[64], at[64];
    uint32_t lanes;

    put_interval(json, hit->start_ns, hit->end_ns);
    pithi_json_put_integer(json, "id", hit->id);
    pithi_json_put_begin(json, "lines", '[');
    put_line(json, pithi_def_label(now.draw.log, hit->id, label, sizeof label));
    pithi_row_lanes(row, &lanes);
    pithi_row_place(now.draw.log, row, place, sizeof place);
    put_line(json, place);
    if (lanes > 1) {
        snprintf(label, sizeof label, "%" PRIu32 " of %" PRIu32 " lanes are in it", hit->alike, hit->asked);
        put_line(json, label);
    }
    put_line(json, time_text(time_ns, at));
    put_duration(json, hit->ended ? "%s" : "%s so far", hit->end_ns - hit->start_ns);
    put_wait(json, hit);
    put_site(json, hit);
    pithi_json_put_end(json, ']');
}

static void put_event(struct pithi_json_out *json, const struct pithi_row *row, const struct pithi_hit *hit)
{
    char label[256], place[64], at[64];

    put_interval(json, hit->start_ns, hit->start_ns);
    pithi_json_put_integer(json, "id", hit->id);
    pithi_json_put_begin(json, "lines", '[');
    put_line(json, pithi_def_label(now.draw.log, hit->id, label, sizeof label));
    pithi_row_place(now.draw.log, row, place, sizeof place);
    put_line(json, place);
    put_line(json, time_text(hit->start_ns, at));
    pithi_clean(label, sizeof label, hit->payload, 0);
    put_line(json, label);
    if (hit->count > 1) {
        snprintf(label, sizeof label, "one of %" PRIu64 " events", hit->count);
        put_line(json, label);
    }
    pithi_json_put_end(json, ']');
}

/* Writes the label of a row of a counter, and the counter's value. If the row is a heading, writes only its label. */
static void put_counter(struct pithi_json_out *json, const struct pithi_row *row, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_column value;
    char label[256], at[64];

    pithi_json_put_begin(json, "lines", '[');
    if (row->kind == PITHI_ROW_COUNTER &&
        pithi_jump_counter(now.draw.digest, row->lane, row->counter, from_ns, to_ns, &value) == 1) {
        snprintf(label, sizeof label, "%.9g", value.last);
        put_line(json, label);
    }
    pithi_row_label(now.draw.log, *row, label, sizeof label);
    put_line(json, label);
    put_line(json, time_text(from_ns, at));
    pithi_json_put_end(json, ']');
}

/* Writes why the picture shows nothing at a place. */
static void put_nothing(struct pithi_json_out *json, const struct pithi_row *row, int64_t time_ns, int64_t reach_ns)
{
    char label[256], at[64];
    uint32_t lanes;
    const uint32_t *lane = pithi_row_lanes(row, &lanes);

    pithi_json_put_begin(json, "lines", '[');
    for (uint32_t i = pithi_interruptions_of(&now.draw.interruptions, lane[0]);
         i < now.draw.interruptions.count && now.draw.interruptions.items[i].lane == lane[0] && lanes == 1; i++) {
        const struct pithi_interruption *interruption = &now.draw.interruptions.items[i];
        if (interruption->lost && llabs(interruption->from_ns - time_ns) <= reach_ns) {
            snprintf(label, sizeof label, "%" PRIu64 " records lost", interruption->lost);
            put_line(json, label);
        } else if (!interruption->lost && interruption->from_ns <= time_ns && time_ns < interruption->to_ns) {
            put_duration(json, "recording paused for %s", interruption->to_ns - interruption->from_ns);
        }
    }
    pithi_row_place(now.draw.log, row, label, sizeof label);
    put_line(json, label);
    put_line(json, time_text(time_ns, at));
    pithi_json_put_end(json, ']');
}

static int row_at(const struct pithi_plot *plot, double y, uint32_t *row)
{
    for (*row = 0; *row < plot->row_count; ++*row)
        if (y >= pithi_plot_row_top(plot, *row) && y < pithi_plot_row_top(plot, *row) + plot->row_height)
            return 1;
    return 0;
}

static void put_record(struct pithi_json_out *json, const struct pithi_row *row, uint32_t index, double y,
                       int64_t from_ns, int64_t to_ns)
{
    const struct pithi_plot *plot = &now.figure.plot;
    double top = pithi_plot_row_top(plot, index);
    struct pithi_hit hit;

    if (y < top + plot->row_height * 0.4 &&
        pithi_hit_row_event(now.draw.log, row, from_ns, REACH * (to_ns - from_ns), now.draw.hidden, &hit) == 1)
        put_event(json, row, &hit);
    else if (pithi_hit_row_state(now.draw.log, row, from_ns, to_ns, pithi_plot_level_at(plot->row_height, y - top),
                                 now.draw.hidden, &hit) == 1) {
        /* The page draws a frame around the bar of the state. Writes the bar's distance from the top of the row and its
         * height, both as fractions of the row's height. */
        double bar_top, height;
        pithi_plot_row_bar(plot, index, hit.level, &bar_top, &height);
        pithi_json_put_number(json, "bar_top", (bar_top - pithi_plot_row_top(plot, index)) / plot->row_height);
        pithi_json_put_number(json, "bar_height", height / plot->row_height);

        put_state(json, row, &hit, from_ns);
    } else
        put_nothing(json, row, from_ns, REACH * (to_ns - from_ns));
}

const char *pithi_module_at(double x, double y)
{
    const struct pithi_plot *plot = &now.figure.plot;
    struct pithi_json_out json;
    uint32_t index;

    if (!now.has_figure || !begin(&json, &answer, &answer_size))
        return NULL;
    double density = plot->width / now.figure.plot_width, in_plot = plot->x + (x - plot->x) * density;
    double span = (double)(plot->t1_ns - plot->t0_ns), part = (x - plot->x) / now.figure.plot_width;
    int64_t from_ns = plot->t0_ns + (int64_t)(floor(x - plot->x) / now.figure.plot_width * span);
    int64_t to_ns = from_ns + (int64_t)fmax(span / now.figure.plot_width, 1);
    pithi_json_put_begin(&json, NULL, '{');
    if (part >= 0 && part < 1 && row_at(plot, y, &index)) {
        const struct pithi_row *row = &plot->rows[index];
        const struct pithi_arrow *arrow = pithi_hit_arrow(plot, in_plot, y, REACH);
        const struct pithi_bundle *bundle = arrow ? NULL : pithi_hit_bundle(plot, in_plot, y, 0.5);
        uint32_t note = pithi_note_at(plot, in_plot, y);
        pithi_json_put_integer(&json, "row", now.first + index);
        if (note != PITHI_NONE) {
            char text[32];

            snprintf(text, sizeof text, "note %" PRIu32, note + 1);
            pithi_json_put_begin(&json, "lines", '[');
            put_line(&json, text);
            put_line(&json, now.draw.notes.items[note].text);
            pithi_json_put_end(&json, ']');
        } else if (arrow)
            put_message(&json, arrow->message);
        else if (bundle)
            put_bundle(&json, bundle);
        else if (pithi_row_has_cells(row))
            put_record(&json, row, index, y, from_ns, to_ns);
        else
            put_counter(&json, row, from_ns, to_ns);
    }
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

/* ---- Search ------------------------------------------------------------------------------------------------------ */

/* Sets wanted[id] for the definitions whose names contain `text` or, if `text` is a pattern, match it. Returns 0 if
 * there are none. */
static int find_wanted(const char *text, unsigned char *wanted)
{
    char pattern[512];
    int is_pattern = text[strcspn(text, "*?[")] != '\0', any = 0;

    snprintf(pattern, sizeof pattern, is_pattern ? "%s" : "*%s*", text);
    for (uint32_t id = 0; id < pithlog_get_info(now.draw.log)->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(now.draw.log, id);
        int is_ours = def->kind == PITHLOG_STATE || def->kind == PITHLOG_EVENT_TYPE;
        wanted[id] = is_ours && !now.draw.hidden[id] && fnmatch(pattern, def->name, FNM_CASEFOLD) == 0;
        any |= wanted[id];
    }
    return any;
}

/* A search over all lanes for a text, which is a name, a pattern or a query. */
struct sought {
    struct pithi_search search;
    unsigned char *wanted;
    uint32_t *lanes;
    struct pithlog_filter *filter;
};

/* Begins a search. Returns 1, or 0 after an error. The caller must end the search in both cases. */
static int begin_search(struct sought *sought, const char *text)
{
    uint32_t lanes = now.draw.log ? pithlog_get_info(now.draw.log)->lanes : 0;

    memset(sought, 0, sizeof *sought);
    snprintf(error, sizeof error, "nothing is drawn");
    if (!now.has_figure)
        return 0;
    sought->wanted = pithi_alloc(pithlog_get_info(now.draw.log)->defs, 1);
    sought->lanes = pithi_alloc(lanes, sizeof *sought->lanes);
    for (uint32_t i = 0; i < lanes; i++)
        sought->lanes[i] = i;
    *error = '\0';
    if (!find_wanted(text, sought->wanted)) {
        if (!text[strcspn(text, "=<>~")])
            snprintf(error, sizeof error, "no name matches %s", text);
        else if (pithlog_filter_parse(text, &sought->filter, NULL))
            failed();
        else
            for (uint32_t id = 0; id < pithlog_get_info(now.draw.log)->defs; id++)
                sought->wanted[id] = !now.draw.hidden[id];
    }
    sought->search = (struct pithi_search){.wanted = sought->wanted,
                                           .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_EVENT,
                                           .max_ns = INT64_MAX,
                                           .payload = "",
                                           .max_bytes = UINT64_MAX,
                                           .tag = PITHI_ANY_TAG,
                                           .peer = -1,
                                           .lanes = sought->lanes,
                                           .lane_count = lanes,
                                           .filter = sought->filter,
                                           .summary = now.draw.summary};
    return !*error;
}

static void end_search(struct sought *sought)
{
    pithlog_filter_free(sought->filter);
    free(sought->wanted);
    free(sought->lanes);
}

const char *pithi_module_search(const char *text, int64_t time_ns, uint32_t lane, uint32_t tie, int is_backwards)
{
    struct pithi_scan_position at = {time_ns, lane, tie};
    struct pithi_json_out json;
    struct pithi_found found;
    struct sought sought;
    int status = -1;

    if (begin_search(&sought, text)) {
        status = is_backwards ? pithi_search_previous(now.draw.log, &sought.search, at, &found)
                              : pithi_search_next(now.draw.log, &sought.search, at, &found);
        if (status < 0)
            failed();
    }
    end_search(&sought);
    if (status < 0 || !begin(&json, &answer, &answer_size))
        return NULL;
    pithi_json_put_begin(&json, NULL, '{');
    if (status) {
        uint32_t *row_of_lane = pithi_rows_of_lanes(now.draw.log, now.draw.rows, now.draw.row_count);
        int is_state = found.kind == PITHLOG_ENTER;
        struct pithi_hit hit = {.id = found.id,
                                .start_ns = found.at.time_ns,
                                .end_ns = found.end_ns,
                                .ended = found.ended,
                                .count = 1,
                                .lane = found.lane};
        struct pithi_row row = {.lane = found.lane};

        snprintf(hit.payload, sizeof hit.payload, "%s", found.payload);
        put_time(&json, "time", found.at.time_ns);
        pithi_json_put_integer(&json, "lane", found.at.lane);
        pithi_json_put_integer(&json, "tie", found.at.tie);
        if (row_of_lane[found.lane] != PITHI_NONE)
            pithi_json_put_integer(&json, "row", row_of_lane[found.lane]);
        free(row_of_lane);
        if (is_state)
            put_state(&json, &row, &hit, found.at.time_ns);
        else
            put_event(&json, &row, &hit);
    }
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

const char *pithi_module_hits(const char *text, uint32_t most)
{
    struct pithi_scan_position at = {INT64_MIN, UINT32_MAX, UINT32_MAX};
    struct pithi_json_out json;
    struct pithi_found found;
    struct sought sought;
    int status = begin_search(&sought, text) ? 1 : -1;
    uint32_t count = 0;
    char time[24];

    if (status < 0 || !begin(&json, &answer, &answer_size)) {
        end_search(&sought);
        return NULL;
    }
    pithi_json_put_begin(&json, NULL, '[');
    for (; count < most && (status = pithi_search_next(now.draw.log, &sought.search, at, &found)) == 1; count++) {
        at = found.at;
        pithi_json_put_begin(&json, NULL, '[');
        snprintf(time, sizeof time, "%" PRId64, at.time_ns);
        put_line(&json, time);
        pithi_json_put_item(&json, at.lane);
        pithi_json_put_item(&json, at.tie);
        pithi_json_put_end(&json, ']');
    }
    pithi_json_put_end(&json, ']');
    end_search(&sought);
    return end(&json, &answer);
}

/* ---- Analysis ---------------------------------------------------------------------------------------------------- */

const char *pithi_module_analyze(void)
{
    struct pithlog_analyze_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .progress = pithi_page_progress};
    int err = PITH_OK;

    snprintf(error, sizeof error, "no log is open");
    if (!now.draw.log)
        return NULL;
    if (!now.draw.analysis)
        err = pithlog_analyze(now.draw.log, &query, &now.draw.analysis);
    if (err == PITH_ERR_DAMAGED)
        note_damage();
    if (err && err != PITH_ERR_DAMAGED)
        return failed();
    free(answer);
    answer = NULL;
    return pithlog_analysis_json(now.draw.analysis, now.draw.log_path, &answer) ? failed() : answer;
}

const char *pithi_module_answer(void)
{
    const struct pithlog_answer *found;
    struct pithi_json_out json;

    snprintf(error, sizeof error, "the log is not analyzed");
    if (!now.draw.analysis || !begin(&json, &answer, &answer_size))
        return NULL;
    pithi_json_put_begin(&json, NULL, '{');
    if (!pithlog_analysis_answer(now.draw.analysis, &found) && found->ns > 0) {
        int64_t from_ns, to_ns;
        pithi_view_of_place(now.draw.analysis, &found->place, &from_ns, &to_ns);
        put_interval(&json, from_ns, to_ns);
        if (found->place.lane < pithlog_get_info(now.draw.log)->lanes) {
            uint32_t *row_of_lane = pithi_rows_of_lanes(now.draw.log, now.draw.rows, now.draw.row_count);
            if (row_of_lane[found->place.lane] != PITHI_NONE)
                pithi_json_put_integer(&json, "row", row_of_lane[found->place.lane]);
            free(row_of_lane);
        }
    }
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}
