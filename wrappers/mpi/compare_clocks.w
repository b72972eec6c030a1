/* compare_clocks.w - compares clocks from time to time (PITH_SYNC). It stands before all other templates, so that its
 * time belongs neither to a call nor to the other templates' work after the call. */
#include "compare_clocks.h"

{{fn f MPI_Barrier MPI_Allreduce}}
    {{callfn}}
    pithi_compare_clocks({{returnVal}}, {{comm}});
{{endfn}}
