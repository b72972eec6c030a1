/* log_iterations.c - the iterations of an analyzed log: their marks on a time axis, and pictures that show them one
 * below the other.
 *
 * If iterations are too narrow to be hit with the pointer, a mark stands for several of them: if 400 iterations share
 * 800 pixels, each has 2 pixels, so a mark of 6 pixels stands for three iterations. A mark is slow if one of its
 * iterations is slow.
 *
 * A stack draws each iteration as a band. All bands begin at the same x and have the same scale, so that the same work
 * of successive iterations lies one below the other. Each band is a plot of the same rows in the interval of its
 * iteration. */
#include <math.h>
#include <stdlib.h>

#include "core/scene/axis.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "core/scene/figure.h"
#include "tk/log_object.h"

/* Returns the number of iterations, which is 0 if the log is not analyzed. */
static uint32_t count_of(const struct pithi_log_object *object)
{
    return object->iterations ? (uint32_t)object->iterations->count : 0;
}

/* `iterations` returns the number of iterations and their lengths. */
int pithi_log_iterations(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tcl_Obj *dict = Tcl_NewDictObj();

    (void)objc, (void)objv;
    pithi_put_wide(dict, "count", count_of(object));
    if (count_of(object)) {
        const struct pithlog_iterations *all = object->iterations;
        Tcl_Obj *indices = Tcl_NewListObj(0, NULL), *slow = Tcl_NewListObj(0, NULL);
        char name[128];
        for (uint32_t i = 0; i < count_of(object); i++)
            Tcl_ListObjAppendElement(NULL, indices, Tcl_NewWideIntObj(i));
        for (size_t i = 0; i < all->slow_count; i++) /* slowest first */
            Tcl_ListObjAppendElement(NULL, slow, Tcl_NewWideIntObj(all->slow[i].index));
        pithi_put_text(dict, "state", pithi_def_label(object->log, all->state, name, sizeof name));
        pithi_put_wide(dict, "median", all->median_ns);
        pithi_put_wide(dict, "longest", all->max_ns);
        pithi_put(dict, "all", indices);
        pithi_put(dict, "slow", slow);
    }
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* `iteration` describes the iteration with an index. The result is "" if there is no such iteration. */
int pithi_log_iteration(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char label[64], reason[256];
    Tcl_Obj *dict;
    int index;

    (void)objc;
    if (Tcl_GetIntFromObj(interp, objv[2], &index) != TCL_OK)
        return TCL_ERROR;
    if (index < 0 || (uint32_t)index >= count_of(object))
        return TCL_OK;
    pithi_iteration_label(object->iterations, (uint32_t)index, label, sizeof label);
    pithi_iteration_reason(object->log, object->iterations, (uint32_t)index, reason, sizeof reason);
    dict = Tcl_NewDictObj();
    pithi_put_wide(dict, "start", object->iterations->all[index].from_ns);
    pithi_put_wide(dict, "end", object->iterations->all[index].to_ns);
    pithi_put_text(dict, "label", label);
    pithi_put_text(dict, "reason", reason);
    pithi_put_wide(dict, "slow", pithi_iteration_is_slow(object->iterations, (uint32_t)index));
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Marks ------------------------------------------------------------------------------------------------------- */

/* Iterations that are narrower than this share a mark. */
enum { LEAST_MARK = 6 }; /* pixels */

struct mark {
    uint32_t first, last; /* indices of its iterations */
    double x0, x1;        /* pixels */
    int is_slow;          /* 1: one of its iterations is slow */
};

static void put_mark(Tcl_Obj *list, const struct mark *mark)
{
    Tcl_Obj *words[] = {Tcl_NewWideIntObj(mark->first), Tcl_NewWideIntObj(mark->last), Tcl_NewDoubleObj(mark->x0),
                        Tcl_NewDoubleObj(mark->x1), Tcl_NewIntObj(mark->is_slow)};
    Tcl_ListObjAppendElement(NULL, list, Tcl_NewListObj(5, words));
}

/* `iterationmarks` returns {first last x0 x1 slow} for each mark of the axis above the rows. */
int pithi_log_iteration_marks(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    uint32_t count = count_of(object);
    unsigned char *slow = pithi_alloc(count, 1); /* [count] 1: the iteration is slow */
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    struct mark mark;
    int64_t t0, t1;
    double width;
    int is_open = 0;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &t0, &t1) != TCL_OK ||
        Tcl_GetDoubleFromObj(interp, objv[4], &width) != TCL_OK) {
        free(slow);
        return TCL_ERROR;
    }
    double scale = width / ((double)t1 - (double)t0); /* pixels per ns */
    for (size_t i = 0; count && i < object->iterations->slow_count; i++)
        slow[object->iterations->slow[i].index] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_iteration *iteration = &object->iterations->all[i];
        double x = ((double)iteration->from_ns - (double)t0) * scale;
        if (iteration->to_ns <= t0 || iteration->from_ns >= t1)
            continue;
        /* If the mark so far is wide enough, it ends here, and this iteration begins a new mark. */
        if (is_open && mark.x1 - mark.x0 >= LEAST_MARK) {
            put_mark(list, &mark);
            is_open = 0;
        }
        if (!is_open)
            mark = (struct mark){.first = i, .x0 = x};
        is_open = 1;
        mark.last = i;
        mark.x1 = ((double)iteration->to_ns - (double)t0) * scale;
        mark.is_slow |= slow[i];
    }
    if (is_open)
        put_mark(list, &mark);
    free(slow);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

enum { TICK_SPACING = 90 }; /* pixels; stack.tcl uses the same value for its axis */

/* Makes the plot of which each band is a copy with an interval of its own. It has the visible rows; if they would be
 * lower than a pixel, several rows are joined. */
static struct pithi_plot make_like(const struct pithi_log_object *object, int width, int height,
                                   struct pithi_groups *groups)
{
    struct pithi_plot like = {.log = object->log,
                              .rgb = object->rgb,
                              .hidden = object->hidden,
                              .flames = object->flames,
                              .core_waits = pithi_log_core_waits_shown(object),
                              .interruptions = &object->interruptions,
                              .summary = object->summary,
                              /* draws from the summary, which is exact enough for the few pixels of a band */
                              .care = PITHI_NEAR,
                              .analysis = object->analysis,
                              .waits = object->shows_waits,
                              .path = object->shows_path,
                              .rows = object->rows,
                              .row_count = object->row_count,
                              .width = (uint32_t)width,
                              .row_height = (double)height / (object->row_count ? object->row_count : 1)};
    uint32_t per = pithi_groups_per(like.row_height); /* rows that get less than a pixel are joined */

    if (per > 1) {
        pithi_groups_make(like.rows, like.row_count, per, groups);
        like.rows = groups->rows;
        like.row_count = groups->count;
        like.row_height = (double)height / (groups->count ? groups->count : 1);
    }
    return like;
}

/* `iterationsdraw` draws the chosen iterations one below the other into a photo. */
int pithi_log_iterations_draw(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_iteration_stack stack = {.all = object->iterations};
    struct pithi_groups groups = {0};
    struct pithi_plot like;
    struct pithi_raster raster = {0};
    Tcl_Obj **words;
    Tcl_Size count;
    int width, height, gap, index, err, status = TCL_OK;

    (void)objc;
    if (Tcl_ListObjGetElements(interp, objv[3], &count, &words) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[4], &width) != TCL_OK || Tcl_GetIntFromObj(interp, objv[5], &height) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[6], &gap) != TCL_OK)
        return TCL_ERROR;
    if (width < 1 || width > PITHI_MAX_WIDTH || height < 1 || gap < 0 || count < 1 ||
        count > PITHI_MAX_WIDTH / (height + gap)) /* PITHI_MAX_WIDTH limits the height of a photo, too */
        return pithi_usage_error(interp, "picture too small or too large");
    stack.chosen = pithi_alloc((size_t)count, sizeof *stack.chosen);
    for (Tcl_Size i = 0; i < count; i++)
        if (Tcl_GetIntFromObj(interp, words[i], &index) == TCL_OK && index >= 0 && (uint32_t)index < count_of(object))
            stack.chosen[stack.count++] = (uint32_t)index;
    stack.pitch = height + gap; /* pixels from one band to the next */
    /* The width of the picture stands for the longest iteration of the log, even if it is not among the chosen ones, so
     * that the scale does not depend on the choice. */
    stack.longest_ns = stack.count ? object->iterations->max_ns : 1;
    like = make_like(object, width, height, &groups);
    err = pithi_iteration_stack_load(&stack, &like);
    if (err && err != PITH_ERR_DAMAGED)
        status = pithi_log_error(interp);
    else {
        struct pithi_painter painter = pithi_raster_painter(&raster);
        struct pithi_axis axis;
        pithi_raster_prepare(&raster, width, count * (height + gap), PITHI_RGB_PAPER);
        pithi_axis_make(0, stack.longest_ns, 0, width, TICK_SPACING * pithi_theme_scale(), &axis);
        for (uint32_t i = 0; i < axis.count; i++) /* lines at the ticks, through all bands */
            painter.rect(painter.context, floor(axis.ticks[i].x), 0, 1, count * (height + gap), PITHI_RGB_GRID, 1);
        pithi_iteration_stack_draw(&stack, &painter);
        status = pithi_put_photo(interp, Tcl_GetString(objv[2]), &raster);
        pithi_raster_free(&raster);
    }
    pithi_iteration_stack_free(&stack);
    pithi_groups_free(&groups);
    return status;
}
