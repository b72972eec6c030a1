/* seekable.h - for formats whose start is known when their end is: a file that can be gone back in, also where a pipe
 * or a device is to be written. */
#ifndef PITHI_SEEKABLE_H
#define PITHI_SEEKABLE_H

#include "format.h"

/* Calls `write` with `out`, or, if that cannot be gone back in, with a nameless file which is copied to it then. */
int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how));

#endif
