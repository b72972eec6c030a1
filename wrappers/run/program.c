/* program.c - finds the program that the user named, the ELF file that will run for it, and the MPI that it uses: the
 * MPI that it is linked with, or else the MPI whose launcher started it. For example:
 *
 *     ./job.py         a script with "#!/usr/bin/env python3"  ->  the ELF file is /usr/bin/python3
 *     python3          is linked with no MPI                   ->  the MPI is mpirun's, by the variables that it sets
 *
 * The file is only read, not run. A library can be preloaded only if the file names a dynamic loader.
 */
#include "run.h"

#include "base/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Returns 0 if the file can be executed, else the errno that says why not. */
static int try_path(const char *path)
{
    struct stat info;

    if (stat(path, &info))
        return errno;
    if (S_ISDIR(info.st_mode))
        return EISDIR;
    return access(path, X_OK) ? errno : 0;
}

/* Finds the file that a shell would run for `name`: searches PATH if the name has no slash. Without PATH, it searches
 * the usual folders, as a shell does. The caller frees the result. Returns NULL if there is no such file, and sets
 * *fault to the errno that explains this best. */
static char *search(const char *name, int *fault)
{
    const char *path = getenv("PATH");
    char *full;

    if (strchr(name, '/') || !*name) {
        *fault = *name ? try_path(name) : ENOENT;
        return *fault ? NULL : strdup(name);
    }
    *fault = ENOENT;
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin";; at++) {
        size_t size = strcspn(at, ":");
        /* An empty part of PATH is the current folder. */
        if (asprintf(&full, "%.*s%s%s", (int)size, at, size ? "/" : "./", name) < 0)
            return NULL;
        int bad = try_path(full);
        if (!bad)
            return full;
        /* "May not be executed" explains more than "does not exist". */
        if (bad == EACCES)
            *fault = bad;
        free(full);
        at += size;
        if (!*at)
            return NULL;
    }
}

/* Returns the dynamic loader that an ELF file names; the caller frees it. Returns NULL if the file names none, as in a
 * statically linked program, for which preloading has no effect. */
static char *read_loader(int fd, const ElfW(Ehdr) * head)
{
    ElfW(Phdr) part;

    for (int i = 0; i < head->e_phnum; i++) {
        off_t at = (off_t)(head->e_phoff + (ElfW(Off))i * head->e_phentsize);
        if (pread(fd, &part, sizeof part, at) != sizeof part)
            return NULL;
        if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > 4096)
            continue;
        char *loader = calloc(1, part.p_filesz + 1);
        if (loader && pread(fd, loader, part.p_filesz, (off_t)part.p_offset) == (ssize_t)part.p_filesz)
            return loader;
        /* The file ends too early, or there is no memory. */
        free(loader);
        return NULL;
    }
    return NULL;
}

/* Returns the machine type (e_machine) of this program. */
static int own_machine(void)
{
    ElfW(Ehdr) head = {0};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head)
        head.e_machine = EM_NONE;
    if (fd >= 0)
        close(fd);
    return head.e_machine;
}

/* Returns the program that a "#!" line names; for "#!/usr/bin/env NAME", the program NAME. Returns NULL if there is no
 * such program. */
static char *read_interpreter(const char *line)
{
    char *copy = strdup(line + 2), *last = NULL, *found = NULL;
    int fault;

    if (!copy)
        return NULL;
    copy[strcspn(copy, "\n")] = 0;
    char *word = strtok_r(copy, " \t", &last);
    const char *slash = word ? strrchr(word, '/') : NULL;
    if (word && !strcmp(slash ? slash + 1 : word, "env")) {
        do
            /* Skips options and settings: "env -S A=1 python3". */
            word = strtok_r(NULL, " \t", &last);
        while (word && (word[0] == '-' || strchr(word, '=')));
    }
    if (word)
        found = search(word, &fault);
    free(copy);
    return found;
}

/* Fills in the program's binary and what kind of file it is. If `binary` is a script, inspects the script's interpreter
 * in its place. `depth`: how many scripts led to this file. */
static void inspect(struct program *program, char *binary, int depth)
{
    char head[256] = {0};
    ElfW(Ehdr) elf;
    int fd = open(binary, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);

    program->binary = binary;
    program->kind = PROGRAM_OTHER;
    /* A script's interpreter may be a script. The depth is limited, because two scripts may name each other. */
    if (got > 2 && head[0] == '#' && head[1] == '!' && depth < 5) {
        char *interpreter = read_interpreter(head);
        if (interpreter)
            inspect(program, interpreter, depth + 1);
    } else if (got >= (ssize_t)sizeof elf && !memcmp(head, ELFMAG, SELFMAG)) {
        memcpy(&elf, head, sizeof elf);
        /* Pith's libraries cannot be loaded into a program for another architecture or address size. */
        if (elf.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || elf.e_machine != own_machine())
            program->kind = PROGRAM_FOREIGN;
        else if ((program->loader = read_loader(fd, &elf)))
            program->kind = PROGRAM_DYNAMIC;
        else
            program->kind = PROGRAM_STATIC;
    }
    if (fd >= 0)
        close(fd);
}

/* If the kernel gives the program the rights of its file, the loader ignores LD_PRELOAD. Returns a name of such
 * programs for messages; NULL if this program gets no rights from its file. */
static const char *rights_of(const char *binary)
{
    struct stat file;
    struct statvfs system;

    /* The file's bits have no effect if the process or the file system forbids them. */
    if (stat(binary, &file) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
        (statvfs(binary, &system) == 0 && system.f_flag & ST_NOSUID))
        return NULL;
    if (file.st_mode & S_ISUID && file.st_uid != getuid())
        return "a set-user-ID program";
    if ((file.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && file.st_gid != getgid())
        return "a set-group-ID program";
    if (getuid() != 0 && getxattr(binary, "security.capability", NULL, 0) > 0)
        return "a program with file capabilities";
    return NULL;
}

char *program_path(const char *name)
{
    int fault;

    return search(name, &fault);
}

/* Finds the program (run.h). One process of each machine prints the error, because the file may be missing on some
 * machines only. */
int program_find(const char *name, struct program *program)
{
    int fault = 0;

    memset(program, 0, sizeof *program);
    program->path = search(name, &fault);
    if (!program->path) {
        if (speaks_for_host())
            fprintf(stderr, "pith run: %s: %s\n", name,
                    fault == ENOENT || fault == ENOTDIR ? "no such program"
                    : fault == EISDIR                   ? "is a directory"
                                                        : "not executable");
        return fault == ENOENT || fault == ENOTDIR ? 127 : 126;
    }
    inspect(program, program->path, 0);
    program->rights = rights_of(program->binary);
    return 0;
}

/* ---- The MPI of the program -------------------------------------------------------------------------------------- */

/* Runs the program's loader so that it lists the libraries that it would load, and does not run the program. Returns
 * the pipe to read the list from. A loader outside the usual folders is not run, because the program's file could name
 * any file as its loader. */
static FILE *list_libraries(const struct program *program, pid_t *child)
{
    int ends[2];

    if (!program->loader || strncmp(program->loader, "/lib", 4) != 0 || pipe(ends))
        return NULL;
    *child = fork();
    if (*child == 0) {
        close(ends[0]); /* before dup2, because ends[0] is descriptor 1 if standard output was closed */
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        if (ends[1] > 2)
            close(ends[1]);
        /* The loader would also list the libraries that are preloaded. */
        unsetenv("LD_PRELOAD");
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        execl(program->loader, program->loader, program->binary, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

/* Finds the MPI by the libraries that the program needs. MPICH and Open MPI both have a library libmpi.so, but only
 * Open MPI's needs libopen-pal or libopen-rte. Both MPIs have a library libmpi_abi.so for programs that use the
 * standard ABI. */
const char *mpi_of_program(struct program *program)
{
    pid_t child = -1;
    FILE *list = list_libraries(program, &child);
    int has_mpich = 0, has_mpi = 0, has_open = 0, has_abi = 0;
    char line[4096];

    if (!list)
        return NULL;
    while (fgets(line, sizeof line, list)) {
        const char *name = line + strspn(line, " \t");
        const char *slash = name[0] == '/' ? strrchr(name, '/') : NULL;
        name = slash ? slash + 1 : name;
        has_abi |= !strncmp(name, "libmpi_abi.so", 13);
        has_mpich |= !strncmp(name, "libmpich.so", 11) || !strncmp(name, "libmpichfort", 12);
        has_mpi |= !strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpi_", 7) || !strncmp(name, "libmpifort", 10);
        program->is_asan |= !strncmp(name, "libasan.so", 10) || !strncmp(name, "libclang_rt.asan", 16);
        program->is_cxx |= !strncmp(name, "libpith-cxx.so", 14);
        has_open |= !strncmp(name, "libopen-pal.so", 14) || !strncmp(name, "libopen-rte.so", 14);
    }
    fclose(list);
    waitpid(child, NULL, 0);
    /* A program for the standard ABI runs with either MPI. */
    if (has_abi)
        return "abi";
    if (has_mpi && has_open)
        return "openmpi";
    return has_mpich || has_mpi ? "mpich" : NULL;
}

/* Variables that launchers set. If several of them are set, the first one in this list counts, because it is the
 * surest. */
static const struct {
    const char *variable, *mpi;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "openmpi"},
    {"OMPI_MCA_ess_base_jobid", "openmpi"},
    {"HYDI_CONTROL_FD", "mpich"},
    {"MPI_LOCALRANKID", "mpich"},
    {"PMI_SIZE", "mpich"},
    {"PMI_RANK", "mpich"},
    {"PMIX_RANK", "openmpi"},
};

const char *mpi_of_launcher(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++)
        if (getenv(launchers[i].variable))
            return launchers[i].mpi;
    return NULL;
}

int speaks_for_host(void)
{
    static const char *const variables[] = {PITHI_LOCAL_RANK_VARIABLES, NULL};
    const char *local;

    return pithi_launcher_variable(variables, &local) ? atoi(local) == 0 : rank_of_launcher() == 0;
}

int rank_of_launcher(void) { return pithi_launcher_rank(0); }
