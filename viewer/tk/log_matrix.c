/* log_matrix.c - sums of messages and wait states for each pair of ranks. A job collects the sums. Its result is a
 * command, which draws and lists them.
 *
 * The job's thread collects the messages of each pair. Wait states come from the analysis of the log, which only Tcl's
 * thread may use, so they are added when the job is done. The method `at` describes a tile of the picture that was
 * drawn last. The tiles of this picture are kept, because a tile may stand for many ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/words.h"
#include "core/measure/matrix.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "tk/background.h"
#include "tk/log_object.h"

/* The data of a matrix command. */
struct matrix_object {
    struct pithi_matrix matrix;
    struct pithlog *log;           /* the window deletes a matrix before it closes the log */
    struct pithi_matrix_view view; /* the part that the last picture shows */
    struct pithi_tiles tiles;      /* the tiles of this picture */
};

/* the names of enum pithi_matrix_value, in its order */
static const char *const values[] = {"count",       "bytes",         "time",    "bandwidth",
                                     "late_sender", "late_receiver", "waiting", NULL};

/* ---- Values as Tcl objects --------------------------------------------------------------------------------------- */

/* Puts whole numbers as integers, so that bytes and ns are printed without an exponent. */
static void put_number(Tcl_Obj *dict, const char *key, double value)
{
    if (value == (double)(int64_t)value)
        pithi_put_wide(dict, key, (int64_t)value);
    else
        pithi_put(dict, key, Tcl_NewDoubleObj(value));
}

static void put_sums(Tcl_Obj *dict, const struct pithi_pair *pair)
{
    for (int i = 0; values[i]; i++)
        put_number(dict, values[i], pithi_pair_value(pair, (enum pithi_matrix_value)i));
}

static void put_longest(Tcl_Obj *dict, const struct matrix_object *matrix, const struct pithi_pair *pair)
{
    Tcl_Obj *message = Tcl_NewDictObj();

    pithi_put_message(message, matrix->log, &pair->longest);
    pithi_put(dict, "longest", message);
}

/* Puts the ranks at the places `first` and end - 1 into the dict. */
static void put_ranks(Tcl_Obj *dict, const struct matrix_object *matrix, const char *first_key, const char *last_key,
                      uint32_t first, uint32_t end)
{
    pithi_put_wide(dict, first_key, matrix->matrix.ranks[first]);
    pithi_put_wide(dict, last_key, matrix->matrix.ranks[end - 1]);
}

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

/* Reads from the arguments which part of the matrix to draw: the places from0, from1, to0, to1, and the width and
 * height in pixels. */
static int get_view(struct matrix_object *matrix, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    struct pithi_matrix_view *view = &matrix->view;
    uint32_t *const fields[] = {&view->from0, &view->from1, &view->to0, &view->to1, &view->width, &view->height};
    int number;

    for (int i = 0; i < 6; i++) {
        if (Tcl_GetIntFromObj(interp, objv[i], &number) != TCL_OK)
            return TCL_ERROR;
        *fields[i] = number < 0 ? 0 : (uint32_t)number;
    }
    /* limits the picture to 8192 pixels in width and height, which is more than screens have */
    if (view->from0 >= view->from1 || view->from1 > matrix->matrix.rank_count || view->to0 >= view->to1 ||
        view->to1 > matrix->matrix.rank_count || !view->width || view->width > 8192 || !view->height ||
        view->height > 8192) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("no such part of the matrix", -1));
        return TCL_ERROR;
    }
    return TCL_OK;
}

/* `draw` draws a part of the matrix. It returns a dict: the numbers of columns and lines of tiles, and the lowest and
 * highest value of the colour scale. */
static int matrix_draw(struct matrix_object *matrix, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    Tcl_Obj *result;
    int value, status;

    if (Tcl_GetIndexFromObj(interp, objv[3], values, "value", 0, &value) != TCL_OK ||
        get_view(matrix, interp, objv + 5) != TCL_OK)
        return TCL_ERROR;
    matrix->view.value = (enum pithi_matrix_value)value;
    matrix->view.logarithmic = strcmp(Tcl_GetString(objv[4]), "log") == 0;
    pithi_matrix_tiles(&matrix->matrix, &matrix->view, &matrix->tiles);
    pithi_raster_prepare(&raster, (int)matrix->view.width, (int)matrix->view.height, pithi_theme()->paper);
    pithi_matrix_draw(&matrix->tiles, &matrix->view, &painter);
    status = pithi_put_photo(interp, Tcl_GetString(objv[2]), &raster);
    pithi_raster_free(&raster);
    if (status != TCL_OK)
        return TCL_ERROR;
    result = Tcl_NewDictObj();
    pithi_put_wide(result, "columns", matrix->tiles.columns);
    pithi_put_wide(result, "lines", matrix->tiles.lines);
    put_number(result, "low", matrix->tiles.low);
    put_number(result, "high", matrix->tiles.high);
    Tcl_SetObjResult(interp, result);
    return TCL_OK;
}

/* `scale` draws the colours from the smallest to the largest value, for the legend. */
static int matrix_scale(Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    int width, height, status;

    if (Tcl_GetIntFromObj(interp, objv[3], &width) != TCL_OK || Tcl_GetIntFromObj(interp, objv[4], &height) != TCL_OK)
        return TCL_ERROR;
    pithi_raster_prepare(&raster, width < 1 ? 1 : width, height < 1 ? 1 : height, pithi_theme()->paper);
    pithi_matrix_draw_scale(width, height, &painter);
    status = pithi_put_photo(interp, Tcl_GetString(objv[2]), &raster);
    pithi_raster_free(&raster);
    return status;
}

/* `at` describes the tile at a pixel. A pixel to the right of the picture means the total of a line, a pixel below the
 * picture the total of a column. */
static int matrix_at(struct matrix_object *matrix, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    const struct pithi_matrix_view *view = &matrix->view;
    const struct pithi_tiles *tiles = &matrix->tiles;
    const struct pithi_pair *tile;
    Tcl_Obj *dict;
    int x, y, line, column;

    if (Tcl_GetIntFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetIntFromObj(interp, objv[3], &y) != TCL_OK)
        return TCL_ERROR;
    /* a pixel that is both to the right of the picture and below it belongs to no total */
    if (!tiles->lines || x < 0 || y < 0 || ((uint32_t)x >= view->width && (uint32_t)y >= view->height))
        return TCL_OK;
    line = (uint32_t)y < view->height ? (int)pithi_tile_at((uint32_t)y, tiles->lines, view->height) : -1;
    column = (uint32_t)x < view->width ? (int)pithi_tile_at((uint32_t)x, tiles->columns, view->width) : -1;
    tile = line < 0     ? &tiles->by_column[column]
           : column < 0 ? &tiles->by_line[line]
                        : &tiles->tiles[(size_t)line * tiles->columns + (uint32_t)column];
    dict = Tcl_NewDictObj();
    pithi_put_wide(dict, "line", line);
    pithi_put_wide(dict, "column", column);
    if (line >= 0) /* `line` is -1 for a total below the picture; `column` is -1 for a total beside the picture */
        put_ranks(dict, matrix, "from", "from_last", tile->from,
                  (uint32_t)line + 1 < tiles->lines ? tiles->by_line[line + 1].from : view->from1);
    if (column >= 0)
        put_ranks(dict, matrix, "to", "to_last", tile->to,
                  (uint32_t)column + 1 < tiles->columns ? tiles->by_column[column + 1].to : view->to1);
    put_sums(dict, tile);
    if (tile->count)
        put_longest(dict, matrix, tile);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* For qsort: orders pairs by sender, then receiver, so that users find a rank in the list. (In struct pithi_matrix,
 * pairs have the order of their first messages.) */
static int by_place(const void *a, const void *b)
{
    const struct pithi_pair *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* The method `pairs` returns a list with a dict for each pair, sorted by sender, then receiver. */
static int matrix_pairs(struct matrix_object *matrix, Tcl_Interp *interp)
{
    uint32_t count = matrix->matrix.pair_count;
    struct pithi_pair *pairs = pithi_alloc(count, sizeof *pairs);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    if (count)
        memcpy(pairs, matrix->matrix.pairs, count * sizeof *pairs);
    qsort(pairs, count, sizeof *pairs, by_place);
    for (uint32_t i = 0; i < count; i++) {
        Tcl_Obj *dict = Tcl_NewDictObj();
        pithi_put_wide(dict, "from", matrix->matrix.ranks[pairs[i].from]);
        pithi_put_wide(dict, "to", matrix->matrix.ranks[pairs[i].to]);
        put_sums(dict, &pairs[i]);
        if (pairs[i].count)
            put_longest(dict, matrix, &pairs[i]);
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    free(pairs);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int matrix_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_method methods[] = {
        {"at", 2, "x y"},
        {"draw", 9, "photo value linear|log from0 from1 to0 to1 width height"},
        {"pairs", 0, NULL},
        {"ranks", 0, NULL},
        {"scale", 3, "photo width height"},
        {"sides", 0, NULL},
        {"states", 0, NULL},
        {"totals", 0, NULL},
        {NULL, 0, NULL}};
    enum { AT, DRAW, PAIRS, RANKS, SCALE, SIDES, STATES, TOTALS }; /* in the order of the methods */
    struct matrix_object *object = data;
    const struct pithi_matrix *matrix = &object->matrix;
    const struct pithi_tiles *tiles = &object->tiles;
    struct pithi_pair all = {0};
    Tcl_Obj *result, *lines, *columns;
    int which;

    if (pithi_find_method(interp, objc, objv, 1, methods, sizeof *methods, &which) != TCL_OK)
        return TCL_ERROR;
    if (which == AT)
        return matrix_at(object, interp, objv);
    if (which == DRAW)
        return matrix_draw(object, interp, objv);
    if (which == SCALE)
        return matrix_scale(interp, objv);
    if (which == PAIRS)
        return matrix_pairs(object, interp);
    result = Tcl_NewObj();
    switch (which) {
    case RANKS: /* returns the list of the ranks, in the order of their places */
        for (uint32_t i = 0; i < matrix->rank_count; i++)
            Tcl_ListObjAppendElement(NULL, result, Tcl_NewIntObj(matrix->ranks[i]));
        break;
    case SIDES: /* returns the totals of the lines and those of the columns, which Tcl draws beside the picture */
        lines = Tcl_NewListObj(0, NULL), columns = Tcl_NewListObj(0, NULL);
        for (uint32_t i = 0; i < tiles->lines; i++)
            Tcl_ListObjAppendElement(NULL, lines,
                                     Tcl_NewDoubleObj(pithi_pair_value(&tiles->by_line[i], object->view.value)));
        for (uint32_t i = 0; i < tiles->columns; i++)
            Tcl_ListObjAppendElement(NULL, columns,
                                     Tcl_NewDoubleObj(pithi_pair_value(&tiles->by_column[i], object->view.value)));
        Tcl_ListObjAppendElement(NULL, result, lines);
        Tcl_ListObjAppendElement(NULL, result, columns);
        break;
    case STATES: /* returns {id senderCount senderNs receiverCount receiverNs} of each state whose calls waited */
        for (uint32_t id = 0; id < matrix->defs; id++) {
            const struct pithi_late_state *late = &matrix->states[id];
            int64_t numbers[] = {id, (int64_t)late->sender_count, late->sender_ns, (int64_t)late->receiver_count,
                                 late->receiver_ns};
            if (late->sender_count || late->receiver_count)
                Tcl_ListObjAppendElement(NULL, result, pithi_wide_list(numbers, 5));
        }
        break;
    case TOTALS: /* returns a dict of all values for all messages together */
        for (uint32_t i = 0; i < matrix->pair_count; i++)
            pithi_pair_add(&all, &matrix->pairs[i]);
        put_sums(result, &all);
        break;
    }
    Tcl_SetObjResult(interp, result);
    return TCL_OK;
}

static void matrix_free(ClientData data)
{
    struct matrix_object *matrix = data;

    pithi_matrix_free(&matrix->matrix);
    pithi_tiles_free(&matrix->tiles);
    free(matrix);
}

/* ---- The job ----------------------------------------------------------------------------------------------------- */

/* `run` is called in the job's thread, `result` and `release` in Tcl's thread. */
struct matrix_job {
    struct pithi_job job;
    Tcl_Interp *interp;
    const struct pithi_log_object *object;
    struct pithlog *log;
    struct pithi_matrix_query query;
    struct pithi_matrix matrix;
};

/* Runs in the job's thread; only reads the log. */
static int run(struct pithi_job *data)
{
    struct matrix_job *job = (struct matrix_job *)data;
    int err = pithi_matrix_run(job->log, &job->query, &job->matrix);

    return err == PITH_ERR_DAMAGED ? PITH_OK : err; /* the picture of the log reports the damage */
}

/* Runs in Tcl's thread. Makes a command for the matrix; scripts delete this command to free the matrix. */
static Tcl_Obj *result(struct pithi_job *data)
{
    static unsigned number;
    struct matrix_job *job = (struct matrix_job *)data;
    struct matrix_object *matrix = pithi_alloc(1, sizeof *matrix);
    char name[48];

    const struct pithlog_analysis *analysis = job->object->analysis; /* only Tcl's thread may use the analysis */

    if (analysis && job->query.comm == UINT32_MAX)
        pithi_matrix_add_waits(&job->matrix, job->log, analysis, job->query.t0_ns, job->query.t1_ns);
    matrix->matrix = job->matrix;
    matrix->log = job->log;
    memset(&job->matrix, 0, sizeof job->matrix); /* the command owns the matrix now, so `release` must not free it */
    snprintf(name, sizeof name, "::pithtk::matrix%u", ++number);
    Tcl_CreateObjCommand(job->interp, name, matrix_command, matrix, matrix_free);
    return Tcl_NewStringObj(name, -1);
}

static void release(struct pithi_job *data)
{
    struct matrix_job *job = (struct matrix_job *)data;

    pithi_matrix_free(&job->matrix);
    free(job);
}

/* `matrix` starts the job. Its argument COMM is the index of a communicator or `all`. */
int pithi_log_matrix(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run, result, release};
    struct pithi_matrix_query query = {.comm = UINT32_MAX, .digest = object->digest};
    struct matrix_job *job;
    int comm = -1;

    (void)objc;
    if (pithi_get_window(interp, objv + 2, &query.t0_ns, &query.t1_ns) != TCL_OK ||
        (strcmp(Tcl_GetString(objv[4]), "all") != 0 && Tcl_GetIntFromObj(interp, objv[4], &comm) != TCL_OK) ||
        Tcl_GetBooleanFromObj(interp, objv[5], &query.late) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    query.comm = comm < 0 ? UINT32_MAX : (uint32_t)comm;
    query.watch = pithi_job_watch(&job->job);
    job->query = query;
    job->interp = interp;
    job->object = object;
    job->log = object->log;
    return pithi_job_start(interp, object, &job->job, &kind, objv[6]);
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

int pithi_log_comms(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    const struct pithlog_comm *comm;
    char name[256];

    (void)objc, (void)objv;
    for (uint32_t i = 0; (comm = pithlog_get_comm(object->log, i)); i++) {
        if (comm->name[0])
            pithi_clean(name, sizeof name, comm->name, 0);
        else
            snprintf(name, sizeof name, i ? "communicator %u" : "MPI_COMM_WORLD", i);
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(name, -1));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}
