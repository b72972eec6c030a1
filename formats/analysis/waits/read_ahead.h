/* read_ahead.h - delivers the records of an iterator that a second thread reads ahead, if there is a core for it. The
 * records, their order and the errors are the same with and without it. */
#ifndef PITHI_READ_AHEAD_H
#define PITHI_READ_AHEAD_H

#include "pithlog.h"

struct pithi_read_ahead;
/* Owns the iterator from now on, which must have no callback for holes if it may use a thread. NULL: no memory. */
struct pithi_read_ahead *pithi_read_ahead_open(struct pithlog_iter *iter, int may_use_thread);
void pithi_read_ahead_close(struct pithi_read_ahead *ahead);
/* The next records, valid until the next call. Their number; 0: end of the log; -1: an error, call again to go on. */
int pithi_read_ahead_next(struct pithi_read_ahead *ahead, const struct pithlog_record **records);

#endif
