/* print.c - `pith print LOG`: the options; the lines are formats/text/'s. */
#include "tools/print.h"

#include <stdlib.h>

#include "error.h"

enum { STATE = 256 };

static const struct option options[] = {
    PITHI_LANE_OPTIONS,
    PITHI_WINDOW_OPTIONS,
    {"state", required_argument, NULL, STATE},
    PITHI_STYLE_OPTIONS,
    {"follow", no_argument, NULL, 'f'},
    {NULL, 0, NULL, 0},
};

/* Reads the options; 0, or 2 after a message. */
static int read_options(int argc, char **argv, struct pithi_text *how, struct pithi_lane_set *set, int *follow)
{
    static const char *const names[] = {"LOG", NULL};
    int option;

    while ((option = pithi_tool_option(argc, argv, ":f", options)) != -1) {
        if (option == '?' || pithi_tool_lane(argv[0], option, set) ||
            pithi_tool_window(argv[0], option, &how->query.from_ns, &how->query.to_ns) ||
            pithi_tool_style(argv[0], option, &how->style))
            return 2;
        if (option == 'f')
            *follow = 1;
        if (option == STATE)
            how->name_glob = optarg;
    }
    return pithi_tool_arguments(argc, argv, names);
}

int pithi_print_log(const char *path, const struct pithi_text *how, const struct pithi_lane_set *set)
{
    struct pithi_text own = *how;
    struct pithlog *log = NULL;
    uint32_t *lanes = NULL;
    int err;

    TRY(pithi_tool_open("print", path, &log));
    if (set->count) {
        TRY(pithi_lanes_find(set, log, &lanes, &own.query.lane_count));
        own.query.lanes = lanes;
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
