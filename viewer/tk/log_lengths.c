/* log_lengths.c - durations of the instances of a state. A job collects the durations. Its result is a command, which
 * returns statistics and instances for any range of durations.
 *
 * Whenever the user moves a slider, the window needs the histogram, its numbers and the longest instances for another
 * range of durations. So the command keeps the sorted list, and the log is read only once:
 *
 *     LOG lengths 3 0 5000000 shown time CALLBACK     -> done ::pithtk::lengths1
 *     ::pithtk::lengths1 spread 1000 20000       -> count 42 total ... of the instances that took 1 to 20 us
 *     ::pithtk::lengths1 nth 1000 20000 0        -> rank 3 thread 0 start ... end ...: the longest of these instances
 *     ::pithtk::lengths1 map PHOTO time 1000 20000 log 200 100 600 300 {}    draws them over time: 200 x 100 tiles
 *     ::pithtk::lengths1 at 30 40 6              -> place 10 bin 86 ...: the tile at most 6 pixels from 30 40 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/length_map.h"
#include "core/cells/memory.h"
#include "core/measure/matrix.h"
#include "core/raster/palette.h"
#include "core/raster/raster.h"
#include "tk/background.h"
#include "tk/log_object.h"

/* Returns the lanes of ROWS (`shown` or `all`), without rows of counters, as an array that the caller frees. If ROWS is
 * another word, sets an error message and returns NULL. */
static uint32_t *get_lanes(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *rows, uint32_t *count)
{
    static const char *const words[] = {"all", "shown", NULL};
    uint32_t *lanes;
    int which;

    if (Tcl_GetIndexFromObj(interp, rows, words, "rows", 0, &which) != TCL_OK)
        return NULL;
    if (which)
        return pithi_rows_lanes(object->tree, count);
    *count = pithlog_get_info(object->log)->lanes;
    lanes = pithi_alloc(*count, sizeof *lanes);
    for (uint32_t lane = 0; lane < *count; lane++)
        lanes[lane] = lane;
    return lanes;
}

/* ---- The list as a command --------------------------------------------------------------------------------------- */

struct lengths_list {
    struct pithi_length_list list;
    struct pithlog *log;         /* the window deletes the command before it closes the log */
    int of_messages;             /* 1: the lengths are lengths of messages */
    struct pithi_length_map map; /* the map that was drawn last */
    const uint32_t *lanes;
};

static const char *const overs[] = {"none", "time", "ranks", NULL};

/* Returns the list {RANK THREAD} of a lane. */
static Tcl_Obj *lane_words(const struct lengths_list *lengths, uint32_t number)
{
    const struct pithlog_lane *lane = pithlog_get_lane(lengths->log, lengths->lanes[number]);

    return pithi_wide_list((const int64_t[]){lane->rank, lane->thread}, 2);
}

/* Returns the first of the lanes that share a place of a map of ranks, as an index into `lanes`. */
static uint32_t first_lane(const struct pithi_length_map *map, uint32_t place)
{
    return pithi_tile_begin(place, map->places, map->list->lane_count);
}

static int give_bins(const struct pithi_length_list *list, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    struct pithi_bin bins[PITHI_MOST_BINS];
    Tcl_Obj *result = Tcl_NewListObj(0, NULL);
    int logarithmic = strcmp(Tcl_GetString(objv[4]), "log") == 0, wanted;
    int64_t low, high;

    if (pithi_get_times(interp, objv + 2, &low, &high) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[5], &wanted) != TCL_OK)
        return TCL_ERROR;
    wanted = wanted < 1 ? 1 : wanted > PITHI_MOST_BINS ? PITHI_MOST_BINS : wanted;
    uint32_t count = pithi_lengths_bins(list, low, high, logarithmic, (uint32_t)wanted, bins);
    for (uint32_t i = 0; i < count; i++) {
        int64_t values[] = {bins[i].from_ns, bins[i].to_ns, (int64_t)bins[i].count, bins[i].total_ns};
        for (int v = 0; v < 4; v++)
            Tcl_ListObjAppendElement(NULL, result, Tcl_NewWideIntObj((Tcl_WideInt)values[v]));
    }
    Tcl_SetObjResult(interp, result);
    return TCL_OK;
}

static Tcl_Obj *entry_dict(const struct lengths_list *lengths, const struct pithi_length *entry)
{
    Tcl_Obj *dict = Tcl_NewDictObj();

    if (lengths->of_messages) {
        pithi_put_message(dict, lengths->log,
                          &(struct pithlog_message){.send_lane = entry->lane,
                                                    .recv_lane = entry->peer,
                                                    .send_ns = entry->start_ns,
                                                    .recv_ns = entry->end_ns,
                                                    .tag = entry->tag,
                                                    .bytes = entry->bytes});
    } else {
        pithi_put_wide(dict, "rank", pithlog_get_lane(lengths->log, entry->lane)->rank);
        pithi_put_wide(dict, "thread", pithlog_get_lane(lengths->log, entry->lane)->thread);
        pithi_put_wide(dict, "start", entry->start_ns);
        pithi_put_wide(dict, "end", entry->end_ns);
    }
    return dict;
}

/* ---- Maps -------------------------------------------------------------------------------------------------------- */

/* Draws horizontal lines at the places in `list`. It is called before the tiles are drawn, so that the tiles hide the
 * lines. */
static int draw_grid(Tcl_Interp *interp, Tcl_Obj *list, const struct pithi_length_map *map,
                     const struct pithi_painter *painter)
{
    Tcl_Obj **places;
    Tcl_Size count;
    double y;

    if (Tcl_ListObjGetElements(interp, list, &count, &places) != TCL_OK)
        return TCL_ERROR;
    for (Tcl_Size i = 0; i < count; i++) {
        if (Tcl_GetDoubleFromObj(interp, places[i], &y) != TCL_OK)
            return TCL_ERROR;
        painter->rect(painter->context, 0, (int)y, map->width, 1, pithi_theme()->grid, 1);
    }
    return TCL_OK;
}

/* The method `map PHOTO time|ranks LOW HIGH log|linear PLACES BINS WIDTH HEIGHT GRID` draws a map. Returns the highest
 * number of instances in a tile; for a map of ranks also {RANK THREAD} of the first lane of each line. */
static int map_draw(struct lengths_list *lengths, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    struct pithi_length_map *map = &lengths->map;
    struct pithi_raster raster = {0};
    struct pithi_painter painter = pithi_raster_painter(&raster);
    Tcl_Obj *lines = Tcl_NewListObj(0, NULL);
    uint32_t *const fields[] = {&map->places, &map->bins, &map->width, &map->height};
    int over, number, status;

    if (Tcl_GetIndexFromObj(interp, objv[3], overs, "over", 0, &over) != TCL_OK ||
        pithi_get_times(interp, objv + 4, &map->low_ns, &map->high_ns) != TCL_OK)
        return TCL_ERROR;
    for (int i = 0; i < 4; i++) {
        if (Tcl_GetIntFromObj(interp, objv[7 + i], &number) != TCL_OK)
            return TCL_ERROR;
        *fields[i] = number < 1 ? 1 : number > 8192 ? 8192 : (uint32_t)number;
    }
    map->over = (enum pithi_lengths_over)over;
    map->logarithmic = strcmp(Tcl_GetString(objv[6]), "log") == 0;
    pithi_length_map_make(&lengths->list, map);
    pithi_raster_prepare(&raster, (int)map->width, (int)map->height, pithi_theme()->paper);
    status = draw_grid(interp, objv[11], map, &painter);
    pithi_length_map_draw(map, &painter);
    if (status == TCL_OK)
        status = pithi_put_photo(interp, Tcl_GetString(objv[2]), &raster);
    pithi_raster_free(&raster);
    if (status != TCL_OK)
        return TCL_ERROR;
    for (uint32_t place = 0; over == PITHI_OVER_LANES && place < map->places; place++)
        Tcl_ListObjAppendElement(NULL, lines, lane_words(lengths, first_lane(map, place)));
    Tcl_SetObjResult(interp, Tcl_NewListObj(2, (Tcl_Obj *[]){Tcl_NewWideIntObj((Tcl_WideInt)map->most), lines}));
    return TCL_OK;
}

/* Returns a dict about a tile: its place, bin, box {x y width height}, number of instances, the limits `from` and `to`
 * of its bin (from <= length < to), and the longest instance. */
static Tcl_Obj *tile_dict(const struct lengths_list *lengths, uint32_t place, uint32_t bin)
{
    const struct pithi_length_map *map = &lengths->map;
    struct pithi_length_box box = pithi_length_map_box(map, place, bin);
    const struct pithi_length_tile *tile = &map->tiles[(size_t)place * map->bins + bin];
    int64_t edges[2];
    Tcl_Obj *dict = Tcl_NewDictObj();

    for (uint32_t i = 0; i < 2; i++)
        edges[i] = pithi_lengths_edge(map->low_ns, map->high_ns, map->logarithmic, (double)(bin + i) / map->bins);
    pithi_put_wide(dict, "place", place);
    pithi_put_wide(dict, "bin", bin);
    pithi_put(dict, "box", pithi_wide_list((const int64_t[]){box.x, box.y, box.width, box.height}, 4));
    pithi_put_wide(dict, "count", (int64_t)tile->count);
    pithi_put_wide(dict, "from", bin ? edges[0] : map->low_ns);
    pithi_put_wide(dict, "to", bin + 1 < map->bins ? edges[1] : map->high_ns + 1);
    if (map->over == PITHI_OVER_LANES) {
        pithi_put(dict, "first", lane_words(lengths, first_lane(map, place)));
        pithi_put(dict, "last", lane_words(lengths, first_lane(map, place + 1) - 1));
    }
    if (tile->count)
        pithi_put(dict, "longest", entry_dict(lengths, &map->entries[tile->longest]));
    return dict;
}

/* The method `at X Y REACH` returns the tile that is nearest to (X, Y), or {} if none is within REACH pixels. */
static int map_at(struct lengths_list *lengths, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    double numbers[3];
    uint32_t place, bin;

    for (int i = 0; i < 3; i++)
        if (Tcl_GetDoubleFromObj(interp, objv[2 + i], &numbers[i]) != TCL_OK)
            return TCL_ERROR;
    if (lengths->map.tiles && pithi_length_map_hit(&lengths->map, numbers[0], numbers[1], numbers[2], &place, &bin))
        Tcl_SetObjResult(interp, tile_dict(lengths, place, bin));
    return TCL_OK;
}

/* The method `next PLACE 1|-1` goes from PLACE to the next place with instances, forward (1) or backward (-1). Returns
 * the tile of the longest instance there, or {} if there is no such place. */
static int map_next(struct lengths_list *lengths, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    Tcl_WideInt start;
    int64_t place;
    uint32_t bin;
    int by;

    if (Tcl_GetWideIntFromObj(interp, objv[2], &start) != TCL_OK || Tcl_GetIntFromObj(interp, objv[3], &by) != TCL_OK)
        return TCL_ERROR;
    place = start < -1 ? -1 : start > lengths->map.places ? lengths->map.places : start;
    if (lengths->map.tiles && pithi_length_map_next(&lengths->map, &place, by < 0 ? -1 : 1, &bin))
        Tcl_SetObjResult(interp, tile_dict(lengths, (uint32_t)place, bin));
    return TCL_OK;
}

/* The method `of_tile PLACE BIN NUMBER` returns the NUMBER-th longest instance of a tile, counted from 0, or {}. */
static int map_nth(struct lengths_list *lengths, Tcl_Interp *interp, Tcl_Obj *const objv[])
{
    const struct pithi_length_map *map = &lengths->map;
    const struct pithi_length *entry;
    int numbers[3];

    for (int i = 0; i < 3; i++)
        if (Tcl_GetIntFromObj(interp, objv[2 + i], &numbers[i]) != TCL_OK)
            return TCL_ERROR;
    if (!map->tiles || numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0 || (uint32_t)numbers[0] >= map->places ||
        (uint32_t)numbers[1] >= map->bins)
        return TCL_OK;
    entry = pithi_length_map_nth(map, (uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]);
    if (entry)
        Tcl_SetObjResult(interp, entry_dict(lengths, entry));
    return TCL_OK;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int list_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_method methods[] = {
        {"bins", 4, "low high linear|log count"},
        {"nth", 3, "low high number"},
        {"range", 0, NULL},
        {"spread", 2, "low high"},
        {"map", 10, "photo time|ranks low high linear|log places bins width height grid"},
        {"at", 3, "x y reach"},
        {"next", 2, "place 1|-1"},
        {"of_tile", 3, "place bin number"},
        {NULL, 0, NULL}};
    enum { BINS, NTH, RANGE, SPREAD, MAP, AT, NEXT, OF_TILE }; /* in the order of the methods */
    struct lengths_list *lengths = data;
    const struct pithi_length_list *list = &lengths->list;
    const struct pithi_length *entry;
    struct pithi_spread spread;
    Tcl_Obj *dict;
    int64_t low, high;
    int which, number;

    if (pithi_find_method(interp, objc, objv, 1, methods, sizeof *methods, &which) != TCL_OK)
        return TCL_ERROR;
    switch (which) {
    case BINS:
        return give_bins(list, interp, objv);
    case NTH:
        if (pithi_get_times(interp, objv + 2, &low, &high) != TCL_OK ||
            Tcl_GetIntFromObj(interp, objv[4], &number) != TCL_OK)
            return TCL_ERROR;
        entry = number < 0 ? NULL : pithi_lengths_nth(list, low, high, (uint32_t)number);
        if (entry)
            Tcl_SetObjResult(interp, entry_dict(lengths, entry));
        return TCL_OK;
    case RANGE:
        Tcl_SetObjResult(interp, pithi_wide_list((const int64_t[]){list->min_ns, list->max_ns, list->exact}, 3));
        return TCL_OK;
    case SPREAD:
        if (pithi_get_times(interp, objv + 2, &low, &high) != TCL_OK)
            return TCL_ERROR;
        spread = pithi_lengths_spread(list, low, high);
        dict = Tcl_NewDictObj();
        pithi_put_wide(dict, "count", (int64_t)spread.count);
        pithi_put_wide(dict, "total", spread.total_ns);
        pithi_put_wide(dict, "min", spread.min_ns);
        pithi_put_wide(dict, "max", spread.max_ns);
        pithi_put_wide(dict, "mean", (int64_t)(spread.mean_ns + 0.5));
        pithi_put_wide(dict, "median", spread.median_ns);
        pithi_put_wide(dict, "p95", spread.p95_ns);
        pithi_put_wide(dict, "deviation", (int64_t)(spread.deviation_ns + 0.5));
        Tcl_SetObjResult(interp, dict);
        return TCL_OK;
    case MAP:
        return map_draw(lengths, interp, objv);
    case AT:
        return map_at(lengths, interp, objv);
    case NEXT:
        return map_next(lengths, interp, objv);
    case OF_TILE:
        return map_nth(lengths, interp, objv);
    }
    return TCL_OK;
}

static void list_free(ClientData data)
{
    struct lengths_list *lengths = data;

    pithi_length_map_free(&lengths->map);
    pithi_lengths_free(&lengths->list);
    free((void *)lengths->lanes);
    free(lengths);
}

/* ---- The job ----------------------------------------------------------------------------------------------------- */

struct lengths_job {
    struct pithi_job job;
    Tcl_Interp *interp;
    struct pithlog *log;
    struct pithi_lengths_query query;
    uint32_t *lanes; /* malloc'ed */
    struct pithi_length_list list;
};

/* Runs in the job's thread. It uses the readable part of a damaged log; the picture of the log reports the damage. */
static int lengths_run(struct pithi_job *job)
{
    struct lengths_job *lengths = (struct lengths_job *)job;
    int err = pithi_lengths_run(lengths->log, &lengths->query, &lengths->list);

    return err == PITH_ERR_DAMAGED ? PITH_OK : err;
}

static Tcl_Obj *lengths_result(struct pithi_job *job)
{
    static unsigned number;
    struct lengths_job *lengths = (struct lengths_job *)job;
    struct lengths_list *list = pithi_alloc(1, sizeof *list);
    char name[48];

    *list = (struct lengths_list){lengths->list, lengths->log, lengths->query.state >= PITHI_MESSAGE_SIZES,
                                  .lanes = lengths->lanes};
    lengths->lanes = NULL;
    memset(&lengths->list, 0, sizeof lengths->list);
    snprintf(name, sizeof name, "::pithtk::lengths%u", ++number);
    Tcl_CreateObjCommand(lengths->interp, name, list_command, list, list_free);
    return Tcl_NewStringObj(name, -1);
}

static void lengths_release(struct pithi_job *job)
{
    struct lengths_job *lengths = (struct lengths_job *)job;

    pithi_lengths_free(&lengths->list);
    free(lengths->lanes);
    free(lengths);
}

static int get_state(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *state)
{
    int id;

    if (strcmp(Tcl_GetString(word), "messages") == 0) {
        *state = PITHI_MESSAGES;
        return TCL_OK;
    }
    if (strcmp(Tcl_GetString(word), "sizes") == 0) {
        *state = PITHI_MESSAGE_SIZES;
        return TCL_OK;
    }
    if (Tcl_GetIntFromObj(interp, word, &id) != TCL_OK)
        return TCL_ERROR;
    if (id < 0 || (uint32_t)id >= pithlog_get_info(object->log)->defs) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("no such state", -1));
        return TCL_ERROR;
    }
    *state = (uint32_t)id;
    return TCL_OK;
}

int pithi_log_lengths(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {lengths_run, lengths_result, lengths_release};
    struct pithi_lengths_query query = {.digest = object->digest};
    struct lengths_job *job;
    uint32_t *lanes;
    int over;

    (void)objc;
    if (get_state(object, interp, objv[2], &query.state) != TCL_OK ||
        pithi_get_window(interp, objv + 3, &query.t0_ns, &query.t1_ns) != TCL_OK ||
        Tcl_GetIndexFromObj(interp, objv[6], overs, "over", 0, &over) != TCL_OK ||
        !(lanes = get_lanes(object, interp, objv[5], &query.lane_count)))
        return TCL_ERROR;
    query.over = (enum pithi_lengths_over)over;
    job = pithi_alloc(1, sizeof *job);
    query.lanes = job->lanes = lanes;
    query.watch = pithi_job_watch(&job->job);
    job->query = query;
    job->interp = interp;
    job->log = object->log;
    return pithi_job_start(interp, object, &job->job, &kind, objv[7]);
}
