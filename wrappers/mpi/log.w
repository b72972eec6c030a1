/* log.w - records MPI calls in libpith-mpi. wrappergen makes a function of it for every MPI function:
 *
 *     wrappergen --preload -w log.w messages.w -r roles.table -o log.c
 *
 * Several parts may apply to one function. Their code before the call runs in the order of this file, their code after
 * it in the opposite order. The part that makes each call a state stands before the parts for details and messages, so
 * the state encloses their records. In double braces, @class selects all functions of a class in roles.table, and a
 * role such as peer stands for the argument with that role.
 */
#include "detail.h"
#include "job.h"
#include "pith_tool.h"
#include "real.h"
#include "state.h"

/* Open MPI defines macros with these names. */
#undef MPI_Aint_add
#undef MPI_Aint_diff

/* ---- the animation library opens its window (job.h) -------------------------------------------------------------- */

{{fn f MPI_Init MPI_Init_thread}}
    {{callfn}}
    if (pithi_anim_begin)
        pithi_anim_begin({{returnVal}});
{{endfn}}

/* ---- every call is a state --------------------------------------------------------------------------------------- */

{{fnall f @conversion @job_finalize @job_session_end @job_control}}
    {{vardecl struct pithi_call call}}
    PITHI_ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}");
    {{callfn}}
    PITHI_LEAVE(&{{call}});
{{endfnall}}

/* ---- details of a call: events with a payload (detail.h) --------------------------------------------------------- */

{{fn f @file_open}} {{callfn}} pithi_detail_file_opened({{returnVal}}, {{name}}, {{comm}}, {{file}}); {{endfn}}
{{fn f @file_at}} pithi_detail_file_at({{file}}, {{offset}}, {{count}}, {{type}}); {{callfn}} {{endfn}}
{{fn f @file_own}} pithi_detail_file_own({{file}}, {{count}}, {{type}}); {{callfn}} {{endfn}}
{{fn f @file_shared}} pithi_detail_file_shared({{file}}, {{count}}, {{type}}); {{callfn}} {{endfn}}

{{fn f @win_make}}
    {{callfn}} pithi_detail_window_made({{returnVal}}, {{size}}, {{comm}}, {{window}});
{{endfn}}
{{fn f @win_make_empty}}
    {{callfn}} pithi_detail_window_made({{returnVal}}, 0, {{comm}}, {{window}});
{{endfn}}
{{fn f @win_name}} {{callfn}} pithi_detail_window_named({{returnVal}}, {{window}}, {{name}}); {{endfn}}
{{fn f @win_target}} pithi_detail_window_target({{window}}, {{target}}); {{callfn}} {{endfn}}
{{fn f MPI_Win_post}} pithi_detail_window_epoch({{win}}, "post", {{group}}); {{callfn}} {{endfn}}
{{fn f MPI_Win_start}} pithi_detail_window_epoch({{win}}, "start", {{group}}); {{callfn}} {{endfn}}
{{fn f MPI_Win_complete}} pithi_detail_window_epoch({{win}}, "complete", MPI_GROUP_NULL); {{callfn}} {{endfn}}
{{fn f MPI_Win_wait}} pithi_detail_window_epoch({{win}}, "wait", MPI_GROUP_NULL); {{callfn}} {{endfn}}
{{fn f MPI_Win_test}}
    {{callfn}}
    if ({{returnVal}} == MPI_SUCCESS && *{{flag}})
        pithi_detail_window_epoch({{win}}, "wait", MPI_GROUP_NULL);
{{endfn}}
{{fn f MPI_Win_lock}}
    pithi_detail_window_lock({{win}}, {{lock_type}} == MPI_LOCK_EXCLUSIVE ? "exclusive" : "shared", {{rank}});
    {{callfn}}
{{endfn}}
{{fn f MPI_Win_unlock}} pithi_detail_window_lock({{win}}, "unlock", {{rank}}); {{callfn}} {{endfn}}
{{fn f MPI_Win_lock_all}} pithi_detail_window_epoch({{win}}, "lock_all", MPI_GROUP_NULL); {{callfn}} {{endfn}}
{{fn f MPI_Win_unlock_all}} pithi_detail_window_epoch({{win}}, "unlock_all", MPI_GROUP_NULL); {{callfn}} {{endfn}}
{{fn f MPI_Win_flush_all MPI_Win_flush_local_all}}
    pithi_detail_window_epoch({{win}}, "flush_all", MPI_GROUP_NULL);
    {{callfn}}
{{endfn}}
{{fn f @rma}}
    pithi_detail_window_access({{window}}, {{target}}, {{displacement}}, {{count}}, {{type}});
    {{callfn}}
{{endfn}}
{{fn f @rma_one}}
    pithi_detail_window_access({{window}}, {{target}}, {{displacement}}, 1, {{type}});
    {{callfn}}
{{endfn}}

{{fn f MPI_Comm_spawn}}
    pithi_detail_spawn({{comm}}, {{root}}, {{command}}, {{maxprocs}});
    {{callfn}}
{{endfn}}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

{{fn f @job_init}}
    pithi_job_mark();
    {{callfn}}
    pithi_job_begin({{returnVal}});
{{endfn}}

/* The state of MPI_Finalize ends before the library's call, because pithi_job_end ends the state and then writes the
 * log. */
{{fn f @job_finalize}}
    {{vardecl struct pithi_call call}}
    PITHI_ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}");
    pithi_job_end(&{{call}});
    {{callfn}}
{{endfn}}

{{fn f @job_session}}
    {{callfn}}
    pithi_job_session({{returnVal}});
{{endfn}}

{{fn f @job_session_end}}
    {{vardecl struct pithi_call call}}
    {{vardecl int is_over}}
    PITHI_ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}");
    {{is_over}} = pithi_job_session_end(&{{call}});
    {{callfn}}
    if (!{{is_over}})
        PITHI_LEAVE(&{{call}});
{{endfn}}

{{fn f @job_abort}}
    pithi_job_abort();
    {{callfn}}
{{endfn}}

/* The call's state lies outside the pause that the call begins or ends. */
{{fn f @job_control}}
    {{vardecl struct pithi_call call}}
    pithi_job_control_begin({{level}});
    PITHI_ENTER(&{{call}}, "{{f}}", "{{class}}", "{{colour}}");
    {{callfn}}
    PITHI_LEAVE(&{{call}});
    pithi_job_control_end({{level}});
{{endfn}}
