/* commands.c - the table of commands, with their help. The man pages say the same at length. */
#include <stddef.h>

#include "tools/tools.h"

const struct pithi_command pithi_commands[] = {
    {"run", NULL, "[-o LOG] [--mpi NAME] [--] PROGRAM [ARGUMENT...]",
     "start a program recorded, unchanged: mpirun -n 4 pith run ./app",
     "The program is not changed, nor its output and exit status. At the end rank 0 says in one line how the log\n"
     "is named, what it holds and how to open it.\n"
     "\n"
     "  -o LOG         the log; default PROGRAM.pith; its suffix says the format (`pith help formats`)\n"
     "  --lib log      what to record with: log (MPI calls, messages, communicators)\n"
     "  --mpi NAME     mpich or openmpi; default: what PROGRAM is linked with, else what mpirun is of\n"
     "\n"
     "Environment: `pith help env`.\n"},
    {"info", pithi_tool_info, "LOG", "what a log holds, as `key: value` lines", NULL},
    {"print", pithi_tool_print, "LOG [--follow] [--lane R[.T]] [--from TIME] [--to TIME] [--state GLOB] [--csv|--json]",
     "every record a line, in time order",
     "Lines are tab-separated: time_s rank thread kind name key=value..., times with 9 decimals.\n"
     "Kinds: enter leave event counter send recv coll comm pause resume lost. Lines with # hold the definitions.\n"
     "\n"
     "  -f, --follow   of a program that runs, or will, as they come; ends with it. LOG: the log to be, or LOG.spill\n"
     "  --lane R[.T]   only rank R (thread T); also lists and ranges: 0-3,7.1; may be repeated\n"
     "  --from TIME    only records from this time on: seconds, or with a unit (3ms, 20us, 7ns)\n"
     "  --to TIME      only records up to this time\n"
     "  --state GLOB   only states, events and counters whose name matches, e.g. 'MPI_*'\n"
     "  --csv          a head line, then one column a value\n"
     "  --json         a JSON object a line\n"},
    {"stat", pithi_tool_stat, "LOG [--by state|lane|comm|size] [--from TIME] [--to TIME] [--lane R[.T]] [--csv|--json]",
     "count, total, mean, percentiles of states and messages",
     "  --by state     per state: count, inclusive and exclusive time, shortest to longest (default)\n"
     "  --by lane      per rank and thread: time in states, events, messages\n"
     "  --by comm      messages and bytes by pair of ranks, with latency\n"
     "  --by size      messages by size class, with latency\n"
     "  --from TIME    what reaches into the window that begins here: seconds, or with a unit (3ms, 20us, 7ns)\n"
     "  --to TIME      and ends here; states count with what lies in it, messages whole\n"
     "  --lane R[.T]   only rank R (thread T); also lists and ranges: 0-3,7.1; may be repeated\n"
     "  --csv, --json  for programs; times in seconds\n"
     "\n"
     "Percentiles come from a histogram with steps of 3 %, so that memory does not grow with the log.\n"},
    {"diff", pithi_tool_diff, "A B [--by state|rank|lane] [--csv|--json] | A B --records [--within TIME]",
     "two runs: where did time go; or two logs record by record",
     "  --by state     per state: count, inclusive and exclusive time in A and B, difference (B - A), ratio (default)\n"
     "  --by rank      per rank: time from first to last record, in states, and the state that differs most\n"
     "  --by lane      the same per thread\n"
     "  --csv, --json  for programs; times in seconds\n"
     "  --records      record by record: the first difference of each thread\n"
     "  --within TIME  with --records: times may differ by so much (20us, 7ns)\n"
     "\n"
     "Largest differences first. Exit status as of diff(1): 1 when --records finds a difference, 2 for trouble.\n"},
    {"convert", pithi_tool_convert, "IN OUT [--format NAME] [--from TIME] [--to TIME] [--causal]",
     "any readable format to any writable one",
     "The format is told by OUT's suffix or by --format (`pith help formats` lists them). OUT may be - for standard\n"
     "output when the format is text. What the format cannot hold is said on standard error, each thing once with\n"
     "its count.\n"
     "\n"
     "  --causal       mend times that contradict cause and effect first: messages received before they were sent\n"},
    {"cut", pithi_tool_cut, "LOG -o OUT [--from TIME] [--to TIME] [--lane R[.T]] [--format NAME]",
     "a part of a log, by time and lanes, as a log",
     "  -o OUT         the new log; in the format of LOG, or the one that the suffix of OUT or --format names\n"
     "  --from TIME    begin here: seconds, or with a unit (3ms, 20us, 7ns)\n"
     "  --to TIME      end here\n"
     "  --lane R[.T]   only rank R (thread T); also lists and ranges: 0-3,7.1; may be repeated\n"
     "  --format NAME  the format of OUT, whatever its suffix (`pith help formats`)\n"
     "\n"
     "States that are open at an edge are closed and opened there; times and ranks stay what they are.\n"},
    {"merge", pithi_tool_merge,
     "-o OUT [--ranks keep|follow] [--align clock|start|none] [--format NAME] [--shift TIME] LOG...",
     "several logs as one: of one run, or of several programs",
     "  -o OUT         the new log; in Pith's own format, or the one that its suffix or --format names\n"
     "  --ranks keep   ranks stay: logs of the processes of one run (default when no rank is in two logs)\n"
     "  --ranks follow those of each log come behind those of the log before it: several programs\n"
     "  --align clock  by the time of day at which each began (default when all know it)\n"
     "  --align start  with their first records at the same time\n"
     "  --align none   times stay what they are\n"
     "  --shift TIME   for the log after it: moves it by so much (3ms, -20us) more\n"
     "  --format NAME  the format of OUT, whatever its suffix (`pith help formats`)\n"},
    {"compensate", pithi_tool_compensate, "LOG -o OUT [--local] [--format NAME]",
     "a log as the run would have been without its recording",
     "Takes out what recording cost, as the log tells it (`own_cost_ns` of `pith info`, the counter pith:own), and "
     "what\n"
     "others then waited because of it, by its messages and collectives.\n"
     "\n"
     "  -o OUT         the new log; in Pith's own format, or the one that its suffix or --format names\n"
     "  --local        only the own costs of each thread; who waited for whom is not looked at\n"
     "  --format NAME  the format of OUT, whatever its suffix (`pith help formats`)\n"},
    {"check", pithi_tool_check, "LOG", "verify everything in a log; exit status 0 or 1",
     "Reads the whole log and says, a line each, what is damaged and at which byte.\n"},
    {"recover", pithi_tool_recover, "DIR [-o LOG]", "make a log of what a dead run left in LOG.spill",
     "DIR is the folder LOG.spill beside the log that was to be, or one .spill file of it; or a damaged log, of which\n"
     "all that is whole is taken. It is left as it is.\n"
     "\n"
     "  -o LOG         the log to write; default: the name of the folder without .spill, if there is none yet\n"},
    {"draw", NULL, "LOG -o OUT.png|svg|pdf|ps|eps|html [OPTIONS] | LOG --text [OPTIONS]",
     "the timelines as a picture; no display needed",
     "  -o OUT          the file; its suffix says which kind; html: a page with zoom and statistics\n"
     "  --size WxH      in pixels (with --text in letters); without H as high as the rows need\n"
     "  --from TIME     begin here: seconds, or with a unit (3ms, 20us, 7ns); init: where MPI_Init has ended\n"
     "  --to TIME       end here; finalize: where MPI_Finalize begins\n"
     "  --lanes LIST    only these: ranks (0-3), threads (7.1), or by names of hosts and threads (node1*,worker)\n"
     "  --group HOW     host, comm: a row for each host or communicator; none\n"
     "  --title TEXT    instead of the log's name\n"
     "  --legend WHERE  bottom, right or none\n"
     "  --stats         a table of the states: count, inclusive and exclusive time, share; messages\n"
     "  --ranges        below the timelines: how many ranks are in each state, stacked\n"
     "  --palette NAME  log: its own colours; classic: MPE's; safe: for the colour-blind\n"
     "  --theme NAME    light or dark paper\n"
     "  --grey          for printers without colour\n"
     "  --full          an SVG with every column, also above 2 MB\n"
     "  -e WORDS        as in the window: 'zoom 1.2 1.4; rows 0-3; hide MPI_Comm_*; arrows off'\n"
     "  --text          print the picture in letters, on a terminal in colour\n"
     "  --ascii         as --text, plain letters only\n"
     "  --colour WHEN   with --text: always, never, auto (on a terminal)\n"},
    {"view", NULL, "LOG... [-e SCRIPT]", "the timelines in a window",
     "  --live         of a program that is being recorded as LOG, as they grow\n"
     "  --together     two logs in one window, on one time axis\n"
     "  --anim         ranks and messages as they move\n"
     "  -e SCRIPT      words to the window of the log before it: zoom 1.2 1.4; hide MPI_*; shot x.png; quit\n"
     "                 (`help` in a script lists them)\n"
     "\n"
     "`upshot LOG` does the same. In the window, ? shows the keys. Without a display: `pith draw`.\n"},
    {"help", pithi_tool_help, "[COMMAND|env|formats]", "this, or more about one thing", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
