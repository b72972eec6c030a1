/* say.h - writes a line of text for the user of the program in one system call, so that launchers do not mix the lines
 * of several ranks. (fprintf of glibc 2.41 writes a line to stderr, which has no buffer, in pieces of 128 bytes.) */
#ifndef PITHI_SAY_H
#define PITHI_SAY_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Signals during writes --------------------------------------------------------------------------------------- */

/* A write to a closed pipe, or beyond the limit of file sizes, must not end the program. So SIGPIPE and SIGXFSZ are
 * blocked during a write, and a signal that the write caused is discarded. */
struct pithi_signals {
    sigset_t before, pending;
};

static inline void pithi_signals_begin(struct pithi_signals *signals)
{
    sigset_t set;
    sigpending(&signals->pending);
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &signals->before);
}

static inline void pithi_signals_end(const struct pithi_signals *signals)
{
    static const struct timespec now;
    static const int held[] = {SIGXFSZ, SIGPIPE};
    int saved = errno;
    for (int i = 0; i < 2; i++) {
        sigset_t set;
        if (sigismember(&signals->pending, held[i]))
            continue; /* the signal was pending before the write, so the program caused it */
        sigemptyset(&set);
        sigaddset(&set, held[i]);
        while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = saved;
}

/* ---- Standard error ---------------------------------------------------------------------------------------------- */

/* 1: the process was started without a standard error. Descriptor 2 may then become a file of the program or of its
 * MPI, so nothing may be written to it. A thread that UCX starts when it is loaded opens files, so descriptor 2 may be
 * open when Pith is loaded. Therefore `pith run` looks before that, and puts its process number, which stays, into the
 * variable PITHI_NO_STDERR.
 *
 * pithi_no_stderr is weak, because each file that includes this header defines it, and all files of a library must
 * share it. */
#define PITHI_NO_STDERR "_PITH_NO_STDERR"
__attribute__((weak, visibility("hidden"))) int pithi_no_stderr;
__attribute__((constructor)) static void find_stderr(void)
{
    const char *process = secure_getenv(PITHI_NO_STDERR);
    pithi_no_stderr = fcntl(STDERR_FILENO, F_GETFD) < 0 || (process && strtol(process, NULL, 10) == getpid());
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static inline void pithi_say_values(int fd, const char *format, va_list values)
{
    char line[4096]; /* PIPE_BUF of Linux: a pipe does not split a write of up to this many bytes */
    struct pithi_signals signals;
    size_t length;
    int saved = errno;

    if (fd == STDERR_FILENO && pithi_no_stderr)
        return;
    memcpy(line, "pith: ", 6);
    vsnprintf(line + 6, sizeof line - 7, format, values);
    length = strlen(line);
    line[length++] = '\n';
    pithi_signals_begin(&signals);
    if (write(fd, line, length) < 0) { /* ignored: there is no other place for the line */
    }
    pithi_signals_end(&signals);
    errno = saved;
}

/* Writes one line "pith: ..." to `fd`. Does not call malloc, and leaves errno unchanged. */
__attribute__((format(printf, 2, 3))) static inline void pithi_say_to(int fd, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    pithi_say_values(fd, format, values);
    va_end(values);
}

/* Writes one line "pith: ..." to stderr. */
__attribute__((format(printf, 1, 2))) static inline void pithi_say(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    pithi_say_values(STDERR_FILENO, format, values);
    va_end(values);
}

#endif
