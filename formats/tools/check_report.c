/* check_report.c - `pith check LOG`: prints the report of reader/read/check.c. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "native/clocks.h"
#include "native/log.h"
#include "reader/read/check.h"
#include "tools/progress.h"
#include "tools/tools.h"

/* Prints a damage. It goes to standard output, as the list of damages is what this command is asked for. */
static void say(void *context, const char *text)
{
    (void)context;
    pithi_progress_clear();
    pithi_tool_say(stdout, "%s", text);
}

int pithi_tool_check(int argc, char **argv)
{
    static const struct pithi_option options[] = {{.name = NULL}};
    static const char *const names[] = {"LOG", NULL};
    struct pithlog *log;
    uint64_t records = 0;
    int damages, status;

    if (pithi_tool_options(argc, argv, options))
        return 2;
    if ((status = pithi_tool_arguments(argc, argv, names)) != 0)
        return status;
    pithi_progress_begin_part(argv[0], pithi_tool_bytes(argv[optind]));
    damages = pithi_check_watched(argv[optind], say, NULL, pithi_progress_part, &records);
    pithi_progress_end();
    if (damages < 0)
        return pithi_tool_failed();
    if (damages)
        pithi_tool_say(stdout, "%s: %" PRIu64 " records read, %d damage%s found", argv[optind], records, damages,
                       damages == 1 ? "" : "s");
    else
        pithi_tool_say(stdout, "%s: %" PRIu64 " records read, no damage found", argv[optind], records);
    /* Prints the faults of clocks, for example a clock that jumped. They are no damage, so they do not change the exit
     * status, but with such a fault the log's times are less certain than the log states. Only native logs have data on
     * clocks. */
    if (pithi_tool_is_native(argv[optind]) && pithlog_open(argv[optind], &log) == PITH_OK) {
        for (uint32_t i = 0; i < log->clock_count; i++)
            if (*pithi_clock_fault(&log->clocks[i]))
                pithi_tool_say(stdout, "%s: the clock of rank %d %s (pith info)", argv[optind],
                               (int)log->clocks[i].rank, pithi_clock_fault(&log->clocks[i]));
        pithi_tool_say_lost(log, stdout, ""); /* lost records are no damage either */
        pithlog_close(log);
    }
    if (pithi_tool_flush(stdout))
        return pithi_tool_failed();
    return damages != 0;
}
