/* piggyback.w - sends delays with messages and collectives (PITH_COMPENSATE). This template stands after a library's
 * own templates, so in a wrapper its code is closer to the call than all other code except that of handles/. When
 * PITH_COMPENSATE is off, each piece of code costs a branch. README.md lists what is sent in each case.
 */
#include "piggyback.h"
#include "rendezvous.h"
#include "type_parts.h"

#define PIGGYBACK(...)                                                                                                 \
    do {                                                                                                               \
        if (PITHI_PIGGYBACKING) {                                                                                      \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    } while (0)

/* REPLACE sets the wrapper's parameters to those for the MPI library, and RESTORE to those of the program. These are
 * macros, because a function would need the parameters' addresses, and the parameters could not stay in registers. */
#define REPLACE(part, buf_, count_, type_)                                                                             \
    (buf_ = (part).buf, count_ = (__typeof__(count_))(part).count, type_ = (part).type)
#define RESTORE(part, buf_, count_, type_)                                                                             \
    (buf_ = (part).user_buf, count_ = (__typeof__(count_))(part).user_count, type_ = (part).user_type)

/* For a call that sends or receives or does both. Before the call stand OPEN, then SEND, RECV or both (or
 * SEND_AND_RECV), then GO; after the call stands END. `request` NULL: the function is blocking. `status` is NO_STATUS
 * in functions that have no status. */
#define OPEN(piggyback, classes, request, comm)                                                                        \
    pithi_piggyback_open(&piggyback,                                                                                   \
                         !(request)                     ? PITHI_PIGGYBACK_BLOCKING                                     \
                         : strstr(classes, "_init")     ? PITHI_PIGGYBACK_PERSISTENT                                   \
                         : strstr(classes, "isendrecv") ? PITHI_PIGGYBACK_BOTH                                         \
                                                        : PITHI_PIGGYBACK_REQUEST,                                     \
                         comm)
#define SEND(piggyback, buf, count, type, to, tag)                                                                     \
    pithi_piggyback_send(&piggyback, buf, count, type, to, tag);                                                       \
    REPLACE(piggyback.out, buf, count, type)
#define RECV(piggyback, buf, count, type, from, tag)                                                                   \
    pithi_piggyback_recv(&piggyback, buf, count, type, from, tag);                                                     \
    REPLACE(piggyback.in, buf, count, type)
#define SEND_AND_RECV(piggyback, buf, count, type, to, to_tag, from, from_tag)                                         \
    pithi_piggyback_replace(&piggyback, buf, count, type, to, to_tag, from, from_tag);                                 \
    REPLACE(piggyback.in, buf, count, type)
#define GO(piggyback, request, status)                                                                                 \
    if (!(request))                                                                                                    \
        status = pithi_piggyback_status(&piggyback, status);                                                           \
    pithi_piggyback_go(&piggyback)
#define END(piggyback, result, request, status)                                                                        \
    if (request) {                                                                                                     \
        pithi_piggyback_pending(&piggyback, result, request);                                                          \
    } else {                                                                                                           \
        pithi_piggyback_over(&piggyback, result, status, PITHI_LEAST);                                                 \
        status = piggyback.user_status;                                                                                \
    }
#define NO_STATUS (*(MPI_Status * [1]){NULL})

/* ---- calls in which this process may wait ------------------------------------------------------------------------ */

/* Before such a call, the wrapper sends notes about the long messages that this process has posted (rendezvous.h). */

{{fn f @recv @recv_matched MPI_Ssend @sendrecv @sendrecv_replace @probe_wait @probe_look @probe_match @probe_imatch}}
    PIGGYBACK(pithi_rendezvous_leave());
    {{callfn}}
{{endfn}}

{{fn f @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some
      @with_all @from_root @to_root @win_fence @win_free}}
    PIGGYBACK(pithi_rendezvous_leave());
    {{callfn}}
{{endfn}}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

{{fn f @send @isend @send_init}}
    {{vardecl struct pithi_piggyback piggyback}}
    PIGGYBACK(OPEN({{piggyback}}, "{{class}}", {{request|NULL}}, {{comm}});
              SEND({{piggyback}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
              pithi_piggyback_go(&{{piggyback}}));
    {{callfn}}
    PIGGYBACK(RESTORE({{piggyback}}.out, {{buf}}, {{count}}, {{type}});
              if ({{request|NULL}})
                  pithi_piggyback_pending(&{{piggyback}}, {{returnVal}}, {{request|NULL}});
              else
                  pithi_piggyback_over(&{{piggyback}}, {{returnVal}}, NULL, NULL));
{{endfn}}

{{fn f @recv @irecv @recv_init}}
    {{vardecl struct pithi_piggyback piggyback}}
    PIGGYBACK(OPEN({{piggyback}}, "{{class}}", {{request|NULL}}, {{comm}});
              RECV({{piggyback}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
              GO({{piggyback}}, {{request|NULL}}, {{status|NO_STATUS}}));
    {{callfn}}
    PIGGYBACK(RESTORE({{piggyback}}.in, {{buf}}, {{count}}, {{type}});
              END({{piggyback}}, {{returnVal}}, {{request|NULL}}, {{status|NO_STATUS}}));
{{endfn}}

{{fn f @sendrecv @isendrecv}}
    {{vardecl struct pithi_piggyback piggyback}}
    PIGGYBACK(OPEN({{piggyback}}, "{{class}}", {{request|NULL}}, {{comm}});
              SEND({{piggyback}}, {{sendbuf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
              RECV({{piggyback}}, {{recvbuf}}, {{recvcount}}, {{recvtype}}, {{from}}, {{from_tag}});
              GO({{piggyback}}, {{request|NULL}}, {{status|NO_STATUS}}));
    {{callfn}}
    PIGGYBACK(RESTORE({{piggyback}}.out, {{sendbuf}}, {{count}}, {{type}});
              RESTORE({{piggyback}}.in, {{recvbuf}}, {{recvcount}}, {{recvtype}});
              END({{piggyback}}, {{returnVal}}, {{request|NULL}}, {{status|NO_STATUS}}));
{{endfn}}

{{fn f @sendrecv_replace @isendrecv_replace}}
    {{vardecl struct pithi_piggyback piggyback}}
    PIGGYBACK(OPEN({{piggyback}}, "{{class}}", {{request|NULL}}, {{comm}});
              SEND_AND_RECV({{piggyback}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}}, {{from}}, {{from_tag}});
              GO({{piggyback}}, {{request|NULL}}, {{status|NO_STATUS}}));
    {{callfn}}
    PIGGYBACK(RESTORE({{piggyback}}.in, {{buf}}, {{count}}, {{type}});
              END({{piggyback}}, {{returnVal}}, {{request|NULL}}, {{status|NO_STATUS}}));
{{endfn}}

{{fn f @send_part_init @recv_part_init}}
    {{callfn}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_start_local_only({{returnVal}}, {{request}}, PITHI_LOCAL_ONLY_PARTITIONED);
{{endfn}}

{{fn f @start @startall}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_start({{count|1}}, {{requests}});
    {{callfn}}
    if (PITHI_PIGGYBACKING && __builtin_expect({{returnVal}} != MPI_SUCCESS, 0))
        pithi_piggyback_not_started({{count|1}}, {{requests}});
{{endfn}}

/* ---- messages matched before they are received, and probes ------------------------------------------------------- */

{{fn f @probe_wait @probe_look}}
    {{callfn}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_probed({{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag|PITHI_ALWAYS}}, {{comm}},
                               {{status}});
{{endfn}}

{{fn f @probe_match @probe_imatch}}
    {{vardecl struct pithi_piggyback piggyback}}
    if (PITHI_PIGGYBACKING) {
        {{piggyback}}.receives = 1;
        {{status}} = pithi_piggyback_status(&{{piggyback}}, {{status}});
    }
    {{callfn}}
    if (PITHI_PIGGYBACKING) {
        pithi_piggyback_matched({{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag|PITHI_ALWAYS}}, {{comm}},
                                {{message}}, {{status}});
        {{status}} = {{piggyback}}.user_status;
    }
{{endfn}}

{{fn f @recv_matched @irecv_matched}}
    {{vardecl struct pithi_piggyback piggyback}}
    PIGGYBACK(pithi_piggyback_open_matched(
                  &{{piggyback}}, {{request|NULL}} ? PITHI_PIGGYBACK_REQUEST : PITHI_PIGGYBACK_BLOCKING, {{message}});
              RECV({{piggyback}}, {{buf}}, {{count}}, {{type}}, {{piggyback}}.from, {{piggyback}}.tag);
              GO({{piggyback}}, {{request|NULL}}, {{status|NO_STATUS}}));
    {{callfn}}
    PIGGYBACK(RESTORE({{piggyback}}.in, {{buf}}, {{count}}, {{type}});
              END({{piggyback}}, {{returnVal}}, {{request|NULL}}, {{status|NO_STATUS}}));
{{endfn}}

/* ---- completion (the rest is in handles/requests.w) -------------------------------------------------------------- */

{{fn f @get_status}}
    {{callfn}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_peeked({{request}}, {{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag}}, {{status}});
{{endfn}}

{{fn f @request_cancel}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_cancel({{request}});
    {{callfn}}
{{endfn}}

{{fn f @request_free}}
    {{vardecl struct pithi_piggyback_freed freed}}
    if (PITHI_PIGGYBACKING)
        {{request}} = pithi_piggyback_free_begin(&{{freed}}, {{request}});
    {{callfn}}
    if (PITHI_PIGGYBACKING) {
        pithi_piggyback_free_end(&{{freed}}, {{returnVal}});
        {{request}} = {{freed}}.user;
    }
{{endfn}}

/* A header makes a message of MPI_Bsend longer than the program expects, so the attached buffer must be larger, too. */
{{fn f @buffer_attach}}
    {{vardecl struct pithi_bsend_buffer room}}
    if (PITHI_PIGGYBACKING) {
        {{room}} = pithi_bsend_attach({{buffer}}, {{size}});
        {{buffer}} = {{room}}.buf;
        {{size}} = (__typeof__({{size}})){{room}}.size_bytes;
    }
    {{callfn}}
    if (PITHI_PIGGYBACKING)
        pithi_bsend_attached({{returnVal}}, &{{room}});
{{endfn}}

{{fn f @buffer_detach}}
    {{vardecl struct pithi_bsend_buffer room}}
    {{callfn}}
    if (PITHI_PIGGYBACKING && {{returnVal}} == MPI_SUCCESS) {
        {{room}} = pithi_bsend_detached(*(void **){{buffer_addr}}, *{{size}});
        *(void **){{buffer_addr}} = {{room}}.buf;
        *{{size}} = (__typeof__(*{{size}})){{room}}.size_bytes;
    }
{{endfn}}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

/* These wrappers note when this process arrives at a collective, or at a call that makes a window or a communicator.
 * after_call.w sends this time to the other processes. */
{{fn f @with_all @from_root @to_root @from_lower}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_coll_come({{comm}}, PITHI_LEAST, 0);
    {{callfn}}
{{endfn}}
{{fn f @win_make @win_make_empty}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_coll_come({{comm}}, NULL, 1);
    {{callfn}}
{{endfn}}
{{fn f @comm_dup @comm_split @comm_create @comm_topology}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_coll_come({{parent}}, NULL, 1);
    {{callfn}}
{{endfn}}

/* Nonblocking collectives: the shadow collective is started before the program's. */
{{fn f @i_all @i_lower @i_from @i_to}}
    {{vardecl struct pithi_piggyback_icoll icoll}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_icoll_begin(&{{icoll}}, {{comm}}, PITHI_PIGGYBACK_SHAPE("{{class}}"), {{root|0}});
    {{callfn}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_icoll_pending(&{{icoll}}, {{returnVal}}, {{request}});
{{endfn}}

/* Persistent collectives: the shadow collectives are made before the program's. Each start of the program's collective
 * starts one of them (see the calls of MPI_Start above). */
{{fn f @p_all @p_lower @p_from @p_to}}
    {{vardecl struct pithi_piggyback_pcoll pcoll}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_pcoll_begin(&{{pcoll}}, {{comm}}, PITHI_PIGGYBACK_SHAPE("{{class}}"), {{root|0}});
    {{callfn}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_pcoll_made(&{{pcoll}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @coll_init}}
    {{callfn}}
    if (!strstr("{{class}}", ",p_") && PITHI_PIGGYBACKING)
        pithi_piggyback_start_local_only({{returnVal}}, {{request}}, PITHI_LOCAL_ONLY_COLL);
{{endfn}}

/* These wrappers note how many bytes this process receives from the root. */
{{fn f @bcast}}
    {{callfn}}
    if (strstr("{{class}}", "from_root") && PITHI_PIGGYBACKING)
        pithi_piggyback_coll_got({{returnVal}}, {{root}}, {{count}}, {{type}});
{{endfn}}

{{fn f @scatter @scatterv}}
    {{callfn}}
    if (strstr("{{class}}", "from_root") && PITHI_PIGGYBACKING)
        pithi_piggyback_coll_got({{returnVal}}, {{root}}, {{recv_count}}, {{recv_type}});
{{endfn}}

/* All other collectives send no delays, and are counted. In each wrapper, the compiler evaluates the condition. */
{{fn f @coll}}
    if (!strstr("{{class}}", "with_all") && !strstr("{{class}}", "_root") && !strstr("{{class}}", "from_lower") &&
        !strstr("{{class}}", ",i_") && PITHI_PIGGYBACKING)
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_COLL);
    {{callfn}}
{{endfn}}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

{{fn f @win_fence}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_window_come({{window}}, 0);
    {{callfn}}
{{endfn}}

{{fn f @win_free}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_window_come(*{{window}}, 1);
    {{callfn}}
{{endfn}}

{{fn f @rma_wait}}
    if (PITHI_PIGGYBACKING)
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_RMA);
    {{callfn}}
{{endfn}}
