/* file_at.h - reads and writes whole pieces of an open file. */
#ifndef PITHI_FILE_AT_H
#define PITHI_FILE_AT_H

#include <stddef.h>
#include <stdint.h>

/* Read or write `size` bytes at `offset`, in as many calls as it takes, and return the number of bytes. If that is less
 * than `size`, errno has the error; it is 0 if the file ends there (read) or takes no more bytes (write). */
size_t pithi_read_at(int fd, void *data, size_t size, uint64_t offset);
size_t pithi_write_at(int fd, const void *data, size_t size, uint64_t offset);

#endif
