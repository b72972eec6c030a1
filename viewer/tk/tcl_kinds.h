/* tcl_kinds.h - what Tcl 8.6 and Tcl 9 name differently. What counts elements is an int in the one, and a Tcl_Size,
 * which has no limit, in the other; Tcl_EventuallyFree gives its function a char *, or a void *. */
#ifndef PITHI_TCL_KINDS_H
#define PITHI_TCL_KINDS_H

#include <tcl.h>

#ifndef TCL_SIZE_MAX
typedef int Tcl_Size;
#endif
#if TCL_MAJOR_VERSION < 9
typedef char pithi_freed;
#else
typedef void pithi_freed;
#endif

#endif
