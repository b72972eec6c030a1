/* tools.c - functions that the commands share: for errors, options, times, and sets of lanes.
 *
 * A command has one table of its options: name, letter, kind, and where the value is stored. From this table the tables
 * for getopt are made, and also hints that getopt does not give: for `pith stat -csv` the message ends with "did you
 * mean --csv?". The exit status is 2 for a wrong command line, before any log is read, and 1 for an error with a log.
 *
 * A set of lanes is written as in this example:
 *
 *     --lane 0-3,7.1        ranks 0 to 3 with all their threads, and thread 1 of rank 7
 */
#include "tools/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/with_lanes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/open_file.h"
#include "native/log.h"
#include "reader/read/copy.h"
#include "reader/query/filter.h"
#include "reader/read/native.h"
#include "tools/outfile.h"
#include "tools/progress.h"

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

int pithi_tool_failed(void)
{
    fprintf(stderr, "pith: %s\n", pithlog_error());
    return 1;
}

int pithi_tool_flush(FILE *out)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return PITH_OK;
    return pithi_fail(PITH_ERR_IO, "standard output: %s", errno ? strerror(errno) : "cannot be written");
}

/* Has pithi_fail format the text, because it replaces control characters. */
void pithi_tool_say(FILE *out, const char *format, ...)
{
    char text[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pithi_fail(PITH_OK, "%s", text);
    fprintf(out, "%s\n", pithlog_error());
}

int pithi_tool_usage(const char *command, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* If the text ends with a question such as "did you mean --csv?", the advice to see the help is left out. */
    if (*text && text[strlen(text) - 1] == '?')
        pithi_tool_say(stderr, "pith: %s: %s", command, text);
    else
        pithi_tool_say(stderr, "pith: %s: %s; see `pith help %s`", command, text, command);
    return 2;
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

uint64_t pithi_tool_bytes(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

int pithi_tool_is_native(const char *path)
{
    unsigned char start[PITHI_NATIVE_START];
    int fd = pithi_open_input(path, 0);
    ssize_t got = fd >= 0 ? read(fd, start, sizeof start) : -1;

    if (fd >= 0)
        close(fd);
    return got > 0 && pithi_native_is(start, (size_t)got);
}

int pithi_tool_open(const char *command, const char *path, struct pithlog **log)
{
    int err;

    /* The progress is shown as a part of the file's bytes. */
    pithi_progress_begin_part(command, pithi_tool_bytes(path));
    err = pithlog_open_watched(path, pithi_progress_part, NULL, log);
    /* A page or a picture must not replace a file that is read, so the file is registered. */
    pithi_outfile_reads(path);
    pithi_progress_end();
    if (err == PITH_OK && !pithlog_get_info(*log)->complete)
        pithi_tool_say(stderr, "pith: note: %s: incomplete: %s", path, pithlog_get_info(*log)->incomplete);
    return err;
}

char *pithi_tool_program(const char *name)
{
    char own[PATH_MAX], *path = NULL;
    ssize_t size = readlink("/proc/self/exe", own, sizeof own);

    if (size < 0 || size == sizeof own)
        /* The path is built from that of this program, so that an installation still works after it was moved. */
        pithi_fail(PITH_ERR_OPEN, "/proc/self/exe: %s", strerror(size < 0 ? errno : ENAMETOOLONG));
    else if (asprintf(&path, "%.*s/../libexec/pith/pith-%s", (int)((char *)memrchr(own, '/', (size_t)size) - own), own,
                      name) < 0)
        pithi_no_memory();
    return path;
}

/* ---- Arguments ------------------------------------------------------------------------------------------------- */

/* Reports an unknown option. `given` is what the user wrote, perhaps with one dash where two are right. */
static int unknown_option(const char *command, const char *given, const struct pithi_option *options)
{
    /* Compares the name without its dashes and without "=VALUE". */
    const char *name = given + strspn(given, "-");
    struct pithi_nearest nearest;

    pithi_nearest_begin(&nearest, name, strcspn(name, "="));
    pithi_nearest_try(&nearest, "help");
    for (; options->name; options++)
        pithi_nearest_try(&nearest, options->name);
    if (nearest.name)
        return pithi_tool_usage(command, "no such option: %s; did you mean --%s?", given, nearest.name);
    return pithi_tool_usage(command, "no such option: %s", given);
}

/* Reports an option that getopt refused. In the tables for getopt, options without a letter have values from 256 on. So
 * `optopt` shows whether the user gave a letter or a long name. */
static int bad_option(char **argv, int option, const struct pithi_option *options)
{
    char letter[] = {'-', (char)optopt, '\0'};
    const char *given = argv[optind - 1], *problem = option == ':' ? "needs a value" : "takes no value";

    /* It is a long option, and `given` is the word that the user wrote. */
    if (optopt >= 256)
        return pithi_tool_usage(argv[0], "option %.*s %s", (int)strcspn(given, "="), given, problem);
    if (optopt && option == ':')
        return pithi_tool_usage(argv[0], "option -%c needs a value", optopt);
    /* The table has no option of this name. */
    if (!optopt)
        return unknown_option(argv[0], given, options);
    /* In "-csv" getopt refuses the letter "-c", but the message names the whole word. */
    return unknown_option(argv[0], argv[optind] && strncmp(argv[optind], letter, 2) == 0 ? argv[optind] : letter,
                          options);
}

/* Stores the value of an option where its row in the table says. Returns 0, or the exit status after a wrong value. */
static int read_option(const char *command, const struct pithi_option *option, const char *value)
{
    switch (option->kind) {
    case PITHI_FLAG:
        *(int *)option->to = 1;
        return 0;
    case PITHI_TEXT:
        *(const char **)option->to = value;
        return 0;
    case PITHI_WORD: {
        /* Finds the value among the words that the option takes. If it is none of them, the message names the words. */
        char text[256] = "";
        int place = 0;

        for (const char *word = option->words, *next; *word; word = next) {
            size_t size = strcspn(word, " ");
            next = word + size + strspn(word + size, " ");
            place++;
            if (strlen(value) == size && strncmp(word, value, size) == 0) {
                *(int *)option->to = place;
                return 0;
            }
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s",
                     place == 1 ? ""
                     : *next    ? ", "
                                : " or ",
                     (int)size, word);
        }
        return pithi_tool_usage(command, "--%s needs %s, not '%s'", option->name, text, value);
    }
    default:
        return option->read(command, option->name, value, option->to);
    }
}

int pithi_tool_options(int argc, char **argv, const struct pithi_option *options)
{
    struct option longs[PITHI_OPTIONS_MOST + 1] = {{0}};
    char shorts[2 * PITHI_OPTIONS_MOST + 3] = ":";
    int count = 0, option, status = 0;

    for (; options[count].name && *options[count].name; count++) {
        const struct pithi_option *o = &options[count];
        int has_value = o->kind != PITHI_FLAG && o->kind != PITHI_BARE;
        /* An option without a letter gets a value from 256 on, which no letter has. */
        longs[count] = (struct option){o->name, has_value, NULL, o->letter ? o->letter : 256 + count};
        if (o->letter)
            snprintf(shorts + strlen(shorts), 3, has_value ? "%c:" : "%c", o->letter);
    }
    /* The leading '-' makes getopt_long return each argument as an option with the value 1. So options may follow
     * arguments, and each argument goes to the last row. */
    if (options[count].name) {
        memmove(shorts + 1, shorts, strlen(shorts) + 1);
        shorts[0] = '-';
    }
    /* Lets getopt print no messages, as bad_option prints better ones. */
    opterr = 0;
    while (!status && (option = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        int row = 0;
        while (row < count && longs[row].val != option)
            row++;
        status = option == ':' || option == '?' ? bad_option(argv, option, options)
                                                : read_option(argv[0], &options[row], optarg);
    }
    for (; !status && options[count].name && optind < argc; optind++) /* the arguments after "--" */
        status = read_option(argv[0], &options[count], argv[optind]);
    return status;
}

int pithi_tool_arguments(int argc, char **argv, const char *const *names)
{
    int i = optind;

    for (; *names; names++, i++)
        if (i >= argc || !*argv[i]) /* an empty argument is refused: a script has probably not set a variable */
            return pithi_tool_usage(argv[0], "%s is %s", *names, i < argc ? "empty" : "missing");
    /* If an argument is a unit, the user has probably written "10 ms", which are two arguments. */
    if (i < argc && (strcmp(argv[i], "ms") == 0 || strcmp(argv[i], "us") == 0 || strcmp(argv[i], "ns") == 0))
        return pithi_tool_usage(argv[0], "write a time without a blank before its unit, such as 10%s", argv[i]);
    if (i < argc)
        return pithi_tool_usage(argv[0], "too many arguments: '%s'", argv[i]);
    return 0;
}

/* ---- Sets of lanes --------------------------------------------------------------------------------------------- */

/* Reads a number and moves *text past it. Returns -1 if there is no number, or if it is too large for a rank. */
static int64_t parse_number(const char **text)
{
    char *end;

    if (**text < '0' || **text > '9')
        return -1;
    errno = 0;
    long value = strtol(*text, &end, 10);
    *text = end;
    /* a number above INT32_MAX is too large for a rank */
    return errno || value > INT32_MAX ? -1 : value;
}

/* Reads a text such as "0-3,7.1" and adds its lanes to the set; `thread` -1 in the set means all threads of the ranks.
 * Returns 0, or -1 if the text does not have this form. */
int pithi_parse_lanes(struct pithi_lane_set *set, const char *text)
{
    for (;;) {
        int64_t first = parse_number(&text), last = first, thread = -1;

        if (first < 0)
            return -1;
        if (*text == '-') {
            text++;
            if ((last = parse_number(&text)) < first)
                return -1;
        }
        if (*text == '.') {
            text++;
            if ((thread = parse_number(&text)) < 0)
                return -1;
        }
        if (!pithi_grow_one(&set->ranges, set->count, sizeof *set->ranges))
            return -1;
        set->ranges[set->count].first_rank = (int32_t)first;
        set->ranges[set->count].last_rank = (int32_t)last;
        set->ranges[set->count++].thread = thread;
        if (*text == '\0')
            return 0;
        if (*text++ != ',')
            return -1;
    }
}

int pithi_lanes_has(const struct pithi_lane_set *set, const struct pithlog_lane *lane)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (lane->rank >= set->ranges[i].first_rank && lane->rank <= set->ranges[i].last_rank &&
            (set->ranges[i].thread < 0 || set->ranges[i].thread == (int64_t)lane->thread))
            return 1;
    return 0;
}

/* Finds the lanes of the log that are in the set. The caller frees *lanes. If the log has none of these lanes, returns
 * an error. */
int pithi_lanes_find(const struct pithi_lane_set *set, const struct pithlog *log, uint32_t **lanes, uint32_t *count)
{
    uint32_t all = pithlog_get_info(log)->lanes;

    *count = 0;
    *lanes = malloc((all + 1u) * sizeof **lanes);
    if (!*lanes)
        return pithi_no_memory();
    for (uint32_t i = 0; i < all; i++)
        if (pithi_lanes_has(set, pithlog_get_lane(log, i)))
            (*lanes)[(*count)++] = i;
    if (*count)
        return PITH_OK;
    free(*lanes);
    *lanes = NULL;
    return pithi_fail(PITH_ERR_USAGE, "%s: no lane matches --lane; `pith info` shows how many lanes the log has",
                      log->path);
}

const char *pithi_tool_nearest_state(struct pithi_nearest *nearest, const struct pithlog *log, const char *name)
{
    const struct pithlog_def *def;

    pithi_nearest_begin(nearest, name, strlen(name));
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_STATE)
            pithi_nearest_try(nearest, def->name);
    return pithi_nearest_ask(nearest);
}

/* ---- Options that several commands have ------------------------------------------------------------------------ */

int pithi_tool_window(const char *command, const char *option, const char *value, void *to)
{
    struct pithi_window_words *words = to;
    int64_t from_ns, to_ns;

    /* Checks only the form here. The times are found when the log is open, because a word may mean its begin or end. */
    if (pithlog_time_check(value))
        return pithi_tool_usage(command, "--%s: %s", option, pithlog_error());
    *(*option == 'f' ? &words->from : &words->to) = value;
    /* If both times are numbers, they can be compared now. */
    if (words->from && words->to && pithlog_time_parse(words->from, &from_ns) == PITH_OK &&
        pithlog_time_parse(words->to, &to_ns) == PITH_OK && from_ns > to_ns)
        return pithi_tool_usage(command, "--from %s is after --to %s; exchange them", words->from, words->to);
    return 0;
}

int pithi_window_find(struct pithlog *log, const struct pithi_window_words *words, int64_t *from_ns, int64_t *to_ns)
{
    const struct pithlog_info *info = pithlog_get_info(log);

    if (words->from)
        CHECK(pithlog_time_find(log, words->from, PITHLOG_EDGE_BEGIN, from_ns));
    if (words->to)
        CHECK(pithlog_time_find(log, words->to, PITHLOG_EDGE_END, to_ns));
    if (words->from && words->to && *from_ns > *to_ns)
        return pithi_fail(PITH_ERR_USAGE, "%s: --from %s (%.9f s) is after --to %s (%.9f s); exchange them", log->path,
                          words->from, (double)*from_ns / 1e9, words->to, (double)*to_ns / 1e9);
    /* An empty part of the log is no error, so this is only a note. */
    if (info->records && ((words->from && *from_ns > info->end_ns) || (words->to && *to_ns < info->start_ns)))
        pithi_tool_say(stderr, "pith: note: %s: no record lies in the window; the log covers %.9f s to %.9f s",
                       log->path, (double)info->start_ns / 1e9, (double)info->end_ns / 1e9);
    return PITH_OK;
}

int pithi_tool_lane(const char *command, const char *option, const char *value, void *set)
{
    (void)option;
    return pithi_parse_lanes(set, value) ? pithi_tool_usage(command,
                                                            "--lane needs ranks, or rank.thread, such as 0-3,7.1, "
                                                            "not '%s'",
                                                            value)
                                         : 0;
}

int pithi_tool_style(const char *command, const char *option, const char *value, void *to)
{
    enum pithi_text_style wanted = strcmp(option, "json") ? PITHI_TEXT_CSV : PITHI_TEXT_JSON, *style = to;

    (void)value;
    /* --spreadsheet makes CSV quote texts that begin with '=' or the like, as a spreadsheet would compute them. */
    if (strcmp(option, "spreadsheet") == 0)
        pithi_quote_formulas();
    if (*style != PITHI_TEXT_TABS && *style != wanted)
        return pithi_tool_usage(command, "--csv and --json cannot be used together");
    *style = wanted;
    return 0;
}

int pithi_tool_where(const char *command, const char *option, const char *value, void *to)
{
    struct pithi_asked_query *where = to;
    unsigned column;

    where->text = value;
    if (where->filter)
        return pithi_tool_usage(command, "--%s is given twice; join the queries by `and`", option);
    if (pithlog_filter_parse(value, &where->filter, &column) == PITH_OK)
        return 0;
    pithi_tool_say(stderr, "pith: %s", pithlog_error());
    if (column) {
        /* Prints the query with a mark under the place of the mistake. */
        pithi_tool_say(stderr, "  %s", value);
        pithi_tool_say(stderr, "  %*s", (int)column, "^");
    }
    return 2;
}

/* Replaces *log by a log of only those records that match the filter, and closes the whole log. */
int pithi_tool_filter(struct pithlog **log, const struct pithlog_filter *filter)
{
    struct pithlog *part;

    if (!filter)
        return PITH_OK;
    CHECK(pithi_filter_check(filter, *log));
    CHECK(pithlog_open_part(*log, filter, &part));
    if (pithlog_get_info(part)->records == 0)
        pithi_tool_note_none((*log)->path);
    pithlog_close(*log);
    *log = part;
    return PITH_OK;
}

struct program_lanes {
    struct pithlog *log;
    struct pithi_copy what;
};

static int fill_program_lanes(void *context, struct pithi_writer *writer)
{
    const struct program_lanes *lanes = context;

    return pithi_log_copy(lanes->log, writer, &lanes->what);
}

int pithi_tool_leave_added(struct pithlog **log)
{
    struct program_lanes program = {*log, {.from_ns = INT64_MIN, .to_ns = INT64_MAX}};
    uint32_t count = pithlog_get_info(*log)->lanes, *lanes = calloc(count + (size_t)1, sizeof *lanes);
    struct pithlog *copy = NULL;
    int err = lanes ? PITH_OK : pithi_no_memory();

    for (uint32_t i = 0; !err && i < count; i++)
        if (!pithi_lane_is_added(pithlog_get_lane(*log, i)))
            lanes[program.what.lane_count++] = i;
    program.what.lanes = lanes;
    if (!err && program.what.lane_count < count)
        err = pithi_native_temporary("the log without its analysis (see TMPDIR)", fill_program_lanes, &program, &copy);
    if (!err && copy) {
        pithlog_close(*log);
        *log = copy;
    }
    free(lanes);
    return err;
}

void pithi_tool_say_lost(const struct pithlog *log, FILE *out, const char *before)
{
    uint64_t lost = pithlog_get_info(log)->lost;

    if (lost)
        pithi_tool_say(out, "%s%s: %" PRIu64 " record%s lost while it was recorded", before, log->path, lost,
                       lost == 1 ? " was" : "s were");
}

void pithi_tool_note_none(const char *path) { pithi_tool_say(stderr, "pith: note: %s: no record matches", path); }
