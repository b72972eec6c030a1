/* convert.c - `pith convert IN OUT`: opens IN, finds the format of OUT, writes it. */
#include <stdio.h>
#include <string.h>

#include "analysis/causal.h"
#include "analysis/with_lanes.h"
#include "base/error.h"
#include "reader/read/format.h"
#include "symbols/sample_text.h"
#include "tools/outfile.h"
#include "tools/tools.h"

int pithi_tool_convert(int argc, char **argv)
{
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .note = pithi_outfile_note};
    struct pithi_window_words words = {NULL, NULL};
    const struct pithi_format *format = NULL;
    struct pithi_sample_text *text = NULL;
    struct pithlog *log = NULL, *other;
    struct pithi_asked_query where = {NULL, NULL};
    int causal = 0, with_analysis = 0, err;
    static const char *const names[] = {"IN", "OUT", NULL};
    const char *name = NULL;
    const struct pithi_option options[] = {
        {"format", 0, PITHI_TEXT, &name, NULL, NULL},
        {"causal", 0, PITHI_FLAG, &causal, NULL, NULL},
        {"with", 0, PITHI_WORD, &with_analysis, "analysis", NULL},
        PITHI_WINDOW_OPTIONS(&words),
        PITHI_WHERE_OPTION(&where),
        {.name = NULL},
    };
    int status = pithi_tool_options(argc, argv, options) ? 2 : pithi_tool_arguments(argc, argv, names);

    if (status == 0) {
        const char *out = argv[optind + 1];
        status = pithi_outfile_format(argv[0], name, out, strcmp(out, "-") == 0 ? "text" : NULL, &format);
    }
    if (status) {
        pithlog_filter_free(where.filter);
        return status;
    }
    TRY(pithi_tool_open(argv[0], argv[optind], &log));
    /* Corrects times by which a message arrives before it was sent (analysis/causal.h), and prints what was corrected.
     * If any time was wrong, the corrected log is converted. */
    if (causal) {
        struct pithi_causal_report report;
        char line[256];
        TRY(pithi_causal(log, &other, &report));
        pithi_causal_text(&report, line, sizeof line);
        pithi_outfile_note(line);
        if (other) {
            pithlog_close(log);
            log = other;
        }
    }
    /* replaces the log by a copy that has its wait states and critical path on additional lanes */
    if (with_analysis) {
        TRY(pithi_with_lanes(log, &other));
        pithlog_close(log);
        log = other;
    }
    TRY(pithi_window_find(log, &words, &how.from_ns, &how.to_ns));
    TRY(pithi_tool_filter(&log, where.filter));
    if (format->names_functions)
        TRY(pithi_sample_text_open(log, &text, &how.naming));
    TRY(pithi_outfile_write(argv[0], log, format, argv[optind + 1], &how));
out:
    if (err)
        pithi_tool_failed();
    pithi_sample_text_close(text);
    if (log)
        pithlog_close(log);
    pithlog_filter_free(where.filter);
    return err != PITH_OK;
}
