/* watch.c - a process beside the program, for the line about records that a dying program cannot print: after SIGKILL,
 * SIGSEGV, _exit, or an error that is fatal in MPI.
 *
 * Signal handlers in the program would see only some of these ends, and the program would notice the handlers. So rank
 * 0's pith run leaves a process of its own, which sleeps until the program has ended:
 *
 *     pith run -> the program (the same process)
 *          `-> start -> watch: poll(pidfd) -> the records' file is still there -> the line
 *
 * The recorder writes the line in advance (liblog/output.c): it opens the watcher's memory file in /proc and adds three
 * strings, each with its zero byte:
 *
 *     the spill file         it is removed when the log is written
 *     the name of a mark     whoever prints the line makes this file, so that nobody else prints it
 *     the line
 *
 * The program does not notice the watcher. The watcher has a session of its own, so no signal that a terminal or a
 * launcher sends to the program's group reaches the watcher. The watcher's parent, an intermediate process, has ended,
 * so the watcher is no child of the program. The watcher keeps only standard error open, and ends when the program has
 * ended. If the program is the first process of a container, or a subreaper, the watcher would become its child when
 * the intermediate process ends; such a program gets no watcher. */
#include "run.h"

#include "base/launcher.h"
#include "base/watch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SYS_pidfd_open
enum { MOST = 4096 }; /* how many lines are read at most */

/* A line about records, with the two files by which it is decided whether to print it (see above). */
struct told {
    const char *spill, *mark, *line;
};

/* Prints the line, unless the log was written or another process has printed the line. Returns 1 if the records still
 * exist. */
static int say_line(const struct told *told)
{
    int fd;

    if (access(told->spill, F_OK))
        return 0;
    fd = open(told->mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && (write(STDERR_FILENO, told->line, strlen(told->line)) < 0 || write(fd, "\n", 1) < 0)) {
        /* nothing can be done if standard error has no reader or the disk is full */
    }
    if (fd >= 0)
        close(fd);
    return 1;
}

static int is_same_folder(const char *a, const char *b)
{
    size_t size = (size_t)(strrchr(a, '/') - a);

    return size == (size_t)(strrchr(b, '/') - b) && !memcmp(a, b, size);
}

/* Prints the lines. If a job has several lines, the last one counts, as it is the most complete. One line for each
 * folder is enough, as pith recover reads all files in the folder. */
static void say_lines(int lines)
{
    static struct told all[MOST];
    static const char *said[MOST];
    struct stat info;
    char *text = fstat(lines, &info) == 0 && info.st_size > 0
                     ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, lines, 0)
                     : MAP_FAILED;
    size_t count = 0, folders = 0;

    if (text == MAP_FAILED || text[info.st_size - 1])
        return;
    for (const char *at = text, *end = text + info.st_size; at < end && count < MOST;) {
        const char *strings[3] = {"", "", ""};
        for (int i = 0; i < 3 && at < end; i++, at += strlen(at) + 1)
            strings[i] = at;
        if (strchr(strings[1], '/')) /* an empty line is from a process without records (preload/note.c) */
            all[count++] = (struct told){strings[0], strings[1], strings[2]};
    }
    for (size_t i = 0; i < count; i++) {
        size_t later = i + 1, k = 0;
        while (later < count && strcmp(all[later].mark, all[i].mark) != 0)
            later++;
        while (k < folders && !is_same_folder(said[k], all[i].mark))
            k++;
        if (later == count && k == folders && say_line(&all[i]))
            said[folders++] = all[i].mark;
    }
}

/* Closes all descriptors between these two. */
static void close_between(int from, int to)
{
    enum { USUAL = 1024 };

#ifdef SYS_close_range
    if (from + 1 >= to || syscall(SYS_close_range, from + 1u, to - 1u, 0u) == 0)
        return;
#endif
    for (int fd = from + 1; fd < to && fd < USUAL; fd++) /* before Linux 5.9 */
        close(fd);
}

/* Runs in the watcher: waits until the program has ended, then prints the lines. */
static void watch(int lines, int program)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
    struct pollfd end = {program, POLLIN, 0};
    int low = lines < program ? lines : program, high = lines < program ? program : lines;

    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    /* Leaves the program's pipes and folder, so that their readers do not wait for this process, and the folder's file
     * system can be unmounted. */
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < STDERR_FILENO; fd++)
        if (dup2(null, fd) < 0)
            return;
    close_between(STDERR_FILENO, low);
    close_between(low, high);
    close_between(high, INT_MAX);
    if (chdir("/"))
        return;
    while (poll(&end, 1, -1) < 1)
        continue;
    say_lines(lines);
}

/* Runs in the intermediate process: starts the watcher, and writes the watcher's process number into the file. */
static void start(int lines, int program)
{
    setsid();
    pid_t pid = fork();
    if (pid == 0)
        watch(lines, program);
    else if (pid > 0 && write(lines, &pid, sizeof pid) < 0)
        kill(pid, SIGKILL);
}

/* Moves a descriptor to a number above those of the standard streams, which may be closed. */
static int above_standard(int fd)
{
    int above = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    if (fd >= 0)
        close(fd);
    return above;
}

/* Returns 1 if processes whose parents have ended become children of this process. */
static int is_adopter(void)
{
    int subreaper = 0;

    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0) == 0 && subreaper);
}
#endif

char *watch_program(void)
{
    char *place = NULL;
#ifdef SYS_pidfd_open
    pid_t pid = 0;
    int program = -1, lines = -1;

    if (pithi_is_quiet() || fcntl(STDERR_FILENO, F_GETFD) < 0 || is_adopter())
        return NULL;
    program = above_standard((int)syscall(SYS_pidfd_open, getpid(), 0));
    lines = above_standard(memfd_create(PITHI_WATCH_FILE, MFD_CLOEXEC));
    if (lines >= 0 && program >= 0) {
        /* like fork, but the child's end sends no signal, which could still be pending in the program */
        long child = syscall(SYS_clone, 0L, NULL, NULL, NULL, NULL);
        if (child == 0) {
            start(lines, program);
            _exit(0);
        }
        while (child > 0 && waitpid((pid_t)child, NULL, __WCLONE) < 0 && errno == EINTR)
            continue;
        /* The file's descriptor has the same number in the watcher, which is a copy of this process. */
        if (pread(lines, &pid, sizeof pid, 0) == sizeof pid && ftruncate(lines, 0) == 0 &&
            asprintf(&place, "%ld/fd/%d", (long)pid, lines) < 0)
            place = NULL;
    }
    if (program >= 0)
        close(program);
    if (lines >= 0)
        close(lines);
#endif
    return place;
}
