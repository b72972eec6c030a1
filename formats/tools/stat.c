/* stat.c - `pith stat LOG`: reads the options. The functions of stat.h make the tables.
 *
 * A row of `answers` has a table that `pith stat` can print, the options that apply to it, and how it treats --where.
 * Tables of states, messages or instances apply the filter to each state, message or instance. For all other tables a
 * smaller log is counted, as `pith cut --where` would make it, because samples and wait states are not records, so a
 * filter cannot match them one by one.
 */
#include "tools/stat.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "native/log.h"
#include "reader/query/filter.h"
#include "tools/stat_pass.h"
#include "tools/tools.h"

struct answer {
    const char *name;
    int (*gather)(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table);
    int has_states, has_waits; /* 1: --state, --waits apply */
    int has_filter;            /* 1: applies --where to its rows; 0: counts the log that `pith cut --where` makes */
    int has_frames;            /* 1: --all-frames applies */
};

/* The tables, in the order of the words of --by. */
/* clang-format off */
static const struct answer answers[] = {
    {"state", pithi_stat_states, 1, 1, 1, 0},
    {"state,lane", pithi_stat_states_of_lanes, 1, 1, 1, 0},
    {"lane", pithi_stat_lanes, 0, 0, 0, 0},
    {"comm", pithi_stat_pairs, 0, 0, 1, 0},
    {"size", pithi_stat_sizes, 0, 0, 1, 0},
    {"wait", pithi_stat_waits, 1, 0, 0, 0},
    {"function", pithi_stat_functions, 0, 0, 0, 1},
    {"callsite", pithi_stat_sites, 1, 0, 0, 0},
    {"callpath", pithi_stat_callpaths, 0, 0, 0, 1},
    {"line", pithi_stat_lines, 0, 0, 0, 1},
    {"statepath", pithi_stat_statepaths, 0, 0, 0, 0},
};
/* clang-format on */
static const struct answer longest = {"longest", pithi_stat_longest, 1, 0, 1, 0};

enum { CALLPATH = 8 }; /* index of the table of call paths in `answers` */

struct asked {
    int by; /* 1 + the index in `answers`; 0: --by was not given */
    const struct answer *answer;
    int flamed; /* 1: --folded or --flame was given */
    enum pithi_flame flame;
    const char *flame_path; /* NULL: standard output */
    enum pithi_text_style style;
    struct pithi_lane_set set;
    struct pithi_window_words words;
    struct pithi_asked_query where;
    struct pithi_stat_query query;
    uint32_t *lanes;
    unsigned char *wanted;
};

static int read_longest(const char *command, const char *option, const char *text, void *count)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || value < 1 || value > INT32_MAX)
        return pithi_tool_usage(command, "--%s needs a number from 1 to 2147483647, not '%s'", option, text);
    *(uint32_t *)count = (uint32_t)value;
    return 0;
}

static int read_folded(const char *command, const char *option, const char *text, void *to)
{
    struct asked *asked = to;

    (void)command, (void)option, (void)text;
    asked->flamed = 1;
    asked->flame = PITHI_FLAME_FOLDED;
    return 0;
}

/* --flame FILE: the suffix of FILE decides the kind of the flame graph. */
static int read_flame(const char *command, const char *option, const char *path, void *to)
{
    static const struct {
        const char *suffix;
        enum pithi_flame flame;
    } kinds[] = {{".svg", PITHI_FLAME_SVG},
                 {".folded", PITHI_FLAME_FOLDED},
                 {".speedscope.json", PITHI_FLAME_SPEEDSCOPE},
                 {".pith", PITHI_FLAME_LOG}};
    struct asked *asked = to;
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t tail = strlen(kinds[i].suffix);
        if (length > tail && strcmp(path + length - tail, kinds[i].suffix) == 0) {
            asked->flamed = 1;
            asked->flame = kinds[i].flame;
            asked->flame_path = path;
            return 0;
        }
    }
    return pithi_tool_usage(command, "--%s needs a file .svg, .folded, .speedscope.json or .pith, not '%s'", option,
                            path);
}

static int read_options(int argc, char **argv, struct asked *asked)
{
    static const char *const names[] = {"LOG", NULL};
    const struct pithi_option options[] = {
        {"by", 0, PITHI_WORD, &asked->by,
         "state state,lane lane comm size wait function callsite callpath line statepath", NULL},
        {"state", 0, PITHI_TEXT, &asked->query.state_glob, NULL, NULL},
        {"all-frames", 0, PITHI_FLAG, &asked->query.all_frames, NULL, NULL},
        {"waits", 0, PITHI_FLAG, &asked->query.waits, NULL, NULL},
        {"longest", 0, PITHI_READ, &asked->query.longest, NULL, read_longest},
        {"folded", 0, PITHI_BARE, asked, NULL, read_folded},
        {"flame", 0, PITHI_READ, asked, NULL, read_flame},
        PITHI_WINDOW_OPTIONS(&asked->words),
        PITHI_LANE_OPTIONS(&asked->set),
        PITHI_WHERE_OPTION(&asked->where),
        PITHI_STYLE_OPTIONS(&asked->style),
        {.name = NULL},
    };
    const char *command = argv[0];

    if (pithi_tool_options(argc, argv, options))
        return 2;
    asked->query.for_people = asked->style == PITHI_TEXT_TABS;
    /* Refuses options that contradict each other. */
    if (asked->query.longest && asked->by)
        return pithi_tool_usage(command, "--longest cannot be used with --by");
    if (asked->flamed && (asked->query.longest || asked->by || asked->style != PITHI_TEXT_TABS))
        return pithi_tool_usage(command, "--%s cannot be used with --by, --longest, --csv or --json",
                                asked->flame_path ? "flame" : "folded");
    asked->answer = asked->query.longest ? &longest
                    : asked->flamed      ? &answers[CALLPATH]
                                         : &answers[asked->by ? asked->by - 1 : 0];
    if (asked->query.state_glob && !asked->answer->has_states)
        return pithi_tool_usage(command, "--state cannot be used with --by %s", asked->answer->name);
    if (asked->query.waits && !asked->answer->has_waits)
        return pithi_tool_usage(command, "--waits needs --by state or --by state,lane");
    if (asked->query.all_frames && (!asked->answer->has_frames || (asked->flamed && asked->flame == PITHI_FLAME_LOG)))
        return pithi_tool_usage(command,
                                "--all-frames needs --by function, callpath or line, --folded or a flame graph");
    if (asked->query.waits && asked->where.filter)
        return pithi_tool_usage(command, "--waits cannot be used with --where");
    return pithi_tool_arguments(argc, argv, names);
}

int pithi_tool_stat(int argc, char **argv)
{
    struct asked asked = {.query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX}};
    struct pithi_report *table = NULL;
    struct pithlog *log = NULL;
    int err, status = read_options(argc, argv, &asked);

    if (status) {
        pithlog_filter_free(asked.where.filter);
        return status;
    }
    TRY(pithi_tool_open(argv[0], argv[optind], &log));
    TRY(pithi_window_find(log, &asked.words, &asked.query.from_ns, &asked.query.to_ns));
    if (asked.answer->has_filter)
        asked.query.filter = asked.where.filter;
    else
        TRY(pithi_tool_filter(&log, asked.where.filter));
    TRY(pithi_filter_check(asked.query.filter, log));
    if (asked.query.state_glob && fnmatch(asked.query.state_glob, PITHI_COMPUTING_NAME, 0) != 0 &&
        !pithi_defs_have(log, PITHI_DEFS_ALL, asked.query.state_glob, 1))
        TRY(pithi_no_such_name(log, PITHI_DEFS_ALL, asked.query.state_glob));
    /* Limits the window to the times of the log. If the window lies outside the log, from_ns becomes larger than to_ns,
     * which means an empty window. */
    struct pithi_stat_query *query = &asked.query;
    const struct pithlog_info *info = pithlog_get_info(log);
    query->cut = query->from_ns > info->start_ns || query->to_ns < info->end_ns;
    query->from_ns = query->from_ns > info->start_ns ? query->from_ns : info->start_ns;
    query->to_ns = query->to_ns < info->end_ns ? query->to_ns : info->end_ns;
    TRY(pithi_log_adds_up(log, query->from_ns, query->to_ns));
    if (asked.set.count) {
        TRY(pithi_lanes_find(&asked.set, log, &asked.lanes, &query->lane_count));
        if (!(asked.wanted = calloc(info->lanes + (size_t)1, 1)))
            TRY(pithi_no_memory());
        for (uint32_t i = 0; i < query->lane_count; i++)
            asked.wanted[asked.lanes[i]] = 1;
        query->lanes = asked.lanes;
        query->wanted = asked.wanted;
    }
    if (asked.flamed) {
        TRY(pithi_stat_flame(log, &asked.query, asked.flame, asked.flame_path));
    } else {
        TRY(asked.answer->gather(log, &asked.query, &table));
        TRY(pithi_table_print(table, stdout, asked.style));
        pithi_tool_say_lost(log, stderr, "pith: note: ");
        if (asked.query.filter && pithi_table_rows(table) == 0)
            pithi_tool_note_none(argv[optind]);
    }
    err = pithi_stat_damaged();
    err = err ? err : pithlog_check_comms(log);
out:
    if (err)
        pithi_tool_failed();
    pithi_table_free(table);
    if (log)
        pithlog_close(log);
    pithlog_filter_free(asked.where.filter);
    free(asked.set.ranges);
    free(asked.lanes);
    free(asked.wanted);
    return err != PITH_OK;
}
