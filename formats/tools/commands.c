/* commands.c - the table of commands, with their help. The man pages have the details.
 *
 * A row has all that `pith` knows of a command: the function that runs it, its line in `pith help`, the text of `pith
 * help NAME`. Two files read the texts: help.c prints them, and complete.c offers the options that it finds in them. So
 * the form of the texts matters:
 *
 *     "  --from TIME    start of the part"     an option begins its line, its meaning follows after two blanks
 *     "[--by state|lane|comm]"                 small letters after an option are the words that it takes
 *     "[--from TIME]"                          capital letters stand for a value that the user chooses
 *
 * If `run` is NULL, the command is the program libexec/pith/pith-NAME, whose source is in another folder. */
#include <stddef.h>

#include "tools/tools.h"

const struct pithi_command pithi_commands[] = {
    {"run", NULL,
     "[-o LOG] [--answer] [--lib NAME] [--sample[=MS]] [--also NAMES] [--mpi NAME] [--] PROGRAM [ARGUMENT...]",
     "run a program and record it: mpirun -n 4 pith run ./app",
     "The program needs no change; its output and exit status stay the same. At the end rank 0 prints one line:\n"
     "the name of the log, what it holds and how to open it.\n"
     "\n"
     "  -o FILE        the log; default: PROGRAM.pith; its suffix selects the format (`pith help formats`);\n"
     "                 with --lib trace, time or check: the file for their output, in place of stderr\n"
     "  --answer       at the end, print why the run was slow: the page of `pith analyze`; NAME.analysis.json beside\n"
     "                 the log has it for programs; with -o none, the log is not kept\n"
     "  --lib NAME     log (default): write a log of all MPI calls, messages and communicators\n"
     "                 trace: print a line when an MPI call begins and when it ends\n"
     "                 time: print a table of the MPI calls at the end\n"
     "                 anim: write the log, and show the running program in a window\n"
     "                 check: check that collective calls agree on all ranks\n"
     "                 or the path of a profiling library of your own (./libNAME.so)\n"
     "  --sample[=MS]  also record the call stack of each thread every MS milliseconds (default: 10) of its CPU\n"
     "                 time, with MS,wall of wall-clock time; `pith stat --by function` shows them\n"
     "  --also NAMES   also record other calls: io, functions, openmp, pthread, memory, with commas; man pith-also\n"
     "  --mpi NAME     mpich, openmpi or abi; default: that which PROGRAM is linked with, else that of mpirun\n"
     "\n"
     "Exit status: that of PROGRAM; 127 not found, 126 not executable, 2 wrong usage, 1 no wrappers for its MPI.\n"
     "Environment: `pith help env`.\n"},
    {"info", pithi_tool_info, "LOG", "print what a log holds, as `key: value` lines", NULL},
    {"print", pithi_tool_print,
     "LOG [--follow] [--lane R[.T]] [--from TIME] [--to TIME] [--state GLOB]\n"
     "       [--where QUERY] [--columns LIST] [--csv|--spreadsheet|--json|--format text|csv|json]",
     "print every record as a line, in time order",
     "Lines are tab-separated: time_s rank thread kind name key=value..., times with 9 decimals.\n"
     "Kinds: enter leave event counter send recv coll comm pause resume lost. Lines with # hold the definitions.\n"
     "\n"
     "  -f, --follow   print records while the program runs, until it ends; LOG: the future log, or LOG.spill\n"
     "  --lane R[.T]   only rank R (thread T); lists and ranges are allowed: 0-3,7.1; may be repeated\n"
     "  --from TIME    only records from this time on: 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]\n"
     "  --to TIME      only records up to this time\n"
     "  --state GLOB   only states, events and counters whose name matches, e.g. 'MPI_*'\n"
     "  --where QUERY  only records that match, e.g. 'duration > 1ms and rank in 0-3'; man pith-query\n"
     "  --columns LIST only these columns, e.g. time_ns,rank,kind,name,duration_ns; man pith-print\n"
     "  --format STYLE text, csv or json, with a first line that names the version\n"
     "  --csv          a header line, then one column for each value\n"
     "  --spreadsheet  the same, with a ' before text that a spreadsheet would take for a formula\n"
     "  --json         one JSON object per line\n"},
    {"stat", pithi_tool_stat,
     "LOG [--by state|state,lane|lane|comm|size|wait|function|line|callpath|callsite|statepath\n"
     "       | --longest N | --flame FILE | --folded] [--all-frames] [--waits] [--state GLOB] [--where QUERY]\n"
     "       [--from TIME] [--to TIME] [--lane R[.T]] [--csv|--json]",
     "count, total, mean, percentiles of states and messages",
     "  --by state       per state, and computing (outside MPI): count, total and self time (default)\n"
     "  --by state,lane  self time of each state on each rank and thread\n"
     "  --by lane        per rank and thread: time in states, in MPI and computing; events, messages\n"
     "  --by comm        messages and bytes by pair of ranks, with latency\n"
     "  --by size        messages by size class, with latency\n"
     "  --by wait        per call of MPI and kind of wait state: time that it waited for other ranks\n"
     "  --by function    the functions of the program, from samples (pith run --sample)\n"
     "  --by line        its source lines, with their text where the source is here\n"
     "  --by callpath    its functions as a tree of calls; --folded: as tools for flame graphs read it\n"
     "  --by statepath   the states as a tree: which state inside which; total and self time\n"
     "  --all-frames     of samples: also the functions around main and inside calls of MPI\n"
     "  --flame FILE     a flame graph of the call paths: FILE.svg, FILE.folded or FILE.speedscope.json;\n"
     "                   FILE.pith: a log in which the functions are states by time\n"
     "  --by callsite    MPI calls and OpenMP by their place in the program (PITH_CALLSITES=1)\n"
     "  --longest N      the N longest instances of states: rank, thread, begin, length\n"
     "  --waits          by state: also the time that calls of MPI waited for other ranks, and the rest: transfer\n"
     "  --state GLOB     only states, events and counters whose name matches, e.g. 'MPI_*'\n"
     "  --where QUERY    only what matches, e.g. 'duration > 1ms and rank in 0-3'; man pith-query\n"
     "  --from TIME      start of the window: 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]\n"
     "  --to TIME        end of the window; states count with their part in the window, messages as a whole\n"
     "  --lane R[.T]     only rank R (thread T); lists and ranges are allowed: 0-3,7.1; may be repeated\n"
     "  --csv, --json    output for programs; times in seconds\n"
     "\n"
     "Percentiles come from a histogram with steps of 3 %; memory does not grow with the log.\n"},
    {"analyze", pithi_tool_analyze,
     "LOG [--from TIME] [--to TIME] [--where QUERY] [--iterations STATE] [--csv|--json [--waits]|--html FILE] "
     "[--json-file FILE] [--no-commands] [--answer|--explain TERM] "
     "[--what-if CHANGE]\n"
     "       | A B ... [--from TIME] [--to TIME] [--csv|--json] [--scaling strong|weak]",
     "say why a run is slow: efficiencies, wait states and their causes, critical path",
     "  --from TIME    start of the part looked at (seconds, 3ms, init, STATE[n]); default: the last end of MPI_Init\n"
     "  --to TIME      its end; default: the last begin of MPI_Finalize\n"
     "  --where QUERY  only records that match, e.g. 'duration > 1ms and rank in 0-3'; man pith-query\n"
     "  --iterations STATE  each instance of this state is an iteration; default: found by the period of MPI calls\n"
     "  --csv          the findings with their cost\n"
     "  --json         one object for programs; times in ns; with --waits every wait state\n"
     "  --json-file FILE  print the page, and write what --json prints to FILE\n"
     "  --no-commands  leave out the commands that show a place\n"
     "  --html FILE    the page for a browser, with a picture of the worst wait\n"
     "  --answer       only the answer, in one line\n"
     "  --explain TERM what a term means, with the numbers of this log: 'late sender', serialisation ...\n"
     "  --what-if CHANGE  predict the run time; may be repeated: balanced, network=ideal, network=K (K times faster),\n"
     "                 network=latency (no time for bytes),\n"
     "                 STATE=K or STATE@RANK=K (that state K times faster; computing: outside all states)\n"
     "\n"
     "Several logs of one program, A B ...: how it scales; for two logs also what changed, by cause.\n"
     "  --scaling strong|weak  the problem has the same size on more ranks, or grows with them; default: found\n"},
    {"diff", pithi_tool_diff, "A B [--by state|rank|lane] [--csv|--json] | A B --records [--within TIME]",
     "compare two runs by time spent, or two logs record by record",
     "  --by state     per state, and of computing (outside MPI): count, total and self time in A and B,\n"
     "                 difference (B - A), ratio (default)\n"
     "  --by rank      per rank: time from first to last record, in states, and the state that differs most\n"
     "  --by lane      the same per thread\n"
     "  --csv, --json  output for programs; times in seconds\n"
     "  --records      record by record: the first difference of each thread\n"
     "  --within TIME  with --records: accept times that differ by at most TIME (20us, 7ns)\n"
     "\n"
     "Largest differences first. Exit status as of diff(1): 1 if --records finds a difference, 2 after an error.\n"},
    {"symbols", pithi_tool_symbols, "LOG [--search DIR]", "store the names of the functions in the log",
     "The call stacks of a log are addresses. This command looks up their functions, with the source lines and the\n"
     "functions that the compiler inlined, in the files of the program, and stores all names in the log: they are\n"
     "then known on other machines, and after the program was built again.\n"
     "\n"
     "  --search DIR  also look in DIR for files with symbols or debug information: by build id, in\n"
     "                DIR/.build-id, or by the name of the program or library; may be repeated\n"},
    {"sql", pithi_tool_sql, "LOG QUERY [--csv|--spreadsheet|--json]",
     "query a log with SQL: 'SELECT * FROM state_times'",
     "The database of a log is made at the first query and kept in the cache. LOG may also be a database that\n"
     "`pith convert LOG OUT.sqlite` wrote.\n"
     "Tables: log, lanes, definitions, communicators, members, intervals, call_paths, events, counters,\n"
     "collectives, messages, samples, stacks, waits, critical_path, critical_states, efficiency.\n"
     "Views: ranks, states, calls, state_times, path_times, counter_spans, traffic, wait_times, critical_times.\n"
     "Functions: median(X), percentile(X, P).\n"
     "Times are in ns. A query cannot change anything.\n"
     "\n"
     "  --csv          a header line, then one line per row\n"
     "  --spreadsheet  the same, with a ' before text that a spreadsheet would take for a formula\n"
     "  --json         an array of objects\n"},
    {"convert", pithi_tool_convert,
     "IN OUT [--format NAME] [--from TIME] [--to TIME] [--where QUERY] [--causal] [--with analysis]",
     "convert a log from any readable format to any writable one",
     "The suffix of OUT or --format selects the format (`pith help formats` lists them). OUT may be - for standard\n"
     "output if the format is text. Standard error lists what the format cannot hold, each kind once with its\n"
     "count.\n"
     "\n"
     "  --from TIME    start of the part: 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]\n"
     "  --to TIME      end of the part\n"
     "  --where QUERY  only records that match, e.g. 'duration > 1ms and rank in 0-3'; man pith-query\n"
     "  --causal       first correct times that contradict cause and effect (messages received before sent)\n"
     "  --with analysis  add wait states and the critical path as states on lanes of their own\n"},
    {"cut", pithi_tool_cut, "LOG -o OUT [--from TIME] [--to TIME] [--lane R[.T]] [--where QUERY] [--format NAME]",
     "write a part of a log, by time, lanes or a query, as a new log",
     "  -o OUT         the new log; its format: --format, else by the suffix of OUT, else that of LOG\n"
     "  --from TIME    start of the part: 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]\n"
     "  --to TIME      end of the part\n"
     "  --lane R[.T]   only rank R (thread T); lists and ranges are allowed: 0-3,7.1; may be repeated\n"
     "  --where QUERY  only records that match, e.g. 'duration > 1ms and rank in 0-3'; man pith-query\n"
     "  --format NAME  the format of OUT, whatever its suffix (`pith help formats`)\n"
     "\n"
     "States that are open at an edge of the part begin or end there; times and ranks do not change.\n"},
    {"merge", pithi_tool_merge,
     "-o OUT [--ranks keep|follow] [--align clock|start|none] [--format NAME] [--shift TIME] LOG...",
     "join several logs: of one run, or of several programs",
     "  -o OUT         the new log; its format: --format, else by the suffix of OUT, else native\n"
     "  --ranks keep   keep ranks: logs of the processes of one run (default if no rank is in two logs)\n"
     "  --ranks follow number the ranks of each log after those of the log before it: several programs\n"
     "  --align clock  by the time of day at which each log began (default if all logs state it)\n"
     "  --align start  place the first records of all logs at the same time\n"
     "  --align none   do not change times\n"
     "  --shift TIME   also move the next LOG on the command line by TIME (3ms, -20us)\n"
     "  --format NAME  the format of OUT, whatever its suffix (`pith help formats`)\n"},
    {"compensate", pithi_tool_compensate, "LOG -o OUT [--local] [--format NAME]",
     "remove the cost of recording from a log",
     "Removes the cost of recording that the log states (`own_cost_ns` of `pith info`, the counter pith:own), and the\n"
     "time that other ranks waited because of it in messages and collectives.\n"
     "\n"
     "  -o OUT         the new log; its format: --format, else by the suffix of OUT, else native\n"
     "  --local        remove only the own costs of each thread; ignore waiting\n"
     "  --format NAME  the format of OUT, whatever its suffix (`pith help formats`)\n"},
    {"check", pithi_tool_check, "LOG", "verify a whole log; exit status 0 or 1",
     "Reads the whole log and prints a line for each damage: what is wrong, at which byte.\n"},
    {"top", pithi_tool_top,
     "LOG [--why] [--hang TIME] [--once] [--every TIME] [--last TIME] [--json] [--openmetrics [-o FILE]]",
     "show what each rank of a running job does now",
     "LOG is the log that the job will write, its folder LOG.spill, or another folder of spill files. A line for each\n"
     "rank: its state now and since when, the share of MPI in the last seconds, its records so far. First come the\n"
     "ranks that have computed for longest, last those that have been in MPI for longest. Ranks in the same state\n"
     "share a line if the terminal has too few. Also for a job that was killed.\n"
     "\n"
     "  --why          show instead which ranks keep others waiting, and deadlocks\n"
     "  --hang TIME    as --why, but print only if no rank has recorded anything for TIME (100 ms to a day)\n"
     "  --once         print one page, then end; so it does if the output is no terminal\n"
     "  --every TIME   a new page after each TIME, also if the output is no terminal; default 2 (seconds)\n"
     "  --last TIME    the time that the share of MPI is of; default 10 (seconds)\n"
     "  --json         each page as a line with a JSON object\n"
     "  --openmetrics  one page as metrics for Prometheus\n"
     "  -o FILE        write them to FILE, anew after each --every, until the job ends; default 15 (seconds)\n"},
    {"recover", pithi_tool_recover, "DIR [-o LOG]", "make a log of what a run that died left in LOG.spill",
     "DIR is the folder LOG.spill beside the intended log, or one .spill file in it; or a damaged log, from which all\n"
     "intact parts are copied. DIR itself is not changed.\n"
     "\n"
     "  -o LOG         the log to write; default: the name of the folder without .spill, if no such file exists\n"},
    {"draw", NULL, "LOG -o OUT.png|svg|pdf|ps|eps|html [OPTIONS] | LOG --text [OPTIONS] | [LOG] --viewer -o OUT.html",
     "draw the timelines into a file; no display needed",
     "  -o OUT          the file; its suffix selects the kind; html: a page with zoom and statistics\n"
     "  --size WxH      in pixels (with --text in characters); without H as high as the rows need; default 1200\n"
     "  --from TIME     start: 1.5, 3ms, 20us, 7ns, init (the end of MPI_Init), finalize or STATE[n]\n"
     "  --to TIME       end; finalize: the start of MPI_Finalize\n"
     "  --lanes LIST    only these: ranks (0-3), threads (7.1), or names of hosts and threads (node1*,worker)\n"
     "  --group HOW     host or comm: one row for each host or communicator; none\n"
     "  --unfold ROWS   a row for each nesting level of these rows (a list as for --lanes, or all), and below them\n"
     "                  for each depth of the functions of their samples\n"
     "  --title TEXT    a title in place of the log's name\n"
     "  --legend WHERE  bottom, right or none\n"
     "  --stats         a table of the states: count, total and self time, share; messages\n"
     "  --waits         hatch the part of each MPI call that waits for another rank\n"
     "  --core-waits    hatch the time in which threads could run but had no core (PITH_COUNTERS=run-delay)\n"
     "  --time-of-day   dates and times of day on the axis, if the log knows when it was recorded\n"
     "  --critical-path draw the critical path, which determines how long the run takes\n"
     "  --findings      add a list of where the run waits most, with marks at the longest waits\n"
     "  --notes         draw the notes of LOG.notes, which `pith view` writes\n"
     "  --iterations    the iterations one below the other, aligned at their starts\n"
     "  --iterations=STATE  the instances of this state\n"
     "  --ranges        add a stacked chart of how many ranks are in each state\n"
     "  --palette NAME  log: the colours in the log; classic: those of MPE; safe: for colour-blind readers\n"
     "  --theme NAME    light or dark background\n"
     "  --grey          for printers without colour\n"
     "  --full          keep every column of an SVG, also above 2 MB\n"
     "  -e WORDS        commands as in a script of the window: 'zoom 1.2 1.4; rows 0-3; hide MPI_Comm_*; arrows off';\n"
     "                  also show, only, show_all, fit, work, in, out, pan, height, waits, core_waits,\n"
     "                  time_of_day, critical_path, findings, notes, theme, palette, colour\n"
     "  --viewer        a page on which any log that is dropped opens; with LOG: one that holds and shows it\n"
     "  --text          print the picture as text, in colour on a terminal\n"
     "  --ascii         as --text, ASCII only\n"
     "  --colour WHEN   with --text: always, never, auto (on a terminal)\n"},
    {"view", NULL, "LOG... [-e SCRIPT]", "show the timelines in a window",
     "  --live         show a program that is being recorded as LOG, while it runs\n"
     "  --together     two logs in one window, on one time axis\n"
     "  --anim         animate ranks and messages\n"
     "  --from TIME    show the part from 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n] on\n"
     "  --to TIME      show the part up to this time\n"
     "  --at TIME      show the part around this time\n"
     "  --fresh        open the log as if for the first time, and remember nothing\n"
     "  --restore      restore the last view of the log, also with -e\n"
     "  --rows LIST    only these rows: ranks (0-3), threads (7.1), or names of hosts and threads (node1*,worker)\n"
     "  -e SCRIPT      commands for the window of the preceding LOG: zoom 1.2 1.4; hide MPI_*; shot x.png; quit\n"
     "                 (`help` in a script lists them)\n"
     "\n"
     "`upshot LOG` is the same command. In the window, ? lists the keys. Without a display use `pith draw`.\n"},
    {"serve", NULL, "LOG|FOLDER [--port N] [--listen ADDRESS]", "show logs of this machine in a browser on another one",
     "Prints a link. It opens the page of `pith draw --viewer`, which reads what it needs of LOG; of FOLDER, a list\n"
     "of its logs. On another machine, first: ssh -L PORT:127.0.0.1:PORT HOST, with the PORT of the link. Ctrl-C ends\n"
     "it. It answers only those who have the link, and nothing can be changed.\n"
     "\n"
     "  --port N          the port; default: a free one\n"
     "  --listen ADDRESS  listen on this address of the machine, for the network; 0.0.0.0: on all of them;\n"
     "                    default: 127.0.0.1, which only this machine reaches\n"},
    {"help", pithi_tool_help, "[COMMAND|env|formats]", "show this list, or help about one topic", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
