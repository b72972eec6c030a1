/* print.c - `pith print`: prints an existing log, or the records of a running program. foreign/text/ writes the lines.
 *
 * The spill files of a running program are read 5 times a second. Each time, first the new lanes, definitions and
 * communicators are printed, as the lines of records use their names; then the new records. A lane or a communicator is
 * printed again if it has changed: the rank of a lane is 0 until its process has joined the job, then perhaps 3.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "foreign/text/printer.h"
#include "reader/query/filter.h"
#include "symbols/sample_text.h"
#include "tools/running.h"
#include "tools/tools.h"

/* ---- An existing log --------------------------------------------------------------------------------------------- */

/* Prints the log `path`: all lanes, or the lanes in `set` if it is not empty. `words` gives the window; if it is NULL,
 * `how` gives it. Returns the exit status. */
static int print_log(const char *path, const struct pithi_text_print *how, const struct pithi_window_words *words,
                     const struct pithi_lane_set *set)
{
    struct pithi_text_print own = *how; /* a copy, with the lanes and the window of this log */
    struct pithi_sample_text *text = NULL;
    struct pithlog *log = NULL;
    uint32_t *lanes = NULL;
    uint64_t printed = 0; /* how many records were printed; if the filter matches none, a note says so */
    int err;

    TRY(pithi_tool_open("print", path, &log));
    if (words)
        TRY(pithi_window_find(log, words, &own.query.from_ns, &own.query.to_ns));
    if (set->count) {
        TRY(pithi_lanes_find(set, log, &lanes, &own.query.lane_count));
        own.query.lanes = lanes;
    }
    TRY(pithi_filter_check(own.query.filter, log));
    TRY(pithi_sample_text_open(log, &text, &own.naming));
    own.printed = &printed;
    TRY(pithi_text_print(log, stdout, &own));
    if (own.query.filter && printed == 0)
        pithi_tool_note_none(path);
    err = pithlog_check_comms(log); /* checked last, so that damaged lists of members do not keep records unprinted */
out:
    pithi_sample_text_close(text);
    if (log)
        pithlog_close(log);
    free(lanes);
    return err ? pithi_tool_failed() : 0;
}

/* ---- A running program ------------------------------------------------------------------------------------------- */

enum { LOOK_MS = 200 }; /* the pause between two looks at the spill files; a person sees no delay */

/* Waits until the program's spill files exist, and opens them. *follow stays NULL if the program has ended, or if
 * nobody reads the output any more. */
static int await(const struct pithi_running *target, struct pithlog_follow **follow)
{
    int err, told = 0;

    do {
        err = pithlog_follow_open(target->spill, follow);
        /* These two errors can mean that the program has not yet written its files. Any other error, such as no memory
         * or another version of Pith, does not go away by waiting. */
        if (err == PITH_OK || (err != PITH_ERR_OPEN && err != PITH_ERR_FORMAT))
            return err;
        /* If the file exists but must not be read, waiting does not help either. */
        if (access(target->spill, R_OK) != 0 && errno != ENOENT)
            return err;
        if (pithi_running_is_finished(target)) /* the program may end before the first look */
            return PITH_OK;
        if (!told++)
            pithi_tool_say(stderr, "pith: %s: no records yet; waiting", target->spill);
    } while (pithi_running_nap(LOOK_MS));
    return PITH_OK;
}

/* ---- Following ------------------------------------------------------------------------------------------------- */

/* A lane or a communicator as it was printed last. It is printed again if its number or name changes. */
struct known {
    int32_t number; /* the rank of a lane, the size of a communicator */
    char *name;     /* malloc'ed; NULL: never printed */
};

struct follower {
    struct pithlog_follow *follow;
    const struct pithi_text_print *how;
    const struct pithi_lane_set *set;
    struct pithi_follow_filter *filter; /* NULL: all records are printed */
    struct pithi_printer printer;
    struct known *lanes, *comms; /* [number of a lane or communicator in `follow`] */
    uint32_t lane_count, comm_count;
};

/* Sets *news to 1 if a lane or communicator is new or differs from what was printed of it last. */
static int look_at(struct known **known, uint32_t *count, uint32_t index, int32_t number, const char *name, int *news)
{
    struct known *k;

    name = name ? name : "";
    if (index == *count) { /* the caller goes through all numbers in order, so a new item has the next number */
        if (!pithi_grow_one(known, index, sizeof **known))
            return pithi_no_memory();
        (*known)[(*count)++] = (struct known){0, NULL};
    }
    k = &(*known)[index];
    *news = !k->name || k->number != number || strcmp(k->name, name) != 0;
    if (*news) {
        free(k->name);
        k->number = number;
        k->name = strdup(name);
    }
    return k->name ? PITH_OK : pithi_no_memory();
}

static void put_record(struct follower *f, const struct pithlog_record *r)
{
    if (r->time_ns >= f->how->query.from_ns && r->time_ns <= f->how->query.to_ns &&
        (f->set->count == 0 || pithi_lanes_has(f->set, pithlog_follow_get_lane(f->follow, r->lane))))
        pithi_printer_record(&f->printer, r);
}

static int put_all(struct follower *f)
{
    const struct pithlog_follow_info *info = pithlog_follow_get_info(f->follow);
    int news;

    pithi_printer_head(&f->printer);
    pithi_printer_property(&f->printer, "times", "as recorded, not corrected");
    do {
        CHECK(pithlog_follow_look(f->follow));
        /* Prints the lanes, definitions and communicators that are new or have changed. */
        for (uint32_t i = 0; i < info->lanes; i++) {
            const struct pithlog_lane *lane = pithlog_follow_get_lane(f->follow, i);
            CHECK(look_at(&f->lanes, &f->lane_count, i, lane->rank, lane->name, &news));
            if (news)
                CHECK(pithi_printer_lane(&f->printer, i, lane));
        }
        while (f->printer.name_count < info->defs) /* definitions never change, so all from name_count on are new */
            CHECK(pithi_printer_def(&f->printer, pithlog_follow_get_def(f->follow, f->printer.name_count)));
        for (uint32_t i = 0; i < info->comms; i++) {
            const struct pithlog_comm *comm = pithlog_follow_get_comm(f->follow, i);
            CHECK(look_at(&f->comms, &f->comm_count, i, comm->size, comm->name, &news));
            if (news)
                CHECK(pithi_printer_comm(&f->printer, i, comm));
        }

        struct pithlog_record record,
            selected[2]; /* two, as for a LEAVE that matches the filter also returns the ENTER (filter_follow.c) */
        int more = 0, count = 1;
        while (count >= 0 && !f->printer.out.failed && !pithi_running_interrupted() &&
               (more = pithlog_follow_next(f->follow, &record)) == 1) {
            selected[0] = record;
            if (f->filter)
                count = pithi_follow_filter_take(f->filter, &record, selected);
            for (int i = 0; i < count; i++)
                put_record(f, &selected[i]);
        }
        /* The filter holds back an ENTER until it sees its LEAVE. If the program has ended, such a LEAVE will never be
         * recorded, so these ENTERs are printed now. */
        if (f->filter && pithlog_follow_get_info(f->follow)->ended)
            while (pithi_follow_filter_end(f->filter, &record))
                put_record(f, &record);
        pithi_out_flush(&f->printer.out);
        CHECK(more < 0 || count < 0 ? PITH_ERR_MEMORY : PITH_OK);
    } while (!info->ended && !f->printer.out.failed && info->now_ns <= f->how->query.to_ns &&
             pithi_running_nap(LOOK_MS));
    return PITH_OK;
}

static void forget(struct known *known, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(known[i].name);
    free(known);
}

static int print_program(struct follower *f, const struct pithi_running *target)
{
    const struct pithlog_follow_info *info = pithlog_follow_get_info(f->follow);
    int err = pithi_printer_open(&f->printer, stdout, f->how->style, f->how->name_glob);

    if (err == PITH_OK)
        err = put_all(f);
    err = pithi_printer_close(&f->printer, err);
    forget(f->lanes, f->lane_count);
    forget(f->comms, f->comm_count);
    if (err)
        return pithi_tool_failed();
    /* If the program ended but wrote no log, it died. */
    return info->ended && !info->finished ? pithi_running_tell_death(target, info) : 0;
}

/* Prints the records of a program while it runs, until it ends or the user interrupts. `path`: the program's future
 * log, the log's folder LOG.spill, or a file in this folder; waits until the file exists. Returns the exit status. */
static int print_follow(const char *path, const struct pithi_text_print *how, const struct pithi_lane_set *set)
{
    struct follower f = {.how = how, .set = set};
    struct pithi_running target;
    int status;

    pithi_running_watch_signals();
    if (pithi_running_find(&target, path) != PITH_OK || await(&target, &f.follow) != PITH_OK)
        return pithi_tool_failed();
    if (!f.follow)
        /* If the program has ended and its log exists, prints the log. */
        return pithi_running_is_finished(&target) ? print_log(target.log, how, NULL, set) : 0;
    if (how->query.filter && pithi_follow_filter_new(&f.filter, how->query.filter, f.follow) != PITH_OK)
        status = pithi_tool_failed();
    else
        status = print_program(&f, &target);
    pithi_follow_filter_free(f.filter);
    pithlog_follow_close(f.follow);
    return status;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Reads --from and --to for a running program, which may only be times: a word such as `finalize` has no time yet, and
 * for `init` the first records may be gone already. Returns 0, or 2 after it has printed a message. */
static int follow_window(const char *command, const struct pithi_window_words *words, struct pithlog_query *query)
{
    /* pithlog_time_parse() fails for words such as `init`, whose times can be found only in a whole log. */
    if (words->from && pithlog_time_parse(words->from, &query->from_ns))
        return pithi_tool_usage(command, "--from with --follow: %s", pithlog_error());
    if (words->to && pithlog_time_parse(words->to, &query->to_ns))
        return pithi_tool_usage(command, "--to with --follow: %s", pithlog_error());
    return 0;
}

static int read_columns(const char *command, const char *option, const char *value, void *to)
{
    struct pithi_text_print *how = to;

    how->columns.count = 0; /* if the option is given again, the new list replaces the first one */
    how->has_version = 1;
    return pithi_print_columns_parse(value, &how->columns)
               ? pithi_tool_usage(command, "--%s: %s", option, pithlog_error())
               : 0;
}

/* Reads --format text|csv|json. With this option, the output also has a line with the version. */
static int read_format(const char *command, const char *option, const char *value, void *to)
{
    struct pithi_text_print *how = to;

    how->has_version = 1;
    if (strcmp(value, "text") == 0)
        how->style = PITHI_TEXT_TABS;
    else if (strcmp(value, "csv") == 0 || strcmp(value, "json") == 0)
        return pithi_tool_style(command, value, NULL, &how->style);
    else
        return pithi_tool_usage(command, "--%s needs text, csv or json, not '%s'", option, value);
    return 0;
}

/* Adds the condition name ~ "GLOB" to the filter. GLOB is the value of --state. */
static int add_glob(struct pithi_asked_query *where, struct pithi_text_print *how)
{
    const char *given = where->text ? where->text : "", *glob = how->name_glob;
    char *text = malloc(strlen(given) + 2 * strlen(glob) + 32), *to = text;
    int err;

    if (!text)
        return pithi_no_memory();
    to += sprintf(to, *given ? "(%s) and name ~ \"" : "%sname ~ \"", given);
    for (; *glob; *to++ = *glob++)
        if (*glob == '"' || *glob == '\\') /* must be escaped within a quoted text */
            *to++ = '\\';
    strcpy(to, "\"");
    pithlog_filter_free(where->filter);
    err = pithlog_filter_parse(text, &where->filter, NULL);
    free(text);
    how->name_glob = NULL; /* the filter compares the names now, so the printer need not */
    return err;
}

/* Reads the options. Returns 0, or 2 after it has printed a message. */
static int read_options(int argc, char **argv, struct pithi_text_print *how, struct pithi_window_words *words,
                        struct pithi_lane_set *set, struct pithi_asked_query *where, int *follow)
{
    static const char *const names[] = {"LOG", NULL};
    const struct pithi_option options[] = {
        {"state", 0, PITHI_TEXT, &how->name_glob, NULL, NULL},
        {"columns", 0, PITHI_READ, how, NULL, read_columns},
        {"format", 0, PITHI_READ, how, NULL, read_format},
        {"follow", 'f', PITHI_FLAG, follow, NULL, NULL},
        PITHI_LANE_OPTIONS(set),
        PITHI_WINDOW_OPTIONS(words),
        PITHI_WHERE_OPTION(where),
        PITHI_STYLE_OPTIONS(&how->style),
        {.name = NULL},
    };
    int status;

    if (pithi_tool_options(argc, argv, options))
        return 2;
    if ((status = pithi_tool_arguments(argc, argv, names)) == 0 && *follow)
        status = how->columns.count ? pithi_tool_usage(argv[0], "--columns cannot be used with --follow")
                                    : follow_window(argv[0], words, &how->query);
    else if (status == 0 && how->name_glob)
        status = add_glob(where, how) ? pithi_tool_failed() : 0;
    how->query.filter = where->filter;
    return status;
}

int pithi_tool_print(int argc, char **argv)
{
    struct pithi_text_print how = {.query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX}};
    struct pithi_window_words words = {NULL, NULL};
    struct pithi_lane_set set = {.count = 0};
    struct pithi_asked_query where = {NULL, NULL};
    int follow = 0, status = read_options(argc, argv, &how, &words, &set, &where, &follow);

    if (status == 0)
        status = follow ? print_follow(argv[optind], &how, &set) : print_log(argv[optind], &how, &words, &set);
    pithlog_filter_free(where.filter);
    free(set.ranges);
    return status;
}
