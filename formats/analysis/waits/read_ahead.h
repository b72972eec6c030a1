/* read_ahead.h - delivers the records of an iterator that a second thread reads ahead, if there is a core for it. The
 * records, their order and the errors are the same with and without this thread. */
#ifndef PITHI_READ_AHEAD_H
#define PITHI_READ_AHEAD_H

#include "pithlog.h"

struct pithi_read_ahead;
/* Takes over the iterator. With may_use_thread, the iterator must have no callback for holes. Returns NULL if there is
 * no memory. */
struct pithi_read_ahead *pithi_read_ahead_open(struct pithlog_iter *iter, int may_use_thread);
void pithi_read_ahead_close(struct pithi_read_ahead *ahead);
/* Sets *records to the next records, which are valid until the next call. Returns their count; 0 at the end of the log;
 * -1 on an error, after which the caller may call again to go on. */
int pithi_read_ahead_next(struct pithi_read_ahead *ahead, const struct pithlog_record **records);

#endif
