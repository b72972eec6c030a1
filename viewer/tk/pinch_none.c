/* pinch_none.c - replaces pinch.c if libXi is missing at compile time, or older than 1.8. It reports no pinches. */
#include <tcl.h>

#include "tk/commands.h"

int pithi_pinch_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    (void)objc, (void)objv;
    Tcl_SetObjResult(interp, Tcl_NewIntObj(0));
    return TCL_OK;
}
