/* log_interval.c - adds up the states, events and messages of an interval for each row, in jobs.
 *
 * The result of a job is a command, from which the window gets only the sums that it shows: `row 7` for a tooltip,
 * `rows ID` for a graph of one state over all rows. It is no list, because all sums of a thousand rows with fifty
 * states would be a Tcl list of 50,000 items.
 *
 *     LOG interval 0 1000000 done     done gets ::pithtk::interval1
 *     ::pithtk::interval1 row 7       lanes of the row, then {id count total self} of each state in it
 *     rename ::pithtk::interval1 {}   frees it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/measure/interval.h"
#include "tk/background.h"
#include "tk/log_object.h"

struct interval_job {
    struct pithi_job job;
    Tcl_Interp *interp;
    struct pithlog *log;
    struct pithi_interval_query query;
    struct pithi_row *rows; /* copies of rows; `lanes` has their lanes */
    uint32_t *lanes;        /* malloc'ed */
    struct pithi_interval interval;
    struct pithi_traffic traffic;
};

/* Turns the error of a damaged log into PITH_OK, because the readable part of the log was used, and the picture of the
 * log reports the damage. */
static int unless_damaged(int err) { return err == PITH_ERR_DAMAGED ? PITH_OK : err; }

static int interval_run(struct pithi_job *data)
{
    struct interval_job *job = (struct interval_job *)data;
    int err;

    /* The job opens a summary of its own, because only the window's thread may use the window's summary. */
    if (pithlog_get_info(job->log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(job->log, &job->query.summary);
    err = pithi_interval_run(job->log, &job->query, &job->interval);
    pithlog_summary_close(job->query.summary);
    return unless_damaged(err);
}

static int traffic_run(struct pithi_job *data)
{
    struct interval_job *job = (struct interval_job *)data;
    return unless_damaged(pithi_traffic_run(job->log, &job->query, &job->traffic));
}

static Tcl_Obj *sum_list(uint32_t id, const struct pithi_sum *sum)
{
    return pithi_wide_list((const int64_t[]){id, (int64_t)sum->count, sum->total_ns, sum->self_ns}, 4);
}

/* ---- The result as a command ------------------------------------------------------------------------------------- */

struct interval_object {
    struct pithi_interval interval;
    uint32_t *lane_counts; /* [row_count]; 0: a row without sums */
    uint32_t row_count;
};

/* Returns the index of a row's first entry, by binary search, because entries are sorted by row. */
static uint32_t first_of_row(const struct pithi_interval *interval, uint32_t row)
{
    uint32_t low = 0, high = interval->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (interval->entries[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int interval_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct {
        const char *name, *argument;
    } methods[] = {{"all", NULL},     {"computing", NULL}, {"lanes", NULL},
                   {"row", "number"}, {"rows", "id"},      {NULL, NULL}};
    enum { ALL, COMPUTING, LANES, ROW, ROWS }; /* in the order of the methods */
    const struct interval_object *object = data;
    const struct pithi_interval *interval = &object->interval;
    struct pithi_sum *sums;
    Tcl_Obj *result;
    int which, number = 0;

    if (objc < 2) {
        Tcl_WrongNumArgs(interp, 1, objv, "all|computing|lanes|row|rows ?number?");
        return TCL_ERROR;
    }
    if (Tcl_GetIndexFromObjStruct(interp, objv[1], methods, sizeof methods[0], "method", TCL_EXACT, &which) != TCL_OK)
        return TCL_ERROR;
    if (objc != 2 + (methods[which].argument != NULL)) {
        Tcl_WrongNumArgs(interp, 2, objv, methods[which].argument);
        return TCL_ERROR;
    }
    if (objc == 3 && Tcl_GetIntFromObj(interp, objv[2], &number) != TCL_OK)
        return TCL_ERROR;
    result = Tcl_NewObj();
    switch (which) {
    case ALL:
        for (uint32_t id = 0; id < interval->defs; id++)
            if (interval->sums[id].count)
                Tcl_ListObjAppendElement(NULL, result, sum_list(id, &interval->sums[id]));
        break;
    case COMPUTING:
        Tcl_SetWideIntObj(result, interval->computing_ns);
        break;
    case LANES:
        Tcl_SetWideIntObj(result, interval->lanes);
        break;
    case ROW:
        if (number < 0 || (uint32_t)number >= object->row_count)
            break;
        Tcl_ListObjAppendElement(NULL, result, Tcl_NewWideIntObj(object->lane_counts[number]));
        for (uint32_t i = first_of_row(interval, (uint32_t)number);
             i < interval->count && interval->entries[i].row == (uint32_t)number; i++)
            Tcl_ListObjAppendElement(NULL, result, sum_list(interval->entries[i].id, &interval->entries[i].sum));
        break;
    case ROWS: /* returns the sums of one definition in all rows */
        sums = pithi_alloc(object->row_count, sizeof *sums);
        for (uint32_t i = 0; i < interval->count; i++)
            if (interval->entries[i].id == (uint32_t)number)
                sums[interval->entries[i].row] = interval->entries[i].sum;
        /* Leaves out rows that cannot have sums (counters and headings). A row in which the definition does not occur
         * has sums of 0. */
        for (uint32_t row = 0; row < object->row_count; row++) {
            int64_t numbers[] = {row, object->lane_counts[row], (int64_t)sums[row].count, sums[row].total_ns,
                                 sums[row].self_ns};
            if (object->lane_counts[row])
                Tcl_ListObjAppendElement(NULL, result, pithi_wide_list(numbers, 5));
        }
        free(sums);
        break;
    }
    Tcl_SetObjResult(interp, result);
    return TCL_OK;
}

static void interval_free(ClientData data)
{
    struct interval_object *object = data;

    pithi_interval_free(&object->interval);
    free(object->lane_counts);
    free(object);
}

static Tcl_Obj *interval_result(struct pithi_job *data)
{
    static unsigned number;
    struct interval_job *job = (struct interval_job *)data;
    struct interval_object *object = pithi_alloc(1, sizeof *object);
    char name[48];

    object->interval = job->interval;
    /* The command now owns the sums, so `release` must not free them. */
    memset(&job->interval, 0, sizeof job->interval);
    object->row_count = job->query.row_count;
    object->lane_counts = pithi_alloc(object->row_count, sizeof *object->lane_counts);
    /* Counts the lanes of each row. The count of headings and counters stays 0. */
    for (uint32_t row = 0; row < object->row_count; row++)
        if (pithi_row_is_whole(&job->rows[row]))
            pithi_row_lanes(&job->rows[row], &object->lane_counts[row]);
    snprintf(name, sizeof name, "::pithtk::interval%u", ++number);
    Tcl_CreateObjCommand(job->interp, name, interval_command, object, interval_free);
    return Tcl_NewStringObj(name, -1);
}

static Tcl_Obj *traffic_result(struct pithi_job *data)
{
    const struct pithi_traffic *traffic = &((struct interval_job *)data)->traffic;
    Tcl_Obj *result = Tcl_NewDictObj();

    pithi_put_wide(result, "sent", (int64_t)traffic->sent);
    pithi_put_wide(result, "sent_bytes", (int64_t)traffic->sent_bytes);
    pithi_put_wide(result, "received", (int64_t)traffic->received);
    pithi_put_wide(result, "received_bytes", (int64_t)traffic->received_bytes);
    return result;
}

static void interval_release(struct pithi_job *data)
{
    struct interval_job *job = (struct interval_job *)data;

    pithi_interval_free(&job->interval);
    free(job->rows);
    free(job->lanes);
    free(job);
}

static int start(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const objv[],
                 const struct pithi_job_kind *kind)
{
    struct interval_job *job;
    int64_t t0, t1;

    if (pithi_get_window(interp, objv + 2, &t0, &t1) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    job->interp = interp;
    job->log = object->log;
    job->query.t0_ns = t0;
    job->query.t1_ns = t1;
    job->query.watch = pithi_job_watch(&job->job);
    job->query.digest = object->digest;
    /* The job gets copies of the rows, because the tree may change before the job ends. */
    job->query.rows = job->rows = pithi_rows_copy(object->rows, object->row_count, &job->lanes);
    job->query.row_count = object->row_count;
    return pithi_job_start(interp, object, &job->job, kind, objv[4]);
}

int pithi_log_interval(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {interval_run, interval_result, interval_release};

    (void)objc;
    return start(object, interp, objv, &kind);
}

int pithi_log_traffic(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {traffic_run, traffic_result, interval_release};

    (void)objc;
    return start(object, interp, objv, &kind);
}
