/* carry.w - delays go along with messages and collectives (PITH_COMPENSATE): to stand behind a library's own templates,
 * so that its parts are the innermost. While it is off a call takes a branch; see carry.h for the rest.
 */
#include "bsend_buffer.h"
#include "carry.h"
#include "held_sends.h"
#include "type_parts.h"

/* Parameters are replaced, and put back: their addresses are not taken, so they stay in registers. */
#define PITHI_REPLACE(part, buf_, count_, type_)                                                                       \
    (buf_ = (part).buf, count_ = (__typeof__(count_))(part).count, type_ = (part).type)
#define PITHI_RESTORE(part, buf_, count_, type_)                                                                       \
    (buf_ = (part).user_buf, count_ = (__typeof__(count_))(part).user_count, type_ = (part).user_type)

/* ---- long messages that were posted leave when this process waits ------------------------------------------------ */

{{fn f @recv @recv_matched MPI_Ssend @sendrecv @sendrecv_replace @probe_wait @probe_look @probe_match @probe_imatch}}
    if (PITHI_CARRYING)
        pithi_held_leave();
    {{callfn}}
{{endfn}}

{{fn f @wait @test @wait_all @test_all @wait_any @test_any @wait_some @test_some}}
    if (PITHI_CARRYING)
        pithi_held_leave();
    {{callfn}}
{{endfn}}

{{fn f @with_all @from_root @to_root @win_fence @win_free}}
    if (PITHI_CARRYING)
        pithi_held_leave();
    {{callfn}}
{{endfn}}

/* ---- blocking messages ------------------------------------------------------------------------------------------- */

{{fn f @send}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_BLOCKING, {{comm}});
        pithi_carry_send(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        PITHI_REPLACE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_over(&{{carry}}, {{returnVal}}, NULL, NULL);
    }
{{endfn}}

{{fn f @recv}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_BLOCKING, {{comm}});
        pithi_carry_recv(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_over(&{{carry}}, {{returnVal}}, {{status}}, PITHI_LEAST);
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

{{fn f @sendrecv}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_BLOCKING, {{comm}});
        pithi_carry_send(&{{carry}}, {{sendbuf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        pithi_carry_recv(&{{carry}}, {{recvbuf}}, {{recvcount}}, {{recvtype}}, {{from}}, {{from_tag}});
        PITHI_REPLACE({{carry}}.out, {{sendbuf}}, {{count}}, {{type}});
        PITHI_REPLACE({{carry}}.in, {{recvbuf}}, {{recvcount}}, {{recvtype}});
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.out, {{sendbuf}}, {{count}}, {{type}});
        PITHI_RESTORE({{carry}}.in, {{recvbuf}}, {{recvcount}}, {{recvtype}});
        pithi_carry_over(&{{carry}}, {{returnVal}}, {{status}}, PITHI_LEAST);
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

{{fn f @sendrecv_replace}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_BLOCKING, {{comm}});
        pithi_carry_replace(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}}, {{from}}, {{from_tag}});
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_over(&{{carry}}, {{returnVal}}, {{status}}, PITHI_LEAST);
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

{{fn f @isend}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_REQUEST, {{comm}});
        pithi_carry_send(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        PITHI_REPLACE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

{{fn f @irecv}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_REQUEST, {{comm}});
        pithi_carry_recv(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

{{fn f @isendrecv}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_BOTH, {{comm}});
        pithi_carry_send(&{{carry}}, {{sendbuf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        pithi_carry_recv(&{{carry}}, {{recvbuf}}, {{recvcount}}, {{recvtype}}, {{from}}, {{from_tag}});
        PITHI_REPLACE({{carry}}.out, {{sendbuf}}, {{count}}, {{type}});
        PITHI_REPLACE({{carry}}.in, {{recvbuf}}, {{recvcount}}, {{recvtype}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.out, {{sendbuf}}, {{count}}, {{type}});
        PITHI_RESTORE({{carry}}.in, {{recvbuf}}, {{recvcount}}, {{recvtype}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

{{fn f @isendrecv_replace}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_BOTH, {{comm}});
        pithi_carry_replace(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}}, {{from}}, {{from_tag}});
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

{{fn f @send_init}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_PERSISTENT, {{comm}});
        pithi_carry_send(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        PITHI_REPLACE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.out, {{buf}}, {{count}}, {{type}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

{{fn f @recv_init}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open(&{{carry}}, PITHI_CARRY_PERSISTENT, {{comm}});
        pithi_carry_recv(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{peer}}, {{tag}});
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

{{fn f @send_part_init @recv_part_init}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_start_alone({{returnVal}}, {{request}}, PITHI_ALONE_PARTITIONED);
{{endfn}}

{{fn f @start}}
    if (PITHI_CARRYING)
        pithi_carry_start(1, {{request}});
    {{callfn}}
    if (PITHI_CARRYING && __builtin_expect({{returnVal}} != MPI_SUCCESS, 0))
        pithi_carry_not_started(1, {{request}});
{{endfn}}

{{fn f @startall}}
    if (PITHI_CARRYING)
        pithi_carry_start({{count}}, {{requests}});
    {{callfn}}
    if (PITHI_CARRYING && __builtin_expect({{returnVal}} != MPI_SUCCESS, 0))
        pithi_carry_not_started({{count}}, {{requests}});
{{endfn}}

/* ---- messages matched before they are received, and probes ------------------------------------------------------- */

{{fn f @probe_wait}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_probed({{returnVal}}, 1, {{comm}}, {{status}});
{{endfn}}

{{fn f @probe_look}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_probed({{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag}}, {{comm}}, {{status}});
{{endfn}}

{{fn f @probe_match}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        {{carry}}.receives = 1;
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_matched({{returnVal}}, 1, {{comm}}, {{message}}, {{status}});
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

{{fn f @probe_imatch}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        {{carry}}.receives = 1;
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_matched({{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag}}, {{comm}}, {{message}},
                            {{status}});
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

{{fn f @recv_matched}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open_matched(&{{carry}}, PITHI_CARRY_BLOCKING, {{message}});
        pithi_carry_recv(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{carry}}.from, {{carry}}.tag);
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        {{status}} = pithi_carry_status(&{{carry}}, {{status}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_over(&{{carry}}, {{returnVal}}, {{status}}, PITHI_LEAST);
        {{status}} = {{carry}}.user_status;
    }
{{endfn}}

{{fn f @irecv_matched}}
    {{vardecl struct pithi_carry carry}}
    if (PITHI_CARRYING) {
        pithi_carry_open_matched(&{{carry}}, PITHI_CARRY_REQUEST, {{message}});
        pithi_carry_recv(&{{carry}}, {{buf}}, {{count}}, {{type}}, {{carry}}.from, {{carry}}.tag);
        PITHI_REPLACE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_go(&{{carry}});
    }
    {{callfn}}
    if (PITHI_CARRYING) {
        PITHI_RESTORE({{carry}}.in, {{buf}}, {{count}}, {{type}});
        pithi_carry_pending(&{{carry}}, {{returnVal}}, {{request}});
    }
{{endfn}}

/* ---- completion -------------------------------------------------------------------------------------------------- */

{{fn f @wait}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{status}} = pithi_carry_done_begin(&{{done}}, 1, {{request}}, {{status}}, MPI_STATUS_IGNORE, PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_done_one(&{{done}}, {{returnVal}}, 0, {{status}});
        {{status}} = {{done}}.user;
    }
{{endfn}}

{{fn f @test}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{status}} = pithi_carry_done_begin(&{{done}}, 1, {{request}}, {{status}}, MPI_STATUS_IGNORE, PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_done_one(&{{done}}, {{returnVal}}, {{returnVal}} != MPI_SUCCESS || *{{flag}} ? 0 : -1, {{status}});
        {{status}} = {{done}}.user;
    }
{{endfn}}

{{fn f @wait_all}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{statuses}} = pithi_carry_done_begin(&{{done}}, {{count}}, {{requests}}, {{statuses}}, MPI_STATUSES_IGNORE,
                                                PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_done_all(&{{done}}, {{returnVal}}, {{statuses}});
        {{statuses}} = {{done}}.user;
    }
{{endfn}}

{{fn f @test_all}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{statuses}} = pithi_carry_done_begin(&{{done}}, {{count}}, {{requests}}, {{statuses}}, MPI_STATUSES_IGNORE,
                                                PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        if ({{returnVal}} != MPI_SUCCESS || *{{flag}})
            pithi_carry_done_all(&{{done}}, {{returnVal}}, {{statuses}});
        else
            pithi_carry_done_none(&{{done}});
        {{statuses}} = {{done}}.user;
    }
{{endfn}}

{{fn f @wait_any}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{status}} = pithi_carry_done_begin(&{{done}}, {{count}}, {{requests}}, {{status}}, MPI_STATUS_IGNORE,
                                            PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_done_one(&{{done}}, {{returnVal}}, *{{index}}, {{status}});
        {{status}} = {{done}}.user;
    }
{{endfn}}

{{fn f @test_any}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{status}} = pithi_carry_done_begin(&{{done}}, {{count}}, {{requests}}, {{status}}, MPI_STATUS_IGNORE,
                                            PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_done_one(&{{done}}, {{returnVal}}, {{returnVal}} != MPI_SUCCESS || *{{flag}} ? *{{index}} : -1,
                             {{status}});
        {{status}} = {{done}}.user;
    }
{{endfn}}

{{fn f @wait_some @test_some}}
    {{vardecl struct pithi_carry_done done}}
    if (PITHI_CARRYING)
        {{statuses}} = pithi_carry_done_begin(&{{done}}, {{count}}, {{requests}}, {{statuses}}, MPI_STATUSES_IGNORE,
                                                PITHI_LEAST);
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_done_some(&{{done}}, {{returnVal}}, *{{outcount}}, {{indices}}, {{statuses}});
        {{statuses}} = {{done}}.user;
    }
{{endfn}}

{{fn f @get_status}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_peeked({{request}}, {{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag}}, {{status}});
{{endfn}}

{{fn f @request_cancel}}
    if (PITHI_CARRYING)
        pithi_carry_cancel({{request}});
    {{callfn}}
{{endfn}}

{{fn f @request_free}}
    {{vardecl struct pithi_carry_freed freed}}
    if (PITHI_CARRYING)
        {{request}} = pithi_carry_free_begin(&{{freed}}, {{request}});
    {{callfn}}
    if (PITHI_CARRYING) {
        pithi_carry_free_end(&{{freed}}, {{returnVal}});
        {{request}} = {{freed}}.user;
    }
{{endfn}}

/* A message sent by MPI_Bsend is longer than the program thinks: the buffer must be, too. */
{{fn f @buffer_attach}}
    {{vardecl struct pithi_bsend_buffer room}}
    if (PITHI_CARRYING) {
        {{room}} = pithi_bsend_attach({{buffer}}, {{size}});
        {{buffer}} = {{room}}.buf;
        {{size}} = (__typeof__({{size}})){{room}}.size_bytes;
    }
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_bsend_attached({{returnVal}}, &{{room}});
{{endfn}}

{{fn f @buffer_detach}}
    {{vardecl struct pithi_bsend_buffer room}}
    {{callfn}}
    if (PITHI_CARRYING && {{returnVal}} == MPI_SUCCESS) {
        {{room}} = pithi_bsend_detached(*(void **){{buffer_addr}}, *{{size}});
        *(void **){{buffer_addr}} = {{room}}.buf;
        *{{size}} = (__typeof__(*{{size}})){{room}}.size_bytes;
    }
{{endfn}}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

/* When a process comes to one; the rest is in outside.w. */
{{fn f @with_all @from_root @to_root @from_lower}}
    if (PITHI_CARRYING)
        pithi_carry_coll_come({{comm}}, PITHI_LEAST);
    {{callfn}}
{{endfn}}

/* Nonblocking ones: ours begins first. */
{{fn f @i_all @i_lower}}
    {{vardecl struct pithi_carry_icoll icoll}}
    if (PITHI_CARRYING)
        pithi_carry_icoll_begin(&{{icoll}}, {{comm}},
                                strstr("{{class}}", "i_all") ? PITHI_CARRY_ALL : PITHI_CARRY_LOWER, 0);
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_icoll_pending(&{{icoll}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @i_from @i_to}}
    {{vardecl struct pithi_carry_icoll icoll}}
    if (PITHI_CARRYING)
        pithi_carry_icoll_begin(&{{icoll}}, {{comm}}, strstr("{{class}}", "i_to") ? PITHI_CARRY_TO : PITHI_CARRY_FROM,
                                {{root}});
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_icoll_pending(&{{icoll}}, {{returnVal}}, {{request}});
{{endfn}}

/* Persistent ones: ours is made first, and started at each start (above). */
{{fn f @p_all @p_lower}}
    {{vardecl struct pithi_carry_pcoll pcoll}}
    if (PITHI_CARRYING)
        pithi_carry_pcoll_begin(&{{pcoll}}, {{comm}},
                                strstr("{{class}}", "p_all") ? PITHI_CARRY_ALL : PITHI_CARRY_LOWER, 0);
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_pcoll_made(&{{pcoll}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @p_from @p_to}}
    {{vardecl struct pithi_carry_pcoll pcoll}}
    if (PITHI_CARRYING)
        pithi_carry_pcoll_begin(&{{pcoll}}, {{comm}}, strstr("{{class}}", "p_to") ? PITHI_CARRY_TO : PITHI_CARRY_FROM,
                                {{root}});
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_pcoll_made(&{{pcoll}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @coll_init}}
    {{callfn}}
    if (!strstr("{{class}}", ",p_") && PITHI_CARRYING)
        pithi_carry_start_alone({{returnVal}}, {{request}}, PITHI_ALONE_COLL);
{{endfn}}

/* What came from the root. */
{{fn f @bcast}}
    {{callfn}}
    if (strstr("{{class}}", "from_root") && PITHI_CARRYING)
        pithi_carry_coll_got({{returnVal}}, {{root}}, {{count}}, {{type}});
{{endfn}}

{{fn f @scatter @scatterv}}
    {{callfn}}
    if (strstr("{{class}}", "from_root") && PITHI_CARRYING)
        pithi_carry_coll_got({{returnVal}}, {{root}}, {{recv_count}}, {{recv_type}});
{{endfn}}

/* The others. The compiler knows which ones. */
{{fn f @coll}}
    if (!strstr("{{class}}", "with_all") && !strstr("{{class}}", "_root") && !strstr("{{class}}", "from_lower") &&
        !strstr("{{class}}", ",i_") && PITHI_CARRYING)
        pithi_carry_alone(PITHI_ALONE_COLL);
    {{callfn}}
{{endfn}}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

{{fn f @win_make @win_make_empty}}
    if (PITHI_CARRYING)
        pithi_carry_coll_come({{comm}}, PITHI_LEAST);
    {{callfn}}
{{endfn}}

{{fn f @win_fence}}
    if (PITHI_CARRYING)
        pithi_carry_window_come({{window}}, 0);
    {{callfn}}
{{endfn}}

{{fn f @win_free}}
    if (PITHI_CARRYING)
        pithi_carry_window_come(*{{window}}, 1);
    {{callfn}}
{{endfn}}

{{fn f @rma_wait}}
    if (PITHI_CARRYING)
        pithi_carry_alone(PITHI_ALONE_RMA);
    {{callfn}}
{{endfn}}

/* ---- communicators, types ---------------------------------------------------------------------------------------- */

{{fn f @comm_dup @comm_split @comm_create @comm_topology @comm_merge @comm_inter}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_carry_made({{returnVal}}, {{made}});
{{endfn}}

{{fn f @comm_free}}
    {{vardecl struct pithi_shadow *gone}}
    {{gone}} = PITHI_CARRYING ? pithi_shadow_drop_begin({{comm}}) : NULL;
    {{callfn}}
    if (__builtin_expect({{gone}} != NULL, 0))
        pithi_carry_gone({{returnVal}}, {{gone}});
{{endfn}}

{{fn f @type_free}}
    {{callfn}}
    if (PITHI_CARRYING)
        pithi_part_type_gone();
{{endfn}}
