/* draw_flames.c - the functions that the samples of a log were in, for unfolded rows. `pith stat --flame` finds them,
 * as for the window. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/flames.h"
#include "draw/draw.h"

extern char **environ;

/* The path of `pith`, seen from this program; 0, or an exit status after a message. */
static int find_pith(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size);

    if (length < 0 || (size_t)length + sizeof "/../../bin/pith" > size)
        return pithi_draw_failed("/proc/self/exe: %s", strerror(length < 0 ? errno : ENAMETOOLONG));
    path[length] = 0;
    strcpy(strrchr(path, '/'), "/../../bin/pith");
    return 0;
}

/* Starts a program that a signal to this one ends, too: none arrives before the guard knows it. Returns errno. */
static int start(const char *program, char *const *argv, const char *file, pid_t *child)
{
    posix_spawnattr_t as_now;
    sigset_t all, now;
    int error;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &now);
    posix_spawnattr_init(&as_now);
    posix_spawnattr_setsigmask(&as_now, &now);
    posix_spawnattr_setflags(&as_now, POSIX_SPAWN_SETSIGMASK);
    error = posix_spawn(child, program, NULL, &as_now, argv, environ);
    if (!error)
        pithi_guard(file, *child);
    posix_spawnattr_destroy(&as_now);
    sigprocmask(SIG_SETMASK, &now, NULL);
    return error;
}

/* Runs `pith stat`, which prints its own errors, and the damage that it leaves out. 0, or an exit status. */
static int run_stat(const struct pithi_draw *draw, const char *file)
{
    char pith[PATH_MAX];
    char *argv[] = {"pith", "stat", "--flame", (char *)file, "--", (char *)draw->log_path, NULL};
    struct stat made;
    pid_t child;
    int error, how = 0;

    if (find_pith(pith, sizeof pith))
        return 1;
    error = start(pith, argv, file, &child);
    if (error)
        return pithi_draw_failed("%s: cannot start: %s", pith, strerror(error));
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    pithi_guard(file, 0);
    if (WIFSIGNALED(how))
        return pithi_draw_failed("draw: signal %d ended `pith stat`, which finds functions", WTERMSIG(how));
    return how && (stat(file, &made) != 0 || !made.st_size);
}

int pithi_draw_flames(struct pithi_draw *draw)
{
    const char *folder = getenv("TMPDIR");
    char file[PATH_MAX];
    int handle, err, status;

    if (draw->flames || !pithi_flames_possible(draw->log))
        return 0;
    snprintf(file, sizeof file, "%s/functions-XXXXXX.pith", folder && *folder ? folder : "/tmp");
    handle = mkstemps(file, (int)strlen(".pith"));
    if (handle < 0)
        return pithi_draw_failed("%s: %s", file, strerror(errno));
    close(handle);
    pithi_guard(file, 0);
    status = run_stat(draw, file);
    err = status ? PITH_OK : pithi_flames_open(draw->log, file, &draw->flames);
    unlink(file); /* it stays open */
    pithi_guard(NULL, 0);
    return err ? pithi_draw_failed("%s", pithlog_error()) : status;
}
