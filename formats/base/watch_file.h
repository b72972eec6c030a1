/* watch_file.h - the memory file in which a recorded program leaves the line that is printed if it dies. It belongs to
 * the process that pith run leaves beside the program (wrappers/run/watch.c). */
#ifndef PITHI_WATCH_FILE_H
#define PITHI_WATCH_FILE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PITHI_WATCH_FILE "pith-watch"

enum { PITHI_WATCH_PATH = 64 };

/* Makes the path of the memory file from its place below /proc ("712/fd/3"). Returns 0 if the file is gone, or if the
 * process number now belongs to another process. */
static inline int pithi_watch_path(char path[PITHI_WATCH_PATH], const char *place)
{
    static const char wanted[] = "/memfd:" PITHI_WATCH_FILE " (deleted)";
    char target[sizeof wanted];

    snprintf(path, PITHI_WATCH_PATH, "/proc/%.40s", place);
    return readlink(path, target, sizeof target) == sizeof wanted - 1 && !memcmp(target, wanted, sizeof wanted - 1);
}

#endif
