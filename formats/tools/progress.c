/* progress.c - prints the line of progress. A signal handler of a timer prints it, so only async-signal-safe calls are
 * used: no stdio, no malloc.
 *
 * The rate is the mean since the begin of the work, and the time left is computed with this rate. Example: 43 of 100
 * million records after 3.5 s are 12.3 million a second, so the other 57 million take 5 s. A mean of the last second
 * only would jump whenever the disk is slow for a moment. The line never shows 100 %, because the total is an estimate,
 * and because work is left after the last record, such as writing the end of the file.
 */
#include "tools/progress.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct pithi_progress current; /* command == NULL: no progress is shown */
static int64_t begun_ms;              /* the time of CLOCK_MONOTONIC when the work began */
static volatile sig_atomic_t shown;   /* 1: the line is on the terminal and must be cleared */
static volatile uint64_t part_bytes;  /* set by pithi_progress_part, read by the timer */

uint64_t pithi_progress_count(const void *context) { return *(const volatile uint64_t *)context; }

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- The line ---------------------------------------------------------------------------------------------------- */

struct line { /* the line is put together here, and printed by a single write() */
    char text[160];
    size_t size;
};

static void put_text(struct line *line, const char *text)
{
    size_t size = strlen(text);

    if (size > sizeof line->text - line->size)
        return;
    memcpy(line->text + line->size, text, size);
    line->size += size;
}

static void put_number(struct line *line, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits;

    digits[--at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put_text(line, digits + at);
}

/* 12345678 records: "12.3 Mrecords". */
static void put_scaled(struct line *line, uint64_t number)
{
    static const char *const prefixes[] = {"", "k", "M", "G"};
    unsigned prefix = 0;
    uint64_t tenths = number < UINT64_MAX / 10 ? number * 10 : number;

    while (tenths >= 10000 && prefix < 3) {
        tenths /= 1000; /* the next prefix (k, M, G) is used from 1000.0 on */
        prefix++;
    }
    put_number(line, tenths / 10);
    if (prefix && tenths < 1000) { /* prints a decimal from 1.0 to 99.9 */
        put_text(line, ".");
        put_number(line, tenths % 10);
    }
    put_text(line, " ");
    put_text(line, prefixes[prefix]);
    put_text(line, current.unit);
}

static void show(int signal_number)
{
    struct line line = {.size = 0};
    uint64_t done = current.done(current.context), total = current.total;
    /* + 1: no division by 0 */
    uint64_t ms = (uint64_t)(now_ms() - begun_ms) + 1, rate = (uint64_t)((double)done * 1000 / (double)ms);

    (void)signal_number;
    put_text(&line, "\rpith: ");
    put_text(&line, current.command);
    put_text(&line, ": ");
    if (total) {
        /* Shows 99 % at most, as the total is an estimate. */
        put_number(&line, done < total ? (uint64_t)((double)done * 100 / (double)total) : 99);
        put_text(&line, " %, ");
    } else {
        put_scaled(&line, done);
        put_text(&line, ", ");
    }
    put_scaled(&line, rate);
    put_text(&line, "/s");
    if (done < total && rate) {
        uint64_t left = (total - done) / rate + 1; /* seconds, rounded up */
        put_text(&line, ", ");
        put_number(&line, left < 120 ? left : left / 60);
        put_text(&line, left < 120 ? " s left" : " min left");
    }
    put_text(&line, "\033[K"); /* clears what is left of a longer line */
    if (write(STDERR_FILENO, line.text, line.size) > 0)
        shown = 1;
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static void set_timer(int microseconds)
{
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

void pithi_progress_begin(const struct pithi_progress *progress)
{
    /* SA_RESTART: the signal does not interrupt the system calls of the work */
    struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};

    if (!isatty(STDERR_FILENO))
        return;
    current = *progress;
    begun_ms = now_ms();
    sigaction(SIGALRM, &action, NULL);
    set_timer(500000); /* prints twice a second; so work shorter than 0.5 s shows nothing */
}

void pithi_progress_clear(void)
{
    static const char clear[] = "\r\033[K";

    if (shown && write(STDERR_FILENO, clear, sizeof clear - 1) > 0)
        shown = 0;
}

void pithi_progress_end(void)
{
    if (!current.command)
        return;
    set_timer(0);
    signal(SIGALRM, SIG_IGN); /* otherwise a pending signal would still call show() */
    current.command = NULL;
    pithi_progress_clear();
}

static uint64_t part_done(const void *context)
{
    (void)context;
    return part_bytes;
}

void pithi_progress_begin_part(const char *command, uint64_t bytes)
{
    part_bytes = 0;
    pithi_progress_begin(
        &(struct pithi_progress){.command = command, .done = part_done, .total = bytes ? bytes : 1, .unit = "B"});
}

int pithi_progress_part(void *context, double part)
{
    (void)context;
    part_bytes = (uint64_t)(part * (double)current.total);
    return 0;
}
