/* statistics.h - what the methods of a log that compute statistics share: which lanes, which window; see log_lengths.c,
 * log_stretch.c, log_matrix.c. */
#ifndef PITHI_STATISTICS_H
#define PITHI_STATISTICS_H

#include "tk/log_object.h"

/* LOG lengths STATE T0 T1 ROWS CALLBACK: a job (background.h). STATE is a definition's id or `messages`, ROWS `shown`
 * or `all`. Its result is a command, to be deleted (`rename NAME {}`):
 *
 *     NAME spread LOW HIGH          dict: count total min max mean median p95 deviation, of LOW <= length <= HIGH
 *     NAME bins LOW HIGH HOW COUNT  list: from to count total, of each bin; HOW is linear or log
 *     NAME nth LOW HIGH NUMBER      of the longest but NUMBER, a dict of rank thread start end, or as pithi_put_message
 *                                   has it; {} none
 *     NAME range                    shortest and longest of all, and 1: every instance is kept (lengths.h)
 *
 * Lengths are nanoseconds. */
int pithi_log_lengths(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* LOG stretch T0 T1 CALLBACK: a job. What the rows shown have in it; the result is a command, to be deleted:
 *     NAME lanes        how many the rows have together
 *     NAME all          list of {id count inclusive exclusive}, of each state and event that is there
 *     NAME row NUMBER   the row's number of lanes, then such entries of the row
 * LOG traffic T0 T1 CALLBACK: another. Messages of these rows: a dict of sent sent_bytes received received_bytes. */
int pithi_log_stretch(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_traffic(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* LOG matrix T0 T1 COMM LATE CALLBACK: a job. Messages by pairs of ranks; COMM is a communicator's number or `all`,
 * LATE 1: with the time that was waited (core/late.h). The result is a command, to be deleted:
 *     NAME draw PHOTO VALUE linear|log FROM0 FROM1 TO0 TO1 WIDTH HEIGHT     a picture of senders FROM0 to FROM1 - 1 and
 *                       receivers, by place in `ranks`; VALUE: count bytes time bandwidth late_sender late_receiver.
 *                       A dict: columns lines (of tiles) low high (of values)
 *     NAME scale PHOTO WIDTH HEIGHT      its colours from low to high
 *     NAME at X Y       what is there: a dict of line column (-1: a total), from from_last to to_last (ranks), all
 *                       values, and `longest`, a message (pithi_put_message)
 *     NAME sides        totals: a list of lines, a list of columns
 *     NAME pairs        list of dicts: from to, values, longest
 *     NAME totals       dict of all values, of all messages
 *     NAME ranks        list
 *     NAME states       list of {id senderCount senderNs receiverCount receiverNs}: whose calls waited
 * LOG comms: names of communicators by number. */
int pithi_log_matrix(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
int pithi_log_comms(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* A message: from from_thread to to_thread (ranks), start end, tag, bytes. */
void pithi_put_message(Tcl_Obj *dict, const struct pithlog *log, const struct pithlog_message *message);

/* The lanes of ROWS, without counters; to be freed, NULL with a message: no such word. */
uint32_t *pithi_get_lanes(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *rows, uint32_t *count);

#endif
