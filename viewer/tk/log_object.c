/* log_object.c - the table of a log's methods, the methods that only read its description, and conversions between Tcl
 * and C.
 *
 * For each open log there is a Tcl command. The first word after the command names a method:
 *
 *     set log [pithtk open run.pith]         ::pithtk::log1
 *     $log info                              a dict: format native, ranks 4, t0 0, t1 1200000000 ...
 *     $log draw photo $t0 $t1 800 200 ...    a picture into a photo
 *     $log close
 *
 * Times are integers in ns, because Tcl's wide integers hold them exactly; a double would round times since 1970. Rows
 * are given by their index among the visible rows. A method that takes long is a job (background.c): it returns at once
 * and calls its callback with the result. All methods run in Tcl's thread. */
#include "tk/log_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/rows/words.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/raster/palette.h"
#include "tk/background.h"

/* ---- Between Tcl and C ------------------------------------------------------------------------------------------- */

/* Puts a key and its value into a dict. The dict must be new, because Tcl allows to change a dict in place only if
 * nothing else refers to it. */
void pithi_put(Tcl_Obj *dict, const char *key, Tcl_Obj *value)
{
    Tcl_DictObjPut(NULL, dict, Tcl_NewStringObj(key, -1), value);
}

void pithi_put_text(Tcl_Obj *dict, const char *key, const char *value)
{
    pithi_put(dict, key, Tcl_NewStringObj(value, -1));
}

/* Puts a name in a printable form. A name of a log may have control characters and bytes that are not UTF-8, which a
 * label cannot show. */
void pithi_put_name(Tcl_Obj *dict, const char *key, const char *name)
{
    char text[1024];
    pithi_put_text(dict, key, pithi_clean(text, sizeof text, name, 0));
}

void pithi_put_wide(Tcl_Obj *dict, const char *key, int64_t value)
{
    pithi_put(dict, key, Tcl_NewWideIntObj((Tcl_WideInt)value));
}

Tcl_Obj *pithi_wide_list(const int64_t *values, int count)
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    for (int i = 0; i < count; i++)
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj((Tcl_WideInt)values[i]));
    return list;
}

/* Puts the keys that all dicts of messages have: ranks and threads of both ends, their times, tag, bytes. */
void pithi_put_message(Tcl_Obj *dict, const struct pithlog *log, const struct pithlog_message *message)
{
    const struct pithlog_lane *from = pithlog_get_lane(log, message->send_lane);
    const struct pithlog_lane *to = pithlog_get_lane(log, message->recv_lane);

    pithi_put_wide(dict, "from", from->rank);
    pithi_put_wide(dict, "from_thread", from->thread);
    pithi_put_wide(dict, "to", to->rank);
    pithi_put_wide(dict, "to_thread", to->thread);
    pithi_put_wide(dict, "start", message->send_ns);
    pithi_put_wide(dict, "end", message->recv_ns);
    pithi_put_wide(dict, "tag", message->tag);
    pithi_put_wide(dict, "bytes", (int64_t)message->bytes);
}

/* Sets an error with the error code {PITH kind}, by which scripts distinguish a bad log from a wrong call. */
static int fail(Tcl_Interp *interp, const char *kind, const char *text)
{
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    Tcl_SetErrorCode(interp, "PITH", kind, (char *)NULL);
    return TCL_ERROR;
}

int pithi_log_error(Tcl_Interp *interp) { return fail(interp, "LOG", pithlog_error()); }
int pithi_usage_error(Tcl_Interp *interp, const char *text) { return fail(interp, "USAGE", text); }

/* Finds a method in a table whose rows begin with struct pithi_method, and checks the number of arguments, so that the
 * methods need not check it. Used for the methods of a log, the words after `LOG rows`, and other commands. */
int pithi_find_method(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[], int at, const void *table, size_t row_size,
                      int *which)
{
    const struct pithi_method *method;

    if (objc <= at) {
        Tcl_WrongNumArgs(interp, at, objv, at == 1 ? "method ?arg ...?" : "word ?arg ...?");
        return TCL_ERROR;
    }
    if (Tcl_GetIndexFromObjStruct(interp, objv[at], table, (int)row_size, at == 1 ? "method" : "word", 0, which) !=
        TCL_OK)
        return TCL_ERROR;
    method = (const void *)((const char *)table + (size_t)*which * row_size);
    if (method->words == PITHI_ANY || objc == method->words + at + 1) /* PITHI_ANY: the method checks its arguments
                                                                       * itself */
        return TCL_OK;
    Tcl_WrongNumArgs(interp, at + 1, objv, method->usage);
    return TCL_ERROR;
}

int pithi_get_time(Tcl_Interp *interp, Tcl_Obj *word, int64_t *time_ns)
{
    Tcl_WideInt value;

    if (Tcl_GetWideIntFromObj(interp, word, &value) != TCL_OK)
        return TCL_ERROR;
    *time_ns = value;
    return TCL_OK;
}

int pithi_get_times(Tcl_Interp *interp, Tcl_Obj *const words[2], int64_t *first_ns, int64_t *second_ns)
{
    return pithi_get_time(interp, words[0], first_ns) == TCL_OK ? pithi_get_time(interp, words[1], second_ns)
                                                                : TCL_ERROR;
}

int pithi_get_window(Tcl_Interp *interp, Tcl_Obj *const words[2], int64_t *t0_ns, int64_t *t1_ns)
{
    if (pithi_get_times(interp, words, t0_ns, t1_ns) != TCL_OK)
        return TCL_ERROR;
    return *t0_ns < *t1_ns ? TCL_OK : pithi_usage_error(interp, "the window must end after it begins");
}

/* Sets flags[id] for each id of the list. Skips ids that the log does not have, because they may come from a legend
 * that is older than the log. */
int pithi_get_ids(Tcl_Interp *interp, Tcl_Obj *ids, unsigned char *flags, uint32_t defs)
{
    Tcl_Obj **items;
    Tcl_Size count;
    int id;

    if (Tcl_ListObjGetElements(interp, ids, &count, &items) != TCL_OK)
        return TCL_ERROR;
    for (Tcl_Size i = 0; i < count; i++) {
        if (Tcl_GetIntFromObj(interp, items[i], &id) != TCL_OK)
            return TCL_ERROR;
        if (id >= 0 && (uint32_t)id < defs)
            flags[id] = 1;
    }
    return TCL_OK;
}

/* Reads the index of a visible row. An index that is too large is an error, which may happen: a script may have got the
 * index before the rows changed. */
int pithi_get_row(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *row)
{
    int value;

    if (Tcl_GetIntFromObj(interp, word, &value) != TCL_OK)
        return TCL_ERROR;
    if (value < 0 || (uint32_t)value >= object->row_count)
        return pithi_usage_error(interp, "no such row");
    *row = (uint32_t)value;
    return TCL_OK;
}

/* Copies a picture into a Tk photo. A pixel has three bytes and no alpha. */
int pithi_put_photo(Tcl_Interp *interp, const char *name, const struct pithi_raster *raster)
{
    Tk_PhotoHandle photo = Tk_FindPhoto(interp, name);
    Tk_PhotoImageBlock block = {.pixelPtr = raster->pixels,
                                .width = raster->width,
                                .height = raster->height,
                                .pitch = raster->width * 3,
                                .pixelSize = 3,
                                .offset = {0, 1, 2, 3}}; /* red, green, blue; no alpha */

    if (!photo) {
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("no such photo: %s", name));
        return TCL_ERROR;
    }
    if (Tk_PhotoSetSize(interp, photo, raster->width, raster->height) != TCL_OK)
        return TCL_ERROR;
    return Tk_PhotoPutBlock(interp, photo, &block, 0, 0, raster->width, raster->height, TK_PHOTO_COMPOSITE_SET);
}

/* ---- Description of the log -------------------------------------------------------------------------------------- */

/* The method `info` returns a dict that describes the log. */
static int log_info(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithlog_info *info = pithlog_get_info(object->log);
    Tcl_Obj *dict = Tcl_NewDictObj();
    int64_t t0, t1;

    (void)objc, (void)objv;
    pithi_whole_window(object->log, &t0, &t1); /* unlike info->start_ns and end_ns, this interval has a length even if
                                                * all records have the same time */
    pithi_put_text(dict, "path", object->path);
    pithi_put_text(dict, "format", info->format);
    pithi_put_wide(dict, "complete", info->complete);
    pithi_put_text(dict, "incomplete", info->incomplete ? info->incomplete : "");
    pithi_put_wide(dict, "ranks", info->ranks);
    pithi_put_wide(dict, "lanes", info->lanes);
    pithi_put_wide(dict, "hosts", object->tree->host_count);
    pithi_put_wide(dict, "records", (int64_t)info->records);
    pithi_put_wide(dict, "messages", (int64_t)info->messages);
    pithi_put_wide(dict, "lost", (int64_t)info->lost);
    pithi_put_wide(dict, "bytes", (int64_t)info->bytes);
    pithi_put_wide(dict, "t0", t0);
    pithi_put_wide(dict, "t1", t1);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* The method `defs` returns the definitions in the order of their ids. */
static int log_defs(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const char *const kinds[] = {"state", "event", "counter"};
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    const struct pithlog_def *def;
    char colour[16], name[256];

    (void)objc, (void)objv;
    for (uint32_t id = 0; (def = pithlog_get_def(object->log, id)); id++) {
        Tcl_Obj *dict = Tcl_NewDictObj();
        snprintf(colour, sizeof colour, "#%06x", object->rgb[id]);
        pithi_put_wide(dict, "id", id);
        pithi_put_text(dict, "kind", kinds[def->kind]);
        pithi_put_text(dict, "name", pithi_def_label(object->log, id, name, sizeof name));
        pithi_put_text(dict, "colour", colour);
        pithi_put_text(dict, "group", pithi_state_group(def));
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int log_properties(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tcl_Obj *dict = Tcl_NewDictObj();
    const char *key, *value;

    (void)objc, (void)objv;
    for (uint32_t i = 0; (key = pithlog_get_property(object->log, i, &value)); i++)
        pithi_put_text(dict, key, value);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* The method `work` returns the interval between MPI_Init and MPI_Finalize as {t0 t1}. */
static int log_work(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t window[2];

    (void)objc, (void)objv;
    pithi_work_window(object->log, &window[0], &window[1]);
    Tcl_SetObjResult(interp, pithi_wide_list(window, 2));
    return TCL_OK;
}

/* The method `time` returns the time that a word such as 1.5, init or solve[3] means (pithlog_time_find). */
static int log_time(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const char *const edges[] = {"begin", "end", NULL};
    int64_t time;
    int edge;

    (void)objc;
    if (Tcl_GetIndexFromObj(interp, objv[3], edges, "edge", 0, &edge) != TCL_OK)
        return TCL_ERROR;
    if (pithlog_time_find(object->log, Tcl_GetString(objv[2]), (enum pithlog_edge)edge, &time))
        return pithi_usage_error(interp, pithlog_error());
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(time));
    return TCL_OK;
}

/* Switches the names in bars on or off, from the next picture on. */
static int log_show_names(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int on;

    (void)objc;
    if (Tcl_GetBooleanFromObj(interp, objv[2], &on) != TCL_OK)
        return TCL_ERROR;
    object->hides_names = !on;
    return TCL_OK;
}

static int log_hide(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    uint32_t defs = pithlog_get_info(object->log)->defs;

    (void)objc;
    memset(object->hidden, 0, defs); /* shows all definitions, then hides those of the list */
    return pithi_get_ids(interp, objv[2], object->hidden, defs);
}

/* Switches times of day on the axis on or off. They can be shown only if the log has the wall clock of the recording;
 * the result is 1 if it has. */
static int log_time_of_day(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t unix_ns;
    int on;

    (void)objc;
    if (Tcl_GetBooleanFromObj(interp, objv[2], &on) != TCL_OK)
        return TCL_ERROR;
    object->clock_ns = 0;
    Tcl_SetObjResult(interp, Tcl_NewBooleanObj(on && pithlog_wall_clock(object->log, &unix_ns, &object->clock_ns)));
    return TCL_OK;
}

/* The method `timetext` returns a time as text, in the form in which the axis shows it. */
static int log_time_text(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t time, resolution;

    (void)objc;
    if (pithi_get_time(interp, objv[2], &time) != TCL_OK || pithi_get_time(interp, objv[3], &resolution) != TCL_OK)
        return TCL_ERROR;
    if (object->clock_ns)
        pithi_date_text(object->clock_ns + time, resolution, text, sizeof text);
    else
        pithi_time_text(time, resolution, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

/* The method `ticks` returns {base x label x label ...}: the base is a time to which all labels are relative (axis.h),
 * and each tick has an x and a label. */
static int log_ticks(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const char *const kinds[] = {"time", "duration", NULL};
    struct pithi_axis axis;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    int64_t t0, t1;
    double width, spacing;
    int is_duration;

    (void)objc;
    if (Tcl_GetIndexFromObj(interp, objv[6], kinds, "kind", 0, &is_duration) != TCL_OK)
        return TCL_ERROR;
    if (pithi_get_window(interp, objv + 2, &t0, &t1) != TCL_OK ||
        Tcl_GetDoubleFromObj(interp, objv[4], &width) != TCL_OK ||
        Tcl_GetDoubleFromObj(interp, objv[5], &spacing) != TCL_OK)
        return TCL_ERROR;
    /* an axis of durations has no times of day */
    pithi_axis_make(t0, t1, is_duration ? 0 : object->clock_ns, width, spacing, &axis);
    Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(axis.base, -1));
    for (uint32_t i = 0; i < axis.count; i++) {
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(axis.ticks[i].x));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(axis.ticks[i].label, -1));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int log_close(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    (void)objc, (void)objv;
    Tcl_DeleteCommandFromToken(interp, object->command);
    return TCL_OK;
}

/* Each row has the name of a method, the number of its arguments, and the arguments as usage messages show them. */
static const struct {
    struct pithi_method method;
    pithi_log_method *run;
} methods[] = {
    {{"alike", 4, "percent t0 t1 callback"}, pithi_log_alike},
    {{"analyze", 2, "state callback"}, pithi_log_analyze},
    {{"arrowat", 2, "x y"}, pithi_log_arrow_at},
    {{"bundleat", 2, "x y"}, pithi_log_bundle_at},
    {{"callof", 5, "rank thread id start end"}, pithi_log_call_of},
    {{"close", 0, NULL}, log_close},
    {{"colour", 2, "id #rrggbb"}, pithi_log_colour},
    {{"counterat", 3, "row from to"}, pithi_log_counter_at},
    {{"coreat", 2, "row time"}, pithi_log_core_at},
    {{"corewaitof", 4, "rank thread from to"}, pithi_log_core_wait_of},
    {{"corewaits", PITHI_ANY, "?callback?"}, pithi_log_core_waits},
    {{"count", 3, "what columns callback"}, pithi_log_count},
    {{"counters", 2, "t0 t1"}, pithi_log_counters},
    {{"comms", 0, NULL}, pithi_log_comms},
    {{"defs", 0, NULL}, log_defs},
    {{"derive", 6, "formula t0 t1 width lines callback"}, pithi_log_derive},
    {{"derivecheck", 1, "formula"}, pithi_log_derive_check},
    {{"digest", 1, "callback"}, pithi_log_digest},
    {{"draw", 11, "photo t0 t1 width height firstRow rowHeight mostArrows auto litFrom litTo"}, pithi_log_draw},
    {{"efficiencies", 0, NULL}, pithi_log_efficiencies},
    {{"eventat", 3, "row time reach"}, pithi_log_event_at},
    {{"find", 4, "next|previous what at callback"}, pithi_log_find},
    {{"finding", 2, "number nth"}, pithi_log_finding},
    {{"findings", 0, NULL}, pithi_log_findings},
    {{"flames", PITHI_ANY, "?file?"}, pithi_log_flames},
    {{"flamerow", 3, "rank thread depth"}, pithi_log_flame_row},
    {{"functionsums", 3, "t0 t1 callback"}, pithi_log_function_sums},
    {{"groupat", 4, "row y from to"}, pithi_log_group_at},
    {{"hide", 1, "ids"}, log_hide},
    {{"info", 0, NULL}, log_info},
    {{"interruptionat", 3, "row time reach"}, pithi_log_interruption_at},
    {{"interval", 3, "t0 t1 callback"}, pithi_log_interval},
    {{"iteration", 1, "index"}, pithi_log_iteration},
    {{"iterationmarks", 3, "t0 t1 width"}, pithi_log_iteration_marks},
    {{"iterations", 0, NULL}, pithi_log_iterations},
    {{"iterationsdraw", 5, "photo indices width height gap"}, pithi_log_iterations_draw},
    {{"lengths", 6, "state t0 t1 rows none|time|ranks callback"}, pithi_log_lengths},
    {{"matrix", 5, "t0 t1 comm late callback"}, pithi_log_matrix},
    {{"messageof", 5, "rank thread time peer tag"}, pithi_log_message_of},
    {{"missing", 0, NULL}, pithi_log_missing},
    {{"answer", 0, NULL}, pithi_log_answer},
    {{"noteat", 2, "x y"}, pithi_log_note_at},
    {{"notes", 0, NULL}, pithi_log_notes},
    {{"savenotes", 0, NULL}, pithi_log_save_notes},
    {{"setnotes", 1, "notes"}, pithi_log_set_notes},
    {{"overview", 6, "photo fadedPhoto t0 t1 width height"}, pithi_log_overview},
    {{"messages", 2, "t0 t1"}, pithi_log_messages},
    {{"palette", 1, "name"}, pithi_log_palette},
    {{"pick", 2, "words callback"}, pithi_log_pick},
    {{"properties", 0, NULL}, log_properties},
    {{"parent", 5, "rank thread id start depth"}, pithi_log_parent},
    {{"rangesat", 2, "x y"}, pithi_log_ranges_at},
    {{"rangesdraw", 5, "photo height smooth order chosen"}, pithi_log_ranges_draw},
    {{"rangesexact", 1, "callback"}, pithi_log_ranges_exact},
    {{"rangesload", 4, "t0 t1 width depth"}, pithi_log_ranges_load},
    {{"rangesmore", 0, NULL}, pithi_log_ranges_more},
    {{"rangestimes", 0, NULL}, pithi_log_ranges_times},
    {{"refine", 11, "photo t0 t1 width height firstRow rowHeight mostArrows auto litFrom litTo"}, pithi_log_refine},
    {{"rows", PITHI_ANY, "word ?arg ...?"}, pithi_log_rows},
    {{"showcorewaits", 1, "on"}, pithi_log_show_core_waits},
    {{"shownames", 1, "on"}, log_show_names},
    {{"showwaiting", 2, "waits path"}, pithi_log_show_waiting},
    {{"siteof", 5, "rank thread id start end"}, pithi_log_site_of},
    {{"sort", 6, "by falling t0 t1 ids callback"}, pithi_log_sort},
    {{"stateat", 5, "row t0 t1 y rowHeight"}, pithi_log_state_at},
    {{"stateof", 3, "rank thread time"}, pithi_log_state_of},
    {{"sums", 2, "t0 t1"}, pithi_log_sums},
    {{"sumsjob", 3, "t0 t1 callback"}, pithi_log_sums_job},
    {{"ticks", 5, "t0 t1 width spacing time|duration"}, log_ticks},
    {{"timeofday", 1, "on"}, log_time_of_day},
    {{"timetext", 2, "time resolution"}, log_time_text},
    {{"time", 2, "word begin|end"}, log_time},
    {{"traffic", 3, "t0 t1 callback"}, pithi_log_traffic},
    {{"waitingjob", 3, "t0 t1 callback"}, pithi_log_waiting_job},
    {{"waitof", 5, "rank thread id from to"}, pithi_log_wait_of},
    {{"work", 0, NULL}, log_work},
    {{NULL, 0, NULL}, NULL},
};

/* The command of a log; `data` is the struct pithi_log_object. */
static int log_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int which;

    if (pithi_find_method(interp, objc, objv, 1, methods, sizeof *methods, &which) != TCL_OK)
        return TCL_ERROR;
    return methods[which].run(data, interp, objc, objv);
}

/* Tcl calls this when it deletes the command, also at the end of the program. It ends the jobs first, because they read
 * the log. Then it frees everything that refers to the log, and the log itself last. */
static void log_delete(ClientData data)
{
    struct pithi_log_object *object = data;

    pithi_job_stop_all(object);
    pithi_plot_free(&object->plot);
    pithi_cell_cache_free(object->cell_cache);
    pithi_helper_free(object->helper);
    pithi_groups_free(&object->groups);
    pithi_interruptions_free(&object->interruptions);
    pithi_flames_close(object->flames);
    if (object->core_waits)
        pithi_core_waits_free(object->core_waits);
    free(object->core_waits);
    pithi_notes_free(&object->notes);
    pithi_log_findings_free(object);
    pithlog_analysis_free(object->analysis);
    pithi_log_ranges_free(object);
    free(object->words);
    pithlog_digest_close(object->picked);
    pithlog_digest_close(object->digest);
    pithi_rows_close(object->tree);
    pithlog_summary_close(object->summary);
    pithlog_summary_close(object->spare_summary);
    pithlog_close(object->log);
    free(object->scrolled);
    free(object->hidden);
    free(object->rgb);
    free(object->path);
    free(object);
}

/* Makes the command of an opened log. The command owns the log and the digest. `digest` may be NULL; the method
 * `digest` then reads it later. */
Tcl_Obj *pithi_log_command(Tcl_Interp *interp, struct pithlog *log, struct pithlog_digest *digest, const char *path)
{
    static unsigned next;
    struct pithi_log_object *object = pithi_alloc(1, sizeof *object);
    char name[48];

    object->log = log;
    object->digest = digest;
    if (pithlog_get_info(log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(log, &object->summary); /* if this fails, records are read instead */
    object->path = strdup(path);                     /* a copy, because the caller may free its string */
    object->rgb = pithi_palette_make(log);
    object->hidden = pithi_alloc(pithlog_get_info(log)->defs, 1);
    object->tree = pithi_rows_open(log);
    if (digest)
        pithi_log_add_counters(object);
    else
        pithi_log_rows_changed(object); /* makes the list of visible rows, as pithi_log_add_counters does */
    snprintf(name, sizeof name, "::pithtk::log%u", ++next);
    /* Tcl calls log_delete to free the object */
    object->command = Tcl_CreateObjCommand(interp, name, log_command, object, log_delete);
    return Tcl_NewStringObj(name, -1);
}
