/* which_mpi.c - which MPI a program will use: by what it is linked with, else by who launched it. */
#include "run.h"

#include "mpi/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The loader lists what it would load and runs nothing of the program. Only a loader in a place for loaders is asked.
 */
static FILE *ask_loader(const struct program *program, pid_t *child)
{
    int ends[2];

    if (!program->loader || strncmp(program->loader, "/lib", 4) != 0 || pipe(ends))
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
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

/* libmpi.so is the name of both; only Open MPI's stands on libopen-pal. */
const char *mpi_of_program(struct program *program)
{
    pid_t child = -1;
    FILE *list = ask_loader(program, &child);
    int has_mpich = 0, has_mpi = 0, has_open = 0;
    char line[4096];

    if (!list)
        return NULL;
    while (fgets(line, sizeof line, list)) {
        const char *name = line + strspn(line, " \t");
        const char *slash = name[0] == '/' ? strrchr(name, '/') : NULL;
        name = slash ? slash + 1 : name;
        has_mpich |= !strncmp(name, "libmpich.so", 11) || !strncmp(name, "libmpichfort", 12);
        has_mpi |= !strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpi_", 7) || !strncmp(name, "libmpifort", 10);
        program->is_cxx |= !strncmp(name, "libpith-cxx.so", 14);
        has_open |= !strncmp(name, "libopen-pal.so", 14) || !strncmp(name, "libopen-rte.so", 14);
    }
    fclose(list);
    waitpid(child, NULL, 0);
    if (has_mpi && has_open)
        return "openmpi";
    return has_mpich || has_mpi ? "mpich" : NULL;
}

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

int rank_of_launcher(void) { return pithi_launcher_rank(0); }
