/* job.c - from MPI_Init to MPI_Finalize: joining the job, merging the log. */
#include "job.h"

#include "comm.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"
#include "transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pithi_job_up, pithi_job_threads;

static const struct pith_transport *transport; /* NULL: not joined */
static int rank = -1;

static void tell_library(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int size = 0;

    if (REAL(MPI_Get_library_version)(text, &size) != MPI_SUCCESS)
        return;
    for (int i = 0; i < size; i++) /* MPICH tabulates its line */
        if (text[i] == '\t')
            text[i] = ' ';
    text[strcspn(text, "\n,")] = 0;
    pith_property("mpi", text);
}

void pithi_job_begin(int result)
{
    int provided = MPI_THREAD_SINGLE;

    if (result != MPI_SUCCESS || pithi_job_up)
        return;
    REAL(MPI_Query_thread)(&provided);
    pithi_job_threads = provided == MPI_THREAD_MULTIPLE;
    pithi_comm_begin();
    pithi_job_up = 1;
    const struct pith_transport *opened = pithi_transport_open();
    if (!opened)
        return;
    rank = opened->rank;
    tell_library();
    if (pith_job_join(opened) == 0)
        transport = opened;
    else
        pithi_transport_close();
}

/* The state shows how long this process waited for the last one; what follows is the recorder's own time. */
void pithi_job_end(struct pithi_call *call)
{
    if (transport)
        transport->barrier(transport->context);
    pithi_leave(call);
    pithi_self.depth++; /* what MPI calls back from its end on is too late for the log */
    pithi_job_up = 0;
    if (!transport)
        return;
    pith_job_finish(transport);
    pithi_transport_close();
    transport = NULL;
}

/* ---- ends without MPI_Finalize -------------------------------------------------------------------------------------- */

static void tell_recover(const char *why)
{
    const char *quiet = getenv("PITH_QUIET"), *log = getenv("PITH_LOG");

    if (quiet && *quiet && strcmp(quiet, "0") != 0)
        return;
    if (!log || !*log)
        log = "LOG";
    fprintf(stderr, "pith: %s: no log was merged; what was recorded: pith recover %s.spill -o %s\n", why, log, log);
}

void pithi_job_abort(int code)
{
    char why[64];

    (void)code;
    if (!transport)
        return;
    snprintf(why, sizeof why, "rank %d called MPI_Abort", rank);
    tell_recover(why);
    transport = NULL;
}

__attribute__((destructor)) static void tell_unfinished(void)
{
    if (transport && rank == 0)
        tell_recover("MPI_Finalize was not called");
}

void pithi_job_control(int level)
{
    if (level == 0)
        pith_pause();
    if (level == 1 || level == 2)
        pith_resume();
    if (level == 2)
        pith_flush();
}
