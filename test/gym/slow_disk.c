/* slow_disk.c - a disk that needs slow_disk_ms to store what was written. gym_files is linked with it, so the fsync
 * that `pith run --also io` records and calls is this one. */
#include <time.h>
#include <unistd.h>

int slow_disk_ms;

int fsync(int fd)
{
    struct timespec time = {0, slow_disk_ms * 1000000L};

    (void)fd;
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) != 0)
        ;
    return 0;
}
