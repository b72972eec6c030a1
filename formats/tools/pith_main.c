/* pith_main.c - the program `pith`: finds the command that is its first argument, and runs it.
 *
 * The commands run, draw, serve and view are programs of their own, ../libexec/pith/pith-NAME relative to this program.
 * So this program links no Tcl, cairo, MPI or HTTP server.
 *
 *     pith stat a.pith     a function of this program: pithi_tool_stat
 *     pith view a.pith     execv of ../libexec/pith/pith-view, which replaces this program
 *     pith sta a.pith      "no such command: sta; did you mean `pith stat`?"
 *     pith a.pith          "a command is missing before this file"
 *
 * For an unknown command, a hint is printed, which saves a look at the manual. Three things are tried: whether another
 * tool has a command of this name; whether it is a file, so that the command is missing; which command has the nearest
 * name. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/launcher.h"
#include "base/nearest.h"
#include "base/open_file.h"
#include "native/log.h"
#include "tools/tools.h"

const struct pithi_command *pithi_command_find(const char *name)
{
    for (const struct pithi_command *command = pithi_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* Names of commands of perf and other tools, with the command of Pith that does the same. */
static const struct {
    const char *word, *instead;
} elsewhere[] = {
    {"record", "`pith run`"},
    {"start", "`pith run`"},
    {"exec", "`pith run`"},
    {"trace", "`pith run --lib trace`"},
    {"time", "`pith run --lib time`"},
    {"report", "`pith analyze` or `pith stat`"},
    {"summary", "`pith analyze` or `pith stat`"},
    {"profile", "`pith analyze` or `pith stat`"},
    {"dump", "`pith print`"},
    {"script", "`pith print`"},
    {"export", "`pith convert`"},
    {"show", "`pith view`, `pith draw` or `pith info`"},
    {"open", "`pith view`"},
    {"gui", "`pith view`"},
    {"plot", "`pith draw`"},
    {"compare", "`pith diff`"},
    {"query", "`pith sql`, or `pith print --where`"},
    {"join", "`pith merge`"},
    {"verify", "`pith check`"},
    {"repair", "`pith recover`"},
    {"version", "`pith --version`"},
    {"-v", "`pith --version`"},
    {"-V", "`pith --version`"},
};

static int unknown_command(const char *name)
{
    struct pithi_nearest nearest;

    /* Names of other tools' commands are tried first: a user who types perf's `report` means no command with a similar
     * name. */
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(name, elsewhere[i].word) == 0) {
            pithi_tool_say(stderr, "pith: no such command: %s; use %s", name, elsewhere[i].instead);
            return 2;
        }
    if (access(name, F_OK) == 0) {
        pithi_tool_say(stderr, "pith: %s: a command is missing before this file: `pith view %s`, `pith info %s` ...",
                       name, name, name);
        return 2;
    }
    pithi_nearest_begin(&nearest, name, strlen(name));
    for (const struct pithi_command *command = pithi_commands; command->name; command++)
        pithi_nearest_try(&nearest, command->name);
    pithi_nearest_try(&nearest, "--help");
    pithi_nearest_try(&nearest, "--version");
    if (nearest.name)
        pithi_tool_say(stderr, "pith: no such command: %s; did you mean `pith %s`?", name, nearest.name);
    else
        pithi_tool_say(stderr, "pith: no such command: %s; `pith help` lists them", name);
    return 2;
}

/* ---- Misspelt variables ---------------------------------------------------------------------------------------- */

static const char *const variables[] = {
#define ENV(name, standard, range, help) name,
#include "tools/env.def"
#undef ENV
    NULL};

/* ---- Under mpirun ------------------------------------------------------------------------------------------------
 *
 * `mpirun -n 4 pith analyze LOG` starts the same command four times. Rank 0 runs the command, on as many cores as ranks
 * were started on its host; the other ranks end. So the page is printed once, and no two processes write one file.
 *
 * If mpirun starts a program or script that runs a command of Pith, each rank runs the command, because each rank may
 * read another log. So a command is left to rank 0 only if it stands in the launcher's arguments and these have no
 * colon, after which another command would follow for more ranks:
 *
 *     mpirun -n 4 pith analyze a.pith                 rank 0 runs the command
 *     mpirun -n 4 sh -c 'pith analyze $PMI_RANK'      each rank runs its own command
 *     mpirun -n 1 pith analyze a : -n 1 pith ...      each rank runs its own command
 *
 * Two more conditions must hold for this. The launcher has the same working folder as this process. And no program or
 * script stands between the launcher and this process: the parent's environment does not have the variable with the
 * rank, which the launcher sets only for its children. On hosts where the launcher does not run, its arguments are not
 * known, so each process runs the command. */

/* Reads /proc/PID/NAME, which may contain bytes of 0. Returns the size, or 0 if the file cannot be read or is too
 * long. */
static size_t read_of_process(int pid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    FILE *file = pithi_open_whole(path);
    size_t size = file ? fread(text, 1, room, file) : 0;
    if (file)
        fclose(file);
    return size < room ? size : 0;
}

static int parent_of(int pid)
{
    char text[1024];
    size_t size = read_of_process(pid, "stat", text, sizeof text);
    const char *end = memrchr(text, ')', size); /* the end of the program's name; the name itself may contain ')' */
    int parent = 0;
    text[size] = '\0';
    return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Returns 1 if one of the three nearest ancestors is a launcher with the same working folder, whose arguments contain
 * the command line of this process. */
static int is_in_arguments_of_launcher(void)
{
    static char own[1 << 16], others[1 << 16], place[PATH_MAX], other_place[PATH_MAX];
    size_t size = read_of_process(getpid(), "cmdline", own, sizeof own);
    int levels = 0;
    if (!size || !getcwd(place, sizeof place))
        return 0;
    for (int pid = getppid(); pid > 1 && levels < 3; pid = parent_of(pid), levels++) {
        size_t all = read_of_process(pid, "cmdline", others, sizeof others);
        const char *at = all > size ? memmem(others + 1, all - 1, own, size) : NULL;
        char link[64];
        snprintf(link, sizeof link, "/proc/%d/cwd", pid);
        ssize_t length = readlink(link, other_place, sizeof other_place - 1);
        other_place[length > 0 ? length : 0] = '\0';
        if (at && at[-1] == '\0' && !memmem(others, all, "\0:", 3))
            return strcmp(place, other_place) == 0;
    }
    return 0;
}

/* Returns 1 if the environment of the parent process has the launcher's variable, too. */
static int has_parent(const char *variable)
{
    static char text[1 << 18];
    size_t size = read_of_process(getppid(), "environ", text, sizeof text), length = strlen(variable);
    for (const char *word = text; word < text + size; word += strnlen(word, (size_t)(text + size - word)) + 1)
        if ((size_t)(text + size - word) > length && memcmp(word, variable, length) == 0 && word[length] == '=')
            return 1;
    return 0;
}

/* Lets this process use `count` cores. If the launcher binds each rank to a core, the cores of the ranks that end would
 * be idle. If this process has no right to use more cores, nothing changes. */
static void use_cores(unsigned count)
{
    cpu_set_t bound, all;
    if (sched_getaffinity(0, sizeof bound, &bound) != 0)
        return;
    memset(&all, 0xff, sizeof all);
    if (sched_setaffinity(0, sizeof all, &all) != 0 || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    for (int core = 0; core < CPU_SETSIZE && (unsigned)CPU_COUNT(&bound) < count; core++)
        if (CPU_ISSET(core, &all))
            CPU_SET(core, &bound);
    sched_setaffinity(0, sizeof bound, &bound);
}

/* Returns 1 if rank 0 of the same job runs the command, so that this process can end. */
static int is_done_by_rank_0(const char *command)
{
    static const char *const ranks[] = {PITHI_RANK_VARIABLES, NULL},
                             *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL},
                             *const here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
    const char *variable, *value, *size, *count;
    if (!(variable = pithi_launcher_variable(ranks, &value)) || has_parent(variable) || !is_in_arguments_of_launcher())
        return 0;
    if (strcmp(value, "0") != 0)
        return 1;
    if (pithi_launcher_variable(sizes, &size) && atoi(size) > 1) {
        if (!pithi_is_quiet())
            pithi_tool_say(stderr, "pith: %s was started %s times; rank 0 does it, the others end", command, size);
        if (pithi_launcher_variable(here, &count))
            use_cores((unsigned)atoi(count));
    }
    return 0;
}

/* ---- Running --------------------------------------------------------------------------------------------------- */

static int is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

/* Returns 1 if one of the arguments asks for help. For `run` it returns 0, because only `run` itself knows where the
 * arguments of the user's program begin; it looks for --help itself. */
static int asks_for_help(const struct pithi_command *command, int argc, char **argv)
{
    int count = strcmp(command->name, "run") == 0 ? 0 : argc;
    for (int i = 1; i < count && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return 1;
    return 0;
}

static int run_command(const struct pithi_command *command, int argc, char **argv)
{
    if (asks_for_help(command, argc, argv)) {
        char *help[] = {"help", argv[0], NULL};
        return pithi_tool_help(2, help);
    }
    /* Only rank 0 prints hints; otherwise 64 ranks would print each hint 64 times. */
    if (strcmp(command->name, "run") == 0 && pithi_launcher_rank(0) == 0) {
        /* Prints a hint for each environment variable whose name is nearly that of one of Pith's variables. Other
         * unknown names may be the user's. */
        for (char **at = environ; *at; at++) {
            struct pithi_nearest nearest;
            size_t length = strcspn(*at, "=");
            /* Only names that begin with PITH are checked. For the name of a variable of Pith, no hint is printed. */
            if (strncmp(*at, "PITH", 4) != 0)
                continue;
            pithi_nearest_begin(&nearest, *at, length);
            for (int i = 0; variables[i]; i++)
                pithi_nearest_try(&nearest, variables[i]);
            if (nearest.name && nearest.edits > 0)
                pithi_tool_say(stderr, "pith: %.*s: no such variable%s", (int)length, *at, pithi_nearest_ask(&nearest));
        }
    }
    if (strcmp(command->name, "run") != 0 && is_done_by_rank_0(command->name))
        return 0;
    if (!command->run) {
        /* Becomes the program libexec/pith/pith-NAME; returns only on failure. Its path is found by /proc/self/exe,
         * so an installation that was moved as a whole still works. */
        char *path = pithi_tool_program(command->name);

        if (!path)
            return pithi_tool_failed();
        if (access(path, F_OK) != 0)
            pithi_fail(PITH_ERR_OPEN, "%s: this part was not built: %s does not exist; %s", command->name, path,
                       strcmp(command->name, "view") == 0 ? "install Tcl/Tk with its headers, then run make again"
                       : strcmp(command->name, "serve") == 0
                           ? "install libmicrohttpd with its headers, then run make again"
                           : "run make again");
        else {
            execv(path, argv);
            pithi_fail(PITH_ERR_OPEN, "%s: cannot start: %s", path, strerror(errno));
        }
        free(path);
        return pithi_tool_failed();
    }
    /* `pith print x | head` ends quietly even if the parent ignores SIGPIPE, as some Python programs do. */
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* makes write() fail at the limit of file sizes; then the partial file is removed */
    /* The commands of this program draw nothing, so no summaries are made for logs of other formats. */
    pithi_log_plain();
    return command->run(argc, argv);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];

    /* If this program is installed under the name `upshot`, that of MPE's viewer, it acts as `pith view`. */
    if (strcmp(name, "upshot") == 0) {
        if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
            argv[1] = "view";
            return pithi_tool_complete(argc - 1, argv + 1);
        }
        argv[0] = "view";
        if (argc < 2 || strcmp(argv[1], "--version") != 0)
            return run_command(pithi_command_find("view"), argc, argv);
    }
    argc--, argv++;
    if (argc == 0 || is_help(argv[0])) {
        char *help[] = {"help", argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL, NULL};
        return pithi_tool_help(argc > 3 ? 3 : argc ? argc : 1, help); /* passes on a second topic, which help refuses */
    }
    if (strcmp(argv[0], "--version") == 0) {
        puts("pith " PITH_VERSION);
        return pithi_tool_flush(stdout) ? pithi_tool_failed() : 0;
    }
    if (strcmp(argv[0], "--complete") == 0)
        return pithi_tool_complete(argc - 1, argv + 1);
    if (strcmp(argv[0], "--prepare") == 0)
        return pithi_tool_prepare(argc, argv);
    const struct pithi_command *command = pithi_command_find(argv[0]);
    return command ? run_command(command, argc, argv) : unknown_command(argv[0]);
}
