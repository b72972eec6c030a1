/* peer_lttng_events.h - the tracepoint of peer_lttng.c: two numbers, as a record of Pith has kind and state. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER pith_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "peer_lttng_events.h"

#if !defined(PEER_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PEER_LTTNG_EVENTS_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(pith_bench, event, LTTNG_UST_TP_ARGS(int, kind, int, state),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, kind, kind)
                                                   lttng_ust_field_integer(int, state, state)))
#endif
#include <lttng/tracepoint-event.h>
