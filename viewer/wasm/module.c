/* module.c - the one log of a page and its picture, by the drawing core. A page that draws must not do it another way:
 * figure.c makes the picture here as it does for `pith draw`.
 *
 *     pithi_module_open("/log")                   {"format":"native","ranks":4,"lanes":4,...}
 *     pithi_module_draw(t0, t1, 800, 400, 2, 0)   1600 x 800 words, red first, for a canvas
 *     pithi_module_picture()                      its size, the place of its time lines, its texts
 *     pithi_module_at(120, 60)                    what lies there, as lines for a tooltip
 *
 * Shapes become pixels here, and texts are listed, because the browser has the fonts: it draws them over the pixels. */
#include "wasm/module.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pithlog.h>
#include <pithlog_findings.h>

#include "base/put_json.h"
#include "core/cells/memory.h"
#include "core/measure/search.h"
#include "core/measure/stretch.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "core/rows/words.h"
#include "core/scene/axis.h"
#include "core/scene/figure.h"
#include "core/scene/hit.h"
#include "wasm/module_page.h"

/* arrows; records up to which a picture is exact; pixels */
enum { MOST_ARROWS = 4000, EXACT_RECORDS = 20000000, REACH = 4 };

static struct {
    char *path;
    struct pithlog *log;
    struct pithlog_digest *digest;
    struct pithlog_summary *summary;
    struct pithlog_analysis *analysis;
    struct pithi_gaps gaps;
    struct pithi_row *rows;
    uint32_t row_count;
    unsigned char *hidden;
    uint32_t *rgb;
    int has_figure;
    struct pithi_figure figure;
    uint32_t *words; /* [height][width] */
    int width, height;
    char *texts;      /* JSON of the texts of the picture */
    char damage[512]; /* text about a damaged log; "": none */
} now;

static char error[2048];    /* text of the last error */
static char *answer, *room; /* text of the last answer; what pithi_module_room gave */
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

/* Begins an answer. 0: no memory, which is the error. */
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

/* Times are texts: a number of JavaScript is a double, exact to 2^53 only, and 2^53 ns are 104 days. */
static void put_time(struct pithi_json_out *json, const char *name, int64_t time_ns)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRId64, time_ns);
    pithi_json_put_text(json, name, text);
}

/* An item of an array. */
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
    forget_figure();
    pithlog_analysis_free(now.analysis);
    pithlog_digest_close(now.digest);
    pithlog_summary_close(now.summary);
    pithi_gaps_free(&now.gaps);
    free(now.rows);
    free(now.hidden);
    free(now.rgb);
    free(now.words);
    free(now.texts);
    free(now.path);
    pithlog_close(now.log);
    memset(&now, 0, sizeof now);
}

/* 0: an error. */
static int read_log(const char *path)
{
    const struct pithlog_info *info;
    int err = pithlog_open_watched(path, pithi_page_progress, NULL, &now.log);

    if (err)
        return 0;
    info = pithlog_get_info(now.log);
    now.path = strdup(path);
    pithi_gaps_read(now.log, &now.gaps); /* a damaged log yields the readable gaps */
    err = pithlog_digest_open(now.log, pithi_page_progress, NULL, &now.digest);
    if (err == PITH_ERR_DAMAGED)
        note_damage();
    else if (err)
        return 0;
    if (info->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(now.log, &now.summary); /* on failure, records are read */
    now.rows = pithi_rows_make(now.log, now.digest, &now.row_count);
    now.hidden = pithi_alloc(info->defs, 1);
    now.rgb = pithi_alloc(info->defs, sizeof *now.rgb);
    pithi_palette_fill(now.log, now.summary, PITHI_PALETTE_LOG, now.rgb);
    for (uint32_t id = 0; id < info->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(now.log, id);
        /* Pith's own events (pith:...) are of no use in a picture. */
        now.hidden[id] = def->kind == PITHLOG_EVENT_TYPE && strncmp(def->name, "pith:", 5) == 0;
    }
    return 1;
}

static void put_defs(struct pithi_json_out *json)
{
    static const char *const kinds[] = {"state", "event", "counter"};
    char label[256];

    pithi_json_put_begin(json, "defs", '[');
    for (uint32_t id = 0; id < pithlog_get_info(now.log)->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(now.log, id);
        pithi_json_put_begin(json, NULL, '{');
        pithi_json_put_text(json, "name", pithi_def_label(now.log, id, label, sizeof label));
        pithi_json_put_text(json, "kind",
                            kinds[def->kind == PITHLOG_STATE        ? 0
                                  : def->kind == PITHLOG_EVENT_TYPE ? 1
                                                                    : 2]);
        pithi_json_put_text(json, "group", pithi_state_group(def));
        pithi_json_put_integer(json, "rgb", now.rgb[id]);
        pithi_json_put_flag(json, "hidden", now.hidden[id]);
        pithi_json_put_end(json, '}');
    }
    pithi_json_put_end(json, ']');
}

const char *pithi_module_open(const char *path)
{
    struct pithi_json_out json;
    int64_t t0, t1;

    close_log();
    *error = '\0';
    if (!read_log(path)) {
        failed();
        close_log();
        return NULL;
    }
    if (!now.row_count) {
        snprintf(error, sizeof error, "%s: nothing to draw: the log holds no records", path);
        close_log();
        return NULL;
    }
    const struct pithlog_info *info = pithlog_get_info(now.log);
    pithi_whole_window(now.log, &t0, &t1);
    if (!begin(&json, &answer, &answer_size))
        return NULL;
    pithi_json_put_begin(&json, NULL, '{');
    pithi_json_put_text(&json, "format", info->format);
    pithi_json_put_integer(&json, "ranks", info->ranks);
    pithi_json_put_integer(&json, "lanes", info->lanes);
    pithi_json_put_integer(&json, "rows", now.row_count);
    pithi_json_put_number(&json, "records", (double)info->records);
    pithi_json_put_number(&json, "messages", (double)info->messages);
    pithi_json_put_number(&json, "lost", (double)info->lost);
    pithi_json_put_flag(&json, "large", now.summary != NULL);
    put_time(&json, "from", t0);
    put_time(&json, "to", t1);
    if (info->incomplete)
        pithi_json_put_text(&json, "incomplete", info->incomplete);
    if (*now.damage)
        pithi_json_put_text(&json, "damage", now.damage);
    put_defs(&json);
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

void pithi_module_theme(const char *name)
{
    pithi_theme_choose(name);
    if (now.log)
        pithi_palette_fill(now.log, now.summary, PITHI_PALETTE_LOG, now.rgb);
}

void pithi_module_hide(uint32_t id, int is_hidden)
{
    if (now.log && id < pithlog_get_info(now.log)->defs)
        now.hidden[id] = is_hidden != 0;
}

/* ---- The painter ------------------------------------------------------------------------------------------------- */

/* Paints shapes on a raster, `scale` pixels a unit, and lists texts. */
struct onto {
    struct pithi_raster raster;
    struct pithi_painter painter;
    double scale, clip[4]; /* clip[2] < 0: none */
    struct pithi_json_out *texts;
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
    o->painter.line(o->painter.context, x0 * s, y0 * s, x1 * s, y1 * s, rgb, alpha);
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

static void onto_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                      const char *text)
{
    struct onto *o = context;
    struct pithi_json_out *json = o->texts;

    /* [x, y, anchor, size, bold, rim or -1, colour, clip left or -1, clip right, text]: the page clips and draws it. */
    pithi_json_put_begin(json, NULL, '[');
    for (int i = 0; i < 9; i++) {
        const double numbers[] = {x,
                                  y,
                                  (double)anchor,
                                  font.size,
                                  font.bold,
                                  font.rimmed ? font.rim : -1.0,
                                  (double)rgb,
                                  o->clip[2] < 0 ? -1 : o->clip[0],
                                  o->clip[0] + o->clip[2]};
        pithi_json_put_comma(json);
        pithi_out_double(&json->out, numbers[i]);
    }
    put_line(json, *text ? text : " ");
    pithi_json_put_end(json, ']');
}

static double onto_text_width(void *context, struct pithi_font font, const char *text)
{
    (void)context;
    return pithi_page_text_width(font, text);
}

/* A canvas takes bytes red, green, blue, opaque. */
static void to_canvas(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        /* 0x00RRGGBB becomes 0xffBBGGRR, whose bytes in memory are RR GG BB ff on a machine with the low byte first, as
         * WebAssembly is. */
        words[i] = 0xff000000 | (words[i] & 0xff) << 16 | (words[i] & 0xff00) | (words[i] >> 16 & 0xff);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

static struct pithi_figure figure_of(int64_t t0_ns, int64_t t1_ns, double width, double height, uint32_t flags)
{
    /* Up to 20 million records the picture is exact; above, it is as near as the summary gives it. */
    int exact = pithlog_get_info(now.log)->records <= EXACT_RECORDS;
    const char *slash = strrchr(now.path, '/');

    return (struct pithi_figure){.title = slash ? slash + 1 : now.path,
                                 .plot = {.log = now.log,
                                          .digest = now.digest,
                                          .gaps = &now.gaps,
                                          .analysis = now.analysis,
                                          .waits = (flags & PITHI_MODULE_WAITS) != 0,
                                          .path = (flags & PITHI_MODULE_PATH) != 0,
                                          .names = !(flags & PITHI_MODULE_NO_NAMES),
                                          .summary = now.summary,
                                          .care = flags & PITHI_MODULE_QUICK ? PITHI_QUICK
                                                  : exact                    ? PITHI_EXACT
                                                                             : PITHI_NEAR,
                                          .rgb = now.rgb,
                                          .hidden = now.hidden,
                                          .t0_ns = t0_ns,
                                          .t1_ns = t1_ns,
                                          .rows = now.rows,
                                          .row_count = now.row_count,
                                          .most_arrows = MOST_ARROWS,
                                          .moving = (flags & PITHI_MODULE_QUICK) != 0,
                                          .arrows_auto = 1},
                                 .width = width,
                                 .height = height,
                                 .place = PITHI_LEGEND_NONE,
                                 .no_arrows = (flags & PITHI_MODULE_NO_ARROWS) != 0};
}

const uint32_t *pithi_module_draw(int64_t t0_ns, int64_t t1_ns, double width, double height, double scale,
                                  uint32_t flags)
{
    struct pithi_json_out json;
    size_t size;
    struct onto onto = {.scale = scale, .clip = {0, 0, -1, -1}, .texts = &json};
    struct pithi_painter painter = {.context = &onto,
                                    .rect = onto_rect,
                                    .line = onto_line,
                                    .triangle = onto_triangle,
                                    .clip = onto_clip,
                                    .text = onto_text,
                                    .text_width = onto_text_width};
    int err;

    snprintf(error, sizeof error, "no log is open");
    if (!now.log)
        return NULL;
    forget_figure();
    /* A window of at least 1 ns, as its length divides. */
    now.figure = figure_of(t0_ns, t1_ns > t0_ns ? t1_ns : t0_ns + 1, width, height, flags);
    err = pithi_figure_load(&now.figure, &painter);
    now.has_figure = 1;
    if (err == PITH_ERR_DAMAGED) {
        note_damage();
    } else if (err) {
        if (err == PITH_ERR_USAGE)
            snprintf(error, sizeof error, "%" PRIu32 " rows do not fit in this size", now.row_count);
        else
            failed();
        forget_figure();
        return NULL;
    }
    /* The figure sets its own height where the rows need less, so its size is known only now. */
    now.width = (int)lround(now.figure.width * scale);
    now.height = (int)lround(now.figure.height * scale);
    free(now.words);
    now.words = calloc((size_t)now.width * (size_t)now.height, sizeof *now.words);
    if (!now.words || !begin(&json, &now.texts, &size)) {
        snprintf(error, sizeof error, "out of memory");
        return NULL;
    }
    pithi_raster_onto(&onto.raster, now.words, now.width, now.height, PITHI_RGB_PAPER);
    onto.painter = pithi_raster_painter(&onto.raster);
    pithi_json_put_begin(&json, NULL, '[');
    pithi_figure_draw(&now.figure, &painter);
    pithi_json_put_end(&json, ']');
    pithi_raster_free(&onto.raster);
    to_canvas(now.words, (size_t)now.width * (size_t)now.height);
    return end(&json, &now.texts) ? now.words : NULL;
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
    pithi_json_put_key(&json, "texts");
    pithi_out_text(&json.out, now.texts);
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

static void put_entry(struct pithi_json_out *json, uint32_t id, const struct pithi_sum *sum, double share)
{
    char text[48];

    pithi_json_put_begin(json, NULL, '{');
    pithi_json_put_integer(json, "id", id);
    pithi_json_put_integer(json, "rgb", now.rgb[id]);
    pithi_json_put_number(json, "count", (double)sum->count);
    pithi_duration_text(sum->inclusive_ns, text, sizeof text);
    pithi_json_put_text(json, "total", text);
    pithi_duration_text(sum->exclusive_ns, text, sizeof text);
    pithi_json_put_text(json, "self", text);
    put_time(json, "self_ns", sum->exclusive_ns);
    pithi_json_put_number(json, "share", share);
    pithi_json_put_end(json, '}');
}

/* The entries of another time than the picture's, states by self time. */
static struct pithi_legend_entry *other_entries(int64_t t0_ns, int64_t t1_ns, uint32_t *count)
{
    struct pithi_stretch_query query = {.t0_ns = t0_ns,
                                        .t1_ns = t1_ns,
                                        .rows = now.rows,
                                        .row_count = now.row_count,
                                        .summary = now.summary,
                                        .digest = now.digest};
    struct pithi_stretch stretch = {0};
    int err = pithi_stretch_run(now.log, &query, &stretch);
    struct pithi_cells cells = {.sums = stretch.sums, .lanes = stretch.lanes, .defs = stretch.defs};
    struct pithi_legend_entry *entries = NULL;

    if (err == PITH_ERR_DAMAGED)
        note_damage();
    if (!err || err == PITH_ERR_DAMAGED)
        entries = pithi_legend_make(now.log, &cells, t1_ns - t0_ns, count);
    else
        failed();
    pithi_stretch_free(&stretch);
    return entries;
}

const char *pithi_module_legend(int64_t t0_ns, int64_t t1_ns)
{
    struct pithi_json_out json;
    struct pithi_legend_entry *entries;
    const struct pithi_plot *plot = &now.figure.plot;
    char from[64], to[64], length[48], text[192];
    uint32_t count;

    snprintf(error, sizeof error, "nothing is drawn");
    if (!now.has_figure || t1_ns <= t0_ns)
        return NULL;
    /* The picture's own cells have these sums; another time (a selection) needs a query. */
    if (t0_ns == plot->t0_ns && t1_ns == plot->t1_ns)
        entries = pithi_legend_make(now.log, &plot->cells, t1_ns - t0_ns, &count);
    else if (!(entries = other_entries(t0_ns, t1_ns, &count)))
        return NULL;
    if (!begin(&json, &answer, &answer_size)) {
        free(entries);
        return NULL;
    }
    pithi_time_text(t0_ns, (t1_ns - t0_ns) / 1000, from, sizeof from);
    pithi_time_text(t1_ns, (t1_ns - t0_ns) / 1000, to, sizeof to);
    pithi_duration_text(t1_ns - t0_ns, length, sizeof length);
    snprintf(text, sizeof text, "%s to %s, %s", from, to, length);
    pithi_json_put_begin(&json, NULL, '{');
    pithi_json_put_text(&json, "time", text);
    pithi_json_put_begin(&json, "entries", '[');
    for (uint32_t i = 0; i < count; i++)
        put_entry(&json, entries[i].id, &entries[i].sum, entries[i].share);
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
    pithi_time_text(time_ns, (plot->t1_ns - plot->t0_ns) / 1000, text + 3, 61);
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
    const struct pithlog_lane *from = pithlog_get_lane(now.log, message->send_lane),
                              *to = pithlog_get_lane(now.log, message->recv_lane);
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

    pithi_row_place(now.log, &plot->rows[bundle->from_row], from, sizeof from);
    pithi_row_place(now.log, &plot->rows[bundle->to_row], to, sizeof to);
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

/* The wait state, and for whom. */
static void put_wait(struct pithi_json_out *json, const struct pithi_hit *hit)
{
    const struct pithlog_wait_state *wait =
        now.analysis ? pithi_wait_of(now.analysis, hit->lane, hit->id, hit->start_ns, hit->end_ns) : NULL;
    char took[48], text[160];

    if (!wait)
        return;
    pithi_duration_text(wait->to_ns - wait->from_ns, took, sizeof took);
    snprintf(text, sizeof text, "waits %s for rank %d (%s)", took,
             (int)pithlog_get_lane(now.log, wait->cause_lane)->rank, pithlog_wait_kind_name(wait->kind));
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
    put_line(json, pithi_def_label(now.log, hit->id, label, sizeof label));
    pithi_row_lanes(row, &lanes);
    pithi_row_place(now.log, row, place, sizeof place);
    put_line(json, place);
    if (lanes > 1) {
        snprintf(label, sizeof label, "%" PRIu32 " of %" PRIu32 " lanes are in it", hit->alike, hit->asked);
        put_line(json, label);
    }
    put_line(json, time_text(time_ns, at));
    put_duration(json, hit->ended ? "%s" : "%s so far", hit->end_ns - hit->start_ns);
    put_wait(json, hit);
    pithi_json_put_end(json, ']');
}

static void put_event(struct pithi_json_out *json, const struct pithi_row *row, const struct pithi_hit *hit)
{
    char label[256], place[64], at[64];

    put_interval(json, hit->start_ns, hit->start_ns);
    pithi_json_put_integer(json, "id", hit->id);
    pithi_json_put_begin(json, "lines", '[');
    put_line(json, pithi_def_label(now.log, hit->id, label, sizeof label));
    pithi_row_place(now.log, row, place, sizeof place);
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

static void put_counter(struct pithi_json_out *json, const struct pithi_row *row, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_column value;
    char label[256], at[64];

    pithi_json_put_begin(json, "lines", '[');
    if (pithi_jump_counter(now.digest, row->lane, row->counter, from_ns, to_ns, &value) == 1) {
        snprintf(label, sizeof label, "%.9g", value.last);
        put_line(json, label);
    }
    pithi_row_label(now.log, *row, label, sizeof label);
    put_line(json, label);
    put_line(json, time_text(from_ns, at));
    pithi_json_put_end(json, ']');
}

/* Nothing is there: why. */
static void put_nothing(struct pithi_json_out *json, const struct pithi_row *row, int64_t time_ns, int64_t reach_ns)
{
    char label[256], at[64];
    uint32_t lanes;
    const uint32_t *lane = pithi_row_lanes(row, &lanes);

    pithi_json_put_begin(json, "lines", '[');
    for (uint32_t i = pithi_gaps_of(&now.gaps, lane[0]);
         i < now.gaps.count && now.gaps.items[i].lane == lane[0] && lanes == 1; i++) {
        const struct pithi_gap *gap = &now.gaps.items[i];
        if (gap->lost && llabs(gap->from_ns - time_ns) <= reach_ns) {
            snprintf(label, sizeof label, "%" PRIu64 " records lost", gap->lost);
            put_line(json, label);
        } else if (!gap->lost && gap->from_ns <= time_ns && time_ns < gap->to_ns) {
            put_duration(json, "recording paused for %s", gap->to_ns - gap->from_ns);
        }
    }
    pithi_row_place(now.log, row, label, sizeof label);
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

    /* Marks of events are in the upper part of the row, and wide: they may be some pixels off (REACH). */
    if (y < top + plot->row_height * 0.4 &&
        pithi_hit_row_event(now.log, row, from_ns, REACH * (to_ns - from_ns), now.hidden, &hit) == 1)
        put_event(json, row, &hit);
    else if (pithi_hit_row_state(now.log, row, from_ns, to_ns, pithi_plot_level_at(plot->row_height, y - top),
                                 now.hidden, &hit) == 1)
        put_state(json, row, &hit, from_ns);
    else
        put_nothing(json, row, from_ns, REACH * (to_ns - from_ns));
}

const char *pithi_module_at(double x, double y)
{
    const struct pithi_plot *plot = &now.figure.plot;
    struct pithi_json_out json;
    uint32_t index;

    if (!now.has_figure || !begin(&json, &answer, &answer_size))
        return NULL;
    /* The column under the pointer, as a stretch of time of at least 1 ns. */
    double span = (double)(plot->t1_ns - plot->t0_ns), part = (x - plot->x) / now.figure.plot_width;
    int64_t from_ns = plot->t0_ns + (int64_t)(floor(x - plot->x) / now.figure.plot_width * span);
    int64_t to_ns = from_ns + (int64_t)fmax(span / now.figure.plot_width, 1);
    pithi_json_put_begin(&json, NULL, '{');
    if (part >= 0 && part < 1 && row_at(plot, y, &index)) {
        /* What is drawn on top is found first: arrows, bundles, then bars. */
        const struct pithi_row *row = &plot->rows[index];
        const struct pithi_arrow *arrow = pithi_hit_arrow(plot, x, y, REACH);
        const struct pithi_bundle *bundle = arrow ? NULL : pithi_hit_bundle(plot, x, y, 0.5);
        pithi_json_put_integer(&json, "row", index);
        if (arrow)
            put_message(&json, arrow->message);
        else if (bundle)
            put_bundle(&json, bundle);
        else if (row->counter != PITHI_NONE)
            put_counter(&json, row, from_ns, to_ns);
        else
            put_record(&json, row, index, y, from_ns, to_ns);
    }
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

/* ---- Search ------------------------------------------------------------------------------------------------------ */

/* The definitions that a name's part, or a pattern, means; 0: none. */
static int find_wanted(const char *text, unsigned char *wanted)
{
    char pattern[512];
    /* A word without *, ? or [ may be anywhere in the name. */
    int is_pattern = text[strcspn(text, "*?[")] != '\0', any = 0;

    snprintf(pattern, sizeof pattern, is_pattern ? "%s" : "*%s*", text);
    for (uint32_t id = 0; id < pithlog_get_info(now.log)->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(now.log, id);
        int is_ours = def->kind == PITHLOG_STATE || def->kind == PITHLOG_EVENT_TYPE;
        wanted[id] = is_ours && !now.hidden[id] && fnmatch(pattern, def->name, FNM_CASEFOLD) == 0;
        any |= wanted[id];
    }
    return any;
}

static void put_found(struct pithi_json_out *json, const struct pithi_found *found)
{
    uint32_t *row_of_lane = pithi_rows_of_lanes(now.log, now.figure.plot.rows, now.figure.plot.row_count);
    int is_state = found->kind == PITHLOG_ENTER;
    struct pithi_hit hit = {.id = found->id,
                            .start_ns = found->at.time_ns,
                            .end_ns = found->end_ns,
                            .ended = found->ended,
                            .count = 1,
                            .lane = found->lane};
    struct pithi_row row = {.lane = found->lane, .counter = PITHI_NONE};

    snprintf(hit.payload, sizeof hit.payload, "%s", found->payload);
    put_time(json, "time", found->at.time_ns);
    pithi_json_put_integer(json, "lane", found->at.lane);
    pithi_json_put_integer(json, "tie", found->at.tie);
    if (row_of_lane[found->lane] != PITHI_NONE) { /* else its lane is not shown */
        uint32_t at = row_of_lane[found->lane];
        pithi_json_put_number(json, "top", pithi_plot_row_top(&now.figure.plot, at));
        pithi_json_put_number(json, "high", now.figure.plot.row_height);
    }
    free(row_of_lane);
    if (is_state)
        put_state(json, &row, &hit, found->at.time_ns);
    else
        put_event(json, &row, &hit);
}

const char *pithi_module_search(const char *text, int64_t time_ns, uint32_t lane, uint32_t tie, int is_backwards)
{
    struct pithi_json_out json;
    struct pithi_found found;
    struct pithlog_filter *filter = NULL;
    uint32_t lanes = now.log ? pithlog_get_info(now.log)->lanes : 0;

    snprintf(error, sizeof error, "nothing is drawn");
    if (!now.has_figure)
        return NULL;
    unsigned char *wanted = pithi_alloc(pithlog_get_info(now.log)->defs, 1);
    uint32_t *all = pithi_alloc(lanes, sizeof *all);
    for (uint32_t i = 0; i < lanes; i++)
        all[i] = i;
    struct pithi_search search = {.wanted = wanted,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_EVENT,
                                  .max_ns = INT64_MAX,
                                  .payload = "",
                                  .max_bytes = UINT64_MAX,
                                  .tag = PITHI_ANY_TAG,
                                  .peer = -1,
                                  .lanes = all,
                                  .lane_count = lanes,
                                  .summary = now.summary};
    struct pithi_scan_position at = {time_ns, lane, tie};
    int status = -1;
    *error = '\0';
    if (!find_wanted(text, wanted)) {
        /* No name matches: it may be a query, such as `bytes > 1000`, if it has an operator of one. */
        if (!text[strcspn(text, "=<>~")])
            snprintf(error, sizeof error, "no name matches %s", text);
        else if (pithlog_filter_parse(text, &filter, NULL))
            failed();
        else
            for (uint32_t id = 0; id < pithlog_get_info(now.log)->defs; id++)
                wanted[id] = !now.hidden[id];
    }
    search.filter = filter;
    /* Neither a query nor a name: `error` says so. */
    if (filter || memchr(wanted, 1, pithlog_get_info(now.log)->defs))
        status = is_backwards ? pithi_search_previous(now.log, &search, at, &found)
                              : pithi_search_next(now.log, &search, at, &found);
    if (status < 0 && !*error)
        failed();
    pithlog_filter_free(filter);
    free(wanted);
    free(all);
    if (status < 0 || !begin(&json, &answer, &answer_size))
        return NULL;
    pithi_json_put_begin(&json, NULL, '{');
    if (status)
        put_found(&json, &found);
    pithi_json_put_end(&json, '}');
    return end(&json, &answer);
}

/* ---- Analysis ---------------------------------------------------------------------------------------------------- */

const char *pithi_module_analyze(void)
{
    struct pithlog_analyze_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .progress = pithi_page_progress};
    int err = PITH_OK;

    snprintf(error, sizeof error, "no log is open");
    if (!now.log)
        return NULL;
    if (!now.analysis)
        err = pithlog_analyze(now.log, &query, &now.analysis);
    if (err == PITH_ERR_DAMAGED)
        note_damage();
    if (err && err != PITH_ERR_DAMAGED)
        return failed();
    free(answer);
    answer = NULL;
    return pithlog_analysis_json(now.analysis, now.path, &answer) ? failed() : answer;
}
