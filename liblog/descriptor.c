/* descriptor.c - see descriptor.h. The numbers that are free below 3 are taken for a moment, by descriptors that cannot
 * be written to or read from; moving a file up after it was opened would leave a moment in which it can. */
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { STANDARD = 3 };

int pithi_descriptor_open(const char *path, int flags, mode_t mode)
{
    int plugs[STANDARD], count = 0, fd, saved;
    for (fd = 0; fd < STANDARD; fd++)
        if (fcntl(fd, F_GETFD) < 0 && (plugs[count] = open("/", O_PATH | O_CLOEXEC)) >= 0)
            count++;
    fd = open(path, flags | O_CLOEXEC, mode);
    saved = errno;
    while (count > 0)
        close(plugs[--count]);
    errno = saved;
    return fd;
}
