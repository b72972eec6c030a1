/* progress.c - see progress.h. The timer's handler may only use what is safe in one: no stdio, no malloc. */
#include "tools/progress.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static struct pithi_progress current; /* what == NULL: none */
static volatile sig_atomic_t shown;

uint64_t pithi_progress_count(const void *context) { return *(const volatile uint64_t *)context; }

static size_t put_text(char *to, const char *text)
{
    size_t size = strlen(text);

    memcpy(to, text, size);
    return size;
}

static size_t put_number(char *to, uint64_t number)
{
    size_t size = 1;

    for (uint64_t rest = number; rest >= 10; rest /= 10)
        size++;
    for (size_t i = size; i > 0; i--, number /= 10)
        to[i - 1] = (char)('0' + number % 10);
    return size;
}

static void show(int signal_number)
{
    char line[128];
    size_t size = put_text(line, "\r");
    uint64_t done = current.done(current.context);

    (void)signal_number;
    size += put_text(line + size, current.what);
    size += put_text(line + size, ": ");
    size += put_number(line + size, current.total ? done / (current.total / 100 + 1) : done);
    size += put_text(line + size, current.total ? " %" : current.unit);
    if (write(STDERR_FILENO, line, size) > 0)
        shown = 1;
}

static void set_timer(int microseconds)
{
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

void pithi_progress_begin(const struct pithi_progress *progress)
{
    struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};

    if (!isatty(STDERR_FILENO))
        return;
    current = *progress;
    sigaction(SIGALRM, &action, NULL);
    set_timer(500000);
}

void pithi_progress_end(void)
{
    static const char clear[] = "\r\033[K";

    if (!current.what)
        return;
    set_timer(0);
    signal(SIGALRM, SIG_IGN);
    current.what = NULL;
    if (shown && write(STDERR_FILENO, clear, sizeof clear - 1) > 0)
        shown = 0;
}
