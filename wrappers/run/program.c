/* program.c - finds the program that the user named, and the ELF file that will run. */
#include "run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 when it can be executed; else an errno. */
static int try_path(const char *path)
{
    struct stat info;

    if (stat(path, &info))
        return errno;
    if (S_ISDIR(info.st_mode))
        return EISDIR;
    return access(path, X_OK) ? errno : 0;
}

/* Along PATH when the name has no slash. Sets *fault to the errno of the best candidate. */
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
        if (asprintf(&full, "%.*s%s%s", (int)size, at, size ? "/" : "./", name) < 0)
            return NULL;
        int bad = try_path(full);
        if (!bad)
            return full;
        if (bad == EACCES)
            *fault = bad;
        free(full);
        at += size;
        if (!*at)
            return NULL;
    }
}

/* The dynamic loader named in an ELF file of our own class; NULL: none. */
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
        free(loader);
        return NULL;
    }
    return NULL;
}

/* The machine that this program itself is made for. */
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

/* The interpreter of a "#!" line, of "#!/usr/bin/env NAME" NAME. */
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
            word = strtok_r(NULL, " \t", &last);
        while (word && (word[0] == '-' || strchr(word, '=')));
    }
    if (word)
        found = search(word, &fault);
    free(copy);
    return found;
}

static void look_inside(struct program *program, char *binary, int depth)
{
    char head[256] = {0};
    Elf64_Ehdr elf;
    int fd = open(binary, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);

    program->binary = binary;
    program->kind = PROGRAM_OTHER;
    if (got > 2 && head[0] == '#' && head[1] == '!' && depth < 5) {
        char *interpreter = read_interpreter(head);
        if (interpreter)
            look_inside(program, interpreter, depth + 1);
    } else if (got >= (ssize_t)sizeof elf && !memcmp(head, ELFMAG, SELFMAG)) {
        memcpy(&elf, head, sizeof elf);
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

int program_find(const char *name, struct program *program)
{
    int fault = 0;

    memset(program, 0, sizeof *program);
    program->path = search(name, &fault);
    if (!program->path) {
        fprintf(stderr, "pith run: %s: %s\n", name,
                fault == ENOENT || fault == ENOTDIR ? "no such program"
                : fault == EISDIR                   ? "is a directory"
                                                    : "not executable");
        return fault == ENOENT || fault == ENOTDIR ? 127 : 126;
    }
    look_inside(program, program->path, 0);
    return 0;
}
