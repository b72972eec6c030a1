/* turn.w - clocks are compared now and then (PITH_SYNC): to stand before all other templates, so that it is no part of
 * a call, nor of what others do behind it.
 */
#include "turn.h"

{{fn f MPI_Barrier MPI_Allreduce}}
    {{callfn}}
    pithi_turn({{returnVal}}, {{comm}});
{{endfn}}
