/* messages.w - records messages, collectives and communicators. This file follows log.w, whose parts enclose the parts
 * here. */
#include "coll.h"
#include "comm.h"
#include "detail.h"
#include "message.h"

/* ---- messages: a send is recorded before the call, a receive after it -------------------------------------------- */

{{fn f @send @isend @p2p_sendrecv @p2p_isendrecv}}
    pithi_send({{comm}}, {{peer}}, {{tag}}, {{count}}, {{type}});
    {{callfn}}
{{endfn}}

{{fn f @recv @p2p_sendrecv}}
    {{vardecl struct pithi_recv recv}}
    pithi_recv_begin(&{{recv}}, {{comm}}, {{from}}, {{from_tag}});
    {{status}} = pithi_recv_status(&{{recv}}, {{status}});
    {{callfn}}
    pithi_recv_end(&{{recv}}, {{returnVal}}, {{status}});
{{endfn}}

{{fn f @irecv @p2p_isendrecv}}
    {{vardecl struct pithi_recv recv}}
    pithi_recv_begin(&{{recv}}, {{comm}}, {{from}}, {{from_tag}});
    {{callfn}}
    pithi_recv_pending(&{{recv}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @send_init @send_part_init}}
    {{callfn}}
    pithi_send_init({{returnVal}}, {{comm}}, {{peer}}, {{tag}}, {{partitions|1}} * {{count}}, {{type}}, {{request}});
{{endfn}}

{{fn f @recv_init @recv_part_init}}
    {{callfn}}
    pithi_recv_init({{returnVal}}, {{comm}}, {{peer}}, {{tag}}, {{request}});
{{endfn}}

{{fn f @start @startall}}
    pithi_start({{count|1}}, {{requests}});
    {{callfn}}
{{endfn}}

/* ---- messages probed or matched before they are received --------------------------------------------------------- */

{{fn f @probe_wait @probe_look @probe_match @probe_imatch}}
    {{vardecl MPI_Status own}}
    {{status}} = {{status}} == MPI_STATUS_IGNORE ? &{{own}} : {{status}};
    {{callfn}}
    pithi_detail_probed({{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag|PITHI_ALWAYS}}, {{comm}}, {{status}});
{{endfn}}

{{fn f @probe_match @probe_imatch}}
    {{callfn}}
    pithi_message_matched({{returnVal}}, {{returnVal}} == MPI_SUCCESS && *{{flag|PITHI_ALWAYS}}, {{comm}}, {{message}});
{{endfn}}

{{fn f @recv_matched}}
    {{vardecl struct pithi_recv recv}}
    pithi_message_begin(&{{recv}}, {{message}});
    {{status}} = pithi_recv_status(&{{recv}}, {{status}});
    {{callfn}}
    pithi_recv_end(&{{recv}}, {{returnVal}}, {{status}});
{{endfn}}

{{fn f @irecv_matched}}
    {{vardecl struct pithi_recv recv}}
    pithi_message_begin(&{{recv}}, {{message}});
    {{callfn}}
    pithi_recv_pending(&{{recv}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @request_cancel}}
    pithi_cancel({{request}});
    {{callfn}}
{{endfn}}

{{fn f @request_free}}
    pithi_request_free({{request}});
    {{callfn}}
{{endfn}}

/* ---- collectives: the record is prepared from the arguments; then it is written, or kept with the request -------- */

{{fn f @coll @coll_init}}
    pithi_coll(&(const struct pithi_collective){
            PITHI_SHAPE({{class}}), {{comm}}, {{root|0}},
            PITHI_DATA({{sendbuf|NULL}}, {{count|0}}, {{type|MPI_DATATYPE_NULL}}, {{counts|PITHI_NO_COUNTS}},
                       {{types|NULL}}),
            PITHI_DATA({{recvbuf|NULL}}, {{recv_count|0}}, {{recv_type|MPI_DATATYPE_NULL}},
                       {{recv_counts|PITHI_NO_COUNTS}}, {{recv_types|NULL}})});
    {{callfn}}
{{endfn}}

{{fn f @coll}}
    pithi_coll_record();
    {{callfn}}
{{endfn}}

{{fn f @icoll}}
    {{callfn}}
    pithi_coll_started({{returnVal}}, {{request}});
{{endfn}}

{{fn f @coll_init}}
    {{callfn}}
    pithi_coll_keep({{returnVal}}, {{request}});
{{endfn}}

/* ---- windows: made on a communicator; their own operations use the window's communicator ------------------------- */

{{fn f @win_make @win_make_empty}} pithi_coll_barrier({{comm}}); pithi_coll_record(); {{callfn}} {{endfn}}

{{fn f @win_fence}}
    pithi_coll_on(pithi_detail_window({{window}}), pithi_detail_window_fenced({{window}}, {{assert}}));
    pithi_coll_record();
    {{callfn}}
{{endfn}}

{{fn f @win_free}}
    pithi_coll_on(pithi_detail_window(*{{window}}), 0);
    pithi_coll_record();
    pithi_detail_freeing(pithi_detail_window(*{{window}}));
    {{callfn}}
{{endfn}}

/* ---- files: made on a communicator; their own operations use the file's communicator ----------------------------- */

{{fn f @file_open}} pithi_coll_barrier({{comm}}); pithi_coll_record(); {{callfn}} {{endfn}}

{{fn f @file_all @file_iall}}
    pithi_coll_on(pithi_detail_file({{file}}), 0);
    pithi_coll_record();
    {{callfn}}
{{endfn}}

{{fn f @file_iall}}
    {{callfn}}
    pithi_coll_started({{returnVal}}, {{request}});
{{endfn}}

{{fn f @file_close}}
    pithi_coll_on(pithi_detail_file(*{{file}}), 0);
    pithi_coll_record();
    pithi_detail_freeing(pithi_detail_file(*{{file}}));
    {{callfn}}
{{endfn}}

/* ---- communicators: a collective on the parent, or on the new communicator if only its members call -------------- */

{{fn f @comm_dup @comm_split @comm_create @comm_topology @comm_idup}}
    pithi_coll_barrier({{parent}});
    pithi_coll_record();
    {{callfn}}
{{endfn}}

{{fn f @comm_dup}} {{callfn}} pithi_comm_made({{returnVal}}, PITHI_COMM_DUP, {{parent}}, {{made}}); {{endfn}}
{{fn f @comm_split}} {{callfn}} pithi_comm_made({{returnVal}}, PITHI_COMM_SPLIT, {{parent}}, {{made}}); {{endfn}}
{{fn f @comm_create}} {{callfn}} pithi_comm_made({{returnVal}}, PITHI_COMM_CREATE, {{parent}}, {{made}}); {{endfn}}
{{fn f @comm_topology}} {{callfn}} pithi_comm_made({{returnVal}}, PITHI_COMM_TOPOLOGY, {{parent}}, {{made}}); {{endfn}}
{{fn f @comm_alone}} {{callfn}} pithi_comm_made({{returnVal}}, PITHI_COMM_OTHER, MPI_COMM_NULL, {{made}}); {{endfn}}

{{fn f @comm_create_group}}
    {{callfn}}
    pithi_comm_made({{returnVal}}, PITHI_COMM_CREATE, {{parent}}, {{made}});
    pithi_coll_made({{returnVal}}, {{made}});
{{endfn}}
{{fn f @comm_merge}}
    {{callfn}}
    pithi_comm_made({{returnVal}}, PITHI_COMM_MERGE, {{parent}}, {{made}});
    pithi_coll_made({{returnVal}}, {{made}});
{{endfn}}
{{fn f @comm_inter}}
    {{callfn}}
    pithi_comm_made({{returnVal}}, PITHI_COMM_INTER, MPI_COMM_NULL, {{made}});
    pithi_coll_made({{returnVal}}, {{made}});
{{endfn}}

{{fn f @comm_idup}}
    {{vardecl uint64_t key}}
    {{key}} = pithi_comm_promise({{parent}});
    {{callfn}}
    pithi_comm_pending({{returnVal}}, {{key}}, {{made}}, {{request}});
{{endfn}}

{{fn f @comm_free}}
    pithi_coll_barrier(*{{comm}});
    pithi_coll_record();
    {{callfn}}
{{endfn}}

{{fn f @comm_name}}
    {{callfn}}
    pithi_comm_named({{returnVal}}, {{comm}}, {{name}});
{{endfn}}

{{fn f @type_free}}
    {{callfn}}
    pithi_type_freed();
{{endfn}}
