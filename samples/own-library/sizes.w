/* sizes.w - the template: wrappergen writes a wrapper for each function in these lists. @send, @isend ... are classes,
 * and {{{{count}} and {{{{type}} are roles. Both come from Pith's table of MPI functions, which knows that MPI_Send,
 * MPI_Bsend and six others send {{{{count}} elements of {{{{type}}.
 */
#include "sizes.h"

/* Count each message before it is sent. */
{{fn f @send @isend @p2p_sendrecv @p2p_isendrecv}}
    sizes_add({{count}}, {{type}});
    {{callfn}}
{{endfn}}

/* Call sizes.c at the beginning and at the end. */
{{fn f MPI_Init MPI_Init_thread}}
    {{callfn}}
    if ({{returnVal}} == MPI_SUCCESS)
        sizes_begin();
{{endfn}}

{{fn f MPI_Finalize}}
    sizes_end();
    {{callfn}}
{{endfn}}

/* The wrappers of all other functions only make the call. So --guard knows of every call, and calls that MPI makes
 * inside are not counted as the program's. */
{{fnall f @conversion}}
    {{callfn}}
{{endfnall}}
