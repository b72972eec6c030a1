/* note.c - libpith-run, which pith run preloads with the other libraries: says once for a job that nothing was
 * recorded.
 *
 * Every process that the program starts loads this library too. Only the first process on rank 0, the process of
 * pith run itself, prints the message, when it ends. A memory file tells it whether another process recorded
 * something: that process opens the file through /proc and writes a byte into it. The library uses two high file
 * descriptors: the memory file, and a copy of standard error, because programs such as ls close theirs before they
 * end.
 */
#include "base/say.h"
#include "base/watch_file.h"
#include "pith_tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTOR = 190 }; /* number of a file that other processes look for */

static int mark = -1; /* the memory file, in the first process */
static int standard_error = -1;

struct note {
    char recorded; /* '+': the process of pith run has recorded something, perhaps in a program before exec */
    long first;
    int rank;       /* the rank, as the launcher says it */
    char watch[32]; /* the file of run/watch.c, below /proc; "-": none */
    char mpi[16], program[256];
};

/* 1: another library has said why this program is not recorded (mpi/other_mpi.c). */
static int is_said(const struct note *note) { return note->mpi[0] == '!'; }

static int read_note(struct note *note)
{
    const char *text = secure_getenv("_PITH_RUN");

    return text && sscanf(text, "%c%ld %d %15s %31s %255[^\n]", &note->recorded, &note->first, &note->rank, note->mpi,
                          note->watch, note->program) == 6;
}

__attribute__((constructor)) static void begin(void)
{
    struct note note;

    if (!read_note(&note) || note.first != (long)getpid() || note.rank != 0)
        return;
    int fd = memfd_create("pith-run", MFD_CLOEXEC);
    if (fd >= 0) {
        mark = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR);
        close(fd);
    }
    if (mark >= 0 && mark != DESCRIPTOR) { /* the number is in use, but other processes look for it */
        close(mark);
        mark = -1;
    }
    if (mark >= 0)
        standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, DESCRIPTOR + 1);
}

/* 1: a process that was killed, and could leave no byte, had begun to record. */
static int was_killed(const struct note *note)
{
    char path[PITHI_WATCH_PATH];
    struct stat info;

    return pithi_watch_path(path, note->watch) && stat(path, &info) == 0 && info.st_size > 0;
}

__attribute__((destructor)) static void end(void)
{
    struct note note;
    const char *quiet = secure_getenv("PITH_QUIET");
    int is_quiet = quiet && *quiet && strcmp(quiet, "0") != 0;

    if (!read_note(&note) || note.rank != 0)
        return;
    if (note.first != (long)getpid()) {
        if (pith_recorded() || is_said(&note)) {
            char path[64];

            snprintf(path, sizeof path, "/proc/%ld/fd/%d", note.first, DESCRIPTOR);
            int fd = open(path, O_WRONLY | O_CLOEXEC);
            if (fd >= 0) {
                if (write(fd, "1", 1) != 1) {
                    /* the first process will print its message although it is wrong */
                }
                close(fd);
            }
        }
        return;
    }
    if (mark < 0 || is_quiet || is_said(&note))
        return;
    if (note.recorded != '+' && !pith_recorded() && lseek(mark, 0, SEEK_END) == 0 && !was_killed(&note)) {
        if (strcmp(note.mpi, "-") != 0)
            pithi_say_to(standard_error, "nothing was recorded: %s called no MPI function and none of pith.h",
                         note.program);
        else
            pithi_say_to(
                standard_error,
                "nothing was recorded: %s is not linked with MPI, was not started by mpirun, and called no function "
                "of pith.h",
                note.program);
    }
}
