/* process.c - opens files without using the descriptors 0, 1 and 2. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/temporary.h"
#include "spill/spill.h"

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

enum { STANDARD = 3 }; /* standard input, output and error */

/* A descriptor that stays open gets a number from FAR_FROM on. If the process may not have such numbers
 * (RLIMIT_NOFILE), it gets one of the last FAR_ROOM. */
enum { FAR_FROM = 1000, FAR_ROOM = 16 };

/* Occupies the standard descriptors that are closed, so that open gives none of them; returns their number. */
static int plug(int plugs[STANDARD])
{
    int count = 0, fd;
    for (fd = 0; fd < STANDARD; fd++)
        if (fcntl(fd, F_GETFD) < 0 && (plugs[count] = open("/", O_PATH | O_CLOEXEC)) >= 0)
            count++;
    return count;
}

/* Closes the descriptors that plug opened; keeps errno. */
static void unplug(const int plugs[STANDARD], int count)
{
    int saved = errno;
    while (count > 0)
        close(plugs[--count]);
    errno = saved;
}

int pithi_descriptor_open(const char *path, int flags, mode_t mode)
{
    int plugs[STANDARD], count = plug(plugs), fd = open(path, flags | O_CLOEXEC, mode);
    unplug(plugs, count);
    return fd;
}

int pithi_descriptor_temporary(const char *folder)
{
    int plugs[STANDARD], count = plug(plugs), fd = pithi_temporary_in(folder);
    unplug(plugs, count);
    return fd;
}

int pithi_descriptor_memory(void)
{
    int plugs[STANDARD], count = plug(plugs), fd = memfd_create("pith", MFD_CLOEXEC);
    unplug(plugs, count);
    return fd;
}

int pithi_descriptor_far(int fd)
{
    struct rlimit limit;
    int least = FAR_FROM;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FAR_FROM + FAR_ROOM)
        least = limit.rlim_cur > 4 * FAR_ROOM ? (int)limit.rlim_cur - FAR_ROOM : FAR_ROOM;
    return fcntl(fd, F_DUPFD_CLOEXEC, least);
}
