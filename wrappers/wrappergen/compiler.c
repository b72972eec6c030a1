/* compiler.c - asks the MPI compiler for the declarations of a header and for the functions in the MPI libraries.
 *
 * The compiler is $MPICC or mpicc. The Fortran compiler is $MPIFC, or the one that belongs to the C compiler.
 *
 * To find out which functions the libraries have, this file links a program that uses all functions that might exist.
 * The linker reports the functions that do not exist. Some linkers report only a few at a time, so the program is
 * linked again without the reported functions until linking succeeds. This works for every kind of library.
 */
#include "wrappergen.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open_file.h"

static const char *compiler(void)
{
    const char *named = getenv("MPICC");

    return named && *named ? named : "mpicc";
}

/* Derives the Fortran compiler from the C compiler: "mpif90.mpich" for "mpicc.mpich -I here". Returns NULL if it is
 * unknown. */
static const char *fortran_compiler(void)
{
    const char *named = getenv("MPIFC"), *cc = compiler(), *at = NULL;
    size_t size = strcspn(cc, " ");
    struct gen_text name = {0};

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

/* ---- A folder for compiled files --------------------------------------------------------------------------------- */

/* All files that are made in the folder. */
static const char *const files[] = {"probe.c", "probe.f90", "probe.o", "probe", "log", NULL};

static const char *folder_make(void)
{
    const char *tmp = getenv("TMPDIR");
    char *name = text_format("%s/wrappergenXXXXXX", tmp && *tmp && !strchr(tmp, '\'') ? tmp : "/tmp");

    if (!mkdtemp(name)) {
        fprintf(stderr, "wrappergen: %s: %s\n", name, strerror(errno));
        exit(1);
    }
    return name;
}

static const char *in_folder(const char *folder, const char *name) { return text_format("%s/%s", folder, name); }

static void folder_remove(const char *folder)
{
    for (int i = 0; files[i]; i++)
        unlink(in_folder(folder, files[i]));
    rmdir(folder);
}

static void file_write(const char *folder, const char *name, const char *content)
{
    FILE *file = pithi_make_stream(in_folder(folder, name), "w");

    if (!file || fputs(content, file) < 0 || fclose(file)) {
        fprintf(stderr, "wrappergen: %s: %s\n", in_folder(folder, name), strerror(errno));
        folder_remove(folder);
        exit(1);
    }
}

/* ---- The header -------------------------------------------------------------------------------------------------- */

/* Adds "-I FOLDER" for a header, which may include other headers in its folder. */
static void add_folder(struct gen_text *command, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (slash && !strchr(path, '\''))
        text_printf(command, " -I '%.*s'", (int)(slash - path), path);
}

void compiler_preprocess(const char *header, struct gen_source *source)
{
    const char *folder = folder_make();
    struct gen_text command = {0}, text = {0};
    char piece[16384], *real = header ? realpath(header, NULL) : NULL;
    size_t got;

    file_write(folder, "probe.c", header ? text_format("#include \"%s\"\n", real) : "#include <mpi.h>\n");
    text_printf(&command, "%s -E -P -dD", compiler());
    add_folder(&command, header && !strchr(header, '/') ? "./" : header);
    add_folder(&command, real); /* the header may be a link into another folder */
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
    *source = (struct gen_source){header ? header : "<mpi.h>", text.at, text.size};
    free(real);
}

/* ---- The libraries' functions ------------------------------------------------------------------------------------ */

struct wanted_names {
    const char **names;
    int count;
};

/* Returns the text of a C program that needs all the names. */
static const char *program(const struct wanted_names *wanted, int has_main)
{
    struct gen_text text = {0};

    for (int i = 0; i < wanted->count; i++)
        text_printf(&text, "extern char %s[];\n", wanted->names[i]);
    text_puts(&text, "char *wrappergen_probe[] = {\n");
    for (int i = 0; i < wanted->count; i++)
        text_printf(&text, "%s,\n", wanted->names[i]);
    text_printf(&text, "0};\n%s", has_main ? "int main(void) { return !wrappergen_probe[0]; }\n" : "");
    return text.at;
}

/* Removes the names that the linker's messages report as undefined. Returns how many it removed. */
static int remove_undefined(struct wanted_names *wanted, const char *log)
{
    int kept = 0, before = wanted->count;
    struct name_set undefined = {0};

    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *copy = text_copy(line, strcspn(line, "\n"));
        /* Linkers' messages differ, so all names in a line that says "undefined" or "Undefined" count. */
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

/* Removes the names that the linker `linker` does not find. Returns -1 if linking fails for another reason. */
static int keep_found(struct wanted_names *wanted, const char *linker, int is_fortran)
{
    const char *folder = folder_make();
    int status = -1;

    file_write(folder, "probe.f90", "end\n");
    do {
        struct gen_text command = {0};
        struct gen_source log;
        if (!wanted->count)
            break;
        file_write(folder, "probe.c", program(wanted, !is_fortran));
        text_printf(&command, "{ %s -w -c -o '%s' '%s' && %s -o '%s'", compiler(), in_folder(folder, "probe.o"),
                    in_folder(folder, "probe.c"), linker, in_folder(folder, "probe"));
        if (is_fortran)
            text_printf(&command, " '%s'", in_folder(folder, "probe.f90"));
        text_printf(&command, " '%s'; } >'%s' 2>&1", in_folder(folder, "probe.o"), in_folder(folder, "log"));
        status = system(command.at);
        if (status && (source_read(in_folder(folder, "log"), &log) || !remove_undefined(wanted, log.at)))
            break;
    } while (status);
    folder_remove(folder);
    return status ? -1 : 0;
}

/* Returns all names that `add` writes for the functions. */
static struct wanted_names all_of(const struct protos *protos,
                                  void (*add)(const struct proto *proto, struct gen_text *out))
{
    struct wanted_names wanted = {0};
    struct gen_text text = {0};

    text_puts(&text, "");
    for (int i = 0; i < protos->count; i++)
        add(&protos->at[i], &text);
    for (const char *at = text.at; (at += strspn(at, "\n")), *at; at += strcspn(at, "\n")) {
        wanted.names = grow(wanted.names, (size_t)wanted.count, sizeof *wanted.names);
        wanted.names[wanted.count++] = text_copy(at, strcspn(at, "\n"));
    }
    return wanted;
}

static void own_name(const struct proto *proto, struct gen_text *out) { text_printf(out, "P%s\n", proto->name); }

int compiler_exports(const struct protos *protos, int has_fortran, struct name_set *exports)
{
    struct wanted_names c = all_of(protos, own_name), fortran = all_of(protos, fortran_names);
    const char *fc = fortran_compiler();

    if (keep_found(&c, compiler(), 0)) {
        fprintf(stderr,
                "wrappergen: '%s' cannot link a program, so functions that the library lacks are wrapped too; give "
                "--exports\n",
                compiler());
        return -1;
    }
    for (int i = 0; i < c.count; i++)
        name_set_add(exports, c.names[i]);
    if (has_fortran && (!fc || keep_found(&fortran, fc, 1))) {
        fprintf(stderr,
                "wrappergen: the Fortran compiler%s%s cannot link a program, so entry points for mpi_f08 are left "
                "out; set MPIFC, or give --exports\n",
                fc ? " " : "", fc ? fc : "");
        fortran = all_of(protos, fortran_usual_name);
    }
    for (int i = 0; has_fortran && i < fortran.count; i++)
        name_set_add(exports, fortran.names[i]);
    return 0;
}
