/* handle.w - the calls that make and free communicators, windows and files (handle.h). This template stands after all
 * other templates, so its code is closest to the call. The other templates' code after the call thus finds the new
 * handle in the table. Results are tested first, because a failed call may leave the handle undefined. */
#include "handle.h"

{{fn f @comm_dup @comm_split @comm_create @comm_create_group @comm_topology @comm_merge @comm_inter @comm_alone}}
    {{callfn}}
    pithi_handle_comm_made({{returnVal}} == MPI_SUCCESS ? *{{made}} : MPI_COMM_NULL);
{{endfn}}

{{fn f @win_make @win_make_empty}}
    {{callfn}}
    pithi_handle_made_on({{returnVal}} == MPI_SUCCESS ? pithi_window_key(*{{window}}) : 0, {{comm}});
{{endfn}}

{{fn f @file_open}}
    {{callfn}}
    pithi_handle_made_on({{returnVal}} == MPI_SUCCESS ? pithi_file_key(*{{file}}) : 0, {{comm}});
{{endfn}}

{{fn f @comm_free}}
    {{vardecl struct pithi_handle *gone}}
    {{gone}} = pithi_handle_free_begin(pithi_comm_key(*{{comm}}));
    {{callfn}}
    pithi_handle_free_end({{returnVal}}, {{gone}});
{{endfn}}

{{fn f @win_free}}
    {{vardecl struct pithi_handle *gone}}
    {{gone}} = pithi_handle_free_begin(pithi_window_key(*{{window}}));
    {{callfn}}
    pithi_handle_free_end({{returnVal}}, {{gone}});
{{endfn}}

{{fn f @file_close}}
    {{vardecl struct pithi_handle *gone}}
    {{gone}} = pithi_handle_free_begin(pithi_file_key(*{{file}}));
    {{callfn}}
    pithi_handle_free_end({{returnVal}}, {{gone}});
{{endfn}}
