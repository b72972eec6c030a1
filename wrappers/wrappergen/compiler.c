/* compiler.c - what the MPI compiler knows: the declarations of a header, and which functions the MPI libraries have.
 * The compiler is that named by MPICC, else mpicc; for Fortran that named by MPIFC, else the one beside it. */
#include "wrappergen.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *compiler(void)
{
    const char *named = getenv("MPICC");

    return named && *named ? named : "mpicc";
}

/* "mpif90.mpich" of "mpicc.mpich -I here"; NULL: it cannot be told. */
static const char *fortran_compiler(void)
{
    const char *named = getenv("MPIFC"), *cc = compiler(), *at = NULL;
    size_t size = strcspn(cc, " ");
    struct text name = {0};

    if (named && *named)
        return named;
    for (const char *next = cc; (next = strstr(next, "mpicc")) && next < cc + size; next++)
        at = next;
    if (!at)
        return NULL;
    text_add(&name, cc, (size_t)(at - cc));
    text_puts(&name, "mpif90");
    text_add(&name, at + 5, size - (size_t)(at + 5 - cc));
    return name.at;
}

/* ---- a folder for what is compiled ------------------------------------------------------------------------------- */

static const char *const files[] = {"probe.c", "probe.f90", "probe.o", "probe", "log", NULL};

static const char *folder_make(void)
{
    const char *tmp = getenv("TMPDIR");
    struct text name = {0};

    text_printf(&name, "%s/wrappergenXXXXXX", tmp && *tmp && !strchr(tmp, '\'') ? tmp : "/tmp");
    if (!mkdtemp(name.at)) {
        fprintf(stderr, "wrappergen: %s: %s\n", name.at, strerror(errno));
        exit(1);
    }
    return name.at;
}

static const char *in_folder(const char *folder, const char *name)
{
    struct text path = {0};

    text_printf(&path, "%s/%s", folder, name);
    return path.at;
}

static void folder_remove(const char *folder)
{
    for (int i = 0; files[i]; i++)
        unlink(in_folder(folder, files[i]));
    rmdir(folder);
}

static void file_write(const char *folder, const char *name, const char *content)
{
    FILE *file = fopen(in_folder(folder, name), "w");

    if (!file || fputs(content, file) < 0 || fclose(file)) {
        fprintf(stderr, "wrappergen: %s: %s\n", in_folder(folder, name), strerror(errno));
        folder_remove(folder);
        exit(1);
    }
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

/* "-I 'FOLDER'" of a header's path: it may include what lies beside it, and be a link into another folder. */
static void add_folder(struct text *command, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (slash && !strchr(path, '\''))
        text_printf(command, " -I '%.*s'", (int)(slash - path), path);
}

void compiler_preprocess(const char *header, struct source *source)
{
    const char *folder = folder_make();
    struct text command = {0}, include = {0}, text = {0}, here = {0};
    char piece[16384], *real = header ? realpath(header, NULL) : NULL;
    size_t got;

    text_printf(&here, "%s%s", header && !strchr(header, '/') ? "./" : "", header ? header : "");
    text_printf(&include, header ? "#include \"%s\"\n" : "#include <mpi.h>\n", real);
    file_write(folder, "probe.c", include.at);
    text_printf(&command, "%s -E -P -dD", compiler());
    add_folder(&command, header ? here.at : NULL);
    add_folder(&command, real);
    text_printf(&command, " -x c - < '%s'", in_folder(folder, "probe.c"));
    FILE *pipe = popen(command.at, "r");
    while (pipe && (got = fread(piece, 1, sizeof piece, pipe)))
        text_add(&text, piece, got);
    int status = pipe ? pclose(pipe) : -1;
    folder_remove(folder);
    if (status || !text.size) {
        fprintf(stderr, "wrappergen: '%s' failed on %s; set MPICC, or give -H\n", command.at, real ? real : "<mpi.h>");
        exit(1);
    }
    *source = (struct source){header ? header : "<mpi.h>", text.at, text.size};
    free(real);
}

/* ---- the names that the libraries have ---------------------------------------------------------------------------
 * A program that needs all of them is linked. The linker tells of those that there are not; without them it is linked
 * again, until it succeeds: some linkers tell of a few at a time. This needs no knowledge of kinds of libraries. */

struct wanted {
    const char **names;
    int count;
};

static void wanted_add(struct wanted *wanted, const char *names)
{
    for (const char *at = names; (at += strspn(at, "\n")), *at; at += strcspn(at, "\n")) {
        wanted->names = grow(wanted->names, (size_t)wanted->count, sizeof *wanted->names);
        wanted->names[wanted->count++] = text_copy(at, strcspn(at, "\n"));
    }
}

static const char *program(const struct wanted *wanted, int has_main)
{
    struct text text = {0};

    for (int i = 0; i < wanted->count; i++)
        text_printf(&text, "extern char %s[];\n", wanted->names[i]);
    text_puts(&text, "char *wrappergen_probe[] = {\n");
    for (int i = 0; i < wanted->count; i++)
        text_printf(&text, "%s,\n", wanted->names[i]);
    text_printf(&text, "0};\n%s", has_main ? "int main(void) { return !wrappergen_probe[0]; }\n" : "");
    return text.at;
}

/* Takes the names out that lines with "undefined" tell of; how many these were. */
static int take_out(struct wanted *wanted, const char *log)
{
    int kept = 0, before = wanted->count;
    struct name_set undefined = {0};

    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *copy = text_copy(line, strcspn(line, "\n"));
        if (!strstr(copy, "ndefined"))
            continue;
        for (char *at = copy; *at; at++)
            *at = is_name((unsigned char)*at) ? *at : ' ';
        name_set_read(&undefined, copy);
    }
    for (int i = 0; i < before; i++)
        if (!name_set_has(&undefined, "", wanted->names[i]) && !name_set_has(&undefined, "_", wanted->names[i]))
            wanted->names[kept++] = wanted->names[i];
    wanted->count = kept;
    return before - kept;
}

/* Keeps of the names those that a program linked by `linker` finds. -1: it cannot be linked for another reason. */
static int keep_found(struct wanted *wanted, const char *linker, int is_fortran)
{
    const char *folder = folder_make();
    int status = -1;

    file_write(folder, "probe.f90", "end\n");
    do {
        struct text command = {0};
        struct source log;
        if (!wanted->count)
            break;
        file_write(folder, "probe.c", program(wanted, !is_fortran));
        text_printf(&command, "{ %s -w -c -o '%s' '%s' && %s -o '%s'", compiler(), in_folder(folder, "probe.o"),
                    in_folder(folder, "probe.c"), linker, in_folder(folder, "probe"));
        if (is_fortran)
            text_printf(&command, " '%s'", in_folder(folder, "probe.f90"));
        text_printf(&command, " '%s'; } >'%s' 2>&1", in_folder(folder, "probe.o"), in_folder(folder, "log"));
        status = system(command.at);
        if (status && (source_read(in_folder(folder, "log"), &log) || !take_out(wanted, log.at)))
            break;
    } while (status);
    folder_remove(folder);
    return status ? -1 : 0;
}

static void add_all(struct name_set *exports, const struct wanted *wanted)
{
    for (int i = 0; i < wanted->count; i++)
        name_set_add(exports, wanted->names[i]);
}

static struct wanted all_of(const struct protos *protos, void (*add)(const struct proto *proto, struct text *out))
{
    struct wanted wanted = {0};
    struct text text = {0};

    text_puts(&text, "");
    for (int i = 0; i < protos->count; i++)
        add(&protos->at[i], &text);
    wanted_add(&wanted, text.at);
    return wanted;
}

static void own_name(const struct proto *proto, struct text *out) { text_printf(out, "P%s\n", proto->name); }

int compiler_exports(const struct protos *protos, int has_fortran, struct name_set *exports)
{
    struct wanted c = all_of(protos, own_name), fortran = all_of(protos, fortran_names);
    const char *fc = fortran_compiler();

    if (keep_found(&c, compiler(), 0)) {
        fprintf(
            stderr,
            "wrappergen: a program for '%s' cannot be linked, so that functions which mpi.h declares and the library "
            "has not are wrapped too; give --exports\n",
            compiler());
        return -1;
    }
    add_all(exports, &c);
    if (has_fortran && (!fc || keep_found(&fortran, fc, 1))) {
        fprintf(stderr,
                "wrappergen: no Fortran compiler%s%s links a program, so that entries for mpi_f08 are left out; set "
                "MPIFC, or give --exports\n",
                fc ? " " : "", fc ? fc : "");
        fortran = all_of(protos, fortran_usual_name);
    }
    if (has_fortran)
        add_all(exports, &fortran);
    return 0;
}
