/* log_ranges.h - methods of a log that count and draw mountain ranges (core/ranges.h): LOG METHOD ...
 *
 * rangesload T0 T1 WIDTH DEPTH
 *     counts over the rows selected, DEPTH innermost or outermost; a dict: lanes; rough (1: not exact); more (1: not
 *     even rough: `rangesmore`, which gives 1 as long as there is more)
 * rangesexact CALLBACK
 *     a job (background.h) that counts the same by all records; RESULT 1: it is in place now, 0: something else was
 *     loaded meanwhile
 * rangesdraw PHOTO HEIGHT SMOOTH ORDER CHOSEN
 *     ORDER: states from the bottom up; CHOSEN: states drawn, {} all; gives the lanes between marks of the scale
 * rangesat X Y
 *     a dict: state (-1: none) at a pixel of what was drawn last; lanes in all; values, a list of id and number of
 *     lanes in that column, for all states in it
 * rangestimes
 *     a list of id and time (ns) in the window, over all lanes
 */
#ifndef PITHI_LOG_RANGES_H
#define PITHI_LOG_RANGES_H

#include "tk/log_object.h"

int pithi_log_ranges_load(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_ranges_more(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_ranges_exact(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_ranges_draw(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_ranges_at(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_ranges_times(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
void pithi_log_ranges_free(struct pithi_log_object *object);

#endif
