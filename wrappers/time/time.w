/* time.w - counts the calls of each MPI function, their times, and the data they sent; MPI_Finalize writes the table.
 * wrappergen makes a function of it for every MPI function. {{{{fn_num}} gives each its number, and {{{{forallfn}}
 * lists the names in the same order. Several parts below may apply to one function. Their code before the call runs in
 * the order of this file, their code after it in the opposite order. The part that measures the time comes last, so it
 * measures only the call.
 */
#include "timing.h"

#include <string.h>

/* Open MPI defines macros with these names. */
#undef MPI_Aint_add
#undef MPI_Aint_diff

const char *const pithi_time_names[] = {
{{forallfn f @conversion}}    "{{f}}",
{{endforallfn}}};
const char *const pithi_time_classes[] = {
{{forallfn f @conversion}}    "{{class}}",
{{endforallfn}}};
const int pithi_time_functions = sizeof pithi_time_names / sizeof *pithi_time_names;

/* ---- the data sent ----------------------------------------------------------------------------------------------- */

{{fn f @send @isend @p2p_sendrecv @p2p_isendrecv}}
    {{callfn}}
    pithi_time_send({{comm}}, {{peer}}, {{count}}, {{type}});
{{endfn}}

{{fn f @send_init @send_part_init}}
    {{callfn}}
    pithi_time_send_init({{returnVal}}, {{comm}}, {{peer}}, {{partitions|1}} * {{count}}, {{type}}, {{request}});
{{endfn}}

{{fn f @start @startall}} {{callfn}} pithi_time_start({{count|1}}, {{requests}}); {{endfn}}
{{fn f @request_free}} pithi_time_forget({{request}}); {{callfn}} {{endfn}}
{{fn f @type_free}} {{callfn}} pithi_type_freed(); {{endfn}}

/* Bytes that this process gives to a collective: they count at once, or at each start of a persistent collective. */
{{fn f @coll @coll_init}}
    {{callfn}}
    pithi_time_collective(&(const struct pithi_collective){
            PITHI_SHAPE({{class}}), {{comm}}, {{root|0}},
            PITHI_DATA({{sendbuf|NULL}}, {{count|0}}, {{type|MPI_DATATYPE_NULL}}, {{counts|PITHI_NO_COUNTS}},
                       {{types|NULL}}),
            PITHI_DATA({{recvbuf|NULL}}, {{recv_count|0}}, {{recv_type|MPI_DATATYPE_NULL}},
                       {{recv_counts|PITHI_NO_COUNTS}}, {{recv_types|NULL}})},
        {{returnVal}}, strstr("{{class}}", "_init") ? {{request|NULL}} : NULL);
{{endfn}}

/* ---- the communicator -------------------------------------------------------------------------------------------- */

{{fn f @send @isend @p2p_sendrecv @p2p_isendrecv @recv @irecv @probe @probe_match @probe_imatch @coll @coll_init}}
    pithi_time_comm({{comm}});
    {{callfn}}
{{endfn}}

{{fn f @comm_name}} {{callfn}} pithi_time_comm_named({{comm}}); {{endfn}}

/* ---- pauses ------------------------------------------------------------------------------------------------------ */

{{fn f @job_control}} pithi_time_resume({{level}}); {{callfn}} pithi_time_pause({{level}}); {{endfn}}

/* ---- the time ---------------------------------------------------------------------------------------------------- */

{{fnall f @conversion @job_finalize @job_session_end}}
    {{vardecl struct pithi_time_call call}}
    pithi_time_begin(&{{call}}, {{fn_num}}, __builtin_return_address(0));
    {{callfn}}
    pithi_time_end(&{{call}});
{{endfnall}}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

{{fn f @job_init}} pithi_time_mark(); {{callfn}} pithi_time_job({{returnVal}}); {{endfn}}
{{fn f @job_session}} {{callfn}} pithi_time_session({{returnVal}}); {{endfn}}

/* The time of MPI_Finalize is the time that this process waits in it for the others. Then the report is made. */

{{fn f @job_finalize}}
    {{vardecl struct pithi_time_call call}}
    pithi_time_begin(&{{call}}, {{fn_num}}, __builtin_return_address(0));
    pithi_time_finish(&{{call}});
    {{callfn}}
{{endfn}}

{{fn f @job_session_end}}
    {{vardecl struct pithi_time_call call}}
    pithi_time_begin(&{{call}}, {{fn_num}}, __builtin_return_address(0));
    pithi_time_session_finish(&{{call}});
    {{callfn}}
{{endfn}}
