/* temporary.h - files without a name. */
#ifndef PITHI_TEMPORARY_H
#define PITHI_TEMPORARY_H

#include <stdio.h>

/* Opens a nameless file for reading and writing in `folder`. Returns its descriptor (close-on-exec), or -1 with errno
 * set. */
int pithi_temporary_in(const char *folder);

/* Opens a nameless file in TMPDIR, /tmp or /var/tmp, the first that works, else in memory. */
int pithi_temporary_file(void);

/* Writes the whole file to a stream, such as a pipe. 0; -1 with errno set. */
int pithi_temporary_copy(int fd, FILE *out);

/* Sets pithlog_error() to the text of errno and returns PITH_ERR_IO. `done`: what could not be done with the file:
 * "made", "written" or "read". Clears errno, because a caller would take it for an error of another file, the one that
 * the caller is writing. */
int pithi_temporary_failed(const char *done);

#endif
