/* log_jump.h - methods of a log that tell what belongs to a record. A state is a dict as stateat gives it; {}: none.
 *
 *     $log parent RANK THREAD ID START DEPTH   the state around that one
 *     $log stateof RANK THREAD TIME            the innermost state at that time, on a row that is shown or not
 *     $log messageof RANK THREAD TIME PEER TAG the message that was sent then, as arrowat tells it but for its line; {}
 *                                              also as long as the digest is not read
 *     $log counterat ROW FROM TO               what the counter of a row was then: name, unit, low, high, last ...
 */
#ifndef PITHI_LOG_JUMP_H
#define PITHI_LOG_JUMP_H

#include "tk/log_object.h"

int pithi_log_parent(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_state_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_message_of(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_counter_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* A message as a dict. */
Tcl_Obj *pithi_message_dict(const struct pithlog *log, const struct pithlog_message *message);

#endif
