/* mpe_null.c - libmpe_null: MPE's logging calls that do nothing, to run a program without logging. Each call for a new
 * event number still returns a different one. Compiled without MPI, since communicators are ignored. */
#include "mpe_log.h"

static int next_state = 600, next_solo = 5000; /* as in MPE; changed by atomic additions */

int MPE_Init_log(void) { return MPE_LOG_OK; }
int MPE_Finish_log(const char *prefix) { return (void)prefix, MPE_LOG_OK; }
int MPE_Initialized_logging(void) { return 0; }
int MPE_Start_log(void) { return MPE_LOG_OK; }
int MPE_Stop_log(void) { return MPE_LOG_OK; }
const char *MPE_Log_merged_logfilename(void) { return ""; }
int MPE_Log_sync_clocks(void) { return MPE_LOG_OK; }

int MPE_Log_get_event_number(void) { return __atomic_fetch_add(&next_state, 1, __ATOMIC_RELAXED); }

int MPE_Log_get_state_eventIDs(int *start, int *final)
{
    int first = __atomic_fetch_add(&next_state, 2, __ATOMIC_RELAXED);

    if (start)
        *start = first;
    if (final)
        *final = first + 1;
    return MPE_LOG_OK;
}

int MPE_Log_get_solo_eventID(int *event)
{
    if (event)
        *event = __atomic_fetch_add(&next_solo, 1, __ATOMIC_RELAXED);
    return MPE_LOG_OK;
}

int MPE_Describe_state(int start, int final, const char *name, const char *colour)
{
    return (void)start, (void) final, (void)name, (void)colour, MPE_LOG_OK;
}

int MPE_Describe_info_state(int start, int final, const char *name, const char *colour, const char *format)
{
    return (void)format, MPE_Describe_state(start, final, name, colour);
}

int MPE_Describe_comm_state(MPI_Comm comm, int start, int final, const char *name, const char *colour,
                            const char *format)
{
    return (void)comm, (void)format, MPE_Describe_state(start, final, name, colour);
}

int MPE_Describe_event(int event, const char *name, const char *colour)
{
    return (void)event, (void)name, (void)colour, MPE_LOG_OK;
}

int MPE_Describe_info_event(int event, const char *name, const char *colour, const char *format)
{
    return (void)format, MPE_Describe_event(event, name, colour);
}

int MPE_Describe_comm_event(MPI_Comm comm, int event, const char *name, const char *colour, const char *format)
{
    return (void)comm, (void)format, MPE_Describe_event(event, name, colour);
}

int MPE_Log_event(int event, int data, const char *bytes) { return (void)event, (void)data, (void)bytes, MPE_LOG_OK; }
int MPE_Log_bare_event(int event) { return (void)event, MPE_LOG_OK; }
int MPE_Log_info_event(int event, const char *bytes) { return (void)event, (void)bytes, MPE_LOG_OK; }
int MPE_Log_comm_event(MPI_Comm comm, int event, const char *bytes)
{
    return (void)comm, (void)event, (void)bytes, MPE_LOG_OK;
}

int MPE_Log_pack(MPE_LOG_BYTES bytes, int *pos, char token, int count, const void *data)
{
    return (void)bytes, (void)pos, (void)token, (void)count, (void)data, MPE_LOG_OK;
}

int MPE_Log_send(int dest, int tag, int size) { return (void)dest, (void)tag, (void)size, MPE_LOG_OK; }
int MPE_Log_receive(int source, int tag, int size) { return (void)source, (void)tag, (void)size, MPE_LOG_OK; }
int MPE_Log_comm_send(MPI_Comm comm, int dest, int tag, int size) { return (void)comm, MPE_Log_send(dest, tag, size); }
int MPE_Log_comm_receive(MPI_Comm comm, int source, int tag, int size)
{
    return (void)comm, MPE_Log_receive(source, tag, size);
}
