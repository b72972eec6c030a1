/* temporary.c - opens nameless files: with O_TMPFILE if the file system has it, else by creating and unlinking. */
#include "base/temporary.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int pithi_temporary_file(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[4096];
        if (!folders[i] || !*folders[i])
            continue;
        int fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
        if (snprintf(name, sizeof name, "%s/pith-XXXXXX", folders[i]) >= (int)sizeof name)
            continue;
        if ((fd = mkostemp(name, O_CLOEXEC)) >= 0) {
            unlink(name);
            return fd;
        }
    }
    return memfd_create("pith", MFD_CLOEXEC);
}
