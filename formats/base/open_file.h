/* open_file.h - opens every file that Pith reads, and makes every file that it writes. The functions are inline in this
 * header, because libpith, libpithlog and programs that have neither use them.
 *
 * Somebody else may have put a file beside a log: a named pipe, which would block the program that opens it, or a link,
 * through which another user's file would be read or overwritten. (A name that the user gives for output may be a
 * device or a pipe; callers open such names without this header.) */
#ifndef PITHI_OPEN_FILE_H
#define PITHI_OPEN_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest file that is read as a whole. */
#define PITHI_WHOLE_MIB 64

/* Opens a regular file to read, without blocking. `flags` may be O_NOFOLLOW. Returns the descriptor, or -1 with an
 * errno for pithi_open_why; errno is ESPIPE for a pipe or device, EISDIR for a folder. */
static inline int pithi_open_input(const char *path, int flags)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags), error;
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
        return fd;
    error = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
    close(fd);
    errno = error;
    return -1;
}

/* Opens a text file that is read as a whole. The file may also be a pipe that the user has opened, such as /dev/stdin
 * or /dev/fd/63 (process substitution). Returns NULL with errno on failure; errno is EFBIG if the file is larger than
 * PITHI_WHOLE_MIB. */
static inline FILE *pithi_open_whole(const char *path)
{
    struct stat status;
    int fd = pithi_open_input(path, 0);
    FILE *file = NULL;
    if (fd < 0 && errno == ESPIPE && (strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0))
        return fopen(path, "re");
    if (fd < 0)
        return NULL;
    errno = EFBIG;
    if (fstat(fd, &status) != 0 || status.st_size > (off_t)PITHI_WHOLE_MIB << 20 || !(file = fdopen(fd, "r")))
        close(fd);
    return file;
}

/* Makes an empty file that is to be renamed when it is complete. Removes an old file of this name first, which a killed
 * process may have left. Follows no link. `flags`: O_WRONLY or O_RDWR. Returns the descriptor, or -1 with errno. */
static inline int pithi_make_output(const char *part, int flags)
{
    unlink(part);
    return open(part, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Like pithi_make_output, but returns a stream, or NULL with errno. `mode`: "w" or "w+", as for fopen. */
static inline FILE *pithi_make_stream(const char *part, const char *mode)
{
    int fd = pithi_make_output(part, strchr(mode, '+') ? O_RDWR : O_WRONLY);
    FILE *file = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* Returns a text for errno after a function of this header has failed: "is not a regular file". */
static inline const char *pithi_open_why(void)
{
    return errno == ESPIPE ? "is not a regular file" : errno == EFBIG ? "is larger than 64 MiB" : strerror(errno);
}

#endif
