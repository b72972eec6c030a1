/* compensate_log.c - `pith compensate LOG -o OUT`: removes the cost of recording from a log. analysis/delay_replay.c
 * does the work. */
#include "analysis/delay_replay.h"
#include "base/error.h"
#include "native/log.h"
#include "reader/read/own_cost_read.h"
#include "tools/outfile.h"
#include "tools/tools.h"

struct compensation {
    const char *out, *format;
    int local; /* 1: removes only each lane's own cost, not the waiting that this cost caused on other lanes */
    struct pithlog *log;
    struct pithi_delay_replay_result result;
};

static int fill(void *context, struct pithi_writer *writer)
{
    struct compensation *c = context;

    return pithi_delay_replay(c->log, writer, c->local, &c->result);
}

static double seconds(int64_t from_ns, int64_t to_ns) { return (double)(to_ns - from_ns) / 1e9; }

static int write_compensated(const char *command, const char *path, struct compensation *c)
{
    const struct pithlog_info *info = pithlog_get_info(c->log);
    const struct pithi_delay_replay_result *r = &c->result;
    const struct pithi_format *format;
    int err, status = pithi_outfile_format(command, c->format, c->out, "native", &format);

    if (status)
        return status;
    /* Refuses a log that was compensated before, because the same cost would be removed twice. */
    if (pithi_property(c->log, "compensated"))
        TRY(pithi_fail(PITH_ERR_USAGE, "%s: is already compensated", path));
    if (!pithi_own_cost_known(c->log))
        TRY(pithi_fail(PITH_ERR_USAGE, "%s: does not state what recording cost", path));
    pithi_outfile_count(c->log);
    TRY(pithi_outfile_make(command, format, c->out, fill, c, info->records * (c->local ? 1 : 2) + 4 * info->messages));
    fprintf(stderr,
            "pith: %s: %.9f s of own costs removed from %u lanes; the run ends %.9f s earlier: %.9f s before, "
            "%.9f s now",
            c->out, r->own_ns / 1e9, pithlog_get_info(c->log)->lanes, seconds(r->end_after_ns, r->end_before_ns),
            seconds(r->start_ns, r->end_before_ns), seconds(r->start_ns, r->end_after_ns));
    if (r->early > 0)
        fprintf(stderr, " (%llu calls ended before the event they waited for: own costs only)",
                (unsigned long long)r->early);
    /* Prints, as " (own costs only of 12 MPI_Put, 2 others)", the calls from which only their own cost was removed.
     * They may still be too long, by waiting that recording caused. */
    for (int i = 0; i < PITHI_ALONE_NAMES && r->alone[i].count > 0; i++)
        fprintf(stderr, "%s%llu %s", i ? ", " : " (own costs only of ", (unsigned long long)r->alone[i].count,
                r->alone[i].name);
    if (r->alone[0].count > 0 && r->alone_others > 0)
        fprintf(stderr, ", %llu others", (unsigned long long)r->alone_others);
    fputs(r->alone[0].count > 0 ? ")\n" : "\n", stderr);
out:
    return err ? pithi_tool_failed() : 0;
}

int pithi_tool_compensate(int argc, char **argv)
{
    static const char *const names[] = {"LOG", NULL};
    struct compensation c = {.local = 0};
    const struct pithi_option options[] = {
        {"output", 'o', PITHI_TEXT, &c.out, NULL, NULL},
        {"format", 0, PITHI_TEXT, &c.format, NULL, NULL},
        {"local", 0, PITHI_FLAG, &c.local, NULL, NULL},
        {.name = NULL},
    };
    int status = pithi_tool_options(argc, argv, options) ? 2
                 : !c.out                                ? pithi_tool_usage(argv[0], "-o OUT is missing")
                                                         : pithi_tool_arguments(argc, argv, names);

    if (status == 0)
        status = pithi_tool_open(argv[0], argv[optind], &c.log) ? pithi_tool_failed()
                                                                : write_compensated(argv[0], argv[optind], &c);
    pithlog_close(c.log);
    return status;
}
