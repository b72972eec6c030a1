/* anim.c - starts the viewer's window as a detached process.
 *
 * The program must not notice this process. So the program must get no child that its wait() could return, no SIGCHLD,
 * and no copy of its memory, for which there may be no room. Therefore two processes are made one after the other. Each
 * shares the program's memory until it ends or calls exec, and its parent waits until then. Both run on stacks of their
 * own and make only system calls:
 *
 *     the program -> become_parent, which ends at once without a signal -> become_window, an orphan -> pith-view */
#include "job.h"

#include "base/say.h"
#include "base/shell_word.h"
#include "pith_tool.h"
#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Is there a display? ----------------------------------------------------------------------------------------- */

/* Returns 1 if a server listens at the socket `path`. `is_abstract` 1: `path` is not a file but a name in Linux's
 * abstract namespace of sockets. */
static int can_connect(const char *path, int is_abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), status;

    memcpy(address.sun_path + is_abstract, path, length + !is_abstract);
    status = fd < 0 ? -1
                    : connect(fd, (const struct sockaddr *)&address,
                              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1));
    if (fd >= 0)
        close(fd);
    return status == 0 || errno == EAGAIN;
}

/* Returns the reason why no window can be opened; NULL if no reason is known. Remote displays (ssh -X) are not tested,
 * because the test would take long. */
static const char *wrong_display(void)
{
    const char *display = secure_getenv("DISPLAY");
    char path[64];

    if (!display || !*display)
        return "DISPLAY is not set";
    if (!strncmp(display, "unix:", 5))
        display += 4;
    if (display[0] != ':')
        return NULL;
    snprintf(path, sizeof path, "/tmp/.X11-unix/X%d", atoi(display + 1));
    return can_connect(path, 0) || can_connect(path, 1) ? NULL : "nobody answers at DISPLAY";
}

/* ---- The window's process ---------------------------------------------------------------------------------------- */

/* Finds PREFIX/libexec/pith/pith-view by the path of this library, PREFIX/lib/pith/MPI/libpith-anim.so. Returns 0 if
 * there is no such program. */
static int find_viewer(char *path, size_t size)
{
    Dl_info info;
    char self[PATH_MAX];

    if (!dladdr((const void *)(uintptr_t)&pithi_anim_begin, &info) || !realpath(info.dli_fname, self))
        return 0;
    for (int i = 0; i < 4; i++) {
        char *slash = strrchr(self, '/');
        if (!slash)
            return 0;
        *slash = 0;
    }
    return snprintf(path, size, "%s/libexec/pith/pith-view", self) < (int)size && access(path, X_OK) == 0;
}

/* Returns a copy of the environment without the variables that are only for the program. */
static char **own_environment(void)
{
    size_t count = 0, kept = 0;

    while (environ[count])
        count++;
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "PITH_", 5) != 0 &&
            strncmp(environ[i], "_PITH_", 6) != 0)
            list[kept++] = environ[i];
    return list;
}

struct start {
    char **arguments, **environment; /* as of execve, malloc'ed */
};

/* The process of the viewer's window. It shares the program's memory until it calls exec, so until then it makes only
 * system calls. */
static int become_window(void *context)
{
    const struct start *start = context;
    sigset_t none;
    int null;

    setpriority(PRIO_PROCESS, 0, 10); /* the program shall get the cores first */
    null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 0u);
#endif
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->arguments[0], start->arguments, start->environment);
    _exit(127);
}

/* The stacks of become_parent and of become_window. */
static char stacks[2][64 * 1024] __attribute__((aligned(64)));

/* The intermediate process: starts the window and exits at once, so that the window is not a child of the program. */
static int become_parent(void *context)
{
    setsid();
    _exit(clone(become_window, stacks[1] + sizeof stacks[1], CLONE_VM | CLONE_VFORK | SIGCHLD, context) > 0 ? 0 : 1);
}

/* Makes the two processes, as two calls of vfork would. But the first process sends no signal at its end, so the
 * program's SIGCHLD handlers and wait() do not notice this process. */
static int start_window(struct start *start)
{
    sigset_t all, before;
    int pid, status = 1;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid = clone(become_parent, stacks[0] + sizeof stacks[0], CLONE_VM | CLONE_VFORK, start);
    while (pid > 0 && waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid > 0 && status == 0 ? 0 : -1;
}

static void say(const char *what, const char *log)
{
    char line[4 * PATH_MAX + 256], word[4 * PATH_MAX];
    int size = snprintf(line, sizeof line,
                        "pith: no animation: %s; the program runs on, and afterwards: pith view --anim %s\n", what,
                        pithi_shell_word(log, word, sizeof word));

    if (pithi_no_stderr)
        return;
    if (write(2, line, size < (int)sizeof line ? (size_t)size : sizeof line - 1) < 0) { /* standard error is closed */
    }
}

void pithi_anim_begin(int result)
{
    static int begun;
    const char *log, *spill;
    int saved = errno, rank = -1;

    if (result == MPI_SUCCESS && REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0 &&
        !__atomic_exchange_n(&begun, 1, __ATOMIC_SEQ_CST) && pith_where(&log, &spill) == 0) {
        char viewer[PATH_MAX];
        char *arguments[] = {
            viewer, (char *)"--anim", (char *)"--spill", (char *)(uintptr_t)spill, (char *)(uintptr_t)log, NULL};
        struct start start = {arguments, NULL};
        const char *wrong = wrong_display();

        if (!wrong && !find_viewer(viewer, sizeof viewer))
            wrong = "the window was not built here (no Tcl/Tk)";
        if (!wrong && (!(start.environment = own_environment()) || start_window(&start)))
            wrong = "the window's process cannot be started";
        free(start.environment);
        if (wrong)
            say(wrong, log);
    }
    errno = saved;
}
