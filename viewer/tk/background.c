/* background.c - runs jobs in threads. A timer in Tcl's thread checks them. Only Tcl's thread calls Tcl, so a Tcl
 * without threads is enough.
 *
 * The checks come after 1, 2, 4, 8, 16 ms and then every 20 ms, so that the end of a job of 2 ms is noticed after 3 ms,
 * and a long job costs only 50 checks a second. The thread of a job sets `over` as its last step. Until `over` is set,
 * all other data of the job belongs to its thread, afterwards to Tcl's thread. Only `stopped` and `part` are used by
 * both threads at any time, so they are atomic. */
#include "tk/background.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pithlog.h>

#include "core/cells/memory.h"
#include "tk/log_object.h"

/* FIRST_LOOK_MS, LOOK_MS: the first and the longest time between checks. The first checks come quickly, because many
 * jobs end soon, and the user waits for them. TELL_EVERY: each time after so many checks, the progress is reported. */
enum { FIRST_LOOK_MS = 1, LOOK_MS = 20, TELL_EVERY = 8 /* looks */ };

struct pithi_job_state {
    struct pithi_job_state *next;
    struct pithi_job *job;
    const struct pithi_job_kind *kind;
    Tcl_Interp *interp; /* the interpreter; this struct does not own it */
    Tcl_Obj *callback;
    Tcl_Command command; /* the command of the job; NULL: Tcl has deleted it */
    pthread_t thread;
    atomic_int over;   /* set by the job's thread as its last step */
    int err;           /* the enum pith_err that `run` returned */
    char *error;       /* malloc'ed text of the error; Tcl's thread reads it when `over` is set */
    unsigned reported; /* index of the check that last reported the job's progress */
};

static struct pithi_job_state *first; /* all jobs; only Tcl's thread uses the list */
static unsigned looks;                /* count of checks so far */
static Tcl_TimerToken timer;
static int wait_ms; /* time from the last check to the next */

static void *thread_main(void *data)
{
    struct pithi_job_state *state = data;

    state->err = state->kind->run(state->job);
    if (state->err)
        state->error = strdup(pithlog_error());
    atomic_store(&state->over, 1);
    return NULL;
}

static void unlink_state(struct pithi_job_state *state)
{
    struct pithi_job_state **place = &first;
    while (*place != state)
        place = &(*place)->next;
    *place = state->next;
}

/* Frees a job whose thread has been joined. */
static void forget(struct pithi_job_state *state)
{
    if (state->command)
        Tcl_DeleteCommandFromToken(state->interp, state->command);
    Tcl_DecrRefCount(state->callback);
    Tcl_Release(state->interp);
    state->kind->release(state->job);
    free(state->error);
    free(state);
}

static void call_back(Tcl_Interp *interp, Tcl_Obj *callback, const char *word, Tcl_Obj *value)
{
    Tcl_Obj *script = Tcl_DuplicateObj(callback);

    Tcl_IncrRefCount(script);
    Tcl_ListObjAppendElement(NULL, script, Tcl_NewStringObj(word, -1));
    if (value)
        Tcl_ListObjAppendElement(NULL, script, value);
    if (!Tcl_InterpDeleted(interp) && Tcl_EvalObjEx(interp, script, TCL_EVAL_GLOBAL | TCL_EVAL_DIRECT) != TCL_OK)
        Tcl_BackgroundException(interp, TCL_ERROR);
    Tcl_DecrRefCount(script);
}

static struct pithi_job_state *one_over(void)
{
    struct pithi_job_state *state = first;
    while (state && !atomic_load(&state->over))
        state = state->next;
    return state;
}

static struct pithi_job_state *next_unreported(void)
{
    struct pithi_job_state *state = first;
    while (state && (state->reported == looks || pithi_job_stopped(state->job)))
        state = state->next;
    return state;
}

static void look(ClientData data);

static void look_after(int ms)
{
    Tcl_DeleteTimerHandler(timer);
    wait_ms = ms < LOOK_MS ? ms : LOOK_MS;
    timer = Tcl_CreateTimerHandler(wait_ms, look, NULL);
}

/* Checks all jobs. After each callback it searches the list of jobs from the beginning, because a callback may start
 * and stop jobs, which changes the list. */
static void look(ClientData data)
{
    struct pithi_job_state *state;

    (void)data;
    while ((state = one_over())) {
        /* Frees the state of the job before it runs the callback, because the callback may start and stop other jobs.
         */
        Tcl_Interp *interp = state->interp;
        Tcl_Obj *callback = state->callback, *value = NULL;
        const char *word = "stopped";
        pthread_join(state->thread, NULL);
        unlink_state(state);
        if (!pithi_job_stopped(state->job)) {
            word = state->err ? "failed" : "done";
            value =
                state->err ? Tcl_NewStringObj(state->error ? state->error : "", -1) : state->kind->result(state->job);
        }
        Tcl_Preserve(interp);
        Tcl_IncrRefCount(callback);
        forget(state);
        call_back(interp, callback, word, value);
        Tcl_DecrRefCount(callback);
        Tcl_Release(interp);
    }
    if (++looks % TELL_EVERY == 0)
        while ((state = next_unreported())) {
            state->reported = looks;
            call_back(state->interp, state->callback, "progress", Tcl_NewDoubleObj(atomic_load(&state->job->part)));
        }
    if (first)
        look_after(2 * wait_ms);
}

static int job_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_job_state *state = data;

    if (objc != 2 || strcmp(Tcl_GetString(objv[1]), "stop") != 0) {
        Tcl_WrongNumArgs(interp, 1, objv, "stop");
        return TCL_ERROR;
    }
    atomic_store(&state->job->stopped, 1);
    return TCL_OK;
}

static void command_gone(ClientData data)
{
    struct pithi_job_state *state = data;
    state->command = NULL;
    atomic_store(&state->job->stopped, 1);
}

int pithi_job_start(Tcl_Interp *interp, struct pithi_log_object *object, struct pithi_job *job,
                    const struct pithi_job_kind *kind, Tcl_Obj *callback)
{
    static unsigned number;
    struct pithi_job_state *state = pithi_alloc(1, sizeof *state);
    char name[48];

    job->object = object;
    job->state = state;
    atomic_init(&job->part, 0);
    atomic_init(&job->stopped, 0);
    *state = (struct pithi_job_state){.job = job, .kind = kind, .interp = interp, .callback = callback};
    Tcl_IncrRefCount(callback);
    Tcl_Preserve(interp);
    if (pthread_create(&state->thread, NULL, thread_main, state)) {
        forget(state);
        Tcl_SetObjResult(interp, Tcl_NewStringObj("no thread can be started", -1));
        Tcl_SetErrorCode(interp, "PITH", "JOB", (char *)NULL);
        return TCL_ERROR;
    }
    snprintf(name, sizeof name, "::pithtk::job%u", ++number);
    state->command = Tcl_CreateObjCommand(interp, name, job_command, state, command_gone);
    state->next = first;
    first = state;
    look_after(FIRST_LOOK_MS);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(name, -1));
    return TCL_OK;
}

static struct pithi_job_state *one_of(const struct pithi_log_object *object)
{
    struct pithi_job_state *state = first;
    while (state && state->job->object != object)
        state = state->next;
    return state;
}

void pithi_job_stop_all(struct pithi_log_object *object)
{
    struct pithi_job_state *state;
    for (state = first; state; state = state->next)
        if (state->job->object == object)
            atomic_store(&state->job->stopped, 1);
    while ((state = one_of(object))) {
        pthread_join(state->thread, NULL);
        unlink_state(state);
        forget(state);
    }
}
