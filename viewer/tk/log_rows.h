/* log_rows.h - the rows of a log: `LOG rows WORD ...` arranges the tree of core/rows.h, `LOG sort ...` sorts it by what
 * is in the window. What is seen stands in object->rows. */
#ifndef PITHI_LOG_ROWS_H
#define PITHI_LOG_ROWS_H

#include "tk/log_object.h"

/* LOG rows WORD ?arg ...?, the table is in log_rows.c; LOG sort, see log_sort.c. */
int pithi_log_rows(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_sort(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* After the tree was changed: object->rows and row_count are made anew, the last plot is forgotten. */
void pithi_log_rows_changed(struct pithi_log_object *object);

/* After the log's digest was read: its counters get rows. */
void pithi_log_add_counters(struct pithi_log_object *object);

/* The rows of a picture whose scroll bar stands at `first`: the pinned ones, then those from there on. As long as all
 * are from one piece they lie in object->rows; valid until the next call or change. */
const struct pithi_row *pithi_log_rows_from(struct pithi_log_object *object, uint32_t first, uint32_t *count);

#endif
