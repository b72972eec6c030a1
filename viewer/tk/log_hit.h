/* log_hit.h - methods of a log that tell what stands for many: a bundle of messages, a row of many lanes. {}: none.
 *
 *     $log bundleat X Y           in the picture drawn last: from and to (the rows, in words), count, bytes, mean (ns),
 *                                 about (1: estimated), longest (a message as arrowat tells it), line {x0 y0 x1 y1},
 *                                 start, end
 *     $log groupat ROW Y FROM TO  the lanes that a row, or a line of rows too low to be seen alone, stands for: place,
 *                                 lanes, auto (1: rows were grouped because they are low), asked (so many lanes were
 *                                 looked at), mix {NAME SHARE ...}; {} of one
 */
#ifndef PITHI_LOG_HIT_H
#define PITHI_LOG_HIT_H

#include "tk/log_object.h"

int pithi_log_bundle_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_group_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

#endif
