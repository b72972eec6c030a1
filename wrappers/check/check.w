/* check.w - checks that all processes make the same collective calls, with matching arguments. From this file,
 * wrappergen makes a wrapper of every MPI function; roles.table lists the collective functions and their arguments.
 *
 * Several sections below may apply to one function. What they do before the call runs in the order of this file: note
 * the call (1), find its team (2), state its arguments (3) and run the check (4). The call is made only if all
 * processes agree. After the call, the objects that it made or freed are noted (5).
 */
#include "check.h"
#include "completion.h"
#include "left.h"

/* Open MPI defines macros with these names. */
#undef MPI_Aint_add
#undef MPI_Aint_diff

const char *const pithi_check_names[] = {
{{forallfn f @conversion}}    "{{f}}",
{{endforallfn}}};

/* ---- 1. where this process is ------------------------------------------------------------------------------------ */

{{fn f @job_finalize}} {{callfn}} pithi_check_ended_job(); {{endfn}}

{{fnall f @conversion}}
    {{vardecl struct pithi_check_call call}}
    pithi_check_enter(&{{call}}, {{fn_num}}, __builtin_return_address(0));
    {{callfn}}
    pithi_check_leave(&{{call}});
{{endfnall}}

{{fn f @recv @probe @probe_match}} pithi_where_message(PITHI_WHERE_FROM, {{peer}}, {{tag}}); {{callfn}} {{endfn}}
{{fn f @send}} pithi_where_message(PITHI_WHERE_TO, {{peer}}, {{tag}}); {{callfn}} {{endfn}}
{{fn f @p2p_sendrecv}} pithi_where_message(PITHI_WHERE_FROM, {{from}}, {{from_tag}}); {{callfn}} {{endfn}}

/* ---- 2. the team of the call ------------------------------------------------------------------------------------- */

{{fn f @icoll @coll_init @comm_idup @comm_free @comm_hints @file_hints @win_hints}}
    pithi_check_later(); {{callfn}}
{{endfn}}
{{fn f @coll @coll_init @comm_hints @win_make @win_make_empty @file_open}}
    pithi_check_comm({{comm}}); {{callfn}}
{{endfn}}
{{fn f @comm_dup @comm_idup @comm_split @comm_create @comm_topology @comm_merge}}
    pithi_check_comm({{parent}}); {{callfn}}
{{endfn}}
{{fn f @comm_idup}} pithi_check_expect(); {{callfn}} {{endfn}}
{{fn f MPI_Comm_create_group}} pithi_check_members({{comm}}, {{group}}, {{tag}}); {{callfn}} {{endfn}}
{{fn f @comm_free}} pithi_check_comm(*{{comm}}); {{callfn}} {{endfn}}
{{fn f MPI_Comm_spawn MPI_Comm_spawn_multiple MPI_Comm_accept MPI_Comm_connect}}
    pithi_check_comm({{comm}}); {{callfn}}
{{endfn}}
{{fn f @file_all @file_iall @file_hints}} pithi_check_file({{file}}); {{callfn}} {{endfn}}
{{fn f @file_close}} pithi_check_file(*{{file}}); {{callfn}} {{endfn}}
{{fn f @win_free}} pithi_check_window(*{{window}}); {{callfn}} {{endfn}}
{{fn f @win_all @win_hints}} pithi_check_window({{window}}); {{callfn}} {{endfn}}

/* MPI itself need not wait for all processes in these calls. */
{{fn f @from_root @to_root @from_lower @i_from @i_to @i_lower @p_from @p_to @p_lower}}
    pithi_check_wait(); {{callfn}}
{{endfn}}
{{fn f @nallgather @nallgatherv @nalltoall @nalltoallv @nalltoallw}} pithi_check_wait(); {{callfn}} {{endfn}}
{{fn f @file_all @file_iall @file_close @win_fence}} pithi_check_wait(); {{callfn}} {{endfn}}

/* ---- 3. the arguments -------------------------------------------------------------------------------------------- */

{{fn f @coll @coll_init}}
    pithi_check_collective(&(const struct pithi_collective){
            PITHI_SHAPE({{class}}), {{comm}}, {{root|0}},
            PITHI_DATA({{sendbuf|NULL}}, {{count|0}}, {{type|MPI_DATATYPE_NULL}}, {{counts|PITHI_NO_COUNTS}},
                       {{types|NULL}}),
            PITHI_DATA({{recvbuf|NULL}}, {{recv_count|0}}, {{recv_type|MPI_DATATYPE_NULL}},
                       {{recv_counts|PITHI_NO_COUNTS}}, {{recv_types|NULL}})},
        "{{f}}", {{op|MPI_OP_NULL}});
    {{callfn}}
{{endfn}}

{{fn f MPI_Comm_create}} pithi_check_group({{comm}}, {{group}}); {{callfn}} {{endfn}}
{{fn f MPI_Comm_split_type}}
    pithi_check_number_if({{split_type}} != MPI_UNDEFINED, "split_type", {{split_type}}); {{callfn}}
{{endfn}}
{{fn f MPI_Intercomm_merge}} pithi_check_merge({{high}}); {{callfn}} {{endfn}}
{{fn f MPI_Cart_create}}
    pithi_check_number("ndims", {{ndims}});
    pithi_check_numbers("dims", {{ndims}}, {{dims}});
    pithi_check_truths("periods", {{ndims}}, {{periods}});
    pithi_check_truth("reorder", {{reorder}});
    {{callfn}} {{endfn}}
{{fn f MPI_Cart_sub}} pithi_check_cart_sub({{comm}}, {{remain_dims}}); {{callfn}} {{endfn}}
{{fn f MPI_Graph_create}} pithi_check_graph({{nnodes}}, {{index}}, {{edges}}, {{reorder}}); {{callfn}} {{endfn}}
{{fn f MPI_Dist_graph_create}} pithi_check_truth("reorder", {{reorder}}); {{callfn}} {{endfn}}
{{fn f MPI_Dist_graph_create_adjacent}}
    pithi_check_adjacent({{indegree}}, {{sources}}, {{sourceweights}}, {{outdegree}}, {{destinations}},
                         {{destweights}}, {{reorder}});
    {{callfn}} {{endfn}}
{{fn f MPI_Comm_spawn MPI_Comm_spawn_multiple MPI_Comm_accept MPI_Comm_connect}}
    pithi_check_root({{root}}); {{callfn}}
{{endfn}}
{{fn f @file_open}} pithi_check_open({{name}}, {{amode}}); {{callfn}} {{endfn}}
{{fn f MPI_File_set_size MPI_File_preallocate}} pithi_check_number("size", {{size}}); {{callfn}} {{endfn}}
{{fn f MPI_File_set_view}} pithi_check_view({{etype}}, {{datarep}}); {{callfn}} {{endfn}}
{{fn f MPI_File_set_atomicity}} pithi_check_truth("flag", {{flag}}); {{callfn}} {{endfn}}
{{fn f MPI_File_seek_shared}}
    pithi_check_number("offset", {{offset}});
    pithi_check_number("whence", {{whence}});
    {{callfn}} {{endfn}}
{{fn f MPI_Win_fence}} pithi_check_fence({{assert}}); {{callfn}} {{endfn}}

/* ---- 4. the check ------------------------------------------------------------------------------------------------ */

{{fn f @icoll @coll_init @comm_idup @file_iall}}
    {{vardecl struct pithi_check *check}}
    {{check}} = pithi_check_start();
    {{callfn}}
    pithi_check_posted({{check}}, {{returnVal}}, {{request}});
{{endfn}}

{{fn f @coll @file_all @file_close @win_all @win_free}}
    if (pithi_check_agree(&{{returnVal}})) { {{callfn}} }
{{endfn}}
{{fn f @comm_dup @comm_split @comm_create @comm_create_group @comm_topology @comm_merge}}
    if (pithi_check_agree(&{{returnVal}})) { {{callfn}} pithi_check_comm_made({{returnVal}}, {{parent}}, {{made}}); }
{{endfn}}
{{fn f @file_open}}
    if (pithi_check_agree(&{{returnVal}})) {
        {{callfn}}
        pithi_check_file_made({{returnVal}}, {{comm}}, {{name}}, {{file}});
    }
{{endfn}}
{{fn f @win_make @win_make_empty}}
    if (pithi_check_agree(&{{returnVal}})) {
        {{callfn}}
        pithi_check_window_made({{returnVal}}, {{comm}}, {{window}});
    }
{{endfn}}
{{fn f MPI_Comm_spawn MPI_Comm_spawn_multiple MPI_Comm_accept MPI_Comm_connect}}
    if (pithi_check_agree(&{{returnVal}})) { {{callfn}} pithi_check_comm_made({{returnVal}}, {{comm}}, {{made}}); }
{{endfn}}
{{fn f MPI_Comm_join}} {{callfn}} pithi_check_comm_made({{returnVal}}, MPI_COMM_SELF, {{made}}); {{endfn}}

{{fn f MPI_Intercomm_create}}
    pithi_check_comm({{local_comm}});
    pithi_check_number("local_leader", {{local_leader}});
    pithi_check_number("tag", {{tag}});
    if (pithi_check_agree(&{{returnVal}}) && pithi_check_leaders({{local_comm}}, {{local_leader}}, {{peer_comm}},
                                                                 {{remote_leader}}, {{tag}}, &{{returnVal}})) {
        {{callfn}}
        pithi_check_comm_made({{returnVal}}, {{local_comm}}, {{made}});
    }
{{endfn}}
{{fn f @comm_of_group}}
    pithi_check_members_named({{group}}, {{stringtag}});
    if (pithi_check_agree(&{{returnVal}})) {
        {{callfn}}
        pithi_check_comm_made({{returnVal}}, MPI_COMM_NULL, {{made}});
    }
{{endfn}}
{{fn f @comm_of_groups}}
    pithi_check_members_named({{local_group}}, {{stringtag}});
    pithi_check_number("local_leader", {{local_leader}});
    if (pithi_check_agree(&{{returnVal}}) &&
        pithi_check_leaders_named({{local_group}}, {{local_leader}}, {{remote_group}}, {{remote_leader}}, {{stringtag}},
                                  &{{returnVal}})) {
        {{callfn}}
        pithi_check_comm_made({{returnVal}}, MPI_COMM_NULL, {{made}});
    }
{{endfn}}

/* In these calls no process needs to wait for other processes. */
{{fn f @comm_free}} pithi_check_post(); pithi_check_comm_gone({{comm}}); {{callfn}} {{endfn}}
{{fn f @comm_hints @file_hints @win_hints}} pithi_check_post(); {{callfn}} {{endfn}}

{{fn f @wait @wait_all}} if (pithi_check_settled({{count|1}}, {{requests}}, &{{returnVal}})) { {{callfn}} } {{endfn}}
{{fn f @wait_any @wait_some}}
    if (pithi_check_settled_some({{count}}, {{requests}}, &{{returnVal}})) { {{callfn}} }
{{endfn}}
{{fn f @test @test_all}}
    {{vardecl int ready}}
    {{ready}} = pithi_check_ready({{count|1}}, {{requests}}, &{{returnVal}});
    if ({{ready}} > 0) { {{callfn}} } else { *{{flag}} = 0; if ({{ready}} < 0) {{returnVal}} = MPI_SUCCESS; }
{{endfn}}
{{fn f @test_any @test_some}}
    if (pithi_check_ready({{count}}, {{requests}}, &{{returnVal}})) { {{callfn}} }
{{endfn}}

{{fn f @job_init}} pithi_check_mark(); {{callfn}} pithi_check_begin_job({{returnVal}}); {{endfn}}

/* The real MPI_Finalize is called when all processes have called MPI_Finalize. If another process makes another
 * collective call instead, the check reports this error and ends. So the check is repeated until all processes are in
 * MPI_Finalize. */
{{fn f @job_finalize}}
    do
        pithi_check_comm(MPI_COMM_WORLD);
    while (!pithi_check_agree(&{{returnVal}}));
    {{callfn}}
{{endfn}}

/* ---- 5. what the program makes, frees and sends ------------------------------------------------------------------ */

{{fn f @send @isend @send_init @p2p_sendrecv @p2p_isendrecv}}
    pithi_left_sending({{comm}}, {{peer}}, {{tag}}); {{callfn}}
{{endfn}}

{{fn f @isend @irecv @irecv_matched @p2p_isendrecv @icoll @comm_idup @file_iall @file_i @rma_request @request_make}}
    {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_REQUEST, {{request}});
{{endfn}}
{{fn f @send_init @recv_init @send_part_init @recv_part_init @coll_init}}
    {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_PERSISTENT, {{request}});
{{endfn}}
{{fn f @wait @wait_all @wait_any @wait_some @test @test_all @test_any @test_some}}
    {{vardecl struct pithi_left_awaited awaited}}
    pithi_left_await(&{{awaited}}, {{count|1}}, {{requests}});
    {{callfn}}
    pithi_left_awaited(&{{awaited}});
{{endfn}}
{{fn f @request_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_REQUEST, {{request}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_REQUEST, {{request}});
{{endfn}}

{{fn f @comm_dup @comm_split @comm_create @comm_create_group @comm_topology @comm_merge @comm_inter @comm_alone @comm_idup}}
    {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_COMM, {{made}});
{{endfn}}
{{fn f @win_make @win_make_empty}} {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_WINDOW, {{window}}); {{endfn}}
{{fn f @file_open}} {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_FILE, {{file}}); {{endfn}}
{{fn f @type_make}} {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_TYPE, {{made}}); {{endfn}}
{{fn f @group_make}} {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_GROUP, {{made}}); {{endfn}}
{{fn f @op_make}} {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_OP, {{made}}); {{endfn}}
{{fn f @info_make}} {{callfn}} pithi_left_made({{returnVal}}, PITHI_LEFT_INFO, {{made}}); {{endfn}}
{{fn f @type_contents}}
    {{callfn}} pithi_left_contents({{returnVal}}, {{datatype}}, {{max_datatypes}}, {{array_of_datatypes}});
{{endfn}}
{{fn f @comm_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_COMM, {{comm}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_COMM, {{comm}});
{{endfn}}
{{fn f @win_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_WINDOW, {{window}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_WINDOW, {{window}});
{{endfn}}
{{fn f @file_close}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_FILE, {{file}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_FILE, {{file}});
{{endfn}}
{{fn f @type_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_TYPE, {{datatype}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_TYPE, {{datatype}});
{{endfn}}
{{fn f @group_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_GROUP, {{group}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_GROUP, {{group}});
{{endfn}}
{{fn f @op_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_OP, {{op}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_OP, {{op}});
{{endfn}}
{{fn f @info_free}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_INFO, {{info}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_INFO, {{info}});
{{endfn}}

{{fn f @probe_match @probe_imatch}}
    {{callfn}}
    if ({{returnVal}} == MPI_SUCCESS && *{{flag|PITHI_ALWAYS}})
        pithi_left_made({{returnVal}}, PITHI_LEFT_MATCHED, {{message}});
{{endfn}}
{{fn f @recv_matched @irecv_matched}}
    {{vardecl uint32_t freeing}}
    {{freeing}} = pithi_left_freeing(PITHI_LEFT_MATCHED, {{message}});
    {{callfn}}
    pithi_left_freed({{returnVal}}, {{freeing}}, PITHI_LEFT_MATCHED, {{message}});
{{endfn}}
