/* trace.w - a line when an MPI call begins, and a line when it ends:
 *
 *     [0] Starting MPI_Send with count = 10, dest = 1, tag = 5...
 *     [0] Ending MPI_Send
 *
 * wrappergen makes a wrapper from this file for every MPI function. Several of the parts below may apply to one
 * function. Their code before the call runs in the order of this file, their code after it in the opposite order: 1, 2,
 * call, 3, 2.
 */
#include "trace.h"

/* Open MPI defines macros with these names. */
#undef MPI_Aint_add
#undef MPI_Aint_diff

/* 1. Notes for the line at the begin: the call's arguments. */

{{fn f @send @isend @send_init @send_part_init}}
    pithi_trace_message({{count}}, "dest", {{peer}}, {{tag}});
    {{callfn}}
{{endfn}}

{{fn f @recv @irecv @recv_init @recv_part_init}}
    pithi_trace_message({{count}}, "source", {{peer}}, {{tag}});
    {{callfn}}
{{endfn}}

{{fn f @p2p_sendrecv @p2p_isendrecv}}
    pithi_trace_message({{count}}, "dest", {{peer}}, {{tag}});
    pithi_trace_peer("source", {{from}}, {{from_tag}});
    {{callfn}}
{{endfn}}

{{fn f @probe @probe_match @probe_imatch}}
    pithi_trace_peer("source", {{peer}}, {{tag}});
    {{callfn}}
{{endfn}}

{{fn f @startall @wait_all @wait_any @wait_some @test_all @test_any @test_some}}
    pithi_trace_count({{count}});
    {{callfn}}
{{endfn}}

{{fn f @job_control}}
    pithi_trace_resume({{level}});
    {{callfn}}
{{endfn}}

/* 2. The two lines. */

{{fnall f @conversion}}
    {{vardecl struct pithi_trace_call call}}
    {{vardecl static int chosen}}
    pithi_trace_begin(&{{call}}, "{{f}}", "{{class}}", &{{chosen}}, __builtin_return_address(0));
    {{callfn}}
    pithi_trace_end(&{{call}});
{{endfnall}}

/* 3. Notes for the line at the end: the received message, even if the program ignores the status. */

{{fn f @recv @recv_matched}}
    {{vardecl MPI_Status own}}
    if ({{status}} == MPI_STATUS_IGNORE)
        {{status}} = &{{own}};
    {{callfn}}
    pithi_trace_received({{returnVal}}, {{status}}, {{type}});
{{endfn}}

{{fn f @p2p_sendrecv MPI_Probe MPI_Mprobe}}
    {{vardecl MPI_Status own}}
    if ({{status}} == MPI_STATUS_IGNORE)
        {{status}} = &{{own}};
    {{callfn}}
    pithi_trace_received({{returnVal}}, {{status}}, MPI_BYTE);
{{endfn}}

{{fn f @job_init}}
    {{callfn}}
    pithi_trace_begin_job({{returnVal}});
{{endfn}}

{{fn f @job_control}}
    {{callfn}}
    pithi_trace_pause({{level}});
{{endfn}}
