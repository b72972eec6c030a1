/* peer_lttng.c - the loop of peer.h recorded by LTTng-UST, if a session that listens is there. */
#include "peer.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "peer_lttng_events.h"

static inline void peer_begin(uint32_t state) { lttng_ust_tracepoint(pith_bench, event, 1, (int)state); }
static inline void peer_end(uint32_t state) { lttng_ust_tracepoint(pith_bench, event, 2, (int)state); }

int main(int argc, char **argv) { return peer_run(argc, argv, NULL); }
