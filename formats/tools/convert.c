/* convert.c - `pith convert IN OUT`: opens, finds the format asked for, writes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "format.h"
#include "tools/progress.h"
#include "tools/tools.h"

enum { FORMAT = 256, FROM, TO };

static const struct option options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"from", required_argument, NULL, FROM},
    {"to", required_argument, NULL, TO},
    {NULL, 0, NULL, 0},
};

/* What an interrupted run must not leave behind. A signal handler can only use what is there already. */
static char part_name[4096];

static void remove_part(int signal_number)
{
    unlink(part_name);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void guard_part(const char *path)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    int size = snprintf(part_name, sizeof part_name, "%s.part", path);

    if (size < 0 || (size_t)size >= sizeof part_name)
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal(signals[i], remove_part) == SIG_IGN)
            signal(signals[i], SIG_IGN); /* nohup, a shell's background job */
}

static void print_note(const char *text) { pithi_tool_say(stderr, "pith: note: %s", text); }

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

/* Text to standard output as it is made; there a file that appears when complete makes no sense. */
static int write_stdout(struct pithlog *log, const struct pithi_format *format, const struct pithi_convert *how)
{
    if (!format->flows)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "standard output: only text can go there, not %s; name a file",
                          format->name);
    return format->write(log, stdout, how);
}

static uint64_t part_megabytes(const void *context)
{
    struct stat status;

    (void)context;
    return stat(part_name, &status) == 0 ? (uint64_t)status.st_size / 1000000 : 0;
}

static int write_file(struct pithlog *log, const struct pithi_format *format, const char *path,
                      const struct pithi_convert *how)
{
    static const struct pithi_progress progress = {
        .what = "pith: convert", .done = part_megabytes, .unit = " MB written"};
    int err;

    guard_part(path);
    pithi_progress_begin(&progress);
    err = pithi_format_write(log, format, path, how);
    pithi_progress_end();
    return err;
}

int pithi_tool_convert(int argc, char **argv)
{
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .note = print_note};
    const struct pithi_format *format = NULL;
    struct pithlog *log = NULL;
    int err, status = read_options(argc, argv, &how, &format);

    if (status)
        return status;
    TRY(pithlog_open(argv[optind], &log));
    if (strcmp(argv[optind + 1], "-") == 0)
        TRY(write_stdout(log, format, &how));
    else
        TRY(write_file(log, format, argv[optind + 1], &how));
out:
    if (err)
        pithi_tool_failed();
    if (log)
        pithlog_close(log);
    return err != PITH_OK;
}
