/* trace.c - builds and writes the lines of a trace (trace.h). It works without the recorder of Pith's logs.
 *
 * The last line before a hang or a crash is what the user wants to see, so each line is written at once, by one write.
 * One write also keeps the line whole when 100 processes write to one terminal. Since each line costs a system call,
 * the trace is no tool for measuring.
 */
#include "trace.h"

#include "base/say.h"
#include "group.h"
#include "base/launcher.h"
#include "nested.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The lowest descriptor for the output. It is high, because programs expect open() to return the lowest free number. */
enum { DESCRIPTOR = 200 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int output = -1, with_time; /* output: descriptor; with_time: 1: lines have the time */
static int rank = -1, is_off;      /* rank: in MPI_COMM_WORLD; is_off: 1: after MPI_Pcontrol(0); atomic */

/* ---- the output -------------------------------------------------------------------------------------------------- */

/* Returns a copy of a descriptor, with a high number. */
static int far_up(int fd)
{
    /* If no number so high is free, the descriptor itself is used. */
    int high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR);

    return high < 0 ? fd : high;
}

/* Copies `name` to `path` with the rank in place of each %r. Returns 0 if the result does not fit. */
static int put_rank(const char *name, char *path, size_t size)
{
    char number[16];
    size_t at = 0;

    snprintf(number, sizeof number, "%d", rank < 0 ? 0 : rank);
    for (; *name; name++) {
        int is_rank = name[0] == '%' && name[1] == 'r';
        size_t part = is_rank ? strlen(number) : 1;
        if (at + part >= size)
            return 0;
        memcpy(path + at, is_rank ? number : name, part);
        at += part;
        name += is_rank;
    }
    path[at] = 0;
    return 1;
}

/* Programs that were linked with MPE's trace library, libtmpe, define this constant
 * (wrappers/mpe_names/trace_output.c). The lines then go to the descriptor that it contains. */
__attribute__((weak, visibility("default"))) extern const int pith_trace_descriptor;

/* Opens the output for the case without PITH_TRACE_FILE. The output is a duplicate of standard error, since a program
 * may close descriptor 2 and then open a data file, which gets the number 2. Under a launcher, standard error is a
 * pipe. The launcher prints the pieces that it reads from the pipe (Open MPI: 4096 bytes), so another rank's line may
 * come in the middle of a line. If the pipe is in packet mode (pipe(2), O_DIRECT), each read returns one line. The pipe
 * is opened a second time in this mode, so that the program's own writes stay as they are. */
static int open_standard(void)
{
    struct stat info;
    int standard = &pith_trace_descriptor ? pith_trace_descriptor : STDERR_FILENO, fd = -1;
    const char *path = standard == STDERR_FILENO ? "/proc/self/fd/2" : "/proc/self/fd/1";

    if (standard == STDERR_FILENO && pithi_no_stderr)
        return -1;
    if (pithi_launcher_rank(-1) >= 0 && fstat(standard, &info) == 0 && S_ISFIFO(info.st_mode))
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return far_up(standard);
    fcntl(fd, F_SETFL, O_DIRECT); /* also clears O_NONBLOCK, which only open() needed */
    int high = far_up(fd);
    if (high != fd)
        close(fd);
    return high;
}

static void open_output(void)
{
    const char *name = secure_getenv("PITH_TRACE_FILE"), *time = secure_getenv("PITH_TRACE_TIME");
    char path[4096];

    with_time = time && *time && strcmp(time, "0") != 0;
    rank = pithi_launcher_rank(-1);
    if (name && *name) {
        int fd = -1;
        errno = ENAMETOOLONG;
        if (put_rank(name, path, sizeof path))
            fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (fd >= 0) {
            output = far_up(fd);
            if (output != fd)
                close(fd);
            return;
        }
        pithi_say("PITH_TRACE_FILE: %s: %s; the trace goes to standard error", name, strerror(errno));
    }
    output = open_standard();
}

/* Writes a line, which other processes do not cut in two: files are opened for appending, and a line for a pipe is
 * shorter than PIPE_BUF. */
static void put_line(const char *line, size_t size)
{
    /* The program may look at errno after its call. */
    int before = errno;

    while (write(output, line, size) < 0) {
        if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = output, .events = POLLOUT}, 1, 100);
        else if (errno != EINTR)
            break;
    }
    errno = before;
}

/* ---- a line ------------------------------------------------------------------------------------------------------ */

struct line {
    char text[512];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    size_t room = sizeof line->text - line->size;
    va_list args;

    va_start(args, format);
    int size = vsnprintf(line->text + line->size, room, format, args);
    va_end(args);
    if (size > 0)
        line->size += (size_t)size < room ? (size_t)size : room - 1;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the calling thread's number in the trace: 0 for the initial thread; other threads count from 1 in the order
 * of their first lines. */
static int thread_number(void)
{
    static int last;
    static __thread int number = -1;

    if (number < 0)
        number = syscall(SYS_gettid) == getpid() ? 0 : __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    return number;
}

static void line_begin(struct line *line)
{
    int known = __atomic_load_n(&rank, __ATOMIC_RELAXED), thread = thread_number();

    line->size = 0;
    if (known < 0)
        add(line, "[?");
    else
        add(line, "[%d", known);
    if (thread)
        add(line, ".%d", thread);
    add(line, "] ");
    if (with_time) {
        int64_t now = now_ns(CLOCK_REALTIME);
        time_t seconds = (time_t)(now / 1000000000);
        struct tm local;
        localtime_r(&seconds, &local);
        add(line, "%02d:%02d:%02d.%06d ", local.tm_hour, local.tm_min, local.tm_sec, (int)(now % 1000000000 / 1000));
    }
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static __thread struct line note; /* what this thread's next line says of the call: " with count = 10, dest = 1" */

static void note_number(const char *name, long long value)
{
    add(&note, "%s%s = %lld", note.size ? ", " : " with ", name, value);
}

void pithi_trace_count(MPI_Count count) { note_number("count", count); }

void pithi_trace_peer(const char *role, int peer, int tag)
{
    if (peer == MPI_ANY_SOURCE || peer == MPI_PROC_NULL)
        add(&note, "%s%s = %s", note.size ? ", " : " with ", role, peer == MPI_PROC_NULL ? "none" : "any");
    else
        note_number(role, peer);
    if (tag == MPI_ANY_TAG)
        add(&note, ", tag = any");
    else
        note_number("tag", tag);
}

void pithi_trace_message(MPI_Count count, const char *role, int peer, int tag)
{
    pithi_trace_count(count);
    pithi_trace_peer(role, peer, tag);
}

void pithi_trace_received(int result, const MPI_Status *status, MPI_Datatype type)
{
    int count = 0;

    if (result != MPI_SUCCESS)
        return;
    REAL(MPI_Get_count)(status, type, &count);
    if (count != MPI_UNDEFINED)
        note_number(type == MPI_BYTE ? "bytes" : "count", count);
    pithi_trace_peer("source", status->MPI_SOURCE, status->MPI_TAG);
}

static void add_note(struct line *line)
{
    add(line, "%.*s", (int)note.size, note.text);
    note.size = 0;
}

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

void pithi_trace_begin(struct pithi_trace_call *call, const char *name, const char *classes, int *chosen,
                       const void *caller)
{
    struct pithi_self *self = &pithi_self;
    struct line line;

    call->outer_recorded = self->recorded;
    /* A call inside another one counts if the program makes it (in a callback), not if MPI does. */
    self->recorded = self->depth++ == 0 || pithi_nested_counts(caller);
    call->name = NULL;
    if (self->recorded && pithi_chosen(chosen, name, classes) && !__atomic_load_n(&is_off, __ATOMIC_RELAXED)) {
        pthread_once(&once, open_output);
        call->name = name;
        line_begin(&line);
        add(&line, "Starting %s", name);
        add_note(&line);
        add(&line, "...\n");
        put_line(line.text, line.size);
        if (with_time)
            call->begin_ns = now_ns(CLOCK_MONOTONIC);
    }
    /* A note belongs to one call only, even if no line was written. */
    note.size = 0;
}

void pithi_trace_end(const struct pithi_trace_call *call)
{
    struct line line;

    if (call->name) {
        /* The duration is measured by a clock that does not jump, unlike the time of day. */
        int64_t took = with_time ? now_ns(CLOCK_MONOTONIC) - call->begin_ns : 0;
        line_begin(&line);
        add(&line, "Ending %s", call->name);
        add_note(&line);
        if (with_time)
            add(&line, " after %.9f s", 1e-9 * (double)took);
        add(&line, "\n");
        put_line(line.text, line.size);
    }
    note.size = 0;
    pithi_self.recorded = call->outer_recorded;
    pithi_self.depth--;
}

void pithi_trace_begin_job(int result)
{
    int found = 0;

    if (result == MPI_SUCCESS && REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &found) == MPI_SUCCESS)
        __atomic_store_n(&rank, found, __ATOMIC_RELAXED);
}

void pithi_trace_resume(int level)
{
    if (level)
        __atomic_store_n(&is_off, 0, __ATOMIC_RELAXED);
}

void pithi_trace_pause(int level)
{
    if (!level)
        __atomic_store_n(&is_off, 1, __ATOMIC_RELAXED);
}
