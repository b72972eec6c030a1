// anim.w - the animation library: the log library (log.w, messages.w), and around MPI_Init the start of a window that
// follows what is recorded (anim.c).
#include "anim.h"

{{fn f MPI_Init MPI_Init_thread}}
    {{callfn}}
    pithi_anim_begin({{returnVal}});
{{endfn}}
