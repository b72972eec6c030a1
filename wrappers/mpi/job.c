/* job.c - from MPI_Init to MPI_Finalize: joining the job, merging the log. */
#include "job.h"

#include "comm.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"
#include "transport.h"

#include <string.h>

int pithi_job_up, pithi_job_threads;

static const struct pith_transport *transport; /* NULL: not joined */

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
    tell_library();
    /* A process that cannot record (no room for its buffers) takes part in the merge all the same: it is collective. */
    pith_job_join(opened);
    transport = opened;
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

void pithi_job_abort(void)
{
    if (transport)
        pith_job_abandon();
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
