/* cut_log.c - `pith cut LOG -o OUT`: writes a part of a log, by time and lanes. reader/read/copy.c does the cutting. */
#include <stdlib.h>

#include "base/error.h"
#include "native/log.h"
#include "reader/read/copy.h"
#include "reader/query/filter.h"
#include "tools/outfile.h"
#include "tools/tools.h"

struct cut {
    const char *out, *format;
    struct pithi_lane_set set;
    struct pithi_window_words words;
    struct pithi_copy what;
    struct pithi_asked_query where;
    struct pithlog *log;
    uint64_t copied; /* how many records were written so far */
};

static int fill(void *context, struct pithi_writer *writer)
{
    const struct cut *cut = context;

    return pithi_log_copy(cut->log, writer, &cut->what);
}

/* Writes the part of the log to OUT, by default in the format of LOG. Returns the exit status. */
static int write_cut(const char *command, struct cut *cut)
{
    const struct pithi_format *format;
    uint32_t *lanes = NULL;
    const struct pithlog_info *info = pithlog_get_info(cut->log);
    uint64_t records; /* about how many are read, for the display of progress */
    int err, status = pithi_outfile_format(command, cut->format, cut->out, info->format, &format);

    if (status)
        return status;
    TRY(pithi_window_find(cut->log, &cut->words, &cut->what.from_ns, &cut->what.to_ns));
    if (cut->set.count) {
        TRY(pithi_lanes_find(&cut->set, cut->log, &lanes, &cut->what.lane_count));
        cut->what.lanes = lanes;
    }
    cut->what.filter = cut->where.filter;
    cut->what.copied = &cut->copied;
    TRY(pithi_filter_check(cut->where.filter, cut->log));
    pithi_outfile_count(cut->log);
    records = pithi_outfile_expect(cut->log, cut->what.from_ns, cut->what.to_ns);
    if (lanes)
        records = (uint64_t)((double)records / info->lanes * cut->what.lane_count);
    /* To match messages, the copy reads the whole log first, and then twice the part that is cut out (copy.c). */
    if (info->messages && records < info->records)
        records = info->records + 2 * records;
    TRY(pithi_outfile_make(command, format, cut->out, fill, cut, records));
    if (cut->where.filter && cut->copied == 0)
        pithi_tool_note_none(cut->log->path);
out:
    free(lanes);
    return err ? pithi_tool_failed() : 0;
}

int pithi_tool_cut(int argc, char **argv)
{
    static const char *const names[] = {"LOG", NULL};
    struct cut cut = {.what = {.from_ns = INT64_MIN, .to_ns = INT64_MAX}};
    const struct pithi_option options[] = {
        {"output", 'o', PITHI_TEXT, &cut.out, NULL, NULL},
        {"format", 0, PITHI_TEXT, &cut.format, NULL, NULL},
        PITHI_WINDOW_OPTIONS(&cut.words),
        PITHI_LANE_OPTIONS(&cut.set),
        PITHI_WHERE_OPTION(&cut.where),
        {.name = NULL},
    };
    int status = pithi_tool_options(argc, argv, options) ? 2
                 : !cut.out                              ? pithi_tool_usage(argv[0], "-o OUT is missing")
                                                         : pithi_tool_arguments(argc, argv, names);

    if (status == 0)
        status = pithi_tool_open(argv[0], argv[optind], &cut.log) ? pithi_tool_failed() : write_cut(argv[0], &cut);
    pithlog_close(cut.log);
    pithlog_filter_free(cut.where.filter);
    free(cut.set.ranges);
    return status;
}
