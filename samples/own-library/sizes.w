/* sizes.w - the template: what the wrappers of the MPI functions do. wrappergen writes one for each function named.
 * @send, @isend ... are classes, {{{{count}} and {{{{type}} roles, both from Pith's table of MPI functions: they save
 * writing down that MPI_Send, MPI_Bsend and six others send {{{{count}} elements of {{{{type}}.
 */
#include "sizes.h"

/* What is sent, before it is sent. */
{{fn f @send @isend @p2p_sendrecv @p2p_isendrecv}}
    sizes_add({{count}}, {{type}});
    {{callfn}}
{{endfn}}

/* The two functions of sizes.c. */
{{fn f MPI_Init MPI_Init_thread}}
    {{callfn}}
    if ({{returnVal}} == MPI_SUCCESS)
        sizes_begin();
{{endfn}}

{{fn f MPI_Finalize}}
    sizes_end();
    {{callfn}}
{{endfn}}

/* All other functions are wrapped too, with nothing in it: so --guard knows of every call, and those that MPI makes
 * inside are not taken for the program's. */
{{fnall f @conversion}}
    {{callfn}}
{{endfnall}}
