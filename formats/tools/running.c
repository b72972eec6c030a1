/* running.c - finds the spill files of a running program, and handles the signals by which the user ends a command that
 * prints what this program records. */
#include "tools/running.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shell_word.h"
#include "tools/tools.h"

static volatile sig_atomic_t interrupted; /* set by the handler of SIGINT and SIGTERM */

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void pithi_running_watch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int pithi_running_interrupted(void) { return interrupted; }

int pithi_running_nap(int ms)
{
    struct pollfd out = {STDOUT_FILENO, 0, 0}; /* 0 events: poll reports a closed pipe even if not asked for it */

    return (poll(&out, 1, ms) == 0 || errno == EINTR) && !interrupted;
}

int pithi_running_find(struct pithi_running *running, const char *path)
{
    size_t length = strlen(path), tail = strlen(".spill");
    struct stat info;
    int is_spill, is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length + sizeof ".spill" > sizeof running->spill)
        return pithi_fail(PITH_ERR_USAGE, "%s: the name is too long", path);
    memset(running, 0, sizeof *running);
    memcpy(running->spill, path, length);
    memcpy(running->log, path, length);
    is_spill = length > tail && strcmp(running->spill + length - tail, ".spill") == 0;
    running->log_named = !is_spill && !is_folder;
    if (running->log_named)
        strcpy(running->spill + length, ".spill");
    else
        running->log[is_spill ? length - tail : 0] = '\0';
    running->log_there = stat(running->log, &running->log_info) == 0;
    return PITH_OK;
}

int pithi_running_is_finished(const struct pithi_running *running)
{
    const struct stat *before = &running->log_info;
    struct stat now;

    if (stat(running->log, &now) != 0)
        return 0;
    return running->log_named || !running->log_there || now.st_ino != before->st_ino ||
           now.st_mtim.tv_sec != before->st_mtim.tv_sec || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

int pithi_running_tell_death(const struct pithi_running *running, const struct pithlog_follow_info *info)
{
    char word[4096];

    pithi_tool_say(
        stderr, "pith: %s: the program ended without writing %s; `pith recover %s` makes a log of its records",
        running->spill, *info->log ? info->log : "its log", pithi_shell_word(running->spill, word, sizeof word));
    return 1;
}
