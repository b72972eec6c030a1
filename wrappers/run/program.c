/* program.c - finds the program that the user named, the ELF file that will run, and its MPI: the MPI that it is linked
 * with, else the MPI whose launcher started it.
 *
 *     ./job.py         a script, "#!/usr/bin/env python3"      ->  /usr/bin/python3 is the ELF file
 *     python3          linked with no MPI                      ->  that of the mpirun, by the variables that it sets
 *
 * The file is read, not run: whether it has a loader decides if a library can be preloaded at all.
 */
#include "run.h"

#include "base/launcher.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Returns 0 if the file can be executed, else an errno. */
static int try_path(const char *path)
{
    struct stat info;

    if (stat(path, &info))
        return errno;
    if (S_ISDIR(info.st_mode))
        return EISDIR;
    return access(path, X_OK) ? errno : 0;
}

/* Searches PATH if the name has no slash. Sets *fault to the errno of the best candidate.
 * Without PATH, the usual folders are searched, as a shell would. */
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
        /* an empty part of PATH is the current folder */
        if (asprintf(&full, "%.*s%s%s", (int)size, at, size ? "/" : "./", name) < 0)
            return NULL;
        int bad = try_path(full);
        if (!bad)
            return full;
        /* a file that may not be executed is a better reason than none at all */
        if (bad == EACCES)
            *fault = bad;
        free(full);
        at += size;
        if (!*at)
            return NULL;
    }
}

/* The dynamic loader named in a 64-bit ELF file; NULL: there is none.
 * Such a file cannot be changed by preloading if it has none: it is linked statically. */
static char *read_loader(int fd, const Elf64_Ehdr *head)
{
    Elf64_Phdr part;

    for (int i = 0; i < head->e_phnum; i++) {
        off_t at = (off_t)(head->e_phoff + (Elf64_Off)i * head->e_phentsize);
        if (pread(fd, &part, sizeof part, at) != sizeof part)
            return NULL;
        if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > 4096)
            continue;
        char *loader = calloc(1, part.p_filesz + 1);
        if (loader && pread(fd, loader, part.p_filesz, (off_t)part.p_offset) == (ssize_t)part.p_filesz)
            return loader;
        /* too short, or damaged */
        free(loader);
        return NULL;
    }
    return NULL;
}

/* The machine type of this program. */
static int own_machine(void)
{
    Elf64_Ehdr head = {0};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head)
        head.e_machine = EM_NONE;
    if (fd >= 0)
        close(fd);
    return head.e_machine;
}

/* The interpreter of a "#!" line; for "#!/usr/bin/env NAME" it is NAME. */
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
            /* only the words that are no options and no settings: "env -S A=1 python3" */
            word = strtok_r(NULL, " \t", &last);
        while (word && (word[0] == '-' || strchr(word, '=')));
    }
    if (word)
        found = search(word, &fault);
    free(copy);
    return found;
}

/* Finds out what kind of file it is. For a script, looks at its interpreter. */
static void inspect(struct program *program, char *binary, int depth)
{
    char head[256] = {0};
    Elf64_Ehdr elf;
    int fd = open(binary, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);

    program->binary = binary;
    program->kind = PROGRAM_OTHER;
    /* a script may be run by a script; five of them are enough */
    if (got > 2 && head[0] == '#' && head[1] == '!' && depth < 5) {
        char *interpreter = read_interpreter(head);
        if (interpreter)
            inspect(program, interpreter, depth + 1);
    } else if (got >= (ssize_t)sizeof elf && !memcmp(head, ELFMAG, SELFMAG)) {
        memcpy(&elf, head, sizeof elf);
        /* another architecture, or 32 bits: the library cannot be loaded there */
        if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != own_machine())
            program->kind = PROGRAM_FOREIGN;
        else if ((program->loader = read_loader(fd, &elf)))
            program->kind = PROGRAM_DYNAMIC;
        else
            program->kind = PROGRAM_STATIC;
    }
    if (fd >= 0)
        close(fd);
}

/* The kernel gives such programs the rights of the file, and the loader then ignores LD_PRELOAD. */
static const char *rights_of(const char *binary)
{
    struct stat file;
    struct statvfs system;

    /* without such rights in effect, the bits of the file mean nothing */
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

/* Finds and inspects the program. Returns 0, or the exit status that a shell would give: 127 not found, 126 not
 * executable. */
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

/* Runs the loader, which lists the libraries that it would load and does not run the program. Only a loader in a usual
 * folder is run. */
static FILE *list_libraries(const struct program *program, pid_t *child)
{
    int ends[2];

    if (!program->loader || strncmp(program->loader, "/lib", 4) != 0 || pipe(ends))
        return NULL;
    *child = fork();
    if (*child == 0) {
        close(ends[0]); /* first: if standard output is closed, it may have its number */
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        if (ends[1] > 2)
            close(ends[1]);
        /* the loader itself must not load what is preloaded */
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

/* Both MPIs have a libmpi.so, but only Open MPI's needs libopen-pal. The library of the standard ABI has a name of its
 * own in both. */
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
    /* a program for the standard ABI runs with either MPI */
    if (has_abi)
        return "abi";
    if (has_mpi && has_open)
        return "openmpi";
    return has_mpich || has_mpi ? "mpich" : NULL;
}

/* Variables that launchers set, the surest ones first: several may be there. */
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
