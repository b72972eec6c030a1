/* log_waiting.c - analyzes a log in a job. Its methods return which rank a call waited for, where the run waited most,
 * and when threads had no core.
 *
 * The job also asks the analysis for findings, iterations and answer, although the job itself does not need them. The
 * analysis makes them when they are first asked for, which takes long, and Tcl's thread must not wait for this. After
 * the job the analysis belongs to Tcl's thread, and all functions of the analysis return at once. */
#include "tk/log_object.h"

#include <pithlog_findings.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/scene/waiting.h"
#include "tk/background.h"

struct analyze_job {
    struct pithi_job job;
    struct pithlog *log;
    /* the state whose instances are the iterations; UINT32_MAX: the analysis finds them */
    uint32_t state;
    struct pithlog_analysis *analysis; /* NULL once the log object has it */
    const struct pithlog_iterations *iterations;
    char *trouble; /* malloc'ed; NULL: none */
};

/* Runs in the job's thread. Damage of the log is no error here: the readable part is analyzed, and the damage becomes
 * the text `trouble`, which the window shows beside the result. */
static int analyze_run(struct pithi_job *base)
{
    struct analyze_job *job = (struct analyze_job *)base;
    const struct pithlog_finding *findings;
    const struct pithlog_answer *answer;
    uint32_t count;
    struct pithlog_analyze_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .progress = pithi_job_is_over, .context = base};
    int err = pithlog_analyze(job->log, &query, &job->analysis);

    if (err == PITH_ERR_DAMAGED)
        job->trouble = strdup(pithlog_error());
    else if (err)
        return err;
    /* Asks for findings, iterations and answer, so that the analysis makes them now, and later calls return at once. */
    err = pithlog_analysis_findings(job->analysis, &findings, &count);
    err = err ? err : pithlog_analysis_iterations(job->analysis, job->state, &job->iterations);
    return err ? err : pithlog_analysis_answer(job->analysis, &answer);
}

/* Runs in Tcl's thread. The log object gets the new analysis instead of its old one. */
static Tcl_Obj *analyze_result(struct pithi_job *base)
{
    struct analyze_job *job = (struct analyze_job *)base;

    pithi_log_findings_free(base->object);
    pithlog_analysis_free(base->object->analysis);
    base->object->analysis = job->analysis;
    /* makes the next picture draw wait states from the new analysis */
    base->object->plot.analysis = job->analysis;
    base->object->iterations = job->iterations;
    job->analysis = NULL;
    return Tcl_NewStringObj(job->trouble ? job->trouble : "", -1);
}

static void analyze_release(struct pithi_job *base)
{
    struct analyze_job *job = (struct analyze_job *)base;

    pithlog_analysis_free(job->analysis);
    free(job->trouble);
    free(job);
}

int pithi_log_analyze(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {analyze_run, analyze_result, analyze_release};
    struct analyze_job *job;
    int state;

    (void)objc;
    if (Tcl_GetIntFromObj(interp, objv[2], &state) != TCL_OK)
        return TCL_ERROR;
    job = pithi_alloc(1, sizeof *job);
    job->log = object->log;
    job->state = (uint32_t)state; /* -1 becomes UINT32_MAX */
    return pithi_job_start(interp, object, &job->job, &kind, objv[3]);
}

/* `showwaiting WAITS PATH` sets whether wait states are hatched, and whether the critical path is drawn. */
int pithi_log_show_waiting(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    (void)objc;
    if (Tcl_GetBooleanFromObj(interp, objv[2], &object->shows_waits) != TCL_OK)
        return TCL_ERROR;
    return Tcl_GetBooleanFromObj(interp, objv[3], &object->shows_path);
}

/* `waitof` returns the wait state of a call as a dict, which the window shows for the call under the pointer; {} if the
 * call did not wait. */
int pithi_log_wait_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithlog_wait_state *wait;
    const struct pithlog_lane *cause;
    int64_t from, to;
    uint32_t lane;
    Tcl_Obj *dict;
    int id;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[4], &id) != TCL_OK || pithi_get_times(interp, objv + 5, &from, &to) != TCL_OK)
        return TCL_ERROR;
    wait = object->analysis ? pithi_wait_of(object->analysis, lane, (uint32_t)id, from, to) : NULL;
    /* the result is empty if there is no analysis yet, or no wait state */
    if (!wait)
        return TCL_OK;
    cause = pithlog_get_lane(object->log, wait->cause_lane);
    dict = Tcl_NewDictObj();
    pithi_put_text(dict, "kind", pithlog_wait_kind_name(wait->kind));
    pithi_put_wide(dict, "start", wait->from_ns);
    pithi_put_wide(dict, "end", wait->to_ns);
    pithi_put_wide(dict, "rank", cause->rank);
    pithi_put_wide(dict, "thread", cause->thread);
    pithi_put_wide(dict, "release", wait->release_ns);
    pithi_put_wide(dict, "handed", (int64_t)wait->handed_ns);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* ---- Findings ---------------------------------------------------------------------------------------------------- */

/* At most MOST_INSTANCES of the longest wait states of the finding `chosen` are kept, because the user steps from one
 * wait state to the next. */
enum { MOST_INSTANCES = 1000, NONE = -1 };

struct pithi_log_findings {
    const struct pithlog_finding *items;
    uint32_t count;
    int chosen;
    const struct pithlog_wait_state **instances;
    uint32_t instance_count;
};

void pithi_log_findings_free(struct pithi_log_object *object)
{
    if (!object->findings)
        return;
    free(object->findings->instances);
    free(object->findings);
    object->findings = NULL;
}

/* Returns the findings; NULL if the log is not analyzed. */
static struct pithi_log_findings *findings_of(struct pithi_log_object *object)
{
    if (object->findings || !object->analysis)
        return object->findings;
    object->findings = pithi_alloc(1, sizeof *object->findings);
    object->findings->chosen = NONE;
    if (pithlog_analysis_findings(object->analysis, &object->findings->items, &object->findings->count))
        object->findings->count = 0;
    return object->findings;
}

static void put_place(Tcl_Obj *dict, const struct pithi_log_object *object, uint32_t lane)
{
    pithi_put_wide(dict, "rank", pithlog_get_lane(object->log, lane)->rank);
    pithi_put_wide(dict, "thread", pithlog_get_lane(object->log, lane)->thread);
}

/* `findings` returns a list of dicts, in the order of the analysis. */
int pithi_log_findings(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithi_log_findings *findings = findings_of(object);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    (void)objc, (void)objv;
    for (uint32_t i = 0; findings && i < findings->count; i++) {
        const struct pithlog_finding *finding = &findings->items[i];
        Tcl_Obj *dict = Tcl_NewDictObj();
        pithi_put_text(dict, "name", finding->name);
        pithi_put_text(dict, "text", finding->text);
        pithi_put_wide(dict, "ns", (int64_t)finding->ns);
        pithi_put(dict, "share", Tcl_NewDoubleObj(finding->share));
        pithi_put_wide(dict, "waits", finding->worst != NULL);
        pithi_put_wide(dict, "part_of", (int64_t)finding->part_of - 1); /* -1: it is no part of another finding */
        /* Findings with the same name differ in their state, or in the lane with most of their cost. */
        if (finding->state != PITHLOG_COMPUTING)
            pithi_put_text(dict, "state", pithlog_get_def(object->log, finding->state)->name);
        if (!finding->kind && finding->lane != UINT32_MAX)
            put_place(dict, object, finding->lane);
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* `finding NUMBER NTH` returns the place of the NTH longest wait state of a finding; {} if the finding has fewer wait
 * states. */
int pithi_log_finding(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_log_findings *findings = findings_of(object);
    const struct pithlog_finding *finding;
    int number, nth;
    Tcl_Obj *dict;

    (void)objc;
    if (Tcl_GetIntFromObj(interp, objv[2], &number) != TCL_OK || Tcl_GetIntFromObj(interp, objv[3], &nth) != TCL_OK)
        return TCL_ERROR;
    if (!findings || number < 0 || (uint32_t)number >= findings->count || nth < 0)
        return TCL_OK;
    finding = &findings->items[number];
    /* a finding that is not about wait states has at most one place */
    if (!finding->worst && (nth > 0 || finding->place.lane == UINT32_MAX))
        return TCL_OK;
    /* if the last call was for another finding, collects the wait states of this finding */
    if (finding->worst && findings->chosen != number) {
        free(findings->instances);
        findings->instances = pithi_waits_longest(object->log, object->analysis, finding->kind, MOST_INSTANCES,
                                                  &findings->instance_count);
        findings->chosen = number;
    }
    if (finding->worst && (uint32_t)nth >= findings->instance_count)
        return TCL_OK;
    dict = Tcl_NewDictObj();
    if (finding->worst) {
        put_place(dict, object, findings->instances[nth]->lane);
        pithi_put_wide(dict, "start", findings->instances[nth]->from_ns);
    } else {
        put_place(dict, object, finding->place.lane);
        if (finding->state != PITHLOG_COMPUTING)
            pithi_put_wide(dict, "start", finding->place.from_ns);
    }
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* `answer` returns a sentence about what costs most, and the place of its worst instance. */
int pithi_log_answer(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    const struct pithlog_answer *answer;
    Tcl_Obj *dict;

    (void)objc, (void)objv;
    if (!object->analysis || pithlog_analysis_answer(object->analysis, &answer) != PITH_OK)
        return TCL_OK;
    dict = Tcl_NewDictObj();
    pithi_put_text(dict, "text", answer->text);
    if (answer->ns > 0) {
        int64_t from_ns, to_ns;
        pithi_view_of_place(object->analysis, &answer->place, &from_ns, &to_ns);
        pithi_put_wide(dict, "start", from_ns);
        pithi_put_wide(dict, "end", to_ns);
        pithi_put_wide(dict, "at", answer->place.from_ns);
        if (answer->place.lane != UINT32_MAX)
            put_place(dict, object, answer->place.lane);
    }
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* `missing` returns text that says which records the log does not have; "" for a complete log. */
int pithi_log_missing(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[PITHLOG_MISSING_TEXT] = "";

    (void)objc, (void)objv;
    if (object->analysis)
        pithlog_analysis_missing(object->analysis, text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

/* ---- Efficiencies ------------------------------------------------------------------------------------------------ */

/* Returns the lane that computes longest, as a dict of rank and thread. */
static Tcl_Obj *busiest_lane(struct pithi_log_object *object)
{
    uint32_t lanes = pithlog_get_info(object->log)->lanes, busiest = UINT32_MAX;
    Tcl_Obj *place = Tcl_NewDictObj();
    int64_t most = -1;

    for (uint32_t i = 0; i < lanes; i++)
        if (pithlog_analysis_calls_mpi(object->analysis, i) && pithlog_analysis_useful_ns(object->analysis, i) > most) {
            busiest = i;
            most = pithlog_analysis_useful_ns(object->analysis, i);
        }
    if (busiest != UINT32_MAX)
        put_place(place, object, busiest);
    return place;
}

/* Returns the place of the longest wait state of all findings. */
static Tcl_Obj *longest_wait(struct pithi_log_object *object)
{
    const struct pithi_log_findings *findings = findings_of(object);
    const struct pithlog_wait_state *longest = NULL;
    Tcl_Obj *place = Tcl_NewDictObj();

    for (uint32_t i = 0; i < findings->count; i++) {
        const struct pithlog_wait_state *worst = findings->items[i].worst;
        if (worst && (!longest || worst->to_ns - worst->from_ns > longest->to_ns - longest->from_ns))
            longest = worst;
    }
    if (longest) {
        put_place(place, object, longest->lane);
        pithi_put_wide(place, "start", longest->from_ns);
    }
    return place;
}

/* Returns the place of the call with the longest transfer. */
static Tcl_Obj *longest_transfer(struct pithi_log_object *object)
{
    uint32_t defs = pithlog_get_info(object->log)->defs;
    struct pithlog_call_sum *sums = pithi_alloc(defs, sizeof *sums);
    const struct pithlog_call_sum *longest = NULL;
    Tcl_Obj *place = Tcl_NewDictObj();

    if (!pithlog_analysis_calls(object->analysis, sums))
        for (uint32_t i = 0; i < defs; i++)
            if (sums[i].longest_ns > (longest ? longest->longest_ns : 0))
                longest = &sums[i];
    if (longest) {
        put_place(place, object, longest->longest_lane);
        pithi_put_wide(place, "start", longest->longest_from_ns);
    }
    free(sums);
    return place;
}

/* `efficiencies` returns the tree of efficiencies, each with a place in the log that shows why it is low. */
int pithi_log_efficiencies(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    enum { PARALLEL, LOAD_BALANCE, COMMUNICATION, SERIALISATION, TRANSFER };
    struct pithlog_efficiency all[PITHLOG_EFFICIENCIES];
    const struct pithlog_analysis_info *info;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL), *places[PITHLOG_EFFICIENCIES];

    (void)objc, (void)objv;
    info = object->analysis ? pithlog_analysis_get_info(object->analysis) : NULL;
    /* a log without MPI has no efficiencies */
    if (!info || !info->has_mpi || !info->lanes || info->to_ns <= info->from_ns) {
        Tcl_SetObjResult(interp, list);
        return TCL_OK;
    }
    pithlog_analysis_efficiencies(object->analysis, all);
    /* the place of the parallel efficiency is the whole analyzed interval */
    places[PARALLEL] = Tcl_NewDictObj();
    pithi_put_wide(places[PARALLEL], "start", info->from_ns);
    pithi_put_wide(places[PARALLEL], "end", info->to_ns);
    places[LOAD_BALANCE] = busiest_lane(object);
    places[SERIALISATION] = longest_wait(object);
    places[TRANSFER] = longest_transfer(object);
    /* Communication efficiency is the product of serialisation and transfer efficiency. So the lower of these two gives
     * its place. */
    places[COMMUNICATION] = places[all[SERIALISATION].value <= all[TRANSFER].value ? SERIALISATION : TRANSFER];
    for (int i = 0; i < PITHLOG_EFFICIENCIES; i++) {
        Tcl_Obj *dict = Tcl_NewDictObj();
        pithi_put_text(dict, "name", all[i].name);
        pithi_put_text(dict, "meaning", all[i].meaning);
        pithi_put_wide(dict, "depth", all[i].depth);
        pithi_put(dict, "value", Tcl_NewDoubleObj(all[i].value));
        pithi_put(dict, "place", places[i]);
        Tcl_ListObjAppendElement(NULL, list, dict);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* ---- Time without a core ----------------------------------------------------------------------------------------- */

/* A job that reads when threads had no core. */
struct core_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_core_waits *waits; /* NULL once the log object has them */
    char *trouble;                  /* malloc'ed; NULL: none */
};

static int core_run(struct pithi_job *base)
{
    struct core_job *job = (struct core_job *)base;
    struct pithi_watch watch = pithi_job_watch(base);
    int err = pithi_core_waits_read(job->log, &watch, job->waits);

    if (err != PITH_ERR_DAMAGED)
        return err;
    job->trouble = strdup(pithlog_error());
    return PITH_OK;
}

static Tcl_Obj *core_result(struct pithi_job *base)
{
    struct core_job *job = (struct core_job *)base;

    if (!base->object->core_waits) {
        base->object->core_waits = job->waits;
        job->waits = NULL;
    }
    return Tcl_NewStringObj(job->trouble ? job->trouble : "", -1);
}

static void core_release(struct pithi_job *base)
{
    struct core_job *job = (struct core_job *)base;

    if (job->waits)
        pithi_core_waits_free(job->waits);
    free(job->waits);
    free(job->trouble);
    free(job);
}

/* `corewaits` returns 1 if the log has the counter of the times in which threads had no core. `corewaits CALLBACK`
 * reads this counter in a job. */
int pithi_log_core_waits(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {core_run, core_result, core_release};
    struct core_job *job;

    if (objc > 3) {
        Tcl_WrongNumArgs(interp, 2, objv, "?callback?");
        return TCL_ERROR;
    }
    if (objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(pithi_core_waits_possible(object->log)));
        return TCL_OK;
    }
    job = pithi_alloc(1, sizeof *job);
    job->log = object->log;
    job->waits = pithi_alloc(1, sizeof *job->waits);
    return pithi_job_start(interp, object, &job->job, &kind, objv[2]);
}

int pithi_log_show_core_waits(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    (void)objc;
    return Tcl_GetBooleanFromObj(interp, objv[2], &object->shows_core_waits);
}

const struct pithi_core_waits *pithi_log_core_waits_shown(const struct pithi_log_object *object)
{
    return object->shows_core_waits ? object->core_waits : NULL;
}

/* `corewaitof` returns for how many ns of an interval a lane had no core; {} if the times without a core were not read.
 */
int pithi_log_core_wait_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t from, to;
    uint32_t lane;

    (void)objc;
    if (pithi_get_lane(object, interp, objv + 2, &lane) != TCL_OK ||
        pithi_get_times(interp, objv + 4, &from, &to) != TCL_OK)
        return TCL_ERROR;
    if (object->core_waits)
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(pithi_core_waits_ns(object->core_waits, lane, from, to)));
    return TCL_OK;
}
