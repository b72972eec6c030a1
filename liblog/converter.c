/* converter.c - runs programs of Pith for a recorded program: `pith convert` if the user wants a log in a foreign
 * format, or with corrected times; `pith analyze` for the sentence at the end of a run, or for the page; `pith top`
 * for the report about a job that hangs; pith-functions, which looks up names of functions.
 *
 * Reading logs and writing foreign formats takes twice the code of recording, and few runs need it. So this code is in
 * libpithlog and the `pith` command, not in every recorded program: the process that names the log starts the command
 * and waits for it.
 *
 * The program must not notice the command. A child made by fork or posix_spawn would be seen by the program's SIGCHLD
 * handler and its wait(), and fork runs the handlers of pthread_atfork, including those of MPI libraries. So an
 * intermediate process starts the command. clone makes the intermediate process without an exit signal, so only waitpid
 * with __WCLONE sees it. (The command itself cannot be made so, because exec sets the exit signal to SIGCHLD.) The
 * intermediate process and the command share this process's memory until they end or call exec, so they only make
 * system calls. Their stacks come from mmap, as a wrapper may be inside malloc.
 *
 * While this thread waits for the intermediate process (CLONE_VFORK), only SIGKILL can end it. So a command that may
 * hang gets a time limit. If the program is killed, the kernel kills the intermediate process, and then the command
 * (PR_SET_PDEATHSIG).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"
#include "pith_tool.h"
#include "process.h"
#include "session.h"

/* Finds PREFIX/NAME for a library in PREFIX/lib, PREFIX/lib/x86_64-linux-gnu or PREFIX/lib/pith/MPI. The dynamic linker
 * gives an absolute path for a library. A relative path means that libpith.a is linked into the program: then PREFIX is
 * the program's. */
static int find_beside_library(const char *name, char *path, size_t size)
{
    Dl_info info;
    char self[PATH_MAX];
    int level, found = 0,
               is_library = dladdr((const void *)(uintptr_t)&pithi_convert, &info) != 0 && info.dli_fname != NULL &&
                            info.dli_fname[0] == '/';
    if (realpath(is_library ? info.dli_fname : "/proc/self/exe", self) == NULL)
        return 0;
    for (level = 0; !found && level < 4; level++) {
        char *slash = strrchr(self, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        found = level > 0 && snprintf(path, size, "%s/%s", self, name) < (int)size && access(path, X_OK) == 0;
    }
    return found;
}

/* Finds the command `pith` in PATH. A set-user-ID program must not look there, because its caller could make it run
 * another command. */
static int find_in_path(char *path, size_t size)
{
    const char *at = pithi_session.settings.secure ? NULL : secure_getenv("PATH");
    int found = 0;
    while (at != NULL && *at != '\0' && !found) {
        int length = (int)strcspn(at, ":");
        found = length > 0 && snprintf(path, size, "%.*s/pith", length, at) < (int)size && access(path, X_OK) == 0;
        at += length;
        at += *at == ':';
    }
    return found;
}

enum { STACK = 64 * 1024, CORES_MAX = 8192 }; /* STACK: bytes of each of the two stacks below */

struct start {
    const char *const *arguments;
    char **environment;
    int in, out, err;                 /* the command's descriptors 0, 1 and 2; here each is 3 or higher */
    int most_ms;                      /* the kernel ends the command after this time; 0: never */
    size_t set_bytes;                 /* bytes of `set`; 0: the command runs on the cores of this thread */
    unsigned char set[CORES_MAX / 8]; /* a bit for each core on which the command runs */
    int error;                        /* 0, or the errno that kept the command from running */
    int status;                       /* of the command, as waitpid gives it */
    char *stacks;                     /* two: of the intermediate process, and of the command until its exec */
};

/* Resets a handler by a system call, because sigaction may be a sanitizer's: that one keeps a table of handlers in
 * memory, which this process shares with the program. */
static void set_default(int number)
{
    const uint64_t by_default[8] = {0}; /* the kernel's struct sigaction with SIG_DFL */
    syscall(SYS_rt_sigaction, number, by_default, NULL, sizeof(uint64_t));
}

static void end_with_parent(void) { syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

static int become_command(void *context)
{
    struct start *start = context;
    sigset_t none;
    end_with_parent();
    if (start->most_ms > 0) {
        /* ITIMER_REAL and the default action of its signal survive exec, so SIGALRM ends the command in time. */
        int most_ms = start->most_ms;
        struct itimerval timer = {.it_value = {most_ms / 1000, most_ms % 1000 * 1000}};
        set_default(SIGALRM);
        syscall(SYS_setitimer, ITIMER_REAL, &timer, NULL);
    }
    if (start->set_bytes > 0) /* if this fails, the command runs on the cores of this thread */
        syscall(SYS_sched_setaffinity, 0, start->set_bytes, start->set);
    if (dup2(start->in, 0) >= 0 && dup2(start->out, 1) >= 0 && dup2(start->err, 2) >= 0) {
#ifdef SYS_close_range
        syscall(SYS_close_range, 3u, ~0u, 0u); /* closes all others, because a pipe of the program would stay open until
                                                  the command ends */
#endif
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(start->arguments[0], (char *const *)(uintptr_t)start->arguments, start->environment);
    }
    start->error = errno;
    return 127;
}

/* Runs in the intermediate process: starts the command and waits for its end. */
static int become_parent(void *context)
{
    struct start *start = context;
    int pid;
    end_with_parent();
    set_default(SIGCHLD); /* if the program ignores it, the kernel keeps no status for waitpid */
    pid = clone(become_command, start->stacks + 2 * STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
    if (pid < 0)
        start->error = errno;
    while (pid > 0 && waitpid(pid, &start->status, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

/* Runs the command to its end. Returns 0, or an errno. CLONE_VFORK stops this thread until the intermediate process has
 * ended. */
static int run(struct start *start)
{
    sigset_t all, before;
    int pid, cancel_state;
    /* The command gets the environment without the variables that turn on recording. */
    size_t count = 0, kept = 0, i, bytes;
    while (environ[count] != NULL)
        count++;
    bytes = 2 * STACK + (count + 1) * sizeof *environ;
    start->stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start->stacks == MAP_FAILED)
        return ENOMEM;
    start->environment = (char **)(void *)(start->stacks + 2 * STACK);
    for (i = 0; i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "PITH_", 5) != 0 &&
            strncmp(environ[i], "_PITH_", 6) != 0)
            start->environment[kept++] = environ[i];
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid = clone(become_parent, start->stacks + STACK, CLONE_VM | CLONE_VFORK, start);
    if (pid < 0)
        start->error = errno;
    while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancel_state, NULL);
    munmap(start->stacks, bytes);
    return start->error;
}

int pith_function_names(const char *const *files, int out)
{
    static char path[PITHI_PATH_MAX]; /* found at the first call */
    const char *list[PITH_NAMES_FILES + 2] = {path};
    struct start start = {.arguments = list};
    int error, count;
    if (path[0] == '\0' && !find_beside_library("libexec/pith/pith-functions", path, sizeof path)) {
        path[0] = '\0';
        return ENOENT;
    }
    for (count = 0; count < PITH_NAMES_FILES && files[count] != NULL; count++)
        list[count + 1] = files[count];
    start.in = start.err = pithi_descriptor_open("/dev/null", O_RDWR, 0);
    start.out = out;
    error = start.in < 0 ? errno : run(&start);
    if (start.in >= 0)
        close(start.in);
    return error;
}

/* Adds a line of the command's messages to `text`, without "pith: note: ". */
static void add_line(char *text, size_t size, const char *line, size_t length)
{
    static const char *const starts[] = {"pith: ", "note: "};
    static const char more[] = "; and more";
    size_t used = strlen(text), i;
    for (i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (length > strlen(starts[i]) && strncmp(line, starts[i], strlen(starts[i])) == 0) {
            line += strlen(starts[i]);
            length -= strlen(starts[i]);
        }
    if (used + length + 2 + sizeof more < size)
        snprintf(text + used, size - used, "%s%.*s", used > 0 ? "; " : "", (int)length, line);
    else if (used >= sizeof more && strcmp(text + used + 1 - sizeof more, more) != 0)
        memcpy(text + used, more, sizeof more);
}

/* Reads the command's messages into `text`, joined by "; ". */
static void read_said(int said, char *text, size_t size)
{
    char lines[4096];
    ssize_t got = pread(said, lines, sizeof lines - 1, 0);
    char *line = lines;
    text[0] = '\0';
    lines[got > 0 ? got : 0] = '\0';
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        if (length > 0)
            add_line(text, size, line, length);
        line += length + (line[length] == '\n');
    }
}

static int find_pith(char *command, size_t size)
{
    return find_beside_library("bin/pith", command, size) || find_in_path(command, size);
}

int pithi_answer(const char *log, int most_ms, char *text, size_t size)
{
    char command[PITHI_PATH_MAX + 16];
    const char *const arguments[] = {command, "analyze", "--answer", "--", log, NULL};
    struct start start = {.arguments = arguments, .most_ms = most_ms};
    text[0] = '\0';
    if (!find_pith(command, sizeof command))
        return -1;
    start.in = start.err = pithi_descriptor_open("/dev/null", O_RDWR, 0);
    start.out = pithi_descriptor_memory();
    if (start.in >= 0 && start.out >= 0 && run(&start) == 0)
        read_said(start.out, text, size);
    if (start.in >= 0)
        close(start.in);
    if (start.out >= 0)
        close(start.out);
    return text[0] != '\0' ? 0 : -1;
}

/* Adds the cores in a text like "0-3,8" or "rank 0 on 0-3,8, rank 1 on 4-7, ..." to a set: core i is bit i % 8 of byte
 * i / 8. Returns the number of bytes that the system call needs; 0 if the text names no core. */
static size_t read_cores(const char *text, unsigned char set[CORES_MAX / 8])
{
    size_t most = 0;
    for (const char *at = text; *at != '\0';) {
        char *end;
        if (strncmp(at, "rank ", 5) == 0) {
            strtoul(at + 5, &end, 10);
            at = strncmp(end, " on ", 4) == 0 ? end + 4 : "";
        }
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            break;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first < CORES_MAX; first++) {
            set[first / 8] |= (unsigned char)(1u << first % 8);
            most = first + 1 > most ? first + 1 : most;
        }
        at = end + strspn(end, ", ");
    }
    return (most + 63) / 64 * 8; /* the kernel's sets consist of whole words */
}

int pithi_analyze(const char *log, const char *json, int most_ms, const char *cores, int *out, int *status)
{
    char command[PITHI_PATH_MAX + 16];
    const char *const kept[] = {command, "analyze", "--json-file", json, "--", log, NULL};
    const char *const gone[] = {command, "analyze", "--no-commands", "--", log, NULL};
    struct start start = {.arguments = json != NULL ? kept : gone, .most_ms = most_ms};
    if (cores != NULL)
        start.set_bytes = read_cores(cores, start.set);
    int error;
    *out = -1;
    if (!find_pith(command, sizeof command))
        return ENOENT;
    start.in = pithi_descriptor_open("/dev/null", O_RDWR, 0);
    start.out = start.err = pithi_descriptor_memory();
    error = start.in < 0 || start.out < 0 ? errno : run(&start);
    if (start.in >= 0)
        close(start.in);
    *out = start.out;
    *status = start.status;
    return error;
}

int pithi_top(const char *spill, int64_t hang_ns, int out)
{
    char command[PITHI_PATH_MAX + 16], hang[48];
    const char *const all[] = {command, "top", "--why", "--once", "--", spill, NULL};
    const char *const if_it_hangs[] = {command, "top", "--why", "--once", hang, "--", spill, NULL};
    struct start start = {.arguments = hang_ns > 0 ? if_it_hangs : all, .out = out, .most_ms = 600000};
    int error;
    if (!find_pith(command, sizeof command))
        return -1;
    snprintf(hang, sizeof hang, "--hang=%lldns", (long long)hang_ns);
    start.in = start.err = pithi_descriptor_open("/dev/null", O_RDWR, 0);
    error = start.in < 0 ? errno : run(&start);
    if (start.in >= 0)
        close(start.in);
    return error == 0 ? 0 : -1;
}

int pithi_convert(const char *format, const char *option, const char *from, const char *to, char *text, size_t size)
{
    char command[PITHI_PATH_MAX + 16], format_option[64];
    const char *const arguments[] = {command, "convert", format_option, option != NULL ? option : "--", from, to, NULL};
    struct start start = {.arguments = arguments};
    int error;
    if (!find_pith(command, sizeof command)) {
        snprintf(text, size, "no command `pith` beside libpith or in PATH");
        return -1;
    }
    snprintf(format_option, sizeof format_option, "--format=%s", format);
    start.in = start.out = pithi_descriptor_open("/dev/null", O_RDWR, 0);
    start.err = pithi_descriptor_memory();
    unlink(to);
    error = start.in < 0 || start.err < 0 ? errno : run(&start);
    read_said(start.err, text, size);
    if (start.in >= 0)
        close(start.in);
    if (start.err >= 0)
        close(start.err);
    /* The command gives its file the name `to` only when the file is complete. So the existence of that file proves
     * more than an exit status. */
    if (error == 0 && access(to, F_OK) == 0)
        return 0;
    if (error != 0)
        snprintf(text, size, "%s cannot be run: %s", command, strerror(error));
    else if (text[0] == '\0')
        snprintf(text, size, "%s ended without writing it", command);
    return -1;
}
