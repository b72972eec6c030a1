/* stat.c - `pith stat LOG`: the options. What is counted is in stat_states.c and stat_messages.c. */
#include "tools/stat.h"

#include <string.h>

#include "error.h"
#include "tools/tools.h"

enum { BY = 256, CSV, JSON };

static const struct option options[] = {
    {"by", required_argument, NULL, BY},
    {"csv", no_argument, NULL, CSV},
    {"json", no_argument, NULL, JSON},
    {NULL, 0, NULL, 0},
};

static const struct answer {
    const char *name;
    int (*gather)(struct pithlog *log, struct pithi_table **table);
} answers[] = {
    {"state", pithi_stat_states}, {"lane", pithi_stat_lanes}, {"comm", pithi_stat_pairs}, {"size", pithi_stat_sizes}};

static const struct answer *find_answer(const char *name)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(answers[i].name, name) == 0)
            return &answers[i];
    return NULL;
}

static int read_options(int argc, char **argv, const struct answer **answer, enum pithi_text_style *style)
{
    static const char *const names[] = {"LOG", NULL};
    int option;

    while ((option = pithi_tool_option(argc, argv, ":", options)) != -1) {
        if (option == BY && !(*answer = find_answer(optarg)))
            return pithi_tool_usage(argv[0], "--by wants state, lane, comm or size, not '%s'", optarg);
        if ((option == CSV && *style == PITHI_TEXT_JSON) || (option == JSON && *style == PITHI_TEXT_CSV))
            return pithi_tool_usage(argv[0], "--csv and --json exclude each other");
        if (option == CSV || option == JSON)
            *style = option == CSV ? PITHI_TEXT_CSV : PITHI_TEXT_JSON;
        if (option == '?')
            return 2;
    }
    return pithi_tool_arguments(argc, argv, names);
}

int pithi_tool_stat(int argc, char **argv)
{
    const struct answer *answer = &answers[0];
    enum pithi_text_style style = PITHI_TEXT_TABS;
    struct pithi_table *table = NULL;
    struct pithlog *log = NULL;
    int err, status = read_options(argc, argv, &answer, &style);

    if (status)
        return status;
    TRY(pithlog_open(argv[optind], &log));
    TRY(answer->gather(log, &table));
    TRY(pithi_table_print(table, stdout, style));
out:
    if (err)
        pithi_tool_failed();
    pithi_table_free(table);
    if (log)
        pithlog_close(log);
    return err != PITH_OK;
}
