/* stage_object.h - the animation of a program as a Tcl command: `pithtk::stage follow SPILL` or `pithtk::stage log LOG`
 * gives its name. Its methods are in the table of stage_object.c; times are nanoseconds. */
#ifndef PITHI_STAGE_OBJECT_H
#define PITHI_STAGE_OBJECT_H

#include <tcl.h>

int pithi_stage_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

#endif
