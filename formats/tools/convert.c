/* convert.c - `pith convert IN OUT`: opens, finds the format asked for, writes. */
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "format.h"
#include "tools/outfile.h"
#include "tools/tools.h"

enum { FORMAT = 256, FROM, TO };

static const struct option options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"from", required_argument, NULL, FROM},
    {"to", required_argument, NULL, TO},
    {NULL, 0, NULL, 0},
};

static int read_options(int argc, char **argv, struct pithi_convert *how, const struct pithi_format **format)
{
    static const char *const names[] = {"IN", "OUT", NULL};
    int option, status;

    while ((option = pithi_tool_option(argc, argv, ":", options)) != -1) {
        if (option == FORMAT && !(*format = pithi_format_by_name(optarg)))
            return pithi_tool_usage(argv[0], "no such format: %s (`pith help formats` lists them)", optarg);
        if (option == FROM && pithi_parse_time(optarg, &how->from_ns))
            return pithi_tool_usage(argv[0], "--from wants seconds, or a time such as 3ms, not '%s'", optarg);
        if (option == TO && pithi_parse_time(optarg, &how->to_ns))
            return pithi_tool_usage(argv[0], "--to wants seconds, or a time such as 3ms, not '%s'", optarg);
        if (option == '?')
            return 2;
    }
    if ((status = pithi_tool_arguments(argc, argv, names)) != 0)
        return status;
    const char *out = argv[optind + 1];
    if (!*format && strcmp(out, "-") == 0)
        *format = pithi_format_by_name("text");
    if (!*format && !(*format = pithi_format_by_suffix(out)))
        return pithi_tool_usage(argv[0], "no format is known by the suffix of %s; give --format NAME", out);
    return 0;
}

int pithi_tool_convert(int argc, char **argv)
{
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .note = pithi_outfile_note};
    const struct pithi_format *format = NULL;
    struct pithlog *log = NULL;
    int err, status = read_options(argc, argv, &how, &format);

    if (status)
        return status;
    TRY(pithlog_open(argv[optind], &log));
    TRY(pithi_outfile_write(argv[0], log, format, argv[optind + 1], &how));
out:
    if (err)
        pithi_tool_failed();
    if (log)
        pithlog_close(log);
    return err != PITH_OK;
}
