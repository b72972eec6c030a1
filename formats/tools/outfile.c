/* outfile.c - see outfile.h. Signals that end the process are taken by a thread, which can do what a handler cannot:
 * remove a folder. */
#include "tools/outfile.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "tools/progress.h"
#include "tools/tools.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static struct {
    const struct pithi_format *format;
    const char *path;
    char part[4096];
} out;

static void *wait_for_signal(void *set)
{
    int number = 0;

    sigwait(set, &number);
    pithi_format_discard(out.format, out.path);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
    raise(number);
    return NULL;
}

/* What is ignored, by nohup or for a shell's background job, stays so. */
static void guard(void)
{
    static sigset_t set;
    struct sigaction action;
    pthread_t thread;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&set, signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, wait_for_signal, &set) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static uint64_t part_megabytes(const void *context)
{
    struct stat status;

    (void)context;
    return stat(out.part, &status) == 0 ? (uint64_t)status.st_size / 1000000 : 0;
}

/* Text to standard output as it is made; there a file that appears when complete makes no sense. */
static int write_stdout(struct pithlog *log, const struct pithi_format *format, const struct pithi_convert *how)
{
    if (!format->flows)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "standard output: only text can go there, not %s; name a file",
                          format->name);
    return format->write(log, stdout, how);
}

int pithi_outfile_write(const char *command, struct pithlog *log, const struct pithi_format *format, const char *path,
                        const struct pithi_convert *how)
{
    char what[64];
    struct pithi_progress progress = {.what = what, .done = part_megabytes, .unit = " MB written"};
    int err;

    if (strcmp(path, "-") == 0)
        return write_stdout(log, format, how);
    out.format = format;
    out.path = path;
    snprintf(out.part, sizeof out.part, "%s.part", path);
    snprintf(what, sizeof what, "pith: %s", command);
    guard();
    pithi_progress_begin(&progress);
    err = pithi_format_write(log, format, path, how);
    pithi_progress_end();
    return err;
}

void pithi_outfile_note(const char *text) { pithi_tool_say(stderr, "pith: note: %s", text); }
