/* stat.c - `pith stat LOG`: the options. What is counted is in stat_states.c and stat_messages.c. */
#include "tools/stat.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tools/tools.h"

enum { BY = 256 };

static const struct option options[] = {
    {"by", required_argument, NULL, BY},
    PITHI_WINDOW_OPTIONS,
    PITHI_LANE_OPTIONS,
    PITHI_STYLE_OPTIONS,
    {NULL, 0, NULL, 0},
};

static const struct answer {
    const char *name;
    int (*gather)(struct pithlog *log, const struct pithi_stat_window *window, struct pithi_table **table);
} answers[] = {
    {"state", pithi_stat_states}, {"lane", pithi_stat_lanes}, {"comm", pithi_stat_pairs}, {"size", pithi_stat_sizes}};

static const struct answer *find_answer(const char *name)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(answers[i].name, name) == 0)
            return &answers[i];
    return NULL;
}

struct asked {
    const struct answer *answer;
    enum pithi_text_style style;
    struct pithi_lane_set set;
    struct pithi_stat_window window;
    uint32_t *lanes;
    unsigned char *wanted;
};

static int read_options(int argc, char **argv, struct asked *asked)
{
    static const char *const names[] = {"LOG", NULL};
    int option;

    while ((option = pithi_tool_option(argc, argv, ":", options)) != -1) {
        if (option == '?' || pithi_tool_style(argv[0], option, &asked->style) ||
            pithi_tool_window(argv[0], option, &asked->window.from_ns, &asked->window.to_ns) ||
            pithi_tool_lane(argv[0], option, &asked->set))
            return 2;
        if (option == BY && !(asked->answer = find_answer(optarg)))
            return pithi_tool_usage(argv[0], "--by wants state, lane, comm or size, not '%s'", optarg);
    }
    return pithi_tool_arguments(argc, argv, names);
}

static int choose_lanes(struct asked *asked, struct pithlog *log)
{
    struct pithi_stat_window *window = &asked->window;
    int err = PITH_OK;

    if (!asked->set.count)
        return PITH_OK;
    TRY(pithi_lanes_find(&asked->set, log, &asked->lanes, &window->lane_count));
    if (!(asked->wanted = calloc(pithlog_get_info(log)->lanes + (size_t)1, 1)))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < window->lane_count; i++)
        asked->wanted[asked->lanes[i]] = 1;
    window->lanes = asked->lanes;
    window->wanted = asked->wanted;
out:
    return err;
}

/* A window beside the log is one of no length. */
static void clip(struct pithi_stat_window *window, const struct pithlog_info *info)
{
    window->cut = window->from_ns > info->start_ns || window->to_ns < info->end_ns;
    window->from_ns = window->from_ns > info->start_ns ? window->from_ns : info->start_ns;
    window->to_ns = window->to_ns < info->end_ns ? window->to_ns : info->end_ns;
}

int pithi_tool_stat(int argc, char **argv)
{
    struct asked asked = {.answer = &answers[0], .window = {.from_ns = INT64_MIN, .to_ns = INT64_MAX}};
    struct pithi_table *table = NULL;
    struct pithlog *log = NULL;
    int err, status = read_options(argc, argv, &asked);

    if (status)
        return status;
    TRY(pithi_tool_open(argv[0], argv[optind], &log));
    clip(&asked.window, pithlog_get_info(log));
    TRY(choose_lanes(&asked, log));
    TRY(asked.answer->gather(log, &asked.window, &table));
    TRY(pithi_table_print(table, stdout, asked.style));
out:
    if (err)
        pithi_tool_failed();
    pithi_table_free(table);
    if (log)
        pithlog_close(log);
    free(asked.set.ranges);
    free(asked.lanes);
    free(asked.wanted);
    return err != PITH_OK;
}
