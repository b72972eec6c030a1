/* print.c - `pith print LOG`: the options; the lines are formats/text/'s. */
#include "tools/print.h"

#include <stdlib.h>

#include "error.h"

enum { LANE = 256, FROM, TO, STATE, CSV, JSON };

static const struct option options[] = {
    {"lane", required_argument, NULL, LANE},
    {"lanes", required_argument, NULL, LANE},
    {"from", required_argument, NULL, FROM},
    {"to", required_argument, NULL, TO},
    {"state", required_argument, NULL, STATE},
    {"csv", no_argument, NULL, CSV},
    {"json", no_argument, NULL, JSON},
    {"follow", no_argument, NULL, 'f'},
    {NULL, 0, NULL, 0},
};

/* Reads the options; 0, or 2 after a message. */
static int read_options(int argc, char **argv, struct pithi_text *how, struct pithi_lane_set *set, int *follow)
{
    static const char *const names[] = {"LOG", NULL};
    int option;

    while ((option = pithi_tool_option(argc, argv, ":f", options)) != -1) {
        if (option == LANE && pithi_parse_lanes(set, optarg))
            return pithi_tool_usage(argv[0], "--lane wants ranks, or rank.thread, such as 0-3,7.1, not '%s'", optarg);
        if (option == FROM && pithi_parse_time(optarg, &how->query.from_ns))
            return pithi_tool_usage(argv[0], "--from wants seconds, or a time such as 3ms, not '%s'", optarg);
        if (option == TO && pithi_parse_time(optarg, &how->query.to_ns))
            return pithi_tool_usage(argv[0], "--to wants seconds, or a time such as 3ms, not '%s'", optarg);
        if (option == 'f')
            *follow = 1;
        if (option == STATE)
            how->name_glob = optarg;
        if ((option == CSV && how->style == PITHI_TEXT_JSON) || (option == JSON && how->style == PITHI_TEXT_CSV))
            return pithi_tool_usage(argv[0], "--csv and --json exclude each other");
        if (option == CSV || option == JSON)
            how->style = option == CSV ? PITHI_TEXT_CSV : PITHI_TEXT_JSON;
        if (option == '?')
            return 2;
    }
    return pithi_tool_arguments(argc, argv, names);
}

int pithi_print_log(const char *path, const struct pithi_text *how, const struct pithi_lane_set *set)
{
    struct pithi_text own = *how;
    struct pithlog *log = NULL;
    uint32_t *lanes = NULL;
    int err;

    TRY(pithlog_open(path, &log));
    if (set->count) {
        TRY(pithi_lanes_find(set, log, &lanes, &own.query.lane_count));
        own.query.lanes = lanes;
        if (own.query.lane_count == 0) {
            err = pithi_fail(PITH_ERR_USAGE,
                             "%s: no lane is among those asked for; `pith info` tells how many there are", path);
            goto out;
        }
    }
    TRY(pithi_text_print(log, stdout, &own));
out:
    if (log)
        pithlog_close(log);
    free(lanes);
    return err ? pithi_tool_failed() : 0;
}

int pithi_tool_print(int argc, char **argv)
{
    struct pithi_text how = {.query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX}};
    struct pithi_lane_set set = {.count = 0};
    int follow = 0, status = read_options(argc, argv, &how, &set, &follow);

    if (status == 0)
        status = (follow ? pithi_print_follow : pithi_print_log)(argv[optind], &how, &set);
    free(set.ranges);
    return status;
}
