/* run.h - pith run: starts a program recorded, unchanged.
 *
 *     find the program (program.c) -> find its MPI (which_mpi.c) -> set LD_PRELOAD and PITH_*, exec (run.c)
 *
 * No process stays behind: the program takes this one's place, and its exit status is its own.
 */
#ifndef PITHI_RUN_H
#define PITHI_RUN_H

enum program_kind { PROGRAM_DYNAMIC, PROGRAM_STATIC, PROGRAM_FOREIGN, PROGRAM_OTHER };
struct program {
    char *path;             /* of what the user named */
    char *binary;           /* of the ELF file that runs: itself, or a script's interpreter */
    char *loader;           /* its dynamic loader; NULL: none */
    int is_cxx;             /* linked with libpith-cxx.so: the C++ bindings */
    enum program_kind kind; /* of the binary. FOREIGN: of another machine or word size; OTHER: no ELF file */
};

/* Finds `name` as the shell does. Returns 0, or the exit status for the fault, printed: 127 not found, 126 not
 * executable. */
int program_find(const char *name, struct program *program);

/* "mpich", "openmpi", or NULL: the MPI library among those that the program is linked with, however far down. Sets
 * program->is_cxx. */
const char *mpi_of_program(struct program *program);
/* The same from what mpirun put into the environment. */
const char *mpi_of_launcher(void);
/* This process's rank by the launcher's word; 0 without one. */
int rank_of_launcher(void);

#endif
