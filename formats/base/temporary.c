/* temporary.c - opens nameless files: by O_TMPFILE if the file system supports it, else by creating and unlinking. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_at.h"

int pithi_temporary_in(const char *folder)
{
    char name[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(name, sizeof name, "%s/pith-XXXXXX", folder) >= (int)sizeof name)
        return fd;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

int pithi_temporary_file(void)
{
    const char *folders[] = {secure_getenv("TMPDIR"), "/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int fd = folders[i] && *folders[i] ? pithi_temporary_in(folders[i]) : -1;
        if (fd >= 0)
            return fd;
    }
    return memfd_create("pith", MFD_CLOEXEC);
}

int pithi_temporary_copy(int fd, FILE *out)
{
    char bytes[65536];
    uint64_t at = 0;
    size_t n;
    do {
        n = pithi_read_at(fd, bytes, sizeof bytes, at);
        if ((n < sizeof bytes && errno) || fwrite(bytes, 1, n, out) != n)
            return -1;
        at += n;
    } while (n == sizeof bytes);
    return fflush(out) != 0 ? -1 : 0;
}

int pithi_temporary_failed(const char *done)
{
    pithi_fail(PITH_ERR_IO, "a temporary file cannot be %s: %s; set TMPDIR", done, strerror(errno));
    errno = 0;
    return PITH_ERR_IO;
}
