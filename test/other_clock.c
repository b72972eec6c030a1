/* other_clock.c - preloaded: no processor is known to have a good counter, so recording reads CLOCK_MONOTONIC by
 * a call, as on machines whose cores disagree. Tests of recording run with it once more (test_other_clock.sh). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    va_list arguments;
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_start(arguments, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    if (strstr(path, "/available_clocksource")) {
        int fd = memfd_create("none", MFD_CLOEXEC);
        return write(fd, "none\n", 5) == 5 ? (lseek(fd, 0, SEEK_SET), fd) : -1;
    }
    return next(path, flags, mode);
}
