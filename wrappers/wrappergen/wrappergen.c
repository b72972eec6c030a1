/* wrappergen.c - the command line: reads prototypes and tables, and writes wrappers from the templates.
 *
 * The prototypes come from the MPI that is installed: `$MPICC -E` of mpi.h, and the names that its libraries export. A
 * header may declare functions that the library lacks, or that have other arguments than in the standard. Wrappers of
 * such functions would not link or compile, so these functions are left out. --list prints, for example:
 *
 *     MPI_Send                                                   on standard output
 *     left out: MPI_Foo (declared, but not exported by ...)      on standard error
 *
 * The output is written at the end, and only if there was no error, so a Makefile never finds half a file. */
#include "wrappergen.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/nearest.h"
#include "base/open_file.h"

static const char help[] =
    "Usage: wrappergen [-w] FILE.w ... [-f FUNCTIONS] [-H HEADER | -p PROTOS] [-r ROLES] [-o OUT] [OPTIONS]\n"
    "Writes profiling wrappers for MPI functions from templates (the language: see wrappergen(1)).\n"
    "  -w FILE...       templates; their order gives {{fileno}} 0, 1, ...; \"-\" is the standard input\n"
    "  -f FUNCTIONS     a file of the names of the functions to consider (default: all)\n"
    "  -H HEADER        prototypes from this header, preprocessed or not (default: <mpi.h>, by $MPICC -E)\n"
    "  -p PROTOS        prototypes from a classic prototype file instead\n"
    "  -r ROLES         table of classes and argument roles: gives @class in lists, {{ROLE}} in wrappers\n"
    "  -o OUT           write to this file if there was no error (default: the standard output)\n"
    "  --exports FILE   names that the MPI library exports; functions whose PMPI name is missing are left out\n"
    "                   (default: the exports of $MPICC's libraries, unless -H or -p is given)\n"
    "  --dialect=wrap   templates in the other dialect: {{callfn}} any number of times, {{sub}}, {{def}} ...\n"
    "  --all            {{fnall}} and {{forallfn}} of that dialect include MPIX, MPI_T and conversions of handles\n"
    "  --no-prelude     omit the #include and #define lines that templates of that dialect expect\n"
    "  --guard          calls inside a wrapped call (of the same thread) go straight to the MPI library\n"
    "  --fortran        also write Fortran entry points; =only: only these; =no: only the C functions to go with them\n"
    "  --cxx            write member functions of the C++ bindings (MPI::Comm::Send) instead of C functions;\n"
    "                   =weak: a program can replace them one by one, even from an archive\n"
    "  --bindings FILE  the table of the C++ bindings for --cxx (default: the one installed)\n"
    "  --preload        define MPI_X and PMPI_X, and call the next one through NEXT(MPI_X) (default: call PMPI_X)\n"
    "  --keep-unknown   copy unknown escapes, with a warning\n"
    "  --list           list the functions considered, and on stderr those left out; write nothing else\n"
    "  -h, --help       this text\n";

struct gen_options {
    const char **templates;
    int template_count;
    /* names of files, as given; NULL: the default */
    const char *functions, *header, *protos, *roles, *out, *exports, *bindings;
    int flags, list, is_wrap; /* flags: EMIT_ bits */
};

/* Reports a wrong command line and exits with status 2. `format` has one %s, for `what`. */
static void usage(const char *format, const char *what)
{
    fprintf(stderr, "wrappergen: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "; see wrappergen -h\n");
    exit(2);
}

/* Exits with status 1 if the file cannot be read. */
static void read_or_exit(const char *name, struct gen_source *source)
{
    if (source_read(name, source)) {
        fprintf(stderr, "wrappergen: %s: %s\n", name, strerror(errno));
        exit(1);
    }
}

/* Reads an option without a value. Returns 0 if it is not such an option. */
static int parse_flag(const char *option, struct gen_options *options)
{
    static const struct {
        const char *name;
        int flags;
    } flags[] = {{"--preload", EMIT_PRELOAD},
                 {"--keep-unknown", EMIT_KEEP_UNKNOWN},
                 {"--guard", EMIT_GUARD},
                 {"--fortran", EMIT_FORTRAN},
                 {"--fortran=only", EMIT_FORTRAN | EMIT_FORTRAN_ONLY},
                 {"--fortran=no", EMIT_FORTRAN | EMIT_C_ONLY},
                 {"--dialect=classic", 0},
                 {"--dialect=wrap", 0},
                 {"--list", 0},
                 {"--cxx", EMIT_CXX},
                 {"--cxx=weak", EMIT_CXX | EMIT_WEAK},
                 {"--all", EMIT_ALL},
                 {"--no-prelude", EMIT_NO_PRELUDE},
                 {"-w", EMIT_QUIET}};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (!strcmp(option, flags[i].name)) {
            options->flags |= flags[i].flags;
            options->list |= !strcmp(option, "--list");
            if (!strncmp(option, "--dialect=", 10))
                options->is_wrap = !strcmp(option + 10, "wrap");
            return 1;
        }
    return 0;
}

/* Reads the command line; an error ends the process. */
static void parse_options(int argc, char **argv, struct gen_options *options)
{
    const struct { /* options with a file */
        const char *name;
        const char **to;
    } valued[] = {{"-f", &options->functions},       {"-H", &options->header}, {"-p", &options->protos},
                  {"-r", &options->roles},           {"-o", &options->out},    {"--exports", &options->exports},
                  {"--bindings", &options->bindings}};

    for (int i = 1; i < argc; i++) {
        size_t v;
        for (v = 0; v < sizeof valued / sizeof valued[0] && strcmp(argv[i], valued[v].name); v++)
            ;
        if (v < sizeof valued / sizeof valued[0]) {
            if (++i == argc) /* the value is the next word */
                usage("%s needs a file", argv[i - 1]);
            *valued[v].to = argv[i];
        } else if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            fputs(help, stdout);
            exit(0);
        } else if (!strncmp(argv[i], "--dialect=", 10) && !parse_flag(argv[i], options)) {
            usage("no dialect %s (classic, wrap)", argv[i] + 10);
        } else if (argv[i][0] == '-' && argv[i][1] && !parse_flag(argv[i], options)) {
            /* Proposes the nearest option in the help text, where each option begins with a dash. */
            const char *text = help;
            struct pithi_nearest nearest;

            pithi_nearest_begin(&nearest, argv[i], strlen(argv[i]));
            for (; *text; text += strcspn(text, " \n;:") + (text[strcspn(text, " \n;:")] != '\0'))
                if (text[0] == '-' && text[1] == '-')
                    pithi_nearest_try(&nearest, text_copy(text, strcspn(text, " \n;:,")));
            if (!nearest.name)
                usage("no option %s", argv[i]);
            fprintf(stderr, "wrappergen: no option %s%s\n", argv[i], pithi_nearest_ask(&nearest));
            exit(2);
        } else if (argv[i][0] != '-' || !argv[i][1]) { /* "-" is a template, the standard input */
            options->templates = grow(options->templates, (size_t)options->template_count, sizeof *options->templates);
            options->templates[options->template_count++] = argv[i];
        }
    }
    if (!options->template_count && !options->list)
        usage("no template%s", "");
    /* A template must not be replaced by its own output. */
    struct stat out, template;

    for (int i = 0;
         options->out && stat(options->out, &out) == 0 && S_ISREG(out.st_mode) && i < options->template_count; i++)
        if (stat(options->templates[i], &template) == 0 && out.st_dev == template.st_dev &&
            out.st_ino == template.st_ino)
            usage("-o %s is the template; give the output another name", options->out);
    if (options->protos && options->header)
        usage("-p and -H exclude each other%s", "");
    if (options->flags & EMIT_CXX && options->flags & (EMIT_PRELOAD | EMIT_FORTRAN))
        usage("--cxx writes members only; --preload and --fortran are for the C functions, in a file of their own%s",
              "");
    if (options->flags & EMIT_PRELOAD && options->flags & EMIT_FORTRAN)
        usage("--fortran is for linking; a library made with --preload sees Fortran's calls as it is%s", "");
}

/* Reads a header (NULL: mpi.h). If it has preprocessor directives, it is preprocessed. */
static void read_header(const char *name, struct gen_source *source)
{
    if (!name) {
        compiler_preprocess(NULL, source);
        return;
    }
    read_or_exit(name, source);
    static const char *const directives[] = {"\n#include", "\n#define", "\n#ifndef", "\n#ifdef", "\n#if ", NULL};
    int raw = 0;
    for (int i = 0; directives[i]; i++)
        raw |= !strncmp(source->at, directives[i] + 1, strlen(directives[i]) - 1) ||
               strstr(source->at, directives[i]) != NULL;
    if (raw)
        compiler_preprocess(name, source);
}

/* Keeps only the functions that are asked for and that the library has, and numbers them. Fills `exports` with the
 * names that the library has: from a file, or as $MPICC finds them. */
static void leave_out(struct protos *protos, const struct gen_options *options, struct name_set *exports)
{
    struct gen_source source = {0};
    struct name_set functions = {0};
    int kept = 0;

    if (options->functions) {
        read_or_exit(options->functions, &source);
        name_set_read(&functions, source.at);
    }
    if (options->exports) {
        read_or_exit(options->exports, &source);
        name_set_read(exports, source.at);
        name_set_add(exports, ""); /* not empty, so that the names count as known even if the file is empty */
    } else if (!options->header && !options->protos) {
        compiler_exports(protos, options->flags & EMIT_FORTRAN, exports);
    } else if (options->flags & EMIT_FORTRAN) {
        fprintf(stderr,
                "wrappergen: with %s the functions of the library are unknown, so entry points for mpi_f08 are left "
                "out; give --exports\n",
                options->header ? "-H" : "-p");
    }
    for (int i = 0; i < protos->count; i++) {
        const char *name = protos->at[i].name;
        if (exports->count && !name_set_has(exports, "P", name)) {
            if (options->list)
                fprintf(stderr, "left out: %s (declared, but not exported by the library)\n", name);
            /* The templates are written for another version of the standard than this MPI has. */
        } else if (!options->protos && protos->at[i].standard_count &&
                   protos->at[i].standard_count != protos->at[i].arg_count) {
            fprintf(stderr, "left out: %s (the header declares %d arguments, the MPI standard has %d)\n", name,
                    protos->at[i].arg_count, protos->at[i].standard_count);
        } else if (!options->functions || name_set_has(&functions, "", name)) {
            protos->at[kept] = protos->at[i];
            protos->at[kept].id = kept;
            kept++;
        }
    }
    protos->count = kept;
}

/* Writes the output to a file beside `name`, and then renames this file to `name`, so that a failure leaves the old
 * file. `name` NULL: writes to standard output. */
static int write_out(const char *name, const struct gen_text *text)
{
    struct pithi_cause cause;
    struct stat info;

    if (!name)
        return fwrite(text->at, 1, text->size, stdout) != text->size || fflush(stdout) ? -1 : 0;
    if (!stat(name, &info) && !S_ISREG(info.st_mode)) { /* never replace a device or a pipe */
        FILE *device = fopen(name, "w");
        int failed = !device || fwrite(text->at, 1, text->size, device) != text->size;
        failed |= device && fclose(device);
        if (failed)
            fprintf(stderr, "wrappergen: %s: cannot write: %s\n", name, pithi_cause_of(&cause, name, errno));
        return failed ? -1 : 0;
    }
    const char *part = text_format("%s.part", name);
    FILE *file = pithi_make_stream(part, "w");
    int bad = !file || fwrite(text->at, 1, text->size, file) != text->size;
    bad |= file && fclose(file);
    if (bad || rename(part, name)) {
        fprintf(stderr, "wrappergen: %s: cannot write: %s\n", name, pithi_cause_of(&cause, name, errno));
        unlink(part);
        return -1;
    }
    return 0;
}

/* Returns PREFIX/share/pith/wrappergen/bindings.table, where this program is PREFIX/bin/wrappergen. */
static const char *bindings_file(void)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);

    path[size < 0 ? 0 : size] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    }
    return text_format("%s/share/pith/wrappergen/bindings.table", path);
}

int main(int argc, char **argv)
{
    struct gen_options options = {0};
    struct gen_source header;
    struct name_set exports = {0};
    struct protos protos = {0};
    struct roles roles = {0};
    struct bindings bindings = {0};

    signal(SIGXFSZ, SIG_IGN); /* report a file size limit as a write error, and leave no partial file */
    parse_options(argc, argv, &options);
    /* A file without any prototype is an error: it is not what the user meant. */
    if (options.protos) {
        read_or_exit(options.protos, &header);
        protofile_parse(&header, &protos);
    } else {
        read_header(options.header, &header);
        protos_parse(&header, &protos);
    }
    if (!protos.count && !fault_count) {
        fprintf(stderr, "wrappergen: %s: no MPI function declared in it\n", header.name);
        exit(1);
    }
    names_apply(&protos);
    struct protos declared = protos;
    declared.at = make(((size_t)protos.count + 1) * sizeof *declared.at);
    if (protos.count)
        memcpy(declared.at, protos.at, (size_t)protos.count * sizeof *declared.at);
    leave_out(&protos, &options, &exports);
    if (options.roles) { /* before the templates, as they may ask for roles */
        read_or_exit(options.roles, &roles.source);
        roles_parse(&roles);
        roles_apply(&roles, &protos);
    }
    if (options.flags & EMIT_CXX) {
        read_or_exit(options.bindings ? options.bindings : bindings_file(), &bindings.source);
        bindings_parse(&bindings);
        bindings_apply(&bindings, &protos);
    }
    if (options.list) {
        for (int i = 0; i < protos.count; i++)
            puts(protos.at[i].name);
        return fault_count != 0;
    }
    struct emitter emitter = {.protos = &protos,
                              .declared = &declared,
                              .flags = options.flags | (options.is_wrap ? EMIT_WRAP : 0),
                              .exports = exports.count ? &exports : NULL,
                              .bindings = options.flags & EMIT_CXX ? &bindings : NULL};
    struct gen_source *sources = make((size_t)options.template_count * sizeof *sources);
    function_prelude(&emitter);
    for (int i = 0; i < options.template_count; i++) {
        read_or_exit(options.templates[i], &sources[i]);
        if (strspn(sources[i].at, " \t\r\n") >= sources[i].size && !(options.flags & EMIT_QUIET) &&
            strcmp(options.templates[i], "-") != 0)
            fprintf(stderr, "wrappergen: warning: %s: the template is empty\n", options.templates[i]);
        template_expand(&emitter, &sources[i], i);
    }
    template_end(&emitter);
    text_puts(&emitter.out, ""); /* not NULL, even for an empty template */
    if (fault_count) {
        fprintf(stderr, "wrappergen: %d error%s, nothing written\n", fault_count, fault_count == 1 ? "" : "s");
        return 1;
    }
    return write_out(options.out, &emitter.out) ? 1 : 0;
}
