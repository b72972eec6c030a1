/* temporary.h - files without a name. */
#ifndef PITHI_TEMPORARY_H
#define PITHI_TEMPORARY_H

#include <stdio.h>

/* Opens a nameless file for reading and writing in `folder`. Returns its descriptor (close-on-exec), or -1 with errno
 * set. */
int pithi_temporary_in(const char *folder);

/* The same in TMPDIR, /tmp or /var/tmp, else in memory. */
int pithi_temporary_file(void);

/* Writes the whole file to a stream, such as a pipe. 0; -1 with errno set. */
int pithi_temporary_copy(int fd, FILE *out);

/* Returns PITH_ERR_IO with the text of errno. done: "made", "written" or "read". Clears errno: the caller would take it
 * for an error of the file being written. */
int pithi_temporary_failed(const char *done);

#endif
