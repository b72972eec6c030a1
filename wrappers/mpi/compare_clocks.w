/* compare_clocks.w - compares clocks from time to time (PITH_SYNC). This template stands before all others, so that the
 * time of a comparison belongs neither to a call's state nor to the work of other templates after the call. */
#include "compare_clocks.h"

{{fn f MPI_Barrier MPI_Allreduce}}
    {{callfn}}
    pithi_compare_clocks({{returnVal}}, {{comm}});
{{endfn}}
