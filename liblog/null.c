/* null.c - libpith-null: all calls of pith.h and pith_tool.h, doing nothing. Programs link it instead of libpith. A
 * program compiled with -DPITH_NULL needs no library. */
#include "pith_tool.h"

__thread struct pith_buffer pith_buffer_; /* what pith.h needs; here nothing is recorded */

void pith_slow_(uint32_t kind, uint32_t id) { (void)kind, (void)id; }
uint64_t pith_call_ticks_(void) { return 0; }

uint32_t pith_state_define(const char *name, const char *colour) { return (void)name, (void)colour, 0; }

uint32_t pith_state_define_group(const char *name, const char *colour, const char *group)
{
    return (void)name, (void)colour, (void)group, 0;
}

uint32_t pith_event_define(const char *name, const char *colour, const char *format)
{
    return (void)name, (void)colour, (void)format, 0;
}

uint32_t pith_event_define_group(const char *name, const char *colour, const char *format, const char *group)
{
    return (void)name, (void)colour, (void)format, (void)group, 0;
}

uint32_t pith_counter_define(const char *name, const char *unit) { return (void)name, (void)unit, 0; }

int pith_selected(const char *name, const char *group) { return (void)name, (void)group, 1; }

int pith_messages(void) { return 0; }

void pith_event_data(uint32_t id, const void *payload, size_t size_bytes) { (void)id, (void)payload, (void)size_bytes; }

void pith_count(uint32_t id, double value) { (void)id, (void)value; }

void pith_send(int32_t peer, int32_t tag, uint64_t size_bytes) { (void)peer, (void)tag, (void)size_bytes; }

void pith_recv(int32_t peer, int32_t tag, uint64_t size_bytes) { (void)peer, (void)tag, (void)size_bytes; }

void pith_pause(void) {}

void pith_resume(void) {}

void pith_flush(void) {}
void pith_sync(void) {}

int pith_snapshot(const char *path) { return (void)path, -1; }

void pith_thread_name(const char *name) { (void)name; }
void pith_thread_name_default(const char *name) { (void)name; }

uint64_t pith_lost(void) { return 0; }

void pith_finish(void) {}

uint32_t pith_comm_define(const struct pith_comm *comm) { return (void)comm, 0; }

void pith_comm_free(uint32_t comm) { (void)comm; }

void pith_late(const struct pith_wait_end *late) { (void)late; }
int pith_call_sites(void) { return 0; }
void pith_call_site(const void *caller) { (void)caller; }
uint64_t pith_long_call(void) { return UINT64_MAX; }
void pith_call_site_late(uint32_t state, const void *caller, uint64_t *record)
{
    (void)state, (void)caller, (void)record;
}

void pith_comm_event(uint32_t comm, uint32_t id, const void *payload, size_t size_bytes)
{
    (void)comm, (void)id, (void)payload, (void)size_bytes;
}

void pith_comm_name(uint32_t comm, const char *name) { (void)comm, (void)name; }

uint64_t pith_recv_post(void) { return 0; }

uint64_t pith_recv_post_many(uint32_t count) { return (void)count, 0; }

void pith_slow_words_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    (void)kind, (void)id, (void)words, (void)count;
}

void pith_slow_same_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    (void)kind, (void)id, (void)words, (void)count;
}
void pith_slow_same_from_(uint64_t ticks) { (void)ticks; }
int pith_slow_undo_(uint64_t *record, uint64_t word) { return (void)record, (void)word, 0; }
uint64_t pith_slow_ticks_(void) { return 0; }

int pith_job_join(const struct pith_transport *transport) { return (void)transport, -1; }

void pith_job_finish(const struct pith_transport *transport) { (void)transport; }

const struct pith_transport *pith_job_joined(void) { return NULL; }

const struct pith_transport *pith_transport_alone(void) { return NULL; }

int pith_job_log(const char *name) { return (void)name, -1; }

void pith_job_expect(void) {}

void pith_job_alone(void) {}

int pith_job_again(void) { return -1; }

const char *pith_job_written(void) { return ""; }

void pith_job_turn(void) {}
int pith_job_clock(int64_t local_ns, int64_t *offset_ns)
{
    (void)local_ns;
    *offset_ns = 0;
    return -1;
}
int pith_clocks_compare(const struct pith_transport *transport) { return (void)transport, -1; }
void pith_clocks_follow(void) {}
int pith_clocks_turn(const struct pith_transport *transport) { return (void)transport, 0; }
void pith_job_abandon(void) {}

int pith_recorded(void) { return 0; }

int pith_function_names(const char *const *files, int out) { return (void)files, (void)out, -1; }

int pith_where(const char **log, const char **spill)
{
    *log = *spill = "";
    return -1;
}

void pith_own_cost(uint64_t ns) { (void)ns; }

int64_t pith_own_cost_sum(void) { return 0; }

void pith_own_cost_probe(uint32_t kind, void (*call)(void)) { (void)kind, (void)call; }

int pith_recording(void) { return 0; }
void pith_start(void) {}

void pith_watch_calls(void (*watch)(void)) { (void)watch; }
int pith_watched_call(void) { return 0; }

void pith_property(const char *key, const char *value) { (void)key, (void)value; }

void pith_affinity(char *text, size_t size)
{
    if (size > 0)
        text[0] = '\0';
}
