/* time.w - counts the calls of each MPI function, their times, and the data they sent; MPI_Finalize writes the table.
 * wrappergen makes a function of it for every MPI function. {{{{fn_num}} gives each its number, and {{{{forallfn}}
 * lists the names in the same order. Several parts below may apply to one function. Their code before the call runs in
 * the order of this file, their code after it in the opposite order; the part that takes the time stands last, so it
 * measures the call alone.
 */
#include "datatype.h"
#include "timing.h"

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

/* The data that this process gives to a collective. Each part below computes them from the arguments. These two parts
 * enclose it, and count the data: at once, or at each start of a persistent collective. */

{{fn f @coll}} {{callfn}} pithi_time_given(); {{endfn}}
{{fn f @coll_init}} {{callfn}} pithi_time_given_later({{returnVal}}, {{request}}); {{endfn}}

{{fn f @bcast}} {{callfn}} pithi_time_root({{comm}}, {{root}}, {{count}}, {{type}}, 0); {{endfn}}
{{fn f @scatter}} {{callfn}} pithi_time_root({{comm}}, {{root}}, {{count}}, {{type}}, 1); {{endfn}}
{{fn f @scatterv}} {{callfn}} pithi_time_rootv({{comm}}, {{root}}, PITHI_COUNTS({{counts}}), {{type}}); {{endfn}}
{{fn f @gather @gatherv}} {{callfn}} pithi_time_to_root({{root}}, {{from}}, {{count}}, {{type}}); {{endfn}}
{{fn f @allgather @allgatherv}} {{callfn}} pithi_time_give({{from}}, {{count}}, {{type}}); {{endfn}}
{{fn f @nallgather @nallgatherv}} {{callfn}} pithi_time_give({{from}}, {{count}}, {{type}}); {{endfn}}
{{fn f @reduce}} {{callfn}} pithi_time_to_root({{root}}, NULL, {{count}}, {{type}}); {{endfn}}
{{fn f @allreduce @exscan}} {{callfn}} pithi_time_give(NULL, {{count}}, {{type}}); {{endfn}}
{{fn f @alltoall}} {{callfn}} pithi_time_each({{comm}}, {{from}}, {{count}}, {{type}}); {{endfn}}
{{fn f @reduce_scatter_block}} {{callfn}} pithi_time_share({{comm}}, {{count}}, {{type}}); {{endfn}}
{{fn f @alltoallv}} {{callfn}} pithi_time_eachv({{comm}}, {{from}}, PITHI_COUNTS({{counts}}), {{type}}); {{endfn}}
{{fn f @reduce_scatter}} {{callfn}} pithi_time_shares({{comm}}, PITHI_COUNTS({{counts}}), {{type}}); {{endfn}}
{{fn f @alltoallw}} {{callfn}} pithi_time_eachw({{comm}}, {{from}}, PITHI_COUNTS({{counts}}), {{types}}); {{endfn}}

{{fn f @nalltoall}} {{callfn}} pithi_time_neighbours({{comm}}, {{count}}, {{type}}); {{endfn}}
{{fn f @nalltoallv}} {{callfn}} pithi_time_neighboursv({{comm}}, PITHI_COUNTS({{counts}}), {{type}}); {{endfn}}
{{fn f @nalltoallw}} {{callfn}} pithi_time_neighboursw({{comm}}, PITHI_COUNTS({{counts}}), {{types}}); {{endfn}}

/* ---- the communicator -------------------------------------------------------------------------------------------- */

{{fn f @send @isend @p2p_sendrecv @p2p_isendrecv @recv @irecv @probe @probe_match @probe_imatch @coll @coll_init}}
    pithi_time_comm({{comm}});
    {{callfn}}
{{endfn}}

{{fn f @comm_free}} pithi_time_comm_gone({{comm}}); {{callfn}} {{endfn}}
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

/* The time of the last call is the time that this process waited for the others; then all make the table. */

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
