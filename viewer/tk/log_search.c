/* log_search.c - searches a log in jobs, and picks the messages that are drawn.
 *
 * A search continues from the position of the last hit, {TIME LANE TIE}. Records with the same time are ordered by
 * their lanes. Records with the same lane and time are numbered; TIE is this number. So `next` finds each record once,
 * even if a thousand records have the same time.
 *
 * The job has copies of all arguments and a summary of its own, because the data of the log object belongs to Tcl's
 * thread. */
#include "tk/log_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/legend.h"
#include "core/scene/flames.h"
#include "core/cells/memory.h"
#include "core/measure/messages.h"
#include "core/rows/words.h"
#include "tk/background.h"
#include "tk/commands.h"

struct search_job {
    struct pithi_job job;
    struct pithi_search search;
    struct pithlog *log;           /* the log that is searched; functions are in a log of their own (scene/flames.h) */
    unsigned char *wanted;         /* NULL: all definitions */
    uint32_t *lanes;               /* malloc'ed */
    char *payload;                 /* malloc'ed; "": any */
    struct pithlog_filter *filter; /* NULL: no query */
    int by_time;                   /* 1: searches messages by latency, in the digest */
    int backward;
    struct pithi_scan_position at;
    int have; /* 1: `found` is set */
    struct pithi_found found;
    uint64_t *counts; /* NULL: the job finds one hit; otherwise it counts hits */
    unsigned char *marks;
    uint64_t total;
    uint32_t columns;
};

/* ---- Search arguments -------------------------------------------------------------------------------------------- */

/* Returns the value of a key, or NULL. */
static Tcl_Obj *get(Tcl_Interp *interp, Tcl_Obj *dict, const char *key)
{
    Tcl_Obj *word = Tcl_NewStringObj(key, -1), *value = NULL;

    Tcl_IncrRefCount(word);
    Tcl_DictObjGet(interp, dict, word, &value);
    Tcl_DecrRefCount(word);
    return value;
}

/* Reads the kinds of records to search. Functions of samples cannot be combined with other kinds, because they are the
 * states of another log, which was made from the samples (scene/flames.h). */
static int get_kinds(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *list, struct search_job *job)
{
    static const char *const names[] = {"state", "event", "message", "function", NULL};
    static const uint32_t records[] = {PITHLOG_ENTER, PITHLOG_EVENT, PITHLOG_SEND, PITHLOG_ENTER};
    uint32_t *kinds = &job->search.kinds;
    Tcl_Obj **items;
    Tcl_Size count;
    int which;

    /* Without a list, states and events are searched. */
    *kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_EVENT;
    if (!list)
        return TCL_OK;
    if (Tcl_ListObjGetElements(interp, list, &count, &items) != TCL_OK)
        return TCL_ERROR;
    *kinds = 0;
    for (Tcl_Size i = 0; i < count; i++) {
        if (Tcl_GetIndexFromObj(interp, items[i], names, "kind", 0, &which) != TCL_OK)
            return TCL_ERROR;
        *kinds |= 1u << records[which];
        if (which == 3 && !object->flames) {
            Tcl_SetObjResult(interp, Tcl_NewStringObj("the functions of samples are not known", -1));
            Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
            return TCL_ERROR;
        }
        if (which == 3)
            job->log = object->flames->log;
    }
    return TCL_OK;
}

/* Reads a list of ranks and threads, and sets the lanes to search, in the order of the log. "" means all lanes. */
static int get_lanes(Tcl_Interp *interp, const struct pithlog *log, Tcl_Obj *word, struct search_job *job)
{
    const char *list = word ? Tcl_GetString(word) : "";
    uint32_t count;
    struct pithi_row *rows = pithi_rows_make(log, NULL, &count);

    /* A list that matches no rank of the log is an error. Otherwise the search would find nothing, without saying why.
     */
    if (*list && (pithi_rows_choose(log, list, rows, &count) || !count)) {
        free(rows);
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("no such ranks: %s; give a list such as 0-3,7.1", list));
        Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
        return TCL_ERROR;
    }
    job->lanes = pithi_alloc(count + (size_t)1, sizeof *job->lanes);
    for (uint32_t i = 0; i < count; i++)
        job->lanes[i] = rows[i].lane;
    job->search.lanes = job->lanes;
    job->search.lane_count = count;
    free(rows);
    return TCL_OK;
}

static int get_wide(Tcl_Interp *interp, Tcl_Obj *word, int64_t *value)
{
    return word ? pithi_get_time(interp, word, value) : TCL_OK;
}

/* Parses a query. If it is wrong, sets the error code {PITH USAGE COLUMN}, where COLUMN is the place of the mistake. */
static int get_query(Tcl_Interp *interp, const char *text, struct pithlog_filter **filter)
{
    unsigned column;
    char place[16];

    if (pithlog_filter_parse(text, filter, &column) == PITH_OK)
        return TCL_OK;
    Tcl_SetObjResult(interp, Tcl_NewStringObj(pithlog_error(), -1));
    snprintf(place, sizeof place, "%u", column);
    Tcl_SetErrorCode(interp, "PITH", "USAGE", place, (char *)NULL);
    return TCL_ERROR;
}

int pithi_query_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithlog_filter *filter;

    (void)objc;
    if (get_query(interp, Tcl_GetString(objv[1]), &filter) != TCL_OK)
        return TCL_ERROR;
    pithlog_filter_free(filter);
    return TCL_OK;
}

static int get_search(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *what, struct search_job *job)
{
    struct pithi_search *search = &job->search;
    int64_t bytes = 0, most_bytes = INT64_MAX, tag = PITHI_ANY_TAG, peer = -1;
    Tcl_Size size;
    uint32_t defs = pithlog_get_info(object->log)->defs;
    Tcl_Obj *payload, *ids, *query;

    search->max_ns = INT64_MAX;
    job->log = object->log;
    if (Tcl_DictObjSize(interp, what, &size) != TCL_OK)
        return TCL_ERROR;
    ids = get(interp, what, "ids");
    job->wanted = ids ? pithi_alloc(defs + (size_t)1, 1) : NULL;
    if (get_kinds(object, interp, get(interp, what, "kinds"), job) != TCL_OK ||
        (ids && pithi_get_ids(interp, ids, job->wanted, defs) != TCL_OK) ||
        get_lanes(interp, object->log, get(interp, what, "ranks"), job) != TCL_OK ||
        get_wide(interp, get(interp, what, "min"), &search->min_ns) != TCL_OK ||
        get_wide(interp, get(interp, what, "max"), &search->max_ns) != TCL_OK ||
        get_wide(interp, get(interp, what, "bytes"), &bytes) != TCL_OK ||
        get_wide(interp, get(interp, what, "most"), &most_bytes) != TCL_OK ||
        get_wide(interp, get(interp, what, "partner"), &peer) != TCL_OK ||
        get_wide(interp, get(interp, what, "tag"), &tag) != TCL_OK)
        return TCL_ERROR;
    if ((query = get(interp, what, "query")) != NULL) {
        if (get_query(interp, Tcl_GetString(query), &job->filter) != TCL_OK)
            return TCL_ERROR;
        search->filter = job->filter;
    }
    payload = get(interp, what, "payload");
    job->payload = strdup(payload ? Tcl_GetString(payload) : "");
    search->payload = job->payload;
    search->wanted = job->wanted;
    search->min_bytes = bytes < 0 ? 0 : (uint64_t)bytes;
    search->max_bytes = most_bytes < 0 ? 0 : most_bytes == INT64_MAX ? UINT64_MAX : (uint64_t)most_bytes;
    search->tag = (int32_t)tag;
    search->peer = (int32_t)peer;
    /* A search by latency needs both ends of a message. The record of a send has only one end, so such a search reads
     * the digest. */
    job->by_time = search->kinds == 1u << PITHLOG_SEND && (search->min_ns > 0 || search->max_ns < INT64_MAX);
    if (job->by_time && !object->digest) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("the log's messages are still being read", -1));
        Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
        return TCL_ERROR;
    }
    return TCL_OK;
}

/* ---- The job ----------------------------------------------------------------------------------------------------- */

static int stopped(void *context, double part)
{
    struct pithi_job *job = context;

    pithi_job_progress(job, part);
    return pithi_job_stopped(job);
}

static int count(struct pithlog *log, struct search_job *job, int64_t t0, int64_t t1)
{
    int result;

    if (pithi_search_is_simple(&job->search))
        return pithi_search_survey(log, &job->search, t0, t1, &job->total, job->marks, job->columns);
    if (job->by_time)
        result = pithi_message_count(log, job->job.object->digest, &job->search, t0, t1, job->counts, job->columns);
    else
        result = pithi_search_count(log, &job->search, t0, t1, job->counts, job->columns);
    for (uint32_t i = 0; i < job->columns; i++) {
        job->total += job->counts[i];
        job->marks[i] = job->counts[i] > 0;
    }
    return result;
}

static int run(struct pithi_job *base)
{
    struct search_job *job = (struct search_job *)base;
    struct pithlog *log = job->log;
    int64_t t0, t1;
    int result;

    job->search.stopped = stopped;
    job->search.context = base;
    /* Opens a summary for the job, because only one thread may use a summary. Only a complete native log has a summary
     * in its file. For other logs it stays NULL, because making a summary first would take too long. */
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_summary *summary = NULL;
    if (info->records >= PITHI_SUMMARY_RECORDS && !strcmp(info->format, "native") && info->complete)
        pithlog_summary_open(log, &summary);
    job->search.summary = summary;
    pithi_whole_window(base->object->log, &t0, &t1);
    if (job->counts)
        result = count(log, job, t0, t1);
    else if (job->by_time)
        result = pithi_message_search(log, base->object->digest, &job->search, job->backward, job->at, &job->found);
    else if (job->backward)
        result = pithi_search_previous(log, &job->search, job->at, &job->found);
    else
        result = pithi_search_next(log, &job->search, job->at, &job->found);
    job->have = result > 0;
    pithlog_summary_close(job->search.summary);
    return result < 0 ? PITH_ERR_DAMAGED : 0;
}

static Tcl_Obj *found_dict(const struct pithlog *log, const struct pithi_found *found,
                           const struct pithi_flames *flames)
{
    const struct pithlog_lane *lane = pithlog_get_lane(log, found->lane);
    Tcl_Obj *dict = Tcl_NewDictObj(), *at[3];
    char name[256];

    at[0] = Tcl_NewWideIntObj((Tcl_WideInt)found->at.time_ns);
    at[1] = Tcl_NewWideIntObj(found->at.lane);
    at[2] = Tcl_NewWideIntObj(found->at.tie);
    pithi_put(dict, "at", Tcl_NewListObj(3, at));
    pithi_put_text(dict, "kind",
                   flames                         ? "function"
                   : found->kind == PITHLOG_ENTER ? "state"
                   : found->kind == PITHLOG_EVENT ? "event"
                                                  : "message");
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put_wide(dict, "start", found->at.time_ns);
    pithi_put_wide(dict, "end", found->end_ns);
    pithi_put_wide(dict, "ended", found->ended);
    /* A message gets keys of its own, and not those below, because it has no definition and no depth. */
    if (found->kind == PITHLOG_SEND) {
        pithi_put_wide(dict, "peer", found->peer);
        pithi_put_wide(dict, "tag", found->tag);
        pithi_put_wide(dict, "bytes", (int64_t)found->bytes);
        return dict;
    }
    pithi_put_wide(dict, "id", found->id);
    pithi_put_wide(dict, "depth", found->kind == PITHLOG_ENTER ? found->depth : 0);
    pithi_put_text(dict, "name", pithi_def_label(log, found->id, name, sizeof name));
    if (flames) {
        pithi_put_text(dict, "place", pithi_flames_place(flames, found->id));
        pithi_put_wide(dict, "flame", found->depth + (int64_t)1); /* flame counts from 1 */
    }
    if (found->kind == PITHLOG_EVENT)
        pithi_put_text(dict, "payload", found->payload);
    return dict;
}

static Tcl_Obj *result(struct pithi_job *base)
{
    const struct search_job *job = (const struct search_job *)base;
    Tcl_Obj *list;

    if (!job->counts)
        return job->have
                   ? found_dict(job->log, &job->found, job->log == base->object->log ? NULL : base->object->flames)
                   : Tcl_NewObj();
    list = Tcl_NewListObj(0, NULL);
    Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj((Tcl_WideInt)job->total));
    for (uint32_t i = 0; i < job->columns; i++)
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewIntObj(job->marks[i]));
    return list;
}

static void release(struct pithi_job *base)
{
    struct search_job *job = (struct search_job *)base;

    free(job->wanted);
    free(job->lanes);
    free(job->payload);
    pithlog_filter_free(job->filter);
    free(job->counts);
    free(job->marks);
    free(job);
}

static const struct pithi_job_kind search_kind = {run, result, release};

/* ---- The methods ------------------------------------------------------------------------------------------------- */

static int get_place(Tcl_Interp *interp, Tcl_Obj *word, struct pithi_scan_position *at)
{
    Tcl_Obj **items;
    int64_t values[3];
    Tcl_Size count;

    if (Tcl_ListObjGetElements(interp, word, &count, &items) != TCL_OK)
        return TCL_ERROR;
    if (count != 3) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("a place is {TIME LANE TIE}", -1));
        return TCL_ERROR;
    }
    for (int i = 0; i < 3; i++)
        if (pithi_get_time(interp, items[i], &values[i]) != TCL_OK)
            return TCL_ERROR;
    *at = (struct pithi_scan_position){values[0], (uint32_t)values[1], (uint32_t)values[2]};
    return TCL_OK;
}

int pithi_log_find(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const char *const ways[] = {"next", "previous", NULL};
    struct search_job *job = pithi_alloc(1, sizeof *job);

    (void)objc;
    if (Tcl_GetIndexFromObj(interp, objv[2], ways, "way", 0, &job->backward) != TCL_OK ||
        get_search(object, interp, objv[3], job) != TCL_OK || get_place(interp, objv[4], &job->at) != TCL_OK) {
        release(&job->job);
        return TCL_ERROR;
    }
    return pithi_job_start(interp, object, &job->job, &search_kind, objv[5]);
}

int pithi_log_count(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct search_job *job = pithi_alloc(1, sizeof *job);
    int columns;

    (void)objc;
    if (get_search(object, interp, objv[2], job) != TCL_OK || Tcl_GetIntFromObj(interp, objv[3], &columns) != TCL_OK) {
        release(&job->job);
        return TCL_ERROR;
    }
    job->columns = (uint32_t)(columns < 1 ? 1 : columns);
    job->counts = pithi_alloc(job->columns, sizeof *job->counts);
    job->marks = pithi_alloc(job->columns, 1);
    return pithi_job_start(interp, object, &job->job, &search_kind, objv[4]);
}

/* ---- The filter of messages -------------------------------------------------------------------------------------- */

/* Picks the messages that are drawn, in a job. */
struct pick_job {
    struct pithi_job job;
    struct pithlog *log;
    const struct pithlog_digest *digest;
    struct pithi_message_filter filter;
    struct pithlog_digest *picked; /* NULL once the log object has it */
};

/* Sets the messages that the log draws. */
static void set_picked(struct pithi_log_object *object, struct pithlog_digest *picked)
{
    pithlog_digest_close(object->picked);
    object->picked = picked;
    object->plot.picked = picked;
}

static int pick_run(struct pithi_job *job)
{
    struct pick_job *pick = (struct pick_job *)job;
    struct pithi_watch watch = pithi_job_watch(job);

    return pithi_message_filter_run(pick->log, pick->digest, &pick->filter, &watch, &pick->picked);
}

static Tcl_Obj *pick_result(struct pithi_job *job)
{
    struct pick_job *pick = (struct pick_job *)job;
    Tcl_Obj *count = Tcl_NewWideIntObj((Tcl_WideInt)pithlog_digest_get_info(pick->picked)->messages);

    set_picked(job->object, pick->picked);
    pick->picked = NULL;
    return count;
}

static void pick_release(struct pithi_job *job)
{
    struct pick_job *pick = (struct pick_job *)job;

    pithlog_digest_close(pick->picked);
    pithi_message_filter_free(&pick->filter);
    free(pick);
}

static int parse(Tcl_Interp *interp, Tcl_Obj *list, struct pithi_message_filter *filter)
{
    const char **words;
    char why[512];
    Tcl_Size count;
    int err;

    if (Tcl_SplitList(interp, Tcl_GetString(list), &count, &words) != TCL_OK)
        return TCL_ERROR;
    err = pithi_message_filter_parse(filter, words, count, why, sizeof why);
    Tcl_Free((char *)words);
    if (!err)
        return TCL_OK;
    pithi_message_filter_free(filter);
    return pithi_usage_error(interp, why);
}

int pithi_log_pick(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {pick_run, pick_result, pick_release};
    struct pithi_message_filter filter;
    struct pick_job *job;

    (void)objc;
    if (parse(interp, objv[2], &filter) != TCL_OK)
        return TCL_ERROR;
    if (!*Tcl_GetString(objv[3])) {
        pithi_message_filter_free(&filter);
        return TCL_OK;
    }
    if (!object->digest || pithi_message_filter_is_all(&filter)) {
        pithi_message_filter_free(&filter);
        set_picked(object, NULL);
        return TCL_OK;
    }
    job = pithi_alloc(1, sizeof *job);
    job->log = object->log;
    job->digest = object->digest;
    job->filter = filter;
    return pithi_job_start(interp, object, &job->job, &kind, objv[3]);
}
