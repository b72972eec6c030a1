/* log_derived.c - derived rows: a job computes them, and the resulting command draws them and gives their values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/derived.h"
#include "core/matrix.h"
#include "core/memory.h"
#include "core/palette.h"
#include "core/raster.h"
#include "core/rows.h"
#include "tk/background.h"
#include "tk/log_object.h"

/* ---- The result as a command ------------------------------------------------------------------------------------- */

static Tcl_Obj *value_object(double value) { return isnan(value) ? Tcl_NewObj() : Tcl_NewDoubleObj(value); }

static int get_line(const struct pithi_derived *derived, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *line)
{
    int number;

    if (Tcl_GetIntFromObj(interp, word, &number) != TCL_OK)
        return TCL_ERROR;
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

    return err == PITH_ERR_DAMAGED ? PITH_OK : err; /* the time lines report the damage */
}

static Tcl_Obj *result(struct pithi_job *data)
{
    static unsigned number;
    struct derived_job *job = (struct derived_job *)data;
    struct pithi_derived *derived = pithi_alloc(1, sizeof *derived);
    char name[48];

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
