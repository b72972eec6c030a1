/* settings.c - the environment variables of recording. An invalid value is reported in a line, and counts as not given.
 *
 *     PITH_SAMPLE=10          each 10 ms of CPU time            PITH_MIN_DURATION=10us     10,000 ns
 *     PITH_SAMPLE=1ms,wall    each ms of wall-clock time        PITH_MIN_DURATION=10       10 ns
 *
 * An error must not end the program, which may have waited for days in a queue. All processes of a job read the same
 * value; only one of them reports that it is invalid.
 */
#include "settings.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/say.h"
#include "clock.h"
#include "selection.h"
#include "session.h"

#define MAX_MB_DEFAULT 4096 /* MiB */
#define MB (UINT64_C(1) << 20)

static const char *text(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

/* Returns 1 if the variable is set, and is neither "0" nor "no". */
static int flag(const char *name)
{
    const char *value = text(name);
    return value != NULL && strcmp(value, "0") != 0 && strcmp(value, "no") != 0;
}

/* Reports an invalid value, which then counts as not given. `wanted` says what the value should be, such as "stop or
 * ring". */
static void ignore(const char *name, const char *value, const char *wanted)
{
    if (!pithi_session.forked && pithi_speaks_for_job())
        pithi_say("%s=%s: not %s; ignored", name, value, wanted);
}

static void read_max_bytes(struct pithi_settings *settings)
{
    const char *megabytes = text("PITH_MAX_MB");
    unsigned long long value;
    char *end;
    if (megabytes == NULL)
        return;
    value = strtoull(megabytes, &end, 10);
    if (*end == '\0' && *megabytes != '-' && value > 0 && value <= UINT64_MAX / MB)
        settings->max_bytes = value * MB;
    else
        ignore("PITH_MAX_MB", megabytes, "a number of MiB, 1 or more");
}

/* Reads a time; a plain number is in seconds. */
static void read_moment(const char *name, int64_t *ns)
{
    const char *value = text(name);
    int64_t read = value != NULL ? pithi_moment_ns(value, 1000000000) : -1;
    if (read >= 0)
        *ns = read;
    else if (value != NULL)
        ignore(name, value, PITHI_MOMENT_WORDS);
}

/* Reads a time of at least least_ns; a plain number is in nanoseconds. */
static void read_duration(const char *name, int64_t least_ns, int64_t *ns)
{
    const char *value = text(name);
    int64_t read = value != NULL ? pithi_moment_ns(value, 1) : -1;
    if (read >= least_ns)
        *ns = read;
    else if (value != NULL)
        ignore(name, value, "a time such as 100ns, 10us or 5ms");
}

/* Accepts only signals without a fixed meaning, whose default is to end the program or to be ignored. */
static void read_snapshot(struct pithi_settings *settings)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP},     {"ALRM", SIGALRM},
                   {"IO", SIGIO},     {"URG", SIGURG},   {"WINCH", SIGWINCH}, {"QUIT", SIGQUIT}};
    const char *value = text("PITH_SNAPSHOT"), *name = value;
    char number[16];
    size_t i;
    if (value == NULL || strcmp(value, "0") == 0)
        return;
    if (strncmp(name, "SIG", 3) == 0)
        name += 3;
    for (i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        snprintf(number, sizeof number, "%d", signals[i].number);
        if (strcmp(name, signals[i].name) == 0 || strcmp(value, number) == 0)
            settings->snapshot_signal = signals[i].number;
    }
    if (settings->snapshot_signal == 0)
        ignore("PITH_SNAPSHOT", value, "a signal such as USR1");
}

/* Reads "10", "2.5ms", "wall" or "10,wall": a period (a plain number is in milliseconds), a clock, or both. */
static void read_sample(struct pithi_settings *settings)
{
    const char *value = text("PITH_SAMPLE"), *clock;
    char period[32];
    int64_t ns = 10000000;
    if (value == NULL)
        return;
    clock = strchr(value, ',') != NULL ? strchr(value, ',') + 1 : strcmp(value, "wall") == 0 ? value : "cpu";
    snprintf(period, sizeof period, "%.*s", (int)strcspn(value, ","), value);
    if (clock != value)
        ns = pithi_moment_ns(period, 1000000);
    if ((ns == 0 || (ns >= 100000 && ns <= 10000000000)) && (strcmp(clock, "wall") == 0 || strcmp(clock, "cpu") == 0)) {
        settings->sample_ns = ns;
        settings->sample_wall = strcmp(clock, "wall") == 0;
    } else {
        ignore("PITH_SAMPLE", value, "a period such as 10, 1ms or 10ms,wall, from 0.1 ms to 10 s");
    }
}

/* Reads "60", "500ms" or "60,abort": a time without records (a plain number is in seconds), and whether the job then
 * ends. */
static void read_hang(struct pithi_settings *settings)
{
    const char *value = text("PITH_HANG"), *then;
    char time[32];
    int64_t ns;
    if (value == NULL || strcmp(value, "0") == 0)
        return;
    then = strchr(value, ',');
    snprintf(time, sizeof time, "%.*s", (int)strcspn(value, ","), value);
    ns = pithi_moment_ns(time, 1000000000);
    if (ns >= 100000000 && ns <= INT64_C(86400000000000) && (then == NULL || strcmp(then, ",abort") == 0)) {
        settings->hang_ns = ns;
        settings->hang_abort = then != NULL;
    } else {
        ignore("PITH_HANG", value, "a time such as 60, 500ms or 60,abort, from 100 ms to a day");
    }
}

/* Reads "1" (60 s), "600" or "90s": the time limit of the analysis. */
static void read_analyze(struct pithi_settings *settings)
{
    const char *value = text("PITH_ANALYZE");
    int64_t ns;
    if (!flag("PITH_ANALYZE"))
        return;
    ns = pithi_moment_ns(strcmp(value, "1") == 0 || strcmp(value, "yes") == 0 ? "60" : value, 1000000000);
    if (ns >= 1000000 && ns <= INT64_C(86400000000000))
        settings->analyze_ms = (int)(ns / 1000000);
    else
        ignore("PITH_ANALYZE", value, "0, 1 or a time such as 600 or 90s, up to a day");
    if (settings->analyze_ms == 0 || settings->log == NULL || strcmp(settings->log, "none") != 0)
        return;
    settings->only_answer = 1;
    settings->format = NULL;
}

void pithi_settings_read(struct pithi_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    settings->max_bytes = MAX_MB_DEFAULT * MB;
    settings->time_unit_ns = 1;
    settings->files = 1;
    settings->to_ns = INT64_MAX;
    if (getauxval(AT_SECURE) != 0) {
        settings->secure = 1;
        return;
    }
    settings->log = text("PITH_LOG");
    settings->spill = text("PITH_SPILL");
    settings->format = text("PITH_FORMAT");
    read_moment("PITH_SYNC", &settings->sync_ns);
    settings->causal = flag("PITH_CAUSAL");
    settings->quiet = flag("PITH_QUIET");
    settings->summary = text("PITH_SUMMARY") == NULL || flag("PITH_SUMMARY");
    read_analyze(settings);
    const char *when_full = text("PITH_WHEN_FULL");
    settings->ring = when_full != NULL && strcmp(when_full, "ring") == 0;
    if (when_full != NULL && !settings->ring && strcmp(when_full, "stop") != 0)
        ignore("PITH_WHEN_FULL", when_full, "stop or ring");
    read_max_bytes(settings);
    const char *ranks = text("PITH_RANKS");
    if (ranks != NULL && pithi_ranks_good(ranks))
        settings->ranks = ranks;
    else if (ranks != NULL)
        ignore("PITH_RANKS", ranks, "a list of ranks such as 0-3,8,16-31:2");
    read_duration("PITH_TIME_UNIT", 1, &settings->time_unit_ns);
    read_duration("PITH_MIN_DURATION", 0, &settings->min_duration_ns);
    const char *files = text("PITH_FILES");
    char *end;
    long value = files != NULL ? strtol(files, &end, 10) : 1;
    if (files != NULL) {
        if (*end == '\0' && value >= 1 && value <= PITHI_FILES_MAX)
            settings->files = (unsigned)value;
        else
            ignore("PITH_FILES", files, "a number from 1 to 1024");
    }
    read_moment("PITH_FROM", &settings->from_ns);
    read_moment("PITH_TO", &settings->to_ns);
    if (settings->from_ns > settings->to_ns) {
        ignore("PITH_TO", text("PITH_TO"), "after PITH_FROM");
        settings->to_ns = INT64_MAX;
    }
    read_snapshot(settings);
    read_sample(settings);
    read_hang(settings);
    if (pithi_clock_wanted() == PITHI_WANT_INVALID)
        ignore("PITH_CLOCK", text("PITH_CLOCK"), "counter or monotonic");
    settings->counters = text("PITH_COUNTERS");
    settings->call_sites = settings->sample_ns != 0 || flag("PITH_CALLSITES");
    if (settings->hang_ns != 0 && text("PITH_CALLSITES") == NULL)
        settings->call_sites = 1; /* the report shows where a call that never ends was made */
    settings->long_call_sites = !settings->call_sites && text("PITH_CALLSITES") == NULL;
}
