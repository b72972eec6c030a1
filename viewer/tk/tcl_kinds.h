/* tcl_kinds.h - types that differ between Tcl 8.6 and Tcl 9. Counts of list elements are int in Tcl 8.6, and Tcl_Size,
 * a wider type, in Tcl 9. Tcl_EventuallyFree passes a char * to its function in Tcl 8.6, and a void * in Tcl 9. */
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
