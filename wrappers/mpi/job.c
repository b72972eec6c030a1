/* job.c - joins the job in MPI_Init, and merges the log in MPI_Finalize.
 *
 * Each step needs the ones before it:
 *
 *     before MPI_Init      sets the mark, which says that this process will be recorded (members.h); records of the
 *                          program itself may be made earlier
 *     after MPI_Init       finds the recorded processes, makes a communicator for them, joins the job (one log, one
 *                          clock), begins compensation (PITH_COMPENSATE)
 *     in MPI_Finalize      inside its state: a barrier, so that the state shows how long this process waited for the
 *                          others; after the state: the cost of recording, the merge, the end of the communicator
 *
 * A process that does not record takes part in all steps, because the others would wait for it for ever. If a step
 * fails, each process goes on alone, and its records stay in its spill file.
 */
#include "job.h"

#include "piggyback.h"
#include "comm.h"
#include "eager_limit.h"
#include "lock.h"
#include "members.h"
#include "message.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"
#include "transport.h"
#include "compare_clocks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int pithi_job_up, pithi_job_messages;

static const struct pith_transport *transport; /* NULL: not joined */

/* Functions of libmpe (wrappers/mpe), if the program uses it. If libmpe is used together with these wrappers, MPE's log
 * begins in MPI_Init and is written in MPI_Finalize at the latest. libmpe may be loaded after this library, so it is
 * looked up at each use. */
struct mpe {
    int (*init)(void); /* both NULL: the program does not use libmpe */
    int (*finish)(const char *prefix);
};

#ifdef PITHI_STATIC
__attribute__((weak, visibility("default"))) extern int MPE_Init_log(void);
__attribute__((weak, visibility("default"))) extern int MPE_Finish_log(const char *prefix);

static struct mpe find_mpe(void) { return (struct mpe){MPE_Init_log, MPE_Finish_log}; }
#else
static struct mpe find_mpe(void)
{
    void *init = dlsym(RTLD_DEFAULT, "MPE_Init_log"), *finish = dlsym(RTLD_DEFAULT, "MPE_Finish_log");
    struct mpe mpe;

    memcpy(&mpe.init, &init, sizeof init);
    memcpy(&mpe.finish, &finish, sizeof finish);
    return mpe;
}
#endif

/* Records the version of the MPI library as the property "mpi". */
static void tell_library(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;

    if (REAL(MPI_Get_library_version)(text, &size) != MPI_SUCCESS)
        return;
    for (int i = 0; i < size; i++) /* MPICH's text has tabs */
        if (text[i] == '\t')
            text[i] = ' ';
    text[strcspn(text, "\n,")] = 0;
    pith_property("mpi", text);
}

/* Returns 1 if this call begins the job. It does so if the program made it, no earlier call has begun the job, and no
 * other copy of the wrappers records. */
static int begins_here(void) { return !pithi_job_aside && !transport && pithi_self.recorded; }

void pithi_state_mpi(void) { (void)REAL(MPI_Initialized); }

void pithi_job_mark(void)
{
    if (begins_here()) {
        pith_job_expect();
        pithi_members_mark("log");
    }
}

/* Joins the job. Collective over all recorded processes. */
static const struct pith_transport *join(MPI_Group members)
{
    const struct pith_transport *opened = pithi_transport_open_members(members);

    pithi_members_end();
    if (!opened) {
        pith_job_alone();
        return NULL;
    }
    tell_library();
    /* Writes the known limits as the property eager_bytes (native/SPEC.md). */
    struct pithi_eager_limits limits;
    char text[80];
    int at = 0;

    pithi_eager_find(&limits);
    if (limits.same_host)
        at = snprintf(text, sizeof text, "same_host=%zu", limits.same_host);
    if (limits.network)
        at += snprintf(text + at, sizeof text - (size_t)at, "%snetwork=%zu", at ? " " : "", limits.network);
    if (at)
        pith_property("eager_bytes", text);
    if (members != MPI_GROUP_NULL)
        pith_property("world_ranks", pithi_members_ranks());
    /* The merge is collective, so every process joins, even one that does not record because of PITH_RANKS or because
     * it has no memory for buffers. */
    if (pith_job_join(opened) != 0)
        pithi_job_messages = 0;
    return opened;
}

void pithi_job_begin(int result)
{
    pithi_job_seen = 1;
    if (!begins_here())
        return;
    if (result != MPI_SUCCESS) {
        pithi_members_end();
        pith_job_alone();
        return;
    }
    MPI_Group members = pithi_members_find(NULL);
    pithi_lock_begin();
    pithi_job_messages = pith_messages();
    pithi_comm_begin(MPI_COMM_WORLD, members);
    pithi_pending_begin();
    pithi_job_up = 1;
    if (!(transport = join(members)))
        return;
    pithi_piggyback_begin(members);
    struct mpe mpe = find_mpe();
    if (mpe.init)
        mpe.init();
}

/* Compares the clocks only after a call that succeeded. A process in which a call failed must repeat that call to meet
 * the others. So all processes make the same sequence of successful calls, and compare their clocks after the same
 * ones. */
void pithi_compare_clocks(int result, MPI_Comm comm)
{
    if (transport && pithi_self.depth == pithi_self.base && result == MPI_SUCCESS && comm == MPI_COMM_WORLD)
        pith_job_turn();
}

/* Ends the state of MPI_Finalize after a barrier, so that the state includes the wait for the other processes. The
 * recorder's own work comes after the state. */
void pithi_job_end(struct pithi_call *call)
{
    if (!pithi_self.recorded) { /* another tool made the call, inside a call of the program */
        pithi_leave(call, NULL);
        return;
    }
    if (transport)
        transport->barrier(transport->context);
    pithi_piggyback_end();
    pithi_leave(call, NULL);
    if (transport)
        pithi_cost_probes();
    pithi_self.depth++; /* callbacks that MPI makes from here on are not recorded */
    pithi_job_up = 0;
    pithi_handles_end();
    if (!transport)
        return;
    struct mpe mpe = find_mpe();
    if (mpe.finish)
        mpe.finish(NULL);
    pith_job_finish(transport);
    pithi_transport_close();
    transport = NULL;
}

/* ---- sessions ------------------------------------------------------------------------------------------------------
 * MPI_Session_init is not collective, so the recorder joins the job only when the last session ends. Ranks are those in
 * the process set "mpi://WORLD", which the recorder gets from a session that it opens itself. */
#ifdef MPI_SESSION_NULL /* Open MPI 5 has sessions, but its MPI_VERSION is 3 */
static int sessions;    /* open sessions of the program; atomic */
static int has_session; /* 1: own_session and all_processes are valid */
static MPI_Session own_session;
static MPI_Group all_processes;

void pithi_job_session(int result)
{
    int world = 0;

    pithi_job_seen = 1;
    if (result != MPI_SUCCESS || pithi_job_aside || !pithi_self.recorded ||
        __atomic_add_fetch(&sessions, 1, __ATOMIC_SEQ_CST) > 1)
        return;
    REAL(MPI_Initialized)(&world);
    if (world || has_session || REAL(MPI_Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) != MPI_SUCCESS)
        return;
    if (REAL(MPI_Group_from_session_pset)(own_session, "mpi://WORLD", &all_processes) != MPI_SUCCESS) {
        REAL(MPI_Session_finalize)(&own_session);
        return;
    }
    has_session = 1;
    pithi_many_threads = 1; /* a later session may have a higher thread level, so threads are expected */
    pithi_job_messages = pith_messages();
    pithi_comm_begin(MPI_COMM_NULL, all_processes);
    pithi_pending_begin();
    pithi_job_up = 1;
    tell_library();
}

int pithi_job_session_end(struct pithi_call *call)
{
    int world = 0;

    if (!pithi_self.recorded || __atomic_sub_fetch(&sessions, 1, __ATOMIC_SEQ_CST) > 0 || !has_session)
        return 0;
    REAL(MPI_Initialized)(&world);
    if (world) /* the program also called MPI_Init: MPI_Finalize ends the job */
        return 0;
    transport = pithi_transport_open_group(all_processes);
    if (transport)
        pith_job_join(transport);
    pithi_job_end(call);
    REAL(MPI_Group_free)(&all_processes);
    REAL(MPI_Session_finalize)(&own_session);
    has_session = 0;
    return 1;
}
#endif

void pithi_job_abort(void)
{
    if (transport)
        pith_job_abandon();
}

/* Stops (1) or resumes (0) only the recording of MPI calls, as MPI_Pcontrol does in a program that uses MPE. */
static void stop_calls(int stop)
{
    if (stop)
        __atomic_fetch_or(&pithi_calls_unusual, PITHI_CALLS_OFF, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(&pithi_calls_unusual, ~PITHI_CALLS_OFF, __ATOMIC_RELAXED);
}

void pithi_job_control_begin(int level)
{
    if (level && find_mpe().init)
        stop_calls(0);
    else if (level == 1 || level == 2)
        pith_resume();
}

void pithi_job_control_end(int level)
{
    if (level == 0 && find_mpe().init)
        stop_calls(1);
    else if (level == 0)
        pith_pause();
    else if (level == 2)
        pith_flush();
}
