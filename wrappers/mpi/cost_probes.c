/* cost_probes.c - see cost_probes.h. Runs what the wrappers made of log.w and messages.w run around the library's own
 * call, without that call. Requests are not among it: what a completion spends on looking them up is not known. */
#include "cost_probes.h"

#include "coll.h"
#include "message.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

static void probe_call(void)
{
    static struct pithi_state state = {"", "", "", 1}; /* of any id: nobody will see it */
    struct pithi_call call;

    pithi_enter(&call, &state, NULL);
    pithi_leave(&call);
}

static void probe_send(void) { pithi_send(pithi_comm_world.handle, 0, 0, 1, MPI_BYTE); }

static void probe_recv(void)
{
    struct pithi_recv recv;
    MPI_Status status = {0};

    pithi_recv_begin(&recv, pithi_comm_world.handle, 0, 0);
    pithi_recv_end(&recv, MPI_SUCCESS, pithi_recv_status(&recv, &status));
    pithi_self.stamped = 0; /* as for each first one */
}

static void probe_coll(void)
{
    pithi_coll_barrier(pithi_comm_world.handle);
    pithi_coll_record();
}

void pithi_cost_probes(void)
{
    static int done;
    struct pithi_self before = pithi_self;

    if (done)
        return;
    done = 1;
    pithi_self = (struct pithi_self){.depth = 0};
    pith_own_cost_probe(PITH_OWN_CALL, probe_call);
    if (pithi_job_messages && pithi_comm_world.handle != MPI_COMM_NULL) {
        pithi_self = (struct pithi_self){.depth = 1, .recorded = 1, .begun = 1};
        pith_own_cost_probe(PITH_OWN_SEND, probe_send);
        pith_own_cost_probe(PITH_OWN_RECV, probe_recv);
        pith_own_cost_probe(PITH_OWN_COLL, probe_coll);
    }
    pithi_self = before;
}
