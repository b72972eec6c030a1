/* grab.h - pictures of windows. */
#ifndef PITHI_GRAB_H
#define PITHI_GRAB_H

#include <stdlib.h>

#include <tcl.h>
#include <tk.h>

/* pithtk::grab WINDOW PHOTO: the photo becomes what the window (mapped, not covered) shows. */
int pithi_grab_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

#endif
