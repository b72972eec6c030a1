/* file_at.c - reads and writes pieces of a file in a loop, because a call of pread or pwrite may be interrupted, and
 * moves at most 2 GiB. */
#include "base/file_at.h"

#include <errno.h>
#include <unistd.h>

static size_t move(int fd, char *data, size_t size, uint64_t offset, int is_write)
{
    size_t done = 0;
    while (done < size) {
        off_t at = (off_t)(offset + done);
        ssize_t n = is_write ? pwrite(fd, data + done, size - done, at) : pread(fd, data + done, size - done, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = 0;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

size_t pithi_read_at(int fd, void *data, size_t size, uint64_t offset) { return move(fd, data, size, offset, 0); }

size_t pithi_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
    return move(fd, (char *)(uintptr_t)data, size, offset, 1);
}
