/* running.h - pithtk::snapshot FOLDER CALLBACK: a job (background.h) that reads what a running program has recorded so
 * far, in its folder of spill files. RESULT is a dict:
 *
 *     log       an open log, a command (log_object.h); the caller closes it
 *     running   processes that are not at their end
 *     finished  1: they are at their end, and the log was or is being written
 *     now       time of the look, ns from the log's start
 *     name      of the log to be
 */
#ifndef PITHI_RUNNING_H
#define PITHI_RUNNING_H

#include <tcl.h>

int pithi_snapshot_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

#endif
