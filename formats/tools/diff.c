/* diff.c - `pith diff A B`: options, and the common definitions of both logs. */
#include "tools/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "native/segment.h"
#include "tools/stat_pass.h"
#include "tools/tools.h"

/* In the order of the words of --by. */
static int (*const answers[])(struct pithi_diff_pair *pair,
                              struct pithi_report **table) = {pithi_diff_states, pithi_diff_ranks, pithi_diff_lanes};

struct asked {
    int by; /* place in `answers`, from 1; 0: not given */
    enum pithi_text_style style;
    int records;
    int64_t within_ns; /* -1: not given */
};

static int read_within(const char *command, const char *option, const char *value, void *within_ns)
{
    if (pithlog_time_parse(value, within_ns) || *(int64_t *)within_ns < 0)
        return pithi_tool_usage(command, "--%s needs seconds, or a time such as 3ms, not '%s'", option, value);
    return 0;
}

static int read_options(int argc, char **argv, struct asked *asked)
{
    static const char *const names[] = {"A", "B", NULL};
    const struct pithi_option options[] = {
        {"by", 0, PITHI_WORD, &asked->by, "state rank lane", NULL},
        {"records", 0, PITHI_FLAG, &asked->records, NULL, NULL},
        {"within", 0, PITHI_READ, &asked->within_ns, NULL, read_within},
        PITHI_STYLE_OPTIONS(&asked->style),
        {.name = NULL},
    };

    if (pithi_tool_options(argc, argv, options))
        return 2;
    if (asked->records && (asked->by || asked->style != PITHI_TEXT_TABS))
        return pithi_tool_usage(argv[0], "--records cannot be used with --by, --csv or --json");
    if (!asked->records && asked->within_ns >= 0)
        return pithi_tool_usage(argv[0], "--within needs --records");
    return pithi_tool_arguments(argc, argv, names);
}

/* ---- The pair ---------------------------------------------------------------------------------------------------- */

static int join_defs(struct pithi_diff_pair *pair, int side)
{
    uint32_t count = pithlog_get_info(pair->log[side])->defs;
    int err = PITH_OK;

    if (!(pair->ids[side] = malloc((count + (size_t)1) * sizeof *pair->ids[side])))
        return pithi_no_memory();
    for (uint32_t i = 0; err == PITH_OK && i < count; i++)
        err = pithi_defs_add(pair->defs, pithlog_get_def(pair->log[side], i), &pair->ids[side][i]);
    return err;
}

int pithi_pair_open(struct pithi_diff_pair *pair, const char *a, const char *b)
{
    *pair = (struct pithi_diff_pair){.defs = NULL};
    CHECK(pithi_tool_open("diff", a, &pair->log[0]));
    CHECK(pithi_tool_open("diff", b, &pair->log[1]));
    CHECK(pithi_defs_new(&pair->defs));
    CHECK(join_defs(pair, 0));
    return join_defs(pair, 1);
}

void pithi_pair_close(struct pithi_diff_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        pithlog_close(pair->log[side]);
        free(pair->ids[side]);
    }
    if (pair->defs)
        pithi_defs_free(pair->defs);
}

int pithi_pair_order(const struct pithi_diff_pair *pair, uint32_t i, uint32_t k, int threads)
{
    const struct pithlog_lane *a = pithlog_get_lane(pair->log[0], i), *b = pithlog_get_lane(pair->log[1], k);

    if (!a || !b)
        return a ? -1 : b != NULL;
    if (a->rank != b->rank || !threads)
        return (a->rank > b->rank) - (a->rank < b->rank);
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static int print_table(struct pithi_diff_pair *pair, const struct asked *asked)
{
    struct pithi_report *table = NULL;
    int err = answers[asked->by ? asked->by - 1 : 0](pair, &table);

    if (!err)
        err = pithi_table_print(table, stdout, asked->style);
    pithi_table_free(table);
    return err ? err : pithi_stat_damaged();
}

/* Exit status as of diff(1): 0: equal, 1: different, 2: error. */
int pithi_tool_diff(int argc, char **argv)
{
    struct asked asked = {.style = PITHI_TEXT_TABS, .within_ns = -1};
    struct pithi_diff_pair pair;
    int different = 0, err, status = read_options(argc, argv, &asked);

    if (status)
        return status;
    err = pithi_pair_open(&pair, argv[optind], argv[optind + 1]);
    if (!err)
        err = asked.records ? pithi_diff_records(&pair, asked.within_ns < 0 ? 0 : asked.within_ns, &different)
                            : print_table(&pair, &asked);
    for (int side = 0; side < 2 && !err; side++)
        err = pithlog_check_comms(pair.log[side]);
    if (err)
        pithi_tool_failed();
    pithi_pair_close(&pair);
    return err ? 2 : different;
}
