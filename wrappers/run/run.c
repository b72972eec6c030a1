/* run.c - the command line of pith run, the environment that it sets, and the exec.
 *
 *     mpirun -n 4 pith run --lib time -o t.csv ./app -v
 *
 * becomes, in each of the 4 processes, `./app -v` with LD_PRELOAD=.../libpith-time.so and PITH_TIME_FILE=/home/u/t.csv
 * (absolute, as the program may change its folder). The library inside the program does the rest. mpirun must start
 * pith run, because `pith run mpirun` would record the launcher. For such a command line, pith run prints the right
 * one.
 */
#include "run.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"

/* The values of --lib. The library is lib/pith/MPI/libpith-FILE.so, where FILE is `file`; -o sets the variable
 * `output`. */
static const struct library {
    const char *name, *file, *output;
} libraries[] = {
    {"log", "mpi", "PITH_LOG"},   {"trace", "trace", "PITH_TRACE_FILE"}, {"time", "time", "PITH_TIME_FILE"},
    {"anim", "anim", "PITH_LOG"}, {"check", "check", "PITH_CHECK_FILE"},
};
enum { LIBRARIES = sizeof libraries / sizeof libraries[0] };
/* The values of --also: libraries that add to the log, lib/pith/libpith-NAME.so. */
static const char *const also[] = {"io", "functions", "openmp", "pthread", "memory"};
enum { ALSO = sizeof also / sizeof also[0] };

struct run_options {
    const char *output, *library, *mpi; /* as given; NULL: the default */
    int answer;                         /* 1: print the page of `pith analyze` at the end */
    int also[ALSO];                     /* 1: wanted, by the index in the array `also` */
    const struct library *ready;        /* the row of the table; NULL: `library` is a path */
    char **program;                     /* NULL-terminated */
};

static void usage(const char *format, ...)
{
    va_list values;

    if (rank_of_launcher() == 0) {
        va_start(values, format);
        fprintf(stderr, "pith run: ");
        vfprintf(stderr, format, values);
        fprintf(stderr, "; see `pith help run`\n");
        va_end(values);
    }
    exit(2);
}

/* Marks the libraries that --also names. `names` are separated by commas. */
static void parse_also(struct run_options *options, const char *names)
{
    char *copy = strdup(names), *last = NULL;

    for (char *name = strtok_r(copy, ",", &last); name; name = strtok_r(NULL, ",", &last)) {
        int i = 0;
        while (i < ALSO && strcmp(also[i], name) != 0)
            i++;
        if (i == ALSO)
            usage("--also (PITH_ALSO): nothing is called %s; there are: io, functions, openmp, pthread, memory", name);
        options->also[i] = 1;
    }
    free(copy);
}

/* Returns PREFIX, where this program is PREFIX/libexec/pith/pith-run. The caller frees it. */
static char *prefix_of_this(void)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);

    path[size < 0 ? 0 : size] = 0;
    for (int i = 0; i < 3; i++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    return strdup(path);
}

/* Replaces this process by `pith help run`. */
static void help(void)
{
    char *prefix = prefix_of_this(), *path = NULL;

    if (asprintf(&path, "%s/bin/pith", prefix) > 0)
        execl(path, "pith", "help", "run", NULL);
    usage("%s: %s", path ? path : prefix, strerror(errno));
}

/* Prints the command with `pith run` behind the launcher, and exits. `from`: the launcher's first argument. */
static void turn_round(const char *launcher, char **from)
{
    char command[1024] = "";
    int is_begun = 0;

    for (; *from; from++) {
        char *program =
            is_begun || **from == '-' || from[0][strspn(*from, "0123456789")] == 0 ? NULL : program_path(*from);
        snprintf(command + strlen(command), sizeof command - strlen(command), "%s %s", program ? " pith run" : "",
                 *from);
        is_begun |= program != NULL;
        free(program);
    }
    if (!is_begun)
        snprintf(command, sizeof command, " -n 4 pith run ./app");
    if (rank_of_launcher() == 0)
        fprintf(stderr, "pith run: put it the other way round: %s%s\n", launcher, command);
    exit(2);
}

static int is_launcher(const char *path)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcspn(name, ".") == strlen(names[i]) && !strncmp(name, names[i], strlen(names[i])))
            return 1;
    return 0;
}

static void parse_options(int argc, char **argv, struct run_options *options)
{
    const char *names = NULL;
    const struct {
        const char *name;
        const char **to;
    } valued[] = {{"-o", &options->output}, {"--lib", &options->library}, {"--mpi", &options->mpi}, {"--also", &names}};
    enum { VALUED = sizeof valued / sizeof valued[0] };
    int i = 1;

    if (argc > 1 && !strcmp(argv[1], "run")) /* `pith` passes its own arguments on, beginning with the command's name */
        i = 2;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            help();
        if (!strcmp(argv[i], "--answer")) {
            options->answer = 1;
            continue;
        }
        size_t v = 0, size = strcspn(argv[i], "=");
        if (size == 8 && !strncmp(argv[i], "--sample", size)) { /* the value of --sample is optional */
            /* Only a rough check; the recorder reads the value (liblog/settings.c). */
            const char *value = argv[i][size] ? argv[i] + size + 1 : "10";
            if (strcmp(value, "wall") != 0 && strcspn(value, "123456789") == strcspn(value, ","))
                usage("--sample needs a period in milliseconds or wall, such as 10, 1ms or 10ms,wall, not %s", value);
            setenv("PITH_SAMPLE", value, 1);
            continue;
        }
        while (v < VALUED && (strlen(valued[v].name) != size || strncmp(argv[i], valued[v].name, size) != 0))
            v++;
        if (v == VALUED && (!strcmp(argv[i], "-n") || !strcmp(argv[i], "-np")))
            turn_round("mpirun", argv + i);
        if (v == VALUED)
            usage("no option %s", argv[i]);
        if (argv[i][size])
            *valued[v].to = argv[i] + size + 1;
        else if (i + 1 < argc)
            *valued[v].to = argv[++i];
        else
            usage("%s needs a value", argv[i]);
    }
    if (i >= argc)
        usage("no program given");
    options->program = argv + i;
    if (is_launcher(argv[i]) && !mpi_of_launcher())
        turn_round(argv[i], argv + i + 1);
    if (!options->library)
        options->library = "log";
    for (int k = 0; k < LIBRARIES; k++)
        if (!strcmp(libraries[k].name, options->library))
            options->ready = &libraries[k];
    if (!options->ready && !strchr(options->library, '/')) {
        char ready[16 * LIBRARIES] = "";
        for (int k = 0; k < LIBRARIES; k++)
            snprintf(ready + strlen(ready), sizeof ready - strlen(ready), "%s, ", libraries[k].name);
        usage("no library %s; there are: %sand paths of your own (./libNAME.so)", options->library, ready);
    }
    if (!options->ready && access(options->library, R_OK)) {
        if (rank_of_launcher() == 0)
            fprintf(stderr, "pith run: %s: %s\n", options->library, strerror(errno));
        exit(1);
    }
    if (!options->mpi && getenv("PITH_MPI") && *getenv("PITH_MPI"))
        options->mpi = getenv("PITH_MPI");
    if (options->mpi && strcmp(options->mpi, "mpich") != 0 && strcmp(options->mpi, "openmpi") != 0 &&
        strcmp(options->mpi, "abi") != 0)
        usage("no MPI called %s; there are: mpich, openmpi, abi", options->mpi);
    if ((names || options->answer) && (!options->ready || strcmp(options->ready->output, "PITH_LOG") != 0))
        usage("%s needs a library that writes a log, not --lib %s", names ? "--also" : "--answer", options->library);
    parse_also(options, names ? names : getenv("PITH_ALSO") ? getenv("PITH_ALSO") : "");
}

/* Adds a library before or after the libraries that are already preloaded. Most are added after, so that another tool
 * that counts or checks calls still sees calls first. */
enum place { BEFORE, AFTER };
static void preload_at(enum place place, const char *library)
{
    const char *old = getenv("LD_PRELOAD");
    char *list;

    if (strpbrk(library, " \t\n:")) { /* these characters separate names in LD_PRELOAD */
        static int said;
        if (!said++ && rank_of_launcher() == 0)
            fprintf(stderr,
                    "pith run: %s: nothing is recorded: a path with a blank or colon cannot be preloaded; "
                    "move Pith\n",
                    library);
        return;
    }
    if (!old || !*old)
        list = strdup(library);
    else if (asprintf(&list, "%s:%s", place == BEFORE ? library : old, place == BEFORE ? old : library) < 0)
        list = NULL;
    if (list)
        setenv("LD_PRELOAD", list, 1);
}

static void preload(const char *library) { preload_at(AFTER, library); }

/* Returns PREFIX/TAIL, where TAIL is `format` with `name` in it. The caller frees it. */
static char *library_path(const char *prefix, const char *format, const char *name)
{
    char *tail, *path;

    if (asprintf(&tail, format, name) < 0 || asprintf(&path, "%s/%s", prefix, tail) < 0)
        exit(1);
    free(tail);
    return path;
}

/* Makes a path absolute, because the program may change its folder. Returns NULL on an error. */
static char *absolute(const char *name)
{
    char *folder = name[0] == '/' ? strdup("") : getcwd(NULL, 0), *path = NULL;

    if (folder && asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name) < 0)
        path = NULL;
    free(folder);
    return path;
}

static void preload_wrappers(const struct program *program, const char *prefix, const char *mpi, const char *file)
{
    char *folder = library_path(prefix, "lib/pith/%s", mpi), *wrappers = library_path(folder, "libpith-%s.so", file);

    if (access(wrappers, R_OK)) {
        if (rank_of_launcher() == 0)
            fprintf(stderr, "pith run: %s: no wrappers for %s here (%s); %s\n", program->path, mpi, wrappers,
                    strcmp(mpi, "abi") != 0 ? "build Pith with this MPI's mpicc" : "build all of Pith: make");
        exit(1);
    }
    preload(wrappers);
    free(wrappers);
    free(folder);
}

static void preload_log(const struct program *program, const char *prefix, const char *mpi)
{
    char *library = library_path(prefix, "lib/libpith.so.%s", PITH_SOVERSION);
    /* If libpith.so is not in PREFIX/lib, the loader searches for it. */
    preload(access(library, R_OK) ? "libpith.so." PITH_SOVERSION : library);
    char *note = library_path(prefix, "lib/pith/libpith-run.so%s", "");
    if (!access(note, R_OK))
        preload(note);
    /* Sets _PITH_RUN. libpith-run (preload/note.c) reads it to explain why nothing was recorded; libpith reads it to
     * reach the watcher. */
    const char *slash = strrchr(program->path, '/');
    char *word, *watch = rank_of_launcher() == 0 ? watch_program() : NULL;
    if (asprintf(&word, "-%ld %d %s %s %s", (long)getpid(), rank_of_launcher(), mpi ? mpi : "-", watch ? watch : "-",
                 slash ? slash + 1 : program->path) > 0)
        setenv("_PITH_RUN", word, 1);
    free(library);
    free(note);
}

/* Preloads libpith-pcxx, whose members of the C++ bindings are recorded under their own names. It must come before the
 * libpith-cxx that the program is linked with. */
static void preload_cxx(const struct program *program, const char *prefix, const char *mpi)
{
    char *folder = mpi && program->is_cxx ? library_path(prefix, "lib/pith/%s", mpi) : NULL;
    char *library = folder ? library_path(folder, "libpith-%s.so", "pcxx") : NULL;

    if (library && !access(library, R_OK))
        preload(library);
    free(library);
    free(folder);
}

static void preload_also(const struct run_options *options, const char *prefix)
{
    for (int i = 0; i < ALSO; i++) {
        char *library = options->also[i] ? library_path(prefix, "lib/pith/libpith-%s.so", also[i]) : NULL;
        if (library && access(library, R_OK) && rank_of_launcher() == 0)
            fprintf(stderr, "pith run: --also %s: Pith was built without libdw; the program runs without it\n",
                    also[i]);
        else if (library) /* libpith-memory is added before: an allocator in front of it would hide calls */
            preload_at(strcmp(also[i], "memory") ? AFTER : BEFORE, library);
        free(library);
    }
}

/* Sets the option verify_asan_link_order=0, without which the shared runtime of the address sanitizer refuses to start
 * if it is not the first library. Pith's libraries may come before the runtime, because their wrappers call the
 * runtime's wrappers of the same functions. The runtime's message suggests to preload the runtime itself. But this
 * would load it into all programs that this program starts, which would then end with its errors. For a script, it is
 * not known what the interpreter will load, so the option is set in any case. */
static void set_sanitizer(const struct program *program)
{
    const char *old = getenv("ASAN_OPTIONS");
    char *options;

    if ((program->is_asan || program->binary != program->path) &&
        asprintf(&options, "%s%sverify_asan_link_order=0", old ? old : "", old && *old ? ":" : "") > 0)
        setenv("ASAN_OPTIONS", options, 1);
}

static void set_preload(const struct run_options *options, const struct program *program, const char *mpi)
{
    char *prefix = prefix_of_this();

    if (!options->ready)
        preload(absolute(options->library));
    else if (mpi)
        preload_wrappers(program, prefix, mpi, options->ready->file);
    else if (options->ready != &libraries[0] && rank_of_launcher() == 0)
        fprintf(stderr,
                "pith run: %s: not linked with MPI and not started by mpirun; it runs without %s (--mpi names its "
                "MPI)\n",
                program->path, options->library);
    if (options->ready && !strcmp(options->ready->output, "PITH_LOG")) {
        preload_log(program, prefix, mpi);
        preload_cxx(program, prefix, mpi);
        preload_also(options, prefix);
    }
    free(prefix);
}

/* Returns 1 if PITH_ANALYZE asks for the page that --answer prints. */
static int is_answer_set(void)
{
    const char *value = getenv("PITH_ANALYZE");

    return value && *value && strcmp(value, "0") != 0 && strcmp(value, "no") != 0;
}

/* Sets the variable to the process number of this process, which the program keeps. */
static void set_to_own_pid(const char *variable)
{
    char process[32];

    snprintf(process, sizeof process, "%ld", (long)getpid());
    setenv(variable, process, 1);
}

int main(int argc, char **argv)
{
    struct run_options options = {0};
    struct program program;

    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* so that the lines of several ranks are not mixed (see base/say.h) */
    if (pithi_no_stderr)
        set_to_own_pid(PITHI_NO_STDERR);
    parse_options(argc, argv, &options);
    int bad = program_find(options.program[0], &program);
    if (bad)
        return bad;
    const char *linked =
        program.kind == PROGRAM_STATIC || program.kind == PROGRAM_FOREIGN ? NULL : mpi_of_program(&program);
    if (program.rights) {
        if (rank_of_launcher() == 0)
            fprintf(stderr, "pith run: %s: %s, which the system protects from being recorded; it runs unrecorded\n",
                    program.path, program.rights);
    } else if (program.kind == PROGRAM_STATIC || program.kind == PROGRAM_FOREIGN) {
        if (rank_of_launcher() == 0)
            fprintf(stderr, "pith run: %s: %s, which cannot be recorded without relinking it; it runs unrecorded\n",
                    program.path,
                    program.kind == PROGRAM_STATIC ? "a static program" : "a program for another machine");
    } else {
        const char *mpi = options.mpi ? options.mpi : linked;
        set_preload(&options, &program, mpi ? mpi : mpi_of_launcher());
        set_sanitizer(&program);
        if (linked || !mpi_of_launcher()) {
            /* Lets the libraries of --also record calls of this process even before its first MPI call. This is not
             * done if mpirun started the process and it is not linked with MPI, because it may be a script or another
             * starter of the real program, and such a starter would write a log of its own. */
            set_to_own_pid("_PITH_ALSO");
        }
        int is_set = is_answer_set(), no_log = options.output && !strcmp(options.output, "none") &&
                                               (options.answer || (is_set && options.ready == &libraries[0]));
        if (options.answer && !is_set) /* a value that the user has set stays, because it may be a time limit */
            setenv("PITH_ANALYZE", "1", 1);
        int is_log = !options.ready || !strcmp(options.ready->output, "PITH_LOG");
        if (is_log && options.output && !no_log && (!strcmp(options.output, "none") || !strcmp(options.output, "-")))
            usage("-o %s: %s; a file of this name is ./%s", options.output,
                  *options.output == '-' ? "a log cannot go to standard output" : "only with --answer is no log kept",
                  options.output);
        char *path = no_log ? strdup("none") : options.output ? absolute(options.output) : NULL;
        if (path)
            setenv(options.ready ? options.ready->output : "PITH_LOG", path, 1);
        free(path);
    }
    execv(program.path, options.program);
    if (errno == ENOEXEC) { /* a script without "#!": it is run by sh, as a shell does */
        options.program[0] = program.path;
        options.program[-1] = "sh";
        execv("/bin/sh", options.program - 1);
    }
    int fault = errno;
    if (speaks_for_host())
        fprintf(stderr, "pith run: %s: %s\n", program.path, strerror(fault));
    return fault == ENOENT ? 127 : 126;
}
