/* own_records.c - the cost of recording in the log library (own.h): libpith counts its own part, and probes measure the
 * wrappers' part once. */
#include "own.h"

#include "coll.h"
#include "job.h"
#include "message.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

/* The cost of PITH_COMPENSATE's own work that is not yet in the log. */
static __thread int64_t unwritten_ns __attribute__((tls_model("initial-exec")));
static __thread int64_t waited_ns __attribute__((tls_model("initial-exec"))); /* the delay that is not yet in the log */
static __thread int has_waited __attribute__((tls_model("initial-exec")));    /* 1: waited_ns is to be written */
static uint32_t counter;                                                      /* id of the counter pith:delay */

void pithi_own_begin(void)
{
    pithi_cost_probes();
    pith_own_cost_sum();
    counter = pith_counter_define("pith:delay", "ns");
}

int64_t pithi_own_ns(void) { return pith_own_cost_sum() + unwritten_ns; }

void pithi_own_add(int64_t ns) { unwritten_ns += ns; }

int pithi_own_clock(int64_t local_ns, int64_t *offset_ns) { return pith_job_clock(local_ns, offset_ns); }

/* Does nothing and returns -1, because the log library compared the clocks when it joined the job. */
int pithi_own_compare(void) { return -1; }

void pithi_own_over(void)
{
    uint64_t before = pith_buffer_.last_ticks;

    pith_same_from_now();
    pithi_stamp(before);
}

void pithi_own_waited(int64_t delay_ns)
{
    waited_ns = delay_ns;
    has_waited = 1;
}

void pithi_own_write(void)
{
    if (!pith_recording())
        return;
    if (unwritten_ns > 0)
        pith_own_cost((uint64_t)unwritten_ns);
    unwritten_ns = 0;
    if (has_waited)
        pith_count(counter, (double)waited_ns);
    has_waited = 0;
}

void pithi_own_fact(const char *key, const char *value) { pith_property(key, value); }

/* ---- the cost of the wrappers --------------------------------------------------------------------------------------
 * The probes run the wrappers' code without the library's own call. They use no requests, so the cost of a look-up in
 * the table of requests is not measured. */

static void probe_call(void)
{
    static struct pithi_state state = {"", "", "", 1}; /* any id, as the records are discarded */
    struct pithi_call call;

    pithi_enter(&call, &state, NULL);
    pithi_leave(&call, NULL);
}

static void probe_send(void) { pithi_send(pithi_handle_world.handle, 0, 0, 1, MPI_BYTE); }

static void probe_recv(void)
{
    struct pithi_recv recv;
    MPI_Status status = {0};

    pithi_recv_begin(&recv, pithi_handle_world.handle, 0, 0);
    pithi_recv_end(&recv, MPI_SUCCESS, pithi_recv_status(&recv, &status));
    pithi_self.stamped = 0; /* as for the first record of each call */
}

static void probe_coll(void)
{
    pithi_coll_barrier(pithi_handle_world.handle);
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
    if (pithi_job_messages && pithi_handle_world.handle == MPI_COMM_WORLD) {
        pithi_self = (struct pithi_self){.depth = 1, .recorded = 1, .begun = 1};
        pith_own_cost_probe(PITH_OWN_SEND, probe_send);
        pith_own_cost_probe(PITH_OWN_RECV, probe_recv);
        pith_own_cost_probe(PITH_OWN_COLL, probe_coll);
    }
    pithi_self = before;
}
