/* watch_file.h - the memory file into which a recorded program writes the line that is printed if the program dies. The
 * file belongs to a process that `pith run` starts to watch the program (wrappers/run/watch.c), and that prints the
 * line. */
#ifndef PITHI_WATCH_FILE_H
#define PITHI_WATCH_FILE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PITHI_WATCH_FILE "pith-watch"

enum { PITHI_WATCH_PATH = 64 };

/* Makes the path of the memory file from its place below /proc, for example "712/fd/3". Returns 1, or 0 if the file is
 * gone, or if the process number (here 712) now belongs to another process. */
static inline int pithi_watch_path(char path[PITHI_WATCH_PATH], const char *place)
{
    static const char wanted[] = "/memfd:" PITHI_WATCH_FILE " (deleted)";
    char target[sizeof wanted];

    snprintf(path, PITHI_WATCH_PATH, "/proc/%.40s", place);
    return readlink(path, target, sizeof target) == sizeof wanted - 1 && !memcmp(target, wanted, sizeof wanted - 1);
}

#endif
