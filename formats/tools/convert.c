/* convert.c - `pith convert IN OUT`: opens, finds the format asked for, writes. */
#include <stdio.h>
#include <string.h>

#include "causal/causal.h"
#include "error.h"
#include "format.h"
#include "tools/outfile.h"
#include "tools/tools.h"

enum { FORMAT = 256, CAUSAL };

static const struct option options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"causal", no_argument, NULL, CAUSAL},
    PITHI_WINDOW_OPTIONS,
    {NULL, 0, NULL, 0},
};

static int read_options(int argc, char **argv, struct pithi_convert *how, const struct pithi_format **format,
                        int *causal)
{
    static const char *const names[] = {"IN", "OUT", NULL};
    const char *name = NULL;
    int option, status;

    while ((option = pithi_tool_option(argc, argv, ":", options)) != -1) {
        if (option == FORMAT)
            name = optarg;
        *causal |= option == CAUSAL;
        if (option == '?' || pithi_tool_window(argv[0], option, &how->from_ns, &how->to_ns))
            return 2;
    }
    if ((status = pithi_tool_arguments(argc, argv, names)) != 0)
        return status;
    const char *out = argv[optind + 1];
    return pithi_outfile_format(argv[0], name, out, strcmp(out, "-") == 0 ? "text" : NULL, format);
}

/* In place of the log the one with its times mended, if any had to be; what was done is said. */
static int mend(struct pithlog **log)
{
    struct pithi_causal_report report;
    struct pithlog *mended;
    char text[256];
    int err = pithi_causal(*log, &mended, &report);
    if (err != PITH_OK)
        return err;
    pithi_causal_text(&report, text, sizeof text);
    pithi_outfile_note(text);
    if (mended) {
        pithlog_close(*log);
        *log = mended;
    }
    return PITH_OK;
}

int pithi_tool_convert(int argc, char **argv)
{
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .note = pithi_outfile_note};
    const struct pithi_format *format = NULL;
    struct pithlog *log = NULL;
    int causal = 0, err, status = read_options(argc, argv, &how, &format, &causal);

    if (status)
        return status;
    TRY(pithi_tool_open(argv[0], argv[optind], &log));
    if (causal)
        TRY(mend(&log));
    TRY(pithi_outfile_write(argv[0], log, format, argv[optind + 1], &how));
out:
    if (err)
        pithi_tool_failed();
    if (log)
        pithlog_close(log);
    return err != PITH_OK;
}
