/* log_jump.h - methods of a log that tell what belongs to a record. A state is a dict as stateat gives it; {}: none.
 *
 *     $log parent RANK THREAD ID START DEPTH   the state around that one
 *     $log stateof RANK THREAD TIME            the innermost state at that time, on a row that is shown or not
 */
#ifndef PITHI_LOG_JUMP_H
#define PITHI_LOG_JUMP_H

#include "tk/log_object.h"

int pithi_log_parent(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_state_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

#endif
