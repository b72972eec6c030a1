/* log_search.h - searching as methods of a log, each a job (background.h). What is sought is a dict, all optional:
 * kinds {state event message}, ids {0 4}, ranks 0-3,7.1, min and max (how long states last, ns), payload TEXT, bytes N
 * (messages at least so large), tag N.
 *
 *     $log find next|previous WHAT {TIME LANE TIE} CALLBACK   done {}: there is none; else done DICT: kind, at (for the
 *                                                             next call), name, id, rank, thread, start, end, ended ...
 *     $log count WHAT COLUMNS CALLBACK                        done {TOTAL 1 0 1 ...}: how many, and in which columns of
 *                                                         the whole log
 */
#ifndef PITHI_LOG_SEARCH_H
#define PITHI_LOG_SEARCH_H

#include "tk/log_object.h"

int pithi_log_find(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_count(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

#endif
