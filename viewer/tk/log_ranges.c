/* log_ranges.c - counts and draws the mountain ranges and the derived rows of a log.
 *
 * The picture of mountain ranges shows for each time how many lanes are in which state (core/measure/ranges.h). Rough
 * counts are made from the summary, in steps of 12 ms; exact counts are made from all records, by a job. When the job
 * ends, the window may already show another part of the log. So `loaded` counts the calls of rangesload. The job stores
 * this number at its start, and its result is used only if the number is still the same. */
#include "tk/log_object.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/measure/derived.h"
#include "core/measure/matrix.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/cells/query.h"
#include "core/measure/ranges.h"
#include "core/raster/raster.h"
#include "core/rows/rows.h"
#include "tk/background.h"

/* Pixels between the ticks of the time axis (the same as in log_draw.c), and between the marks of the scale. */
enum { TICK_SPACING = 90, SCALE_SPACING = 22 };

/* If there are at most this many records, all of them are read at once, and no rough picture is made. */
enum { FEW_RECORDS = 50000 };

/* A rough picture is made in steps of this time, so that the window stays responsive. */
#define QUICK_S 0.012

/* The mountain ranges of a log. */
struct pithi_log_ranges {
    struct pithi_ranges *ranges; /* the counts; NULL: nothing is loaded yet */
    struct pithi_ranges_query query;
    uint32_t *lanes;
    unsigned char *hidden;
    unsigned loaded; /* number of calls of rangesload; with it a job checks whether its result is still current */
    struct pithi_layers_look look;
    uint32_t *order;
    unsigned char *chosen;
    struct pithi_raster raster;
};

static struct pithi_log_ranges *view_of(struct pithi_log_object *object)
{
    if (!object->ranges)
        object->ranges = pithi_alloc(1, sizeof *object->ranges);
    return object->ranges;
}

void pithi_log_ranges_free(struct pithi_log_object *object)
{
    struct pithi_log_ranges *view = object->ranges;

    if (!view)
        return;
    pithi_ranges_free(view->ranges);
    pithi_raster_free(&view->raster);
    free(view->lanes);
    free(view->hidden);
    free(view->order);
    free(view->chosen);
    free(view);
    object->ranges = NULL;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

/* Damage of the log is no error here: the readable part is counted, and the picture of the log reports the damage. */
int pithi_log_ranges_load(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_log_ranges *view = view_of(object);
    Tcl_Obj *result;
    int rough, more = 0;

    (void)objc;
    Tcl_Obj *const *words = objv + 2;
    static const char *const depths[] = {"innermost", "outermost", NULL};
    int width, depth;
    if (pithi_get_window(interp, words, &view->query.t0_ns, &view->query.t1_ns) != TCL_OK ||
        Tcl_GetIntFromObj(interp, words[2], &width) != TCL_OK ||
        Tcl_GetIndexFromObj(interp, words[3], depths, "depth", 0, &depth) != TCL_OK)
        return TCL_ERROR;
    if (width < 1 || width > PITHI_MAX_WIDTH)
        return pithi_usage_error(interp, "picture too narrow or too wide");
    view->query.width = (uint32_t)width;
    view->query.depth = (enum pithi_ranges_depth)depth;
    /* Collects the lanes of all rows, each lane once. A rank may be in several communicators and therefore in several
     * rows. */
    uint32_t all = pithlog_get_info(object->log)->lanes, capacity = 0, count = 0;
    unsigned char *taken = pithi_alloc(all, 1);
    free(view->lanes);
    view->lanes = NULL;
    for (uint32_t row = 0; row < object->row_count; row++) {
        uint32_t in_row;
        const uint32_t *lanes = pithi_row_lanes(&object->rows[row], &in_row);
        for (uint32_t i = 0; i < in_row; i++) {
            if (!pithi_row_has_cells(&object->rows[row]) || taken[lanes[i]]++)
                continue;
            view->lanes = pithi_view_grow(view->lanes, &capacity, count + 1, sizeof *view->lanes);
            view->lanes[count++] = lanes[i];
        }
    }
    free(taken);
    view->query.lanes = view->lanes;
    view->query.lane_count = count;
    /* Copies the flags of hidden states, so that a later job counts the same states as this load, even if the user
     * hides other states meanwhile. */
    uint32_t defs = pithlog_get_info(object->log)->defs;
    free(view->hidden);
    view->hidden = pithi_alloc(defs, 1);
    memcpy(view->hidden, object->hidden, defs);
    view->query.hidden = view->hidden;
    pithi_ranges_free(view->ranges);
    /* From here on, the result of a job that is still running is dropped, because it belongs to the previous load. */
    view->loaded++;
    view->ranges = pithi_ranges_new(object->log, &view->query);
    /* If there is no summary, or there are few records, all records are read at once. */
    rough = object->summary && pithi_ranges_records(view->ranges) > FEW_RECORDS;
    if (rough)
        more = pithi_ranges_quick(view->ranges, object->summary, QUICK_S);
    else
        pithi_ranges_load(view->ranges, NULL);
    result = Tcl_NewDictObj();
    pithi_put_wide(result, "lanes", view->query.lane_count);
    pithi_put_wide(result, "rough", rough);
    pithi_put_wide(result, "more", more);
    Tcl_SetObjResult(interp, result);
    return TCL_OK;
}

/* Improves the rough counts for another 12 ms. Sets the result to 1 if they can be improved further. Scripts call this
 * when Tcl is idle. */
int pithi_log_ranges_more(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_log_ranges *view = view_of(object);

    (void)objc, (void)objv;
    Tcl_SetObjResult(interp, Tcl_NewIntObj(view->ranges && object->summary &&
                                           pithi_ranges_quick(view->ranges, object->summary, QUICK_S)));
    return TCL_OK;
}

/* ---- The job ----------------------------------------------------------------------------------------------------- */

struct ranges_job {
    struct pithi_job job;
    struct pithi_ranges *ranges;
    unsigned loaded;
};

static int run_job(struct pithi_job *any)
{
    struct ranges_job *job = (struct ranges_job *)any;
    struct pithi_watch watch = pithi_job_watch(any);
    int err = pithi_ranges_load(job->ranges, &watch);

    return err == PITH_ERR_DAMAGED ? PITH_OK : err;
}

/* Swaps the rough counts and the job's exact counts; the rough counts are then freed with the job. This runs in Tcl's
 * thread, between two drawings, so counts do not change while they are drawn. */
static Tcl_Obj *job_result(struct pithi_job *any)
{
    struct ranges_job *job = (struct ranges_job *)any;
    struct pithi_log_ranges *view = view_of(any->object);
    int wanted = job->loaded == view->loaded;

    if (wanted) {
        struct pithi_ranges *rough = view->ranges;
        view->ranges = job->ranges;
        job->ranges = rough;
    }
    return Tcl_NewIntObj(wanted);
}

static void release_job(struct pithi_job *any)
{
    struct ranges_job *job = (struct ranges_job *)any;

    pithi_ranges_free(job->ranges);
    free(job);
}

int pithi_log_ranges_exact(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run_job, job_result, release_job};
    struct pithi_log_ranges *view = view_of(object);
    struct ranges_job *job;

    (void)objc;
    if (!view->ranges)
        return pithi_usage_error(interp, "nothing is loaded");
    job = pithi_alloc(1, sizeof *job);
    /* The job has a struct pithi_ranges of its own, with a copy of the query, because the window draws the rough counts
     * while the job runs. */
    job->ranges = pithi_ranges_new(object->log, &view->query);
    job->loaded = view->loaded;
    return pithi_job_start(interp, object, &job->job, &kind, objv[2]);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Reads a list of states. Sets listed[id] for each state, and stores the ids in `ids`, in the order of the list. */
static int get_states(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *list, uint32_t *ids,
                      uint32_t *count, unsigned char *listed)
{
    uint32_t defs = pithlog_get_info(object->log)->defs;
    Tcl_Obj **items;
    Tcl_Size length;
    int id;

    *count = 0;
    memset(listed, 0, defs);
    if (Tcl_ListObjGetElements(interp, list, &length, &items) != TCL_OK)
        return TCL_ERROR;
    for (Tcl_Size i = 0; i < length; i++) {
        if (Tcl_GetIntFromObj(interp, items[i], &id) != TCL_OK)
            return TCL_ERROR;
        /* Skips repeated ids, and ids that the log does not have, which a script may have from another log. */
        if (id < 0 || (uint32_t)id >= defs || listed[id])
            continue;
        listed[id] = 1;
        ids[(*count)++] = (uint32_t)id;
    }
    return TCL_OK;
}

static int get_look(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const words[],
                    struct pithi_log_ranges *view)
{
    uint32_t defs = pithlog_get_info(object->log)->defs, chosen_count;
    unsigned char *listed = pithi_alloc(defs, 1);
    uint32_t *ids = pithi_alloc(defs, sizeof *ids);
    int status, height = 0;

    if (!view->order) {
        view->order = pithi_alloc(defs, sizeof *view->order);
        view->chosen = pithi_alloc(defs, 1);
    }
    /* Points to the colours of the log object, so that the next picture shows a colour that was changed there. */
    view->look = (struct pithi_layers_look){.rgb = object->rgb, .order = view->order};
    status = Tcl_GetIntFromObj(interp, words[0], &height);
    if (status == TCL_OK)
        status = Tcl_GetBooleanFromObj(interp, words[1], &view->look.smooth);
    if (status == TCL_OK)
        status = get_states(object, interp, words[2], view->order, &view->look.order_count, listed);
    if (status == TCL_OK)
        status = get_states(object, interp, words[3], ids, &chosen_count, view->chosen);
    if (status == TCL_OK && (height < 1 || height > PITHI_MAX_WIDTH))
        status = pithi_usage_error(interp, "picture too low or too high");
    view->look.height = height;
    /* If the list of chosen states is empty, all states are drawn. */
    view->look.chosen = status == TCL_OK && chosen_count ? view->chosen : NULL;
    free(listed);
    free(ids);
    return status;
}

int pithi_log_ranges_draw(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_log_ranges *view = view_of(object);
    uint32_t step;

    (void)objc;
    if (!view->ranges)
        return pithi_usage_error(interp, "nothing is loaded");
    if (get_look(object, interp, objv + 3, view) != TCL_OK)
        return TCL_ERROR;
    struct pithi_painter painter = pithi_raster_painter(&view->raster);
    struct pithi_axis axis;
    /* Draws the lines of the time axis, then the lines of the scale, then the areas over both. */
    pithi_raster_prepare(&view->raster, (int)view->query.width, (int)view->look.height, PITHI_RGB_PAPER);
    pithi_axis_make(view->query.t0_ns, view->query.t1_ns, object->clock_ns, view->query.width,
                    TICK_SPACING * pithi_theme_scale(), &axis);
    for (uint32_t i = 0; i < axis.count; i++)
        painter.rect(painter.context, floor(axis.ticks[i].x), 0, 1, view->look.height, PITHI_RGB_GRID, 1);
    pithi_layers_draw_grid(view->ranges, &view->look, SCALE_SPACING, &painter);
    pithi_layers_draw(view->ranges, &view->look, &painter);
    if (pithi_put_photo(interp, Tcl_GetString(objv[2]), &view->raster) != TCL_OK)
        return TCL_ERROR;
    step = pithi_layers_step(view->query.lane_count, view->look.height, SCALE_SPACING);
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(step));
    return TCL_OK;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

int pithi_log_ranges_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_log_ranges *view = view_of(object);
    Tcl_Obj *dict = Tcl_NewDictObj(), *values = Tcl_NewListObj(0, NULL);
    const uint32_t *states;
    uint32_t count, state;
    int x, y;

    (void)objc;
    if (Tcl_GetIntFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetIntFromObj(interp, objv[3], &y) != TCL_OK)
        return TCL_ERROR;
    /* A place outside of the picture gives an empty result and no error, because the pointer may have left the
     * picture. */
    if (!view->ranges || x < 0 || (uint32_t)x >= view->query.width)
        return TCL_OK;
    count = pithi_ranges_states(view->ranges, &states);
    for (uint32_t i = 0; i < count; i++) {
        double value = pithi_ranges_value(view->ranges, states[i], (uint32_t)x);
        if (value <= 0)
            continue;
        Tcl_ListObjAppendElement(NULL, values, Tcl_NewWideIntObj(states[i]));
        Tcl_ListObjAppendElement(NULL, values, Tcl_NewDoubleObj(value));
    }
    state = pithi_layers_at(view->ranges, &view->look, (uint32_t)x, y);
    pithi_put_wide(dict, "state", state == PITHI_NONE ? -1 : (int64_t)state);
    pithi_put_wide(dict, "lanes", view->query.lane_count);
    pithi_put(dict, "values", values);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

int pithi_log_ranges_times(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_log_ranges *view = view_of(object);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    const uint32_t *states;
    uint32_t count = view->ranges ? pithi_ranges_states(view->ranges, &states) : 0;

    (void)objc, (void)objv;
    for (uint32_t i = 0; i < count; i++) {
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(states[i]));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(pithi_ranges_time(view->ranges, states[i])));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* ---- Derived rows ------------------------------------------------------------------------------------------------ */

/* A job computes the derived rows. Its result is a command, which draws them and returns their values. */

/* ---- The result as a command ------------------------------------------------------------------------------------- */

/* Returns the value of a column, or an empty word if the column has no value (NaN). */
static Tcl_Obj *value_object(double value) { return isnan(value) ? Tcl_NewObj() : Tcl_NewDoubleObj(value); }

static int get_line(const struct pithi_derived *derived, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *line)
{
    int number;

    if (Tcl_GetIntFromObj(interp, word, &number) != TCL_OK)
        return TCL_ERROR;
    /* -1 stands for the line of all rows together, which comes after the other lines. */
    *line = number < 0 ? derived->lines : (uint32_t)number;
    if (*line <= derived->lines)
        return TCL_OK;
    Tcl_SetObjResult(interp, Tcl_NewStringObj("no such line", -1));
    return TCL_ERROR;
}

static int draw(const struct pithi_derived *derived, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    int height, status;

    if (Tcl_GetIntFromObj(interp, objv[3], &height) != TCL_OK)
        return TCL_ERROR;
    height = height < 1 ? 1 : height;
    pithi_raster_prepare(&raster, (int)derived->width, height, pithi_theme()->paper);
    pithi_derived_draw(derived, (uint32_t)height, &painter);
    status = pithi_put_photo(interp, Tcl_GetString(objv[2]), &raster);
    pithi_raster_free(&raster);
    return status;
}

static int derived_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_method methods[] = {{"at", 2, "line x"}, {"draw", 2, "photo height"}, {"info", 0, NULL},
                                                  {"line", 1, "line"}, {"row", 1, "line"},          {NULL, 0, NULL}};
    const struct pithi_derived *derived = data;
    uint32_t line = 0;
    int which, x;

    if (pithi_find_method(interp, objc, objv, 1, methods, sizeof *methods, &which) != TCL_OK)
        return TCL_ERROR;
    if (which == 1)
        return draw(derived, interp, objv);
    if (which != 2 && get_line(derived, interp, objv[2], &line) != TCL_OK)
        return TCL_ERROR;
    if (which == 0) {
        if (Tcl_GetIntFromObj(interp, objv[3], &x) != TCL_OK)
            return TCL_ERROR;
        if (x >= 0 && (uint32_t)x < derived->width)
            Tcl_SetObjResult(interp, value_object(pithi_derived_at(derived, line, (uint32_t)x)));
    } else if (which == 2) {
        Tcl_Obj *dict = Tcl_NewDictObj();
        pithi_put_wide(dict, "lines", derived->lines);
        pithi_put_wide(dict, "rows", derived->rows);
        pithi_put(dict, "low", Tcl_NewDoubleObj(derived->low));
        pithi_put(dict, "high", Tcl_NewDoubleObj(derived->high));
        Tcl_SetObjResult(interp, dict);
    } else if (which == 3) {
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        for (uint32_t c = 0; c < derived->width; c++)
            Tcl_ListObjAppendElement(NULL, list, value_object(pithi_derived_at(derived, line, c)));
        Tcl_SetObjResult(interp, list);
    } else if (line < derived->lines) {
        /* A line may show several rows. Returns the first and the last of these rows. */
        uint32_t first = pithi_tile_begin(line, derived->lines, derived->rows);
        uint32_t end = pithi_tile_begin(line + 1, derived->lines, derived->rows);
        Tcl_SetObjResult(interp,
                         pithi_wide_list((const int64_t[]){derived->row_of[first], derived->row_of[end - 1]}, 2));
    }
    return TCL_OK;
}

static void derived_free(ClientData data)
{
    pithi_derived_free(data);
    free(data);
}

/* ---- The job ----------------------------------------------------------------------------------------------------- */

struct derived_job {
    struct pithi_job job;
    Tcl_Interp *interp;
    struct pithlog *log;
    struct pithi_derived_query query;
    struct pithi_formula formula;
    struct pithi_row *rows;
    uint32_t *lanes;
    struct pithi_derived derived;
};

static int run(struct pithi_job *data)
{
    struct derived_job *job = (struct derived_job *)data;
    int err = pithi_derived_run(job->log, &job->query, &job->derived);

    return err == PITH_ERR_DAMAGED ? PITH_OK : err; /* the picture of the log reports the damage */
}

static Tcl_Obj *result(struct pithi_job *data)
{
    static unsigned number;
    struct derived_job *job = (struct derived_job *)data;
    struct pithi_derived *derived = pithi_alloc(1, sizeof *derived);
    char name[48];

    /* The command now owns the values, so `release` must not free them. */
    *derived = job->derived;
    memset(&job->derived, 0, sizeof job->derived);
    snprintf(name, sizeof name, "::pithtk::derived%u", ++number);
    Tcl_CreateObjCommand(job->interp, name, derived_command, derived, derived_free);
    return Tcl_NewStringObj(name, -1);
}

static void release(struct pithi_job *data)
{
    struct derived_job *job = (struct derived_job *)data;

    pithi_derived_free(&job->derived);
    pithi_formula_free(&job->formula);
    free(job->rows);
    free(job->lanes);
    free(job);
}

static int get_formula(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *text,
                       struct pithi_formula *formula)
{
    char error[PITHI_FORMULA_ERROR];

    if (pithi_formula_parse(object->log, Tcl_GetString(text), formula, error) == 0)
        return TCL_OK;
    pithi_formula_free(formula);
    Tcl_SetObjResult(interp, Tcl_ObjPrintf("formula: %s", error));
    Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
    return TCL_ERROR;
}

int pithi_log_derive_check(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_formula formula;

    (void)objc;
    if (get_formula(object, interp, objv[2], &formula) != TCL_OK)
        return TCL_ERROR;
    pithi_formula_free(&formula);
    return TCL_OK;
}

int pithi_log_derive(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run, result, release};
    struct pithi_derived_query query = {.digest = object->digest};
    struct pithi_formula formula;
    struct derived_job *job;
    int width, lines;

    (void)objc;
    if (pithi_get_window(interp, objv + 3, &query.t0_ns, &query.t1_ns) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[5], &width) != TCL_OK || Tcl_GetIntFromObj(interp, objv[6], &lines) != TCL_OK)
        return TCL_ERROR;
    if (get_formula(object, interp, objv[2], &formula) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    query.width = width < 1 ? 1 : width > PITHI_MAX_WIDTH ? PITHI_MAX_WIDTH : (uint32_t)width;
    query.most_lines = lines < 1 ? 1 : (uint32_t)lines;
    query.watch = pithi_job_watch(&job->job);
    query.rows = job->rows = pithi_rows_copy(object->rows, object->row_count, &job->lanes);
    query.row_count = object->row_count;
    query.formula = &job->formula;
    job->formula = formula;
    job->query = query;
    job->interp = interp;
    job->log = object->log;
    return pithi_job_start(interp, object, &job->job, &kind, objv[7]);
}
