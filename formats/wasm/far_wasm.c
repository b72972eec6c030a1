/* far_wasm.c - the functions of base/far.h in a web page. A log may be on another machine, so the reader announces the
 * bytes that it will read soon. It calls posix_fadvise() in system.c, which asks the web page to load these bytes. */
#include "base/far.h"

#include <fcntl.h>

int pithi_far(void) { return 1; }

void pithi_far_soon(int fd, uint64_t offset, uint64_t size)
{
    posix_fadvise(fd, (off_t)offset, (off_t)size, POSIX_FADV_WILLNEED);
}

void pithi_far_now(int fd, uint64_t offset, uint64_t size) { (void)fd, (void)offset, (void)size; }

static int is_coarse;

void pithi_far_coarse(int may) { is_coarse = may; }

int pithi_far_is_coarse(void) { return is_coarse; }
