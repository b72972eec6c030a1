/* boot_id.c - see boot_id.h. */
#include "boot_id.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void pithi_boot_id(char *id, size_t size)
{
    ssize_t got = -1;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, id, size - 1);
        close(fd);
    }
    id[got > 0 ? got : 0] = '\0';
    id[strcspn(id, "\n")] = '\0';
}
