/* draw_flames.c - runs other commands of pith for a picture. `pith stat --flame` makes functions with begin and end
 * from samples; unfolded rows show these, as in the viewer's window. `pith cut` makes the shortened log that a web page
 * contains. */
#include "draw/draw.h"

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

#include "core/scene/flames.h"

extern char **environ;

/* Starts a program that writes `file`. If a signal ends this program, the started program is ended, too (pithi_guard);
 * signals are blocked until this is set up. Returns 0, or errno. */
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

int pithi_draw_by_pith(char **argv, int at, char file[PATH_MAX])
{
    const char *folder = getenv("TMPDIR");
    char pith[PATH_MAX];
    struct stat made;
    pid_t child;
    int error, how = 0, handle;

    snprintf(file, PATH_MAX, "%s/draw-XXXXXX.pith", folder && *folder ? folder : "/tmp");
    handle = mkstemps(file, (int)strlen(".pith"));
    if (handle < 0)
        return pithi_draw_failed("%s: %s", file, strerror(errno));
    close(handle);
    pithi_guard(file, 0);
    argv[at] = file;
    if (pithi_draw_find("bin/pith", pith, sizeof pith))
        return 1;
    error = start(pith, argv, file, &child);
    if (error)
        return pithi_draw_failed("%s: cannot start: %s", pith, strerror(error));
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    pithi_guard(file, 0);
    if (WIFSIGNALED(how))
        return pithi_draw_failed("draw: signal %d ended `pith %s`", WTERMSIG(how), argv[1]);
    return how && (stat(file, &made) != 0 || !made.st_size);
}

void pithi_draw_end_file(const char *file)
{
    unlink(file);
    pithi_guard(NULL, 0);
}

int pithi_draw_flames(struct pithi_draw *draw)
{
    char *argv[] = {"pith", "stat", "--flame", NULL, "--", (char *)draw->log_path, NULL};
    char file[PATH_MAX];
    int err, status;

    if (draw->flames || !pithi_flames_possible(draw->log))
        return 0;
    status = pithi_draw_by_pith(argv, 3, file);
    err = status ? PITH_OK : pithi_flames_open(draw->log, file, &draw->flames);
    pithi_draw_end_file(file); /* pithi_flames_open has the file open, so its bytes stay readable */
    return err ? pithi_draw_failed("%s", pithlog_error()) : status;
}
