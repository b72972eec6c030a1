/* log_draw.c - draws a log, and finds the record behind a pixel of the picture.
 *
 * A picture comes in two steps. `draw` reads the log for 1.5 ms while the view moves (80 ms for the first picture), and
 * paints what it has read. It returns `rough 1` if it could not read all that the picture needs. Then the rest is read
 * in the background, and `refine` with the same arguments paints the picture again with what has been read since. So a
 * drag at 60 pictures a second stays smooth in a log of any size, and the picture is exact a moment after the drag
 * stops.
 *
 * Rows that are lower than a pixel are grouped. The first row of a group is a multiple of the group's size: with 5 rows
 * in each group, a picture that is scrolled to row 7 begins with the group of rows 5 to 9. If groups began at the first
 * row of the picture, each step of scrolling would make other groups, and colours would flicker. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/arrows.h"
#include "core/scene/axis.h"
#include "core/scene/bands.h"
#include "core/scene/hit.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "tk/log_object.h"
#include "tk/paper.h"

/* Pixels between the marks of the time axis and between the grid lines; timeline.tcl uses the same value. */
enum { TICK_SPACING = 90 };
/* Seconds of reading for a picture: MOVE_S while the view moves, FIRST_S for the first picture. */
#define MOVE_S 0.0015
#define FIRST_S 0.08

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

struct view {
    int64_t t0_ns, t1_ns, lit_from_ns, lit_to_ns; /* lit_from_ns, lit_to_ns: the selection */
    int width, height, first_row, most_arrows, arrows_auto;
    double row_height;
};

static int get_view(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const words[], struct view *view)
{
    if (pithi_get_window(interp, words, &view->t0_ns, &view->t1_ns) != TCL_OK ||
        Tcl_GetIntFromObj(interp, words[2], &view->width) != TCL_OK ||
        Tcl_GetIntFromObj(interp, words[3], &view->height) != TCL_OK ||
        Tcl_GetIntFromObj(interp, words[4], &view->first_row) != TCL_OK ||
        Tcl_GetDoubleFromObj(interp, words[5], &view->row_height) != TCL_OK ||
        Tcl_GetIntFromObj(interp, words[6], &view->most_arrows) != TCL_OK ||
        Tcl_GetBooleanFromObj(interp, words[7], &view->arrows_auto) != TCL_OK ||
        pithi_get_times(interp, words + 8, &view->lit_from_ns, &view->lit_to_ns) != TCL_OK)
        return TCL_ERROR;
    if (view->width < 1 || view->width > PITHI_MAX_WIDTH || view->height < 1 || view->height > PITHI_MAX_WIDTH ||
        view->first_row < 0 || view->most_arrows < 0 || (uint32_t)view->first_row > object->row_count ||
        !(view->row_height >= 0.001)) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("picture too small, too large, or outside of the rows", -1));
        return TCL_ERROR;
    }
    return TCL_OK;
}

static void set_plot(struct pithi_log_object *object, const struct view *view)
{
    struct pithi_plot *plot = &object->plot;
    enum pithi_arrows_before before = pithi_arrows_done(plot);

    pithi_plot_free(plot);
    memset(plot, 0, sizeof *plot);
    plot->arrows_before = before;
    plot->log = object->log;
    plot->digest = object->digest;
    plot->picked = object->picked;
    plot->summary = object->summary;
    plot->rgb = object->rgb;
    plot->hidden = object->hidden;
    plot->flames = object->flames;
    plot->core_waits = pithi_log_core_waits_shown(object);
    plot->interruptions = &object->interruptions;
    plot->notes = &object->notes;
    plot->analysis = object->analysis;
    plot->waits = object->shows_waits;
    plot->names = !object->hides_names;
    plot->path = object->shows_path;
    plot->t0_ns = view->t0_ns;
    plot->t1_ns = view->t1_ns;
    plot->lit_from_ns = view->lit_from_ns;
    plot->lit_to_ns = view->lit_to_ns;
    plot->width = (uint32_t)view->width;
    /* Rows that are lower than a pixel are drawn in groups of `per` rows. The first row of a group is a multiple of
     * `per`, so that the groups do not change when the rows are scrolled. */
    uint32_t per = pithi_groups_per(view->row_height), first = (uint32_t)view->first_row / per * per, rest;
    uint32_t fit = ((uint32_t)(view->height / (view->row_height * per)) + 1) * per;
    plot->rows = pithi_log_rows_from(object, first, &rest);
    plot->row_count = rest < fit ? rest : fit;
    plot->row_height = view->row_height;
    pithi_groups_free(&object->groups);
    if (per > 1) {
        pithi_groups_make(plot->rows, plot->row_count, per, &object->groups);
        plot->rows = object->groups.rows;
        plot->row_count = object->groups.count;
        plot->row_height *= per;
    }
    plot->most_arrows = (uint32_t)view->most_arrows;
    plot->arrows_auto = view->arrows_auto;
}

/* Copies a raster, in which each pixel is a word, into a photo without alpha. Tk needs the offset of each colour in the
 * bytes of a pixel. On little-endian machines the word 0xRRGGBB is the bytes BB GG RR 00, so red has the offset 2,
 * green 1, blue 0. On big-endian machines it is 00 RR GG BB, so the offsets are 1, 2, 3. */
static int show(Tcl_Interp *interp, const struct pithi_raster *raster, Tk_PhotoHandle photo)
{
    static const union {
        uint32_t word;
        unsigned char first;
    } order = {1};
    Tk_PhotoImageBlock block = {.pixelPtr = (unsigned char *)raster->words,
                                .width = raster->width,
                                .height = raster->height,
                                .pitch = raster->width * 4,
                                .pixelSize = 4,
                                .offset = {order.first ? 2 : 1, order.first ? 1 : 2, order.first ? 0 : 3, 4}};

    if (Tk_PhotoSetSize(interp, photo, raster->width, raster->height) != TCL_OK)
        return TCL_ERROR;
    return Tk_PhotoPutBlock(interp, photo, &block, 0, 0, raster->width, raster->height, TK_PHOTO_COMPOSITE_SET);
}

static Tk_PhotoHandle find_photo(Tcl_Interp *interp, Tcl_Obj *word)
{
    Tk_PhotoHandle photo = Tk_FindPhoto(interp, Tcl_GetString(word));

    if (!photo)
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("no such photo: %s", Tcl_GetString(word)));
    return photo;
}

static int is_rough(const struct pithi_log_object *object)
{
    return object->plot.moving || (object->cell_cache && pithi_cell_cache_rough(object->cell_cache));
}

/* Returns a dict about the picture: its numbers of arrows and messages; `leftout`: the fraction of the picture that the
 * arrows would cover, if they are not drawn because this fraction is too large; `rough`: 1 if pithi_log_refine must be
 * called; `exact`: the fraction of the cells that is exact. */
static void describe(const struct pithi_log_object *object, Tcl_Interp *interp)
{
    Tcl_Obj *result = Tcl_NewDictObj();

    pithi_put_wide(result, "arrows", object->plot.arrows.count);
    pithi_put_wide(result, "messages", (int64_t)object->plot.arrows.total);
    pithi_put(result, "leftout",
              Tcl_NewDoubleObj(pithi_arrows_left_out(&object->plot) ? object->plot.arrows.cover : 0));
    pithi_put_wide(result, "rough", is_rough(object));
    pithi_put(result, "exact", Tcl_NewDoubleObj(object->cell_cache ? pithi_cell_cache_exact(object->cell_cache) : 1));
    Tcl_SetObjResult(interp, result);
}

/* The target of a picture: a paper or a photo. One of the two is NULL. */
struct target {
    struct pithi_paper *paper;
    Tk_PhotoHandle photo;
};

static int find_target(Tcl_Interp *interp, Tcl_Obj *word, struct target *target)
{
    target->paper = pithi_paper_find(interp, Tcl_GetString(word));
    target->photo = target->paper ? NULL : find_photo(interp, word);
    return target->paper || target->photo ? TCL_OK : TCL_ERROR;
}

/* Reports to a paper that the scanlines up to `end` are painted. For a photo (context is NULL) it does nothing, because
 * a photo gets all scanlines when the picture is complete. */
static void show_lines(void *context, int end)
{
    if (context)
        pithi_paper_ready(context, end);
}

static void paint_plot(const struct pithi_log_object *object, const struct view *view, const struct target *target,
                       uint32_t *words, struct pithi_raster *raster)
{
    /* Makes the background of a scanline, which is the same for all scanlines. */
    uint32_t *ground = pithi_alloc((size_t)view->width, sizeof *ground);
    struct pithi_axis axis;
    for (int x = 0; x < view->width; x++)
        ground[x] = PITHI_RGB_PAPER;
    pithi_axis_make(view->t0_ns, view->t1_ns, object->clock_ns, view->width, TICK_SPACING * pithi_theme_scale(), &axis);
    for (uint32_t i = 0; i < axis.count; i++)
        if (axis.ticks[i].x >= 0 && axis.ticks[i].x < view->width)
            ground[(int)axis.ticks[i].x] = PITHI_RGB_GRID;

    pithi_raster_grounded(raster, words, view->width, view->height, ground);
    pithi_bands_draw(&object->plot, raster, object->helper, show_lines, target->paper);
    free(ground);
}

/* Paints the picture. If it is the last picture, moved to the left, `moved` is the number of pixels; otherwise 0. */
static int paint(struct pithi_log_object *object, Tcl_Interp *interp, const struct view *view,
                 const struct target *target, int moved)
{
    struct pithi_raster onto = {0};

    if (!target->paper) {
        object->words = pithi_view_grow(object->words, &object->word_capacity,
                                        (uint32_t)view->width * (uint32_t)view->height, sizeof *object->words);
        paint_plot(object, view, target, object->words, &onto);
        return show(interp, &onto, target->photo);
    }
    paint_plot(object, view, target, pithi_paper_begin(target->paper, view->width, view->height), &onto);
    pithi_paper_end(target->paper, moved);
    return TCL_OK;
}

int pithi_log_draw(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct target target;
    struct view view;
    int err, first, painted;

    (void)objc;
    if (find_target(interp, objv[2], &target) != TCL_OK || get_view(object, interp, objv + 3, &view) != TCL_OK)
        return TCL_ERROR;
    set_plot(object, &view);
    if (!object->cell_cache) {
        object->helper = pithi_helper_new();
        object->cell_cache = pithi_cell_cache_new(object->log, object->summary, object->helper);
        pithi_interruptions_read(
            object->log, &object->interruptions); /* ignores errors: of a damaged log, it gets the pauses and losses
                                                   * that can be read */
    }
    object->plot.moving = 1;
    first = pithi_cell_cache_is_new(object->cell_cache);
    err = pithi_cell_cache_load(object->cell_cache, &object->plot, first ? FIRST_S : MOVE_S);
    if (err == PITH_ERR_USAGE)
        return pithi_log_error(interp);
    object->plot.moving = pithi_arrows_crowded(&object->plot);
    painted = paint(object, interp, &view, &target, (int)pithi_cell_cache_moved(object->cell_cache));
    /* Begins to read the rest in the background. After the first picture, only pithi_log_refine begins this, because Tk
     * and the X server are still busy with showing the new window. */
    if (!first)
        pithi_cell_cache_go_on(object->cell_cache);
    if (painted != TCL_OK)
        return TCL_ERROR;
    /* Reports damage of the log; the readable part was painted. */
    if (err)
        return pithi_log_error(interp);
    describe(object, interp);
    return TCL_OK;
}

/* `refine` draws the last picture again if more of the log has been read since. It has the same arguments as `draw`. */
int pithi_log_refine(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct target target;
    const char *trouble;
    struct view view;

    (void)objc;
    if (find_target(interp, objv[2], &target) != TCL_OK || get_view(object, interp, objv + 3, &view) != TCL_OK)
        return TCL_ERROR;
    if (object->cell_cache)
        pithi_cell_cache_go_on(object->cell_cache);
    if (object->cell_cache && (pithi_cell_cache_take(object->cell_cache) || object->plot.moving)) {
        if (object->plot.moving) {
            object->plot.moving = 0;
            object->plot.arrows_before = pithi_arrows_done(&object->plot);
            pithi_plot_load_arrows(&object->plot);
        }
        if (paint(object, interp, &view, &target, 0) != TCL_OK)
            return TCL_ERROR;
    }
    trouble = object->cell_cache ? pithi_cell_cache_trouble(object->cell_cache) : NULL;
    if (trouble) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj(trouble, -1));
        Tcl_SetErrorCode(interp, "PITH", "LOG", (char *)NULL);
        return TCL_ERROR;
    }
    if (!is_rough(object))
        pithi_memory_rest();
    describe(object, interp);
    return TCL_OK;
}

/* The overview strip shows at most this many lanes, evenly selected. It is drawn in Tcl's thread, and 100,000 lanes
 * would take 4.7 s. */
enum { STRIP_LANES = 1024 };

/* Makes the rows of an overview strip of this height from the visible lanes. If there are many lanes, a row has several
 * of them, so that each row is at least a pixel high. */
static void strip_groups(const struct pithi_log_object *object, uint32_t height, struct pithi_groups *groups)
{
    uint32_t shown, *lanes = pithi_rows_lanes(object->tree, &shown);
    uint32_t count = shown < STRIP_LANES ? shown : STRIP_LANES;
    struct pithi_row *rows = pithi_alloc(count, sizeof *rows);

    for (uint32_t i = 0; i < count; i++)
        rows[i] = (struct pithi_row){.lane = lanes[(uint64_t)i * shown / count]};
    pithi_groups_make(rows, count, count ? (count + height - 1) / height : 1, groups);
    free(rows);
    free(lanes);
}

/* Draws the overview strip twice: in normal colours for the part that the view shows, and faded for the parts outside
 * the view. */
int pithi_log_overview(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_PhotoHandle photo = find_photo(interp, objv[2]), faded = find_photo(interp, objv[3]);
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    uint32_t *words = NULL;
    struct pithi_plot plot = {
        .log = object->log, .rgb = object->rgb, .hidden = object->hidden, .summary = object->summary};
    struct pithi_groups groups = {0};
    int width, height, status;

    (void)objc;
    if (!photo || !faded || pithi_get_window(interp, objv + 4, &plot.t0_ns, &plot.t1_ns) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[6], &width) != TCL_OK || Tcl_GetIntFromObj(interp, objv[7], &height) != TCL_OK)
        return TCL_ERROR;
    if (width < 1 || width > PITHI_MAX_WIDTH || height < 2 || height > PITHI_MAX_WIDTH)
        return TCL_OK;
    strip_groups(object, (uint32_t)height, &groups);
    /* If each lane has only a few records, reads the records and not the summary: this costs little, and the pieces of
     * the summary would be too long for an exact picture. */
    const struct pithlog_info *info = pithlog_get_info(object->log);
    uint64_t lanes = info->lanes < STRIP_LANES ? info->lanes : STRIP_LANES;
    plot.care = lanes && info->records / info->lanes * lanes < PITHI_SUMMARY_RECORDS ? PITHI_EXACT : PITHI_QUICK;
    plot.rows = groups.rows;
    plot.row_count = groups.count;
    plot.width = (uint32_t)width;
    plot.row_height = plot.row_count ? (double)height / plot.row_count : height;
    status = pithi_plot_load(&plot) == PITH_ERR_USAGE ? pithi_log_error(interp) : TCL_OK;
    if (status == TCL_OK) {
        words = pithi_alloc((size_t)width * (size_t)height, sizeof *words);
        pithi_raster_onto(&raster, words, width, height, PITHI_RGB_PAPER);
        pithi_plot_draw(&plot, &painter);
        status = show(interp, &raster, photo);
        painter.rect(painter.context, 0, 0, width, height, PITHI_RGB_PAPER, PITHI_PALE);
    }
    if (status == TCL_OK)
        status = show(interp, &raster, faded);
    pithi_plot_free(&plot);
    free(words);
    pithi_groups_free(&groups);
    return status;
}

/* ---- What is at a pixel ------------------------------------------------------------------------------------------ */

int pithi_log_state_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_hit hit;
    int64_t t0, t1;
    double y, row_height, top, height;
    uint32_t row;
    Tcl_Obj *dict;
    int found;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &row) != TCL_OK ||
        pithi_get_window(interp, objv + 3, &t0, &t1) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[5], &y) != TCL_OK ||
        Tcl_GetDoubleFromObj(interp, objv[6], &row_height) != TCL_OK)
        return TCL_ERROR;
    if (!pithi_row_has_cells(&object->rows[row]))
        return TCL_OK;
    const struct pithi_flames *flames = object->rows[row].kind == PITHI_ROW_FUNCTIONS ? object->flames : NULL;
    found = pithi_hit_row_state(flames ? flames->log : object->log, &object->rows[row], t0, t1,
                                pithi_plot_level_at(row_height, y), flames ? flames->hidden : object->hidden, &hit);
    if (found < 0)
        return pithi_log_error(interp);
    if (!found)
        return TCL_OK;
    dict = flames ? pithi_function_dict(flames, &hit, object->rows[row].band) : pithi_hit_dict(object->log, &hit);
    if (hit.asked > 1) {
        pithi_put_wide(dict, "alike", hit.alike);
        pithi_put_wide(dict, "lanes", hit.asked);
    }
    pithi_put_wide(dict, "depth", hit.depth);
    pithi_put_wide(dict, "ended", hit.ended);
    pithi_plot_bar(row_height, object->rows[row].band ? 0 : hit.level, &top, &height);
    pithi_put(dict, "top", Tcl_NewDoubleObj(top));
    pithi_put(dict, "height", Tcl_NewDoubleObj(height));
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

int pithi_log_event_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_hit hit;
    int64_t time, reach;
    uint32_t row;
    Tcl_Obj *dict;
    int found;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &row) != TCL_OK || pithi_get_time(interp, objv[3], &time) != TCL_OK ||
        pithi_get_time(interp, objv[4], &reach) != TCL_OK)
        return TCL_ERROR;
    if (object->rows[row].kind != PITHI_ROW_STATES)
        return TCL_OK;
    found = pithi_hit_row_event(object->log, &object->rows[row], time, reach, object->hidden, &hit);
    if (found < 0)
        return pithi_log_error(interp);
    if (!found)
        return TCL_OK;
    dict = pithi_hit_dict(object->log, &hit);
    pithi_put_wide(dict, "count", (int64_t)hit.count);
    pithi_put_text(dict, "payload", hit.payload);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

int pithi_log_arrow_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_arrow *arrow;
    Tcl_Obj *dict, *line;
    double x, y, ends[4];

    (void)objc;
    if (Tcl_GetDoubleFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &y) != TCL_OK)
        return TCL_ERROR;
    arrow = pithi_hit_arrow(&object->plot, x, y, 3);
    if (!arrow)
        return TCL_OK;
    dict = pithi_message_dict(object->log, arrow->message);
    line = Tcl_NewListObj(0, NULL);
    pithi_plot_arrow_ends(&object->plot, arrow, ends);
    for (int i = 0; i < 4; i++)
        Tcl_ListObjAppendElement(NULL, line, Tcl_NewDoubleObj(ends[i]));
    pithi_put(dict, "line", line);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}
