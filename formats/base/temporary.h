/* temporary.h - files without a name. */
#ifndef PITHI_TEMPORARY_H
#define PITHI_TEMPORARY_H

#include <stdio.h>

/* Opens a nameless file for reading and writing in `folder`. Returns its descriptor (close-on-exec), or -1 with errno
 * set. */
int pithi_temporary_in(const char *folder);

/* Opens a nameless file in the first folder of TMPDIR, /tmp and /var/tmp that works, else in memory. */
int pithi_temporary_file(void);

/* Writes the whole file to a stream, such as a pipe. Returns 0, or -1 with errno set. */
int pithi_temporary_copy(int fd, FILE *out);

/* Sets pithlog_error() to the text of errno and returns PITH_ERR_IO. `done`: what could not be done with the file:
 * "made", "written" or "read". Clears errno, because the caller would take a remaining errno for an error of its own
 * output file. */
int pithi_temporary_failed(const char *done);

#endif
