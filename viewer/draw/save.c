/* save.c - writes a file completely or not at all: writes PATH.part and renames it to PATH when it is complete. If a
 * signal interrupts the program, PATH.part is removed. Devices and pipes get all bytes at the end, when the picture is
 * complete.
 *
 * An earlier file at PATH stays until the new file is complete, because drawing a large log takes minutes, and the user
 * may press Ctrl-C. The file that is removed after a signal may be one that a child process writes, such as `pith stat`
 * (draw_flames.c). Then the child is ended before; otherwise it would go on writing. */
#include "draw/draw.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/open_file.h"
#include "core/cells/memory.h"

static const char *guarded; /* the file to remove if a signal comes (pithi_guard) */
static pid_t writer;        /* a child that writes `guarded`; 0: none */

/* The signal handler. Ends the child, removes the guarded file, then ends the program by the same signal, as a shell
 * expects. Calls only async-signal-safe functions. */
static void drop_guarded(int number)
{
    if (writer && kill(writer, SIGTERM) == 0)
        waitpid(writer, NULL, 0);
    unlink(guarded);
    signal(number, SIG_DFL);
    raise(number);
}

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP}; /* signals that end a program */

/* Sets the guarded file. If `path` is NULL, no file is guarded, and signals have their usual effect again. */
void pithi_guard(const char *path, pid_t its_writer)
{
    if (path) {
        guarded = path;
        writer = its_writer;
    }
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], path ? drop_guarded : SIG_DFL);
}

/* Makes the file `part` and guards it. Signals are blocked until both is done; otherwise a signal between the two steps
 * would leave the file behind. */
static FILE *make_guarded(const char *part)
{
    sigset_t set, before;
    FILE *file;
    int error;

    sigemptyset(&set);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&set, numbers[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    file = pithi_make_stream(part, "w+"); /* PostScript is read back to change its date */
    error = errno;                        /* pithi_guard may change errno */
    if (file)
        pithi_guard(part, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return file;
}

static int write_part(const char *path, const char *part, const char *(*write)(void *context, FILE *file),
                      void *context)
{
    FILE *file = make_guarded(part);
    struct pithi_cause cause;
    const char *wrong;
    int error;

    if (!file)
        return pithi_draw_failed("%s: cannot write: %s", path, pithi_cause_of(&cause, path, errno));
    errno = 0; /* errno stays 0 if `write` fails for another reason than a system call */
    wrong = write(context, file);
    error = errno;
    if (fclose(file) != 0 && !wrong) {
        wrong = "";
        error = errno; /* fclose writes the rest, and may find the disk full */
    }
    if (!wrong && rename(part, path) != 0) {
        wrong = "";
        error = errno;
    }
    pithi_guard(NULL, 0);
    if (!wrong)
        return 0;
    /* `wrong` has the text of the error, or is "" if a system call failed; then `error` has its errno. */
    pithi_draw_failed("%s: cannot write: %s", path, error ? pithi_cause_of(&cause, path, error) : wrong);
    unlink(part);
    return 1;
}

/* Returns 1 if `path` is a device or pipe (/dev/stdout, /dev/null, a fifo), which a file must not replace. For it, the
 * picture is written to an unnamed temporary file, because some formats must be read back, and is then copied. */
static int is_device(const char *path)
{
    /* `there` is the file to which `path` leads; `own` is the link itself, if `path` is a link. With `-o /dev/stdout
     * >file`, `path` leads to a regular file, but it is a link in /dev, so it counts as a device, too. */
    struct stat there, own;

    return stat(path, &there) == 0 &&
           (!S_ISREG(there.st_mode) || (lstat(path, &own) == 0 && S_ISLNK(own.st_mode) &&
                                        (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)));
}

/* Writes to a device or pipe. If drawing fails halfway, the device gets no byte, because the bytes are copied only when
 * the picture is complete. */
static int write_device(const char *path, const char *(*write)(void *context, FILE *file), void *context)
{
    FILE *made = tmpfile(), *device = made ? fopen(path, "wb") : NULL;
    const char *wrong = device ? write(context, made) : "";
    struct pithi_cause cause;
    char bytes[8192];
    size_t got;

    if (!wrong) {
        rewind(made);
        while ((got = fread(bytes, 1, sizeof bytes, made)) > 0)
            if (fwrite(bytes, 1, got, device) != got)
                break;
        wrong = ferror(made) || ferror(device) ? "" : NULL;
    }
    if (device && fclose(device) != 0 && !wrong)
        wrong = "";
    if (wrong)
        pithi_draw_failed("%s: cannot write: %s", path, *wrong ? wrong : pithi_cause_of(&cause, path, errno));
    if (made)
        fclose(made);
    return wrong != NULL;
}

/* Saves the file or, if `path` is a device or pipe, copies it there. */
int pithi_save(const char *path, const char *(*write)(void *context, FILE *file), void *context)
{
    size_t size = strlen(path) + sizeof ".part";
    char *part;
    int status;

    if (is_device(path))
        return write_device(path, write, context);
    part = pithi_alloc(size, 1);
    snprintf(part, size, "%s.part", path);
    status = write_part(path, part, write, context);
    free(part);
    return status;
}
