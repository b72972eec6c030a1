/* log_hit.c - describes bundles and rows of many lanes, and finds records related to a record, such as the state around
 * a state or the messages of a call.
 *
 * The results are dicts for the status line and the panel of details (log_object.h lists their keys). Each method reads
 * only little of the log, because it runs in Tcl's thread while the pointer moves. If an exact result would need more,
 * the dict has an estimate (key about is 1), or the number of lanes that were read (key asked). */
#include "tk/log_object.h"

#include <math.h>
#include <stdlib.h>

#include "core/scene/arrows.h"
#include "core/scene/hit.h"
#include "core/cells/interruptions.h"
#include "core/rows/legend.h"
#include "core/cells/memory.h"

/* Puts the label of a row, such as "rank 3" or "node1", into the dict under `key`. */
static void put_place(struct pithi_log_object *object, Tcl_Obj *dict, const char *key, const struct pithi_row *row)
{
    char place[64];

    pithi_row_place(object->log, row, place, sizeof place);
    pithi_put_text(dict, key, place);
}

/* ---- Bundles ----------------------------------------------------------------------------------------------------- */

/* `bundleat` returns the bundle of messages under the pointer, or "" if there is none. A bundle is an arrow that stands
 * for several messages between two rows. */
int pithi_log_bundle_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_plot *plot = &object->plot;
    const struct pithi_bundle *bundle;
    struct pithi_bundle_look look;
    struct pithi_bundle exact;
    Tcl_Obj *dict, *line;
    double x, y;
    int about = plot->arrows.sampled; /* 1: the picture has only a sample of the messages, so counts are estimates */

    (void)objc;
    if (Tcl_GetDoubleFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &y) != TCL_OK)
        return TCL_ERROR;
    bundle = pithi_hit_bundle(plot, x, y, 0.5); /* within half a pixel */
    if (!bundle)
        return TCL_OK;
    exact = *bundle;
    if (about)
        about = pithi_plot_look(plot, bundle, &exact) != 0; /* 0: `exact` is now the exact count of the bundle */
    bundle = &exact;
    dict = Tcl_NewDictObj();
    put_place(object, dict, "from", &plot->rows[bundle->from_row]);
    put_place(object, dict, "to", &plot->rows[bundle->to_row]);
    pithi_put_wide(dict, "count", llround(bundle->count));
    pithi_put_wide(dict, "bytes", llround(bundle->bytes));
    pithi_put_wide(dict, "mean", llround(bundle->mean_ns));
    pithi_put_wide(dict, "about", about);
    pithi_put(dict, "longest", pithi_message_dict(object->log, &bundle->longest));
    pithi_put_wide(dict, "start", bundle->longest.send_ns);
    pithi_put_wide(dict, "end", bundle->longest.recv_ns);
    /* {x0 y0 x1 y1}: the bundle's line in the picture, over which Tcl draws a highlight. */
    pithi_bundle_look(plot, bundle, 1, &look);
    line = Tcl_NewListObj(0, NULL);
    for (int i = 0; i < 4; i++)
        Tcl_ListObjAppendElement(NULL, line, Tcl_NewDoubleObj(look.ends[i]));
    pithi_put(dict, "line", line);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Rows of many lanes ------------------------------------------------------------------------------------------ */

/* Returns the group of rows at y and sets *grouped to 1, if the last picture has groups; otherwise returns the visible
 * row `row`. */
static const struct pithi_row *row_at(const struct pithi_log_object *object, uint32_t row, double y, int *grouped)
{
    double line = floor(y / (object->plot.row_height > 0 ? object->plot.row_height : 1));

    *grouped = object->groups.count > 0 && object->plot.rows == object->groups.rows;
    if (!*grouped)
        return &object->rows[row];
    return line >= 0 && line < object->groups.count ? &object->groups.rows[(uint32_t)line] : NULL;
}

/* `groupat` returns in which states the lanes of a row are in an interval; "" for a counter or a single lane. */
int pithi_log_group_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_row *group;
    struct pithi_mix mix;
    int64_t t0, t1;
    uint32_t row, lanes;
    Tcl_Obj *dict, *list;
    char name[256];
    int grouped;
    double y;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &row) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &y) != TCL_OK ||
        pithi_get_window(interp, objv + 4, &t0, &t1) != TCL_OK)
        return TCL_ERROR;
    group = row_at(object, row, y, &grouped);
    if (!group || !pithi_row_has_cells(group))
        return TCL_OK;
    pithi_row_lanes(group, &lanes);
    if (lanes < 2 && !grouped) /* a single lane is described by `stateat` */
        return TCL_OK;
    dict = Tcl_NewDictObj();
    put_place(object, dict, "place", group);
    pithi_put_wide(dict, "lanes", lanes);
    pithi_put_wide(dict, "auto", grouped);
    pithi_hit_row_mix(object->log, group, t0, t1, &mix); /* ignores errors: of a damaged log, uses the readable part */
    pithi_put_wide(dict, "asked", mix.asked);
    list = Tcl_NewListObj(0, NULL); /* {name share name share ...}, the largest share first */
    for (uint32_t i = 0; i < mix.count; i++) {
        pithi_def_label(object->log, mix.states[i].id, name, sizeof name);
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(name, -1));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(mix.states[i].share));
    }
    pithi_put(dict, "mix", list);
    free(mix.states);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Finds the lane of RANK THREAD. If there is none, returns TCL_ERROR. */
int pithi_get_lane(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const words[2], uint32_t *lane)
{
    int rank, thread;

    if (Tcl_GetIntFromObj(interp, words[0], &rank) != TCL_OK || Tcl_GetIntFromObj(interp, words[1], &thread) != TCL_OK)
        return TCL_ERROR;
    *lane = pithi_jump_lane(object->log, rank, (uint32_t)thread);
    if (*lane != PITHI_NONE)
        return TCL_OK;
    Tcl_SetObjResult(interp, Tcl_ObjPrintf("there is no rank %d with a thread %d", rank, thread));
    Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
    return TCL_ERROR;
}

/* Puts the keys that states and functions have: name, rank, thread, start, end. */
static void put_hit(Tcl_Obj *dict, const struct pithlog *log, const struct pithi_hit *hit)
{
    const struct pithlog_lane *lane = pithlog_get_lane(log, hit->lane);
    char name[256];

    pithi_put_text(dict, "name", pithi_def_label(log, hit->id, name, sizeof name));
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put_wide(dict, "start", hit->start_ns);
    pithi_put_wide(dict, "end", hit->end_ns);
}

Tcl_Obj *pithi_hit_dict(const struct pithlog *log, const struct pithi_hit *hit)
{
    Tcl_Obj *dict = Tcl_NewDictObj();

    pithi_put_wide(dict, "id", hit->id);
    put_hit(dict, log, hit);
    return dict;
}

Tcl_Obj *pithi_function_dict(const struct pithi_flames *flames, const struct pithi_hit *hit, uint32_t depth)
{
    Tcl_Obj *dict = Tcl_NewDictObj();

    put_hit(dict, flames->log, hit);
    pithi_put_text(dict, "place", pithi_flames_place(flames, hit->id));
    pithi_put_wide(dict, "flame", depth);
    return dict;
}

/* Sets the result to the dict of the state `hit` if `found` is 1, or to "" if it is 0. A negative `found` means that
 * the log cannot be read; then it returns TCL_ERROR. */
static int give_state(struct pithi_log_object *object, Tcl_Interp *interp, uint32_t lane, int found,
                      struct pithi_hit *hit)
{
    Tcl_Obj *dict;

    if (found < 0)
        return pithi_log_error(interp);
    if (!found)
        return TCL_OK;
    hit->lane = lane;
    dict = pithi_hit_dict(object->log, hit);
    pithi_put_wide(dict, "depth", hit->depth);
    pithi_put_wide(dict, "ended", hit->ended);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* `parent` returns the state around a state. */
int pithi_log_parent(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_hit hit;
    int64_t start;
    uint32_t lane;
    int id, depth;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[4], &id) != TCL_OK || pithi_get_time(interp, objv[5], &start) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[6], &depth) != TCL_OK)
        return TCL_ERROR;
    return give_state(object, interp, lane,
                      pithi_jump_parent(object->log, lane, (uint32_t)id, start, (uint32_t)depth, &hit), &hit);
}

/* `stateof` returns the innermost state of a lane at a time. */
int pithi_log_state_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_hit hit;
    int64_t time;
    uint32_t lane;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK || pithi_get_time(interp, objv[4], &time) != TCL_OK)
        return TCL_ERROR;
    return give_state(object, interp, lane,
                      /* asks for the deepest level that a picture can show, which gives the innermost state */
                      pithi_hit_state(object->log, lane, time, time + 1, PITHI_LEVELS - 1, NULL, &hit), &hit);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

Tcl_Obj *pithi_message_dict(const struct pithlog *log, const struct pithlog_message *message)
{
    const struct pithlog_comm *comm = pithlog_get_comm(log, message->comm);
    Tcl_Obj *dict = Tcl_NewDictObj();

    pithi_put_message(dict, log, message);
    pithi_put_name(dict, "comm", comm ? comm->name : "");
    pithi_put_wide(dict, "error", pithlog_clock_error(log, message->send_lane, message->recv_lane));
    return dict;
}

/* `messageof` returns the message of a send, which it finds in the digest by time, peer and tag. */
int pithi_log_message_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithlog_record send = {.kind = PITHLOG_SEND};
    struct pithlog_message message;
    int peer, tag, found;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &send.lane) != TCL_OK ||
        pithi_get_time(interp, objv[4], &send.time_ns) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[5], &peer) != TCL_OK || Tcl_GetIntFromObj(interp, objv[6], &tag) != TCL_OK)
        return TCL_ERROR;
    if (!object->digest) /* the digest is not read yet */
        return TCL_OK;
    send.peer = peer;
    send.tag = tag;
    found = pithi_jump_message(object->log, object->digest, &send, 0, &message);
    if (found < 0)
        return pithi_log_error(interp);
    if (found)
        Tcl_SetObjResult(interp, pithi_message_dict(object->log, &message));
    return TCL_OK;
}

/* Returns the dict of a message of a call. If the message's other end is not known, the dict does not have the thread
 * of that end, and its start equals its end. */
static Tcl_Obj *call_message(const struct pithi_log_object *object, const struct pithi_exchange *call, uint32_t number)
{
    const struct pithlog_record *record = &call->records[number];
    const struct pithlog_lane *lane = pithlog_get_lane(object->log, record->lane);
    int is_send = record->kind == PITHLOG_SEND;
    struct pithlog_message message;
    uint32_t nth = 0;
    Tcl_Obj *dict;

    for (uint32_t i = 0; i < number; i++) /* counts earlier messages of the call with the same time, peer and tag */
        nth += call->records[i].kind == record->kind && call->records[i].time_ns == record->time_ns &&
               call->records[i].peer == record->peer && call->records[i].tag == record->tag;
    /* pithi_jump_message returns 0 if the message has no partner, and less if the digest cannot be read. In both cases
     * only the known end of the message is given. */
    if (object->digest && pithi_jump_message(object->log, object->digest, record, nth, &message) > 0) {
        dict = pithi_message_dict(object->log, &message);
    } else {
        dict = Tcl_NewDictObj();
        pithi_put_wide(dict, is_send ? "from" : "to", lane->rank);
        pithi_put_wide(dict, is_send ? "from_thread" : "to_thread", lane->thread);
        pithi_put_wide(dict, is_send ? "to" : "from", record->peer);
        pithi_put_wide(dict, "start", record->time_ns);
        pithi_put_wide(dict, "end", record->time_ns);
        pithi_put_wide(dict, "tag", record->tag);
        pithi_put_wide(dict, "bytes", (int64_t)record->bytes);
    }
    pithi_put_wide(dict, "sent", is_send);
    return dict;
}

static void put_member(Tcl_Obj *dict, const char *key, const struct pithlog_lane *lane, int64_t start_ns)
{
    Tcl_Obj *member = Tcl_NewDictObj();

    pithi_put_wide(member, "rank", lane->rank);
    pithi_put_wide(member, "thread", lane->thread);
    pithi_put_wide(member, "start", start_ns);
    pithi_put(dict, key, member);
}

/* `callof` returns the messages and the collective of an MPI call. */
int pithi_log_call_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_exchange call;
    int64_t from, to;
    uint32_t lane;
    Tcl_Obj *dict, *messages;
    int id;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[4], &id) != TCL_OK || pithi_get_times(interp, objv + 5, &from, &to) != TCL_OK)
        return TCL_ERROR;
    pithi_hit_exchange(object->log, lane, (uint32_t)id, from, to, &call); /* uses the readable part of a damaged log */
    dict = Tcl_NewDictObj();
    messages = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < call.count; i++)
        Tcl_ListObjAppendElement(NULL, messages, call_message(object, &call, i));
    pithi_put(dict, "messages", messages);
    pithi_put_wide(dict, "total", call.total); /* number of all messages; the list may be shorter */
    if (call.coll.kind) {                      /* the call is a collective */
        const struct pithlog_comm *comm = pithlog_get_comm(object->log, call.coll.comm);
        pithi_put_name(dict, "comm", comm ? comm->name : "");
        pithi_put_wide(dict, "size", comm ? comm->size + comm->remote_size : 0);
        pithi_put_wide(dict, "root", call.coll.peer);
        pithi_put_wide(dict, "bytes", (int64_t)call.coll.bytes);
        pithi_put_wide(dict, "got", (int64_t)call.coll.got_bytes);
    }
    /* If the log is analyzed, puts the two members that began the collective first and last. */
    uint32_t lanes = pithlog_get_info(object->log)->lanes, first = PITHI_NONE, last = PITHI_NONE, count = 0;
    int64_t *begins = pithi_alloc(lanes, sizeof *begins); /* INT64_MIN: the lane is no member */
    if (object->analysis && pithlog_analysis_members(object->analysis, lane, from, begins))
        for (uint32_t i = 0; i < lanes; i++) {
            if (begins[i] == INT64_MIN)
                continue;
            count++;
            first = first == PITHI_NONE || begins[i] < begins[first] ? i : first;
            last = last == PITHI_NONE || begins[i] > begins[last] ? i : last;
        }
    if (count > 1) { /* a single member waits for no other */
        put_member(dict, "first", pithlog_get_lane(object->log, first), begins[first]);
        put_member(dict, "last", pithlog_get_lane(object->log, last), begins[last]);
        pithi_put_wide(dict, "members", count);
    }
    free(begins);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

/* `counterat` returns the lowest, the highest and the last value of a counter in [from, to). */
int pithi_log_counter_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithlog_lane *lane;
    struct pithlog_column value;
    const struct pithi_row *row;
    int64_t from, to;
    uint32_t number;
    Tcl_Obj *dict;
    char name[256];
    int found;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &number) != TCL_OK ||
        pithi_get_window(interp, objv + 3, &from, &to) != TCL_OK)
        return TCL_ERROR;
    row = &object->rows[number];
    /* the result is "" if the digest is not read yet, or the row is not that of a counter */
    if (!object->digest || row->kind != PITHI_ROW_COUNTER)
        return TCL_OK;
    found = pithi_jump_counter(object->digest, row->lane, row->counter, from, to, &value);
    if (found < 0)
        return pithi_log_error(interp);
    if (!found)
        return TCL_OK;
    lane = pithlog_get_lane(object->log, row->lane);
    dict = Tcl_NewDictObj();
    pithi_put_wide(dict, "id", row->counter);
    pithi_put_text(dict, "name", pithi_def_label(object->log, row->counter, name, sizeof name));
    pithi_put_text(dict, "unit", pithlog_get_def(object->log, row->counter)->format);
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put(dict, "low", Tcl_NewDoubleObj(value.low));
    pithi_put(dict, "high", Tcl_NewDoubleObj(value.high));
    pithi_put(dict, "last", Tcl_NewDoubleObj(value.last));
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Interruptions ----------------------------------------------------------------------------------------------- */

/* Returns 1 if the row shows pauses, losses and missing records. Only rows of a single lane do. */
static int shows_interruptions(const struct pithi_row *row) { return pithi_row_is_whole(row) && row->lane_count <= 1; }

/* Returns 1 if the last picture shows that records of a lane are missing at this time. */
static int is_missing(const struct pithi_plot *plot, uint32_t lane, int64_t time_ns)
{
    double column = pithi_plot_x(plot, time_ns) - plot->x;
    unsigned char *missing;
    uint32_t row = 0;
    int is;

    /* finds the row in the last picture that shows the holes of this lane */
    while (row < plot->row_count && (!shows_interruptions(&plot->rows[row]) || plot->rows[row].lane != lane))
        row++;
    if (row == plot->row_count || plot->cell_row[row] == PITHI_NONE || column < 0 || column >= plot->width)
        return 0;
    missing = pithi_alloc(plot->width, 1);
    is = pithi_cells_missing(&plot->lines[plot->cell_row[row]], 0, missing) && missing[(uint32_t)column];
    free(missing);
    return is;
}

/* Callback of pithi_holes_lost. If the hole begins where the loss of `context` begins, sets the end of the loss. */
static void note_end(void *context, int64_t from_ns, int64_t to_ns)
{
    struct pithi_interruption *loss = context;

    if (from_ns == loss->from_ns && to_ns > loss->to_ns)
        loss->to_ns = to_ns;
}

/* Returns 1 if the time lies in a hole that a loss of records has left in a lane, and sets *loss. */
static int is_lost(const struct pithi_log_object *object, uint32_t lane, int64_t time_ns,
                   struct pithi_interruption *loss)
{
    const struct pithi_interruptions *interruptions = &object->interruptions;

    loss->lost = 0;
    for (uint32_t i = pithi_interruptions_of(interruptions, lane);
         i < interruptions->count && interruptions->items[i].lane == lane; i++)
        if (interruptions->items[i].lost &&
            interruptions->items[i].from_ns <= time_ns) /* the last loss before the time */
            *loss = interruptions->items[i];
    if (loss->lost) /* no record says where the hole ends; pithi_holes_lost finds its end */
        pithi_holes_lost(object->log, lane, loss->from_ns, time_ns + 1, note_end, loss);
    return loss->lost && time_ns < loss->to_ns;
}

static Tcl_Obj *interruption_dict(const struct pithlog_lane *lane, const char *what, int64_t from_ns, int64_t to_ns)
{
    Tcl_Obj *dict = Tcl_NewDictObj();

    pithi_put_text(dict, "what", what);
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put_wide(dict, "start", from_ns);
    pithi_put_wide(dict, "end", to_ns);
    return dict;
}

/* `interruptionat` returns the pause, the loss or the missing records at a time. The record of a loss has no length, so
 * a loss is found up to `reach` ns (some pixels) away. */
int pithi_log_interruption_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_interruptions *interruptions = &object->interruptions;
    const struct pithlog_lane *lane;
    const struct pithi_row *row;
    struct pithi_interruption loss;
    int64_t time, reach;
    uint32_t number;
    int missing;
    Tcl_Obj *dict;

    (void)objc;
    if (pithi_get_row(object, interp, objv[2], &number) != TCL_OK || pithi_get_time(interp, objv[3], &time) != TCL_OK ||
        pithi_get_time(interp, objv[4], &reach) != TCL_OK)
        return TCL_ERROR;
    row = &object->rows[number];
    if (!shows_interruptions(row))
        return TCL_OK;
    lane = pithlog_get_lane(object->log, row->lane);
    for (uint32_t i = pithi_interruptions_of(interruptions, row->lane);
         i < interruptions->count && interruptions->items[i].lane == row->lane; i++) {
        const struct pithi_interruption *interruption = &interruptions->items[i];
        int64_t around = interruption->lost ? reach : 0; /* only a loss has no length */
        if (time < interruption->from_ns - around || time > interruption->to_ns + around)
            continue;
        dict =
            interruption_dict(lane, interruption->lost ? "lost" : "pause", interruption->from_ns, interruption->to_ns);
        pithi_put_wide(dict, "lost", (Tcl_WideInt)interruption->lost);
        Tcl_SetObjResult(interp, dict);
        return TCL_OK;
    }
    missing = is_missing(&object->plot, row->lane, time);
    /* if the picture shows missing records at this pixel, a loss up to `reach` before the time may be the cause */
    if (is_lost(object, row->lane, time, &loss) || (missing && is_lost(object, row->lane, time - reach, &loss))) {
        dict = interruption_dict(lane, "lost", loss.from_ns, loss.from_ns);
        pithi_put_wide(dict, "lost", (Tcl_WideInt)loss.lost);
        Tcl_SetObjResult(interp, dict);
    } else if (missing) {
        Tcl_SetObjResult(interp, interruption_dict(lane, "missing", time, time));
    }
    return TCL_OK;
}
