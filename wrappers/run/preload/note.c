/* note.c - libpith-run, which pith run preloads with the other libraries: it prints a message, once for a job, if
 * nothing was recorded.
 *
 * Every process that the program starts loads this library too. Only the process in which pith run itself ran on rank
 * 0, here called the first process, prints the message, when it ends. The first process sees in the watcher's file
 * (run/watch.c) whether another process recorded something, because the recorder writes a line there. A process that
 * could not record, and has printed why, writes an empty line. The library keeps no copy of standard error open, since
 * the reader of standard error would then also wait for child processes that run on. Programs such as ls close standard
 * error before they end; in this case, the watcher's standard error is used.
 */
#include "base/say.h"
#include "base/watch_file.h"
#include "pith_tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The fields of the variable _PITH_RUN, which pith run sets (run.c). `recorded` and mpi[0] may be changed later. */
struct note {
    char recorded; /* '+': the process of pith run has recorded something, perhaps in a program before exec */
    long first;
    int rank;       /* the rank that the launcher gave this process */
    char watch[32]; /* the place of the watcher's file below /proc; "-": there is none */
    char mpi[16], program[256];
};

static struct stat standard_error; /* the file that was standard error when the process started */

/* Returns 1 if another library has printed why this program is not recorded (mpi/other_mpi.c). */
static int is_said(const struct note *note) { return note->mpi[0] == '!'; }

static int read_note(struct note *note)
{
    const char *text = secure_getenv("_PITH_RUN");

    return text && sscanf(text, "%c%ld %d %15s %31s %255[^\n]", &note->recorded, &note->first, &note->rank, note->mpi,
                          note->watch, note->program) == 6;
}

__attribute__((constructor)) static void begin(void) { fstat(STDERR_FILENO, &standard_error); }

static int is_standard_error(const struct stat *file)
{
    return file->st_dev == standard_error.st_dev && file->st_ino == standard_error.st_ino;
}

/* Opens the standard error that the process began with. Returns -1 if that is no longer possible. */
static int open_standard_error(const struct note *note)
{
    struct stat file;
    char path[PITHI_WATCH_PATH];

    if (fstat(STDERR_FILENO, &file) == 0 && is_standard_error(&file))
        return STDERR_FILENO;
    snprintf(path, sizeof path, "/proc/%ld/fd/2", atol(note->watch));
    return stat(path, &file) == 0 && is_standard_error(&file)
               ? open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
               : -1;
}

__attribute__((destructor)) static void end(void)
{
    struct note note;
    char path[PITHI_WATCH_PATH];
    struct stat recorded;

    if (!read_note(&note) || note.rank != 0 || !pithi_watch_path(path, note.watch))
        return;
    if (note.first != (long)getpid()) {
        int fd = pith_recorded() || is_said(&note) ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
        if (fd >= 0) {
            if (write(fd, "\0\0", 3) != 3) {
                /* Nothing can be done: the first process will print its message, although the message is wrong. */
            }
            close(fd);
        }
        return;
    }
    if (note.recorded == '+' || is_said(&note) || pith_recorded() || stat(path, &recorded) || recorded.st_size > 0)
        return;
    int fd = open_standard_error(&note);
    if (strcmp(note.mpi, "-") != 0)
        pithi_say_to(fd, "nothing was recorded: %s called no MPI function and none of pith.h", note.program);
    else
        pithi_say_to(fd,
                     "nothing was recorded: %s is not linked with MPI, was not started by mpirun, and called no "
                     "function of pith.h",
                     note.program);
    if (fd > STDERR_FILENO)
        close(fd);
}
