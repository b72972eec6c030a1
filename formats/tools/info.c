/* info.c - `pith info LOG`: prints facts on a log, in lines of the form "key: value".
 *
 * The lines are for people and for scripts alike, so they are not a table: `pith info LOG | sed -n 's/^records: //p'`
 * is all that a script needs, and a new line breaks no script that looks for another one. A log with 35 records in
 * 2,064 bytes gives:
 *
 *     records: 35
 *     first_s: 0.002000000          always 9 decimals, so a script can read nanoseconds
 *     bytes_per_event: 58.97        2064 / 35; the bytes of the whole file, with definitions and summaries
 *
 * Hosts, ranks and counts of records are at the front or the end of a log and are known as soon as the log is open, so
 * no record is read even from a log of many GB. Then follow the log's properties, such as `creator: Pith`, quoted. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/out.h"
#include "native/clocks.h"
#include "native/defs.h"
#include "native/event_numbers.h"
#include "native/log.h"
#include "spill/spill_read.h"
#include "tools/tools.h"

static void put_u64(struct pithi_out *out, const char *key, uint64_t value)
{
    pithi_out_text(out, key);
    pithi_out_text(out, ": ");
    pithi_out_u64(out, value);
    pithi_out_char(out, '\n');
}

static void put_seconds(struct pithi_out *out, const char *key, int64_t time_ns)
{
    pithi_out_text(out, key);
    pithi_out_text(out, ": ");
    pithi_out_seconds(out, time_ns);
    pithi_out_char(out, '\n');
}

/* Prints "key: text". Both may come from a log, so both are quoted; otherwise a line break in the log would begin a new
 * line of output. */
static void put_text(struct pithi_out *out, const char *key, const char *text)
{
    pithi_out_quoted(out, PITHI_QUOTE_TABS, key);
    pithi_out_text(out, ": ");
    pithi_out_quoted(out, PITHI_QUOTE_TABS, text);
    pithi_out_char(out, '\n');
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum { HOSTS_TOLD = 16 }; /* the most hosts whose names are printed; further hosts are only counted */

/* Prints the first 16 hosts on one line, and then how many ranks each of them has. Hosts are at the front of a log, so
 * no lane is loaded. */
static int put_hosts(struct pithi_out *out, const struct pithlog *log)
{
    uint32_t ranks = pithi_log_ranks(log), count = 0, first = 0;
    uint32_t told = 0, more = 0; /* names printed so far; different names that are only counted */
    const char **hosts = malloc((ranks + (size_t)1) * sizeof *hosts);
    char text[32];

    if (!hosts)
        return pithi_no_memory();
    /* hosts[] gets the host name of each rank that has one, and is sorted. */
    for (uint32_t i = 0; i < ranks; i++)
        if (*(hosts[count] = pithi_log_host(log, pithi_log_rank(log, i))))
            count++;
    qsort(hosts, count, sizeof *hosts, compare_texts);
    if (count)
        pithi_out_text(out, "host: ");
    for (uint32_t i = 0; i < count; i++) {
        /* Equal names are neighbours, as the names are sorted. */
        if (i && strcmp(hosts[i], hosts[i - 1]) == 0)
            continue;
        if (told == HOSTS_TOLD) {
            more++;
            continue;
        }
        if (told++)
            pithi_out_char(out, ' ');
        pithi_out_quoted(out, PITHI_QUOTE_TABS, hosts[i]);
    }
    snprintf(text, sizeof text, " and %u more", more);
    if (more)
        pithi_out_text(out, text);
    if (count)
        pithi_out_char(out, '\n');
    /* For each host named above, prints the line "ranks HOST: N"; N is the number of its ranks. */
    for (told = 0; first < count && told < HOSTS_TOLD; told++) {
        uint32_t next = first + 1;
        while (next < count && strcmp(hosts[next], hosts[first]) == 0)
            next++;
        pithi_out_text(out, "ranks ");
        pithi_out_quoted(out, PITHI_QUOTE_TABS, hosts[first]);
        put_u64(out, "", next - first);
        first = next;
    }
    free(hosts);
    return PITH_OK;
}

/* Returns 1 if the property is printed. Not printed are: the points at which clocks were compared and the reason for an
 * incomplete log, as other lines of the output show them; event numbers, which only other formats use; names of
 * functions, which only `pith stat` uses. */
static int is_for_people(const char *key)
{
    int32_t numbers[2];

    return strncmp(key, "clock_sync_", 11) != 0 && !pithi_event_numbers(key, numbers) &&
           strcmp(key, PITHI_INCOMPLETE) != 0 && !pithi_is_code_name(key);
}

int pithi_tool_info(int argc, char **argv)
{
    static const struct pithi_option options[] = {{.name = NULL}};
    static const char *const names[] = {"LOG", NULL};
    struct pithi_out out = {.data = NULL};
    struct pithlog *log = NULL;
    const char *key, *value;
    int err;

    if (pithi_tool_options(argc, argv, options) || pithi_tool_arguments(argc, argv, names))
        return 2;
    TRY(pithi_tool_open(argv[0], argv[optind], &log));
    TRY(pithi_out_open(&out, stdout));

    const struct pithlog_info *info = pithlog_get_info(log);
    uint32_t threads = 0; /* the largest number of threads of a rank */
    char text[64];
    struct tm utc;
    for (uint32_t i = 0; i < pithi_log_ranks(log); i++)
        if (pithi_log_rank(log, i)->lane_count > threads)
            threads = pithi_log_rank(log, i)->lane_count;
    put_text(&out, "format", info->format);
    put_u64(&out, "version", info->version);
    /* A log recovered from a program that still runs is printed as not complete, although it is not damaged: it has all
     * that was recorded so far. */
    const char *recovered = pithi_property(log, "recovered");
    int runs = strcmp(info->format, "spill") == 0 && recovered && strstr(recovered, PITHI_STILL_RUNNING);
    put_text(&out, "complete", info->complete && !runs ? "yes" : "no");
    if (runs)
        put_text(&out, PITHI_INCOMPLETE, "the program still runs: `pith top`");
    else if (!info->complete)
        put_text(&out, PITHI_INCOMPLETE, info->incomplete);
    put_u64(&out, "ranks", info->ranks);
    put_u64(&out, "lanes", info->lanes);
    put_u64(&out, "threads", threads);
    put_u64(&out, "definitions", info->defs);
    put_u64(&out, "communicators", info->comms);
    put_u64(&out, "records", info->records);
    put_u64(&out, "states", info->states);
    put_u64(&out, "events", info->events);
    put_u64(&out, "messages", info->messages);
    put_u64(&out, "lost", info->lost);
    /* Prints the start of recording in UTC, from the property start_unix_s that the recorder writes. */
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++) {
        /* `seconds` has a meaning only if the key is start_unix_s; the values of other keys give any number. */
        time_t seconds = (time_t)strtoll(value, NULL, 10);
        if (strcmp(key, "start_unix_s") == 0 && gmtime_r(&seconds, &utc) &&
            strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc))
            put_text(&out, "start", text);
    }
    put_seconds(&out, "first_s", info->records ? info->start_ns : 0);
    /* Subtracts unsigned numbers, as the length from INT64_MIN to INT64_MAX would overflow an int64_t. */
    put_seconds(&out, "duration_s", info->records ? (int64_t)((uint64_t)info->end_ns - (uint64_t)info->start_ns) : 0);
    put_u64(&out, "bytes", info->bytes);
    snprintf(text, sizeof text, "%.2f", info->records ? (double)info->bytes / (double)info->records : 0.0);
    put_text(&out, "bytes_per_event", text);

    TRY(put_hosts(&out, log));
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (is_for_people(key))
            put_text(&out, key, value);

    /* Prints a line for each clock that was compared with the log's clock, which is the clock of rank 0's host. */
    char numbers[160];
    for (uint32_t i = 0; i < log->clock_count; i++) {
        const struct pithi_clock *clock = &log->clocks[i];
        const char *fault = pithi_clock_fault(clock), *host = "";
        /* One rank of each host compared that host's clock. Finds the host's name by the number of this rank. */
        for (uint32_t k = 0; k < pithi_log_ranks(log); k++)
            if (pithi_log_rank(log, k)->rank == clock->rank)
                host = pithi_log_host(log, pithi_log_rank(log, k));
        pithi_out_text(&out, "clock_of_rank_");
        pithi_out_u64(&out, (uint64_t)clock->rank);
        pithi_out_text(&out, ": host ");
        pithi_out_quoted(&out, PITHI_QUOTE_TABS, host);
        if (clock->count > 0) {
            /* The offset is negated, because the log stores what must be added to this clock, but the line says how far
             * the clock is ahead. */
            snprintf(numbers, sizeof numbers, ", offset_s %.9f, drift_ppm %.3f, error_ns %lld, %u points",
                     (double)-clock->points->offset_ns / 1e9, clock->drift_ppm, (long long)clock->error_ns,
                     clock->count);
            pithi_out_text(&out, numbers);
        }
        if (*fault)
            pithi_out_text(&out, ", ");
        pithi_out_text(&out, fault);
        pithi_out_char(&out, '\n');
    }

out:
    err = pithi_out_close(&out, err); /* keeps the first error, or reports that standard output could not be written */
    if (log)
        pithlog_close(log);
    return err ? pithi_tool_failed() : 0;
}
